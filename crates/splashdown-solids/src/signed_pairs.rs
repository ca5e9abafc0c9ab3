//! The barrier between a guest and a body, a sum over features of the surface by inclusion and
//! exclusion.
//!
//! ```text
//! (SP1)  C = s κ d̂ (Σ b(triangles) − Σ b(edges of two triangles) + Σ b(vertices inside))
//! (SP2)  C = s κ d̂ Σ nᵩ b(dᵩ)
//! (SP3)  ∂²C ≈ s κ d̂ Σ |nᵩ| (sign(nᵩ) ∂²b)⁺
//! ```
//!
//! Of rods the segments are taken, minus the joints. What is subtracted is what (SP1) without it
//! would count twice: the point of an edge that is closest to a guest is the closest one of both of
//! its triangles as soon as it is not beside them.
//!
//! (SP2) is the same sum, ordered. The closest point of every feature lies inside a triangle, on an
//! edge or in a vertex φ, and nᵩ counts how often φ is met, with the signs of (SP1). Over a flat
//! surface all but one cancel: without rounding, so that nothing pushes sideways, and before
//! negative eigenvalues are taken off in (SP3), which would otherwise stiffen what is not there.

use glam::DVec3;
use rayon::prelude::*;

use crate::assembly::Assembly;
use crate::barrier::Gap;
use crate::bvh::{Bounds, Bvh};
use crate::candidates::gather;
use crate::ccd;
use crate::contact::{self, Kind};
use crate::guests::{Guests, Sum};
use crate::potentials::{Potential, scatter};
use crate::solids::Solids;
use splashdown_solve::dense::Mat12;
use splashdown_solve::newton::Energy;
use splashdown_solve::stop::Stop;

/// A part of a surface that a guest can meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feature {
    /// Its vertices; the last is repeated where there are fewer than three.
    vertices: [u32; 3],
    /// What it is to a point.
    kind: Kind,
    /// How often it counts in (SP1).
    count: f64,
    /// Whether it is a part of its own that nothing may pass, not one of another feature.
    is_solid: bool,
    /// Whose it is.
    body: usize,
    /// ξ, m
    thickness: f64,
    /// Whether only the nearest feature of its body counts.
    nearest: bool,
}

/// What guests can meet.
pub fn features(solids: &Solids, sum: Sum) -> Vec<Feature> {
    let surface = &solids.surface;
    let body_of = |v: u32| solids.bodies.partition_point(|body| body.vertices.end <= v as usize);
    let mut tangled = vec![sum == Sum::Nearest; solids.bodies.len()];
    surface.crowded_edges.iter().for_each(|edge| tangled[body_of(edge[0])] = true);
    let feature = |vertices: [u32; 3], kind: Kind, count: f64, is_solid: bool| {
        let body = body_of(vertices[0]);
        let thickness = solids.offset[vertices[0] as usize];
        Feature { vertices, kind, count, is_solid, body, thickness, nearest: tangled[body] }
    };
    let mut all: Vec<Feature> = Vec::new();
    all.extend(surface.triangles.iter().map(|(t, _)| feature(*t, Kind::PointTriangle, 1.0, true)));
    let segments = surface.segments.iter();
    all.extend(segments.map(|&([a, b], _)| feature([a, b, b], Kind::PointEdge, 1.0, true)));
    let particles = surface.particles.iter();
    all.extend(particles.map(|&(v, _)| feature([v; 3], Kind::PointPoint, 1.0, true)));
    if sum == Sum::Exclusion {
        let edges = surface.inner_edges.iter();
        all.extend(edges.map(|&[a, b]| feature([a, b, b], Kind::PointEdge, -1.0, false)));
        let points = surface.inner_points.iter();
        all.extend(points.map(|&(v, count)| feature([v; 3], Kind::PointPoint, count, false)));
    }
    all.retain(|feature| feature.is_solid || !feature.nearest);
    all
}

/// A guest and the features of one body that are near it.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// Its number among all points.
    pub guest: u32,
    /// How far apart they are kept.
    pub reach: Gap,
    /// How far apart they still rub, m.
    farthest: f64,
    /// s, m²
    area: f64,
    /// Of one body, in their order.
    features: Vec<Feature>,
}

