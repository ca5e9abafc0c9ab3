//! Pressure of fluids, contact and friction of bodies as one system.
//!
//! Paper: Probst & Teschner 2023 (PT23). The fluid's sweeps are (P4); in each of them the bodies
//! move by the fluid's pressures (M1), by contact (R3) and by friction (R4), and the fluid sees
//! them move.
//!
//! A light body yields to the pressure of every particle around it, and they all push at once: each
//! of them must expect that. PT23's diagonal counts the body's response to one particle's own
//! pressure, and blows up for bodies twenty times lighter than water. As with contacts (R5) every
//! particle gets a share of the body's mass, here one of the N that touch it:
//!
//!   Dᵢ = (P3) + Σ_K ω N_K J_iK M_K⁻¹ J_iKᵀ                          (M2)
//!
//! (ω because (P4) relaxes the whole; half as much again where contacts need a share of the mass
//! too).
//!
//! The system is made of blocks, each with its own file: pressures (`sph::pressure::solve`),
//! contacts with their bodies (`rigid::solve`), elastic bodies (`elastic`), interfaces
//! (`interface_system`). Any but the first may be missing. A sweep:
//!
//! 1. Pressure, tension and friction of the present unknowns move fluid and bodies ((P1), (M1)).
//! 2. Each block relaxes its own unknowns: (P4), (D1) and (F3), (R3) and (R4).
//! 3. All are accelerated together (`splashdown_solve::nncg`).

use glam::Vec4;
use splashdown_solve::nncg::{self, Params, Projected, Report, Sweep};

use crate::body::{CouplingMethod, CouplingSettings};
use crate::coupling::elastic::ElasticBlock;
use crate::coupling::interface_rows::InterfaceRows;
use crate::coupling::interface_system::InterfaceSystem;
use crate::rigid::bodies::Body;
use crate::rigid::solve::{ContactResidual, ContactSystem, Order, is_small};
use crate::sph::pressure::solve::PressureBlock;
use crate::twist::Twist;

/// Bodies and contacts during one solve.
pub struct BodyBlock<'a> {
    /// All solids; they end up with the motions that belong to the result.
    bodies: &'a mut [Body],
    /// Contacts; none in DFSPH's divergence solve.
    contacts: &'a mut ContactSystem,
    /// Where fluid touches bodies.
    rows: &'a InterfaceRows,
    /// Motions of all solids before the solve.
    given: Vec<Twist>,
    /// What the fluid would have to remove if the bodies kept those.
    base: Vec<f32>,
    settings: CouplingSettings,
    /// Impulses of the fluid.
    impulse: Vec<Twist>,
    /// What the last sweep found.
    pub residual: ContactResidual,
}

