//! Ranges and round numbers for colour bars.

/// The range of most of the values: from the 1st to the 99th percentile, widened to round numbers.
/// None if no value is finite.
pub fn range(values: &[f32]) -> Option<[f64; 2]> {
    // Every so many values suffice, and more would cost more than drawing them.
    let stride = values.len() / 50_000 + 1;
    let mut sample: Vec<f32> =
        values.iter().step_by(stride).copied().filter(|v| v.is_finite()).collect();
    if sample.is_empty() {
        return None;
    }
    sample.sort_unstable_by(f32::total_cmp);
    let at = |share: f64| f64::from(sample[((sample.len() - 1) as f64 * share).round() as usize]);
    Some(rounded([at(0.01), at(0.99)]))
}

/// The range, widened to multiples of a quarter of its tick.
pub fn rounded([low, high]: [f64; 2]) -> [f64; 2] {
    let size = low.abs().max(high.abs());
    if size < 1e-12 {
        return [0.0, 1.0]; // all at rest
    }
    if high - low < 1e-3 * size {
        // Nearly constant: the noise in it is not worth a rainbow.
        return rounded([low - 0.01 * size, high + 0.01 * size]);
    }
    let unit = tick([low, high]) / 4.0;
    [(low / unit + 1e-6).floor() * unit, (high / unit - 1e-6).ceil() * unit]
}

/// A round distance between ticks: 1, 2 or 5 times a power of ten, for three to six ticks.
pub fn tick([low, high]: [f64; 2]) -> f64 {
    let rough = (high - low) / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough * 0.999);
    step.unwrap_or(10.0) * power
}

/// Where the ticks are and what stands beside them.
pub fn ticks(range: [f64; 2]) -> Vec<(f64, String)> {
    let step = tick(range);
    let first = (range[0] / step - 1e-6).ceil() as i64;
    let last = (range[1] / step + 1e-6).floor() as i64;
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
    (first..=last.min(first + 12))
        .map(|k| {
            let value = k as f64 * step;
            let text = if value.abs() >= 1e6 || (step < 1e-4 && k != 0) {
                format!("{value:.1e}")
            } else {
                format!("{value:.decimals$}")
            };
            (value, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ignores_the_few_wild_values() {
        let mut values: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
        values.extend([1e9, f32::NAN, f32::INFINITY]);
        let [low, high] = range(&values).unwrap();
        assert!((0.0..0.02).contains(&low) && (0.98..1.1).contains(&high), "{low} {high}");
        assert_eq!(range(&[f32::NAN]), None);
        assert_eq!(range(&[]), None);
    }

    #[test]
    fn ticks_are_round_and_few() {
        let text = |range| ticks(range).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(text([0.0, 3.1]), ["0", "1", "2", "3"]);
        assert_eq!(text([0.0, 0.4]), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(text([-2000.0, 9000.0]), ["0", "5000"]);
        for range in [[0.0, 1e-9], [5.0, 5.0], [0.0, 0.0], [1e12, 1.1e12], [-3.0, -3.0]] {
            let range = rounded(range);
            assert!(range[1] > range[0], "{range:?}");
            assert!((1..=12).contains(&ticks(range).len()), "{range:?} {:?}", ticks(range));
        }
    }
}
