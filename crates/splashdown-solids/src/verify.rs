//! Whether surfaces intersect or elements are inverted: a check that shares nothing with what
//! prevents it.

use std::collections::{HashMap, HashSet};

use glam::DVec3;
use rayon::prelude::*;

use crate::bvh::{Bounds, Bvh};
use crate::candidates::{BATCH, batches, gather};
use crate::contact::Pair;
use crate::element::Element;
use crate::meshing::volume;
use crate::solids::Solids;

/// What must never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// An edge passes through a triangle: a vertex of each.
    Intersection([u32; 2]),
    /// An element has no volume left, or a negative one: its first vertex.
    Inversion(u32),
    /// Two features are closer than their thickness, or touch: a vertex of each.
    TooClose([u32; 2]),
    /// A guest is on the other side of a surface, or touches it: its number, and a vertex of what
    /// it passed.
    Passage([u32; 2]),
}

impl Violation {
    /// The vertices concerned; of a guest's passage what it passed.
    fn vertices(self) -> [u32; 2] {
        match self {
            Violation::Intersection(both) | Violation::TooClose(both) => both,
            Violation::Inversion(v) | Violation::Passage([_, v]) => [v, v],
        }
    }
}

/// The first violation at positions `x`, if there is one.
pub fn violation(solids: &Solids, x: &[DVec3]) -> Option<Violation> {
    let pierced = || {
        let tree = tree_of_triangles(solids, x);
        let edges = solids.surface.edges.par_iter();
        let first = |&(edge, _): &_| pierced_by(edge, &tree, solids, x).into_iter().next();
        edges.map(first).find_first(Option::is_some).flatten()
    };
    let too_close = || batches(solids, x, 0.0).find_map(|pairs| too_close(&pairs, x).next());
    inverted(solids, x).next().or_else(pierced).or_else(too_close)
}

/// One violation of every pair of bodies, and of every body by itself, that has any at positions
/// `x`; where more than `MANY` have, some of them.
pub fn violations(solids: &Solids, x: &[DVec3]) -> Vec<Violation> {
    let one_of_each = || {
        let mut seen = HashSet::new();
        let body = |v: u32| solids.bodies.partition_point(|b| b.vertices.end <= v as usize);
        move |found: &Violation| {
            let [a, b] = found.vertices().map(body);
            seen.insert([a.min(b), a.max(b)])
        }
    };
    let crowd: Vec<Violation> = coincident(solids, x).filter(one_of_each()).collect();
    if crowd.len() > MANY {
        return crowd;
    }
    // What is close is looked for first, because it shows a crowd soonest.
    let (mut close, mut is_other) = (Vec::new(), one_of_each());
    for pairs in batches(solids, x, 0.0) {
        close.extend(too_close(&pairs, x).filter(&mut is_other));
        if close.len() > MANY {
            return close;
        }
    }
    let mut is_new = one_of_each();
    let mut all: Vec<Violation> = inverted(solids, x).filter(&mut is_new).collect();
    let tree = tree_of_triangles(solids, x);
    for edges in solids.surface.edges.chunks(BATCH) {
        let of_edge = |&(edge, _): &_| pierced_by(edge, &tree, solids, x);
        let pierced: Vec<Violation> = edges.par_iter().flat_map_iter(of_edge).collect();
        all.extend(pierced.into_iter().filter(&mut is_new));
        if all.len() > MANY {
            return all;
        }
    }
    all.extend(close.into_iter().filter(&mut is_new));
    all
}

/// Where so many bodies meet, a scene is wrong as a whole, and pairs of features are too many.
const MANY: usize = 100;

/// Points of different bodies at the same place. They are close as well, but of a thousand copies
/// in one place there are too many pairs to look at each.
fn coincident(solids: &Solids, x: &[DVec3]) -> impl Iterator<Item = Violation> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::new();
    solids.surface.points.iter().filter_map(move |&(v, _)| {
        let other = *first.entry(x[v as usize].to_array().map(f64::to_bits)).or_insert(v);
        let meet = || solids.body_of(v) != solids.body_of(other);
        let free = || solids.is_free(v) || solids.is_free(other);
        (v != other && meet() && free()).then_some(Violation::TooClose([other, v]))
    })
}

