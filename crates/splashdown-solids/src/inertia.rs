//! What holds vertices to where they would go by themselves: inertia, the springs of driven
//! vertices, and drag.

use glam::DVec3;
use splashdown_solve::newton::Energy;

use crate::assembly::Assembly;
use crate::solids::Solids;
use crate::unknowns::Unknowns;

/// ½ Σ w |x − x̂|² + ½ Σ c |x − xⁿ|² of the vertices that move.
#[derive(Clone, Copy)]
pub struct Inertia<'a> {
    /// The state at the beginning of the step.
    pub solids: &'a Solids,
    /// x̂
    pub goal: &'a [DVec3],
    /// w
    pub weight: &'a [f64],
    /// Which vertices move.
    pub unknowns: &'a Unknowns,
    /// Δt
    pub dt: f64,
    /// ĥ²
    pub scale: f64,
}

impl Inertia<'_> {
    /// ĥ² c m / Δt of a vertex that is damped at the rate c.
    fn drag(&self, v: usize) -> f64 {
        let Inertia { solids, scale, dt, .. } = self;
        scale * solids.drag[v] * solids.mass[v] / dt
    }

    /// Of guests.
    fn beyond_vertices(&self) -> std::ops::Range<usize> {
        self.solids.position.len()..self.goal.len()
    }
}

impl Energy<Assembly<'_>> for Inertia<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let Inertia { solids, weight, goal, unknowns, .. } = self;
        let of_vertex = |v: usize| {
            let moved = (x[v] - solids.position[v]).length_squared();
            0.5 * weight[v] * (x[v] - goal[v]).length_squared() + 0.5 * self.drag(v) * moved
        };
        let vertices = 0..solids.position.len();
        let sum: f64 = vertices.filter(|&v| unknowns.moves(v)).map(of_vertex).sum();
        let of_guest = |v: usize| 0.5 * weight[v] * (x[v] - goal[v]).length_squared();
        sum + self.beyond_vertices().map(of_guest).sum::<f64>()
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let Inertia { solids, weight, goal, .. } = self;
        for v in self.beyond_vertices() {
            gradient[v] += weight[v] * (x[v] - goal[v]);
        }
        for (v, gradient) in gradient[..solids.position.len()].iter_mut().enumerate() {
            *gradient += weight[v] * (x[v] - goal[v]) + self.drag(v) * (x[v] - solids.position[v]);
        }
    }

    fn add_hessian(&self, _x: &[DVec3], hessian: &mut Assembly<'_>) {
        for v in 0..self.solids.position.len() {
            hessian.add_own(v as u32, self.weight[v] + self.drag(v));
        }
        self.beyond_vertices().for_each(|v| hessian.add_own(v as u32, self.weight[v]));
    }
}
