//! Cells of a box of the world, with their faces.
//!
//! Cell (i, j, k) is [i, i+1] × [j, j+1] × [k, k+1] in units of its width, counted from the origin
//! of the world, so that a cell is the same whatever the box. The face of an axis has the index of
//! the cell above it; boxes have a margin of empty cells, so that no cell lacks an upper face.

use splashdown_geometry::math::{Aabb, DVec3, Dimension};

/// Boxes begin and end at multiples of this many cells, so that they seldom change.
const BLOCK: i32 = 8;

/// The cells of a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Width of a cell, m.
    pub width: f64,
    /// 2D: one layer of cells, and particles in the middle of it.
    pub dimension: Dimension,
    /// The first cell.
    pub low: [i32; 3],
    /// How many there are along each axis.
    pub size: [usize; 3],
}

/// No index: for what is not among the unknowns.
pub const NONE: u32 = u32::MAX;

impl Lattice {
    /// The cells around `bounds`, which are in metres, with a margin; none if there were too many.
    pub fn around(
        bounds: Aabb,
        width: f64,
        margin: i32,
        dimension: Dimension,
        most: f64,
    ) -> Option<Lattice> {
        let block = f64::from(BLOCK);
        let margin = f64::from(margin);
        let first = ((bounds.min / width - margin) / block).floor() * block;
        let end = ((bounds.max / width + margin) / block).ceil() * block;
        let count = dimension.flatten(end - first).to_array();
        let cells: f64 = count.iter().take(dimension.count()).product();
        let far = first.abs().max(end.abs()).max_element();
        if !(cells <= most && far < f64::from(i32::MAX / 2)) {
            return None;
        }
        let mut low = first.to_array().map(|x| x as i32);
        let mut size = count.map(|n| n as usize);
        if dimension == Dimension::Two {
            (low[2], size[2]) = (0, 1);
        }
        Some(Lattice { width, dimension, low, size })
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// 2 or 3.
    pub fn axes(&self) -> usize {
        self.dimension.count()
    }

    /// From one cell to the next along each axis.
    pub fn strides(&self) -> [usize; 3] {
        [1, self.size[0], self.size[0] * self.size[1]]
    }

    /// The index of a cell of the box.
    pub fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.size[0] * (j + self.size[1] * k)
    }

    /// The cell of an index.
    pub fn place(&self, index: usize) -> [usize; 3] {
        let (i, rest) = (index % self.size[0], index / self.size[0]);
        [i, rest % self.size[1], rest / self.size[1]]
    }

    /// The index of a cell that is counted from the origin of the world, if it is in the box.
    pub fn index_of(&self, cell: [i32; 3]) -> Option<usize> {
        let mut place = [0; 3];
        for axis in 0..3 {
            let at = i64::from(cell[axis]) - i64::from(self.low[axis]);
            place[axis] = usize::try_from(at).ok().filter(|&at| at < self.size[axis])?;
        }
        Some(self.index(place))
    }

    /// The first cell as a point.
    pub fn corner(&self) -> DVec3 {
        DVec3::from_array(self.low.map(f64::from))
    }

    /// A point of the world, m, in cells from the corner of the box.
    pub fn to_cells(&self, point: DVec3) -> DVec3 {
        let p = point / self.width - self.corner();
        match self.dimension {
            Dimension::Two => p.with_z(0.5),
            Dimension::Three => p,
        }
    }

    /// The same back to metres.
    pub fn to_world(&self, point: DVec3) -> DVec3 {
        self.dimension.flatten((point + self.corner()) * self.width)
    }

    /// The cell that holds a point, in cells from the corner; the nearest if it is outside.
    pub fn cell_of(&self, point: DVec3) -> [usize; 3] {
        let p = point.to_array();
        std::array::from_fn(|axis| (p[axis].max(0.0) as usize).min(self.size[axis] - 1))
    }

    /// The middle of a cell, in cells from the corner.
    pub fn centre(&self, index: usize) -> DVec3 {
        DVec3::from_array(self.place(index).map(|n| n as f64 + 0.5))
    }

    /// Whether a cell has neighbours in the box on all sides that count.
    pub fn is_inner(&self, place: [usize; 3]) -> bool {
        (0..self.axes()).all(|axis| place[axis] > 0 && place[axis] + 1 < self.size[axis])
    }

    /// Where the points of a kind lie in their cells: faces of an axis, or middles.
    pub fn offset(&self, kind: Nodes) -> DVec3 {
        let mut offset = DVec3::splat(0.5);
        if let Nodes::Faces(axis) = kind {
            offset[axis] = 0.0;
        }
        offset
    }

    /// Of 27 cells around one (9 in 2D), how far their indices are, itself included.
    pub fn around_cell(&self) -> Vec<isize> {
        let [_, sy, sz] = self.strides().map(|s| s as isize);
        let deep = if self.dimension == Dimension::Two { 0 } else { 1 };
        let mut around = Vec::with_capacity(27);
        for k in -deep..=deep {
            for j in -1..=1 {
                around.extend((-1..=1).map(|i| i + j * sy + k * sz));
            }
        }
        around
    }
}

/// Points of the grid that values belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// Middles of cells.
    Cells,
    /// Middles of the faces that look along this axis.
    Faces(usize),
}
