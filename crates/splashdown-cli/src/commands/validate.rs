//! `splashdown validate`: methods against known answers.

use std::process::ExitCode;
use std::time::Instant;

use splashdown::output::made;
use splashdown::validate::{Case, Metric, Verdict, cases};
use splashdown_view::report::validation::{self, Outcome};

use crate::arguments::ValidateArguments;
use crate::failure::Failure;
use crate::terminal::{print, tell};

/// Runs the named cases, or all; exit code 1 when any metric fails that is not known to be short.
pub fn run(arguments: &ValidateArguments) -> Result<ExitCode, Failure> {
    if arguments.list {
        for case in cases() {
            let by_name = if case.by_name { "; only by name" } else { "" };
            let Case { name, summary, source, .. } = case;
            print(&format!("{name:<14} {summary}\n{:<14} ({source}{by_name})\n", ""));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(&arguments.cases)?;
    let show = if arguments.json { show_json } else { show_row };
    if let Some(path) = &arguments.report {
        // Hours of computing should not end with a page that has no place to go.
        made::write(path, Vec::new(), true)?;
    }
    let mut outcomes = Vec::new();
    for case in chosen {
        if !arguments.json {
            print(&format!("{}: {} ({})\n", case.name, case.summary, case.source));
        }
        let start = Instant::now();
        let report = case.measure(show);
        outcomes.push(Outcome {
            metrics: report.metrics,
            curves: report.curves,
            seconds: start.elapsed().as_secs_f64(),
            ..Outcome::of(case)
        });
        if let Some(path) = &arguments.report {
            // After every case: whoever waits can look at those that are done.
            let page = validation::report(&outcomes, env!("CARGO_PKG_VERSION"));
            made::write(path, page.into_bytes(), true)?;
        }
    }
    if let Some(path) = &arguments.report {
        tell(&format!("report: {}", path.display()));
    }
    let metrics = outcomes.iter().flat_map(|outcome| &outcome.metrics);
    let is_sound = conclude(metrics.map(Metric::verdict), arguments.strict);
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

fn choose(names: &[String]) -> Result<Vec<&'static Case>, Failure> {
    if names.is_empty() {
        return Ok(cases().iter().filter(|case| !case.by_name).collect());
    }
    let find = |name: &String| {
        cases().iter().find(|case| case.name == name).ok_or_else(|| {
            let known: Vec<&str> = cases().iter().map(|case| case.name).collect();
            Failure::Usage(format!("there is no case {name}; cases are {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
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
