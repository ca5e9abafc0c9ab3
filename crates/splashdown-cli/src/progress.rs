//! How far a run is: a bar on a terminal, a line every few seconds elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use splashdown::world::{SolveKind, StepReport};

use crate::terminal::tell;

const BAR_LENGTH: u64 = 1000;
const BAR_INTERVAL: Duration = Duration::from_millis(100);
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows how far a run is.
pub(crate) struct Display {
    shown_by: ShownBy,
    start: Instant,
    start_time: f64,
    duration: f64,
    steps: u64,
    last_shown: Option<Instant>,
}

enum ShownBy {
    Nothing,
    Lines,
    Bar(ProgressBar),
}

impl Display {
    /// Starts to show the run from `time` to `duration`, in simulated seconds.
    pub(crate) fn new(quiet: bool, time: f64, duration: f64) -> Display {
        let shown_by = if quiet {
            ShownBy::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(BAR_LENGTH);
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {msg}") {
                bar.set_style(style);
            }
            ShownBy::Bar(bar)
        } else {
            ShownBy::Lines
        };
        let start = Instant::now();
        Display { shown_by, start, start_time: time, duration, steps: 0, last_shown: None }
    }

    /// Shows the step that was just done, if it is time to show anything.
    pub(crate) fn step(&mut self, report: &StepReport) {
        self.steps += 1;
        let interval = match self.shown_by {
            ShownBy::Nothing => return,
            ShownBy::Lines => LINE_INTERVAL,
            ShownBy::Bar(_) => BAR_INTERVAL,
        };
        let since = self.last_shown.unwrap_or(self.start).elapsed();
        if since < interval {
            return;
        }
        self.last_shown = Some(Instant::now());
        let text = self.text(report);
        match &self.shown_by {
            ShownBy::Bar(bar) => {
                let share = (report.time / self.duration).clamp(0.0, 1.0);
                bar.set_position((share * BAR_LENGTH as f64) as u64);
                bar.set_message(text);
            }
            _ => tell(&text),
        }
    }

    /// Removes the bar. Returns the wall-clock time since the start.
    pub(crate) fn close(self) -> Duration {
        if let ShownBy::Bar(bar) = &self.shown_by {
            bar.finish_and_clear();
        }
        self.start.elapsed()
    }

    fn text(&self, report: &StepReport) -> String {
        let seconds = self.start.elapsed().as_secs_f64();
        let done = report.time - self.start_time;
        let left = seconds * (self.duration - report.time).max(0.0) / done.max(f64::MIN_POSITIVE);
        format!(
            "t = {:.3} of {} s, {:.1} steps/s, {}, {} left",
            report.time,
            self.duration,
            self.steps as f64 / seconds.max(1e-9),
            iterations(report),
            human_time(left)
        )
    }
}

/// Divergence, density and Newton's, those that there are.
fn iterations(report: &StepReport) -> String {
    let counts = [
        report.solve(SolveKind::Divergence).iterations,
        report.solve(SolveKind::Density).iterations,
        report.solve(SolveKind::Elastic).iterations,
    ];
    let some: Vec<String> = counts.iter().filter(|&&n| n > 0).map(u32::to_string).collect();
    format!("{} iterations", if some.is_empty() { "0".to_owned() } else { some.join("+") })
}

/// Counts things that are done one after the other, with a bar on a terminal.
pub(crate) struct Counter {
    bar: Option<ProgressBar>,
}

impl Counter {
    /// Starts to count `total` things of a name like `frame`.
    pub(crate) fn new(name: &str, total: usize) -> Counter {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            let template = format!("{{bar:24}} {name} {{pos}} of {{len}}, {{eta}} left");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar
        });
        Counter { bar }
    }

    /// One more is done.
    pub(crate) fn step(&mut self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Removes the bar.
    pub(crate) fn close(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A duration as people say it.
pub(crate) fn human_time(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s > 8.64e6 => "more than 100 days".to_owned(),
        s if s >= 86_400.0 => {
            format!("{:.0} d {:.0} h", (s / 86_400.0).floor(), s % 86_400.0 / 3600.0)
        }
        s if s >= 3600.0 => format!("{:.0} h {:.0} min", (s / 3600.0).floor(), s % 3600.0 / 60.0),
        s if s >= 60.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
        s if s >= 10.0 => format!("{s:.0} s"),
        s => format!("{s:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        assert_eq!(human_time(3.21), "3.2 s");
        assert_eq!(human_time(75.0), "1 min 15 s");
        assert_eq!(human_time(7260.0), "2 h 1 min");
        assert_eq!(human_time(f64::INFINITY), "more than 100 days");
    }
}
