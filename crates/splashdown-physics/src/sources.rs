//! Emitters and sinks: where fluid comes from and where it goes.
//!
//! An emitter pushes a lattice of particles through its opening, layer by layer, like a piston: the
//! layers in its mouth move exactly as told, whatever the pressure in front of them, and a new one
//! appears one spacing behind the last as soon as there is room. Nothing is remembered but the distance
//! that the last layer has come, so that a resumed run emits the same particles.
//!
//! An opening in the middle of a fluid needs a nozzle around it: otherwise the fluid beside it flows
//! into the gap behind the layers and takes their room.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::math::{DVec3, Pose};
use crate::particles::store::NewParticle;
use crate::world::{Emitter, Sink, World};

/// Length of the mouth in which the emitter drives the fluid, in h: the two newest layers.
const MOUTH: f64 = 2.0;
/// No particle is made nearer than this to another one, in h.
const CLEARANCE: f64 = 0.6;

/// A driven particle is on its place of the lattice to this accuracy, in h.
const ON_LATTICE: f64 = 1e-3;

/// What emitters and sinks did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Particles made.
    pub emitted: u64,
    /// Particles not made because something was in the way.
    pub blocked: u64,
    /// Particles removed.
    pub removed: u64,
}

impl Emitter {
    /// How far the fluid in the mouth moves between `time` and `time + dt`, m.
    fn advance(&self, time: f64, dt: f64) -> f64 {
        let (from, to) = (time.max(self.start), (time + dt).min(self.end));
        if from >= to || self.emitted >= self.limit {
            return 0.0;
        }
        self.speed.at(0.5 * (from + to)).max(0.0) * (to - from)
    }

    /// Whether the emitter works at some time between `time` and `time + dt`.
    fn is_open(&self, time: f64, dt: f64) -> bool {
        self.start < time + dt && time < self.end && self.emitted < self.limit
    }

    /// Place of a point of the emitter's frame on the moving lattice of layers: whole numbers for
    /// particles that the emitter made and has driven since.
    fn on_lattice(&self, p: DVec3, spacing: f64) -> DVec3 {
        let origin = self.layer.first().copied().unwrap_or_default();
        (p - origin - DVec3::X * self.travelled) / spacing
    }
}

/// The square of a layer that a place on the lattice belongs to.
fn square(on_lattice: DVec3) -> (i64, i64) {
    (on_lattice.y.round() as i64, on_lattice.z.round() as i64)
}

impl Sink {
    /// Whether fluid at `p` disappears.
    fn takes(&self, p: DVec3) -> bool {
        self.pose.inverse_apply(p).abs().cmple(self.half_size).all() != self.outside
    }
}

impl World {
    /// Largest speed of any emitter at the current time, m/s.
    pub(crate) fn emitter_speed(&self) -> f64 {
        let speed = |emitter: &Emitter| emitter.speed.at(self.clock.time).max(0.0);
        self.emitters.iter().map(speed).fold(0.0, f64::max)
    }

    /// Particles in the mouths of emitters with the velocities they have during a step of length `dt`:
    /// layers on their way out, not what has come in from elsewhere.
    pub(crate) fn driven_particles(&self, dt: f64) -> Vec<(usize, DVec3)> {
        let (time, h) = (self.clock.time, self.spacing);
        let mut driven = Vec::new();
        for emitter in self.emitters.iter().filter(|emitter| emitter.is_open(time, dt)) {
            let axis = emitter.pose.rotation * DVec3::X;
            let velocity = self.dimension.flatten(axis * (emitter.advance(time, dt) / dt));
            let lattice = |&p: &DVec3| emitter.on_lattice(p, h);
            let squares: HashSet<_> = emitter.layer.iter().map(|p| square(lattice(p))).collect();
            let in_mouth = |i: &usize| {
                let away = self.particles.position[*i] - emitter.pose.translation;
                if !(-h..(MOUTH + 1.0) * h).contains(&away.dot(axis)) {
                    return false; // nearly all are far away
                }
                let local = emitter.pose.inverse_apply(self.particles.position[*i]);
                let place = lattice(&local);
                (-0.5 * h..MOUTH * h).contains(&local.x)
                    && (place - place.round()).abs().max_element() < ON_LATTICE
                    && squares.contains(&square(place))
            };
            let range = self.fluids[emitter.fluid].range.clone();
            let found: Vec<usize> = range.into_par_iter().filter(in_mouth).collect();
            driven.extend(found.into_iter().map(|i| (i, velocity)));
        }
        driven
    }

