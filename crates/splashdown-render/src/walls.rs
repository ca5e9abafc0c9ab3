//! Solids that liquid surfaces end at.
//!
//! What matters is the side of a wall that the liquid is on, not what a solid calls inside:
//! whatever lies between a point of the surface and the particle next to it holds that point back.
//! Open tanks, sheets and the thin walls of vessels need no rule of their own.

use glam::Vec3;
use rayon::prelude::*;
use splashdown_geometry::math::{DVec3, Pose};
use splashdown_run::output::frame::{Frame, Surfaces};
use splashdown_solids::bvh::{Bounds, Bvh};

use crate::run::Body;

/// Surfaces stay this far in front of walls, in spacings, so that pictures show them behind glass.
pub const GAP: f64 = 0.01;
/// Surfaces that face a wall and are nearer than this reach up to it, in spacings.
const SNAP: f64 = 0.35;
/// The same in corners, for what touches one wall already.
const CORNER: f64 = 0.5;
/// How far beyond its border a triangle still holds, in spacings: walls have seams.
const SEAM: f64 = 0.02;

/// Particles this far behind a wall, in spacings, have been pressed into it.
const PRESSED: f64 = 0.5;
/// They are taken to be this far in front of it.
const CLEAR: f64 = 0.25;

/// Triangles of all solids of a frame.
#[derive(Clone, Debug, Default)]
pub struct Walls {
    walls: Vec<Wall>,
    /// The solid of each of them.
    owner: Vec<u32>,
    tree: Bvh,
}

/// A point that walls have been asked about.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Where it may be, m.
    pub at: DVec3,
    /// Directions in which it cannot move: normals of the walls it touches.
    normals: [DVec3; 3],
    count: usize,
}

impl Held {
    /// A point that touches nothing.
    pub fn free(at: DVec3) -> Held {
        Held { at, normals: [DVec3::ZERO; 3], count: 0 }
    }

    /// Whether it touches a wall.
    pub fn is_held(&self) -> bool {
        self.count > 0
    }

    /// The part of a movement that walls allow.
    pub fn allowed(&self, movement: DVec3) -> DVec3 {
        let [n, m, _] = self.normals;
        match self.count {
            0 => movement,
            1 => movement - n * movement.dot(n),
            2 => {
                let along = n.cross(m).normalize_or_zero();
                along * movement.dot(along)
            }
            _ => DVec3::ZERO,
        }
    }

    fn touch(&mut self, normal: DVec3) {
        let is_new = self.normals[..self.count].iter().all(|n| n.dot(normal) < 0.9);
        if is_new && self.count < 3 {
            self.normals[self.count] = normal;
            self.count += 1;
        }
    }
}

/// A triangle seen from one side.
#[derive(Clone, Copy, Debug)]
struct Wall {
    corners: [DVec3; 3],
    /// Towards that side.
    normal: DVec3,
}

impl Wall {
    fn new(corners: [DVec3; 3]) -> Wall {
        let [a, b, c] = corners;
        Wall { corners, normal: (b - a).cross(c - a).normalize_or_zero() }
    }

    /// From its own side (1) or the other (-1); without a normal from none (0).
    fn seen_along(self, side: f64) -> Wall {
        Wall { normal: self.normal * side, ..self }
    }

    fn seen_from(self, p: DVec3) -> Wall {
        self.seen_along(if self.height(p) < 0.0 { -1.0 } else { 1.0 })
    }

    fn height(&self, p: DVec3) -> f64 {
        (p - self.corners[0]).dot(self.normal)
    }

    /// Whether a point of its plane is on the triangle.
    fn covers(&self, p: DVec3, seam: f64) -> bool {
        let [a, b, c] = self.corners;
        let turn = (b - a).cross(c - a).dot(self.normal).signum();
        [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| {
            let inward = self.normal.cross(to - from).normalize_or_zero() * turn;
            (p - from).dot(inward) >= -seam
        })
    }
}

impl Walls {
    /// Walls of the bodies of a frame.
    pub fn of(bodies: &[Body]) -> Walls {
        Walls::new(bodies.iter().map(|body| {
            let place = |v: u32| body.vertices[v as usize];
            body.triangles.iter().map(|t| t.map(place)).collect()
        }))
    }

    /// Walls of a frame as a run has it.
    pub fn at(surfaces: &Surfaces, frame: &Frame) -> Walls {
        let fixed = surfaces.fixed.iter().map(|(_, pose, mesh)| (*pose, &**mesh));
        let moving = surfaces.moving.iter().zip(&frame.poses);
        let moving = moving.map(|((_, mesh), pose)| (*pose, &**mesh));
        let elastic = frame.elastic.iter().map(|body| (Pose::IDENTITY, &body.surface));
        Walls::new(fixed.chain(moving).chain(elastic).map(|(pose, mesh)| {
            let place = |v: u32| pose.apply(mesh.vertices[v as usize]);
            mesh.triangles.iter().map(|t| t.map(place)).collect()
        }))
    }

    fn new(solids: impl Iterator<Item = Vec<[DVec3; 3]>>) -> Walls {
        let mut walls = Walls::default();
        let has_area = |[a, b, c]: &[DVec3; 3]| {
            let area = (*b - *a).cross(*c - *a).length_squared();
            area > 0.0 && area.is_finite()
        };
        for (k, triangles) in solids.enumerate() {
            walls.walls.extend(triangles.into_iter().filter(has_area).map(Wall::new));
            walls.owner.resize(walls.walls.len(), k as u32);
        }
        let boxes: Vec<Bounds> = walls.walls.iter().map(|w| Bounds::around(w.corners)).collect();
        walls.tree = Bvh::new(&boxes);
        walls
    }

