//! Contacts between things that cannot move apart. They carry nothing.
//!
//! A body that is held in position (`Locks`) and touches the floor has contacts that no motion of
//! it opens. A pressure there moves nothing, so nothing ends its growth, and the forces that come
//! out mean nothing. Two ways to be jammed, for a contact whose bodies are held along its normal:
//!
//! - It hardly turns them either: J M⁻¹ Jᵀ with locks is a small share of what it is without.
//! - It turns them, and thereby presses another contact of the same pair that has the same normal:
//!   a wheel on its axle touches the floor before and behind the axle. No motion u has
//!   J_k·u < 0 for all of them, which a perceptron (Rosenblatt 1958) finds out: it looks for one,
//!   and hardly ever needs more than a round.
//!
//! Contacts with other normals have their own say: a flap between two stops is held by both, in
//! turn.
//!
//! What turning does open, it may open by a bad lever: the edge of the paddle, nearly below its
//! axle. Friction has the better one there, and pressure that wants to open the contact would be
//! held back by the friction that it causes itself (Painlevé 1895), to any size. Such contacts have
//! as much friction as leaves half of the pressure's effect, and are opened as gently as if the
//! bodies were free.

use std::collections::BTreeMap;

use crate::body::RigidBody;
use crate::boundary::Solid;
use crate::math::{DVec3, Dimension, Pose};
use crate::rigid::bodies::{Body, bodies, free_inverse};
use crate::rigid::contact::Contact;
use crate::rigid::search::threshold;
use crate::rigid::system::RigidSystem;
use crate::twist::Twist;

/// A body is held along a normal if its mobility along it is below this share of what it is without
/// locks. Normals at flat surfaces lean by up to some percent, as samples happen to lie.
const MAX_LOCKED_MOBILITY: f64 = 1e-2;
/// The same for turning, by lever arms that count.
const MAX_LOCKED_TURN: f64 = 1e-3;
/// Contacts less dense than this, as a share of the density at touch, do not press each other.
const MIN_DENSITY: f64 = 0.5;
/// Normals with at least this product are the same.
const SAME_NORMAL: f64 = 0.9;
/// Rounds after which the perceptron gives up.
const MAX_ROUNDS: usize = 32;

/// Two solids that touch and cannot move apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jam {
    /// Indices of solids.
    pub solids: [usize; 2],
    /// How deep they are in each other, m.
    pub depth: f64,
    /// Where they are deepest.
    pub place: DVec3,
}

/// Takes out of `contacts` those between things that cannot move apart.
pub fn take_jammed(system: &RigidSystem, contacts: &mut Vec<Contact>) -> Vec<Contact> {
    if !system.solids.iter().any(|solid| solid.dynamic().is_some_and(RigidBody::is_locked)) {
        return Vec::new(); // nothing that moves is held
    }
    let poses: Vec<Pose> = system.solids.iter().map(|solid| solid.pose).collect();
    let bodies = &bodies(system, &poses, 1.0);
    let held = LockedMotions { bodies, unlocked: &unlocked(system, bodies) };
    let near = -MIN_DENSITY * threshold(system.kernel());
    let mut jammed = vec![false; contacts.len()];
    let mut turning: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    for (k, contact) in contacts.iter().enumerate().filter(|(_, c)| held.along(c)) {
        if held.against_turning(contact) {
            jammed[k] = true;
        } else {
            let [a, b] = contact.solids;
            turning.entry([a.min(b), a.max(b)]).or_default().push(k);
        }
    }
    for of_pair in turning.into_values() {
        for side in by_normal(contacts, of_pair) {
            let near = side.iter().map(|&k| &contacts[k]).filter(|c| c.overlap > near);
            if !can_open(&near.collect::<Vec<_>>(), bodies) {
                side.iter().for_each(|&k| jammed[k] = true);
            }
        }
    }
    let free = contacts.iter_mut().zip(&jammed).filter(|(_, jammed)| !**jammed);
    free.map(|(contact, _)| contact).filter(|c| held.along(c)).for_each(|c| held.ease(c));
    let mut jammed = jammed.into_iter();
    contacts.extract_if(.., |_| jammed.next() == Some(true)).collect()
}

/// Pairs of solids that touch at some of `jammed`, with the deepest place of each.
pub fn jams(system: &RigidSystem, jammed: &[Contact]) -> Vec<Jam> {
    let touching = -0.1 * threshold(system.kernel());
    let mut deepest: BTreeMap<[usize; 2], &Contact> = BTreeMap::new();
    for contact in jammed.iter().filter(|contact| contact.overlap > touching) {
        let [a, b] = contact.solids;
        let worst = deepest.entry([a.min(b), a.max(b)]).or_insert(contact);
        if contact.overlap > worst.overlap {
            *worst = contact;
        }
    }
    let of = |(solids, contact): ([usize; 2], &Contact)| Jam {
        solids,
        depth: contact.depth() * system.space.spacing,
        place: system.particles.position[contact.particle]
            - 0.5 * system.space.spacing * contact.normal,
    };
    deepest.into_iter().map(of).collect()
}

