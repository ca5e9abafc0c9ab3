//! One array per quantity, one index range per object.

use std::ops::Range;

use crate::math::{DMat3, DVec3};
use crate::state::{Array, Persist, State};

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
    pub wall_friction_force: Vec<DVec3>,
    /// Gradient of the velocity of fluid on a grid, 1/s; empty where there is none.
    pub affine: Vec<DMat3>,
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
        if !self.wall_friction_force.is_empty() {
            self.wall_friction_force.splice(at..at, new.iter().map(|_| DVec3::ZERO));
        }
        if !self.affine.is_empty() {
            self.affine.splice(at..at, new.iter().map(|_| DMat3::ZERO));
        }
    }

    /// Keeps the particles for which `keep[i]` holds, in their order.
    pub fn retain(&mut self, keep: &[bool]) {
        for_each_array!(self, array => {
            let mut flags = keep.iter();
            array.retain(|_| *flags.next().unwrap_or(&true));
        });
        let mut flags = keep.iter();
        self.wall_friction_force.retain(|_| *flags.next().unwrap_or(&true));
        let mut flags = keep.iter();
        self.affine.retain(|_| *flags.next().unwrap_or(&true));
    }

    /// Reorders `range`: its k-th particle becomes the one that was at index `order[k]`.
    pub fn reorder(&mut self, range: Range<usize>, order: &[u32]) {
        for_each_array!(self, array => reorder(&mut array[range.clone()], range.start, order));
        if !self.wall_friction_force.is_empty() {
            reorder(&mut self.wall_friction_force[range.clone()], range.start, order);
        }
        if !self.affine.is_empty() {
            reorder(&mut self.affine[range.clone()], range.start, order);
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

/// Matrices from their columns, one after the other.
fn matrices(columns: &[DVec3]) -> Result<Vec<DMat3>, String> {
    match columns.len() % 3 {
        0 => Ok(columns.chunks(3).map(|c| DMat3::from_cols(c[0], c[1], c[2])).collect()),
        _ => Err("particles.affine is no list of matrices".to_owned()),
    }
}

impl Persist for Particles {
    fn save(&self, key: &str, state: &mut State) {
        let Particles {
            position,
            velocity,
            id,
            weight,
            density,
            pressure,
            divergence_pressure,
            wall_friction_force,
            affine,
        } = self.clone();
        let mut put = |name: &str, array| state.put(&format!("{key}.{name}"), array);
        put("position", Array::Vectors(position));
        put("velocity", Array::Vectors(velocity));
        put("id", Array::U32(id));
        put("weight", Array::F32(weight));
        put("density", Array::F32(density));
        put("pressure", Array::F32(pressure));
        put("divergence_pressure", Array::F32(divergence_pressure));
        if !wall_friction_force.is_empty() {
            put("grip", Array::Vectors(wall_friction_force));
        }
        if !affine.is_empty() {
            let columns = |m: DMat3| [m.x_axis, m.y_axis, m.z_axis];
            put("affine", Array::Vectors(affine.into_iter().flat_map(columns).collect()));
        }
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        let vectors = |name: &str| state.vectors(&format!("{key}.{name}")).cloned();
        let singles = |name: &str| state.singles(&format!("{key}.{name}")).cloned();
        *self = Particles {
            position: vectors("position")?,
            velocity: vectors("velocity")?,
            id: state.integers(&format!("{key}.id"))?.clone(),
            weight: singles("weight")?,
            density: singles("density")?,
            pressure: singles("pressure")?,
            divergence_pressure: singles("divergence_pressure")?,
            wall_friction_force: match state.arrays.contains_key(&format!("{key}.grip")) {
                true => vectors("grip")?,
                false => Vec::new(),
            },
            affine: match state.arrays.contains_key(&format!("{key}.affine")) {
                true => matrices(&vectors("affine")?)?,
                false => Vec::new(),
            },
        };
        let n = self.position.len();
        let lengths = [self.velocity.len(), self.id.len(), self.weight.len(), self.density.len()];
        let pressures = [self.pressure.len(), self.divergence_pressure.len()];
        if lengths == [n; 4]
            && pressures == [n; 2]
            && [0, n].contains(&self.wall_friction_force.len())
            && [0, n].contains(&self.affine.len())
        {
            return Ok(());
        }
        Err("its particle arrays differ in length".to_owned())
    }
}
