//! The closing table: where the time went, and what to do next.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use splashdown::output::formats::Format;
use splashdown::output::resume::{command, quoted};
use splashdown::output::writer::TIME_SERIES;
use splashdown::world::{NEWTON_PHASES, PHASES, Solid, SolveKind, StepReport, World};

use crate::progress::human_time;

/// Sums over the steps of this session.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    pub steps: u64,
    simulated: f64,
    density_iterations: u64,
    divergence_iterations: u64,
    viscosity_iterations: u64,
    newton_iterations: u64,
    newton_seconds: [f64; NEWTON_PHASES.len()],
    retries: u64,
    pub seconds: [f64; PHASES.len()],
}

impl Statistics {
    /// Adds a step.
    pub(crate) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.simulated += report.dt;
        self.density_iterations += u64::from(report.solve(SolveKind::Density).iterations);
        self.divergence_iterations += u64::from(report.solve(SolveKind::Divergence).iterations);
        self.viscosity_iterations += u64::from(report.solve(SolveKind::Viscosity).iterations);
        self.retries += u64::from(report.retries);
        self.newton_iterations += u64::from(report.solve(SolveKind::Elastic).iterations);
        let phases = self.seconds.iter_mut().zip(report.seconds);
        let newton = self.newton_seconds.iter_mut().zip(report.newton_seconds);
        phases.chain(newton).for_each(|(sum, seconds)| *sum += seconds);
    }

    /// The closing table.
    pub(crate) fn table(&self, wall: Duration) -> String {
        let wall = wall.as_secs_f64();
        let mut text = String::new();
        if self.steps == 0 {
            return text;
        }
        let mut row = |name: &str, seconds: f64| {
            let share = 100.0 * seconds / wall.max(1e-9);
            let _ = writeln!(text, "  {name:<22}{seconds:>10.2} s {share:>6.1} %");
        };
        for (name, &seconds) in PHASES.iter().zip(&self.seconds) {
            row(name, seconds);
            if *name == "elastic" && self.newton_iterations > 0 {
                let newton = NEWTON_PHASES.iter().zip(self.newton_seconds);
                newton.for_each(|(name, seconds)| row(&format!("  {name}"), seconds));
            }
        }
        // What the steps do not account for: tables, probes, waiting for the disk.
        row("output and the rest", (wall - self.seconds.iter().sum::<f64>()).max(0.0));
        row("total", wall);

        let steps = self.steps as f64;
        let mean = |count: u64| count as f64 / steps;
        let _ = writeln!(
            text,
            "  {} steps in {}, {:.3} s simulated, mean time step {:.3e} s",
            self.steps,
            human_time(wall),
            self.simulated,
            self.simulated / steps
        );
        let counts = [
            (self.density_iterations, "density"),
            (self.divergence_iterations, "divergence"),
            (self.viscosity_iterations, "viscosity"),
            (self.newton_iterations, "Newton"),
        ];
        let some = counts.iter().filter(|(count, _)| *count > 0);
        let some = some.map(|&(count, name)| format!("{:.1} {name}", mean(count)));
        let some = some.collect::<Vec<_>>().join(", ");
        let _ =
            write!(text, "  iterations per step: {}", if some.is_empty() { "0" } else { &some });
        if self.retries > 0 {
            let _ = write!(text, "; {} steps retried with half the time step", self.retries);
        }
        text.push('\n');
        text
    }
}

/// What has left the bounds of the scene since the run began, if anything has.
pub(crate) fn losses(world: &World) -> String {
    let mut text = String::new();
    if world.lost > 0 {
        let volume = world.lost as f64 * world.dimension.volume(world.spacing);
        let _ = writeln!(
            text,
            "  {} of fluid ({volume:.3e} m³) left the bounds of the scene: removed",
            if world.lost == 1 {
                "1 particle".to_owned()
            } else {
                format!("{} particles", world.lost)
            }
        );
    }
    let left = |solid: &&Solid| solid.body().is_some_and(|body| body.left);
    for solid in world.solids.iter().filter(left) {
        let _ = writeln!(
            text,
            "  {} left the bounds of the scene and stays at {:.3} m",
            solid.name, solid.pose.translation
        );
    }
    text
}

