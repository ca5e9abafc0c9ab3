//! `splashdown check`: everything that can be said about a scene without running it.

use std::process::ExitCode;

use splashdown::scene::estimate::estimate;
use splashdown::scene::grid::grid_in_words;
use splashdown::scene::variational::largest_pressure;
use splashdown::scene::{Built, MemoryLimit, Scene};
use splashdown::world::PressureSolver;

use crate::commands::forecast;
use crate::failure::Failure;
use crate::terminal::print;

/// Prints particle counts, memory and warnings, or all errors of the scene; if asked for, how long
/// it will take.
pub(crate) fn run(
    name: &str,
    overrides: &[String],
    memory: &MemoryLimit,
    time: bool,
) -> Result<ExitCode, Failure> {
    let (scene, mut built) = Scene::examine(name, overrides, memory)?;
    let needs = estimate(&built);
    let mut lines = vec![format!("{} is fine", scene.name)];
    for object in &needs.objects {
        let (kind, name, count) = (object.kind, &object.name, object.particles);
        let of = if kind == "elastic" { "vertices" } else { "particles" };
        let mut line = format!("  {kind} {name:<20}{count:>12} {of}");
        if object.mass > 0.0 {
            line += &format!(", {} kg", rounded(object.mass));
        }
        if object.copies > 1 {
            line += &format!(", {} copies", object.copies);
            if object.mass > 0.0 {
                line += &format!(", {} kg together", rounded(object.mass * object.copies as f64));
            }
        }
        lines.push(line);
    }
    if needs.emitted_particles > 0 {
        lines.push(format!("  emitters add up to {} particles", needs.emitted_particles));
    }
    if needs.guests > 0 {
        lines.push(format!("  up to about {} particles at a time next to surfaces", needs.guests));
    }
    lines.push(format!("  {} s, {} frames", built.output.duration, needs.frames));
    lines.extend(stiffness(&built));
    lines.extend(grid_in_words(&built.world));
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    lines.push(match megabytes(needs.memory_at_end) - megabytes(needs.memory) {
        more if more > 0.5 => {
            let (now, then) = (megabytes(needs.memory), megabytes(needs.memory_at_end));
            format!("  about {now:.0} MB of memory, {then:.0} MB with all that is emitted")
        }
        _ => format!("  about {:.0} MB of memory", megabytes(needs.memory).max(1.0)),
    });
    if time {
        if !built.counted.is_empty() {
            built = scene.build_within(memory)?;
        }
        lines.extend(forecast::lines(name, overrides, &mut built, needs.emitted_particles)?);
    }
    lines.extend(needs.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.extend(built.notes.iter().map(|note| format!("note: {note}")));
    print(&(lines.join("\n") + "\n"));
    Ok(ExitCode::SUCCESS)
}

/// How stiff a variational fluid is, and what that means.
fn stiffness(built: &Built) -> Option<String> {
    let pressure = built.world.method.pressure();
    let is_stiff = pressure.solver == PressureSolver::Variational;
    let largest = largest_pressure(&built.world, built.output.duration);
    is_stiff.then(|| {
        let (stiffness, share) =
            (pressure.potentials.stiffness, 100.0 * largest / pressure.potentials.stiffness);
        format!(
            "  stiffness {stiffness:.3e} Pa: pressures up to {largest:.3e} Pa compress the fluid \
             by {share:.1} %"
        )
    })
}

/// Four digits are enough to recognise a mass.
fn rounded(mass: f64) -> String {
    let digits = (3 - mass.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{mass:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_have_four_digits() {
        assert_eq!(rounded(12.3456), "12.35");
        assert_eq!(rounded(1234567.0), "1234567");
        assert_eq!(rounded(0.00012347), "0.0001235");
        assert_eq!(rounded(2.0), "2");
    }
}
