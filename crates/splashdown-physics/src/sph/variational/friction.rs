//! What pairs exchange by viscosity, P_V (4.14), as numbers.
//!
//!   Cᵢⱼ = a 1 + b gᵢⱼ gᵢⱼᵀ,   P_V = ½ Σ over pairs of uᵢⱼᵀ Cᵢⱼ uᵢⱼ
//!
//! | model      | a                         | b |gᵢⱼ|²                                            |
//! |------------|---------------------------|-----------------------------------------------------|
//! | Weiler2018 | 0                         | 2(d+2) η̂ |w′| q/(q² + 0.04) · 2/(nᵢ + nⱼ), (4.14)   |
//! | Laplacian  | 2 η̂ |w′|/(q L), as (V2)   | 0                                                   |
//!
//! η̂ = η Δt/(ρ_ref h²), n is the number density, 0.04 is the paper's 0.01 ħ² with the support ħ =
//! 2 h, and L as in `sph::viscosity`. (4.14) is Weiler's form: it acts along lines of centres and
//! keeps angular momentum, and on a lattice it misses up to a third of the viscosity. The
//! Laplacian has the value that the scene asks for; as a sum of squares of uᵢⱼ it is a potential
//! just as well. Explicit models are none, and act before.

use rayon::prelude::*;

use super::rows::{Rows, Stretch};
use crate::particles::kernel::Kernel;
use crate::sph::fluid::Viscosity;
use crate::sph::system::FluidSystem;
use crate::sph::viscosity::{harmonic_mean, sliding_layers, wall_stretch};

/// 0.01 ħ², in h².
const SOFTENING: f64 = 0.04;
/// Where the Laplacian stops growing towards coincident particles, in h.
const CLOSEST: f64 = 0.1;

/// Coefficients of a step.
struct Friction<'a> {
    system: &'a FluidSystem<'a>,
    kernel: Kernel,
    /// Δt/(ρ_ref h²)
    unit: f64,
    layers: f64,
    /// By solid.
    stretch: Vec<f64>,
    density: &'a [f64],
}

impl Rows {
    /// Friction of all pairs in a step of length `dt`.
    pub fn rub(&mut self, system: &FluidSystem<'_>, dt: f64) {
        let kernel = system.kernel();
        let h = system.space.spacing;
        let unit = dt / (system.reference_density() * h * h);
        let (layers, stretch) = (sliding_layers(kernel), wall_stretch(system));
        let density = &self.number_density;
        let friction = Friction { system, kernel, unit, layers, stretch, density };
        self.stretches.par_iter_mut().for_each(|stretch| friction.fill(stretch));
    }
}

impl Friction<'_> {
    fn fill(&self, out: &mut Stretch) {
        let (mut fluid, mut walls) = (Vec::new(), Vec::new());
        let own = self.system.fluids[out.fluid].viscosity;
        for k in 0..if own.dynamic() > 0.0 { out.particles.len() } else { 0 } {
            let i = out.particles.start + k;
            fluid.extend(out.neighbors(k).iter().map(|n| {
                let j = n.index as usize;
                let other =
                    self.system.fluid_of(j).map_or(own, |k| self.system.fluids[k].viscosity);
                let eta = harmonic_mean(own.dynamic(), other.dynamic());
                let is_central = is_central(&own) && is_central(&other);
                let crowd = 0.5 * (self.density[i] + self.density[j]);
                self.pair(i, j, n.gradient().length_squared(), eta / crowd, eta, is_central)
            }));
        }
        let boundary = if own.is_implicit() { own.boundary() } else { 0.0 };
        for k in 0..if boundary > 0.0 { out.particles.len() } else { 0 } {
            let i = out.particles.start + k;
            walls.extend(out.walls(k).iter().map(|n| {
                let b = n.index as usize;
                let stretch = self.system.solid_of(b).map_or(1.0, |solid| self.stretch[solid]);
                let eta = boundary * stretch * f64::from(self.system.particles.weight[b]);
                let crowd = 0.5 * (self.density[i] + 1.0);
                let square = n.gradient().length_squared();
                self.pair(i, b, square, eta / crowd, eta, is_central(&own))
            }));
        }
        (out.friction, out.wall_friction) = (fluid, walls);
    }

    /// a and b of a pair; `square` is |g|², `weighed` the viscosity for (4.14), `plain` for (V2).
    fn pair(
        &self,
        i: usize,
        j: usize,
        square: f64,
        weighed: f64,
        plain: f64,
        is_central: bool,
    ) -> [f32; 2] {
        let q = self.system.offset(i, j).length() / self.system.space.spacing;
        let slope = -self.kernel.dw(q);
        if !is_central {
            return [
                (2.0 * plain * self.unit * slope / (q.max(CLOSEST) * self.layers)) as f32,
                0.0,
            ];
        }
        if square < 1e-30 {
            return [0.0; 2]; // there is no line between them, or they are at the end of the support
        }
        let d = self.kernel.dimension.count() as f64;
        let along = 2.0 * (d + 2.0) * weighed * self.unit * slope * q / (q * q + SOFTENING);
        [0.0, (along / square) as f32]
    }
}

fn is_central(viscosity: &Viscosity) -> bool {
    matches!(viscosity, Viscosity::Weiler2018(_))
}