/// Where the results are and what to do with them. `picture` is one of the last frame, none of a
/// run without frames, or why there is none.
pub(crate) fn next_steps(
    directory: &Path,
    picture: &Result<Option<PathBuf>, String>,
    formats: &[Format],
    duration: f64,
) -> String {
    let mut text = format!("Results are in {}\n", directory.display());
    match picture {
        Ok(Some(picture)) => {
            let _ = writeln!(text, "  a picture       {}", picture.display());
            let _ = writeln!(text, "  a film          {}", film_command(directory));
        }
        Ok(None) => {}
        Err(reason) => {
            let _ = writeln!(text, "  no picture      {}", reason.replace('\n', " "));
        }
    }
    if !formats.is_empty() {
        let _ = writeln!(text, "  in the browser  splashdown view {}", quoted(directory));
    }
    if formats.iter().any(|format| format.has_time_series()) {
        let files = TIME_SERIES.map(|name| directory.join(name));
        let files = files.iter().filter(|file| file.exists());
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let _ = writeln!(text, "  in ParaView     open {}", files.join(", "));
    }
    let _ = writeln!(text, "  go on           {} --until {}", command(directory), longer(duration));
    let _ = writeln!(text, "  other scenes    splashdown list");
    let _ = writeln!(text, "  make your own   splashdown show dam-break > my-scene.toml");
    text
}

/// The command that makes a film of the run in `directory`.
fn film_command(directory: &Path) -> String {
    let film = directory.join("film.gif");
    format!("splashdown render {} --film {}", quoted(directory), quoted(&film))
}

/// Twice the duration, without digits that nobody asked for.
fn longer(duration: f64) -> String {
    let doubled = format!("{:.3}", 2.0 * duration);
    doubled.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown::world::Solve;

    /// A step with one solve.
    fn solved(kind: SolveKind, iterations: u32) -> StepReport {
        let mut solve = Solve::none(kind);
        solve.iterations = iterations;
        let mut report = StepReport::default();
        report.solves = vec![solve];
        report
    }

    #[test]
    fn the_table_has_every_phase() {
        let mut statistics = Statistics::default();
        let mut report = solved(SolveKind::Density, 3);
        report.dt = 0.5;
        report.seconds = [0.1; PHASES.len()];
        statistics.add(&report);
        statistics.add(&report);
        let table = statistics.table(Duration::from_secs(2));
        assert!(PHASES.iter().all(|phase| table.contains(phase)), "{table}");
        assert!(table.contains("2 steps in 2.0 s, 1.000 s simulated, mean time step 5.000e-1 s"));
        assert!(table.contains("3.0 density\n"), "{table}");
        assert!(!table.contains("Newton"), "{table}");
    }

    #[test]
    fn what_left_is_told_with_its_volume() {
        let mut world = World::new(splashdown::math::Dimension::Three, 0.1);
        assert_eq!(losses(&world), "");
        world.lost = 3;
        let mut solid = Solid::fixed("stone", Vec::new(), 0.0);
        let inertia = splashdown::math::DMat3::IDENTITY;
        solid.carrier =
            splashdown::boundary::Carrier::from(splashdown::body::RigidBody::at_rest(1.0, inertia));
        world.solids = vec![solid.clone(), solid];
        world.solids[1].body_mut().unwrap().left = true;
        let text = losses(&world);
        assert!(text.contains("3 particles of fluid (3.000e-3 m³) left"), "{text}");
        assert_eq!(text.matches("stone left").count(), 1, "{text}");
    }

    #[test]
    fn a_step_of_elastic_bodies_is_told_by_its_phases() {
        let mut statistics = Statistics::default();
        let mut report = solved(SolveKind::Elastic, 4);
        report.newton_seconds = [0.25; NEWTON_PHASES.len()];
        statistics.add(&report);
        let table = statistics.table(Duration::from_secs(2));
        let row = |phase: &&str| table.contains(&format!("    {phase:<20}      0.25 s   12.5 %"));
        assert!(NEWTON_PHASES.iter().all(row), "{table}");
        assert!(table.contains("iterations per step: 4.0 Newton\n"), "{table}");
    }

    #[test]
    fn the_summary_says_why_there_is_no_picture() {
        let steps = |picture| next_steps(Path::new("out"), &picture, &[Format::VTK], 1.0);
        assert!(steps(Ok(Some(PathBuf::from("out/a.png")))).contains("a picture       out/a.png"));
        assert!(!steps(Ok(None)).contains("picture"));
        let text = steps(Err("out/a.png is there already".to_owned()));
        assert!(text.contains("no picture      out/a.png is there already\n"), "{text}");
    }

    #[test]
    fn commands_can_be_pasted_into_a_shell() {
        assert_eq!(command(Path::new("out/dam")), "splashdown run --resume --out out/dam");
        assert!(command(Path::new("my out/it's")).ends_with("'my out/it'\\''s'"));
        assert_eq!(longer(1.0), "2");
        assert_eq!(longer(0.75), "1.5");
        assert_eq!(longer(100.0), "200");
    }
}
