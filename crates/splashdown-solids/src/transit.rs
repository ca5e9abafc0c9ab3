//! Momentum that forces from outside have handed to a body and that its velocities do not show yet.
//!
//! BDF2 spreads an impulse over the steps after it. With a = (vⁿ⁺¹ − vⁿ)/h, (S3) reads
//!
//! ```text
//! (MT1)  (h + τ) aⁿ⁺¹ = τ aⁿ + h F/m,   τ = h²/(h + h₋):   τ m a is still to come
//! ```
//!
//! and where steps differ in length τ does, and what is to come is no longer what was left over. Of
//! forces within bodies and between them that adds up to nothing. Of forces from outside it does
//! not: what a fluid loses, bodies would not get. So the part of the outside in the force that a
//! whole body shows, A, follows (MT1) by itself, and the body is given the difference,
//!
//! ```text
//! (MT2)  vⁿ ← vⁿ + (τ₋ − τ) A/m,   vⁿ⁻¹ likewise:   its accelerations do not change
//! ```
//!
//! Then its momentum and τ A are the sum of all impulses, whatever the steps. What is held anywhere
//! hands its momentum on, and is left alone.

use glam::DVec3;

use crate::solids::{Body, Hold, Past, Solids, Transit};

/// τ of a step of length `dt` after one of length `last`, s.
fn lag(dt: f64, last: f64) -> f64 {
    dt * dt / (dt + last)
}

/// (MT2) in a step of length `dt` for every vertex, m/s; nothing if none changes its velocity.
pub(crate) fn kicks(solids: &Solids, dt: f64) -> Vec<DVec3> {
    let Past { transit, dt: last, .. } = &solids.past;
    if transit.force.is_empty() {
        return Vec::new();
    }
    let change = transit.lag - lag(dt, *last);
    let mut kicks = vec![DVec3::ZERO; solids.position.len()];
    for (body, force) in solids.bodies.iter().zip(&transit.force) {
        let vertices = body.vertices.clone();
        let mass: f64 = solids.mass[vertices.clone()].iter().sum();
        let is_free = solids.hold[vertices.clone()].iter().all(|hold| *hold == Hold::Free);
        if is_free && mass > 0.0 {
            kicks[vertices].fill(change / mass * *force);
        }
    }
    kicks
}

/// (MT1): what is on its way after a step of length `dt` in which `force` has pushed vertices from
/// outside (N). `looks_back`: whether that was one of BDF2.
pub(crate) fn after(solids: &Solids, force: &[DVec3], dt: f64, looks_back: bool) -> Transit {
    let Past { transit, dt: last, .. } = &solids.past;
    if transit.force.is_empty() && force.iter().all(|f| *f == DVec3::ZERO) {
        return Transit::default();
    }
    let lag = if looks_back { lag(dt, *last) } else { 0.0 };
    let of_body = |(k, body): (usize, &Body)| {
        let force: DVec3 = force.get(body.vertices.clone()).unwrap_or_default().iter().sum();
        let before = transit.force.get(k).copied().unwrap_or_default();
        (lag * before + dt * force) / (dt + lag)
    };
    Transit { force: solids.bodies.iter().enumerate().map(of_body).collect(), lag }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::Substance;
    use crate::material::{Material, Model};
    use crate::meshing::block;
    use crate::solids::Settings;
    use crate::step::{Outside, Workspace, step};

    /// Lengths of steps that are as uneven as a scene's may become.
    fn lengths() -> impl Iterator<Item = f64> {
        let mut state = 1_u32;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            1e-3 * (0.2 + f64::from(state >> 8) / f64::from(1 << 24))
        })
    }

    /// What is lost of the impulses on a block, over all of them: the most at any time if what is
    /// on its way counts, and in the end. `share`: of each vertex.
    fn lost(solids: &mut Solids, tolerance: f64, share: impl Fn(usize) -> f64) -> [f64; 2] {
        let settings =
            Settings::default().with(|s| (s.tolerance, s.force_tolerance) = (tolerance, tolerance));
        let mut workspace = Workspace::default();
        let start = solids.momentum(0);
        let (mut given, mut most) = (DVec3::ZERO, 0.0_f64);
        for (k, dt) in lengths().take(60).enumerate() {
            let mut force = vec![DVec3::ZERO; solids.position.len()];
            if (5..30).contains(&k) {
                let impulse = DVec3::new(0.02, 0.01, -0.03);
                (0..force.len()).for_each(|v| force[v] = share(v) / dt * impulse);
                given += impulse;
            }
            let outside = Outside { dt, gravity: DVec3::ZERO, force: &force, guests: None };
            step(solids, &mut workspace, &settings, outside, |_| DVec3::ZERO).unwrap();
            let Transit { force, lag } = &solids.past.transit;
            let coming = force.first().map_or(DVec3::ZERO, |force| *lag * *force);
            most = most.max((solids.momentum(0) + coming - start - given).length());
        }
        [most, (solids.momentum(0) - start - given).length()].map(|lost| lost / given.length())
    }

    #[test]
    fn a_free_body_gets_all_impulses_whatever_the_lengths_of_steps() {
        let material = Material::new(Model::NeoHookean, 1e5, 0.3);
        let rubber = Substance { material, density: 1e3, friction: 0.0, drag: 0.0, damping: 0.0 };
        let mesh = block(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]);
        for is_rigid in [false, true] {
            let mut solids = Solids::default();
            match is_rigid {
                true => solids.add_rigid(&mesh, None, &rubber, |_| DVec3::X).unwrap(),
                false => solids.add_body(&mesh, &rubber, |_| DVec3::X).unwrap(),
            };
            let mass = solids.mass.clone();
            let sum: f64 = mass.iter().sum();
            // Pushed like this it is not deformed, and nothing is left to Newton's tolerance.
            let evenly = lost(&mut solids.clone(), 1e-6, |v| mass[v] / sum);
            let at_a_corner = lost(&mut solids, 1e-7, |v| f64::from(v == 0));
            assert!(evenly.iter().all(|lost| *lost < 1e-12), "rigid: {is_rigid}: {evenly:?}");
            assert!(at_a_corner.iter().all(|l| *l < 1e-6), "rigid: {is_rigid}: {at_a_corner:?}");
        }
    }
}
