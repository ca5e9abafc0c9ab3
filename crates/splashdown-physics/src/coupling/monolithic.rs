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
//!
//! The system is made of blocks, each with its own file: pressures (`sph::pressure::solve`), contacts with
//! their bodies (`rigid::solve`), interfaces (`droplets`). Any of the last two may be missing. A sweep:
//!
//! 1. Pressure, tension and friction of the present unknowns move fluid and bodies ((P1), (M1)).
//! 2. Each block relaxes its own unknowns: (P4), (D1) and (F3), (R3) and (R4).
//! 3. All are accelerated together (`splashdown_solve::nncg`).

use glam::Vec4;
use splashdown_solve::nncg::{self, Params, Projected, Report, Sweep};

use crate::body::{CouplingMethod, CouplingSettings};
use crate::coupling::droplets::Droplets;
use crate::coupling::touches::Touches;
use crate::rigid::bodies::{Body, Twist};
use crate::rigid::solve::{ContactSystem, Order, Swept, is_small};
use crate::sph::pressure::solve::PressureBlock;

/// Bodies and contacts during one solve.
pub struct BodyBlock<'a> {
    /// All solids; they end up with the motions that belong to the result.
    bodies: &'a mut [Body],
    /// Contacts; none in DFSPH's divergence solve.
    contacts: &'a mut ContactSystem,
    /// Where fluid touches bodies.
    touches: &'a Touches,
    /// Motions of all solids before the solve.
    given: Vec<Twist>,
    /// What the fluid would have to remove if the bodies kept those.
    base: Vec<f32>,
    settings: CouplingSettings,
    /// Impulses of the fluid.
    impulse: Vec<Twist>,
    /// What the last sweep found.
    pub swept: Swept,
}

impl<'a> BodyBlock<'a> {
    /// Ready to solve; `base` is what the fluid has to remove if bodies keep their present motions.
    pub fn new(
        bodies: &'a mut [Body],
        contacts: &'a mut ContactSystem,
        touches: &'a Touches,
        base: Vec<f32>,
        settings: CouplingSettings,
    ) -> BodyBlock<'a> {
        let given = bodies.iter().map(|body| body.motion).collect();
        let impulse = vec![Twist::default(); bodies.len()];
        let swept = Swept::default();
        BodyBlock { bodies, contacts, touches, given, base, settings, impulse, swept }
    }

    /// (M2): adds to the fluid's diagonals how bodies yield to a particle's own pressure.
    fn add_compliance(&self, omega: f32, step: &mut [[f32; 2]]) {
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

    /// Moves the bodies by pressures, interfaces and contacts; the fluid has to remove what that leaves.
    fn respond(&mut self, pressure: &mut PressureBlock, interface: Option<&Droplets>) {
        self.impulse.fill(Twist::default());
        self.touches.impulses(&pressure.kappa.now, pressure.wall_kappa(), &mut self.impulse);
        if let Some(interface) = interface {
            interface.react(&mut self.impulse);
        }
        self.contacts.move_bodies(&self.impulse, self.bodies);
        self.touches.compressions(&self.base, &self.given, self.bodies, &mut pressure.source);
    }

    /// (R3) and (R4); bodies are left with anything.
    fn sweep(&mut self) -> Sweep {
        self.swept = self.contacts.sweep(Order::of(&self.settings), self.bodies);
        let Swept { contact_error, friction_error, change, .. } = self.swept;
        let converged = is_small(&self.swept, &self.settings);
        Sweep { error: contact_error.max(friction_error), change, converged }
    }
}

/// One system of all that is solved with the fluid's pressure.
pub struct Coupled<'a> {
    /// Pressures of fluids.
    pub pressure: PressureBlock<'a>,
    /// Bodies that move during the solve, if there are any.
    pub bodies: Option<BodyBlock<'a>>,
    /// Surface tension and friction of fluids on walls, if there are any.
    pub interface: Option<Droplets<'a>>,
    /// What turns changes of κ into the energy norm of the other blocks; alone, the unit does not matter.
    weight: f64,
}

impl<'a> Coupled<'a> {
    /// Ready to solve.
    pub fn new(
        pressure: PressureBlock<'a>,
        bodies: Option<BodyBlock<'a>>,
        interface: Option<Droplets<'a>>,
    ) -> Coupled<'a> {
        let is_alone = bodies.is_none() && interface.is_none();
        let mut coupled = Coupled { pressure, bodies, interface, weight: 1.0 };
        coupled.add_compliance();
        if !is_alone {
            coupled.weight = coupled.pressure.typical_diagonal();
        }
        coupled
    }

    /// Solves for all unknowns; leaves the final displacement in `pressure.push` (unless the caller
    /// computes it), the final pressures of walls in `pressure.walls`.
    pub fn solve(&mut self, params: &Params) -> Report {
        if self.pressure.source.is_empty() && self.bodies.is_none() && self.interface.is_none() {
            return Report { converged: true, ..Report::default() };
        }
        nncg::solve(self, params)
    }

    fn add_compliance(&mut self) {
        if let Some(bodies) = &self.bodies {
            bodies.add_compliance(self.pressure.omega(), &mut self.pressure.step);
        }
    }

    /// Moves fluid and bodies by the present unknowns. Without `pushes` the caller moves the fluid.
    fn respond(&mut self, pushes: bool) {
        let Coupled { pressure, bodies, interface, .. } = self;
        pressure.extrapolate_to_walls();
        let pulled: Option<&[Vec4]> = interface.as_mut().and_then(Droplets::pulled);
        if pushes {
            pressure.push(pulled);
        }
        if let Some(bodies) = bodies {
            bodies.respond(pressure, interface.as_ref());
        }
        if let Some(interface) = interface {
            let bodies = bodies.as_ref().map_or(&[][..], |bodies| &*bodies.bodies);
            interface.respond(&pressure.kappa.now, &mut pressure.push, bodies);
        }
    }
}

impl Projected for Coupled<'_> {
    fn sweep(&mut self) -> Sweep {
        self.respond(true);
        let Coupled { pressure, bodies, interface, weight } = self;
        let of_pressure = pressure.relax();
        // Before contacts, which leave bodies with anything.
        let of_interface = interface.as_mut().map(|interface| {
            let bodies = bodies.as_ref().map_or(&[][..], |bodies| &*bodies.bodies);
            let (next, push) = (&pressure.kappa.next, &pressure.push);
            interface.sweep(bodies, next, push, of_pressure.converged)
        });
        let of_bodies = bodies.as_mut().map(BodyBlock::sweep);
        let others = [of_bodies, of_interface].into_iter().flatten();
        Sweep {
            error: of_pressure.error,
            change: *weight * of_pressure.change
                + others.clone().map(|sweep| sweep.change).sum::<f64>(),
            converged: of_pressure.converged && others.clone().all(|sweep| sweep.converged),
        }
    }

    fn extrapolate(&mut self, beta: f64) {
        self.pressure.kappa.extrapolate(beta);
        if let Some(bodies) = &mut self.bodies {
            bodies.contacts.extrapolate(beta);
        }
        if let Some(interface) = &mut self.interface {
            interface.extrapolate(beta);
        }
    }

    fn settle(&mut self) {
        self.pressure.settle();
        if let Some(bodies) = &mut self.bodies {
            bodies.contacts.settle();
        }
        if let Some(interface) = &mut self.interface {
            interface.finish();
        }
        self.respond(!self.pressure.leaves_push());
    }

    fn shorten(&mut self) {
        if self.pressure.shorten() {
            self.add_compliance();
        }
    }
}
