//! Nut and bolt with a thread that fits: a right-handed helix about the y axis.
//!
//! The flank of a thread is r(θ, y) = radius − depth · Λ(y/pitch − θ/2π), Λ a triangle wave between
//! 0 at the crest and 1 at the root. Rows of vertices follow the helix, so that crest and root are
//! edges of the mesh; rows beyond the ends are pressed flat onto them.

use std::f64::consts::{FRAC_PI_6, TAU};

use glam::DVec2;

use super::{ParameterError, require};
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// Corners around; a multiple of six for the sake of hexagons.
const AROUND: u32 = 48;
/// Rows in one pitch.
const ROWS: u32 = 8;

/// What nut and bolt have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Of the crest of the bolt's thread, m.
    pub radius: f64,
    /// Rise in one turn, m.
    pub pitch: f64,
    /// From crest to root, m.
    pub depth: f64,
}

impl Thread {
    fn check(&self) -> Result<(), ParameterError> {
        let deepest = 0.6 * self.radius;
        require(self.depth < deepest, "depth", format!("must be below {deepest} m"))
    }

    /// The rows of the flank from y = 0 to `length`, `clearance` farther out than the bolt's.
    fn rows(&self, length: f64, clearance: f64) -> Vec<Vec<DVec3>> {
        let turns = (length / self.pitch).ceil() as u32;
        let point = |row: u32, k: u32| {
            let share = f64::from(k) / f64::from(AROUND);
            // Two pitches too low, so that every angle begins below the end.
            let height = f64::from(row) / f64::from(ROWS) - 2.0 + share;
            let y = (height * self.pitch).clamp(0.0, length);
            let phase = (y / self.pitch - share).rem_euclid(1.0);
            let wave = 1.0 - (2.0 * phase - 1.0).abs();
            let r = self.radius + clearance - self.depth * wave;
            let angle = DVec2::from_angle(TAU * share) * r;
            DVec3::new(angle.x, y, -angle.y)
        };
        let count = (turns + 3) * ROWS + 1;
        (0..count).map(|row| (0..AROUND).map(|k| point(row, k)).collect()).collect()
    }
}

/// Six corners, `across` from side to side, with the corners of `Thread::rows` around.
fn hexagon(across: f64, y: f64) -> Vec<DVec3> {
    let point = |k: u32| {
        let angle = TAU * f64::from(k) / f64::from(AROUND);
        let from_middle = angle.rem_euclid(2.0 * FRAC_PI_6) - FRAC_PI_6;
        let p = DVec2::from_angle(angle) * (0.5 * across / from_middle.cos());
        DVec3::new(p.x, y, -p.y)
    };
    (0..AROUND).map(point).collect()
}

/// Rings of vertices one above the other, joined to a mesh.
struct Stack {
    mesh: TriangleMesh,
}

impl Stack {
    fn push(&mut self, ring: &[DVec3]) -> u32 {
        let first = self.mesh.vertices.len() as u32;
        self.mesh.vertices.extend(ring);
        first
    }

    /// A band from one ring to the next one up.
    fn band(&mut self, low: u32, high: u32) {
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            self.quad([low + k, low + next, high + next, high + k]);
        }
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// The flank of a thread; returns its first and last ring.
    fn flank(&mut self, rows: &[Vec<DVec3>]) -> [u32; 2] {
        let starts: Vec<u32> = rows.iter().map(|row| self.push(row)).collect();
        for row in 0..rows.len() - 1 {
            for k in 0..AROUND {
                // Once around, the helix is one pitch higher: eight rows.
                let (next, skip) = if k + 1 < AROUND { (k + 1, 0) } else { (0, ROWS as usize) };
                let Some(&high) = starts.get(row + skip + 1) else { continue };
                let low = starts[row + skip];
                self.quad([starts[row] + k, low + next, high + next, starts[row + 1] + k]);
            }
        }
        [starts[0], starts[rows.len() - 1]]
    }

    /// Closes a ring with a flat disc.
    fn disc(&mut self, ring: u32, faces_up: bool) {
        let y = self.mesh.vertices[ring as usize].y;
        let centre = self.push(&[DVec3::new(0.0, y, 0.0)]);
        for k in 0..AROUND {
            let (a, b) = (ring + k, ring + (k + 1) % AROUND);
            self.mesh.triangles.push(if faces_up { [centre, a, b] } else { [centre, b, a] });
        }
    }
}

/// A bolt: a threaded shaft from y = 0 to `length`, and above it a hexagonal head, `across` wide
/// and `head` high.
pub fn bolt(
    thread: &Thread,
    length: f64,
    across: f64,
    head: f64,
) -> Result<TriangleMesh, ParameterError> {
    thread.check()?;
    let least = 2.0 * thread.radius;
    require(across > least, "across", format!("must be above {least} m"))?;
    let mut stack = Stack { mesh: TriangleMesh::default() };
    let [bottom, top] = stack.flank(&thread.rows(length, 0.0));
    let [low, high] = [length, length + head].map(|y| stack.push(&hexagon(across, y)));
    stack.disc(bottom, false);
    stack.band(top, low);
    stack.band(low, high);
    stack.disc(high, true);
    Ok(stack.mesh)
}

/// A hexagonal nut from y = 0 to `height`, `across` wide, whose thread is `clearance` wider than
/// the bolt's. Nut and bolt mesh when they are a whole number of pitches apart.
pub fn nut(
    thread: &Thread,
    height: f64,
    across: f64,
    clearance: f64,
) -> Result<TriangleMesh, ParameterError> {
    thread.check()?;
    let least = 2.0 * (thread.radius + clearance);
    require(across > least, "across", format!("must be above {least} m"))?;
    let mut stack = Stack { mesh: TriangleMesh::default() };
    let [bottom, top] = stack.flank(&thread.rows(height, clearance));
    // The material is outside of the thread: its flank faces inward.
    stack.mesh.triangles.iter_mut().for_each(|t| t.reverse());
    let [low, high] = [0.0, height].map(|y| stack.push(&hexagon(across, y)));
    stack.band(bottom, low);
    stack.band(low, high);
    stack.band(high, top);
    Ok(stack.mesh)
}
