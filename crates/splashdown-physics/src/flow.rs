//! What sources, sinks and bounds do to a world after a step.
//!
//! An emitter pushes a lattice of particles through its opening, layer by layer, like a piston: the
//! layers in its mouth move exactly as told, whatever the pressure in front of them, and a new one
//! appears one spacing behind the last as soon as there is room. Nothing is remembered but the
//! distance that the last layer has come, so that a resumed run emits the same particles.
//!
//! An opening in the middle of a fluid needs a nozzle around it: otherwise the fluid beside it
//! flows into the gap behind the layers and takes their room.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::bounds::Bounds;
use crate::math::{DVec3, Pose};
use crate::particles::store::NewParticle;
use crate::report::Flow;
use crate::sources::Emitter;
use crate::world::World;

/// Length of the mouth in which the emitter drives the fluid, in h: the two newest layers.
const MOUTH: f64 = 2.0;
/// No particle is made nearer than this to another one, in h.
const CLEARANCE: f64 = 0.6;

/// A driven particle is on its place of the lattice to this accuracy, in h.
const ON_LATTICE: f64 = 1e-3;

/// The square of a layer that a place on the lattice belongs to.
fn square(on_lattice: DVec3) -> (i64, i64) {
    (on_lattice.y.round() as i64, on_lattice.z.round() as i64)
}

/// Largest speed of any emitter at the current time, m/s.
pub(crate) fn emitter_speed(world: &World) -> f64 {
    let speed = |emitter: &Emitter| emitter.speed.at(world.clock.time).max(0.0);
    world.emitters.iter().map(speed).fold(0.0, f64::max)
}

/// Particles in the mouths of emitters with the velocities they have during a step of length `dt`:
/// layers on their way out, not what has come in from elsewhere.
pub(crate) fn driven_particles(world: &World, dt: f64) -> Vec<(usize, DVec3)> {
    let (time, h) = (world.clock.time, world.spacing);
    let mut driven = Vec::new();
    for emitter in world.emitters.iter().filter(|emitter| emitter.is_open(time, dt)) {
        let axis = emitter.pose.rotation * DVec3::X;
        let velocity = world.dimension.flatten(axis * (emitter.advance(time, dt) / dt));
        let lattice = |&p: &DVec3| emitter.on_lattice(p, h);
        let squares: HashSet<_> = emitter.layer.iter().map(|p| square(lattice(p))).collect();
        let in_mouth = |i: &usize| {
            let away = world.particles.position[*i] - emitter.pose.translation;
            if !(-h..(MOUTH + 1.0) * h).contains(&away.dot(axis)) {
                return false; // nearly all are far away
            }
            let local = emitter.pose.inverse_apply(world.particles.position[*i]);
            let place = lattice(&local);
            (-0.5 * h..MOUTH * h).contains(&local.x)
                && (place - place.round()).abs().max_element() < ON_LATTICE
                && squares.contains(&square(place))
        };
        let range = world.fluids[emitter.fluid].range.clone();
        let found: Vec<usize> = range.into_par_iter().filter(in_mouth).collect();
        driven.extend(found.into_iter().map(|i| (i, velocity)));
    }
    driven
}

/// Lets in and takes out over the step of length `dt` that has just moved all particles and began
/// at `began`.
pub(crate) fn run(world: &mut World, began: f64, dt: f64) -> Flow {
    let mut flow = Flow::default();
    run_emitters(world, began, dt, &mut flow);
    run_drop_emitters(world, began, &mut flow);
    flow.removed = run_sinks(world);
    flow.lost = take_out_what_left(world);
    flow
}

fn run_emitters(world: &mut World, began: f64, dt: f64, flow: &mut Flow) {
    for e in 0..world.emitters.len() {
        let advance = world.emitters[e].advance(began, dt);
        world.emitters[e].travelled += advance;
        while advance > 0.0 && world.emitters[e].travelled >= world.spacing {
            world.emitters[e].travelled -= world.spacing;
            let (emitted, blocked) = emit_layer(world, e, advance / dt);
            flow.emitted += emitted;
            flow.blocked += blocked;
        }
    }
}

/// Returns how many particles disappeared.
fn run_sinks(world: &mut World) -> u64 {
    let mut all = 0;
    for s in 0..world.sinks.len() {
        let sink = &world.sinks[s];
        if !(sink.start..=sink.end).contains(&world.clock.time) {
            continue;
        }
        let stays = |p: &DVec3| !sink.takes(*p);
        let fluid = &world.particles.position[..world.fluid_count()];
        let keep: Vec<bool> = fluid.par_iter().map(stays).collect();
        let removed = retain_fluid(world, &keep);
        world.sinks[s].removed += removed;
        all += removed;
    }
    all
}

