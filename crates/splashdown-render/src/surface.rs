//! The surface of a liquid as a mesh.
//!
//! Marching cubes over the particles' density by splashsurf_lib (Löschner et al. 2023), then smoothing
//! of our own that spares drops and thin sheets, and velocities interpolated from the particles.

use std::collections::BTreeMap;

use glam::{IVec3, Vec3};
use nalgebra::Vector3;
use rayon::prelude::*;
use splashdown::math::DVec3;
use splashdown::output::frame::Points;
use splashsurf_lib::{Parameters, reconstruct_surface};

use crate::error::RenderError;

/// Rounds of moving every vertex to the mean of its neighbours.
const ROUNDS: usize = 15;
/// The same for normals.
const NORMAL_ROUNDS: usize = 6;

/// The surface of one fluid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiquidSurface {
    /// Index of the fluid.
    pub fluid: usize,
    /// m
    pub vertices: Vec<DVec3>,
    /// Outward, of length one.
    pub normals: Vec<Vec3>,
    /// m/s
    pub velocity: Vec<Vec3>,
    /// What was asked for besides, like colours.
    pub extra: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Surfaces of all fluids of a frame; `extra` has a value for each particle or is empty.
pub fn reconstruct(
    points: &Points,
    spacing: f64,
    extra: &[Vec3],
) -> Result<Vec<LiquidSurface>, RenderError> {
    let mut fluids: Vec<u32> = points.fluid.clone();
    fluids.sort_unstable();
    fluids.dedup();
    let mut surfaces = Vec::new();
    for fluid in fluids {
        let members = members(points, fluid);
        if !members.is_empty() {
            surfaces.push(of_fluid(points, &members, fluid as usize, spacing, extra)?);
        }
    }
    Ok(surfaces)
}

fn of_fluid(
    points: &Points,
    members: &[usize],
    fluid: usize,
    spacing: f64,
    extra: &[Vec3],
) -> Result<LiquidSurface, RenderError> {
    let (origin, local) = around(points, members);
    let centers: Vec<Vector3<f32>> = local.iter().map(|p| Vector3::new(p.x, p.y, p.z)).collect();
    let h = spacing as f32;
    let parameters = Parameters::new(h / 2.0, 2.0 * h, 0.5 * h);
    let failed = |e: &dyn std::fmt::Display| {
        RenderError::Request(format!("the surface cannot be reconstructed: {e}"))
    };
    // With several threads, the library joins its subdomains in the order they were met, and which
    // of two nearly equal vertices survives differs from run to run.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| failed(&e))?;
    let result = alone.install(|| reconstruct_surface::<i64, f32>(&centers, &parameters));
    let mesh = result.map_err(|e| failed(&e))?.mesh;
    let mut vertices: Vec<Vec3> = mesh.vertices.iter().map(|v| Vec3::new(v.x, v.y, v.z)).collect();
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v as u32)).collect();

    let near = Near::new(&local, 2.0 * h);
    let rings = Rings::of(vertices.len(), &triangles);
    // Drops and thin sheets have few particles around them and would shrink away.
    let weight: Vec<f32> = vertices
        .par_iter()
        .map(|&v| ((near.count(v) as f32 - 6.0) / 12.0).clamp(0.0, 1.0))
        .map(|t| t * t * (3.0 - 2.0 * t))
        .collect();
    for _ in 0..ROUNDS {
        vertices = rings.means(&vertices, |v, mean, i| v.lerp(mean, weight[i]));
    }
    let mut normals = normals(&vertices, &triangles);
    for _ in 0..NORMAL_ROUNDS {
        normals = rings.means(&normals, |n, mean, _| (n + 2.0 * mean).normalize_or(n));
    }
    let speeds: Vec<Vec3> = members.iter().map(|&i| Vec3::from_array(points.velocity[i])).collect();
    let velocity = near.interpolate(&vertices, &speeds);
    let extra = if extra.len() == points.len() {
        let own: Vec<Vec3> = members.iter().map(|&i| extra[i]).collect();
        near.interpolate(&vertices, &own)
    } else {
        Vec::new()
    };
    let vertices = vertices.iter().map(|v| origin + v.as_dvec3()).collect();
    Ok(LiquidSurface { fluid, vertices, normals, velocity, extra, triangles })
}

