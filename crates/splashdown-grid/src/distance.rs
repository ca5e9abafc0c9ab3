//! How far corners of cells are from solids: exact near their surfaces, bounded far from them.
//!
//! Between corners it is interpolated, which rounds edges off by a fraction of a cell.

use rayon::prelude::*;
use splashdown_geometry::math::{DVec3, Dimension};

use crate::body::Body;
use crate::lattice::Lattice;

/// Distances are not told beyond this, in cells.
pub const BAND: f64 = 3.0;
/// Corners are asked for in groups of this many along each axis.
const GROUP: usize = 4;

/// Distances at the corners of cells, in cells: negative inside of solids.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    /// Number of corners along each axis.
    size: [usize; 3],
    value: Vec<f32>,
    /// The nearest solid.
    owner: Vec<u32>,
}

impl Distances {
    /// Far from everything.
    pub fn far(lattice: &Lattice) -> Distances {
        let mut size = lattice.size.map(|n| n + 1);
        if lattice.dimension == Dimension::Two {
            size[2] = 1;
        }
        let count = size.iter().product();
        Distances { size, value: vec![BAND as f32; count], owner: vec![u32::MAX; count] }
    }

    /// Takes another solid in.
    pub fn add(&mut self, lattice: &Lattice, body: &Body<'_>, number: u32) {
        let Some(outline) = body.outline else { return };
        let dimension = lattice.dimension;
        let at = |place: [usize; 3]| {
            let corner = DVec3::from_array(place.map(|n| n as f64));
            let world = dimension.flatten((corner + lattice.corner()) * lattice.width);
            outline.distance(body.pose.inverse_apply(world), dimension) / lattice.width
        };
        let centre = body.pose.translation / lattice.width - lattice.corner();
        let reach = outline.reach() / lattice.width + BAND;
        let size = self.size;
        let groups = size.map(|n| n.div_ceil(GROUP));
        let count: usize = groups.iter().product();
        let nearest = |group: usize| -> Vec<(usize, f32)> {
            let [gx, gy] = [groups[0], groups[1]];
            let first = [group % gx, group / gx % gy, group / gx / gy].map(|n| n * GROUP);
            let end: [usize; 3] = std::array::from_fn(|a| (first[a] + GROUP).min(size[a]));
            let half: [usize; 3] = std::array::from_fn(|a| (end[a] - first[a]) / 2);
            let middle: [usize; 3] = std::array::from_fn(|a| first[a] + half[a]);
            let mut away = DVec3::from_array(middle.map(|n| n as f64)) - centre;
            if dimension == Dimension::Two {
                away.z = 0.0;
            }
            let extent = GROUP as f64 * 3f64.sqrt() / 2.0 + 1.0;
            if away.length() > reach + extent {
                return Vec::new();
            }
            let of_middle = at(middle);
            if of_middle > BAND + extent {
                return Vec::new();
            }
            let is_deep = of_middle < -BAND - extent;
            let mut found = Vec::with_capacity(GROUP * GROUP * GROUP);
            for k in first[2]..end[2] {
                for j in first[1]..end[1] {
                    for i in first[0]..end[0] {
                        let value = if is_deep { -BAND } else { at([i, j, k]).max(-BAND) };
                        if value < BAND {
                            found.push((i + size[0] * (j + size[1] * k), value as f32));
                        }
                    }
                }
            }
            found
        };
        let found: Vec<Vec<(usize, f32)>> = (0..count).into_par_iter().map(nearest).collect();
        for (index, value) in found.into_iter().flatten() {
            if value < self.value[index] {
                (self.value[index], self.owner[index]) = (value, number);
            }
        }
    }

    /// Distance at a point, and its gradient, both in cells from the corner of the box; the solid
    /// that is nearest.
    #[inline]
    pub fn at(&self, point: DVec3) -> (f64, DVec3, u32) {
        let mut base = [0usize; 3];
        let mut t = [0.0; 3];
        for axis in 0..3 {
            if self.size[axis] > 1 {
                let low = point[axis].floor().clamp(0.0, (self.size[axis] - 2) as f64);
                base[axis] = low as usize;
                t[axis] = (point[axis] - low).clamp(0.0, 1.0);
            }
        }
        let (mut value, mut slope) = (0.0, DVec3::ZERO);
        let (mut owner, mut least) = (u32::MAX, f32::INFINITY);
        let deep = if self.size[2] > 1 { 2 } else { 1 };
        let weight = |axis: usize, n: usize| if n == 1 { t[axis] } else { 1.0 - t[axis] };
        let sign = |n: usize| if n == 1 { 1.0 } else { -1.0 };
        for k in 0..deep {
            let (wz, sz) = if deep == 2 { (weight(2, k), sign(k)) } else { (1.0, 0.0) };
            for j in 0..2 {
                let wy = weight(1, j);
                for i in 0..2 {
                    let wx = weight(0, i);
                    let row = base[1] + j + self.size[1] * (base[2] + k);
                    let index = base[0] + i + self.size[0] * row;
                    let here = f64::from(self.value[index]);
                    value += wx * wy * wz * here;
                    slope += here * DVec3::new(sign(i) * wy * wz, wx * sign(j) * wz, wx * wy * sz);
                    if self.value[index] < least {
                        (least, owner) = (self.value[index], self.owner[index]);
                    }
                }
            }
        }
        (value, slope, owner)
    }

    /// The way out of solids at a point, and how deep in them it is, in cells; none outside.
    pub fn depth(&self, point: DVec3) -> Option<(DVec3, f64)> {
        let (value, slope, _) = self.at(point);
        (value < 0.0).then(|| (slope.normalize_or_zero(), -value))
    }
}