/// All guests, which begin at `first`, and what comes within their reach while points move on
/// straight ways between two places, and perhaps more.
pub fn meetings(
    features: &[Feature],
    guests: &Guests<'_>,
    first: usize,
    [from, to]: [&[DVec3]; 2],
) -> Vec<Meeting> {
    let (reach, farthest) = (guests.settings.reach, guests.settings.farthest());
    let around = |vertices: &[u32]| {
        Bounds::around(vertices.iter().flat_map(|&v| [from[v as usize], to[v as usize]]))
    };
    let boxes: Vec<Bounds> =
        features.par_iter().map(|f| around(&f.vertices).grown(farthest + f.thickness)).collect();
    let tree = Bvh::new(&boxes);
    let of_guest = |k: usize| {
        let guest = (first + k) as u32;
        let mut near = Vec::new();
        tree.overlapping(&around(&[guest]), |f| near.push(f));
        near.sort_unstable_by_key(|&f| (features[f as usize].body, f));
        let bodies = near.chunk_by(|&a, &b| features[a as usize].body == features[b as usize].body);
        let meeting = |near: &[u32]| {
            let features: Vec<Feature> = near.iter().map(|&f| features[f as usize]).collect();
            let reach = Gap { reach, thickness: features[0].thickness };
            Meeting { guest, reach, farthest, area: guests.all[k].area, features }
        };
        bodies.map(meeting).collect::<Vec<_>>()
    };
    (0..guests.all.len()).into_par_iter().flat_map_iter(of_guest).collect()
}

/// One φ of (SP2).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    /// The guest, and the vertices between which the closest point is.
    vertices: [u32; 4],
    kind: Kind,
    /// n
    count: f64,
}

impl Meeting {
    fn vertices(&self, feature: &Feature) -> [u32; 4] {
        let [a, b, c] = feature.vertices;
        [self.guest, a, b, c]
    }

    /// A vertex of what is met.
    pub fn vertex(&self) -> u32 {
        self.features.first().map_or(0, |feature| feature.vertices[0])
    }

    /// The closest point of a feature as a φ, and its squared distance.
    fn term(&self, feature: &Feature, x: &[DVec3]) -> (f64, Term) {
        let vertices = self.vertices(feature);
        let places = gather(x, &vertices);
        let closest = feature.kind.closest(&places);
        let mut found = [u32::MAX; 3];
        let between = (1..4).filter(|&k| closest.weights[k] != 0.0);
        found.iter_mut().zip(between).for_each(|(to, k)| *to = vertices[k]);
        found.sort_unstable();
        let (kind, [a, b, c]) = match found {
            [a, u32::MAX, _] => (Kind::PointPoint, [a, a, a]),
            [a, b, u32::MAX] => (Kind::PointEdge, [a, b, b]),
            all => (Kind::PointTriangle, all),
        };
        let term = Term { vertices: [self.guest, a, b, c], kind, count: feature.count };
        (closest.squared(&places), term)
    }

    /// The nearest of all features.
    fn nearest(&self, x: &[DVec3]) -> Option<(f64, Term)> {
        let solid = self.features.iter().filter(|f| f.is_solid).map(|f| self.term(f, x));
        solid.reduce(|best, other| if other.0 < best.0 { other } else { best })
    }

    /// How far the guest is from the body, m; infinite if it is far.
    pub fn gap(&self, x: &[DVec3]) -> f64 {
        let nearest = self.nearest(x);
        nearest.map_or(f64::INFINITY, |(squared, _)| squared.sqrt() - self.reach.thickness)
    }

    /// (SP2): all φ within reach that count.
    fn terms(&self, x: &[DVec3]) -> Vec<Term> {
        let mut terms: Vec<Term> = Vec::new();
        if self.features.first().is_some_and(|f| f.nearest) {
            let near = self.nearest(x).filter(|(d, _)| *d < self.reach.squared_reach());
            terms.extend(near.map(|(_, term)| term));
            return terms;
        }
        for feature in &self.features {
            let (squared, term) = self.term(feature, x);
            if squared >= self.reach.squared_reach() {
                continue;
            }
            match terms.iter_mut().find(|other| other.vertices == term.vertices) {
                Some(other) => other.count += term.count,
                None => terms.push(term),
            }
        }
        terms.retain(|term| term.count != 0.0);
        terms
    }

    /// The largest share of moves along `p` on which the guest passes nothing; `left` is the gap
    /// that stays, m, of the gap that is there.
    pub fn safe_share(
        &self,
        (x, p): (&[DVec3], &[DVec3]),
        limit: f64,
        left: impl Fn(f64) -> f64,
    ) -> f64 {
        let thickness = self.reach.thickness;
        let solid = self.features.iter().filter(|feature| feature.is_solid);
        solid.fold(limit, |limit, feature| {
            let vertices = self.vertices(feature);
            let (places, moves) = (gather(x, &vertices), gather(p, &vertices));
            ccd::share_leaving(feature.kind, (&places, &moves), thickness, limit, &left)
        })
    }
}

