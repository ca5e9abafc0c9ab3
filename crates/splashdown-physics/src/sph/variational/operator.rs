//! The Hessian of the potentials by what it does to a direction (X23, 5.8 and A.1, A.3): two passes
//! over pairs, and the blocks on its diagonal.
//!
//!   sᵢ = κ δJᵢ(p)  where particle i is active                            first pass
//!   (H p)ᵢ = μᵢ pᵢ + Σₖ sₖ ∂Jₖ/∂uᵢ + Σⱼ Cᵢⱼ (pᵢ − pⱼ)                     second pass
//!
//! This is the homogeneous operator itself; g(p) − g(0), as printed, cancels digits. A direction
//! may have displacements of samples behind those of the fluid: the first pass sees them, and
//! `reaction` is the part of H p that acts on them. With the map S from vertices to samples,
//!
//!   p_f, S p_s  →  both passes  →  (H p)_f, Sᵀ (H p)_samples
//!
//! is the operator in which vertices behind wet samples are unknowns.

use std::sync::Mutex;

use super::assembled::Assembled;
use super::potentials::{Potentials, rub};
use crate::math::{DMat3, DVec3};
use crate::solve::operator::{LinearOperator, Preconditioner};

/// H of the fluid particles, with samples that stand still.
pub struct Hessian<'a> {
    potentials: Potentials<'a>,
    /// s, between the passes.
    squeeze: Mutex<Vec<f64>>,
}

impl<'a> Hessian<'a> {
    /// Of these potentials.
    pub fn new(potentials: Potentials<'a>) -> Hessian<'a> {
        Hessian { potentials, squeeze: Mutex::default() }
    }
}

impl LinearOperator<DVec3> for Hessian<'_> {
    fn apply(&self, p: &[DVec3], out: &mut [DVec3]) {
        // Nobody else has it; a lock that broke holds numbers as good as others.
        let mut squeeze = self.squeeze.lock().unwrap_or_else(|broken| broken.into_inner());
        self.potentials.squeeze_rates(p, &mut squeeze);
        self.potentials.multiply(&squeeze, p, out);
    }
}

/// Whoever carries samples and yields to forces on them: the vertices behind wet samples, with
/// the quadratic ½ yᵀ A y of their displacements about where they go without fluid. In the unit of
/// `variational`.
pub trait Yielding {
    /// Unknowns.
    fn count(&self) -> usize;

    /// S y: how all samples move.
    fn moves(&self, y: &[DVec3]) -> Vec<DVec3>;

    /// Sᵀ f: forces on samples as forces on unknowns.
    fn pulled(&self, forces: &[DVec3]) -> Vec<DVec3>;

    /// f ← A y
    fn resistance(&self, y: &[DVec3], f: &mut [DVec3]);

    /// A⁻¹ f
    fn response(&self, f: &[DVec3]) -> Vec<DVec3>;

    /// Adds what else fluid and carriers do to each other, Q(u, y): its derivatives by
    /// displacements of the fluid and by those of the unknowns.
    fn add_shared_slope(&self, _u: &[DVec3], _y: &[DVec3], _slope: [&mut [DVec3]; 2]) {}

    /// Adds its second derivatives times directions.
    fn add_shared_product(&self, _u: &[DVec3], _y: &[DVec3], _product: [&mut [DVec3]; 2]) {}

    /// Its blocks on the diagonal of fluid particles, by their numbers; one may have several.
    fn shared_blocks(&self) -> Vec<(usize, DMat3)> {
        Vec::new()
    }
}

/// Samples that are the last particles, and who carries them.
#[derive(Clone, Copy)]
pub struct Carried<'a> {
    /// The first sample among all particles.
    pub first: usize,
    /// Who carries them.
    pub by: &'a dyn Yielding,
}

/// H of fluid particles, and of whoever carries samples after them.
pub struct CoupledHessian<'a> {
    potentials: Potentials<'a>,
    /// What is multiplied with in the place of both passes, if anything is.
    matrix: Option<Assembled>,
    carried: Carried<'a>,
    /// s, and a direction of all particles.
    room: Mutex<(Vec<f64>, Vec<DVec3>)>,
}

impl<'a> CoupledHessian<'a> {
    /// Of these potentials, with `all` particles, as a matrix or matrix-free.
    pub fn new(
        potentials: Potentials<'a>,
        matrix: Option<Assembled>,
        carried: Carried<'a>,
        all: usize,
    ) -> Self {
        let room = Mutex::new((Vec::new(), vec![DVec3::ZERO; all]));
        CoupledHessian { potentials, matrix, carried, room }
    }
}

