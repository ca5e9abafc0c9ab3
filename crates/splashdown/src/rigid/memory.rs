//! What contacts remember from step to step, so that what sticks does not creep.
//!
//! A velocity that friction should bring to zero is zero only to the tolerance of the solve, always on
//! the same side: a box on a slope creeps. Contacts therefore remember how far they have slipped, up to
//! a hundredth of a spacing, and (R4) takes a share of it back in every step. A contact that slides drags
//! this memory behind it, in the direction that friction has anyway; it forgets when it opens.

use crate::math::DVec3;
use crate::rigid::bodies::Body;
use crate::rigid::contact::Contact;
use crate::rigid::search::threshold;
use crate::rigid::solve::ContactSystem;
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
}

/// The slips that `contacts` remember, in h; `world.sticks` are sorted.
pub fn slips(world: &World, contacts: &[Contact]) -> Vec<DVec3> {
    let of = |contact: &Contact| {
        let key = (world.particles.id[contact.particle], contact.solids[1] as u32);
        let found = world.sticks.binary_search_by_key(&key, |stick| (stick.particle, stick.other));
        found.map_or(DVec3::ZERO, |at| world.sticks[at].slip / world.spacing)
    };
    contacts.iter().map(of).collect()
}

/// What to remember after a step in which the bodies moved as they now do.
pub fn remember(
    world: &World,
    system: &ContactSystem,
    old: &[DVec3],
    bodies: &[Body],
) -> Vec<Stick> {
    let open = -OPEN * threshold(world.kernel());
    let mut sticks = Vec::new();
    for (k, contact) in system.contacts().iter().enumerate() {
        if contact.overlap < open || contact.friction == 0.0 {
            continue;
        }
        let slip = contact.slip(contact.solids.map(|solid| &bodies[solid].motion));
        let step: DVec3 = contact.tangents.iter().zip(slip).map(|(&t, s)| s * t).sum();
        let before = old[k] - contact.normal * contact.normal.dot(old[k]);
        sticks.push(Stick {
            particle: world.particles.id[contact.particle],
            other: contact.solids[1] as u32,
            slip: (before + step).clamp_length_max(LONGEST) * world.spacing,
        });
    }
    sticks.sort_unstable_by_key(|stick| (stick.particle, stick.other));
    sticks
}