/// Elements without volume.
fn inverted(solids: &Solids, x: &[DVec3]) -> impl Iterator<Item = Violation> {
    let is_inverted = |e: &&Element| {
        let left = volume(e.gather(x));
        left <= 0.0 || left.is_nan()
    };
    let solid = solids.elements.iter().filter(|e| e.upright().is_some());
    solid.filter(is_inverted).map(|e| Violation::Inversion(e.corners()[0]))
}

fn tree_of_triangles(solids: &Solids, x: &[DVec3]) -> Bvh {
    let around = |&(t, _): &([u32; 3], _)| Bounds::around(t.map(|v| x[v as usize]));
    let boxes: Vec<Bounds> = solids.surface.triangles.par_iter().map(around).collect();
    Bvh::new(&boxes)
}

/// All triangles that an edge passes through.
fn pierced_by(edge: [u32; 2], tree: &Bvh, solids: &Solids, x: &[DVec3]) -> Vec<Violation> {
    let place = |v: u32| x[v as usize];
    let mut found = Vec::new();
    tree.overlapping(&Bounds::around(edge.map(place)), |k| {
        let (triangle, _) = solids.surface.triangles[k as usize];
        let apart =
            !triangle.iter().any(|v| edge.contains(v)) && !solids.same_frame(edge[0], triangle[0]);
        let free = edge.iter().chain(&triangle).any(|&v| solids.is_free(v));
        if apart && free && pierces(edge.map(place), triangle.map(place)) {
            found.push(Violation::Intersection([edge[0], triangle[0]]));
        }
    });
    found
}

/// Pairs that are not further apart than their thickness.
fn too_close(pairs: &[Pair], x: &[DVec3]) -> impl Iterator<Item = Violation> {
    let close = |pair: &&Pair| {
        let places = gather(x, &pair.vertices);
        pair.kind.closest(&places).squared(&places) <= pair.thickness.powi(2)
    };
    pairs.iter().filter(close).map(|p| Violation::TooClose([p.vertices[0], p.vertices[3]]))
}

/// The first guest that has passed a surface while all points moved on straight ways, and a vertex
/// of what it passed. Whoever passes a body in one direction as often as in the other is where it
/// was, at a corner of it.
pub fn passage(
    solids: &Solids,
    before: &[DVec3],
    after: &[DVec3],
    guests_before: &[DVec3],
    guests_after: &[DVec3],
) -> Option<(usize, u32)> {
    let triangles = &solids.surface.triangles;
    let ends = |v: u32| [before[v as usize], after[v as usize]];
    let boxes: Vec<Bounds> = triangles
        .par_iter()
        .map(|(t, _)| Bounds::around(t.iter().flat_map(|&v| ends(v))))
        .collect();
    let tree = Bvh::new(&boxes);
    let of_guest = |k: usize| {
        let way = [guests_before[k], guests_after[k]];
        let mut crossed: Vec<(usize, i32, u32)> = Vec::new();
        tree.overlapping(&Bounds::around(way), |t| {
            let (triangle, _) = triangles[t as usize];
            let [from, to] = [0, 1].map(|end| triangle.map(|v| ends(v)[end]));
            let sign = crossings(way, from, to);
            let body = solids.bodies.partition_point(|b| b.triangles.end <= t as usize);
            match crossed.iter_mut().find(|(other, ..)| *other == body) {
                Some((_, sum, _)) => *sum += sign,
                None if sign != 0 => crossed.push((body, sign, triangle[0])),
                None => {}
            }
        });
        let passed = crossed.into_iter().find(|(_, sum, _)| *sum != 0);
        passed.map(|(_, _, vertex)| (k, vertex))
    };
    (0..guests_before.len()).into_par_iter().map(of_guest).find_first(Option::is_some).flatten()
}

