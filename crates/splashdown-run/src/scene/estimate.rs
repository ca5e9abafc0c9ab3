//! What a scene will need: particles, memory, and what to be warned of.

use splashdown_solids::surface::Surface;

use super::Built;
use super::needs::{BYTES_PER_FLUID_PARTICLE, BYTES_PER_PARTICLE, Need};
use crate::sources::DropEmitter;
use crate::world::{Emitter, Fluid, Solid, TimeStep};

/// What a scene will need.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Every fluid and solid with its number of particles, in the order of the scene.
    pub objects: Vec<ObjectCount>,
    /// Fluid particles at the start.
    pub fluid_particles: u64,
    /// Solid particles.
    pub solid_particles: u64,
    /// Particles that emitters and showers may add during the run, at most.
    pub emitted_particles: u64,
    /// Fluid particles that surfaces with a barrier keep off at a time, at most: about one for
    /// each square of a spacing of what may get wet. Zero without a barrier.
    pub guests: u64,
    /// Memory for the particles at the start, bytes.
    pub memory: u64,
    /// Memory with all that emitters may add, bytes.
    pub memory_at_end: u64,
    /// Frames that the run writes, with that of the initial state.
    pub frames: u64,
    /// What may not be meant so.
    pub warnings: Vec<String>,
}

/// A fluid or solid and its number of particles.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectCount {
    /// As in the scene.
    pub name: String,
    /// "fluid", "solid", "body" (a rigid one), "elastic", whose vertices are counted, or "samples",
    /// the particles that fluid sees of an elastic body.
    pub kind: &'static str,
    /// At the start, of all copies together.
    pub particles: u64,
    /// How many alike there are.
    pub copies: u64,
    /// Of one rigid or elastic body, kg (2D: per metre of depth); 0 for fluids and other solids.
    pub mass: f64,
}

impl ObjectCount {
    fn fluid(fluid: &Fluid) -> ObjectCount {
        let particles = fluid.range.len() as u64;
        ObjectCount { name: fluid.name.clone(), kind: "fluid", particles, copies: 1, mass: 0.0 }
    }

    fn solid(solid: &Solid) -> ObjectCount {
        let mass = solid.body().map_or(0.0, |body| body.mass);
        let kind = if solid.body().is_some() { "body" } else { "solid" };
        let particles = solid.range.len() as u64;
        ObjectCount { name: solid.name.clone(), kind, particles, copies: 1, mass }
    }

    fn elastic(name: &str, vertices: usize, mass: f64) -> ObjectCount {
        let (name, particles) = (name.to_owned(), vertices as u64);
        ObjectCount { name, kind: "elastic", particles, copies: 1, mass }
    }

    /// Something that was not sampled.
    pub(super) fn counted(need: &Need) -> ObjectCount {
        let small = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
        ObjectCount {
            name: need.name.clone(),
            kind: need.kind,
            particles: small(need.count),
            copies: small(need.copies),
            mass: 0.0,
        }
    }

    /// Whether `other` is the next copy of the same thing: `stone-2` after `stone-1`.
    fn goes_on_with(&self, other: &ObjectCount) -> bool {
        fn stem(name: &str) -> Option<&str> {
            let (stem, number) = name.rsplit_once('-')?;
            number.bytes().all(|b| b.is_ascii_digit()).then_some(stem)
        }
        let alike = self.kind == other.kind && self.mass == other.mass;
        alike && stem(&self.name).is_some() && stem(&self.name) == stem(&other.name)
    }
}

/// Estimates what a scene will need.
pub fn estimate(built: &Built) -> Estimate {
    let world = &built.world;
    let mut objects: Vec<ObjectCount> = world.fluids.iter().map(ObjectCount::fluid).collect();
    for solid in world.stiff_solids().iter().map(ObjectCount::solid) {
        match objects.last_mut() {
            Some(last) if last.goes_on_with(&solid) => {
                last.copies += 1;
                last.particles += solid.particles;
            }
            _ => objects.push(solid),
        }
    }
    for (k, name) in world.elastic.names.iter().enumerate() {
        let vertices = world.elastic.solids.bodies[k].vertices.len();
        objects.push(ObjectCount::elastic(name, vertices, world.elastic.solids.centre(k).0));
        let samples = |solid: &&Solid| solid.deforming().is_some_and(|samples| samples.body == k);
        let samples = world.solids.iter().find(samples);
        objects.extend(samples.map(|s| ObjectCount { kind: "samples", ..ObjectCount::solid(s) }));
    }
    for counted in &built.counted {
        match objects.iter_mut().find(|o| (o.kind, &o.name) == (counted.kind, &counted.name)) {
            Some(object) => object.particles = object.particles.saturating_add(counted.particles),
            None => objects.push(counted.clone()),
        }
    }
    let count = |kinds: &[&str]| {
        let counted = objects.iter().filter(|o| kinds.contains(&o.kind));
        counted.map(|o| o.particles).fold(0, u64::saturating_add)
    };
    let (fluid_particles, solid_particles) =
        (count(&["fluid"]), count(&["solid", "body", "samples"]));
    let emitted_particles = emitted(built);
    let memory = bytes(fluid_particles, solid_particles).saturating_add(built.elastic_bytes);
    let more = bytes(emitted_particles, 0);
    Estimate {
        fluid_particles,
        solid_particles,
        emitted_particles,
        guests: guests(built).min(fluid_particles.saturating_add(emitted_particles)),
        memory,
        memory_at_end: memory.saturating_add(more),
        frames: (built.output.duration * built.output.frames_per_second) as u64 + 1,
        warnings: warnings(built, fluid_particles),
        objects,
    }
}

