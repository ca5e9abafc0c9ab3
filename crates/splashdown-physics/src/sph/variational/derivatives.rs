//! Whether gradient, reactions and Hessian of the potentials belong together: for tests and
//! validation.

use super::assembled::Assembled;
use super::operator::Hessian;
use super::potentials::Potentials;
use crate::math::{DVec3, Dimension};
use crate::solve::differences::{Random, difference};
use crate::solve::operator::{LinearOperator, dot};

/// Displacements that are tried, in h.
const REACH: f64 = 0.1;
/// Step of differences, in h.
const STEP: f64 = 1e-3;

/// Relative errors.
#[derive(Clone, Debug, Default)]
pub struct Derivatives {
    /// Gradient against differences of the energy, the part of samples included.
    pub gradient: f64,
    /// Hessian times a direction against differences of the gradient.
    pub hessian: f64,
    /// Matrix-free product against that with the assembled matrix.
    pub product: f64,
    /// What forces on fluid and on samples add up to without inertia, over the sum of their sizes.
    pub momentum: f64,
    /// The Hessian of P_I + P_V, row by row.
    pub matrix: Vec<Vec<f64>>,
}

/// At random displacements of all particles, `count` of them.
pub fn derivatives(
    potentials: &Potentials<'_>,
    count: usize,
    dimension: Dimension,
    seed: u64,
) -> Derivatives {
    let mut random = Random::new(seed);
    let mut vectors = || -> Vec<DVec3> {
        (0..count).map(|_| dimension.flatten(REACH * random.vector())).collect()
    };
    let (u, p, goal) = (vectors(), vectors(), vectors());
    let n = potentials.count();
    let moved = |s: f64| -> Vec<DVec3> { u.iter().zip(&p).map(|(u, p)| *u + s * *p).collect() };
    let (forces, on_samples) = all_derivatives(potentials, &u, &goal);
    let slope = dot(&forces, &p[..n]) + dot(&on_samples, &p[n..]);
    let expected = difference(STEP, |s| potentials.energy(&moved(s), &goal));

    let product = apply(&Hessian::new(*potentials), &p[..n]);
    let frozen = |s: f64| -> Vec<DVec3> { [&moved(s)[..n], &u[n..]].concat() };
    let change: Vec<DVec3> = potentials
        .gradient(&frozen(0.5), &goal)
        .iter()
        .zip(potentials.gradient(&frozen(-0.5), &goal))
        .map(|(after, before)| *after - before)
        .collect();
    let assembled = Assembled::of(potentials, n..count);
    let mut of_matrix = vec![DVec3::ZERO; count];
    let (of_fluid, of_samples) = of_matrix.split_at_mut(n);
    assembled.multiply(&p, of_fluid, of_samples);
    let mut matrix = assembled.dense();
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] -= potentials.mass[k / 3];
    }
    let (pushes, _) = all_derivatives(potentials, &u, &u);
    let sum: DVec3 = pushes.iter().chain(&on_samples).sum();
    let size: f64 = pushes.iter().map(|f| f.length()).sum();
    Derivatives {
        gradient: (slope / expected - 1.0).abs(),
        hessian: mismatch(&product, &change),
        product: mismatch(&both_passes(potentials, &p), &of_matrix),
        momentum: sum.length() / size,
        matrix,
    }
}

/// Derivatives by the displacements of fluid particles, and of samples.
fn all_derivatives(
    potentials: &Potentials<'_>,
    u: &[DVec3],
    goal: &[DVec3],
) -> (Vec<DVec3>, Vec<DVec3>) {
    let n = potentials.count();
    let ratios = potentials.volume_ratios(u);
    let squeeze = |(j, active): (&f64, &bool)| match active {
        true => potentials.stiffness * (j - 1.0),
        false => 0.0,
    };
    let squeeze: Vec<f64> = ratios.iter().zip(potentials.active).map(squeeze).collect();
    let mut on_samples = vec![DVec3::ZERO; u.len() - n];
    potentials.reaction(&squeeze, u, n, &mut on_samples);
    (potentials.gradient(u, goal), on_samples)
}

/// H p of fluid and samples, matrix-free.
fn both_passes(potentials: &Potentials<'_>, p: &[DVec3]) -> Vec<DVec3> {
    let (mut out, mut squeeze) = (vec![DVec3::ZERO; p.len()], Vec::new());
    let (of_fluid, of_samples) = out.split_at_mut(potentials.count());
    potentials.squeeze_rates(p, &mut squeeze);
    potentials.multiply(&squeeze, p, of_fluid);
    potentials.reaction(&squeeze, p, potentials.count(), of_samples);
    out
}

fn apply(operator: &impl LinearOperator<DVec3>, p: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; p.len()];
    operator.apply(p, &mut out);
    out
}

/// Largest difference, relative to the largest entry.
fn mismatch(a: &[DVec3], b: &[DVec3]) -> f64 {
    let size = |v: DVec3| v.abs().max_element();
    let largest = b.iter().map(|b| size(*b)).fold(f64::MIN_POSITIVE, f64::max);
    a.iter().zip(b).map(|(a, b)| size(*a - *b)).fold(0.0, f64::max) / largest
}
