//! Finds contacts: for every particle of a dynamic body, the other solids around it.

use std::ops::Range;

use rayon::prelude::*;

use crate::math::{Aabb, DVec3, Dimension};
use crate::particles::cells::{CellIndex, Run};
use crate::particles::halo::around;
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::particles::periodic::nearest;
use crate::rigid::contact::Contact;
use crate::rigid::system::RigidSystem;
use crate::twist::Twist;

/// Contacts weaker than this (|G|, which is about 0.5 when surfaces touch) have no direction.
const MIN_STRENGTH: f64 = 1e-4;

/// All contacts of the solids in `cells`, a grid with `count` cells along axes that repeat, in the
/// order of particles and of solids.
pub fn contacts(system: &RigidSystem, cells: &CellIndex, count: [u32; 3]) -> Vec<Contact> {
    let is_dynamic: Vec<bool> =
        system.solids.iter().map(|solid| solid.dynamic().is_some()).collect();
    if !is_dynamic.contains(&true) {
        return Vec::new();
    }
    let search = Search::new(system);
    let mut runs: Vec<(usize, Run)> = Vec::new();
    for run in cells.runs() {
        if let Some(solid) = system.solid_of(run.start as usize)
            && is_dynamic[solid]
        {
            runs.push((solid, *run));
        }
    }
    runs.sort_unstable_by_key(|(_, run)| run.start);
    let flat = system.space.dimension == Dimension::Two;
    let found = runs.par_iter().with_min_len(4).map(|&(own, run)| {
        let mut others: Vec<(usize, Run)> = Vec::new();
        for (key, _) in around(run.key, flat, count) {
            for other in cells.cell(key) {
                match system.solid_of(other.start as usize) {
                    Some(solid) if solid != own => others.push((solid, *other)),
                    _ => (),
                }
            }
        }
        others.sort_by_key(|(solid, _)| *solid);
        let run = run.start as usize..run.end as usize;
        let (mut near, mut solids) = (Vec::new(), Vec::new());
        for group in others.chunk_by(|a, b| a.0 == b.0) {
            let first = near.len();
            search.candidates(run.clone(), group, &mut near);
            if near.len() > first {
                solids.push((group[0].0, first..near.len()));
            }
        }
        let mut found = Vec::new();
        for r in run {
            for (other, range) in &solids {
                found.extend(search.contact(r, [own, *other], &near[range.clone()]));
            }
        }
        found
    });
    found.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// A particle of another solid that may be near.
struct Candidate {
    position: DVec3,
    /// From the centre of its solid, in h.
    arm: DVec3,
    /// What stands before the kernel.
    weight: f64,
}

struct Search<'a> {
    system: &'a RigidSystem<'a>,
    kernel: Kernel,
    /// 1 over the kernel's sum on the rest lattice.
    scale: f64,
    threshold: f64,
}

