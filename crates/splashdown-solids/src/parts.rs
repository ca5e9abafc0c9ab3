//! Which potentials take part in a step. Usually all of them do; a method that moves bodies and
//! guests in several phases gives each phase its own.

use crate::medium::Medium;
use crate::proxy::Proxy;

/// What a phase has of a step.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Elasticity and damping; and with them that nothing is turned inside out.
    pub elasticity: bool,
    /// Share of contact between bodies, friction included. Without any they may pass each other.
    pub contact: f64,
    /// Share of the barrier between guests and bodies. Without any they may pass each other.
    pub barrier: f64,
    /// Share of the friction of guests.
    pub friction: f64,
    /// What is known of other phases.
    pub models: &'a [Proxy],
    /// What guests have in common.
    pub medium: Option<&'a dyn Medium>,
    /// Whether second derivatives lose their negative eigenvalues, as Newton's method wants them.
    pub projects: bool,
}

impl Default for Parts<'_> {
    fn default() -> Self {
        Parts {
            elasticity: true,
            contact: 1.0,
            barrier: 1.0,
            friction: 1.0,
            models: &[],
            medium: None,
            projects: true,
        }
    }
}
