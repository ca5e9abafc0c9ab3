//! One contact: a particle of a body close to another solid.
//!
//! PT23 asks whether a particle r of a surface has less room than it should (eq. 3.3), counting the
//! particles of all other bodies around it. Here every other solid K that r is close to is a
//! contact of its own, and counts by how densely its particles, weighted as in (W1), lie around r:
//!
//!   δ_rK = Σ_k β_k hᵈ W_rk ≤ δ°                              (R1)
//!
//! with one threshold δ° for all: the density one spacing away from a flat layer of samples.
//! Samples lie h/2 behind the surfaces they stand for, so surfaces just touch there. (PT23's
//! threshold (1/γ − 1) Σ_own W depends on r's own body: corners stand off more than faces do, a box
//! stands on its corners; and a block that touches two others would be pushed away from both.)
//!
//! K is rigid, so the first-order change of δ_rK over a step is one row for each of the two bodies:
//!
//!   c_r = δ_rK − δ° + J_R·u_R − J_K·u_K ≤ 0                   (R2)   PT23 eq. 3.10
//!   J_R = (G, x_rR × G),  J_K = (G, Σ_k x_kK × β_k g_rk),  G = Σ_k β_k g_rk
//!
//! x_rR being measured from the centre of R, u = (displacement, rotation) over the step. A contact
//! pressure ψ ≥ 0 pushes R with −ψ J_R and K with +ψ J_K (eq. 3.13): along the lines between
//! particles, so that angular momentum is conserved too. Friction acts in the plane normal to G at
//! one point m for both bodies, half way between r and the particles of K (eq. 3.22b's midpoint).

use crate::math::DVec3;
use crate::rigid::bodies::Body;
use crate::twist::Twist;

/// One contact with all that the solver asks of it.
#[derive(Clone, Debug, Default)]
pub struct Contact {
    /// r, an index into `Particles`.
    pub particle: usize,
    /// R and K: indices of solids.
    pub solids: [usize; 2],
    /// δ_rK − δ°.
    pub overlap: f64,
    /// J_R and J_K.
    pub rows: [Twist; 2],
    /// Unit vector from K to R.
    pub normal: DVec3,
    /// Unit vectors normal to it; in 2D the second is zero.
    pub tangents: [DVec3; 2],
    /// m, from the centres of R and K.
    pub arms: [DVec3; 2],
    /// |G|: force per pressure.
    pub strength: f64,
    /// μ.
    pub friction: f64,
    /// Which share of an overlap's correction it takes: less than one where locks leave the bodies
    /// but a bad lever (`jammed`).
    pub freedom: f64,
}

impl Contact {
    /// J_R·u_R − J_K·u_K.
    #[inline(always)]
    pub fn approach(&self, motion: [&Twist; 2]) -> f64 {
        self.rows[0].dot(motion[0]) - self.rows[1].dot(motion[1])
    }

    /// Tangential motion of R against K at m.
    #[inline(always)]
    pub fn slip(&self, motion: [&Twist; 2]) -> [f64; 2] {
        let relative = motion[0].at(self.arms[0]) - motion[1].at(self.arms[1]);
        self.tangents.map(|t| t.dot(relative))
    }

    /// What pressure ψ and friction λ give to R and to K.
    #[inline(always)]
    pub fn impulses(&self, pressure: f64, friction: [f64; 2]) -> [Twist; 2] {
        let along = friction[0] * self.tangents[0] + friction[1] * self.tangents[1];
        let mut of =
            [Twist::of_impulse(along, self.arms[0]), Twist::of_impulse(-along, self.arms[1])];
        of[0].add(-pressure, &self.rows[0]);
        of[1].add(pressure, &self.rows[1]);
        of
    }

    /// J M⁻¹ Jᵀ of R and of K (PT23 appendix A: the diagonal of pressure).
    pub fn mobility(&self, bodies: [&Body; 2]) -> [f64; 2] {
        [bodies[0].mobility(&self.rows[0]), bodies[1].mobility(&self.rows[1])]
    }

    /// The largest tangential motion of m that a unit impulse there causes, of R and of K: the
    /// larger eigenvalue of the 2 × 2 matrix whose trace PT23 takes (eq. A.12).
    pub fn tangent_mobility(&self, bodies: [&Body; 2]) -> [f64; 2] {
        std::array::from_fn(|side| {
            let impulse = self.tangents.map(|t| Twist::of_impulse(t, self.arms[side]));
            let response = impulse.map(|impulse| bodies[side].response(&impulse));
            let [a, b] = [impulse[0].dot(&response[0]), impulse[1].dot(&response[1])];
            let mixed = impulse[0].dot(&response[1]);
            0.5 * (a + b) + (0.25 * (a - b).powi(2) + mixed * mixed).sqrt()
        })
    }

    /// How much a unit of friction changes what a unit of pressure is there to change.
    pub fn entanglement(&self, bodies: [&Body; 2]) -> f64 {
        let along = |tangent: DVec3| -> f64 {
            let of = |side: usize| {
                let impulse = Twist::of_impulse(tangent, self.arms[side]);
                self.rows[side].dot(&bodies[side].response(&impulse))
            };
            of(0) + of(1)
        };
        let [a, b] = self.tangents.map(along);
        a.hypot(b)
    }

    /// How deep the two are in each other, in h.
    pub fn depth(&self) -> f64 {
        self.overlap.max(0.0) / self.strength
    }
}