impl LinearOperator<DVec3> for CoupledHessian<'_> {
    fn apply(&self, p: &[DVec3], out: &mut [DVec3]) {
        let (n, Carried { first, by }) = (self.potentials.count(), self.carried);
        let mut room = self.room.lock().unwrap_or_else(|broken| broken.into_inner());
        let (squeeze, way) = &mut *room;
        way[..n].copy_from_slice(&p[..n]);
        way[first..].copy_from_slice(&by.moves(&p[n..]));
        let (of_fluid, of_carriers) = out.split_at_mut(n);
        let mut forces = vec![DVec3::ZERO; way.len() - first];
        if let Some(matrix) = &self.matrix {
            matrix.multiply(way, of_fluid, &mut forces);
        } else {
            self.potentials.squeeze_rates(way, squeeze);
            self.potentials.multiply(squeeze, way, of_fluid);
            self.potentials.reaction(squeeze, way, first, &mut forces);
        }
        by.resistance(&p[n..], of_carriers);
        of_carriers.iter_mut().zip(by.pulled(&forces)).for_each(|(sum, f)| *sum += f);
        by.add_shared_product(&p[..n], &p[n..], [of_fluid, of_carriers]);
    }
}

/// The blocks on the diagonal of the fluid, and A⁻¹ of whoever carries samples.
pub struct CoupledJacobi<'a> {
    /// Of the fluid.
    pub fluid: &'a BlockJacobi,
    /// Number of fluid particles.
    pub count: usize,
    /// Who carries samples.
    pub by: &'a dyn Yielding,
}

impl Preconditioner<DVec3> for CoupledJacobi<'_> {
    fn apply(&self, r: &[DVec3], z: &mut [DVec3]) {
        self.fluid.apply(&r[..self.count], &mut z[..self.count]);
        z[self.count..].copy_from_slice(&self.by.response(&r[self.count..]));
    }
}

impl Potentials<'_> {
    /// s for a direction of all particles, or of the fluid alone. The first pass.
    pub fn squeeze_rates(&self, p: &[DVec3], squeeze: &mut Vec<f64>) {
        squeeze.resize(self.count(), 0.0);
        self.rows.for_each(squeeze, |stretch, k| match self.active[stretch.particles.start + k] {
            true => self.stiffness * self.change(stretch, k, p),
            false => 0.0,
        });
    }

    /// (H p) of the fluid particles. The second pass.
    pub fn multiply(&self, squeeze: &[f64], p: &[DVec3], out: &mut [DVec3]) {
        self.rows.for_each(out, |stretch, k| {
            let i = stretch.particles.start + k;
            if self.held[i] {
                return DVec3::ZERO;
            }
            self.mass[i] * p[i] + self.pushed(stretch, k, squeeze, p)
        });
    }

    /// What P does to samples for given ∂P_I/∂J: adds its derivatives by their displacements to
    /// `out`, whose first entry is that of particle `first`. Particle by particle, in their order.
    pub fn reaction(&self, squeeze: &[f64], u: &[DVec3], first: usize, out: &mut [DVec3]) {
        if out.is_empty() {
            return;
        }
        for stretch in &self.rows.stretches {
            for k in 0..stretch.particles.len() {
                let i = stretch.particles.start + k;
                let slope = squeeze[i] * self.ratio[i];
                let mut add = |b: u32, derivative: DVec3| {
                    let at = (b as usize).checked_sub(first);
                    if let Some(sum) = at.and_then(|at| out.get_mut(at)) {
                        *sum += derivative;
                    }
                };
                stretch.walls(k).iter().for_each(|n| add(n.index, slope * n.gradient()));
                for (n, &c) in stretch.rubbing_walls(k) {
                    let wall = u.get(n.index as usize).copied().unwrap_or_default();
                    add(n.index, rub(n, c, wall - u[i]));
                }
            }
        }
    }

    /// The blocks of H on its diagonal.
    pub fn diagonal(&self) -> Vec<DMat3> {
        let square = |v: DVec3| DMat3::from_cols(v.x * v, v.y * v, v.z * v);
        let weight = |i: usize| match self.active[i] {
            true => self.stiffness * self.ratio[i].powi(2),
            false => 0.0,
        };
        let mut blocks = vec![DMat3::ZERO; self.count()];
        self.rows.for_each(&mut blocks, |stretch, k| {
            let i = stretch.particles.start + k;
            let mut sum = DMat3::from_diagonal(DVec3::splat(self.mass[i]));
            sum += weight(i) * square(self.rows.own_gradient[i]);
            let volume = self.rows.volume[i].powi(2);
            for n in stretch.neighbors(k) {
                sum += weight(n.index as usize) * volume * square(n.gradient());
            }
            for (n, &[a, b]) in stretch.rubbing(k).chain(stretch.rubbing_walls(k)) {
                sum += DMat3::from_diagonal(DVec3::splat(f64::from(a)));
                sum += f64::from(b) * square(n.gradient());
            }
            sum
        });
        blocks
    }
}

/// The inverse of the blocks on the diagonal.
pub struct BlockJacobi(Vec<DMat3>);

impl BlockJacobi {
    /// Of these potentials, and of `others`.
    pub fn of(potentials: &Potentials<'_>, others: &[(usize, DMat3)]) -> BlockJacobi {
        let mut blocks = potentials.diagonal();
        others.iter().for_each(|(i, block)| blocks[*i] += *block);
        BlockJacobi(blocks.iter().map(DMat3::inverse).collect())
    }
}

impl Preconditioner<DVec3> for BlockJacobi {
    fn apply(&self, r: &[DVec3], z: &mut [DVec3]) {
        z.iter_mut().zip(r).zip(&self.0).for_each(|((z, r), block)| *z = *block * *r);
    }
}