    /// Takes particles that pressure has pushed into a wall out of it again. A wall has a right
    /// side if nearly all particles around its solid that are clear of it are on one.
    pub fn hold_particles(&self, points: &mut [Vec3], origin: DVec3, spacing: f64) {
        if self.walls.is_empty() {
            return;
        }
        let world = |p: &Vec3| origin + p.as_dvec3();
        let sides = self.sides(points.iter().map(world), spacing);
        points.par_iter_mut().for_each(|point| {
            let mut p = world(point);
            // Two walls may meet where it is.
            for _ in 0..2 {
                let Some((owner, wall)) = self.nearest(p, PRESSED * spacing) else { return };
                let wall = wall.seen_along(sides[owner as usize]);
                let height = wall.height(p);
                if wall.normal == DVec3::ZERO || height >= CLEAR * spacing {
                    return;
                }
                p += wall.normal * (CLEAR * spacing - height);
                *point = (p - origin).as_vec3();
            }
        });
    }

    /// For each solid, 1 if liquid is on the side that its triangles look to, -1 if on the other, 0
    /// if on both or on none.
    fn sides(&self, points: impl Iterator<Item = DVec3>, spacing: f64) -> Vec<f64> {
        let mut votes = vec![[0u32; 2]; self.owner.last().map_or(0, |last| *last as usize + 1)];
        for p in points {
            if let Some((owner, wall)) = self.nearest(p, 1.5 * spacing)
                && wall.height(p).abs() > PRESSED * spacing
            {
                votes[owner as usize][usize::from(wall.height(p) > 0.0)] += 1;
            }
        }
        let side = |&[behind, before]: &[u32; 2]| match () {
            () if before > 9 * behind => 1.0,
            () if behind > 9 * before => -1.0,
            () => 0.0,
        };
        votes.iter().map(side).collect()
    }

    /// The wall that a point is in front of or behind, nearer than `reach`, as its triangle looks,
    /// and its solid.
    fn nearest(&self, p: DVec3, reach: f64) -> Option<(u32, Wall)> {
        let mut nearest: Option<(f64, u32, Wall)> = None;
        self.tree.overlapping(&Bounds { min: p, max: p }.grown(reach), |k| {
            let wall = self.walls[k as usize];
            let height = wall.height(p);
            let is_nearest = nearest.as_ref().is_none_or(|(best, ..)| height.abs() < *best);
            if height.abs() < reach
                && is_nearest
                && wall.covers(p - wall.normal * height, 0.1 * reach)
            {
                nearest = Some((height.abs(), self.owner[k as usize], wall));
            }
        });
        nearest.map(|(_, owner, wall)| (owner, wall))
    }

    /// Walls that may be within `reach` of a point, for `hold`.
    pub fn near(&self, at: DVec3, reach: f64) -> Vec<u32> {
        let mut near = Vec::new();
        self.tree.overlapping(&Bounds { min: at, max: at }.grown(reach), |k| near.push(k));
        near
    }

    /// Holds back a point of a surface that belongs to the particle at `from`, where the surface
    /// looks along `outward` and `near` are the walls around it.
    pub fn hold(&self, near: &[u32], at: DVec3, from: DVec3, outward: DVec3, spacing: f64) -> Held {
        let mut held = Held::free(at);
        let walls = || near.iter().map(|&k| self.walls[k as usize].seen_from(from));
        // At most three walls meet in a corner; each of them may move the point behind another one.
        for _ in 0..3 {
            let Some(wall) = first_between(walls(), from, held.at, SEAM * spacing) else { break };
            held.at += wall.normal * (GAP * spacing - wall.height(held.at));
            held.touch(wall.normal);
        }
        for wall in walls() {
            let height = wall.height(held.at);
            let (reach, turned) = if held.is_held() { (CORNER, -0.08) } else { (SNAP, -0.5) };
            let is_near = height < reach * spacing && height > -GAP * spacing;
            let faces = outward.dot(wall.normal) < turned;
            // Behind what it touches there may be the other side of a thin wall.
            let is_hidden = held.normals[..held.count].iter().any(|n| n.dot(wall.normal) > 0.5);
            if !is_near || !faces || is_hidden {
                continue;
            }
            let foot = held.at - wall.normal * height;
            if wall.covers(foot, SEAM * spacing) {
                held.at = foot + wall.normal * GAP * spacing;
                held.touch(wall.normal);
            }
        }
        held
    }
}

/// The wall that the way from a particle to a point meets first.
fn first_between(
    walls: impl Iterator<Item = Wall>,
    from: DVec3,
    to: DVec3,
    seam: f64,
) -> Option<Wall> {
    let mut first: Option<(f64, Wall)> = None;
    for wall in walls {
        let (near, far) = (wall.height(from), wall.height(to));
        if far >= 0.0 {
            continue;
        }
        let share = near / (near - far);
        let is_first = first.is_none_or(|(best, _)| share < best);
        if is_first && wall.covers(from.lerp(to, share), seam) {
            first = Some((share, wall));
        }
    }
    first.map(|(_, wall)| wall)
}
