//! The whole state of a simulation.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::body::{FrictionPairs, RigidBody};
use crate::boundary::solid_of;
pub use crate::boundary::{Carrier, Solid};
use crate::bounds::Bounds;
use crate::deforming::Samples;
use crate::elastic::Elastic;
pub use crate::error::StepError;
pub use crate::loads::{Load, Loads};
use crate::math::{DVec3, Dimension, Pose};
pub use crate::mesh::{TriangleMesh, WettedSurface};
use crate::method::Method;
use crate::particles::kernel::{Kernel, KernelKind};
use crate::particles::space::Space;
use crate::particles::store::{NewParticle, Particles};
pub use crate::report::{GridReport, NEWTON_PHASES, PHASES, Solve, SolveKind, StepReport};
use crate::rigid::contact_history::StickState;
use crate::rigid::system::RigidSystem;
use crate::scratch::Scratch;
use crate::solve::Stop;
pub use crate::sources::{DropEmitter, Emitter, Sink};
pub use crate::sph::fluid::{Fluid, Viscosity};
pub use crate::sph::pressure::settings::{
    BoundaryPressure, FluidTension, LinearSolver, PotentialSettings, PressureSettings,
    PressureSolver,
};
use crate::sph::system::FluidSystem;
use crate::sph::tension::{FluidSurface, TensionSettings};
use crate::state::{Persist, State};
use crate::units::StepUnits;

/// The whole state of a simulation, with public fields: look at what you like.
#[derive(Clone, Debug)]
pub struct World {
    /// 2D or 3D.
    pub dimension: Dimension,
    /// Distance h between particles at rest, m.
    pub spacing: f64,
    /// m/s²
    pub gravity: DVec3,
    /// After which the world repeats along each axis, m; zero where it does not. At least six
    /// spacings. Fluid is kept in [0, period); solids may be anywhere.
    pub period: DVec3,
    /// Where all this takes place, if there is an end to it.
    pub bounds: Option<Bounds>,
    /// State: fluid particles that have left the bounds so far.
    pub lost: u64,
    /// The smoothing kernel.
    pub kernel: KernelKind,
    /// All particles: fluids first, then solids.
    pub particles: Particles,
    /// Fluids; `fluids[k].range` are its particles.
    pub fluids: Vec<Fluid>,
    /// Static, kinematic and rigid bodies; `solids[k].range` are its particles.
    pub solids: Vec<Solid>,
    /// Where new fluid comes from.
    pub emitters: Vec<Emitter>,
    /// Where drops appear.
    pub drop_emitters: Vec<DropEmitter>,
    /// Where fluid disappears.
    pub sinks: Vec<Sink>,
    /// How time steps are made.
    pub method: Method,
    /// Dry friction of particular pairs of solids.
    pub friction_pairs: FrictionPairs,
    /// Elastic bodies.
    pub elastic: Elastic,
    /// State: contacts of rigid bodies that stick, sorted by particle and other solid.
    pub contact_history: Vec<StickState>,
    /// How surface tension is computed and solved for.
    pub tension: TensionSettings,
    /// How the time step is chosen.
    pub time_step: TimeStep,
    /// Where in time we are.
    pub clock: Clock,
    /// Memory of the method: no part of the state.
    pub(crate) scratch: Scratch,
    /// A request to stop: a step that is being computed ends at once, and the world is as it was
    /// before.
    pub stop: Stop,
}

/// How the time step is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeStep {
    /// Always the same (but cut to meet frame times), s.
    Fixed(f64),
    /// From the Courant condition.
    Adaptive {
        /// Share of h that the fastest particle may travel in a step.
        cfl: f64,
        /// Never below this, s.
        min: f64,
        /// Never above this, s.
        max: f64,
    },
}

/// Where in time we are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Simulated time, s.
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// Length of the last step, s; 0 before the first.
    pub dt: f64,
    /// The identity of the next particle that is made.
    pub next_id: u32,
}

