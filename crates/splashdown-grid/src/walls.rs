//! Which share of each face is open to liquid, and the pieces of solids that close the rest.
//!
//! The divergence theorem makes the shares from the pieces: along a row of cells,
//!
//!   solid area of the next face = solid area of this face − Σ Aₖ nₖ of the pieces between,
//!
//! from nothing before the solid begins. So for each cell the open areas of its faces and its
//! pieces close, to rounding, and a common translation of liquid and solids has no divergence.

use glam::DVec3;
use rayon::prelude::*;

use crate::body::Body;
use crate::clip::{Piece, pieces};
use crate::distance::Distances;
use crate::lattice::{Lattice, Nodes};

/// Shares this close to nothing or to everything are that.
const ROUNDING: f64 = 1e-11;

/// What a liquid meets in a box of cells.
#[derive(Clone, Debug, Default)]
pub struct Walls {
    /// For each axis and cell, the share of its lower face that solids cover; more than one where
    /// they overlap.
    covered: [Vec<f64>; 3],
    /// Sorted by cell.
    pub pieces: Vec<Piece>,
    /// The cell of each of them in the box.
    pub cells: Vec<usize>,
    /// How far solids are.
    pub distances: Distances,
    /// For each cell, the share of the linear weights around its middle that solids take.
    taken: Vec<f32>,
}

impl Walls {
    /// A box without solids.
    pub fn none(lattice: &Lattice) -> Walls {
        let covered = || vec![0.0; lattice.len()];
        let distances = Distances::far(lattice);
        Walls { covered: [covered(), covered(), covered()], distances, ..Walls::default() }
    }

    /// Takes solids in, with their numbers.
    pub fn add<'a>(
        &mut self,
        lattice: &Lattice,
        bodies: impl Iterator<Item = (u32, &'a Body<'a>)>,
    ) {
        let mut new = Vec::new();
        for (number, body) in bodies {
            let found = pieces(body, number, lattice.width);
            for axis in 0..lattice.axes() {
                cover(lattice, axis, &found, &mut self.covered[axis]);
            }
            self.distances.add(lattice, body, number);
            new.extend(found.into_iter().filter_map(|p| Some((lattice.index_of(p.cell)?, p))));
        }
        new.extend(self.cells.iter().copied().zip(self.pieces.iter().copied()));
        new.sort_by_key(|(cell, piece)| (*cell, piece.body));
        (self.cells, self.pieces) = new.into_iter().unzip();
    }

    /// The open share of the lower face of a cell along an axis.
    #[inline]
    pub fn open(&self, axis: usize, cell: usize) -> f64 {
        let open = 1.0 - self.covered[axis][cell];
        if open < ROUNDING { 0.0 } else { open.min(1.0) }
    }

    /// The share of the linear weights around the middle of a cell that solids take.
    #[inline]
    pub fn taken(&self, cell: usize) -> f64 {
        self.taken.get(cell).map_or(0.0, |&share| share.into())
    }

    /// Finds what solids take of the weights around cells.
    pub fn weigh(&mut self, lattice: &Lattice) {
        let distances = &self.distances;
        let of_cell = |cell: usize| taken(lattice, distances, lattice.centre(cell)) as f32;
        self.taken = (0..lattice.len()).into_par_iter().map(of_cell).collect();
    }

    /// How far the middle of a cell is from solids, in cells.
    pub fn of_cell(&self, lattice: &Lattice, cell: usize) -> f64 {
        self.distances.at(lattice.centre(cell)).0
    }

    /// How far the middle of a face is from solids, the gradient there, and the nearest solid.
    pub fn of_face(&self, lattice: &Lattice, axis: usize, cell: usize) -> (f64, DVec3, u32) {
        let offset = lattice.offset(Nodes::Faces(axis));
        let [i, j, k] = lattice.place(cell).map(|n| n as f64);
        self.distances.at(DVec3::new(i, j, k) + offset)
    }

    /// How far from closed a cell is: its open areas and its pieces should add up to nothing.
    pub fn gap(&self, lattice: &Lattice, cell: usize) -> DVec3 {
        let strides = lattice.strides();
        let mut gap = DVec3::ZERO;
        for (axis, stride) in strides.iter().enumerate().take(lattice.axes()) {
            gap[axis] = self.open(axis, cell + stride) - self.open(axis, cell);
        }
        let first = self.cells.partition_point(|&c| c < cell);
        let own = self.cells[first..].iter().take_while(|&&c| c == cell).count();
        self.pieces[first..first + own].iter().fold(gap, |gap, piece| gap - piece.area)
    }
}

/// The linear weight along an axis, of what is so far away.
fn hat(way: f64) -> f64 {
    (1.0 - way.abs()).max(0.0)
}

/// The share of the linear weights around a point that solids take. In half cells weights are
/// linear along each axis: the part of one that is solid counts with the weight in its middle.
fn taken(lattice: &Lattice, distances: &Distances, centre: DVec3) -> f64 {
    const HALF: f64 = 0.5;
    // Weights reach to the corners of twice a cell; deep in solids there is no liquid.
    match distances.at(centre).0 {
        far if far > 1.8 => return 0.0,
        deep if deep < -0.9 => return 1.0,
        _ => {}
    }
    let is_flat = lattice.axes() == 2;
    let mut share = 0.0;
    for k in 0..if is_flat { 1 } else { 4 } {
        for j in 0..4 {
            for i in 0..4 {
                let way = |n: i32| HALF * f64::from(n) - 0.75;
                let mut at = DVec3::new(way(i), way(j), if is_flat { 0.0 } else { way(k) });
                let (distance, slope, _) = distances.at(centre + at);
                let normal = slope.normalize_or_zero();
                let extent = HALF * normal.abs().element_sum().max(1e-9);
                let solid = (0.5 - distance / extent).clamp(0.0, 1.0);
                at -= 0.5 * (1.0 - solid) * HALF * normal;
                let weight = hat(at.x) * hat(at.y) * if is_flat { 1.0 } else { hat(at.z) };
                share += solid * weight * HALF.powi(lattice.axes() as i32);
            }
        }
    }
    share
}

