//! Contact and friction of rigid bodies on their own: where there is no fluid, or after it has been
//! solved without them (Akinci et al. 2012).

use splashdown_solve::nncg::{Projected, Sweep};

use crate::body::CouplingSettings;
use crate::rigid::bodies::Body;
use crate::rigid::solve::{ContactResidual, ContactSystem, Order, is_small};
use crate::twist::Twist;

/// Contacts and the bodies that they move, during a solve.
pub struct DryContact<'a> {
    contacts: &'a mut ContactSystem,
    bodies: &'a mut [Body],
    settings: CouplingSettings,
    /// Nobody else pushes.
    outside: Vec<Twist>,
    /// What the last sweep found.
    pub residual: ContactResidual,
}

impl<'a> DryContact<'a> {
    /// Starts from the motions that `bodies` have; they end up with those that belong to the
    /// result.
    pub fn new(
        contacts: &'a mut ContactSystem,
        bodies: &'a mut [Body],
        settings: CouplingSettings,
    ) -> DryContact<'a> {
        contacts.start_from(bodies);
        let outside = vec![Twist::default(); bodies.len()];
        DryContact { contacts, bodies, settings, outside, residual: ContactResidual::default() }
    }
}

impl Projected for DryContact<'_> {
    fn sweep(&mut self) -> Sweep {
        self.contacts.move_bodies(&self.outside, self.bodies);
        self.residual = self.contacts.sweep(Order::of(&self.settings), self.bodies);
        let ContactResidual { contact_error, friction_error, change, .. } = self.residual;
        let converged = is_small(&self.residual, &self.settings);
        Sweep { error: contact_error.max(friction_error), change, converged }
    }

    fn extrapolate(&mut self, beta: f64) {
        self.contacts.extrapolate(beta);
    }

    fn settle(&mut self) {
        self.contacts.settle();
        self.contacts.move_bodies(&self.outside, self.bodies);
    }
}
