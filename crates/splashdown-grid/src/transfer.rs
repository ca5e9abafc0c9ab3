//! Particles to faces and back (Jiang et al. 2015, JSS15; on staggered grids).
//!
//!   m_f u_f = Σ_p w_fp m_p (u_p + c_p · (x_f − x_p))                                 (GT1)
//!   u_p = Σ_f w_fp u_f,   c_p = D_p⁻¹ Σ_f w_fp u_f (x_f − x_p)                       (GT2)
//!
//! for each component of the velocity, on the faces of its axis. With linear weights (GT2) is
//! c_p = Σ_f ∇w_fp u_f, with quadratic ones D_p = ¼ in squares of cells.
//!
//! Particles write to faces slab by slab: slabs of one colour reach none that another of the same
//! colour reaches, so that sums have one order whatever the number of threads.

use glam::DVec3;
use rayon::prelude::*;

use crate::kernel::{Linear, Stencil};
use crate::lattice::{Lattice, Nodes};
use crate::records::{Record, Records};
use crate::settings::{Kernel, Settings, Transfer};

/// Layers of cells in a slab; with their reach of one below and two above, slabs of one colour are
/// apart.
const SLAB: usize = 4;
/// Layers that a slab reaches below its own.
const REACH: usize = 2;

/// Sums at a grid point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// Σ w m, in masses of a particle of the reference density.
    pub mass: f64,
    /// Σ w m u, or of another quantity.
    pub sum: f64,
    /// Σ w: what particles fill.
    pub filled: f64,
}

/// Σ over particles of what `value` says of each and the way to the grid point.
pub fn scatter(
    lattice: &Lattice,
    records: &Records,
    kind: Nodes,
    kernel: Kernel,
    value: impl Fn(&Record, DVec3) -> f64 + Sync,
) -> Vec<Node> {
    // Layers along the last axis that counts: contiguous in memory.
    let last = lattice.axes() - 1;
    let layer = lattice.len() / lattice.size[last];
    let mut nodes = vec![Node::default(); lattice.len()];
    let write = |first: usize, part: &mut [Node]| {
        // Own layers are those after the reach below.
        let own = first + REACH..(first + REACH + SLAB).min(lattice.size[last]);
        if own.is_empty() {
            return;
        }
        let [from, to] = [own.start, own.end].map(|n| records.start[n * layer] as usize);
        for record in &records.all[from..to] {
            let stencil = Stencil::new(lattice, kind, kernel, record.at);
            stencil.each(lattice, |index, weight, way| {
                let node = &mut part[index - first * layer];
                let mass = weight * record.density;
                node.mass += mass;
                node.sum += mass * value(record, way);
                node.filled += weight;
            });
        }
    };
    // Boxes have a margin: the first layers have no particles.
    for first in [0, SLAB] {
        let part = &mut nodes[first * layer..];
        part.par_chunks_mut(2 * SLAB * layer)
            .enumerate()
            .for_each(|(k, part)| write(first + 2 * SLAB * k, part));
    }
    nodes
}

/// (GT1): what all particles bring to the faces of an axis.
pub fn to_faces(lattice: &Lattice, records: &Records, axis: usize, kernel: Kernel) -> Vec<Node> {
    let value = |record: &Record, way: DVec3| record.velocity[axis] + record.affine[axis].dot(way);
    scatter(lattice, records, Nodes::Faces(axis), kernel, value)
}

/// Velocities on faces, m/s.
pub type Faces = [Vec<f64>; 3];

