//! What holds vertices to where they would go by themselves: inertia, the springs of driven
//! vertices, and drag.

use glam::DVec3;
use splashdown_solve::newton::Energy;

use crate::assembly::Assembly;
use crate::objective::Objective;

/// ½ Σ w |x − x̂|² + ½ Σ c |x − xⁿ|² of the vertices that move.
pub struct Inertia<'a>(pub &'a Objective<'a>);

impl Inertia<'_> {
    /// ĥ² c m / Δt of a vertex that is damped at the rate c.
    fn drag(&self, v: usize) -> f64 {
        let Objective { solids, scale, dt, .. } = self.0;
        scale * solids.drag[v] * solids.mass[v] / dt
    }

    /// Of guests.
    fn beyond_vertices(&self) -> std::ops::Range<usize> {
        self.0.solids.position.len()..self.0.goal.len()
    }
}

impl Energy<Assembly<'_>> for Inertia<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let Objective { solids, weight, goal, unknowns, .. } = self.0;
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
        let Objective { solids, weight, goal, .. } = self.0;
        for v in self.beyond_vertices() {
            gradient[v] += weight[v] * (x[v] - goal[v]);
        }
        for (v, gradient) in gradient[..solids.position.len()].iter_mut().enumerate() {
            *gradient += weight[v] * (x[v] - goal[v]) + self.drag(v) * (x[v] - solids.position[v]);
        }
    }

    fn add_hessian(&self, _x: &[DVec3], hessian: &mut Assembly<'_>) {
        for v in 0..self.0.solids.position.len() {
            hessian.add_own(v as u32, self.0.weight[v] + self.drag(v));
        }
        self.beyond_vertices().for_each(|v| hessian.add_own(v as u32, self.0.weight[v]));
    }
}
