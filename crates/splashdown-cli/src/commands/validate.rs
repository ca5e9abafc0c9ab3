//! `splashdown validate`: methods against known answers.

use std::process::ExitCode;

use splashdown::output::made;
use splashdown::validate::{self, Case, Cost, Event, Group, Metric, Verdict, groups, side_by_side};
use splashdown_view::report::validation::{self, Outcome};

use super::run::use_threads;
use crate::arguments::ValidateArguments;
use crate::failure::Failure;
use crate::terminal::{print, tell};

/// Runs the named cases, or all; exit code 1 when any metric fails that is not known to be short.
pub(crate) fn run(arguments: &ValidateArguments) -> Result<ExitCode, Failure> {
    if arguments.list {
        groups().iter().for_each(list);
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = validate::choose(&arguments.cases, arguments.quick).map_err(Failure::Usage)?;
    // Hours of computing should not end with a page that has no place to go.
    write_report(arguments, &[], arguments.force)?;
    use_threads(arguments.threads)?;
    let jobs = arguments.jobs.map_or_else(rayon::current_num_threads, usize::from);
    let mut outcomes = Vec::new();
    let mut written = Ok(());
    side_by_side(&chosen, jobs, |case, event| match event {
        Event::Started if arguments.json => {}
        Event::Started => print(&format!("{}: {} ({})\n", case.name, case.summary, case.source)),
        Event::Measured(metric) if arguments.json => show_json(&metric),
        Event::Measured(metric) => show_row(&metric),
        Event::Ended(done) => {
            outcomes.push(Outcome::of(case, done));
            // After every case: whoever waits can look at those that are done.
            written = write_report(arguments, &outcomes, false);
        }
    });
    written?;
    if let Some(path) = &arguments.report {
        tell(&format!("report: {}", path.display()));
    }
    let metrics = outcomes.iter().flat_map(|outcome| &outcome.metrics);
    let is_sound = conclude(metrics.map(Metric::verdict), arguments.strict);
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list(group: &Group) {
    print(&format!("{}: {}\n", group.name, group.summary));
    for case in group.cases {
        let Case { name, summary, source, by_name, cost, .. } = case;
        let cost = match cost {
            Cost::Seconds => "seconds",
            Cost::Minutes => "minutes",
            Cost::Hours => "hours",
        };
        let when = match (by_name, case.is_quick()) {
            (true, _) => ", only by name",
            (_, true) => ", quick",
            _ => "",
        };
        print(&format!("  {name:<22} {summary}\n{:<24} ({source}; {cost}{when})\n", ""));
    }
}

/// Writes the page so far. A file that is not from here, or was edited meanwhile, is replaced by
/// force only.
fn write_report(
    arguments: &ValidateArguments,
    outcomes: &[Outcome],
    force: bool,
) -> Result<(), Failure> {
    let Some(path) = &arguments.report else { return Ok(()) };
    let page = validation::report(outcomes, env!("CARGO_PKG_VERSION"));
    Ok(made::write(path, page.into_bytes(), force)?)
}

/// Says how many metrics are out of tolerance; true if all of these are known (strict: if none is).
fn conclude(verdicts: impl Iterator<Item = Verdict> + Clone, strict: bool) -> bool {
    let count = |verdict| verdicts.clone().filter(|&seen| seen == verdict).count();
    let [failed, short, mended] = [Verdict::Fail, Verdict::Short, Verdict::PassesNow].map(count);
    if failed + short > 0 {
        tell(&format!("{} metrics out of tolerance, {short} of them known", failed + short));
    }
    if mended > 0 {
        tell(&format!("{mended} metrics known to be short pass now: their marks can go"));
    }
    failed == 0 && !(strict && short > 0)
}

fn show_json(metric: &Metric) {
    match serde_json::to_string(metric) {
        Ok(line) => print(&(line + "\n")),
        Err(error) => tell(&format!("error: {}: {error}", metric.metric)),
    }
}

fn show_row(metric: &Metric) {
    let verdict = metric.verdict();
    let mark = match verdict {
        Verdict::Reported => "",
        Verdict::Pass | Verdict::PassesNow => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Short => "short",
    };
    let Metric { metric, value, expected, tolerance, known, .. } = metric;
    let demand = if verdict == Verdict::Reported {
        String::new()
    } else {
        format!("{} ± {}", number(*expected, 4), number(*tolerance, 4))
    };
    print(&format!("  {mark:<5} {metric:<62} {:>12}  {demand}\n", number(*value, 5)));
    if let Some(reason) = known {
        let now = if verdict == Verdict::PassesNow { ", but passes now" } else { "" };
        print(&format!("        known{now}: {reason}\n"));
    }
}

/// With so many digits after the point; as a power of ten where these would show next to nothing.
fn number(value: f64, digits: usize) -> String {
    let is_tiny = value != 0.0 && value.abs() < 10.0 * 0.1f64.powi(digits as i32);
    if is_tiny { format!("{value:.1e}") } else { format!("{value:.digits$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_shortfall_counts_only_when_it_is_to() {
        use Verdict::{Fail, Pass, PassesNow, Reported, Short};
        let is_sound = |verdicts: &[Verdict], strict| conclude(verdicts.iter().copied(), strict);
        for strict in [false, true] {
            assert!(is_sound(&[Pass, Reported, PassesNow], strict));
            assert!(!is_sound(&[Pass, Fail], strict));
        }
        assert!(is_sound(&[Pass, Short], false));
        assert!(!is_sound(&[Pass, Short], true));
    }
}
