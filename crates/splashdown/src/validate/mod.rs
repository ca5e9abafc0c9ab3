//! Methods measured against known answers: analytic solutions, experiments, conservation laws.
//!
//! A case is a function that runs scenes and reports metrics. `splashdown validate` shows them, and the
//! quick ones run as tests.

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
mod hydrostatic;
mod incline;
mod leak;
mod momentum;
mod piles;
mod pillar;
mod repeatable;
mod rising_sphere;
mod run;
mod still_water;
mod structures;
mod taylor_green;
mod watch;

use serde::Serialize;

pub use curve::{Curve, Series};

/// One measured number and what it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metric {
    /// The case that measured it.
    pub case: &'static str,
    /// What was measured, with the variant of the case.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// The known answer; 0 for errors and other numbers that should vanish.
    pub expected: f64,
    /// How far apart the two may be. Infinite for a number that is only reported.
    #[serde(serialize_with = "finite_or_null")]
    pub tolerance: f64,
    /// Whether they are that close.
    pub pass: bool,
}

/// JSON has no infinity: a number that is only reported has the tolerance null.
fn finite_or_null<S: serde::Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { to.serialize_some(value) } else { to.serialize_none() }
}

/// What a case has measured so far.
pub struct Report {
    case: &'static str,
    /// Metrics in the order of measurement.
    pub metrics: Vec<Metric>,
    /// Curves over the known answers, for a picture.
    pub curves: Vec<Curve>,
    on_metric: Box<dyn FnMut(&Metric)>,
}

impl Report {
    /// Records that `metric` is `value` and should be within `tolerance` of `expected`.
    pub fn close(&mut self, metric: impl Into<String>, value: f64, expected: f64, tolerance: f64) {
        let pass = (value - expected).abs() <= tolerance;
        let metric =
            Metric { case: self.case, metric: metric.into(), value, expected, tolerance, pass };
        (self.on_metric)(&metric);
        self.metrics.push(metric);
    }

    /// Records that the magnitude of `value` should be at most `limit`.
    pub fn at_most(&mut self, metric: impl Into<String>, value: f64, limit: f64) {
        self.close(metric, value, 0.0, limit);
    }

    /// Records a curve over its known answer.
    pub fn curve(&mut self, curve: Curve) {
        self.curves.push(curve);
    }

    /// Records a number that nothing is demanded of.
    pub fn note(&mut self, metric: impl Into<String>, value: f64, expected: f64) {
        self.close(metric, value, expected, f64::INFINITY);
    }
}

/// A validation case.
pub struct Case {
    /// For the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where the known answer comes from.
    pub source: &'static str,
    /// Takes long: runs only when it is asked for by name.
    pub by_name: bool,
    run: fn(&mut Report) -> Result<(), String>,
}

impl Case {
    /// Runs the case and returns its metrics; see `measure`.
    pub fn run(&self, on_metric: impl FnMut(&Metric) + 'static) -> Vec<Metric> {
        self.measure(on_metric).metrics
    }

    /// Runs the case; `on_metric` sees every metric as soon as it is known. A case that cannot be run
    /// to its end reports a failed metric "completed".
    pub fn measure(&self, on_metric: impl FnMut(&Metric) + 'static) -> Report {
        let (metrics, curves) = (Vec::new(), Vec::new());
        let on_metric = Box::new(on_metric);
        let mut report = Report { case: self.name, metrics, curves, on_metric };
        if let Err(reason) = (self.run)(&mut report) {
            report.close(format!("completed ({reason})"), 0.0, 1.0, 0.0);
        }
        report
    }
}

/// All cases.
pub fn cases() -> &'static [Case] {
    const CASES: &[Case] = &[
        hydrostatic::CASE,
        channel::POISEUILLE,
        channel::COUETTE,
        taylor_green::CASE,
        dam_break::CASE,
        still_water::CASE,
        leak::CASE,
        incline::CASE,
        piles::MASS_RATIO,
        piles::BOX_STACK,
        pillar::CASE,
        floating::LIGHT_BODY,
        floating::ARCHIMEDES,
        floating::ARCHIMEDES_LARGE,
        rising_sphere::CASE,
        momentum::CASE,
        degenerate::CASE,
        drops::DERIVATIVES,
        drops::MOMENTUM,
        drops::YOUNG_LAPLACE,
        drops::OSCILLATION,
        drops::OSCILLATION_LARGE,
        drops::CONTACT_ANGLE,
        drops::CAPILLARY_STEP,
        drops::SLOPES,
        drops::REST,
        drops::SPLIT,
        drops::SESSILE,
        drops::SESSILE_FINE,
        drops::CAPILLARY_RISE,
        drops::TWO_DROPS,
        drops::FLOATING_PIN,
        structures::TOWER,
        structures::CARD_HOUSE,
        structures::CHAIN,
        structures::ARCH,
        structures::LEWIS,
        structures::TOWER_40,
        structures::CARD_HOUSE_7,
        structures::CHAIN_100,
        bullet::CASE,
        bullet::PILE,
        elastic::DERIVATIVES,
        elastic::PATCH_TEST,
        elastic::CANTILEVER,
        elastic::SHELL,
        elastic::ROD,
        elastic::TWIST_BAR,
        elastic::CSM1,
        elastic::CSM3,
        elastic::ENERGY,
        elastic::INCLINE,
        elastic::SLIDING,
        elastic::ARCH,
        elastic::CARD_HOUSE,
        elastic::CHAIN_NET,
        elastic::SQUEEZE_OUT,
        elastic::TWIST_CLOTH,
        elastic::TIGHT_PACK,
        elastic::HIGH_SPEED,
        repeatable::RESTART,
        repeatable::THREADS,
    ];
    CASES
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
