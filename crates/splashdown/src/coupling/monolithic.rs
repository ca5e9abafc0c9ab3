//! Pressure of fluids, contact and friction of bodies as one system.
//!
//! Paper: Probst & Teschner 2023 (PT23). The fluid's sweeps are (P4); in each of them the bodies move
//! by the fluid's pressures (M1), by contact (R3) and by friction (R4), and the fluid sees them move.
//!
//! A light body yields to the pressure of every particle around it, and they all push at once: each of
//! them must expect that. PT23's diagonal counts the body's response to one particle's own pressure, and
//! blows up for bodies twenty times lighter than water. As with contacts (R5) every particle gets a
//! share of the body's mass, here one of the N that touch it:
//!
//!   Dᵢ = (P3) + Σ_K ω N_K J_iK M_K⁻¹ J_iKᵀ                          (M2)
//!
//! (ω because (P4) relaxes the whole; half as much again where contacts need a share of the mass too).

use glam::Vec4;

use crate::body::{CouplingMethod, CouplingSettings, CouplingSolver};
use crate::coupling::droplets::Droplets;
use crate::coupling::touches::Touches;
use crate::rigid::bodies::{Body, Twist};
use crate::rigid::solve::{ContactSystem, Order, Swept, is_small};
use crate::sph::pressure::partner::{Partner, PartnerSweep};

/// Bodies, contacts and touches during one solve.
pub struct Coupled<'a> {
    /// All solids; they end up with the motions that belong to the result.
    pub bodies: &'a mut [Body],
    /// Contacts; none in DFSPH's divergence solve.
    pub contacts: &'a mut ContactSystem,
    /// Where fluid touches bodies.
    pub touches: &'a Touches,
    /// Motions of all solids before the solve.
    pub given: Vec<Twist>,
    /// What the fluid would have to remove if the bodies kept those.
    pub base: Vec<f32>,
    /// How.
    pub settings: CouplingSettings,
    /// Impulses of the fluid.
    pub impulse: Vec<Twist>,
    /// What the last sweep found.
    pub swept: Swept,
    /// Surface tension and friction of fluids on walls, if there are any.
    pub droplets: Option<Droplets<'a>>,
}

impl<'a> Coupled<'a> {
    /// Ready to solve; `base` is what the fluid has to remove if bodies keep their present motions.
    pub fn new(
        bodies: &'a mut [Body],
        contacts: &'a mut ContactSystem,
        touches: &'a Touches,
        base: Vec<f32>,
        settings: CouplingSettings,
    ) -> Coupled<'a> {
        let given = bodies.iter().map(|body| body.motion).collect();
        let impulse = vec![Twist::default(); bodies.len()];
        Coupled {
            bodies,
            contacts,
            touches,
            given,
            base,
            settings,
            impulse,
            swept: Swept::default(),
            droplets: None,
        }
    }

    fn order(&self) -> Order {
        match (self.settings.method, self.settings.solver) {
            (CouplingMethod::Monolithic | CouplingMethod::Weak, CouplingSolver::Nncg) => {
                Order::GaussSeidel
            }
            _ => Order::Jacobi,
        }
    }
}

impl Partner for Coupled<'_> {
    fn yielding(&self, omega: f32, step: &mut [[f32; 2]]) {
        if self.settings.method != CouplingMethod::Monolithic {
            return; // GPB19 does not count the response of bodies
        }
        let shares = if self.contacts.contacts().is_empty() { 1.0 } else { 2.0 };
        for touch in &self.touches.fluid {
            let solid = touch.solid as usize;
            let n = (f64::from(omega) * shares * f64::from(self.touches.count[solid])).max(1.0);
            let [length, diagonal] = &mut step[touch.particle as usize];
            *diagonal += (n * self.bodies[solid].mobility(&touch.row)) as f32;
            *length = if *diagonal > 1.0e-6 { omega / *diagonal } else { 0.0 };
        }
    }

    fn pulled(&mut self) -> Option<&[Vec4]> {
        self.droplets.as_mut().and_then(Droplets::pulled)
    }

    fn respond(
        &mut self,
        kappa: &[f32],
        wall: Option<&[f32]>,
        push: &mut [Vec4],
        source: &mut [f32],
    ) {
        self.impulse.fill(Twist::default());
        self.touches.impulses(kappa, wall, &mut self.impulse);
        if let Some(droplets) = &self.droplets {
            droplets.react(&mut self.impulse);
        }
        self.contacts.move_bodies(&self.impulse, self.bodies);
        self.touches.compressions(&self.base, &self.given, self.bodies, source);
        if let Some(droplets) = &mut self.droplets {
            droplets.respond(kappa, push, self.bodies);
        }
    }

    fn sweep(&mut self, next: &[f32], push: &[Vec4], is_last: bool) -> PartnerSweep {
        // First: contacts leave bodies with anything.
        let of_droplets =
            self.droplets.as_mut().map(|droplets| droplets.sweep(self.bodies, next, push, is_last));
        self.swept = self.contacts.sweep(self.order(), self.bodies);
        let is_small = is_small(&self.swept, &self.settings);
        PartnerSweep {
            change: self.swept.change + of_droplets.map_or(0.0, |sweep| sweep.change),
            converged: is_small && of_droplets.is_none_or(|sweep| sweep.converged),
        }
    }

    fn accelerate(&mut self, beta: f64) {
        self.contacts.accelerate(beta);
        if let Some(droplets) = &mut self.droplets {
            droplets.accelerate(beta);
        }
    }

    fn finish(&mut self) {
        self.contacts.finish();
        if let Some(droplets) = &mut self.droplets {
            droplets.finish();
        }
    }
}