/// How often a point passes a triangle along its normal, minus how often against it. The signed
/// volume between them is a cubic in time; it is looked at between its extrema.
fn crossings(way: [DVec3; 2], from: [DVec3; 3], to: [DVec3; 3]) -> i32 {
    let at = |t: f64| {
        let [a, b, c] = [0, 1, 2].map(|k| from[k].lerp(to[k], t));
        [a, b, c, way[0].lerp(way[1], t)]
    };
    let side = |t: f64| volume(at(t));
    // The cubic through four points: c₁ t + c₂ t² + c₃ t³ besides its value at 0.
    let [f0, f1, f2, f3] = [side(0.0), side(1.0 / 3.0), side(2.0 / 3.0), side(1.0)];
    let c1 = (-11.0 * f0 + 18.0 * f1 - 9.0 * f2 + 2.0 * f3) / 2.0;
    let c2 = 9.0 * (2.0 * f0 - 5.0 * f1 + 4.0 * f2 - f3) / 2.0;
    let c3 = 9.0 * (-f0 + 3.0 * f1 - 3.0 * f2 + f3) / 2.0;
    let root = (c2 * c2 - 3.0 * c1 * c3).max(0.0).sqrt();
    let q = -(c2 + root.copysign(c2));
    let extrema = [q / (3.0 * c3), c1 / q].into_iter().filter(|t| *t > 0.0 && *t < 1.0);
    let mut times: Vec<f64> = std::iter::once(0.0).chain(extrema).chain([1.0]).collect();
    times.sort_by(f64::total_cmp);
    let mut sum = 0;
    for part in times.windows(2) {
        let (mut low, mut high) = (part[0], part[1]);
        let rises = side(low) < 0.0;
        if rises == (side(high) < 0.0) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (side(middle) < 0.0) == rises { low = middle } else { high = middle }
        }
        if covers(at(0.5 * (low + high))) {
            sum += if rises { 1 } else { -1 };
        }
    }
    sum
}

/// Whether a point in the plane of a triangle is in the triangle.
fn covers([a, b, c, p]: [DVec3; 4]) -> bool {
    let normal = (b - a).cross(c - a);
    let left = |u: DVec3, v: DVec3| (v - u).cross(p - u).dot(normal);
    [(a, b), (b, c), (c, a)].iter().all(|&(u, v)| left(u, v) >= 0.0)
}