/// Bodies with and without their locks.
struct LockedMotions<'a> {
    bodies: &'a [Body],
    unlocked: &'a [Body],
}

impl LockedMotions<'_> {
    /// Whether no body of a contact moves along its normal.
    fn along(&self, contact: &Contact) -> bool {
        let linear = |row: &Twist| Twist { linear: row.linear, angular: DVec3::ZERO };
        self.most(contact, linear) < MAX_LOCKED_MOBILITY
    }

    /// Whether a contact turns no body, either.
    fn against_turning(&self, contact: &Contact) -> bool {
        self.most(contact, |row| *row) < MAX_LOCKED_TURN
    }

    /// Takes care of a contact that opens by turning.
    fn ease(&self, contact: &mut Contact) {
        let pair = contact.solids.map(|solid| &self.bodies[solid]);
        let mobility = contact.mobility(pair).iter().sum::<f64>();
        let entangled = contact.strength * contact.entanglement(pair);
        contact.friction = contact.friction.min(0.5 * mobility / entangled.max(f64::MIN_POSITIVE));
        contact.freedom = self.most(contact, |row| *row).min(1.0);
    }

    /// The larger share that locks leave of the mobility of the two bodies.
    fn most(&self, contact: &Contact, part: impl Fn(&Twist) -> Twist) -> f64 {
        let shares = contact.solids.iter().zip(&contact.rows).map(|(&solid, row)| {
            let free = self.unlocked[solid].mobility(row);
            if free > 0.0 { self.bodies[solid].mobility(&part(row)) / free } else { 0.0 }
        });
        shares.fold(0.0, f64::max)
    }
}

/// `bodies` as they would be without locks.
fn unlocked(system: &RigidSystem, bodies: &[Body]) -> Vec<Body> {
    let (unit, h) = (system.mass_unit, system.space.spacing);
    let flat = system.space.dimension == Dimension::Two;
    let of = |(solid, body): (&Solid, &Body)| {
        let Some(rigid) = solid.dynamic() else { return *body };
        let inertia = rigid.world_inertia(solid.pose.rotation);
        Body {
            inverse_mass: DVec3::splat(unit / rigid.mass),
            inverse_inertia: free_inverse(inertia, [flat, flat, false]) * (unit * h * h),
            ..*body
        }
    };
    system.solids.iter().zip(bodies).map(of).collect()
}

/// Contacts of one pair in groups of about the same normal. Either body may be the one whose
/// particle it is.
fn by_normal(contacts: &[Contact], of_pair: Vec<usize>) -> Vec<Vec<usize>> {
    let normal = |k: usize| {
        let Contact { solids: [a, b], normal, .. } = contacts[k];
        if a < b { normal } else { -normal }
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for k in of_pair {
        match groups.iter_mut().find(|group| normal(group[0]).dot(normal(k)) > SAME_NORMAL) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    groups
}

/// Whether some motion of the bodies opens all `contacts`, which are of one pair.
fn can_open(contacts: &[&Contact], bodies: &[Body]) -> bool {
    let Some(first) = contacts.first() else { return true };
    let mut motion = [Twist::default(); 2];
    // The way in which the pressure of a contact moves its bodies, as long as others.
    let opening = |contact: &Contact| {
        let pair = contact.solids.map(|solid| &bodies[solid]);
        let length = contact.mobility(pair).iter().sum::<f64>().sqrt();
        let impulse = contact.impulses(1.0 / length, [0.0; 2]);
        let moved: [Twist; 2] = std::array::from_fn(|side| pair[side].response(&impulse[side]));
        if contact.solids == first.solids { moved } else { [moved[1], moved[0]] }
    };
    let approach = |contact: &Contact, motion: &[Twist; 2]| {
        let [a, b] = motion;
        contact.approach(if contact.solids == first.solids { [a, b] } else { [b, a] })
    };
    for _ in 0..MAX_ROUNDS {
        let mut closed = false;
        let before = motion;
        for contact in contacts.iter().filter(|contact| approach(contact, &before) >= 0.0) {
            closed = true;
            motion.iter_mut().zip(opening(contact)).for_each(|(sum, way)| sum.add(1.0, &way));
        }
        if !closed {
            return true;
        }
    }
    false
}