impl<'a> BodyBlock<'a> {
    /// Ready to solve; `base` is what the fluid has to remove if bodies keep their present motions.
    pub fn new(
        bodies: &'a mut [Body],
        contacts: &'a mut ContactSystem,
        rows: &'a InterfaceRows,
        base: Vec<f32>,
        settings: CouplingSettings,
    ) -> BodyBlock<'a> {
        let given = bodies.iter().map(|body| body.motion).collect();
        let impulse = vec![Twist::default(); bodies.len()];
        let residual = ContactResidual::default();
        BodyBlock { bodies, contacts, rows, given, base, settings, impulse, residual }
    }

    /// (M2): adds to the fluid's diagonals how bodies yield to a particle's own pressure.
    fn add_compliance(&self, omega: f32, step: &mut [[f32; 2]]) {
        if self.settings.method != CouplingMethod::Monolithic {
            return; // GPB19 does not count the response of bodies
        }
        let shares = if self.contacts.contacts().is_empty() { 1.0 } else { 2.0 };
        for row in &self.rows.fluid {
            let solid = row.solid as usize;
            let n = (f64::from(omega) * shares * f64::from(self.rows.count[solid])).max(1.0);
            let [length, diagonal] = &mut step[row.particle as usize];
            *diagonal += (n * self.bodies[solid].mobility(&row.twist)) as f32;
            *length = if *diagonal > 1.0e-6 { omega / *diagonal } else { 0.0 };
        }
    }

    /// Moves the bodies by pressures, interfaces and contacts; the fluid has to remove what that
    /// leaves.
    fn update_response(
        &mut self,
        pressure: &mut PressureBlock,
        interface: Option<&InterfaceSystem>,
    ) {
        self.impulse.fill(Twist::default());
        self.rows.impulses(&pressure.kappa.now, pressure.wall_kappa(), &mut self.impulse);
        if let Some(interface) = interface {
            interface.add_reactions(&mut self.impulse);
        }
        self.contacts.move_bodies(&self.impulse, self.bodies);
        self.rows.compressions(&self.base, &self.given, self.bodies, &mut pressure.source);
    }

    /// (R3) and (R4); bodies are left with anything.
    fn sweep(&mut self) -> Sweep {
        self.residual = self.contacts.sweep(Order::of(&self.settings), self.bodies);
        let ContactResidual { contact_error, friction_error, change, .. } = self.residual;
        let converged = is_small(&self.residual, &self.settings);
        Sweep { error: contact_error.max(friction_error), change, converged }
    }
}

/// One system of all that is solved with the fluid's pressure.
pub struct Coupled<'a> {
    /// Pressures of fluids.
    pub pressure: PressureBlock<'a>,
    /// Bodies that move during the solve, if there are any.
    pub bodies: Option<BodyBlock<'a>>,
    /// Elastic bodies that yield during the solve, if fluid touches any.
    pub elastic: Option<ElasticBlock<'a>>,
    /// Surface tension and friction of fluids on walls, if there are any.
    pub interface: Option<InterfaceSystem<'a>>,
    /// What turns changes of κ into the energy norm of the other blocks; alone, the unit does not
    /// matter.
    weight: f64,
}

impl<'a> Coupled<'a> {
    /// Ready to solve.
    pub fn new(
        pressure: PressureBlock<'a>,
        bodies: Option<BodyBlock<'a>>,
        elastic: Option<ElasticBlock<'a>>,
        interface: Option<InterfaceSystem<'a>>,
    ) -> Coupled<'a> {
        let is_alone = bodies.is_none() && interface.is_none();
        let mut coupled = Coupled { pressure, bodies, elastic, interface, weight: 1.0 };
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
        if let Some(elastic) = &self.elastic {
            elastic.add_compliance(self.pressure.omega(), &mut self.pressure.step);
        }
    }

    /// Moves fluid and bodies by the present unknowns. Without `moves_fluid` the caller moves the
    /// fluid.
    fn update_response(&mut self, moves_fluid: bool) {
        let Coupled { pressure, bodies, elastic, interface, .. } = self;
        pressure.extrapolate_to_walls();
        let tension: Option<&[Vec4]> =
            interface.as_mut().and_then(InterfaceSystem::tension_displacement);
        if moves_fluid {
            pressure.push(tension);
        }
        if let Some(bodies) = bodies {
            bodies.update_response(pressure, interface.as_ref());
        }
        if let Some(elastic) = elastic {
            elastic.update_response(pressure);
        }
        if let Some(interface) = interface {
            let bodies = bodies.as_ref().map_or(&[][..], |bodies| &*bodies.bodies);
            interface.update_response(&pressure.kappa.now, &mut pressure.push, bodies);
        }
    }
}

impl Projected for Coupled<'_> {
    fn sweep(&mut self) -> Sweep {
        self.update_response(true);
        let Coupled { pressure, bodies, interface, weight, .. } = self;
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
        self.update_response(!self.pressure.skips_displacement());
    }

    fn shorten(&mut self) {
        if self.pressure.shorten() {
            self.add_compliance();
        }
    }
}
