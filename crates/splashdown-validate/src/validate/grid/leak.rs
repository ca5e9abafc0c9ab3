//! Violent sloshing in the closed containers of `leak`: nothing gets out.

use super::super::leak::{beyond, containers, shaken};
use super::super::run::advance;
use super::{Case, Cost, METHOD, Report};

pub(in super::super) const CASE: Case = Case {
    name: "apic-leak",
    summary: "ten seconds of violent sloshing in a closed tank, a sphere and a cone on a grid",
    source: "a closed container stays closed",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

fn run(report: &mut Report) -> Result<(), String> {
    for container in containers() {
        let mut world = shaken(&container, &[METHOD.to_owned()])?;
        let start = world.fluid_count();
        advance(&mut world, 10.0, |_, _| ())?;
        let name = container.name;
        // Half a cell is a spacing.
        let outside = beyond(&world, &container.shape, world.spacing);
        let outside = outside + (start - world.fluid_count()) as f64;
        report.at_most(format!("{name}: particles outside of {start}"), outside, 0.0);
    }
    Ok(())
}
