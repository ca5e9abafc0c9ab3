//! `splashdown check --time`: how long a run will take.

use splashdown::forecast::{Basis, Forecast, Plan, forecast};
use splashdown::scene::{Built, Scene};

use crate::failure::Failure;
use crate::progress::human_time;

/// Lines about how long the scene will take; `emitted` particles will be added to it. Nothing is
/// written.
pub(crate) fn lines(
    scene: &str,
    overrides: &[String],
    built: &mut Built,
    emitted: u64,
) -> Result<Vec<String>, Failure> {
    let (spacing, output) = (built.world.spacing, &built.output);
    let plan =
        Plan { duration: output.duration, frames_per_second: output.frames_per_second, emitted };
    let coarse = |factor: f64| {
        let coarser = format!("simulation.spacing={:?}", spacing * factor);
        let overrides = [overrides, &[coarser]].concat();
        Scene::open(scene, &overrides).and_then(|scene| scene.build()).ok().map(|b| b.world)
    };
    let found = forecast(&mut built.world, &plan, coarse)
        .map_err(|error| Failure::Usage(format!("{scene}: a first step fails: {error}")))?;
    Ok(told(&found, rayon::current_num_threads()))
}

fn told(found: &Forecast, threads: usize) -> Vec<String> {
    let [low, high] = found.range.map(human_time);
    let (count, time) = found.tried;
    let tried = format!("{count} steps up to {time:.3} s");
    let basis = match found.basis {
        Basis::WholeRun => format!("all of it, {tried}"),
        Basis::Rehearsal(factor, reached) => {
            let part = if reached < 1.0 {
                format!("{:.0} % of", 100.0 * reached)
            } else {
                "all of".to_owned()
            };
            format!("{tried}, and {part} a run with particles {factor:.1} times as far apart")
        }
        Basis::FirstSteps => format!("{tried} alone, as if all went on like that"),
    };
    let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    vec![
        format!("  about {} on {threads}, likely {low} to {high}", human_time(found.seconds)),
        format!("    about {:.0} steps; judged by {basis}; files are not counted", found.steps),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_says_what_it_stands_on() {
        let found = Forecast {
            seconds: 130.0,
            range: [80.0, 200.0],
            steps: 1234.4,
            tried: (35, 0.012),
            basis: Basis::Rehearsal(2.0, 0.5),
        };
        assert_eq!(
            told(&found, 2),
            [
                "  about 2 min 10 s on 2 threads, likely 1 min 20 s to 3 min 20 s",
                "    about 1234 steps; judged by 35 steps up to 0.012 s, and 50 % of a run with \
                 particles 2.0 times as far apart; files are not counted"
            ]
        );
    }
}
