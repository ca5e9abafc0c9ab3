//! The whole state of a simulation.

use std::ops::Range;

use crate::body::{CouplingSettings, FrictionPairs, RigidBody};
use crate::bounds::Bounds;
use crate::elastic::Elastic;
use crate::math::{DMat3, DVec3, Dimension, Pose};
pub use crate::mesh::{Skin, TriangleMesh};
use crate::motion::Motion;
use crate::particles::kernel::{Kernel, KernelKind};
use crate::particles::neighbors::Neighbors;
use crate::particles::periodic::nearest;
use crate::particles::store::{NewParticle, Particles};
use crate::rigid::memory::Stick;
use crate::showers::Shower;
use crate::solve::Stop;
use crate::sph::tension::TensionSettings;
use crate::step::Workspace;

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
    pub showers: Vec<Shower>,
    /// Where fluid disappears.
    pub sinks: Vec<Sink>,
    /// How pressure is solved for.
    pub pressure: PressureSettings,
    /// How rigid bodies are coupled to fluids and to each other.
    pub coupling: CouplingSettings,
    /// Dry friction of particular pairs of solids.
    pub friction_pairs: FrictionPairs,
    /// Elastic bodies.
    pub elastic: Elastic,
    /// State: contacts of rigid bodies that stick, sorted by particle and other solid.
    pub sticks: Vec<Stick>,
    /// Surface tension and friction of fluids on walls.
    pub tension: TensionSettings,
    /// How the time step is chosen.
    pub time_step: TimeStep,
    /// Where in time we are.
    pub clock: Clock,
    /// Memory of the step, rebuilt every time: no part of the state.
    pub(crate) workspace: Workspace,
    /// A request to stop: a step that is being computed ends at once, and the world is as it was
    /// before.
    pub stop: Stop,
}

/// A liquid of one density and viscosity.
#[derive(Clone, Debug)]
pub struct Fluid {
    /// As in the scene.
    pub name: String,
    /// Its particles.
    pub range: Range<usize>,
    /// Rest density, kg/m³.
    pub density: f64,
    /// Internal friction.
    pub viscosity: Viscosity,
}

/// The viscosity model of a fluid.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Viscosity {
    /// Which model.
    pub model: ViscosityModel,
    /// Dynamic viscosity μ in Pa·s (`Laplacian`, `Weiler2018`); the dimensionless α of `Artificial`
    /// or of `Xsph`.
    pub coefficient: f64,
    /// The same against walls.
    pub boundary: f64,
}

/// How internal friction is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ViscosityModel {
    /// Inviscid.
    #[default]
    None,
    /// Explicit artificial viscosity (Monaghan 1992).
    Artificial,
    /// Velocity smoothing (Monaghan 1989; Schechter & Bridson 2012).
    Xsph,
    /// Implicit, pairwise along the line of centres (Weiler et al. 2018).
    Weiler2018,
    /// Implicit, pairwise Laplacian of every component (Brookshaw 1985; Morris et al. 1997).
    Laplacian,
}

/// A body that is sampled with particles: it stands still, moves as told, or by the forces on it.
#[derive(Clone, Debug)]
pub struct Solid {
    /// As in the scene.
    pub name: String,
    /// Its particles.
    pub range: Range<usize>,
    /// Positions of its particles in the body's frame, in the order of `range`.
    pub local: Vec<DVec3>,
    /// Placement at the current time.
    pub pose: Pose,
    /// Placement in the scene; the pose at time t is `motion.pose(t)` after `placement`.
    pub placement: Pose,
    /// Prescribed motion; static for a rigid body.
    pub motion: Motion,
    /// What makes it a rigid body, if it is one.
    pub body: Option<RigidBody>,
    /// Coefficient of dry friction μ; of two bodies in contact the geometric mean counts.
    pub friction: f64,
    /// How far the samples lie behind the true surface, m (h/2 for closed shapes, 0 for sheets).
    pub inset: f64,
    /// The surface that fluid meets, in the body's frame; empty where it is not closed. Wanted until the first
    /// step has weighed the samples.
    pub skin: Skin,
    /// How much more than its weight each sample counts for fluids, in the order of `range`, so that the body
    /// displaces its volume (`sph::volumes`); empty if not.
    pub displacing: Vec<f32>,
    /// Impulse and its moment about `pose.translation` since the last reset, by cause.
    pub load: Load,
    /// Surface triangles in the body's frame, for pictures and export.
    pub surface: TriangleMesh,
}

