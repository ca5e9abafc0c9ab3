//! How a step ended: what it did, or why it could not be done.

use glam::DVec3;
use splashdown_solve::block_matrix::Unsolvable;

use crate::verify::Violation;

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Newton iterations.
    pub iterations: u32,
    /// Those of linear solves with a medium.
    pub linear_iterations: u32,
    /// Pairs that push.
    pub contacts: usize,
    /// The smallest gap, m; infinite without contacts.
    pub smallest_gap: f64,
    /// Largest distance of a driven vertex from where it should be, m.
    pub lag: f64,
    /// Force of contact and friction on each body, N.
    pub forces: Vec<DVec3>,
    /// Places of the guests at the end, m, in their order.
    pub guests: Vec<DVec3>,
    /// Guests within reach of something at the end.
    pub guest_contacts: usize,
    /// The smallest gap between a guest and a surface within reach, m; infinite without.
    pub guest_gap: f64,
    /// Force of barrier and friction of guests on each vertex, N, which is no part of `forces`;
    /// empty without guests.
    pub guest_forces: Vec<DVec3>,
    /// Of a step without contact: what would hold each vertex where it came, N. Nothing holds those
    /// that move as told.
    pub pulls: Vec<DVec3>,
    /// Seconds of assembly, factorisation and solution, collision detection, line search.
    pub seconds: [f64; 4],
}

impl Default for Report {
    fn default() -> Report {
        let (iterations, linear_iterations, contacts) = Default::default();
        let (guest_contacts, lag, seconds) = Default::default();
        let (smallest_gap, guest_gap) = (f64::INFINITY, f64::INFINITY);
        let [forces, guests, guest_forces, pulls] = Default::default();
        Report {
            iterations,
            linear_iterations,
            contacts,
            smallest_gap,
            lag,
            forces,
            guests,
            guest_contacts,
            guest_gap,
            guest_forces,
            pulls,
            seconds,
        }
    }
}

/// Why a step could not be done. The state is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// Newton took too long: iterations, the vertex that would move farthest in the last one, and
    /// how far, m.
    #[error("its forces do not balance after {0} Newton iterations (the last moves by {2:.1e} m)")]
    Slow(u32, u32, f64),
    /// No step makes the energy smaller; the vertex that would move farthest, and how far, m.
    #[error("no move lowers its energy, although its forces do not balance (by {1:.1e} m)")]
    Stuck(u32, f64),
    /// See `Unsolvable`.
    #[error("{0}")]
    Unsolvable(#[from] Unsolvable),
    /// Somebody asked for it.
    #[error("it was asked to stop")]
    Stopped,
    /// The state that was found violates what it must not: this is a mistake in the program.
    #[error("an accepted state is not allowed: {0:?}")]
    Violation(Violation),
}

impl Failure {
    /// The vertex that is concerned, if one is.
    pub fn vertex(&self) -> Option<u32> {
        match self {
            Failure::Slow(_, v, _) | Failure::Stuck(v, _) => Some(*v),
            Failure::Violation(Violation::Inversion(v) | Violation::Passage([_, v])) => Some(*v),
            Failure::Violation(Violation::Intersection([v, _]) | Violation::TooClose([v, _])) => {
                Some(*v)
            }
            Failure::Unsolvable(_) | Failure::Stopped => None,
        }
    }
}