/// The barriers of all guests.
#[derive(Clone, Copy, Debug)]
pub struct SignedBarriers<'a> {
    /// Who meets what.
    pub meetings: &'a [Meeting],
    /// κ
    pub stiffness: f64,
    /// Ends a search for the first touch at once.
    pub stop: Stop,
}

/// How a body pushes a guest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// −∂C/∂x of the guest, N.
    pub force: DVec3,
    /// m
    pub gap: f64,
    /// The guest, and what is nearest.
    pub vertices: [u32; 4],
    /// Where on it: of sum zero.
    pub weights: [f64; 4],
    /// From there to the guest, of length one.
    pub normal: DVec3,
}

impl SignedBarriers<'_> {
    /// s κ d̂
    fn strength(&self, meeting: &Meeting) -> f64 {
        self.stiffness * meeting.reach.reach * meeting.area
    }

    fn energy(&self, meeting: &Meeting, x: &[DVec3]) -> f64 {
        let of_term = |term: &Term| {
            let places = gather(x, &term.vertices);
            term.count * contact::energy(term.kind, &places, meeting.reach)
        };
        let sum: f64 = meeting.terms(x).iter().map(of_term).sum();
        // Where a guest touches, infinities of both signs meet.
        if sum.is_finite() { self.strength(meeting) * sum } else { f64::INFINITY }
    }

    fn gradient(&self, meeting: &Meeting, x: &[DVec3]) -> Vec<([u32; 4], [DVec3; 4])> {
        let of_term = |term: Term| {
            let (places, share) = (gather(x, &term.vertices), self.strength(meeting) * term.count);
            let parts = contact::gradient(term.kind, &places, meeting.reach);
            (term.vertices, parts.map(|g| share * g))
        };
        meeting.terms(x).into_iter().map(of_term).collect()
    }

    /// (SP3) of one meeting, times `scale`; ∂²C as it is unless it `projects`.
    fn hessian(
        &self,
        meeting: &Meeting,
        x: &[DVec3],
        (scale, projects): (f64, bool),
    ) -> Vec<([u32; 4], Mat12)> {
        let of_term = |term: Term| {
            let places = gather(x, &term.vertices);
            let (share, sign) = (self.strength(meeting) * scale, term.count.signum());
            let h = match projects {
                true => {
                    let count = term.count.abs();
                    let gap = meeting.reach;
                    contact::projected_point_hessian(term.kind, &places, gap, sign) * count
                }
                false => contact::hessian(term.kind, &places, meeting.reach) * term.count,
            };
            (term.vertices, h * share)
        };
        meeting.terms(x).into_iter().map(of_term).collect()
    }

    /// (SP3) of all meetings, times `scale`; ∂²C as it is unless it `projects`.
    pub fn hessians(&self, x: &[DVec3], scale: f64, projects: bool) -> Vec<([u32; 4], Mat12)> {
        let of_meeting = |m: &Meeting| self.hessian(m, x, (scale, projects));
        self.meetings.par_iter().flat_map_iter(of_meeting).collect()
    }

    /// How the guest is pushed at `x`, perhaps not at all; none if it is so far that it is not even
    /// rubbed.
    pub fn push(&self, meeting: &Meeting, x: &[DVec3]) -> Option<Push> {
        let (squared, near) = meeting.nearest(x)?;
        let gap = squared.sqrt() - meeting.reach.thickness;
        if gap >= meeting.farthest {
            return None;
        }
        let force = self.gradient(meeting, x).iter().map(|(_, parts)| -parts[0]).sum();
        let places = gather(x, &near.vertices);
        let closest = near.kind.closest(&places);
        let (vertices, weights) = (near.vertices, closest.weights);
        let normal = closest.separation(&places).try_normalize()?;
        Some(Push { force, gap, vertices, weights, normal })
    }
}

