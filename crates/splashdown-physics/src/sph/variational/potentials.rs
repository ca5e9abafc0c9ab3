//! P_I and P_V with inertia as one quadratic of displacements: its value and its gradient.

use super::rows::{Neighbor, Rows, Stretch};
use crate::math::DVec3;
use crate::solve::reduce;

/// The quadratic of a step, in the unit of `variational`.
#[derive(Clone, Copy, Debug)]
pub struct Potentials<'a> {
    /// Pairs and volumes.
    pub rows: &'a Rows,
    /// μ of each fluid particle.
    pub mass: &'a [f64],
    /// Of each fluid particle, whether it moves as told.
    pub held: &'a [bool],
    /// Jⁿ of each fluid particle, as it counts.
    pub ratio: &'a [f64],
    /// Of each fluid particle, whether its compression costs anything.
    pub active: &'a [bool],
    /// κ
    pub stiffness: f64,
}

/// C u of a pair with coefficients `[a, b]` along the gradient of `n`.
#[inline(always)]
pub fn rub(n: &Neighbor, c: [f32; 2], u: DVec3) -> DVec3 {
    let (a, b) = (f64::from(c[0]), f64::from(c[1]));
    let g = n.gradient();
    a * u + b * g.dot(u) * g
}

impl Potentials<'_> {
    /// Number of fluid particles.
    pub fn count(&self) -> usize {
        self.mass.len()
    }

    /// Jᵢ(u) − Jᵢⁿ (4.9, 4.11): linear in the displacements of all particles. Samples whose
    /// displacements are left out stand still.
    #[inline(always)]
    pub(super) fn change(&self, stretch: &Stretch, k: usize, u: &[DVec3]) -> f64 {
        let i = stretch.particles.start + k;
        let own = u[i];
        let mut sum = -own.dot(self.rows.own_gradient[i]);
        for n in stretch.neighbors(k) {
            let j = n.index as usize;
            sum += self.rows.volume[j] * n.gradient().dot(u[j]);
        }
        if u.len() > self.count() {
            for n in stretch.walls(k) {
                sum += n.gradient().dot(u[n.index as usize]);
            }
        }
        self.ratio[i] * sum
    }

    /// J(u) of every fluid particle.
    pub fn volume_ratios(&self, u: &[DVec3]) -> Vec<f64> {
        let mut ratios = vec![0.0; self.count()];
        self.rows.for_each(&mut ratios, |stretch, k| {
            self.ratio[stretch.particles.start + k] + self.change(stretch, k, u)
        });
        ratios
    }

    /// ½|u − û|²_μ + P_I + P_V. Displacements are those of all particles.
    pub fn energy(&self, u: &[DVec3], goal: &[DVec3]) -> f64 {
        let inertia = |i: usize| 0.5 * self.mass[i] * (u[i] - goal[i]).length_squared();
        reduce::sum(self.count(), inertia) + self.stored(u)
    }

    /// P_I + P_V. Displacements are those of all particles.
    pub fn stored(&self, u: &[DVec3]) -> f64 {
        let ratios = self.volume_ratios(u);
        reduce::sum(self.count(), |i| {
            let squeeze = if self.active[i] { (ratios[i] - 1.0).powi(2) } else { 0.0 };
            let Some((stretch, k)) = self.rows.place(i) else { return 0.0 };
            // Each fluid pair is met twice.
            let fluid = stretch.rubbing(k).map(|(n, &c)| {
                let apart = u[i] - u[n.index as usize];
                0.25 * apart.dot(rub(n, c, apart))
            });
            let walls = stretch.rubbing_walls(k).map(|(n, &c)| {
                let apart = u[i] - u[n.index as usize];
                0.5 * apart.dot(rub(n, c, apart))
            });
            0.5 * self.stiffness * squeeze + fluid.sum::<f64>() + walls.sum::<f64>()
        })
    }

    /// ∂P_I/∂J of every fluid particle.
    pub fn squeeze(&self, u: &[DVec3]) -> Vec<f64> {
        let of = |(j, active): (&f64, &bool)| match active {
            true => self.stiffness * (j - 1.0),
            false => 0.0,
        };
        self.volume_ratios(u).iter().zip(self.active).map(of).collect()
    }

    /// Its derivatives by the displacements of fluid particles; zero for those that move as told.
    pub fn gradient(&self, u: &[DVec3], goal: &[DVec3]) -> Vec<DVec3> {
        let squeeze = self.squeeze(u);
        let inertia: Vec<DVec3> = (u.iter().zip(goal).zip(self.mass))
            .map(|((u, goal), mass)| *mass * (*u - *goal))
            .collect();
        let mut gradient = vec![DVec3::ZERO; self.count()];
        self.spread(&squeeze, u, &mut gradient);
        gradient.iter_mut().zip(inertia).for_each(|(g, of_mass)| *g += of_mass);
        gradient.iter_mut().zip(self.held).filter(|(_, held)| **held).for_each(|(g, _)| {
            *g = DVec3::ZERO;
        });
        gradient
    }

    /// Σ s ∂J/∂u + C u of the fluid particles: what pushes them for given ∂P_I/∂J and
    /// displacements. The second of two passes.
    pub fn spread(&self, squeeze: &[f64], u: &[DVec3], out: &mut [DVec3]) {
        self.rows.for_each(out, |stretch, k| self.pushed(stretch, k, squeeze, u));
    }

    /// The same for one particle.
    #[inline(always)]
    pub(super) fn pushed(
        &self,
        stretch: &Stretch,
        k: usize,
        squeeze: &[f64],
        u: &[DVec3],
    ) -> DVec3 {
        let i = stretch.particles.start + k;
        let mut others = DVec3::ZERO;
        for n in stretch.neighbors(k) {
            let j = n.index as usize;
            others += squeeze[j] * self.ratio[j] * n.gradient();
        }
        let own = squeeze[i] * self.ratio[i] * self.rows.own_gradient[i];
        let mut sum = -own - self.rows.volume[i] * others;
        for (n, &c) in stretch.rubbing(k) {
            sum += rub(n, c, u[i] - u[n.index as usize]);
        }
        for (n, &c) in stretch.rubbing_walls(k) {
            let wall = u.get(n.index as usize).copied().unwrap_or_default();
            sum += rub(n, c, u[i] - wall);
        }
        sum
    }
}
