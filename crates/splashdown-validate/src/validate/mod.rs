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
mod report;
mod rising_sphere;
mod run;
mod still_water;
mod structures;
mod taylor_green;
mod watch;

pub use curve::{Curve, Series};
pub use report::{Known, Metric, Report, Verdict};

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
        let mut report = Report::new(self.name, on_metric);
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