impl Energy<Assembly<'_>> for SignedBarriers<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let values: Vec<f64> = self.meetings.par_iter().map(|m| self.energy(m, x)).collect();
        values.iter().sum()
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let parts: Vec<_> = self.meetings.par_iter().map(|m| self.gradient(m, x)).collect();
        for (vertices, parts) in parts.iter().flatten() {
            scatter(gradient, vertices, parts);
        }
    }

    fn couplings(&self, x: &[DVec3]) -> Vec<[u32; 4]> {
        let of = |m: &Meeting| m.terms(x).into_iter().map(|term| term.vertices);
        self.meetings.par_iter().flat_map_iter(of).collect()
    }

    fn add_hessian(&self, x: &[DVec3], hessian: &mut Assembly<'_>) {
        let terms = self.hessians(x, hessian.scale, true);
        hessian.add_terms(&terms);
    }

    /// No guest touches anything.
    fn safe_step(&self, x: &[DVec3], direction: &[DVec3], longest: f64) -> f64 {
        let of_meeting = |meeting: &Meeting| match self.stop.asked() {
            true => 0.0,
            false => meeting.safe_share((x, direction), longest, |gap| ccd::GAP_LEFT * gap),
        };
        let shares: Vec<f64> = self.meetings.par_iter().map(of_meeting).collect();
        shares.into_iter().fold(longest, f64::min)
    }
}