impl Search<'_> {
    fn new<'a>(system: &'a RigidSystem<'a>) -> Search<'a> {
        let kernel = system.kernel();
        Search { system, kernel, scale: 1.0 / kernel.lattice_sum(), threshold: threshold(kernel) }
    }

    /// Adds the particles of `others`, all of one solid, that any particle of `run` could see.
    fn candidates(&self, run: Range<usize>, others: &[(usize, Run)], near: &mut Vec<Candidate>) {
        let (particles, h, period) =
            (&self.system.particles, self.system.space.spacing, self.system.space.period);
        let reach = Aabb::around(particles.position[run].iter().copied()).grown(SUPPORT * h);
        let repeats = period != DVec3::ZERO;
        for &(solid, other) in others {
            let centre = self.system.solids[solid].pose.translation;
            for k in other.start as usize..other.end as usize {
                let position = particles.position[k];
                if repeats || reach.contains(position) {
                    let arm = nearest(position - centre, period) / h;
                    let weight = self.scale * f64::from(particles.weight[k]);
                    near.push(Candidate { position, arm, weight });
                }
            }
        }
    }

    /// The contact of particle `r` with those of one other solid, if they are near enough.
    fn contact(&self, r: usize, solids: [usize; 2], others: &[Candidate]) -> Option<Contact> {
        let Search { system, kernel, threshold, .. } = self;
        let (particles, h) = (&system.particles, system.space.spacing);
        let own = &system.solids[solids[0]];
        let place = nearest(particles.position[r] - own.pose.translation, system.space.period) / h;

        let (mut density, mut gradient, mut turn) = (0.0, DVec3::ZERO, DVec3::ZERO);
        let (mut away, mut mean) = (DVec3::ZERO, DVec3::ZERO);
        for &Candidate { position, arm, weight } in others {
            let apart = nearest(particles.position[r] - position, system.space.period) / h;
            let squared = apart.length_squared();
            if squared >= SUPPORT * SUPPORT {
                continue;
            }
            let q = squared.sqrt();
            let w = weight * kernel.w(q);
            let g = weight * kernel.dw(q) / q.max(1e-6) * apart;
            density += w;
            gradient += g;
            turn += arm.cross(g);
            away += w * apart;
            mean += w * arm;
        }
        let strength = gradient.length();
        if strength < MIN_STRENGTH {
            return None;
        }
        let normal = -gradient / strength;
        // m lies half way between r and the mean of the particles around it.
        let arms = [place - 0.5 * away / density, mean / density + 0.5 * away / density];
        Some(Contact {
            particle: r,
            solids,
            overlap: density - threshold,
            rows: [Twist::of_impulse(gradient, place), Twist { linear: gradient, angular: turn }],
            normal,
            tangents: tangents(normal, system.space.dimension),
            arms,
            strength,
            friction: system.friction_between(solids[0], solids[1]),
            freedom: 1.0,
        })
    }
}

/// Two unit vectors normal to `normal`; in the plane only one.
fn tangents(normal: DVec3, dimension: Dimension) -> [DVec3; 2] {
    match dimension {
        Dimension::Two => [DVec3::new(-normal.y, normal.x, 0.0), DVec3::ZERO],
        Dimension::Three => {
            let first = normal.any_orthonormal_vector();
            [first, normal.cross(first)]
        }
    }
}

/// δ°: the number density one spacing away from a flat layer of particles, on average over the
/// places that a particle can have above it (they differ by 0.1 % in space, 1 % in the plane).
pub fn threshold(kernel: Kernel) -> f64 {
    above_layer(kernel, 1.0, |q| kernel.w(q))
}

/// By how much that density is exceeded by a particle `distance` spacings away from the layer.
pub fn excess(kernel: Kernel, distance: f64) -> f64 {
    above_layer(kernel, distance, |q| kernel.w(q)) - threshold(kernel)
}

/// How fast that density grows when the particle comes closer, per h.
pub fn touching_slope(kernel: Kernel) -> f64 {
    above_layer(kernel, 1.0, |q| -kernel.dw(q) / q)
}

/// The mean sum of `term`, of the distance, over the particles of a flat layer `height` spacings
/// away.
fn above_layer(kernel: Kernel, height: f64, term: impl Fn(f64) -> f64) -> f64 {
    let flat = kernel.dimension == Dimension::Two;
    let steps = 8;
    let reach = -3..=3i32;
    let depth = if flat { 0..=0 } else { reach.clone() };
    let mut sum = 0.0;
    for a in 0..steps {
        for b in 0..if flat { 1 } else { steps } {
            let [x0, z0] = [a, b].map(|k| f64::from(k) / f64::from(steps));
            for x in reach.clone() {
                for z in depth.clone() {
                    let z = if flat { 0.0 } else { f64::from(z) + z0 };
                    sum += term(DVec3::new(f64::from(x) + x0, height, z).length());
                }
            }
        }
    }
    let places = if flat { steps } else { steps * steps };
    sum / f64::from(places) / kernel.lattice_sum()
}