/// What a particle takes from the grid: its velocity and, row by row, its gradient.
pub fn from_faces(
    lattice: &Lattice,
    record: &Record,
    before: &Faces,
    after: &Faces,
    settings: &Settings,
) -> (DVec3, [DVec3; 3]) {
    let (mut velocity, mut affine) = (DVec3::ZERO, [DVec3::ZERO; 3]);
    let mut change = DVec3::ZERO;
    let flip = settings.flip_share;
    for axis in 0..lattice.axes() {
        let (kind, values) = (Nodes::Faces(axis), &after[axis]);
        if (settings.transfer, settings.kernel) == (Transfer::Apic, Kernel::Linear) {
            let around = Linear::new(lattice, kind, record.at);
            (velocity[axis], affine[axis]) = around.value_and_slope(values);
            if flip > 0.0 {
                change[axis] = velocity[axis] - around.value(&before[axis]);
            }
            continue;
        }
        let stencil = Stencil::new(lattice, kind, settings.kernel, record.at);
        match settings.transfer {
            Transfer::Apic => {
                let (mut sum, mut moment) = (0.0, DVec3::ZERO);
                stencil.each(lattice, |index, weight, way| {
                    sum += weight * values[index];
                    moment += weight * values[index] * way;
                });
                (velocity[axis], affine[axis]) = (sum, 4.0 * moment);
            }
            Transfer::Pic | Transfer::Flip => velocity[axis] = stencil.value(lattice, values),
        }
        if flip > 0.0 {
            change[axis] = velocity[axis] - stencil.value(lattice, &before[axis]);
        }
        if lattice.axes() == 2 {
            affine[axis].z = 0.0;
        }
    }
    if flip > 0.0 {
        velocity = velocity.lerp(record.velocity + change, flip);
    }
    (velocity, affine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Particles;
    use glam::DMat3;
    use splashdown_geometry::math::{Aabb, Dimension};
    use splashdown_solve::differences::Random;

    struct Cloud {
        position: Vec<DVec3>,
        velocity: Vec<DVec3>,
        affine: Vec<DMat3>,
        density: Vec<f64>,
    }

    fn cloud(random: &mut Random, dimension: Dimension, count: usize) -> Cloud {
        let flat = |v: DVec3| dimension.flatten(v);
        Cloud {
            position: (0..count).map(|_| flat(0.4 * random.vector())).collect(),
            velocity: (0..count).map(|_| flat(random.vector())).collect(),
            affine: vec![DMat3::ZERO; count],
            density: (0..count).map(|_| 1.0 + 0.5 * random.unit()).collect(),
        }
    }

    impl Cloud {
        fn lattice(&self, dimension: Dimension) -> Lattice {
            let bounds = Aabb::around(self.position.iter().copied());
            Lattice::around(bounds, 0.1, 4, dimension, 1e6).unwrap()
        }

        fn records(&self, lattice: &Lattice) -> Records {
            let Cloud { position, velocity, affine, density } = self;
            Records::new(lattice, &Particles { position, velocity, affine, density }, 1.0)
        }
    }

    fn faces(lattice: &Lattice, records: &Records, kernel: Kernel) -> ([Vec<Node>; 3], Faces) {
        let mut nodes = [const { Vec::new() }; 3];
        let mut u = [const { Vec::new() }; 3];
        for axis in 0..3 {
            nodes[axis] = match axis < lattice.axes() {
                true => to_faces(lattice, records, axis, kernel),
                false => vec![Node::default(); lattice.len()],
            };
            let speed = |n: &Node| if n.mass > 0.0 { n.sum / n.mass } else { 0.0 };
            u[axis] = nodes[axis].iter().map(speed).collect();
        }
        (nodes, u)
    }

    /// Linear momentum on faces, and angular momentum about the corner of the box.
    fn momenta(lattice: &Lattice, nodes: &[Vec<Node>; 3]) -> (DVec3, DVec3) {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (axis, nodes) in nodes.iter().enumerate().take(lattice.axes()) {
            for (cell, node) in nodes.iter().enumerate() {
                let [i, j, k] = lattice.place(cell).map(|n| n as f64);
                let at = DVec3::new(i, j, k) + lattice.offset(Nodes::Faces(axis));
                let p = DVec3::AXES[axis] * node.sum;
                linear += p;
                angular += at.cross(p);
            }
        }
        (linear, angular)
    }

    /// The same of records: an affine motion adds Σ m ε : (c D)ᵀ.
    fn of_records(lattice: &Lattice, records: &[Record], kernel: Kernel) -> (DVec3, DVec3) {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for record in records {
            let p = record.density * record.velocity;
            linear += p;
            angular += record.at.cross(p);
            for axis in 0..lattice.axes() {
                let stencil = Stencil::new(lattice, Nodes::Faces(axis), kernel, record.at);
                let mut moment = DVec3::ZERO;
                stencil.each(lattice, |_, weight, way| {
                    moment += weight * record.affine[axis].dot(way) * way;
                });
                angular += record.density * moment.cross(DVec3::AXES[axis]);
            }
        }
        (linear, angular)
    }

    #[test]
    fn transfers_keep_linear_and_angular_momentum() {
        let mut random = Random::new(3);
        for dimension in [Dimension::Two, Dimension::Three] {
            for kernel in [Kernel::Linear, Kernel::Quadratic] {
                let settings = Settings { kernel, ..Settings::default() };
                let mut cloud = cloud(&mut random, dimension, 400);
                for affine in &mut cloud.affine {
                    let c = random.matrix();
                    *affine = match dimension {
                        Dimension::Three => c,
                        Dimension::Two => DMat3::from_cols(
                            c.x_axis.with_z(0.0),
                            c.y_axis.with_z(0.0),
                            DVec3::ZERO,
                        ),
                    };
                }
                let lattice = cloud.lattice(dimension);
                let mut records = cloud.records(&lattice);
                let before = of_records(&lattice, &records.all, kernel);
                let (nodes, u) = faces(&lattice, &records, kernel);
                let there = momenta(&lattice, &nodes);
                for record in &mut records.all {
                    (record.velocity, record.affine) =
                        from_faces(&lattice, record, &u, &u, &settings);
                }
                let back = of_records(&lattice, &records.all, kernel);
                let count = records.all.len() as f64;
                for (linear, angular) in [there, back] {
                    assert!(linear.distance(before.0) < 1e-12 * count, "{kernel:?}");
                    let off = (angular - before.1) * DVec3::new(0.0, 0.0, 1.0);
                    let off = if dimension == Dimension::Two { off } else { angular - before.1 };
                    assert!(off.length() < 1e-11 * count, "{dimension:?} {kernel:?} {off}");
                }
            }
        }
    }

    #[test]
    fn an_affine_motion_stays_as_it_is() {
        let mut random = Random::new(7);
        for dimension in [Dimension::Two, Dimension::Three] {
            for kernel in [Kernel::Linear, Kernel::Quadratic] {
                let settings = Settings { kernel, ..Settings::default() };
                let mut cloud = cloud(&mut random, dimension, 800);
                let mut c = random.matrix();
                if dimension == Dimension::Two {
                    c = DMat3::from_cols(c.x_axis.with_z(0.0), c.y_axis.with_z(0.0), DVec3::ZERO);
                }
                for i in 0..cloud.position.len() {
                    cloud.velocity[i] = c * cloud.position[i];
                    cloud.affine[i] = c;
                }
                let lattice = cloud.lattice(dimension);
                let records = cloud.records(&lattice);
                let (_, u) = faces(&lattice, &records, kernel);
                for record in &records.all {
                    let (velocity, affine) = from_faces(&lattice, record, &u, &u, &settings);
                    assert!(velocity.distance(record.velocity) < 1e-12, "{kernel:?}");
                    for (found, expected) in affine.iter().zip(&record.affine) {
                        assert!(found.distance(*expected) < 1e-11, "{found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn sums_at_faces_have_the_same_bits_on_any_number_of_threads() {
        let cloud = cloud(&mut Random::new(9), Dimension::Three, 5000);
        let lattice = cloud.lattice(Dimension::Three);
        let records = cloud.records(&lattice);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| to_faces(&lattice, &records, 1, Kernel::Quadratic))
        };
        let one = on(1);
        assert!(one == on(2) && one == on(3) && one == on(8));
    }
}
