//! Settings for a small world, and a step of pretended physics, for the tests of this folder.

pub(crate) use splashdown_physics::testing::small_world;

use crate::math::DVec3;
use crate::output::formats;
use crate::output::settings::{OutputSettings, Probe, ProbeQuantity};
use crate::world::{Load, Loads, PHASES, Solve, SolveKind, StepError, StepReport, World};

/// Ten frames a second in every format, snapshots every third frame.
pub(crate) fn small_settings() -> OutputSettings {
    OutputSettings {
        frames_per_second: 10.0,
        formats: formats::ALL.to_vec(),
        snapshot_every: 3,
        surface: false,
        snapshots_kept: 2,
        duration: 1.25,
        probes: vec![
            Probe {
                name: "gauge".to_owned(),
                position: DVec3::ZERO,
                quantity: ProbeQuantity::Level,
            },
            Probe {
                name: "v".to_owned(),
                position: DVec3::ZERO,
                quantity: ProbeQuantity::Velocity,
            },
        ],
    }
}

/// Pretended physics: every bit of the state depends on every bit of the last one.
pub(crate) fn fake_step(world: &mut World, frame_time: f64) -> Result<StepReport, StepError> {
    let clock = &mut world.clock;
    let wanted = clock.time + 0.013 + 0.004 * (clock.step as f64).sin();
    let time = if wanted >= frame_time { frame_time } else { wanted };
    let dt = time - clock.time;
    (clock.time, clock.step, clock.dt) = (time, clock.step + 1, dt);
    let p = &mut world.particles;
    for i in 0..p.len() {
        p.velocity[i] += dt * (DVec3::new(-p.position[i].y, p.position[i].x, 0.0) * 3.0);
        p.position[i] = p.position[i] + dt * p.velocity[i];
        p.pressure[i] = p.pressure[i] * 0.99 + dt as f32;
        p.density[i] = 1000.0 + p.pressure[i].sin();
    }
    // Sorting, as the real step does: particles of an object trade places.
    p.position.swap(0, 1);
    p.velocity.swap(0, 1);
    p.id.swap(0, 1);
    let load = Load { pressure: dt * p.velocity[0], ..Load::default() };
    let solids = vec![load; world.solids.len()];
    let iterations = 2 + (world.clock.step % 3) as u32;
    let mut density = Solve::none(SolveKind::Density);
    density.iterations = iterations;
    let mut report = StepReport::default();
    (report.time, report.dt) = (time, dt);
    report.solves = vec![density];
    report.loads = Loads { solids, elastic: Vec::new(), duration: dt, ..Loads::default() };
    report.seconds = [0.5; PHASES.len()];
    Ok(report)
}

/// Reads one array back from a `.vtp` file, following its offset.
pub(crate) fn vtk_array<T: bytemuck::AnyBitPattern>(file: &[u8], name: &str) -> Vec<T> {
    let find = |text: &[u8], from: usize| {
        let rest = &file[from..];
        from + rest.windows(text.len()).position(|w| w == text).expect("not in the file")
    };
    find(b"header_type=\"UInt64\"", 0); // as the lengths below are
    let array = find(format!("Name=\"{name}\"").as_bytes(), 0);
    let offset = find(b"offset=\"", array) + 8;
    let digits: String =
        file[offset..].iter().take_while(|b| b.is_ascii_digit()).map(|&b| b as char).collect();
    let data =
        find(b"<AppendedData encoding=\"raw\">\n_", 0) + 31 + digits.parse::<usize>().unwrap();
    let length = u64::from_ne_bytes(file[data..data + 8].try_into().unwrap()) as usize;
    let bytes = &file[data + 8..data + 8 + length];
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}
