//! How much walls count, and how they resist those who come too near.
//!
//! A wall is one layer of samples, and what has come between two of them feels no push back: it is
//! through. A drop that meets a wall alone has besides too few neighbours to count as compressed
//! before it is there. So what walls add to a particle's number density, w = Σ β hᵈ W, counts more
//! the nearer the particle is, from w₁ on, what it is next to a flat wall in the first layer of the
//! rest lattice:
//!
//!   φ(w) = w + a (w − w₁)²   for w > w₁   (WD1)
//!
//! a is such that a lone particle is at rest density before it reaches the samples. Walls that
//! mirror the pressure of the fluid push twice as hard, and count twice for changes of density:
//!
//!   φ(w) = w²/w₁ for w < w₁,  2w − w₁ for w ≥ w₁,   and a (w − w₁)² on top if need be   (WD2)
//!
//! The rest lattice counts as it would without. One that sets in later has to be steeper, and what
//! is pressed into a corner, where three walls add up, then bounces (from 0.65 h on, h = 0.02 m, 4
//! ms).
//!
//! φ′ scales the gradients of wall pairs. Density, pressure force and the wall's reaction are thus
//! parts of one energy, and nobody gains by meeting a wall. Both mattered: lone drops lifted in
//! density alone kept a tank of water boiling at 0.1 √(g H), and mirrored walls that doubled forces
//! alone did the same.

use super::kernel::Kernel;

/// The nearest, in h, that a lone particle comes to the samples of a flat wall.
const NEAREST: f64 = 0.45;

/// Where the pressure of walls comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WallKind {
    /// They have none.
    Zero,
    /// It is that of the particle that asks.
    Mirrored,
    /// It is extrapolated from the fluid.
    Extrapolated,
}

impl WallKind {
    /// How much more the samples of a body have to weigh for it to displace its own volume.
    ///
    /// Fluid does not stay a lattice. Next to walls without pressure of their own its first layer
    /// comes nearer and leaves less behind it than it gains: still water sinks by 0.09 h (2D) and
    /// 0.05 h (3D) for every wall, and around a body it stands that much too near. With these
    /// factors it keeps its level. Tanks do without: a lattice that was filled in would be too
    /// dense next to all their walls, and a deep one be lifted.
    pub fn volume_correction(self, kernel: Kernel) -> f32 {
        match (self, kernel.dimension.count()) {
            (WallKind::Zero, 2) => 1.18,
            (WallKind::Zero, _) => 1.15,
            (WallKind::Mirrored, 2) => 1.06,
            (WallKind::Mirrored, _) => 1.05,
            _ => 1.0,
        }
    }
}

/// φ for walls of some kind in a world with some kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallDensity {
    /// Whether walls mirror the pressure of the fluid.
    mirrors: bool,
    /// w₁.
    onset: f32,
    /// a.
    gain: f32,
}

impl WallDensity {
    /// Walls as their samples make them: φ(w) = w.
    pub const NONE: WallDensity = WallDensity { mirrors: false, onset: f32::INFINITY, gain: 0.0 };

    /// (WD1), or (WD2) for walls that mirror.
    pub fn new(kernel: Kernel, kind: WallKind) -> WallDensity {
        let [onset, nearest] =
            [1.0, NEAREST].map(|distance| flat_wall_density(kernel, distance) as f32);
        let mirrors = kind == WallKind::Mirrored;
        let soft = WallDensity { mirrors, onset, gain: 0.0 };
        let alone = (kernel.w(0.0) / kernel.lattice_sum()) as f32 + soft.count(nearest).0;
        let gain = ((1.0 - alone) / (nearest - onset).powi(2)).max(0.0);
        WallDensity { gain, ..soft }
    }

    /// w₁.
    pub fn onset(self) -> f32 {
        self.onset
    }

    /// The w that counts as `count` as far as the walls mirror: φ⁻¹ without a.
    pub fn density_that_counts(self, count: f32) -> f32 {
        match self.mirrors {
            false => count,
            true if count < self.onset => (self.onset * count.max(0.0)).sqrt(),
            true => 0.5 * (count + self.onset),
        }
    }

    /// φ(w) and φ′(w).
    #[inline]
    pub fn count(self, w: f32) -> (f32, f32) {
        let (count, slope) = match self.mirrors {
            false => (w, 1.0),
            true if w < self.onset => (w * w / self.onset, 2.0 * w / self.onset),
            true => (2.0 * w - self.onset, 2.0),
        };
        let beyond = (w - self.onset).max(0.0);
        (count + self.gain * beyond * beyond, slope + 2.0 * self.gain * beyond)
    }
}

/// What a flat wall adds to the number density at a distance (in h) above one of its samples.
fn flat_wall_density(kernel: Kernel, distance: f64) -> f64 {
    let across = if kernel.dimension.count() == 2 { 0..=0 } else { -2..=2 };
    let at = |x: i32, z: i32| kernel.w((f64::from(x * x + z * z) + distance * distance).sqrt());
    let sum: f64 = across.flat_map(|z| (-2..=2).map(move |x| at(x, z))).sum();
    sum / kernel.lattice_sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Dimension;
    use crate::particles::kernel::KernelKind;

    const ALL: [WallKind; 3] = [WallKind::Zero, WallKind::Mirrored, WallKind::Extrapolated];

    fn kernels() -> impl Iterator<Item = Kernel> {
        [KernelKind::Cubic, KernelKind::Wendland, KernelKind::Spiky].into_iter().flat_map(|kind| {
            [Dimension::Two, Dimension::Three].map(|dimension| Kernel { kind, dimension })
        })
    }

    #[test]
    fn the_slope_is_the_derivative_of_the_count() {
        for kernel in kernels() {
            for kind in ALL {
                let phi = WallDensity::new(kernel, kind);
                for w in (1..80).map(|i| i as f32 / 100.0) {
                    let step = 1.0e-3;
                    let change = phi.count(w + step).0 - phi.count(w - step).0;
                    let slope = phi.count(w).1;
                    assert!((change / (2.0 * step) - slope).abs() < 2.0e-2, "{kernel:?} {w}");
                }
            }
        }
    }

    #[test]
    fn the_rest_lattice_counts_as_without_it() {
        for kernel in kernels() {
            let lattice = flat_wall_density(kernel, 1.0) as f32;
            for kind in ALL {
                assert_eq!(WallDensity::new(kernel, kind).count(lattice).0, lattice);
            }
        }
    }

    #[test]
    fn a_lone_particle_is_stopped_before_it_is_among_the_samples() {
        for kernel in kernels() {
            let own = kernel.w(0.0) / kernel.lattice_sum();
            let near = flat_wall_density(kernel, NEAREST - 0.01) as f32;
            let count = WallDensity::new(kernel, WallKind::Zero).count(near).0;
            assert!(own + f64::from(count) > 1.0, "{kernel:?} {count}");
        }
    }
}
