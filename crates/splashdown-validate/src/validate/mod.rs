//! Methods measured against known answers: analytic solutions, experiments, conservation laws.
//!
//! A case is a function that runs scenes and reports metrics. `splashdown validate` shows them, and
//! the quick ones run as tests.

pub mod build;
mod bullet;
mod channel;
pub mod curve;
mod dam_break;
mod degenerate;
mod drops;
mod elastic;
mod floating;
mod folder;
mod grid;
mod groups;
mod hydrostatic;
mod incline;
mod leak;
mod momentum;
mod piles;
mod pillar;
mod proxy;
mod queue;
mod repeatable;
mod report;
mod rising_sphere;
mod run;
mod still_water;
mod structures;
mod taylor_green;
mod watch;
mod wet;

pub use curve::{Curve, Series};
pub use groups::{Group, cases, choose, groups};
pub use queue::{Done, Event, side_by_side};
pub use report::{Known, Metric, Report, Verdict};

/// How long a case takes on one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// At most half a minute.
    Seconds,
    /// At most an hour.
    Minutes,
    /// More, and memory for more than a hundred thousand particles.
    Hours,
}

/// A validation case.
pub struct Case {
    /// For the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where the known answer comes from.
    pub source: &'static str,
    /// Runs only when it is asked for by name.
    pub by_name: bool,
    /// How long it takes.
    pub cost: Cost,
    run: fn(&mut Report) -> Result<(), String>,
}

impl Case {
    /// Whether it is part of what `--quick` runs.
    pub fn is_quick(&self) -> bool {
        self.cost == Cost::Seconds && !self.by_name
    }

    /// Runs the case and returns its metrics; see `measure`.
    pub fn run(&self, on_metric: impl FnMut(&Metric) + 'static) -> Vec<Metric> {
        self.measure(on_metric).metrics
    }

    /// Runs the case; `on_metric` sees every metric as soon as it is known. A case that cannot be
    /// run to its end reports a failed metric "completed".
    pub fn measure(&self, on_metric: impl FnMut(&Metric) + 'static) -> Report {
        let mut report = Report::new(self.name, on_metric);
        if let Err(reason) = (self.run)(&mut report) {
            report.close(format!("completed ({reason})"), 0.0, 1.0, 0.0);
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn the_scene_of_every_case_builds() {
        let both = [
            include_str!("../../validation/hydrostatic.toml"),
            include_str!("../../validation/still-water.toml"),
            include_str!("../../validation/repeatable.toml"),
            include_str!("../../validation/proxy-hydrostatic.toml"),
            include_str!("../../validation/proxy-stiffness.toml"),
        ];
        let mut scenes = vec![include_str!("../../validation/dam-break.toml").to_owned()];
        for dimension in [2, 3] {
            scenes.extend(both.map(|text| run::in_dimension(text, dimension)));
        }
        for text in scenes {
            if let Err(errors) = run::world("scene", &text, &[]) {
                panic!("{errors}\n{text}");
            }
        }
    }
}
