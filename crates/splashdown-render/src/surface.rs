//! The surface of a liquid as a mesh.
//!
//! Marching cubes over a function of the particles (`level`), smoothing that spares drops and thin
//! sheets, walls that hold the surface back (`walls`), the right volume (`volume`), and velocities
//! interpolated from the particles. The bits depend on the particles and the walls alone.

use std::collections::BTreeMap;

use glam::Vec3;
use rayon::prelude::*;
use splashdown_geometry::math::DVec3;
use splashdown_run::output::frame::Points;

use crate::level;
use crate::marching::Marched;
use crate::near::Near;
use crate::volume::{self, Bodies, area_vectors};
use crate::walls::{Held, Walls};

/// Rounds of moving every vertex to the mean of its neighbours.
const ROUNDS: usize = 15;
/// Those of them after walls have been asked again what they hold.
const LAST_ROUNDS: usize = 5;
/// The same for normals.
const NORMAL_ROUNDS: usize = 6;
/// Steps towards the right volume, each at most `MOST` spacings.
const CORRECTIONS: usize = 12;
const MOST: f64 = 0.15;
/// Volumes are right if all together are off by less than this share.
const CLOSE: f64 = 2e-3;

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

/// Surfaces of all fluids of a frame, which end at `walls`; `extra` has a value for each particle
/// or is empty.
pub fn reconstruct(
    points: &Points,
    spacing: f64,
    walls: &Walls,
    extra: &[Vec3],
) -> Vec<LiquidSurface> {
    let mut fluids: Vec<u32> = points.fluid.clone();
    fluids.sort_unstable();
    fluids.dedup();
    let of = |&fluid: &u32| {
        let members = members(points, fluid);
        (!members.is_empty())
            .then(|| of_fluid(points, &members, fluid as usize, spacing, walls, extra))
    };
    fluids.iter().filter_map(of).collect()
}

fn of_fluid(
    points: &Points,
    members: &[usize],
    fluid: usize,
    spacing: f64,
    walls: &Walls,
    extra: &[Vec3],
) -> LiquidSurface {
    let (origin, mut local) = around(points, members);
    walls.hold_particles(&mut local, origin, spacing);
    let near = Near::new(&local, 2.0 * spacing as f32);
    let Marched { vertices, triangles } = level::surface(&local, spacing, &near);
    let vertices: Vec<Vec3> = vertices.iter().map(|v| v.as_vec3()).collect();
    let mut skin = Skin::new(
        Liquid { local: &local, near: &near, origin, spacing, walls },
        vertices,
        triangles,
    );
    skin.smooth(ROUNDS - LAST_ROUNDS);
    skin.smooth(LAST_ROUNDS);
    skin.adjust_volume();
    let normals = skin.normals();
    let Skin { vertices, triangles, .. } = skin;
    let speeds: Vec<Vec3> = members.iter().map(|&i| Vec3::from_array(points.velocity[i])).collect();
    let velocity = near.interpolate(&vertices, &speeds);
    let extra = if extra.len() == points.len() {
        let own: Vec<Vec3> = members.iter().map(|&i| extra[i]).collect();
        near.interpolate(&vertices, &own)
    } else {
        Vec::new()
    };
    let vertices = vertices.iter().map(|v| origin + v.as_dvec3()).collect();
    LiquidSurface { fluid, vertices, normals, velocity, extra, triangles }
}

/// Particles of a fluid and what is around them.
#[derive(Clone, Copy)]
struct Liquid<'a> {
    /// Relative to `origin`.
    local: &'a [Vec3],
    near: &'a Near<'a>,
    origin: DVec3,
    spacing: f64,
    walls: &'a Walls,
}

/// A surface in the making, relative to the liquid's origin.
struct Skin<'a> {
    liquid: Liquid<'a>,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    rings: Rings,
    /// The particle that is nearest to each vertex of the first surface.
    nearest: Vec<u32>,
    /// How much of the smoothing a vertex takes part in.
    weight: Vec<f32>,
    /// Vertices with walls near by, and those walls.
    beside: Vec<(u32, Vec<u32>)>,
    /// What walls allow.
    held: Vec<Held>,
}

