//! What contacts remember from step to step, so that what sticks does not creep.
//!
//! A velocity that friction should bring to zero is zero only to the tolerance of the solve, always on
//! the same side: a box on a slope creeps. Contacts therefore remember how far they have slipped, up to
//! a hundredth of a spacing, and (R4) takes a share of it back in every step. A contact that slides drags
//! this memory behind it, in the direction that friction has anyway; it forgets when it opens.
//!
//! With a warm start they also remember what they carried, as a force: the next solve begins with a share
//! of it, turned into its own normal and tangents.

use crate::math::DVec3;
use crate::rigid::bodies::{Body, mass_unit};
use crate::rigid::contact::Contact;
use crate::rigid::search::threshold;
use crate::rigid::solve::{ContactSystem, Unknown};
use crate::world::World;

/// Slip beyond this, in h, is not taken back.
const LONGEST: f64 = 0.01;
/// A contact is open when the other solid is that much less dense around it than when they touch, as a
/// share of that density.
const OPEN: f64 = 0.2;

/// What one contact remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stick {
    /// `Particles::id` of the particle.
    pub particle: u32,
    /// Index of the other solid.
    pub other: u32,
    /// How far it has slipped, m.
    pub slip: DVec3,
    /// The force on the particle's body, N; zero without a warm start.
    pub load: DVec3,
}

/// What `contacts` remember: slips, in h, and where a solve of a step of length `dt` should begin.
/// `world.sticks` are sorted.
pub fn recall(world: &World, contacts: &[Contact], dt: f64) -> (Vec<DVec3>, Vec<Unknown>) {
    let share = world.coupling.warm_start / newton(world, dt);
    let of = |contact: &Contact| {
        let key = (world.particles.id[contact.particle], contact.solids[1] as u32);
        let found = world.sticks.binary_search_by_key(&key, |stick| (stick.particle, stick.other));
        let Ok(at) = found else { return (DVec3::ZERO, Unknown::default()) };
        let Stick { slip, load, .. } = world.sticks[at];
        let load = share * load;
        let pressure = contact.normal.dot(load).max(0.0) / contact.strength;
        let [a, b] = contact.tangents.map(|t| t.dot(load));
        (slip / world.spacing, [pressure, a, b])
    };
    contacts.iter().map(of).unzip()
}

/// What to remember after a step of length `dt` in which the bodies moved as they now do.
pub fn remember(
    world: &World,
    system: &ContactSystem,
    old: &[DVec3],
    bodies: &[Body],
    dt: f64,
) -> Vec<Stick> {
    let open = -OPEN * threshold(world.kernel());
    let newton = if world.coupling.warm_start > 0.0 { newton(world, dt) } else { 0.0 };
    let mut sticks = Vec::new();
    for (k, contact) in system.contacts().iter().enumerate() {
        let load = newton * system.force_of(k);
        if contact.overlap < open || (contact.friction == 0.0 && load == DVec3::ZERO) {
            continue;
        }
        let slip = contact.slip(contact.solids.map(|solid| &bodies[solid].motion));
        let step: DVec3 = contact.tangents.iter().zip(slip).map(|(&t, s)| s * t).sum();
        let before = old[k] - contact.normal * contact.normal.dot(old[k]);
        sticks.push(Stick {
            particle: world.particles.id[contact.particle],
            other: contact.solids[1] as u32,
            slip: (before + step).clamp_length_max(LONGEST) * world.spacing,
            load,
        });
    }
    sticks.sort_unstable_by_key(|stick| (stick.particle, stick.other));
    sticks
}

/// Newtons of a force that is one in the solver's units.
fn newton(world: &World, dt: f64) -> f64 {
    mass_unit(world) * world.spacing / (dt * dt)
}