/// Makes one layer at the place the last one has left; returns how many particles it made and how
/// many had no room.
fn emit_layer(world: &mut World, e: usize, speed: f64) -> (u64, u64) {
    let emitter = &world.emitters[e];
    let left = (emitter.limit - emitter.emitted) as usize;
    let ahead = DVec3::X * emitter.travelled;
    let places: Vec<DVec3> = emitter.layer.iter().map(|&p| p + ahead).collect();
    let is_free = room_around(world, &emitter.pose, &places);
    let free: Vec<DVec3> = places.iter().copied().filter(is_free).collect();
    let blocked = (places.len() - free.len()) as u64;
    let velocity = world.dimension.flatten(emitter.pose.rotation * DVec3::X * speed);
    let new: Vec<NewParticle> = (world.clock.next_id..)
        .zip(free.iter().take(left))
        .map(|(id, &place)| NewParticle {
            position: world.dimension.flatten(emitter.pose.apply(place)),
            velocity,
            id,
            weight: 1.0,
            density: world.fluids[emitter.fluid].density as f32,
        })
        .collect();
    let (fluid, emitted) = (emitter.fluid, new.len());
    insert_fluid(world, fluid, &new);
    world.emitters[e].emitted += emitted as u64;
    world.clock.next_id += emitted as u32;
    (emitted as u64, blocked)
}

/// Says of a place in the frame of a source whether nothing is near it. `places` are all that will
/// be asked about.
fn room_around(world: &World, pose: &Pose, places: &[DVec3]) -> impl Fn(&DVec3) -> bool + use<> {
    let clearance = CLEARANCE * world.spacing;
    let bounds = crate::math::Aabb::around(places.iter().copied()).grown(clearance);
    let near: Vec<DVec3> = world
        .particles
        .position
        .par_iter()
        .map(|&p| pose.inverse_apply(p))
        .filter(|&p| bounds.contains(p))
        .collect();
    let cell = move |p: DVec3| (p / clearance).floor().as_i64vec3().to_array();
    let mut cells: HashMap<[i64; 3], Vec<DVec3>> = HashMap::new();
    for p in near {
        cells.entry(cell(p)).or_default().push(p);
    }
    move |&place| {
        let [x, y, z] = cell(place);
        let around = (0..27).map(|k| [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1]);
        let mut others = around.filter_map(|key| cells.get(&key)).flatten();
        !others.any(|other| other.distance(place) < clearance)
    }
}

/// Adds particles to fluid `k`; everything behind them moves up.
fn insert_fluid(world: &mut World, k: usize, new: &[NewParticle]) {
    let count = new.len();
    world.particles.insert(world.fluids[k].range.end, new);
    world.fluids[k].range.end += count;
    let later = world.fluids[k + 1..].iter_mut().map(|fluid| &mut fluid.range);
    for range in later.chain(world.solids.iter_mut().map(|solid| &mut solid.range)) {
        *range = range.start + count..range.end + count;
    }
}

/// Keeps the fluid particles for which `keep` holds; returns how many went.
fn retain_fluid(world: &mut World, keep: &[bool]) -> u64 {
    if keep.iter().all(|&keep| keep) {
        return 0;
    }
    world.particles.retain(keep);
    let mut gone = 0;
    for fluid in &mut world.fluids {
        let start = fluid.range.start - gone;
        gone += keep[fluid.range.clone()].iter().filter(|&&keep| !keep).count();
        fluid.range = start..fluid.range.end - gone;
    }
    for solid in &mut world.solids {
        solid.range = solid.range.start - gone..solid.range.end - gone;
    }
    gone as u64
}

/// Makes the drops that appear between `began` and the present time.
fn run_drop_emitters(world: &mut World, began: f64, flow: &mut Flow) {
    for s in 0..world.drop_emitters.len() {
        let emitter = &world.drop_emitters[s];
        let drops = emitter.drops_before(began)..emitter.drops_before(world.clock.time);
        for k in drops {
            make_drop(world, s, k, flow);
        }
    }
}

fn make_drop(world: &mut World, s: usize, k: u64, flow: &mut Flow) {
    let emitter = &world.drop_emitters[s];
    let centre = world.dimension.flatten(emitter.place(k));
    let places: Vec<DVec3> = emitter.drop.iter().map(|&p| centre + p).collect();
    let is_free = room_around(world, &Pose::IDENTITY, &places);
    let free = places.iter().copied().filter(is_free);
    let new: Vec<NewParticle> = (world.clock.next_id..)
        .zip(free)
        .map(|(id, position)| NewParticle {
            position,
            velocity: emitter.velocity,
            id,
            weight: 1.0,
            density: world.fluids[emitter.fluid].density as f32,
        })
        .collect();
    world.clock.next_id += new.len() as u32;
    flow.emitted += new.len() as u64;
    flow.blocked += (places.len() - new.len()) as u64;
    insert_fluid(world, world.drop_emitters[s].fluid, &new);
}

/// Takes out what has left the bounds; returns how many fluid particles that were.
fn take_out_what_left(world: &mut World) -> u64 {
    let Some(Bounds { limit, .. }) = world.bounds else { return 0 };
    // What is nowhere has not left: it is an error of the next step.
    let stays = |p: &DVec3| limit.contains(*p) || !p.is_finite();
    let fluid = &world.particles.position[..world.fluid_count()];
    let mut left = 0;
    if !fluid.par_iter().all(stays) {
        let keep: Vec<bool> = fluid.par_iter().map(stays).collect();
        left = retain_fluid(world, &keep);
        world.lost += left;
    }
    for solid in &mut world.solids {
        let at = solid.pose.translation;
        if let Some(body) = solid.body_mut().filter(|body| !body.left && !stays(&at)) {
            body.left = true;
            (body.velocity, body.angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
            world.particles.velocity[solid.range.clone()].fill(DVec3::ZERO);
        }
    }
    left
}
