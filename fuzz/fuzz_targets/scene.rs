//! Any text is a scene or is refused with places; a small scene also builds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use splashdown::scene::estimate::estimate;
use splashdown::scene::{MemoryLimit, Scene};

/// Building costs what the scene asks for: only small ones are worth the fuzzer's time.
const FEW: u64 = 20_000_000;

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
    let memory = MemoryLimit { bytes: FEW, reason: "the fuzzer's patience".to_owned() };
    if let Ok(built) = scene.build_within(&memory) {
        let _ = estimate(&built);
    }
});
