//! Along velocities, by a scheme of third order (Ralston 1962):
//!
//!   k₁ = u(x),  k₂ = u(x + ½Δt k₁),  k₃ = u(x + ¾Δt k₂),  x ← x + Δt (2k₁ + 3k₂ + 4k₃)/9

use glam::DVec3;

use crate::kernel::Linear;
use crate::lattice::{Lattice, Nodes};
use crate::transfer::Faces;

/// The velocity at a point, in cells from the corner of the box.
#[inline]
pub fn velocity_at(lattice: &Lattice, u: &Faces, at: DVec3) -> DVec3 {
    let mut velocity = DVec3::ZERO;
    for axis in 0..lattice.axes() {
        velocity[axis] = Linear::new(lattice, Nodes::Faces(axis), at).value(&u[axis]);
    }
    velocity
}

/// Where a point is after `dt`, in units of the velocity's time; no substep is to pass more than a
/// cell.
pub fn advected(lattice: &Lattice, u: &Faces, at: DVec3, dt: f64, substeps: u32) -> DVec3 {
    let dt = dt / f64::from(substeps);
    let mut x = at;
    for _ in 0..substeps {
        let k1 = velocity_at(lattice, u, x);
        let k2 = velocity_at(lattice, u, x + 0.5 * dt * k1);
        let k3 = velocity_at(lattice, u, x + 0.75 * dt * k2);
        x += dt / 9.0 * (2.0 * k1 + 3.0 * k2 + 4.0 * k3);
    }
    x
}
