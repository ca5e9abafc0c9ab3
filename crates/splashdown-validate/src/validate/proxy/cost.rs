//! What the steppers cost (Xie 2023, table 6.2): time and Newton iterations of the same scene.

use splashdown_physics::report::SolveKind;

use super::run::advance;
use super::{Case, Cost, Report};
use crate::scene::Scene;
use crate::world::World;

pub(crate) const CASE: Case = Case {
    name: "proxy-cost",
    summary: "time and Newton iterations of the steppers, on bob and viscous-creature, bare walls",
    source: "Xie 2023, table 6.2: joint over contact_proxy 2.94 and 1.62 in time",
    by_name: true,
    cost: Cost::Minutes,
    run,
};

/// Why ratios of time are smaller than the paper's.
const CHEAP: &str = "joint takes some 16 iterations of CG for one of Newton here, preconditioned \
                     by the factor of the bodies; where nothing yields both phases cost as much";
/// Why there are as many iterations as with joint where nothing yields.
const BARRIER: &str = "without bodies Newton's method has the barrier alone, as with joint";
/// Why splitting has not many more.
const FEW: &str = "splitting needs 1.2 times as many, not three times: not understood";

/// A scene, how long it runs, and what is demanded of it: time of joint over that of the others,
/// and whether bodies deform in it.
struct Trial {
    scene: &'static str,
    end: f64,
    faster: f64,
    yields: bool,
}

const TRIALS: [Trial; 2] = [
    Trial { scene: "bob", end: 0.6, faster: 2.0, yields: true },
    Trial { scene: "viscous-creature", end: 0.4, faster: 1.3, yields: false },
];

/// What a run took.
struct Spent {
    seconds: f64,
    newton: f64,
}

fn run(report: &mut Report) -> Result<(), String> {
    for trial in TRIALS {
        let spent = |stepper: &str, more: &[&str]| trial.spend(stepper, more);
        let [joint, splitting] = [spent("joint", &[])?, spent("splitting", &[])?];
        let printed = spent("contact_proxy", &["fluid_contact.predict=[]"])?;
        let default = spent("contact_proxy", &[])?;
        for (name, proxy) in [("printed", &printed), ("default", &default)] {
            let name = format!("{}, {name}", trial.scene);
            let ratio = joint.seconds / proxy.seconds;
            let short = (trial.faster - ratio).max(0.0);
            let metric = format!("{name}: time of joint over its own");
            report.note(metric, ratio, trial.faster);
            let metric = format!("{name}: the same, below {}", trial.faster);
            report.known(CHEAP).at_most(metric, short, 0.0);
            let metric = format!("{name}: time of splitting over its own");
            report.note(metric, splitting.seconds / proxy.seconds, 1.0);
            let metric = format!("{name}: Newton iterations over those of joint");
            match trial.yields {
                true => report.at_most(metric, proxy.newton / joint.newton, 0.8),
                false => report.known(BARRIER).at_most(metric, proxy.newton / joint.newton, 0.8),
            }
            let metric = format!("{name}: Newton iterations over those of splitting");
            report.known(FEW).at_most(metric, proxy.newton / splitting.newton, 0.6);
        }
    }
    Ok(())
}

impl Trial {
    fn spend(&self, stepper: &str, more: &[&str]) -> Result<Spent, String> {
        let stepper = format!("fluid_contact.stepper={stepper}");
        let own = ["pressure.solver=variational", "fluid_contact.walls=bare", &stepper];
        let changes: Vec<String> = own.iter().chain(more).map(|c| c.to_string()).collect();
        let scene = Scene::builtin(self.scene, &changes).map_err(|e| e.to_string())?;
        let mut world: World = scene.build().map_err(|e| e.to_string())?.world;
        let mut spent = Spent { seconds: 0.0, newton: 0.0 };
        advance(&mut world, self.end, |_, step| {
            spent.seconds += step.seconds.iter().sum::<f64>();
            spent.newton += f64::from(step.solve(SolveKind::Elastic).iterations);
        })?;
        Ok(spent)
    }
}