/// Adds what the pieces of a solid cover of the faces along an axis.
fn cover(lattice: &Lattice, axis: usize, pieces: &[Piece], covered: &mut [f64]) {
    let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
    let inside = |piece: &Piece, axis: usize| {
        let at = i64::from(piece.cell[axis]) - i64::from(lattice.low[axis]);
        (0..lattice.size[axis] as i64).contains(&at)
    };
    let mut row: Vec<([i32; 3], f64)> = pieces
        .iter()
        .filter(|piece| inside(piece, b) && inside(piece, c))
        .map(|piece| ([piece.cell[c], piece.cell[b], piece.cell[axis]], piece.area[axis]))
        .collect();
    row.sort_by_key(|(place, _)| *place);
    let stride = lattice.strides()[axis];
    let mut solid = 0.0;
    for (k, &([pc, pb, pa], area)) in row.iter().enumerate() {
        solid -= area;
        let next = row.get(k + 1).map(|(place, _)| *place);
        let same_row = next.filter(|next| next[..2] == [pc, pb]);
        if same_row.is_some_and(|next| next[2] == pa) {
            continue; // more of this cell
        }
        let Some(same_row) = same_row else {
            solid = 0.0; // the solid ends: what is left is rounding
            continue;
        };
        if solid.abs() < ROUNDING {
            solid = 0.0;
        } else if (solid - 1.0).abs() < ROUNDING {
            solid = 1.0;
        }
        let low = lattice.low[axis];
        let first = (pa + 1).max(low);
        let end = (same_row[2] + 1).min(low + lattice.size[axis] as i32);
        let mut cell = [0; 3];
        (cell[b], cell[c], cell[axis]) = (pb, pc, first);
        let Some(start) = (first < end).then(|| lattice.index_of(cell)).flatten() else { continue };
        let cells = (start..).step_by(stride).take((end - first) as usize);
        cells.for_each(|cell| covered[cell] += solid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Outline;
    use splashdown_geometry::math::{Aabb, DQuat, Dimension, Pose};
    use splashdown_geometry::shapes::Shape;

    fn walls(shape: &Shape, pose: Pose, dimension: Dimension) -> (Lattice, Walls) {
        let bounds = Aabb { min: DVec3::splat(-1.5), max: DVec3::splat(1.5) };
        let lattice = Lattice::around(bounds, 0.1, 3, dimension, 1e7).unwrap();
        let outline = Outline::new(&shape.surface(), dimension).unwrap();
        let body = Body {
            outline: Some(&outline),
            pose,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            moves: false,
        };
        let mut walls = Walls::none(&lattice);
        walls.add(&lattice, std::iter::once((0, &body)));
        (lattice, walls)
    }

    #[test]
    fn every_cell_closes_and_every_share_lies_between_nothing_and_all() {
        let shapes = [
            Shape::Sphere { radius: 0.7 },
            Shape::Box { half: DVec3::new(0.5, 0.3, 0.6) },
            Shape::Torus { major: 0.6, minor: 0.2 },
        ];
        for (n, shape) in shapes.iter().enumerate() {
            for k in 0..6 {
                let t = f64::from(k) + 0.37 * n as f64;
                for dimension in [Dimension::Two, Dimension::Three] {
                    let axis = match dimension {
                        Dimension::Two => DVec3::Z,
                        Dimension::Three => DVec3::new(t.sin(), t.cos(), 0.3).normalize(),
                    };
                    let translation = DVec3::new(0.013 * t, 0.021 * t.sin(), 0.0);
                    // The first is aligned with the cells.
                    let rotation = DQuat::from_axis_angle(axis, 0.4 * f64::from(k));
                    let pose = Pose { translation: f64::from(k) * translation, rotation };
                    let (lattice, walls) = walls(shape, pose, dimension);
                    for cell in 0..lattice.len() {
                        for axis in 0..lattice.axes() {
                            let covered = walls.covered[axis][cell];
                            assert!((-1e-11..=1.0 + 1e-11).contains(&covered), "{covered}");
                        }
                        if lattice.is_inner(lattice.place(cell)) {
                            let gap = lattice.dimension.flatten(walls.gap(&lattice, cell));
                            assert!(gap.length() < 1e-11, "{shape:?} {k}: {gap}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_share_is_the_area_that_lies_outside() {
        let turned = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), 0.7);
        let pose = Pose { translation: DVec3::new(0.03, 0.01, 0.02), rotation: turned };
        let half = DVec3::new(0.5, 0.3, 0.6);
        let (lattice, walls) = walls(&Shape::Box { half }, pose, Dimension::Three);
        for cell in (0..lattice.len()).filter(|c| lattice.is_inner(lattice.place(*c))) {
            let [i, j, k] = lattice.place(cell).map(|n| n as f64);
            let n = 24;
            let mut outside = 0;
            for a in 0..n * n {
                let [u, v] = [a % n, a / n].map(|m| (f64::from(m) + 0.5) / f64::from(n));
                let world = lattice.to_world(DVec3::new(i, j + u, k + v));
                outside += i32::from((pose.inverse_apply(world).abs() - half).max_element() > 0.0);
            }
            let sampled = f64::from(outside) / f64::from(n * n);
            assert!((sampled - walls.open(0, cell)).abs() < 0.05, "{sampled}");
        }
    }
}
