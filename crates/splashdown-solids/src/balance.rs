//! Whether the forces on bodies balance, as far as Newton's method has come.
//!
//! The gradient of a step's energy over ĥ² is a force that is left over: it would accelerate a body
//! as nothing in the scene does. It is compared with the forces that are there.
//!
//! ```text
//! (N1)  R = Σ |∂E/∂x| / ĥ²  over the unknowns of a body
//! (N2)  F = Σ (m |g| + |contact| + |pressure| + m |x − x̂| / ĥ²)
//! ```
//!
//! F is a sum over the vertices of the body, and has what acts on held ones, too.
//!
//! R ≤ ε F bounds the error of the net force on every body, and so that of the contact force that
//! carries it and of the friction that follows from it. All guests together count as one more body.

use glam::DVec3;

use crate::guests::Guest;
use crate::inertia::Inertia;

/// Share of the momentum of guests that may be lost to rounding.
const ROUNDING: f64 = 1e-6;

/// What forces are compared with.
pub struct Balance<'a> {
    /// What holds vertices to their goals.
    pub inertia: Inertia<'a>,
    /// Weight of each vertex, N.
    pub load: &'a [f64],
    /// What takes part besides the bodies.
    pub guests: &'a [Guest],
}

impl Balance<'_> {
    /// The largest R/F of any body.
    pub fn imbalance(&self, x: &[DVec3], forces: &Forces, left: &[DVec3]) -> f64 {
        let Inertia { solids, goal, weight, unknowns, scale, .. } = self.inertia;
        let of_body = |vertices: std::ops::Range<usize>| {
            let (mut rest, mut present) = (0.0, 0.0);
            for v in vertices {
                if solids.is_free(v as u32)
                    && let Some(u) = unknowns.single(v as u32)
                {
                    rest += left[u as usize].length() / scale;
                }
                let held = !solids.is_free(v as u32) && solids.affine_frame[v].is_none();
                present += if held {
                    forces.all[v].length()
                } else {
                    let inertia = weight[v] * x[v].distance(goal[v]);
                    self.load[v] + forces.applied[v].length() + inertia / scale
                };
            }
            if rest > 0.0 { rest / present } else { 0.0 }
        };
        let bodies = solids.bodies.iter().map(|body| of_body(body.vertices.clone()));
        bodies.fold(0.0, f64::max).max(self.of_guests(x, forces, left))
    }

    /// R/F of all guests together that anything acts on; those that are free are where they want to
    /// be after one move. What they would do by themselves counts a little, so that rounding does
    /// not.
    fn of_guests(&self, x: &[DVec3], forces: &Forces, left: &[DVec3]) -> f64 {
        let Inertia { goal, weight, unknowns, scale, .. } = self.inertia;
        let first = x.len() - self.guests.len();
        let (mut rest, mut present) = (0.0, 0.0);
        for (k, guest) in self.guests.iter().enumerate() {
            let (v, applied) = (first + k, forces.applied[first + k].length());
            if applied > 0.0 {
                let inertia = weight[v] / scale;
                rest += left[unknowns.of_bodies + k].length() / scale;
                present += self.load[v] + applied + inertia * x[v].distance(goal[v]);
                present += ROUNDING * inertia * guest.position.distance(guest.goal);
            }
        }
        if rest > 0.0 { rest / present } else { 0.0 }
    }
}

/// Derivatives of energies by all vertices, N.
pub struct Forces {
    /// Barrier, friction and pressure.
    pub applied: Vec<DVec3>,
    /// These, elasticity and damping.
    pub all: Vec<DVec3>,
}