impl Solid {
    /// A solid without a surface that stands still, sampled at these places, `inset` behind its surface.
    pub fn fixed(name: &str, local: Vec<DVec3>, inset: f64) -> Solid {
        Solid {
            name: name.to_owned(),
            range: 0..0,
            local,
            pose: Pose::IDENTITY,
            placement: Pose::IDENTITY,
            motion: Motion::Static,
            body: None,
            friction: 0.0,
            inset,
            skin: Skin::default(),
            displacing: Vec::new(),
            load: Load::default(),
            surface: TriangleMesh::default(),
        }
    }
}

/// What fluids and other solids did to a solid over some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Impulse of pressure and surface tension, N·s.
    pub pressure: DVec3,
    /// Impulse of viscosity and of friction of fluids, N·s.
    pub viscous: DVec3,
    /// Angular impulse of pressure about the body's origin, N·m·s.
    pub pressure_moment: DVec3,
    /// Angular impulse of viscosity about the body's origin, N·m·s.
    pub viscous_moment: DVec3,
    /// Impulse of contact with other solids, N·s.
    pub contact: DVec3,
    /// Impulse of dry friction on other solids, N·s.
    pub friction: DVec3,
    /// Angular impulse of contact about the body's origin, N·m·s.
    pub contact_moment: DVec3,
    /// Angular impulse of dry friction about the body's origin, N·m·s.
    pub friction_moment: DVec3,
    /// How long, s.
    pub duration: f64,
}

impl Solid {
    /// Whether it ever moves: as told, or by the forces on it.
    pub fn moves(&self) -> bool {
        self.body.is_some() || !self.motion.is_static()
    }

    /// The rigid body that it is, unless it has left the bounds.
    pub fn dynamic(&self) -> Option<&RigidBody> {
        self.body.as_ref().filter(|body| !body.left)
    }

    /// Velocity of its origin and angular velocity at `time`, m/s and rad/s.
    pub fn velocity(&self, time: f64) -> [DVec3; 2] {
        if let Some(body) = &self.body {
            return [body.velocity, body.angular_velocity(self.pose.rotation)];
        }
        if self.motion.is_static() {
            return [DVec3::ZERO; 2];
        }
        // Prescribed motions are poses; formulas of them need no derivative of their own.
        const STEP: f64 = 1e-5;
        let pose = |t: f64| self.motion.pose(t).then_after(&self.placement);
        let (before, after) = (pose(time - STEP), pose(time + STEP));
        let turn = (after.rotation * before.rotation.inverse()).to_scaled_axis();
        [(after.translation - before.translation) / (2.0 * STEP), turn / (2.0 * STEP)]
    }
}

impl Load {
    /// Adds the impulses of one step of length `dt`.
    pub fn add(&mut self, step: &Load, dt: f64) {
        self.pressure += step.pressure;
        self.viscous += step.viscous;
        self.pressure_moment += step.pressure_moment;
        self.viscous_moment += step.viscous_moment;
        self.contact += step.contact;
        self.friction += step.friction;
        self.contact_moment += step.contact_moment;
        self.friction_moment += step.friction_moment;
        self.duration += dt;
    }
}

/// A source of fluid: layers of particles leave an opening.
#[derive(Clone, Debug)]
pub struct Emitter {
    /// As in the scene.
    pub name: String,
    /// Index into `World::fluids`.
    pub fluid: usize,
    /// Lattice of one layer, in the emitter's frame (x is the direction of flow).
    pub layer: Vec<DVec3>,
    /// Placement.
    pub pose: Pose,
    /// Speed along the emitter's x axis, m/s, as a function of time.
    pub speed: crate::motion::Scalar,
    /// Active from here …
    pub start: f64,
    /// … to here, s.
    pub end: f64,
    /// State: distance the last layer has travelled from the opening, m. A scene starts with the
    /// spacing, so that the first layer leaves at once.
    pub travelled: f64,
    /// State: particles made so far.
    pub emitted: u64,
    /// No more than this many particles.
    pub limit: u64,
}

/// A box in which, or outside which, fluid disappears.
#[derive(Clone, Debug)]
pub struct Sink {
    /// As in the scene.
    pub name: String,
    /// Placement of the box's centre.
    pub pose: Pose,
    /// Half of its edge lengths, m.
    pub half_size: DVec3,
    /// Whether it takes what is outside.
    pub outside: bool,
    /// Active from here …
    pub start: f64,
    /// … to here, s.
    pub end: f64,
    /// State: particles removed so far.
    pub removed: u64,
}