/// How often a closed surface, whose triangles look outwards, goes around a point: the sum of the
/// solid angles of its triangles over 4 π (Van Oosterom & Strackee 1983).
pub fn winding(triangles: impl IntoIterator<Item = [DVec3; 3]>, point: DVec3) -> f64 {
    let angle = |triangle: [DVec3; 3]| {
        let [a, b, c] = triangle.map(|corner| corner - point);
        let [l, m, n] = [a, b, c].map(|r| r.length());
        let across = l * m * n + a.dot(b) * n + b.dot(c) * l + c.dot(a) * m;
        2.0 * a.dot(b.cross(c)).atan2(across)
    };
    triangles.into_iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Whether a point is inside of a closed surface.
pub fn is_inside(triangles: impl IntoIterator<Item = [DVec3; 3]>, point: DVec3) -> bool {
    winding(triangles, point).abs() > 0.5
}

/// Whether a segment passes through a triangle: its ends are on both sides, and so are the sides of
/// the triangle about its line.
fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let side = |d: DVec3| volume([a, b, c, d]);
    if side(p) * side(q) > 0.0 {
        return false;
    }
    let about = [[a, b], [b, c], [c, a]].map(|[from, to]| volume([p, q, from, to]));
    let all = |sign: f64| about.iter().all(|v| v * sign > 0.0);
    all(1.0) || all(-1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::Substance;
    use crate::material::{Material, Model};

    #[test]
    fn a_needle_pierces_what_it_passes_through() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let needle = |x: f64, y: f64| [DVec3::new(x, y, -1.0), DVec3::new(x, y, 1.0)];
        assert!(pierces(needle(0.2, 0.3), triangle));
        assert!(!pierces(needle(0.8, 0.3), triangle));
        assert!(!pierces(needle(0.2, 0.3).map(|p| p + 1.5 * DVec3::Z), triangle));
    }

    #[test]
    fn every_pair_of_bodies_that_meets_is_found_once() {
        let mut solids = Solids::default();
        let material = Material::new(Model::NeoHookean, 1e5, 0.3);
        let jelly = Substance { material, density: 1e3, friction: 0.0, drag: 0.0, damping: 0.0 };
        let mut add = |x: f64, y: f64| {
            let mut mesh = crate::meshing::block(DVec3::ONE, [2, 2, 2]);
            mesh.vertices.iter_mut().for_each(|v| *v += DVec3::new(x, y, 0.1 * x));
            solids.add_body(&mesh, &jelly, |_| DVec3::ZERO).unwrap();
        };
        // A chain of three that intersect, one alone, two in one place.
        let places = [(0.0, 0.0), (0.7, 0.2), (1.4, 0.1), (5.0, 0.0), (9.0, 0.0), (9.0, 0.0)];
        places.into_iter().for_each(|(x, y)| add(x, y));
        let body = |v: u32| solids.body_of(v).unwrap();
        let found = violations(&solids, &solids.position);
        let mut pairs: Vec<[usize; 2]> =
            found.iter().map(|violation| violation.vertices().map(body)).collect();
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.sort_unstable();
        assert_eq!(pairs, [[0, 1], [1, 2], [4, 5]]);
        let first = violation(&solids, &solids.position).unwrap();
        assert!(found.contains(&first), "{first:?}");
    }

    fn obstacle(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Solids {
        let mut solids = Solids::default();
        solids.add_obstacle(vertices, triangles, crate::solids::Hold::Driven, 0.0);
        solids
    }

    #[test]
    fn a_point_that_passes_a_moving_triangle_is_found() {
        let solids = obstacle(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let passes = |rise: f64, from: DVec3, to: DVec3| {
            let before = &solids.position;
            let after: Vec<DVec3> = before.iter().map(|x| *x + rise * DVec3::Z).collect();
            passage(&solids, before, &after, &[9.0 * DVec3::ONE, from], &[9.0 * DVec3::ONE, to])
        };
        let over = |x: f64, z: f64| DVec3::new(x, 0.2, z);
        assert_eq!(passes(0.0, over(0.2, 1.0), over(0.2, -1.0)), Some((1, 0)));
        assert_eq!(passes(0.0, over(0.2, 1.0), over(0.2, 0.1)), None);
        assert_eq!(passes(1.0, over(0.2, 0.5), over(0.2, 0.5)), Some((1, 0)));
        assert_eq!(passes(-2.0, over(0.2, 1.0), over(0.2, -1.0)), None);
        assert_eq!(passes(0.0, over(2.0, 1.0), over(2.0, -1.0)), None);
    }

    #[test]
    fn the_inside_of_a_box_is_inside_and_a_way_through_a_corner_passes_nothing() {
        let mesh = crate::meshing::block(DVec3::ONE, [2, 2, 2]);
        let faces = crate::surface::boundary(&mesh.tetrahedra);
        let corners = || faces.iter().map(|t| t.map(|v| mesh.vertices[v as usize]));
        assert!((winding(corners(), DVec3::splat(0.3)) - 1.0).abs() < 1e-12);
        assert!(winding(corners(), DVec3::splat(0.6)).abs() < 1e-12);
        assert!(is_inside(corners(), DVec3::splat(-0.49)));
        let solids = obstacle(&mesh.vertices, &faces);
        let x = &solids.position;
        let found = |from: DVec3, to: DVec3| passage(&solids, x, x, &[from], &[to]);
        let [a, b] = [DVec3::new(0.61, 0.37, 0.13), DVec3::new(0.37, 0.61, 0.13)];
        assert_eq!(found(a, b), None);
        assert!(found(a, DVec3::new(0.3, 0.3, 0.1)).is_some());
    }
}
