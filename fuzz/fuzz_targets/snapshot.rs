//! Any bytes are a snapshot or are refused, also with a right checksum; a world takes it or stays
//! whole.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use splashdown::output::snapshot::{decode, encode};
use splashdown::scene::Scene;
use splashdown::world::World;

const SCENE: &str = include_str!("../corpus/scene/small.toml");

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let scene = Scene::parse("small", SCENE, ".", &[]).expect("a valid scene");
    scene.build().expect("a scene that builds").world
});

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(bytes);
    let Some(sealed) = seal(bytes) else { return };
    let Ok(snapshot) = decode(&sealed) else { return };
    let again = decode(&encode(&snapshot).expect("what was read can be written"));
    // Bytes and not values: NaN may be in it.
    assert_eq!(again.map(|s| encode(&s)), Ok(encode(&snapshot)));
    let mut world = WORLD.clone();
    if world.import_state(&snapshot.state).is_ok() {
        let _ = world.step(1e-3);
    }
});

/// The same content with right length and checksum, which the fuzzer would never guess.
fn seal(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut file = bytes.to_vec();
    let length = file.len().checked_sub(24)? as u64;
    file[..8].copy_from_slice(b"SPLASHDN");
    file[12..16].copy_from_slice(&1u32.to_le_bytes());
    file[16..24].copy_from_slice(&length.to_le_bytes());
    let crc = crc32fast::hash(&file[12..]);
    file[8..12].copy_from_slice(&crc.to_le_bytes());
    Some(file)
}