/// Values of the particles at the vertices of their fluid's surface; none if `values` is not one for
/// each particle.
pub fn interpolate(
    surface: &LiquidSurface,
    points: &Points,
    spacing: f64,
    values: &[Vec3],
) -> Vec<Vec3> {
    if values.len() != points.len() {
        return Vec::new();
    }
    let members = members(points, surface.fluid as u32);
    let (origin, local) = around(points, &members);
    let own: Vec<Vec3> = members.iter().map(|&i| values[i]).collect();
    let at: Vec<Vec3> = surface.vertices.iter().map(|&v| (v - origin).as_vec3()).collect();
    Near::new(&local, 2.0 * spacing as f32).interpolate(&at, &own)
}

/// Particles of a fluid that are somewhere.
fn members(points: &Points, fluid: u32) -> Vec<usize> {
    let is_sound = |&i: &usize| points.fluid[i] == fluid && points.position[i].is_finite();
    (0..points.len()).filter(is_sound).collect()
}

/// The middle of some particles, and where they are seen from there.
fn around(points: &Points, members: &[usize]) -> (DVec3, Vec<Vec3>) {
    let sum: DVec3 = members.iter().map(|&i| points.position[i]).sum();
    let origin = sum / members.len().max(1) as f64;
    (origin, members.iter().map(|&i| (points.position[i] - origin).as_vec3()).collect())
}

fn normals(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; vertices.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let area = (b - a).cross(c - a);
        t.iter().for_each(|&v| sums[v as usize] += area);
    }
    sums.into_iter().map(|n| n.normalize_or(Vec3::Y)).collect()
}

/// The neighbours of every vertex along edges.
struct Rings {
    start: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Rings {
    fn of(count: usize, triangles: &[[u32; 3]]) -> Rings {
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, a], [b, c], [c, b], [c, a], [a, c]])
            .collect();
        edges.par_sort_unstable();
        edges.dedup();
        let mut start = vec![0u32; count + 1];
        edges.iter().for_each(|&[a, _]| start[a as usize + 1] += 1);
        for i in 0..count {
            start[i + 1] += start[i];
        }
        Rings { start, neighbors: edges.into_iter().map(|[_, b]| b).collect() }
    }

    /// `mix(value, mean of its neighbours, index)` for every vertex.
    fn means(&self, values: &[Vec3], mix: impl Fn(Vec3, Vec3, usize) -> Vec3 + Sync) -> Vec<Vec3> {
        let mean = |i: usize| {
            let ring = &self.neighbors[self.start[i] as usize..self.start[i + 1] as usize];
            let sum: Vec3 = ring.iter().map(|&j| values[j as usize]).sum();
            if ring.is_empty() { values[i] } else { sum / ring.len() as f32 }
        };
        (0..values.len()).into_par_iter().map(|i| mix(values[i], mean(i), i)).collect()
    }
}

/// Finds the particles around a point.
struct Near<'a> {
    points: &'a [Vec3],
    reach: f32,
    /// Particles sorted by cell.
    order: Vec<u32>,
    cells: std::collections::HashMap<IVec3, [u32; 2]>,
}

impl<'a> Near<'a> {
    fn new(points: &'a [Vec3], reach: f32) -> Near<'a> {
        let cell = |i: u32| (points[i as usize] / reach).floor().as_ivec3();
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| (cell(i).to_array(), i));
        let mut cells = std::collections::HashMap::new();
        for (k, &i) in order.iter().enumerate() {
            let k = k as u32;
            cells.entry(cell(i)).or_insert([k, k])[1] = k + 1;
        }
        Near { points, reach, order, cells }
    }

