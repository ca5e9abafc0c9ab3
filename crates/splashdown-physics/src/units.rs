//! The units of the solvers: lengths in h, times in Δt, masses in ρ_ref hᵈ.

/// What one is in a step, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepUnits {
    /// h: the distance between particles, m.
    pub length: f64,
    /// Δt: the length of the step, s.
    pub time: f64,
    /// ρ_ref hᵈ: the mass of a particle of the first fluid, kg (2D: per metre of depth).
    pub mass: f64,
}

impl StepUnits {
    /// N
    pub fn force(&self) -> f64 {
        self.mass * self.length / (self.time * self.time)
    }

    /// Forces of one newton.
    pub fn per_newton(&self) -> f64 {
        self.time * self.time / (self.mass * self.length)
    }

    /// N s: a particle of the first fluid that moves one spacing in the step.
    pub fn impulse(&self) -> f64 {
        self.mass * self.length / self.time
    }
}
