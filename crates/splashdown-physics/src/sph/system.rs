//! What the physics of fluids sees: particles of fluids and solids, and what they are made of.

use crate::boundary::{Solid, solid_of};
use crate::math::DVec3;
use crate::particles::kernel::Kernel;
use crate::particles::space::Space;
use crate::particles::store::Particles;
use crate::sph::fluid::Fluid;
use crate::sph::tension::TensionSettings;

/// Fluids and the solids around them at the beginning of a step, to look at.
#[derive(Clone, Copy, Debug)]
pub struct FluidSystem<'a> {
    /// Units and kernel.
    pub space: Space,
    /// All particles: fluids first, then solids.
    pub particles: &'a Particles,
    /// In the order of their particles.
    pub fluids: &'a [Fluid],
    /// In the order of their particles.
    pub solids: &'a [Solid],
    /// How surface tension is computed.
    pub tension: &'a TensionSettings,
    /// s
    pub time: f64,
}

impl FluidSystem<'_> {
    /// Number of fluid particles.
    pub fn fluid_count(&self) -> usize {
        self.fluids.last().map_or(0, |fluid| fluid.range.end)
    }

    /// The kernel in this dimension.
    pub fn kernel(&self) -> Kernel {
        self.space.kernel()
    }

    /// xᵢ − xⱼ, of nearest images if the world repeats, m.
    // Always: a call for each pair costs a tenth of a step of `sessile-droplet`.
    #[inline(always)]
    pub fn offset(&self, i: usize, j: usize) -> DVec3 {
        let x = &self.particles.position;
        self.space.between(x[i], x[j])
    }

    /// From the origin of `solid` to particle `i`, in h.
    pub fn arm(&self, i: usize, solid: usize) -> DVec3 {
        self.space.arm(self.particles.position[i], self.solids[solid].pose.translation)
    }

    /// The fluid that particle `i` belongs to.
    pub fn fluid_of(&self, i: usize) -> Option<usize> {
        self.fluids.iter().position(|fluid| fluid.range.contains(&i))
    }

    /// The first particle that is a sample of an elastic body: all after it are.
    pub fn first_sample(&self) -> usize {
        let deforming = self.solids.iter().find(|solid| solid.deforming().is_some());
        deforming.map_or(self.particles.len(), |solid| solid.range.start)
    }

    /// The solid that particle `i` belongs to.
    pub fn solid_of(&self, i: usize) -> Option<usize> {
        solid_of(self.solids, i)
    }

    /// ρ_ref: the density that the solvers' unit of mass is made of, kg/m³.
    pub fn reference_density(&self) -> f64 {
        self.fluids.first().map_or(1000.0, |fluid| fluid.density)
    }

    /// μ of each fluid: its density over ρ_ref.
    pub fn relative_masses(&self) -> Vec<f64> {
        let reference = self.reference_density();
        self.fluids.iter().map(|fluid| fluid.density / reference).collect()
    }

    /// Whether any interface costs anything, at any time.
    pub fn has_tension(&self) -> bool {
        self.fluids.iter().any(|fluid| fluid.surface.acts() != [false; 3]) || self.walls_act()
    }

    /// Whether surfaces of walls cost anything of their own, at any time.
    pub fn walls_act(&self) -> bool {
        self.solids.iter().any(|solid| solid.wetting.acts())
    }

    /// Support of the kernel for interfaces, in h.
    pub fn surface_support(&self) -> f64 {
        self.tension.calibration.support(self.space.dimension)
    }
}