    fn visit(&self, p: Vec3, mut found: impl FnMut(usize, f32)) {
        let cell = (p / self.reach).floor().as_ivec3();
        for z in -1..=1 {
            for y in -1..=1 {
                for x in -1..=1 {
                    let Some(&[from, to]) = self.cells.get(&(cell + IVec3::new(x, y, z))) else {
                        continue;
                    };
                    for &i in &self.order[from as usize..to as usize] {
                        let square = self.points[i as usize].distance_squared(p);
                        if square < self.reach * self.reach {
                            found(i as usize, square);
                        }
                    }
                }
            }
        }
    }

    fn count(&self, p: Vec3) -> usize {
        let mut count = 0;
        self.visit(p, |_, _| count += 1);
        count
    }

    /// Means of the particles' values around each point, near ones weighted most.
    fn interpolate(&self, at: &[Vec3], values: &[Vec3]) -> Vec<Vec3> {
        at.par_iter()
            .map(|&p| {
                let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
                self.visit(p, |i, square| {
                    let weight = (1.0 - square / (self.reach * self.reach)).powi(3);
                    sum += values[i] * weight;
                    weights += weight;
                });
                if weights > 0.0 { sum / weights } else { Vec3::ZERO }
            })
            .collect()
    }
}

/// How often each edge is used, for checking that a surface is closed.
pub fn edge_uses(triangles: &[[u32; 3]]) -> BTreeMap<[u32; 2], i32> {
    let mut uses = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [v, w] in [[a, b], [b, c], [c, a]] {
            *uses.entry([v.min(w), v.max(w)]).or_insert(0) += if v < w { 1 } else { -1 };
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of particles, one metre in radius, that turns about the y axis.
    fn ball() -> Points {
        let h = 0.1;
        let mut points = Points::default();
        for k in 0..40 * 40 * 40i32 {
            let p = h * DVec3::new(
                (k % 40 - 20) as f64,
                (k / 40 % 40 - 20) as f64,
                (k / 1600 - 20) as f64,
            );
            if p.length() < 1.0 {
                points.position.push(p + DVec3::X * 1e5);
                points.velocity.push([p.z as f32, 0.0, -p.x as f32]);
                points.pressure.push(0.0);
                points.density.push(1000.0);
                points.id.push(k as u32);
                points.fluid.push(0);
            }
        }
        points
    }

    #[test]
    fn the_surface_of_a_ball_is_closed_round_and_moves_with_it() {
        let points = ball();
        let surfaces = reconstruct(&points, 0.1, &[]).unwrap();
        let [surface] = &surfaces[..] else { panic!("one fluid") };
        assert!(surface.triangles.len() > 1000);
        assert!(edge_uses(&surface.triangles).values().all(|&n| n == 0), "every edge both ways");
        for (i, v) in surface.vertices.iter().enumerate() {
            let p = (*v - DVec3::X * 1e5).as_vec3();
            assert!((0.85..1.15).contains(&p.length()), "{p}");
            assert!(surface.normals[i].dot(p.normalize()) > 0.9, "outward");
            let speed = Vec3::new(p.z, 0.0, -p.x);
            assert!(surface.velocity[i].distance(speed) < 0.25, "{p} {}", surface.velocity[i]);
        }
    }

    #[test]
    fn surfaces_have_the_same_bits_for_any_number_of_threads() {
        let points = ball();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| reconstruct(&points, 0.1, &[]).unwrap())
        };
        let one = run(1);
        (0..5).for_each(|_| assert!(one == run(3)));
    }

    #[test]
    fn particles_that_are_nowhere_are_left_out() {
        let mut points = ball();
        points.position[3] = DVec3::NAN;
        assert_eq!(reconstruct(&points, 0.1, &[]).unwrap().len(), 1);
        points.position.fill(DVec3::NAN);
        assert!(reconstruct(&points, 0.1, &[]).unwrap().is_empty());
        assert!(reconstruct(&Points::default(), 0.1, &[]).unwrap().is_empty());
    }
}
