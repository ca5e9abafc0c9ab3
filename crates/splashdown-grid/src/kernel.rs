//! Weights of grid points around a point.

use glam::DVec3;
use splashdown_geometry::math::floored;

use crate::lattice::{Lattice, Nodes};
use crate::settings::Kernel;

/// The grid points around a point with the weights of each axis; a grid point has their product.
#[derive(Clone, Copy, Debug)]
pub struct Stencil {
    /// The first of them.
    pub base: [usize; 3],
    /// How many there are along each axis.
    pub count: [usize; 3],
    /// Weights along each axis.
    pub weight: [[f64; 3]; 3],
    /// From the point to the first of them, in cells.
    pub first: DVec3,
}

impl Stencil {
    /// Around `point`, in cells from the corner of the box.
    #[inline]
    pub fn new(lattice: &Lattice, kind: Nodes, kernel: Kernel, point: DVec3) -> Stencil {
        let offset = lattice.offset(kind);
        let mut stencil =
            Stencil { base: [0; 3], count: [1; 3], weight: [[1.0; 3]; 3], first: DVec3::ZERO };
        for axis in 0..lattice.axes() {
            let x = point[axis] - offset[axis];
            let reach = match kernel {
                Kernel::Linear => 2,
                Kernel::Quadratic => 3,
            };
            let lowest = match kernel {
                Kernel::Linear => x.floor(),
                Kernel::Quadratic => (x - 0.5).floor(),
            };
            let base = lowest.clamp(0.0, (lattice.size[axis] - reach) as f64);
            // From the first of them; outside of the box, at its end.
            let t = (x - base).clamp(0.0, reach as f64 - 1.0);
            stencil.base[axis] = base as usize;
            stencil.count[axis] = reach;
            stencil.first[axis] = -t;
            match kernel {
                Kernel::Linear => {
                    stencil.weight[axis] = [1.0 - t, t, 0.0];
                }
                Kernel::Quadratic => {
                    let (a, b, c) = (1.5 - t, t - 1.0, t - 0.5);
                    stencil.weight[axis] = [0.5 * a * a, 0.75 - b * b, 0.5 * c * c];
                }
            }
        }
        stencil
    }

    /// Visits each grid point: its index, its weight, and the way to it from the point, in cells.
    #[inline]
    pub fn each(&self, lattice: &Lattice, mut visit: impl FnMut(usize, f64, DVec3)) {
        let [_, sy, sz] = lattice.strides();
        let [bx, by, bz] = self.base;
        for k in 0..self.count[2] {
            let wz = self.weight[2][k];
            for j in 0..self.count[1] {
                let wyz = self.weight[1][j] * wz;
                let row = bx + (by + j) * sy + (bz + k) * sz;
                for i in 0..self.count[0] {
                    let way = self.first + DVec3::new(i as f64, j as f64, k as f64);
                    visit(row + i, self.weight[0][i] * wyz, way);
                }
            }
        }
    }

    /// Σ w f.
    #[inline]
    pub fn value(&self, lattice: &Lattice, values: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(lattice, |index, weight, _| sum += weight * values[index]);
        sum
    }
}

/// Values between the corners of a cell of grid points: what a linear stencil says, faster.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    base: usize,
    /// From the first of them, in cells.
    t: DVec3,
    /// Steps along y and z; the latter none in 2D.
    up: usize,
    back: usize,
}

impl Linear {
    /// Around `point`, in cells from the corner of the box.
    #[inline]
    pub fn new(lattice: &Lattice, kind: Nodes, point: DVec3) -> Linear {
        let [_, up, back] = lattice.strides();
        let p = point - lattice.offset(kind);
        let last = |axis: usize| (lattice.size[axis].max(2) - 2) as f64;
        let low = floored(p).clamp(DVec3::ZERO, DVec3::new(last(0), last(1), last(2)));
        let base = low.x as usize + low.y as usize * up + low.z as usize * back;
        let t = (p - low).clamp(DVec3::ZERO, DVec3::ONE);
        Linear { base, t, up, back: if lattice.axes() == 2 { 0 } else { back } }
    }

    /// Σ w f.
    #[inline]
    pub fn value(&self, values: &[f64]) -> f64 {
        let front = self.plane(values, self.base);
        match self.back {
            0 => front,
            back => front + self.t.z * (self.plane(values, self.base + back) - front),
        }
    }

    #[inline]
    fn plane(&self, values: &[f64], base: usize) -> f64 {
        let row = |base: usize| values[base] + self.t.x * (values[base + 1] - values[base]);
        let below = row(base);
        below + self.t.y * (row(base + self.up) - below)
    }

    /// Σ w f and Σ ∇w f, per cell.
    #[inline]
    pub fn value_and_slope(&self, values: &[f64]) -> (f64, DVec3) {
        let Linear { base, t, back, .. } = *self;
        let (front, slope) = self.plane_and_slope(values, base);
        if back == 0 {
            return (front, slope);
        }
        let (behind, other) = self.plane_and_slope(values, base + back);
        (front + t.z * (behind - front), (slope + t.z * (other - slope)).with_z(behind - front))
    }

    #[inline]
    fn plane_and_slope(&self, values: &[f64], base: usize) -> (f64, DVec3) {
        let DVec3 { x, y, .. } = self.t;
        let corner = |at: usize| values[at];
        let [a, b] = [corner(base), corner(base + 1)];
        let [c, d] = [corner(base + self.up), corner(base + self.up + 1)];
        let (below, above) = (a + x * (b - a), c + x * (d - c));
        let across = (b - a) + y * ((d - c) - (b - a));
        (below + y * (above - below), DVec3::new(across, above - below, 0.0))
    }
}