fn guests(built: &Built) -> u64 {
    let elastic = &built.world.elastic;
    if elastic.guests.is_none() {
        return 0;
    }
    let Surface { triangles, segments, particles, .. } = &elastic.solids.surface;
    let is_shell = |t: &[u32; 3]| elastic.solids.offset[t[0] as usize] > 0.0;
    let sides = triangles.iter().map(|(t, area)| if is_shell(t) { 2.0 * area } else { *area });
    let thin = segments.iter().map(|(_, a)| *a).chain(particles.iter().map(|(_, a)| *a));
    ((sides.sum::<f64>() + thin.sum::<f64>()) / built.world.spacing.powi(2)) as u64
}

fn bytes(fluid: u64, solid: u64) -> u64 {
    let (fluid, solid) = (u128::from(fluid), u128::from(solid));
    let bytes = fluid * BYTES_PER_FLUID_PARTICLE + (fluid + solid) * BYTES_PER_PARTICLE;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn emitted(built: &Built) -> u64 {
    let (world, duration) = (&built.world, built.output.duration);
    let emitters = world.emitters.iter().map(|e| emitted_by(e, world.spacing, duration));
    let showers = world.drop_emitters.iter().map(|s| rained_by(s, duration));
    emitters.chain(showers).fold(0, u64::saturating_add)
}

/// Layers times particles per layer, for the speeds at many times of the run.
pub(super) fn emitted_by(emitter: &Emitter, spacing: f64, duration: f64) -> u64 {
    const SAMPLES: u32 = 1000;
    let dt = duration / f64::from(SAMPLES);
    let travelled: f64 = (0..SAMPLES)
        .map(|k| (f64::from(k) + 0.5) * dt)
        .filter(|t| (emitter.start..emitter.end).contains(t))
        .map(|t| emitter.speed.at(t).max(0.0) * dt)
        .sum();
    let particles = (travelled / spacing).ceil() * emitter.layer.len() as f64;
    (particles as u64).min(emitter.limit)
}

/// Drops times particles per drop.
pub(super) fn rained_by(shower: &DropEmitter, duration: f64) -> u64 {
    shower.drops_before(duration).saturating_mul(shower.drop.len() as u64)
}

fn warnings(built: &Built, fluid_particles: u64) -> Vec<String> {
    let world = &built.world;
    let mut warnings = Vec::new();
    if world.solids.is_empty() && world.gravity.length() > 0.0 && fluid_particles > 0 {
        warnings.push("there is no solid: the fluid will fall for ever".to_string());
    }
    let densities = || world.fluids.iter().map(|fluid| fluid.density);
    let ratio = densities().fold(0.0, f64::max) / densities().fold(f64::INFINITY, f64::min);
    if ratio > 10.0 {
        warnings
            .push(format!("densities differ by a factor of {ratio:.0}; above 10 may be unstable"));
    }
    if let TimeStep::Fixed(dt) = world.time_step {
        let fastest = world.particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        let fall = (2.0 * world.gravity.length() * height(built)).sqrt();
        if fastest.max(fall) * dt > world.spacing {
            warnings.push(format!(
                "with a fixed time step of {dt} s, fluid may travel more than one spacing per step"
            ));
        }
    }
    warnings
}

/// How far the fluid reaches along gravity.
fn height(built: &Built) -> f64 {
    let world = &built.world;
    let Some(down) = world.gravity.try_normalize() else { return 0.0 };
    let fluid = world.fluids.iter().flat_map(|f| &world.particles.position[f.range.clone()]);
    let (low, high) = fluid
        .map(|p| p.dot(down))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |b, x| (b.0.min(x), b.1.max(x)));
    (high - low).max(0.0)
}
