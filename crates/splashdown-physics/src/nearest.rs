//! "Did you mean …?"

/// The candidate most like `name`, if any is close enough to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing costs the product of the lengths; nobody mistypes a name this long.
    if name.len() > 100 {
        return None;
    }
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (likeness(&lower, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// 1 for equal names. Short names count as alike when one letter is wrong, missing or too many.
fn likeness(name: &str, candidate: &str) -> f64 {
    let one_slip = name.len() > 1 && strsim::osa_distance(name, candidate) == 1;
    let similar = strsim::jaro_winkler(name, candidate);
    if one_slip { similar.max(0.9) } else { similar }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_forgiven_and_strangers_are_not() {
        let shapes = ["box", "sphere", "cylinder", "cone"];
        assert_eq!(nearest("bx", shapes), Some("box"));
        assert_eq!(nearest("Sphere", shapes), Some("sphere"));
        assert_eq!(nearest("cilinder", shapes), Some("cylinder"));
        assert_eq!(nearest("teapot", shapes), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), shapes), None);
    }
}
