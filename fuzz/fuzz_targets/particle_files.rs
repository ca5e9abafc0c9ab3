//! Any bytes are particles or are refused: PLY, CSV, BGEO and VTK. The first byte chooses the
//! format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use splashdown::shapes::{ParticleFormat, parse_particles};

fuzz_target!(|bytes: &[u8]| {
    use ParticleFormat::{Bgeo, Csv, Ply, Vtk};
    let Some((&choice, content)) = bytes.split_first() else { return };
    let format = [Ply, Csv, Bgeo, Vtk][choice as usize % 4];
    let Ok(file) = parse_particles(content, format) else { return };
    assert!(!file.positions.is_empty() && file.positions.iter().all(|p| p.is_finite()));
    if let Some(velocities) = file.velocities {
        assert_eq!(velocities.len(), file.positions.len());
    }
});
