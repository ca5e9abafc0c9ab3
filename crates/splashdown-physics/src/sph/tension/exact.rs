//! (T6) in double precision and along true directions, as it moves particles in the end.
//!
//! Both sides of a pair must find the same force, or momentum is lost. The slope of the kernel is
//! the same number on both (`Wide::slopes`), the direction comes from the true places,
//!
//!   F_i = Σ_j c_ij (x_i − x_j) = x_i Σ_j c_ij − Σ_j c_ij x_j,   c_ij = (Q_i + Q_j) W′/r   (T7)
//!
//! with places relative to one of the chunk, so that nothing is lost by the difference.

use std::marker::PhantomData;

use super::pairs::Pulls;
use crate::math::DVec3;
use crate::particles::kernel::KernelShape;
use crate::particles::periodic::nearest;
use crate::particles::simd::{Lanes, Rows, Vectorised};
use crate::particles::wide::{Stretch, Wide};

/// (T6) over fluid for one chunk.
pub(super) struct Force<'a, S> {
    pub list: &'a Wide,
    pub kernel: &'a Stretch,
    pub pulls: &'a Pulls,
    /// In h, of all particles.
    pub place: &'a [DVec3],
    /// In h.
    pub period: DVec3,
    pub out: &'a mut [DVec3],
    pub local: &'a mut ForceBuffers,
    pub shape: PhantomData<S>,
}

/// Values of a halo.
#[derive(Default)]
pub(super) struct ForceBuffers {
    /// Places relative to the first particle of the chunk, and 1.
    place: Vec<[f64; 4]>,
    pull: Vec<f32>,
}

impl<S: KernelShape> Vectorised for Force<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Force { list, kernel, pulls, place, period, out, local, .. } = self;
        out.fill(DVec3::ZERO);
        let kinds = if list.meets_others() { 2 } else { 1 };
        if period != DVec3::ZERO {
            return (0..kinds).for_each(|kind| {
                for (k, (i, out)) in list.particles.clone().zip(&mut *out).enumerate() {
                    let own = pulls.fluid[i][kind];
                    for pair in list.pairs(k, kind) {
                        let j = list.index(pair);
                        let pull = f64::from(own + pulls.fluid[j][kind]);
                        let offset = nearest(place[i] - place[j], period);
                        *out += kernel.sigma * pull * kernel.gradient::<S>(offset);
                    }
                }
            });
        }
        let origin = place[list.particles.start];
        let unit = f64::from(list.unit);
        list.fetch_of(place, &mut local.place, |x| (*x - origin).extend(1.0).to_array());
        for kind in 0..kinds {
            list.fetch_of(&pulls.fluid, &mut local.pull, |pull| pull[kind]);
            for (k, (i, out)) in list.particles.clone().zip(&mut *out).enumerate() {
                let [x, y, z, sum] = L::weighted_rows(Rows {
                    pairs: list.fours(k, kind),
                    slopes: list.slopes(k, kind),
                    own: pulls.fluid[i][kind],
                    pull: &local.pull,
                    x: &local.place,
                });
                *out += unit * (DVec3::new(x, y, z) - sum * (place[i] - origin));
            }
        }
    }
}