impl World {
    /// An empty world with the usual settings.
    pub fn new(dimension: Dimension, spacing: f64) -> World {
        World {
            dimension,
            spacing,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            period: DVec3::ZERO,
            bounds: None,
            lost: 0,
            kernel: KernelKind::default(),
            particles: Particles::default(),
            fluids: Vec::new(),
            solids: Vec::new(),
            emitters: Vec::new(),
            drop_emitters: Vec::new(),
            sinks: Vec::new(),
            method: Method::default(),
            friction_pairs: FrictionPairs::default(),
            elastic: Elastic::default(),
            contact_history: Vec::new(),
            tension: TensionSettings::default(),
            time_step: TimeStep::default(),
            clock: Clock::default(),
            scratch: Scratch::default(),
            stop: Stop::default(),
        }
    }

    /// Adds a fluid with particles at `positions` and returns its range. Fluids come before solids.
    pub fn add_fluid(
        &mut self,
        name: &str,
        density: f64,
        viscosity: Viscosity,
        positions: &[DVec3],
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Range<usize> {
        debug_assert!(self.solids.is_empty(), "fluids come before solids");
        let start = self.particles.len();
        let new: Vec<NewParticle> = (start as u32..)
            .zip(positions)
            .map(|(id, &position)| NewParticle {
                position,
                velocity: velocity(position),
                id,
                weight: 1.0,
                density: density as f32,
            })
            .collect();
        self.particles.insert(start, &new);
        self.clock.next_id += new.len() as u32;
        let surface = FluidSurface::NONE;
        let (name, range) = (name.to_owned(), start..start + new.len());
        let fluid = Fluid { name, range: range.clone(), density, viscosity, surface };
        self.fluids.push(fluid);
        range
    }

    /// Adds a solid; `solid.local` are its particles in the body's frame.
    pub fn add_solid(&mut self, mut solid: Solid) {
        let start = self.particles.len();
        solid.pose = solid.motion().pose(self.clock.time).then_after(&solid.placement);
        let velocity = solid.prepare_body(self.spacing, self.dimension);
        let new: Vec<NewParticle> = (start as u32..)
            .zip(&solid.local)
            .map(|(id, &local)| NewParticle {
                position: self.dimension.flatten(solid.pose.apply(local)),
                velocity: velocity(local),
                id,
                weight: 0.0, // until the first step measures it
                density: 0.0,
            })
            .collect();
        self.particles.insert(start, &new);
        self.clock.next_id += new.len() as u32;
        solid.range = start..start + new.len();
        self.solids.push(solid);
    }

    /// Adds the samples that fluid sees of an elastic body. These come after all other solids.
    pub fn add_samples(&mut self, solid: Solid) {
        debug_assert!(solid.deforming().is_some(), "samples of an elastic body");
        self.add_solid(solid);
        self.carry_samples();
    }

    /// All solids but the samples of elastic bodies, which come last.
    pub fn stiff_solids(&self) -> &[Solid] {
        &self.solids[..self.solids.partition_point(|solid| solid.deforming().is_none())]
    }

    /// The samples of all elastic bodies.
    pub(crate) fn samples(&self) -> Samples<'_> {
        let solids = self.solids.iter().filter(|solid| solid.deforming().is_some());
        let starts = solids.clone().map(|solid| solid.range.start);
        let end = self.particles.len();
        let bodies = solids.filter_map(Solid::deforming).collect();
        Samples { bodies, range: starts.min().unwrap_or(end)..end }
    }

    /// Puts the samples of elastic bodies where their meshes are.
    pub(crate) fn carry_samples(&mut self) {
        let Elastic { solids: meshes, .. } = &self.elastic;
        for solid in &self.solids {
            let Some(samples) = solid.deforming() else { continue };
            let (position, velocity) = (&mut self.particles.position, &mut self.particles.velocity);
            let places = position[solid.range.clone()].iter_mut();
            places.zip(samples.gather(&meshes.position)).for_each(|(x, at)| *x = at);
            let velocities = velocity[solid.range.clone()].iter_mut();
            velocities.zip(samples.gather(&meshes.velocity)).for_each(|(v, of)| *v = of);
        }
    }

    /// Number of fluid particles; they come first.
    pub fn fluid_count(&self) -> usize {
        self.fluid_system().fluid_count()
    }

    /// The kernel in this world's dimension.
    pub fn kernel(&self) -> Kernel {
        Kernel { kind: self.kernel, dimension: self.dimension }
    }

    /// Whether any interface costs anything, at any time.
    pub fn has_tension(&self) -> bool {
        self.fluid_system().has_tension()
    }

