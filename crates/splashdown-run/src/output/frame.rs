//! What one frame shows: an owned copy of the visible part of a World.

use std::sync::Arc;

use super::appearance::{appearance, cells};
use crate::math::{DVec3, Pose};
use crate::world::{TriangleMesh, World};

/// The fluid particles, the poses of the moving bodies and the shapes of the elastic ones at one
/// time.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the frame; 0 is the initial state.
    pub index: u64,
    /// All fluids, one after the other.
    pub points: Points,
    /// Poses of the moving bodies, in the order of `Surfaces::moving`.
    pub poses: Vec<Pose>,
    /// Elastic bodies.
    pub elastic: Vec<Deformed>,
}

/// An elastic body as it is at one time.
#[derive(Clone, Debug, Default)]
pub struct Deformed {
    /// Its number, after those of `World::solids`.
    pub body: u32,
    /// m
    pub vertices: Vec<DVec3>,
    /// From where it rests, m.
    pub displacement: Vec<[f32; 3]>,
    /// m/s
    pub velocity: Vec<[f32; 3]>,
    /// Tetrahedra, triangles of shells, segments of rods or particles: one to four vertices each;
    /// ten of quadratic tetrahedra.
    pub cells: Vec<Vec<i32>>,
    /// Von Mises stress of each of them, Pa.
    pub stress: Vec<f32>,
    /// What it looks like: its surface, tubes for rods, balls for particles.
    pub surface: TriangleMesh,
}

impl Deformed {
    /// Copies all elastic bodies.
    pub fn capture(world: &World) -> Vec<Deformed> {
        let solids = &world.elastic.solids;
        let of = |k: usize| {
            let body = &solids.bodies[k];
            let (range, first) = (body.vertices.clone(), body.vertices.start as u32);
            let single = |v: &DVec3| v.as_vec3().to_array();
            let places = &solids.position[range.clone()];
            let moved = places.iter().zip(&solids.rest[range.clone()]).map(|(x, r)| *x - *r);
            let (cells, stress) = cells(solids, k);
            Deformed {
                body: (world.stiff_solids().len() + k) as u32,
                vertices: places.to_vec(),
                displacement: moved.map(|d| single(&d)).collect(),
                velocity: solids.velocity[range].iter().map(single).collect(),
                cells: cells
                    .iter()
                    .map(|c| c.iter().map(|v| (v - first) as i32).collect())
                    .collect(),
                stress,
                surface: appearance(solids, k),
            }
        };
        (0..world.elastic.names.len()).map(of).collect()
    }
}

/// Fluid particles as they go into files: positions in double precision, so that a tank far from
/// the origin keeps its details, everything else in single.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// m
    pub position: Vec<DVec3>,
    /// m/s
    pub velocity: Vec<[f32; 3]>,
    /// Pa
    pub pressure: Vec<f32>,
    /// kg/m³
    pub density: Vec<f32>,
    /// Identity that survives sorting.
    pub id: Vec<u32>,
    /// Index of the fluid.
    pub fluid: Vec<u32>,
}

/// What bodies look like in their own frames. It never changes, so frames carry poses only.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// Bodies that stay where they are, with their index in `World::solids`.
    pub fixed: Vec<(u32, Pose, Arc<TriangleMesh>)>,
    /// Bodies that move, with their index in `World::solids`.
    pub moving: Vec<(u32, Arc<TriangleMesh>)>,
    /// Whether there are elastic bodies; frames carry their shapes.
    pub elastic: bool,
}

impl Frame {
    /// Copies what frame `index` shows.
    pub fn capture(world: &World, index: u64) -> Frame {
        Frame {
            index,
            points: Points::capture(world),
            poses: world.stiff_solids().iter().filter(|s| s.moves()).map(|s| s.pose).collect(),
            elastic: Deformed::capture(world),
        }
    }
}

impl Points {
    /// Copies all fluid particles.
    pub fn capture(world: &World) -> Points {
        let mut points = Points::default();
        for (k, fluid) in world.fluids.iter().enumerate() {
            let (range, p) = (fluid.range.clone(), &world.particles);
            points.position.extend_from_slice(&p.position[range.clone()]);
            points
                .velocity
                .extend(p.velocity[range.clone()].iter().map(|v| v.as_vec3().to_array()));
            points.pressure.extend_from_slice(&p.pressure[range.clone()]);
            points.density.extend_from_slice(&p.density[range.clone()]);
            points.id.extend_from_slice(&p.id[range.clone()]);
            points.fluid.extend(std::iter::repeat_n(k as u32, range.len()));
        }
        points
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
}

impl Surfaces {
    /// The surfaces of the bodies of a world as the scene built it. Bodies without triangles, as in
    /// 2D, are shown as their particles; steps sort those, so a later world would not do.
    pub fn of(world: &World) -> Surfaces {
        let mut surfaces = Surfaces { elastic: world.elastic.any(), ..Surfaces::default() };
        for (k, solid) in world.stiff_solids().iter().enumerate() {
            let mut mesh = solid.surface.clone();
            if mesh.triangles.is_empty() {
                mesh.vertices.clone_from(&solid.local);
            }
            let mesh = Arc::new(mesh);
            if solid.moves() {
                surfaces.moving.push((k as u32, mesh));
            } else {
                surfaces.fixed.push((k as u32, solid.pose, mesh));
            }
        }
        surfaces
    }
}