    /// Runs emitters and sinks over the step of length `dt` that has just moved all particles and
    /// began at `time`.
    pub(crate) fn run_sources(&mut self, time: f64, dt: f64) -> Flow {
        let mut flow = Flow::default();
        for e in 0..self.emitters.len() {
            let advance = self.emitters[e].advance(time, dt);
            self.emitters[e].travelled += advance;
            while advance > 0.0 && self.emitters[e].travelled >= self.spacing {
                self.emitters[e].travelled -= self.spacing;
                let (emitted, blocked) = self.emit_layer(e, advance / dt);
                flow.emitted += emitted;
                flow.blocked += blocked;
            }
        }
        self.run_showers(time, &mut flow);
        for s in 0..self.sinks.len() {
            let sink = &self.sinks[s];
            if !(sink.start..=sink.end).contains(&self.clock.time) {
                continue;
            }
            let n = self.fluid_count();
            let stays = |p: &DVec3| !sink.takes(*p);
            let keep: Vec<bool> = self.particles.position[..n].par_iter().map(stays).collect();
            let removed = self.retain_fluid(&keep);
            self.sinks[s].removed += removed;
            flow.removed += removed;
        }
        flow
    }

    /// Makes one layer at the place the last one has left; returns how many particles it made and how
    /// many had no room.
    fn emit_layer(&mut self, e: usize, speed: f64) -> (u64, u64) {
        let emitter = &self.emitters[e];
        let left = (emitter.limit - emitter.emitted) as usize;
        let ahead = DVec3::X * emitter.travelled;
        let places: Vec<DVec3> = emitter.layer.iter().map(|&p| p + ahead).collect();
        let is_free = self.room_around(&emitter.pose, &places);
        let free: Vec<DVec3> = places.iter().copied().filter(is_free).collect();
        let blocked = (places.len() - free.len()) as u64;
        let velocity = self.dimension.flatten(emitter.pose.rotation * DVec3::X * speed);
        let new: Vec<NewParticle> = (self.clock.next_id..)
            .zip(free.iter().take(left))
            .map(|(id, &place)| NewParticle {
                position: self.dimension.flatten(emitter.pose.apply(place)),
                velocity,
                id,
                weight: 1.0,
                density: self.fluids[emitter.fluid].density as f32,
            })
            .collect();
        let (fluid, emitted) = (emitter.fluid, new.len());
        self.insert_fluid(fluid, &new);
        self.emitters[e].emitted += emitted as u64;
        self.clock.next_id += emitted as u32;
        (emitted as u64, blocked)
    }

    /// Says of a place in the frame of a source whether nothing is near it. `places` are all that will be
    /// asked about.
    pub(crate) fn room_around(
        &self,
        pose: &Pose,
        places: &[DVec3],
    ) -> impl Fn(&DVec3) -> bool + use<> {
        let clearance = CLEARANCE * self.spacing;
        let bounds = crate::math::Aabb::around(places.iter().copied()).grown(clearance);
        let near: Vec<DVec3> = self
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
    pub(crate) fn insert_fluid(&mut self, k: usize, new: &[NewParticle]) {
        let count = new.len();
        self.particles.insert(self.fluids[k].range.end, new);
        self.fluids[k].range.end += count;
        let later = self.fluids[k + 1..].iter_mut().map(|fluid| &mut fluid.range);
        for range in later.chain(self.solids.iter_mut().map(|solid| &mut solid.range)) {
            *range = range.start + count..range.end + count;
        }
    }

    /// Keeps the fluid particles for which `keep` holds; returns how many went.
    pub(crate) fn retain_fluid(&mut self, keep: &[bool]) -> u64 {
        if keep.iter().all(|&keep| keep) {
            return 0;
        }
        self.particles.retain(keep);
        let mut gone = 0;
        for fluid in &mut self.fluids {
            let start = fluid.range.start - gone;
            gone += keep[fluid.range.clone()].iter().filter(|&&keep| !keep).count();
            fluid.range = start..fluid.range.end - gone;
        }
        for solid in &mut self.solids {
            solid.range = solid.range.start - gone..solid.range.end - gone;
        }
        gone as u64
    }
}
