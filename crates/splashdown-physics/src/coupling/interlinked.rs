//! Two pressure solvers, one for fluids and one for bodies, linked in every iteration.
//!
//! Paper: Gissler et al. 2019 (GPB19), algorithm 3. The sweeps are those of `monolithic`, but plain
//! (relaxed Jacobi with the contact count), without the bodies' response in the fluid's diagonal,
//! and with friction computed once, before them (section 3.4.2, "Friction"): each contact estimates
//! its normal impulse from the speed at which the bodies approach, and slows them down by at most
//! its share.

use crate::rigid::bodies::Body;
use crate::rigid::contact::Contact;
use crate::twist::Twist;

/// Changes the motions of `bodies` by friction at `contacts` that overlap; returns the impulse on
/// each. The estimate of the normal impulse is divided among the contacts of a body, which is one
/// of two ways to read the paper; the other one is no more Coulomb's law
/// (docs/methods/rigid-bodies.md).
pub fn explicit_friction(contacts: &[Contact], bodies: &mut [Body]) -> Vec<Twist> {
    let touching = |contact: &&Contact| contact.overlap > -1e-2;
    let mut count = vec![0u32; bodies.len()];
    for contact in contacts.iter().filter(touching) {
        contact.solids.iter().for_each(|&solid| count[solid] += 1);
    }
    let mut sums = vec![Twist::default(); bodies.len()];
    for contact in contacts.iter().filter(touching) {
        let pair = contact.solids.map(|solid| &bodies[solid]);
        let motion = pair.map(|body| &body.motion);
        let approach = contact.approach(motion).max(0.0);
        let slip = contact.slip(motion);
        let speed = slip[0].hypot(slip[1]);
        if speed == 0.0 || approach == 0.0 {
            continue;
        }
        let n = f64::from(contact.solids.map(|solid| count[solid]).into_iter().max().unwrap_or(1));
        let [mobility, tangent] = [contact.mobility(pair), contact.tangent_mobility(pair)];
        let normal = approach * contact.strength / (n * (mobility[0] + mobility[1]));
        let stop = speed / (n * (tangent[0] + tangent[1]));
        let size = (contact.friction * normal).min(stop);
        let impulses = contact.impulses(0.0, slip.map(|s| -size * s / speed));
        for (solid, impulse) in contact.solids.into_iter().zip(impulses) {
            sums[solid].add(1.0, &impulse);
        }
    }
    for (body, impulse) in bodies.iter_mut().zip(&sums) {
        body.apply(impulse);
    }
    sums
}
