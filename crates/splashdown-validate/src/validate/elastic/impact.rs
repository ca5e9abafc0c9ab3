//! A soft ball at 100 m/s against a thin shell: nothing passes.

use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::sheet;
use splashdown_solids::solids::{Hold, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

use super::super::{Case, Cost, Report};
use super::bodies::{hold, settings, substance};
use crate::math::{DVec2, DVec3};

pub(crate) const CASE: Case = Case {
    name: "high-speed",
    summary: "a soft ball hits a shell of 1 mm at 100 m/s: no state intersects or is inverted",
    source: "an independent test of all edges against all triangles after every step",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

fn run(report: &mut Report) -> Result<(), String> {
    for dt in [1e-3, 1e-2] {
        let mut solids = Solids::default();
        let mut mesh = sheet(DVec2::splat(0.4), 0.04);
        mesh.vertices.iter_mut().for_each(|v| *v = DVec3::new(v.y, 0.0, v.x));
        let parts = (&mesh.vertices[..], &mesh.triangles[..]);
        let plate = solids
            .add_shell(parts, &substance(1e8, 0.3), (Sheet::NeoHookean, 1e-3), |_| DVec3::ZERO)
            .map_err(|e| e.to_string())?;
        hold(&mut solids, Hold::Fixed, |p| p.x.abs().max(p.z.abs()) > 0.199);
        let ball = splashdown_solids::meshing::stuffed(
            |p: DVec3| (p - DVec3::new(0.01, 0.06, 0.02)).length() - 0.05,
            DVec3::new(-0.04, 0.01, -0.03),
            DVec3::new(0.06, 0.11, 0.07),
            0.03,
        );
        let thrown = |_| DVec3::new(0.0, -100.0, 0.0);
        let ball =
            solids.add_body(&ball, &substance(1e5, 0.3), thrown).map_err(|e| e.to_string())?;
        let settings = settings(1e-2);
        let mut workspace = Workspace::default();
        let (mut states, mut least) = (0, f64::INFINITY);
        for _ in 0..5 {
            // `verify` is on: a state that intersects is an error.
            let done = step(
                &mut solids,
                &mut workspace,
                &settings,
                Outside { dt, gravity: DVec3::ZERO, force: &[], guests: None },
                |_| DVec3::ZERO,
            )
            .map_err(|e| e.to_string())?;
            states += 1;
            least = least.min(done.smallest_gap);
        }
        let lowest = |body: usize| {
            let vertices = solids.bodies[body].vertices.clone();
            solids.position[vertices].iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
        };
        let passed = f64::from(u8::from(lowest(ball) < lowest(plate)));
        report.at_most(
            format!("Δt = {dt} s: passed through ({states} states looked at)"),
            passed,
            0.0,
        );
        report.note(format!("Δt = {dt} s: smallest gap, µm"), 1e6 * least, 0.0);
    }
    Ok(())
}