impl Potential for SignedBarriers<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guests::{Guest, GuestSettings, Linear};
    use crate::solids::Hold;
    use splashdown_solve::dense::projected;
    use splashdown_solve::differences::{Random, difference};

    const REACH: f64 = 0.5;

    /// `n` × `n` cells of side 1 around the origin, raised by `height`.
    fn field(n: usize, mut height: impl FnMut() -> f64) -> Solids {
        let corner = |k: usize| [k % (n + 1), k / (n + 1)].map(|i| i as f64 - 0.5 * n as f64);
        let place = |k: usize| DVec3::new(corner(k)[0], corner(k)[1], height());
        let vertices: Vec<DVec3> = (0..(n + 1) * (n + 1)).map(place).collect();
        let cell = |k: usize| {
            let [a, b] = [k + k / n, k + k / n + n + 1].map(|v| v as u32);
            match k % 2 {
                0 => [[a, a + 1, b + 1], [a, b + 1, b]],
                _ => [[a, a + 1, b], [a + 1, b + 1, b]],
            }
        };
        let triangles: Vec<[u32; 3]> = (0..n * n).flat_map(cell).collect();
        let mut solids = Solids::default();
        solids.add_obstacle(&vertices, &triangles, Hold::Fixed, 0.0);
        solids
    }

    /// The places of all, and the guest at `place`, and what it meets.
    fn meeting(solids: &Solids, place: DVec3, sum: Sum) -> (Vec<DVec3>, Vec<Meeting>) {
        let guest =
            Guest { position: place, goal: place, mass: 1.0, area: 1.0, friction: 0.0, press: 0.0 };
        let linear = Linear::Schur;
        let settings =
            GuestSettings { friction_reach: 0.0, reach: REACH, stiffness: 1.0, sum, linear };
        let guests = Guests { all: &[guest], settings, start: None };
        let mut x = solids.position.clone();
        x.push(place);
        let found = meetings(&features(solids, sum), &guests, solids.position.len(), [&x, &x]);
        (x, found)
    }

    fn barriers(meetings: &[Meeting]) -> SignedBarriers<'_> {
        SignedBarriers { meetings, stiffness: 1.0, stop: Stop::default() }
    }

    #[test]
    fn a_flat_floor_does_not_know_into_which_triangles_it_is_cut() {
        let mut random = Random::new(41);
        let mut sideways = 0.0f64;
        for n in [1, 20] {
            let floor = field(n, || 0.0);
            let inner = 0.5 * n as f64 - 0.49;
            for k in 0..300 {
                let height = 0.01 + 0.45 * random.unit();
                let mut place = (inner * random.vector()).with_z(height);
                if k % 3 == 0 {
                    place.x = place.x.round(); // over an edge or near it
                }
                for sum in [Sum::Exclusion, Sum::Nearest, Sum::Sum] {
                    let (x, found) = meeting(&floor, place, sum);
                    let force = barriers(&found).push(&found[0], &x).unwrap().force;
                    let lateral = force.truncate().length() / force.z;
                    if sum == Sum::Sum {
                        sideways = sideways.max(lateral);
                        continue;
                    }
                    assert!(lateral < 1e-9, "{n} {place}: {lateral}");
                    let gap = Gap { reach: REACH, thickness: 0.0 };
                    let alone = REACH * crate::barrier::barrier(gap.share(height * height));
                    let energy = barriers(&found).value(&x);
                    assert!((energy - alone).abs() < 1e-9 * alone, "{place}: {energy} {alone}");
                }
            }
        }
        assert!(sideways > 0.4, "the plain sum pushes sideways: {sideways}");
    }

    /// Rough ground, and the outside and inside of a lump.
    fn rough(random: &mut Random, k: usize) -> (Solids, DVec3) {
        if k.is_multiple_of(2) {
            let ground = field(6, || 0.7 * random.unit());
            let place = 2.0 * random.vector();
            return (ground, place.with_z(0.2 + 0.7 * random.unit()));
        }
        let mut lump = crate::meshing::block(DVec3::splat(2.0), [2, 2, 2]);
        lump.vertices.iter_mut().for_each(|v| *v += 0.3 * random.vector());
        let triangles = crate::surface::boundary(&lump.tetrahedra);
        let mut solids = Solids::default();
        solids.add_obstacle(&lump.vertices, &triangles, Hold::Fixed, 0.0);
        (solids, (0.7 + 0.9 * random.unit()) * random.vector().normalize())
    }

    #[test]
    fn on_rough_ground_the_energy_is_at_least_that_of_what_is_nearest() {
        let mut random = Random::new(42);
        let (mut near, mut worst) = (0, f64::INFINITY);
        for k in 0..1200 {
            let (solids, place) = rough(&mut random, k);
            let [sum, nearest] = [Sum::Exclusion, Sum::Nearest].map(|sum| {
                let (x, found) = meeting(&solids, place, sum);
                barriers(&found).value(&x)
            });
            if nearest > 1e-6 {
                near += 1;
                worst = worst.min((sum - nearest) / nearest);
            }
        }
        assert!(near > 300 && worst > -1e-3, "{near} {worst}");
    }

    #[test]
    fn derivatives_agree_with_finite_differences_where_terms_are_subtracted() {
        let mut random = Random::new(43);
        let mut subtracted = 0;
        for k in 0..200 {
            let (solids, place) = rough(&mut random, k);
            let (x, found) = meeting(&solids, place, Sum::Exclusion);
            let Some(first) = found.first() else { continue };
            let terms = first.terms(&x);
            if terms.is_empty() || first.gap(&x) < 0.05 {
                continue;
            }
            subtracted += usize::from(terms.iter().any(|term| term.count < 0.0));
            let all = barriers(&found);
            let mut gradient = vec![DVec3::ZERO; x.len()];
            all.add_gradient(&x, &mut gradient);
            let size = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
            let touched: Vec<u32> = terms.iter().flat_map(|term| term.vertices).collect();
            for &v in &touched {
                for axis in 0..3 {
                    let expected = difference(1e-5, |step| {
                        let mut x = x.clone();
                        x[v as usize][axis] += step;
                        all.value(&x)
                    });
                    let error = (gradient[v as usize][axis] - expected).abs();
                    // Kinks of the second derivative may lie within a difference.
                    assert!(error < 1e-6 * size.max(1.0), "{k} {v} {axis}: {error} of {size}");
                }
            }
            let sum: DVec3 = gradient.iter().sum();
            assert!(sum.length() < 1e-12 * size.max(1.0));
        }
        assert!(subtracted > 5, "{subtracted}");
    }

    #[test]
    fn second_derivatives_are_projected_with_their_sign() {
        let mut random = Random::new(44);
        let gap = Gap { reach: 1.0, thickness: 0.1 };
        for k in 0..90 {
            let kind = [Kind::PointTriangle, Kind::PointEdge, Kind::PointPoint][k % 3];
            let x = random.points();
            let h = contact::hessian(kind, &x, gap);
            for sign in [1.0, -1.0] {
                let expected = projected(&(h * sign));
                let found = contact::projected_point_hessian(kind, &x, gap, sign);
                let size = h.amax().max(1e-300);
                assert!((found - expected).amax() < 1e-9 * size, "{kind:?} {sign}");
                assert!(found.symmetric_eigenvalues().min() > -1e-9 * size);
            }
        }
    }

    #[test]
    fn near_an_edge_of_three_triangles_only_the_nearest_counts() {
        let mut solids = Solids::default();
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z];
        let fins = [[0, 1, 2], [0, 1, 3], [0, 1, 4]];
        solids.add_obstacle(&vertices, &fins, Hold::Fixed, 0.0);
        let (_, found) = meeting(&solids, DVec3::new(0.5, 0.2, 0.1), Sum::Exclusion);
        assert!(found[0].features.iter().all(|f| f.nearest && f.is_solid));
    }
}