/// Which pressure solver runs, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressureSettings {
    /// IISPH or DFSPH.
    pub solver: PressureSolver,
    /// Pressure at walls.
    pub boundary: BoundaryPressure,
    /// Stop when the mean density error is below this share of the rest density: compression, or
    /// expansion of what is under pressure.
    pub density_error: f64,
    /// DFSPH: stop when the mean rate of that, times dt, is below this.
    pub divergence_error: f64,
    /// At least this many iterations.
    pub min_iterations: u32,
    /// At most this many iterations.
    pub max_iterations: u32,
    /// Share of the last step's pressure to start from, 0 to 1.
    pub warm_start: f64,
}

/// The pressure solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PressureSolver {
    /// Implicit incompressible SPH (Ihmsen et al. 2014).
    Iisph,
    /// Divergence-free SPH (Bender & Koschier 2017).
    #[default]
    Dfsph,
}

/// What pressure a boundary particle shows to the fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BoundaryPressure {
    /// None (Bender et al. 2023).
    #[default]
    Zero,
    /// That of the fluid particle that asks (Akinci et al. 2012).
    Mirrored,
    /// Extrapolated from the fluid by moving least squares (Band et al. 2018).
    Extrapolated,
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

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time after the step, s.
    pub time: f64,
    /// Its length, s.
    pub dt: f64,
    /// Iterations of the density solve.
    pub density_iterations: u32,
    /// Iterations of the divergence solve (DFSPH).
    pub divergence_iterations: u32,
    /// Iterations of the implicit viscosity solve.
    pub viscosity_iterations: u32,
    /// Mean density error left by the density solve, as a share of the rest density.
    pub density_error: f64,
    /// Largest compression of any particle at the start of the step.
    pub max_compression: f64,
    /// Iterations of the solve that contact and friction were part of.
    pub contact_iterations: u32,
    /// Contacts under pressure.
    pub contacts: u32,
    /// Mean residual of contact pressures (Fischer-Burmeister).
    pub contact_error: f64,
    /// Mean residual of friction, in h.
    pub friction_error: f64,
    /// How deep bodies are in each other or in walls at the start of the step, m.
    pub penetration: f64,
    /// Newton iterations of the elastic bodies.
    pub newton_iterations: u32,
    /// Pairs of features of elastic bodies and what they meet that push each other.
    pub elastic_contacts: u32,
    /// Wall-clock seconds of Newton's method for the elastic bodies, in the order of `NEWTON_PHASES`.
    pub newton_seconds: [f64; NEWTON_PHASES.len()],
    /// How often the step was undone and retried.
    pub retries: u32,
    /// Wall-clock time of the iterations of both pressure solves, s: what is done once in a solve is not in it.
    pub sweep_seconds: f64,
    /// Fluid particles made by emitters.
    pub emitted: u64,
    /// Fluid particles that emitters did not make because something was in the way.
    pub blocked: u64,
    /// Fluid particles removed by sinks.
    pub removed: u64,
    /// Fluid particles removed because they left the bounds.
    pub lost: u64,
    /// Wall-clock seconds per phase, in the order of `PHASES`.
    pub seconds: [f64; PHASES.len()],
}

/// Names of the parts of a Newton iteration.
pub const NEWTON_PHASES: [&str; 4] =
    ["assembly", "factorisation", "collision detection", "line search"];

/// Names of the phases of a step.
pub const PHASES: [&str; 8] = [
    "sort",
    "neighbours",
    "divergence solve",
    "viscosity",
    "density solve",
    "loads",
    "elastic",
    "advance",
];

/// Why a step could not be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{} at t = {time:.6} s (position {position:.6}); smallest step tried: {dt:.3e} s", self.told())]
pub struct StepError {
    /// What went wrong, as a phrase.
    pub what: String,
    /// Name of the object concerned.
    pub object: String,
    /// `Particles::id` of the particle concerned; none where an elastic body is.
    pub id: Option<u32>,
    /// Where it was.
    pub position: DVec3,
    /// s
    pub time: f64,
    /// s
    pub dt: f64,
}