impl<'a> Skin<'a> {
    fn new(liquid: Liquid<'a>, vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Skin<'a> {
        let found: Vec<(usize, Option<usize>)> =
            vertices.par_iter().map(|&v| liquid.near.count_and_nearest(v)).collect();
        // Drops and thin sheets have few particles around them and would shrink away.
        let weight = |count: usize| {
            let t = ((count as f32 - 6.0) / 12.0).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        let (origin, reach) = (liquid.origin, 1.5 * liquid.spacing);
        let beside = (0..vertices.len() as u32)
            .into_par_iter()
            .map(|i| (i, liquid.walls.near(origin + vertices[i as usize].as_dvec3(), reach)))
            .filter(|(_, near)| !near.is_empty())
            .collect();
        let mut skin = Skin {
            liquid,
            beside,
            rings: Rings::new(vertices.len(), &triangles),
            nearest: found.iter().map(|(_, i)| i.unwrap_or(0) as u32).collect(),
            weight: found.iter().map(|(count, _)| weight(*count)).collect(),
            held: vertices.iter().map(|v| Held::free(v.as_dvec3())).collect(),
            vertices,
            triangles,
        };
        skin.hold();
        skin
    }

    /// Puts vertices that are behind walls, or close to them, onto the walls.
    fn hold(&mut self) {
        let Liquid { local, origin, spacing, walls, .. } = self.liquid;
        if self.beside.is_empty() {
            return;
        }
        let outward = area_vectors(&self.vertices, &self.triangles);
        let held: Vec<(u32, Held)> = self
            .beside
            .par_iter()
            .map(|(i, near)| {
                let k = *i as usize;
                let world = |p: Vec3| origin + p.as_dvec3();
                let from = world(local[self.nearest[k] as usize]);
                let outward = outward[k].as_dvec3().normalize_or_zero();
                (*i, walls.hold(near, world(self.vertices[k]), from, outward, spacing))
            })
            .collect();
        for (i, held) in held {
            if held.is_held() {
                self.vertices[i as usize] = (held.at - origin).as_vec3();
            }
            self.held[i as usize] = held;
        }
    }

    /// Moves vertices to the mean of their neighbours; those on the line where the surface leaves a
    /// wall, to the mean of their neighbours on that line.
    fn smooth(&mut self, rounds: usize) {
        let is_held = |i: usize| self.held[i].is_held();
        let line: Vec<bool> = (0..self.vertices.len())
            .into_par_iter()
            .map(|i| is_held(i) && self.rings.of(i).iter().any(|&j| !is_held(j as usize)))
            .collect();
        for _ in 0..rounds {
            let moved = |i: usize| {
                let v = self.vertices[i];
                let mean = self.rings.mean(&self.vertices, i, |j| !line[i] || line[j]);
                let step = (mean.unwrap_or(v) - v) * self.weight[i];
                v + self.held[i].allowed(step.as_dvec3()).as_vec3()
            };
            self.vertices = (0..self.vertices.len()).into_par_iter().map(moved).collect();
        }
        self.hold();
    }

    /// Moves the surface until it encloses the volume of the particles, less where it is thin.
    fn adjust_volume(&mut self) {
        let Liquid { local, near, spacing, .. } = self.liquid;
        let bodies = Bodies::new(local, spacing as f32, near, &self.nearest, &self.triangles);
        let most = (MOST * spacing) as f32;
        for round in 0..CORRECTIONS {
            let growth = area_vectors(&self.vertices, &self.triangles);
            let path = |i: usize| {
                let outward = growth[i].as_dvec3().normalize_or_zero();
                self.held[i].allowed(outward).as_vec3() * (0.2 + 0.8 * self.weight[i])
            };
            let paths: Vec<Vec3> = (0..self.vertices.len()).into_par_iter().map(path).collect();
            let mut gain = vec![0.0; bodies.particles.len()];
            for (i, &body) in bodies.of_vertex.iter().enumerate() {
                gain[body as usize] += f64::from(growth[i].dot(paths[i]));
            }
            let volumes = volume::enclosed(&bodies, &self.vertices, &self.triangles);
            let mut wrong = 0.0;
            let steps: Vec<f32> = (0..gain.len())
                .map(|k| {
                    let target = f64::from(bodies.particles[k]) * spacing.powi(3);
                    wrong += (volumes[k] - target).abs();
                    if gain[k] > 0.0 { ((target - volumes[k]) / gain[k]) as f32 } else { 0.0 }
                })
                .collect();
            if wrong < CLOSE * local.len() as f64 * spacing.powi(3) {
                break;
            }
            let moved = self.vertices.par_iter_mut().zip(&paths).zip(&bodies.of_vertex);
            moved.for_each(|((v, path), &body)| {
                *v += (*path * steps[body as usize]).clamp_length_max(most);
            });
            self.hold();
            // A surface that moves far would crumple.
            if round % 2 == 0 && round + 2 < CORRECTIONS {
                self.smooth(1);
            }
        }
    }

    /// Normals for pictures: those of walls where the liquid lies against them, else smooth ones,
    /// which the walls do not bend.
    fn normals(&self) -> Vec<Vec3> {
        let lies = |t: &&[u32; 3]| t.iter().all(|&v| self.held[v as usize].is_held());
        let (against, open): (Vec<&[u32; 3]>, Vec<&[u32; 3]>) =
            self.triangles.iter().partition(lies);
        let sum = |triangles: &[&[u32; 3]]| {
            let own: Vec<[u32; 3]> = triangles.iter().map(|t| **t).collect();
            area_vectors(&self.vertices, &own)
        };
        let (flat, mut normals) = (sum(&against), sum(&open));
        normals.iter_mut().for_each(|n| *n = n.normalize_or_zero());
        for _ in 0..NORMAL_ROUNDS {
            // Zero where there are triangles on walls only, and so without weight for others.
            let smoother = |i: usize| {
                let (n, mean) = (normals[i], self.rings.mean(&normals, i, |_| true));
                if n == Vec3::ZERO { n } else { (n + 2.0 * mean.unwrap_or(n)).normalize_or(n) }
            };
            normals = (0..normals.len()).into_par_iter().map(smoother).collect();
        }
        let either = |(n, flat): (&Vec3, &Vec3)| {
            if *n == Vec3::ZERO { flat.normalize_or(Vec3::Y) } else { *n }
        };
        normals.iter().zip(&flat).map(either).collect()
    }
}

/// Values of the particles at the vertices of their fluid's surface; none if `values` is not one
/// for each particle.
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

/// The neighbours of every vertex along edges.
struct Rings {
    start: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Rings {
    fn new(count: usize, triangles: &[[u32; 3]]) -> Rings {
        // Surfaces are closed: every neighbour is the end of one edge that starts at the vertex.
        let mut start = vec![0u32; count + 1];
        triangles.iter().flatten().for_each(|&v| start[v as usize + 1] += 1);
        for i in 0..count {
            start[i + 1] += start[i];
        }
        let mut free = start.clone();
        let mut neighbors = vec![0; 3 * triangles.len()];
        for &[a, b, c] in triangles {
            for [v, w] in [[a, b], [b, c], [c, a]] {
                neighbors[free[v as usize] as usize] = w;
                free[v as usize] += 1;
            }
        }
        Rings { start, neighbors }
    }

    fn of(&self, i: usize) -> &[u32] {
        &self.neighbors[self.start[i] as usize..self.start[i + 1] as usize]
    }

    /// The mean over those neighbours of a vertex that count; none if there are less than two.
    fn mean(&self, values: &[Vec3], i: usize, counts: impl Fn(usize) -> bool) -> Option<Vec3> {
        let (mut sum, mut count) = (Vec3::ZERO, 0u32);
        for &j in self.of(i).iter().filter(|&&j| counts(j as usize)) {
            sum += values[j as usize];
            count += 1;
        }
        (count > 1).then(|| sum / count as f32)
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
    use crate::run::Body;

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
        let surfaces = reconstruct(&points, 0.1, &Walls::default(), &[]);
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

    const H: f64 = 0.1;

    fn at_rest(position: Vec<DVec3>) -> Points {
        let n = position.len();
        Points {
            velocity: vec![[0.0; 3]; n],
            pressure: vec![0.0; n],
            density: vec![1000.0; n],
            id: (0..n as u32).collect(),
            fluid: vec![0; n],
            position,
        }
    }

    /// A lattice of cells of one spacing, shaken a little.
    fn block(low: [i32; 3], size: [i32; 3], shaken: f64) -> Vec<DVec3> {
        let [nx, ny, nz] = size;
        let place = |k: i32| {
            let cell = [k % nx, k / nx % ny, k / nx / ny];
            let along = |a: usize| {
                let noise = f64::from(((k + 7 * a as i32) * 7919) % 101) / 101.0 - 0.5;
                H * (f64::from(low[a] + cell[a]) + 0.5 + shaken * noise)
            };
            DVec3::new(along(0), along(1), along(2))
        };
        (0..nx * ny * nz).map(place).collect()
    }

    /// A box without a lid, seen from inside or outside.
    fn tank(min: DVec3, max: DVec3) -> Body {
        let pick = |k: usize, a: usize| if k >> a & 1 == 1 { max[a] } else { min[a] };
        let vertices = (0..8).map(|k| DVec3::new(pick(k, 0), pick(k, 1), pick(k, 2))).collect();
        let faces = [[0, 1, 5, 4], [0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 3, 2], [4, 5, 7, 6]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Body { solid: 0, vertices, triangles }
    }

    fn volume_of(surface: &LiquidSurface) -> f64 {
        let corners = surface.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize]));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    /// A pool in a tank, a sheet that rises from it, and drops of one to three particles in the
    /// air.
    fn splash() -> (Points, Walls) {
        let mut places = block([0, 0, 0], [12, 4, 8], 0.3);
        places.extend(block([5, 4, 1], [1, 6, 6], 0.3));
        for k in 0..40 {
            let at =
                H * DVec3::new((2.7 * k as f64) % 11.0 + 0.5, 12.0 + 2.5 * (k % 5) as f64, 4.0);
            places.extend((0..=k % 3).map(|j| at + 0.95 * H * DVec3::Z * f64::from(j)));
        }
        let walls = Walls::of(&[tank(DVec3::ZERO, H * DVec3::new(12.0, 15.0, 8.0))]);
        (at_rest(places), walls)
    }

    #[test]
    fn a_splash_encloses_the_volume_of_its_particles() {
        let (points, walls) = splash();
        for walls in [walls, Walls::default()] {
            let surface = &reconstruct(&points, H, &walls, &[])[0];
            let share = volume_of(surface) / (points.len() as f64 * H.powi(3));
            assert!((share - 1.0).abs() < 0.03, "{share}");
            assert!(edge_uses(&surface.triangles).values().all(|&n| n == 0));
        }
        // Also those that nothing but drops make.
        let drops: Vec<DVec3> = points.position.iter().copied().filter(|p| p.y > 1.1).collect();
        let count = drops.len() as f64;
        let surface = &reconstruct(&at_rest(drops), H, &Walls::default(), &[])[0];
        let share = volume_of(surface) / (count * H.powi(3));
        assert!((share - 1.0).abs() < 0.03, "{share}");
    }

    #[test]
    fn surfaces_end_at_walls_and_reach_them() {
        let (points, walls) = splash();
        let surface = &reconstruct(&points, H, &walls, &[])[0];
        let size = H * DVec3::new(12.0, 100.0, 8.0);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &v in &surface.vertices {
            assert!(v.cmpge(DVec3::ZERO).all() && v.cmple(size).all(), "{v}");
            (low, high) = (low.min(v), high.max(v));
        }
        assert!(low.max_element() < 0.02 * H && (size - high).z < 0.02 * H, "{low} {high}");
        // Against the floor the liquid is flat.
        let is_inner = |v: &&DVec3| v.x > 0.5 * H && v.z > 0.5 * H && v.z < size.z - 0.5 * H;
        let bottom = surface.vertices.iter().filter(|v| v.y < 0.3 * H).filter(is_inner);
        let (on, off): (Vec<&DVec3>, Vec<&DVec3>) = bottom.partition(|v| v.y < 0.02 * H);
        assert!(on.len() > 200 && off.len() < on.len() / 20, "{} {}", on.len(), off.len());
    }

    #[test]
    fn a_thin_wall_keeps_liquid_on_its_own_side() {
        // A plate of a fifth of a spacing beside the liquid, and a ball in it.
        let plate = |x: f64| {
            let at = |y: f64, z: f64| H * DVec3::new(x, y, z);
            let vertices = vec![at(-2.0, -2.0), at(9.0, -2.0), at(9.0, 9.0), at(-2.0, 9.0)];
            Body { solid: 0, vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] }
        };
        let points = at_rest(block([0, 0, 0], [6, 6, 6], 0.2));
        let walls = Walls::of(&[plate(6.0), plate(6.2)]);
        let surface = &reconstruct(&points, H, &walls, &[])[0];
        let farthest = surface.vertices.iter().map(|v| v.x).fold(0.0, f64::max);
        assert!((5.95..6.0).contains(&(farthest / H)), "{farthest}");
    }

    #[test]
    fn surfaces_have_the_same_bits_for_any_number_of_threads() {
        let points = ball();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| reconstruct(&points, 0.1, &Walls::default(), &[]))
        };
        let one = run(1);
        (0..5).for_each(|_| assert!(one == run(3)));
    }

    #[test]
    fn particles_that_are_nowhere_are_left_out() {
        let mut points = ball();
        points.position[3] = DVec3::NAN;
        assert_eq!(reconstruct(&points, 0.1, &Walls::default(), &[]).len(), 1);
        points.position.fill(DVec3::NAN);
        assert!(reconstruct(&points, 0.1, &Walls::default(), &[]).is_empty());
        assert!(reconstruct(&Points::default(), 0.1, &Walls::default(), &[]).is_empty());
    }
}
