//! Any text is a scene or is refused with places; a small scene also builds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use splashdown::scene::Scene;
use splashdown::scene::estimate::estimate;

/// Building costs what the scene asks for: only coarse ones are worth the fuzzer's time.
const FEW: f64 = 5e3;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // The text after a line of dashes is an override, as from the command line.
    let (text, change) = text.split_once("\n---\n").unwrap_or((text, ""));
    let overrides: Vec<String> = change.lines().take(2).map(str::to_owned).collect();
    let scene = match Scene::parse("fuzz", text, "nowhere", &overrides) {
        Ok(scene) => scene,
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            let _ = errors.to_string();
            return;
        }
    };
    // What a run directory keeps must be the same scene again.
    let again = Scene::parse("again", &scene.text, "nowhere", &[]);
    assert!(again.is_ok(), "the effective text is refused:\n{}", scene.text);
    if is_small(text) && overrides.is_empty() {
        if let Ok(built) = scene.build() {
            let _ = estimate(&built);
        }
    }
});

/// Whether no number in the text is so small or so large that it could make many particles.
fn is_small(text: &str) -> bool {
    let numbers = text.split(|c: char| !c.is_ascii_digit() && !"+-.eE_".contains(c));
    numbers.filter_map(|word| word.replace('_', "").parse::<f64>().ok()).all(|x| {
        let x = x.abs();
        x == 0.0 || (0.02..2.0).contains(&x) || x.fract() == 0.0 && x < FEW
    }) && text.len() < 4000
        && !text.contains("0x")
}
