//! One array per quantity, one index range per object.

use std::ops::Range;

use crate::math::DVec3;

/// Every per-particle value that outlives a step. Fluids come first, object by object, then solids:
/// each object owns a contiguous range of indices, sorted along a space-filling curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// m
    pub position: Vec<DVec3>,
    /// m/s
    pub velocity: Vec<DVec3>,
    /// Identity that survives sorting; unique among all particles ever made in a run.
    pub id: Vec<u32>,
    /// How much of the fluid's support a particle fills, in units of hᵈ: 1 for fluids, the wall
    /// weight β of a solid particle (see `sph::walls`).
    pub weight: Vec<f32>,
    /// Mass density of fluid particles, kg/m³; zero for solids.
    pub density: Vec<f32>,
    /// Pressure of the last step, Pa, never negative.
    pub pressure: Vec<f32>,
    /// DFSPH: the part of the pressure that removed the divergence, Pa (a warm start).
    pub divergence_pressure: Vec<f32>,
    /// Friction of fluid on walls in the last step, N (a warm start); empty where there is none.
    pub grip: Vec<DVec3>,
}

/// Applies one expression to every array: sorting, inserting and deleting happen here alone.
macro_rules! for_each_array {
    ($particles:expr, $array:ident => $body:expr) => {{
        let p = &mut *$particles;
        {
            let $array = &mut p.position;
            $body
        }
        {
            let $array = &mut p.velocity;
            $body
        }
        {
            let $array = &mut p.id;
            $body
        }
        {
            let $array = &mut p.weight;
            $body
        }
        {
            let $array = &mut p.density;
            $body
        }
        {
            let $array = &mut p.pressure;
            $body
        }
        {
            let $array = &mut p.divergence_pressure;
            $body
        }
    }};
}

/// One particle, as it is made.
#[derive(Clone, Copy, Debug)]
pub struct NewParticle {
    /// m
    pub position: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// Unique in the run.
    pub id: u32,
    /// 1 for fluids.
    pub weight: f32,
    /// kg/m³
    pub density: f32,
}

impl Particles {
    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Puts particles at index `at`; everything behind moves up.
    pub fn insert(&mut self, at: usize, new: &[NewParticle]) {
        self.position.splice(at..at, new.iter().map(|p| p.position));
        self.velocity.splice(at..at, new.iter().map(|p| p.velocity));
        self.id.splice(at..at, new.iter().map(|p| p.id));
        self.weight.splice(at..at, new.iter().map(|p| p.weight));
        self.density.splice(at..at, new.iter().map(|p| p.density));
        self.pressure.splice(at..at, new.iter().map(|_| 0.0));
        self.divergence_pressure.splice(at..at, new.iter().map(|_| 0.0));
        if !self.grip.is_empty() {
            self.grip.splice(at..at, new.iter().map(|_| DVec3::ZERO));
        }
    }

    /// Keeps the particles for which `keep[i]` holds, in their order.
    pub fn retain(&mut self, keep: &[bool]) {
        for_each_array!(self, array => {
            let mut flags = keep.iter();
            array.retain(|_| *flags.next().unwrap_or(&true));
        });
        let mut flags = keep.iter();
        self.grip.retain(|_| *flags.next().unwrap_or(&true));
    }

    /// Reorders `range`: its k-th particle becomes the one that was at index `order[k]`.
    pub fn reorder(&mut self, range: Range<usize>, order: &[u32]) {
        for_each_array!(self, array => reorder(&mut array[range.clone()], range.start, order));
        if !self.grip.is_empty() {
            reorder(&mut self.grip[range.clone()], range.start, order);
        }
    }
}

/// `values[k] ← values[order[k] − first]`.
pub fn reorder<T: Copy + Send + Sync>(values: &mut [T], first: usize, order: &[u32]) {
    let old = values.to_vec();
    for (value, &from) in values.iter_mut().zip(order) {
        *value = old[from as usize - first];
    }
}