    /// Whether any fluid rubs on walls, at any time.
    pub fn has_wall_friction(&self) -> bool {
        self.fluids.iter().any(|fluid| fluid.surface.has_wall_friction())
    }

    /// Largest speed of any particle, m/s.
    pub fn max_speed(&self) -> f64 {
        let square = |v: &DVec3| v.length_squared();
        self.particles.velocity.par_iter().map(square).reduce(|| 0.0, f64::max).sqrt()
    }

    /// What the physics of fluids sees of this world.
    pub(crate) fn fluid_system(&self) -> FluidSystem<'_> {
        FluidSystem {
            space: self.space(),
            particles: &self.particles,
            fluids: &self.fluids,
            solids: &self.solids,
            tension: &self.tension,
            time: self.clock.time,
        }
    }

    /// What the physics of rigid bodies sees of this world.
    pub(crate) fn rigid_system(&self) -> RigidSystem<'_> {
        RigidSystem {
            space: self.space(),
            mass_unit: self.reference_density() * self.space().volume(),
            particles: &self.particles,
            solids: &self.solids,
            friction_pairs: &self.friction_pairs,
        }
    }

    /// The solvers' units in a step of length `dt`.
    pub(crate) fn units(&self, dt: f64) -> StepUnits {
        StepUnits { length: self.spacing, time: dt, mass: self.rigid_system().mass_unit }
    }

    /// ρ_ref: the density that the solvers' unit of mass is made of.
    pub(crate) fn reference_density(&self) -> f64 {
        self.fluid_system().reference_density()
    }

    /// The units of length and the kernel.
    pub(crate) fn space(&self) -> Space {
        let World { dimension, spacing, period, kernel, .. } = *self;
        Space { dimension, spacing, period, kernel }
    }

    /// xᵢ − xⱼ, of nearest images if the world repeats.
    pub fn offset(&self, i: usize, j: usize) -> DVec3 {
        self.fluid_system().offset(i, j)
    }

    /// Mass of one particle of fluid `k`, kg (2D: kg per metre of depth).
    pub fn particle_mass(&self, k: usize) -> f64 {
        self.fluids[k].density * self.dimension.volume(self.spacing)
    }

    /// The fluid that particle `i` belongs to.
    pub fn fluid_of(&self, i: usize) -> Option<usize> {
        self.fluid_system().fluid_of(i)
    }

    /// Coefficient of dry friction between solids `a` and `b`: that of the pair, or else the
    /// geometric mean of their own.
    pub fn friction_between(&self, a: usize, b: usize) -> f64 {
        self.rigid_system().friction_between(a, b)
    }

    /// All rigid bodies with their names and places, whichever solver moves them: solids, then
    /// elastic bodies of kind `rigid`.
    pub fn rigid_bodies(&self) -> impl Iterator<Item = (&str, Pose, Cow<'_, RigidBody>)> {
        let solids = self.solids.iter().filter_map(|solid| {
            let body = Cow::Borrowed(solid.body()?);
            Some((solid.name.as_str(), solid.pose, body))
        });
        let elastic = self.elastic.names.iter().enumerate().filter_map(|(k, name)| {
            let (pose, body) = self.elastic.rigid_body(k)?;
            Some((name.as_str(), pose, Cow::Owned(body)))
        });
        solids.chain(elastic)
    }

    /// The solid that particle `i` belongs to.
    pub fn solid_of(&self, i: usize) -> Option<usize> {
        solid_of(&self.solids, i)
    }
}

impl Default for TimeStep {
    fn default() -> TimeStep {
        TimeStep::Adaptive { cfl: 0.4, min: 1e-6, max: 0.005 }
    }
}

impl Persist for Clock {
    fn save(&self, key: &str, state: &mut State) {
        let Clock { time, step, dt, next_id } = *self;
        state.put_f64(&format!("{key}.time"), time);
        state.put_number(&format!("{key}.step"), step);
        state.put_f64(&format!("{key}.dt"), dt);
        state.put_number(&format!("{key}.next_id"), u64::from(next_id));
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        *self = Clock {
            time: state.finite(&format!("{key}.time"))?,
            step: state.number(&format!("{key}.step"))?,
            dt: state.finite(&format!("{key}.dt"))?,
            next_id: u32::try_from(state.number(&format!("{key}.next_id"))?)
                .map_err(|_| format!("{key}.next_id is out of range"))?,
        };
        Ok(())
    }
}
