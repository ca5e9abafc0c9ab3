//! The second and the third phase of three (Xie 2023, 5.7), as printed: elasticity, then contact.
//!
//! ```text
//! ½|x − x¹|²_M + Δt² (Ψ + models of ⅓ C_sf and ½ C_ss) → min      x²
//! ½|x − x²|²_M + Δt² (⅓ C_sf + ½ C_ss)                 → min      xⁿ⁺¹
//! ```
//!
//! Only the third keeps things apart, and it does not know that elements resist being turned inside
//! out.

use splashdown_solids::guests::{Guest, Guests};
use splashdown_solids::parts::Parts;
use splashdown_solids::proxy::{Proxy, Rubbing, Touching};
use splashdown_solids::step;

use super::Step;
use super::foresight::split_share;
use crate::elastic::{ElasticMotion, Surroundings};
use crate::error::StepError;
use crate::math::DVec3;
use crate::stepper::Stepper;

/// Share of contact between bodies in each of the two.
const BETWEEN_BODIES: f64 = 0.5;

impl Step<'_> {
    /// Bodies and `guests` after both.
    pub(super) fn two_phases(
        &self,
        memory: &mut step::Workspace,
        around: Surroundings,
        (force, guests): (&[DVec3], Guests),
        (dt, retries): (f64, u32),
    ) -> Result<ElasticMotion, StepError> {
        let share = split_share(Stepper::ContactProxy3);
        let solids = &self.elastic.solids;
        let press: Vec<f64> = guests.all.iter().map(|guest| guest.press).collect();
        let places: Vec<DVec3> = guests.all.iter().map(|guest| guest.position).collect();
        let settings = &self.elastic.settings;
        let mut touching = Touching::new(solids, guests);
        let models = [
            touching.barrier(share, self.stepper.projects),
            touching.friction(&press, settings, (share, Rubbing::Tangent, dt)),
            Proxy::of_bodies(solids, settings, (BETWEEN_BODIES, self.stepper.projects), &places),
        ];
        let nothing = Parts { contact: 0.0, barrier: 0.0, friction: 0.0, ..Parts::default() };
        let parts = Parts { models: &models, ..nothing };
        let last = (dt, retries);
        let stretched = self.move_elastic(memory, around, (force, Some(guests), parts), last)?;

        let goals = guests.all.iter().zip(stretched.guests());
        let all: Vec<Guest> = goals.map(|(guest, &goal)| Guest { goal, ..*guest }).collect();
        let ends = stretched.position().iter().chain(stretched.guests());
        let ends: Vec<DVec3> = ends.copied().collect();
        let guests = Guests { all: &all, start: Some(&ends), ..guests };
        let (barrier, friction, contact) = (share, share, BETWEEN_BODIES);
        let parts = Parts { elasticity: false, barrier, friction, contact, ..Parts::default() };
        let own = (&stretched.report.pulls[..], Some(guests), parts);
        let mut motion = self.move_elastic(memory, around, own, last)?;
        motion.report.iterations += stretched.report.iterations;
        let seconds = motion.report.seconds.iter_mut().zip(stretched.report.seconds);
        seconds.for_each(|(sum, part)| *sum += part);
        Ok(motion)
    }
}