impl StepError {
    fn told(&self) -> String {
        let StepError { what, object, .. } = self;
        match self.id {
            Some(id) => format!("{what} of {object} particle {id}"),
            None => format!("elastic body {object}: {what},"),
        }
    }
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
            showers: Vec::new(),
            sinks: Vec::new(),
            pressure: PressureSettings::default(),
            coupling: CouplingSettings::default(),
            friction_pairs: FrictionPairs::default(),
            elastic: Elastic::default(),
            sticks: Vec::new(),
            tension: TensionSettings::default(),
            time_step: TimeStep::default(),
            clock: Clock::default(),
            workspace: Workspace::default(),
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
        let range = start..start + new.len();
        let fluid = Fluid { name: name.to_owned(), range: range.clone(), density, viscosity };
        self.fluids.push(fluid);
        range
    }

    /// Adds a solid; `solid.local` are its particles in the body's frame.
    pub fn add_solid(&mut self, mut solid: Solid) {
        let start = self.particles.len();
        solid.pose = solid.motion.pose(self.clock.time).then_after(&solid.placement);
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

    /// Number of fluid particles; they come first.
    pub fn fluid_count(&self) -> usize {
        self.fluids.last().map_or(0, |fluid| fluid.range.end)
    }

    /// The kernel in this world's dimension.
    pub fn kernel(&self) -> Kernel {
        Kernel { kind: self.kernel, dimension: self.dimension }
    }

    /// The neighbour lists of the last step.
    pub(crate) fn neighbors(&self) -> &Neighbors {
        &self.workspace.neighbors
    }

    /// Writes the matrix of the last Newton iteration of elastic bodies in the Matrix Market format, for comparison
    /// with other solvers.
    pub fn write_elastic_matrix(&self, to: impl std::io::Write) -> std::io::Result<()> {
        self.workspace.elastic.matrix.clone().write(to)
    }

    /// xᵢ − xⱼ, of nearest images if the world repeats.
    pub fn offset(&self, i: usize, j: usize) -> DVec3 {
        let x = &self.particles.position;
        nearest(x[i] - x[j], self.period)
    }

    /// Mass of one particle of fluid `k`, kg (2D: kg per metre of depth).
    pub fn particle_mass(&self, k: usize) -> f64 {
        self.fluids[k].density * self.dimension.volume(self.spacing)
    }

    /// The fluid that particle `i` belongs to.
    pub fn fluid_of(&self, i: usize) -> Option<usize> {
        self.fluids.iter().position(|fluid| fluid.range.contains(&i))
    }

    /// Coefficient of dry friction between solids `a` and `b`: that of the pair, or else the geometric
    /// mean of their own.
    pub fn friction_between(&self, a: usize, b: usize) -> f64 {
        let mean = || (self.solids[a].friction * self.solids[b].friction).sqrt();
        self.friction_pairs.between(a, b).unwrap_or_else(mean)
    }

    /// The solid that particle `i` belongs to.
    pub fn solid_of(&self, i: usize) -> Option<usize> {
        let after = self.solids.partition_point(|solid| solid.range.end <= i);
        self.solids.get(after).filter(|solid| solid.range.contains(&i)).map(|_| after)
    }
}

impl Solid {
    /// Makes the inertia of a body usable: rods, plates and single particles have axes about which they
    /// have none. Returns the velocities of its particles, given their places in its frame.
    fn prepare_body(
        &mut self,
        spacing: f64,
        dimension: Dimension,
    ) -> impl Fn(DVec3) -> DVec3 + use<> {
        let rotation = self.pose.rotation;
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        if let Some(body) = &mut self.body {
            let of_particle = 0.1 * body.mass * spacing * spacing; // a ball of diameter h
            let least = (1e-3 * of_particle).powi(3);
            if dimension == Dimension::Two {
                // Only what is about z counts.
                body.inertia = DMat3::from_diagonal(DVec3::splat(body.inertia.z_axis.z));
            }
            if body.inertia.determinant().abs() < least {
                body.inertia += DMat3::from_diagonal(DVec3::splat(of_particle));
            }
            (linear, angular) = (body.velocity, body.angular_velocity(rotation));
        }
        move |local| linear + angular.cross(rotation * local)
    }
}

impl Default for PressureSettings {
    fn default() -> PressureSettings {
        PressureSettings {
            solver: PressureSolver::default(),
            boundary: BoundaryPressure::default(),
            density_error: 1e-4,
            divergence_error: 1e-3,
            min_iterations: 2,
            max_iterations: 100,
            warm_start: 0.5,
        }
    }
}

impl Default for TimeStep {
    fn default() -> TimeStep {
        TimeStep::Adaptive { cfl: 0.4, min: 1e-6, max: 0.005 }
    }
}
