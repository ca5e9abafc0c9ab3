//! What contacts remember from step to step, so that what sticks does not creep.
//!
//! A velocity that friction should bring to zero is zero only to the tolerance of the solve, always
//! on the same side: a box on a slope creeps. Contacts therefore remember how far they have
//! slipped, up to a hundredth of a spacing, and (R4) takes a share of it back in every step. A
//! contact that slides drags this slip behind it, in the direction that friction has anyway; it
//! forgets when it opens.
//!
//! With a warm start they also remember what they carried, as a force: the next solve begins with a
//! share of it, turned into its own normal and tangents.

use crate::math::DVec3;
use crate::rigid::bodies::Body;
use crate::rigid::contact::Contact;
use crate::rigid::search::threshold;
use crate::rigid::solve::{ContactSystem, Unknown};
use crate::rigid::system::RigidSystem;
use crate::state::{Array, Persist, State};
use crate::units::StepUnits;

/// Slip beyond this, in h, is not taken back.
const LONGEST: f64 = 0.01;
/// A contact is open when the other solid is that much less dense around it than when they touch,
/// as a share of that density.
const OPEN: f64 = 0.2;

/// What one contact remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StickState {
    /// `Particles::id` of the particle.
    pub particle: u32,
    /// Index of the other solid.
    pub other: u32,
    /// How far it has slipped, m.
    pub slip: DVec3,
    /// The force on the particle's body, N; zero without a warm start.
    pub load: DVec3,
}

impl Persist for Vec<StickState> {
    fn save(&self, key: &str, state: &mut State) {
        let mut put = |name: &str, array| state.put(&format!("{key}.{name}"), array);
        put("particle", Array::U32(self.iter().map(|s| s.particle).collect()));
        put("other", Array::U32(self.iter().map(|s| s.other).collect()));
        put("slip", Array::Vectors(self.iter().map(|s| s.slip).collect()));
        put("load", Array::Vectors(self.iter().map(|s| s.load).collect()));
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        let particle = state.integers(&format!("{key}.particle"))?;
        let other = state.integers(&format!("{key}.other"))?;
        let slip = state.vectors(&format!("{key}.slip"))?;
        let load = state.vectors(&format!("{key}.load"))?;
        if [other.len(), slip.len(), load.len()] != [particle.len(); 3] {
            return Err(format!("its arrays of {key} differ in length"));
        }
        let all = particle.iter().zip(other).zip(slip.iter().zip(load));
        let stick =
            |((&particle, &other), (&slip, &load))| StickState { particle, other, slip, load };
        *self = all.map(stick).collect();
        match self.is_sorted_by_key(|stick| (stick.particle, stick.other)) {
            true => Ok(()),
            false => Err(format!("{key} are not sorted")),
        }
    }
}

/// What `contacts` remember of `sticks`, which are sorted: slips, in h, and where a solve should
/// begin, with a share `warm_start` of what they carried.
pub fn recall(
    system: &RigidSystem,
    sticks: &[StickState],
    warm_start: f64,
    contacts: &[Contact],
    units: &StepUnits,
) -> (Vec<DVec3>, Vec<Unknown>) {
    let share = warm_start / units.force();
    let of = |contact: &Contact| {
        let key = (system.particles.id[contact.particle], contact.solids[1] as u32);
        let found = sticks.binary_search_by_key(&key, |stick| (stick.particle, stick.other));
        let Ok(at) = found else { return (DVec3::ZERO, Unknown::default()) };
        let StickState { slip, load, .. } = sticks[at];
        let load = share * load;
        let pressure = contact.normal.dot(load).max(0.0) / contact.strength;
        let [a, b] = contact.tangents.map(|t| t.dot(load));
        (slip / system.space.spacing, [pressure, a, b])
    };
    contacts.iter().map(of).unzip()
}

/// What to remember after a step in which the bodies moved as they now do. `newton` is the unit of
/// force, or zero where what contacts carry is not remembered.
pub fn remember(
    rigid: &RigidSystem,
    system: &ContactSystem,
    old: &[DVec3],
    bodies: &[Body],
    newton: f64,
) -> Vec<StickState> {
    let open = -OPEN * threshold(rigid.kernel());
    let mut sticks = Vec::new();
    for (k, contact) in system.contacts().iter().enumerate() {
        let load = newton * system.force_of(k);
        if contact.overlap < open || (contact.friction == 0.0 && load == DVec3::ZERO) {
            continue;
        }
        let slip = contact.slip(contact.solids.map(|solid| &bodies[solid].motion));
        let step: DVec3 = contact.tangents.iter().zip(slip).map(|(&t, s)| s * t).sum();
        let before = old[k] - contact.normal * contact.normal.dot(old[k]);
        sticks.push(StickState {
            particle: rigid.particles.id[contact.particle],
            other: contact.solids[1] as u32,
            slip: (before + step).clamp_length_max(LONGEST) * rigid.space.spacing,
            load,
        });
    }
    sticks.sort_unstable_by_key(|stick| (stick.particle, stick.other));
    sticks
}
