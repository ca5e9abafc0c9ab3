//! Points that deforming bodies carry along: each is a fixed combination of vertices.
//!
//! ```text
//! (EP1)  x_b = Σ w_bv x_v,   Σ_v w_bv = 1
//! (EP2)  F_v = Σ w_bv F_b
//! ```
//!
//! Weights are the shape functions, at rest, of the element in which the point lies: of a
//! tetrahedron (linear or quadratic), a triangle, a segment, a single vertex, or the frame of an
//! affine body. Forces on points go to vertices by the same weights, so that momentum is kept.

use glam::DVec3;

use crate::bvh::{Bounds, Bvh};
use crate::distance::Closest;
use crate::element::Element;
use crate::quadratic::{self, Sample};
use crate::solids::Solids;

/// Points embedded in one body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// Where the weights of each point begin.
    starts: Vec<u32>,
    weights: Vec<(u32, f64)>,
    /// The pieces of the surface.
    pieces: Vec<Piece>,
    /// The piece that each point stands for a part of; beyond all of them where there are none.
    piece_of: Vec<u32>,
}

/// A triangle of a surface, or a segment of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    /// Of a segment the last is repeated.
    corners: [u32; 3],
    /// Where they rest, m.
    rest: [DVec3; 3],
}

/// What a point can lie in: the vertices that it follows there, as seen through up to four corners.
struct Host<'a> {
    corners: [u32; 4],
    /// How many of the corners count.
    count: usize,
    quadratic: Option<&'a Sample>,
}

impl Embedding {
    /// Embeds `points`, given where body number `body` rests.
    pub fn new(solids: &Solids, body: usize, points: &[DVec3]) -> Embedding {
        let hosts = hosts(solids, body);
        let corners = |host: &Host| host.corners.map(|v| solids.rest[v as usize]);
        let boxes: Vec<Bounds> = hosts.iter().map(|host| Bounds::around(corners(host))).collect();
        let near = Nearest { tree: Bvh::new(&boxes), whole: whole(&boxes), count: hosts.len() };
        let pieces = pieces(solids, body);
        let boxes: Vec<Bounds> = pieces.iter().map(|piece| Bounds::around(piece.rest)).collect();
        let near_pieces =
            Nearest { tree: Bvh::new(&boxes), whole: whole(&boxes), count: pieces.len() };
        let mut embedding = Embedding { starts: vec![0], ..Embedding::default() };
        for &point in points {
            let distance = |k: usize| outside(&hosts[k], &corners(&hosts[k]), point);
            if let Some(k) = near.find(point, distance) {
                embedding.weights.extend(weights(&hosts[k], &corners(&hosts[k]), point));
            }
            embedding.starts.push(embedding.weights.len() as u32);
            let distance = |k: usize| {
                let [a, b, c] = pieces[k].rest;
                let x = [point, a, b, c];
                Closest::point_triangle(&x).squared(&x).sqrt()
            };
            let piece = near_pieces.find(point, distance);
            embedding.piece_of.push(piece.map_or(u32::MAX, |k| k as u32));
        }
        Embedding { pieces, ..embedding }
    }

    /// Adds the points of another embedding in the same body.
    pub fn extend(&mut self, other: &Embedding) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let before = self.weights.len() as u32;
        self.weights.extend_from_slice(&other.weights);
        self.starts.extend(other.starts.iter().skip(1).map(|start| before + start));
        self.piece_of.extend_from_slice(&other.piece_of);
    }

    /// Keeps the first `count` points.
    pub fn truncate(&mut self, count: usize) {
        if count < self.len() {
            self.starts.truncate(count + 1);
            self.weights.truncate(self.starts[count] as usize);
            self.piece_of.truncate(count);
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices that a point follows, and their weights.
    pub fn of(&self, point: usize) -> &[(u32, f64)] {
        &self.weights[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// (EP1) of anything that vertices have.
    pub fn gather(&self, point: usize, of_vertex: &[DVec3]) -> DVec3 {
        self.of(point).iter().map(|&(v, w)| w * of_vertex[v as usize]).sum()
    }

    /// (EP2) of one point.
    pub fn scatter(&self, point: usize, force: DVec3, by_vertex: &mut [DVec3]) {
        self.of(point).iter().for_each(|&(v, w)| by_vertex[v as usize] += w * force);
    }

    /// How many pieces the surface has.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The piece of the surface that a point stands for a part of, if there are any.
    pub fn piece_of(&self, point: usize) -> Option<usize> {
        Some(self.piece_of[point] as usize).filter(|&piece| piece < self.pieces.len())
    }

    /// How much larger the surface around a point is, with vertices at `x`, than at rest.
    pub fn stretch(&self, point: usize, x: &[DVec3]) -> f64 {
        let Some(piece) = self.piece_of(point) else { return 1.0 };
        let Piece { corners, rest } = self.pieces[piece];
        let rest = size(rest);
        if rest > 0.0 { size(corners.map(|v| x[v as usize])) / rest } else { 1.0 }
    }

    /// How much farther points of piece number `piece` are apart, along the direction in which that
    /// is most, with vertices at `x`, than at rest.
    pub fn longest_stretch(&self, piece: usize, x: &[DVec3]) -> f64 {
        let Piece { corners, rest } = self.pieces[piece];
        largest_stretch(rest, corners.map(|v| x[v as usize])).unwrap_or(1.0)
    }
}

/// The largest singular value of what makes one triangle of another: the root of the larger
/// eigenvalue of G⁻¹ g, with the products of their sides. None of what has no size.
fn largest_stretch(rest: [DVec3; 3], now: [DVec3; 3]) -> Option<f64> {
    let sides = |[a, b, c]: [DVec3; 3]| {
        let (u, v) = (b - a, c - a);
        [u.dot(u), u.dot(v), v.dot(v)]
    };
    let ([aa, ab, bb], [uu, uv, vv]) = (sides(rest), sides(now));
    if rest[1] == rest[2] {
        return (aa > 0.0).then(|| (uu / aa).sqrt());
    }
    let det = aa * bb - ab * ab;
    let half = 0.5 * (bb * uu - 2.0 * ab * uv + aa * vv) / det;
    let product = (uu * vv - uv * uv) / det;
    let square = half + (half * half - product).max(0.0).sqrt();
    (det > 0.0 && square.is_finite()).then(|| square.sqrt())
}

/// Area of a triangle, or length of a segment, whose last corner is repeated.
fn size([a, b, c]: [DVec3; 3]) -> f64 {
    if b == c { a.distance(b) } else { 0.5 * (b - a).cross(c - a).length() }
}

/// Triangles of the surface of a body, or the segments of a rod; none of single particles.
fn pieces(solids: &Solids, body: usize) -> Vec<Piece> {
    let body = &solids.bodies[body];
    let rest = |corners: [u32; 3]| corners.map(|v| solids.rest[v as usize]);
    let triangles = solids.surface.triangles[body.triangles.clone()].iter().map(|(t, _)| *t);
    let segment = |e: &Element| match e {
        Element::Stretch(e) => Some([e.vertices[0], e.vertices[1], e.vertices[1]]),
        _ => None,
    };
    let segments = solids.elements[body.elements.clone()].iter().filter_map(segment);
    triangles.chain(segments).map(|corners| Piece { corners, rest: rest(corners) }).collect()
}

fn hosts(solids: &Solids, body: usize) -> Vec<Host<'_>> {
    let body = &solids.bodies[body];
    let of_element = |e: &'_ Element| -> Option<(usize, [u32; 4])> {
        match e {
            Element::Tetrahedron(_) => Some((4, e.corners())),
            Element::Sample(sample) => (sample.point == 0).then(|| (4, e.corners())),
            Element::Membrane(_) => Some((3, e.corners())),
            Element::Stretch(_) => Some((2, e.corners())),
            Element::Hinge(_) | Element::Bend(_) | Element::Pressure(_) => None,
        }
    };
    let elements = solids.elements[body.elements.clone()].iter();
    let mut hosts: Vec<Host> = elements
        .filter_map(|e| {
            let (count, corners) = of_element(e)?;
            let quadratic = if let Element::Sample(sample) = e { Some(sample) } else { None };
            Some(Host { corners, count, quadratic })
        })
        .collect();
    if hosts.is_empty() {
        let vertices = body.vertices.clone().map(|v| v as u32);
        hosts.extend(vertices.map(|v| Host { corners: [v; 4], count: 1, quadratic: None }));
    }
    hosts
}

/// How far a point is from lying in a host, m.
fn outside(host: &Host, x: &[DVec3; 4], point: DVec3) -> f64 {
    match host.count {
        4 => {
            let size = (x[1] - x[0]).length();
            let least = barycentric(x, point).into_iter().fold(f64::INFINITY, f64::min);
            (-least).max(0.0) * size
        }
        _ => foot(host, x, point).1,
    }
}

/// Weights of the corners of a host that is thinner than a tetrahedron at the place of it that is
/// closest to `point`, and the distance to it.
fn foot(host: &Host, x: &[DVec3; 4], point: DVec3) -> ([f64; 4], f64) {
    let places = [point, x[0], x[1], x[2]];
    let closest = match host.count {
        3 => Closest::point_triangle(&places),
        2 => Closest::point_segment(&places, 0, 1, 2),
        _ => Closest::points(0, 1),
    };
    let [_, a, b, c] = closest.weights.map(f64::abs);
    ([a, b, c, 0.0], closest.squared(&places).sqrt())
}

/// Barycentric coordinates in a tetrahedron, also of points outside of it.
fn barycentric(x: &[DVec3; 4], point: DVec3) -> [f64; 4] {
    let edges = glam::DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let [b, c, d] = (edges.inverse() * (point - x[0])).to_array();
    [1.0 - b - c - d, b, c, d]
}

fn weights(host: &Host, x: &[DVec3; 4], point: DVec3) -> Vec<(u32, f64)> {
    if let Some(sample) = host.quadratic {
        let shape = quadratic::shape(barycentric(x, point));
        return sample.vertices.into_iter().zip(shape).collect();
    }
    let weights = if host.count == 4 { barycentric(x, point) } else { foot(host, x, point).0 };
    let parts = host.corners.into_iter().zip(weights).take(host.count);
    parts.filter(|(_, w)| *w != 0.0).collect()
}

/// Finds what is nearest to a point among things with boxes.
struct Nearest {
    tree: Bvh,
    whole: Bounds,
    count: usize,
}

impl Nearest {
    /// The number of the thing at the smallest `distance`; of equal ones the first.
    fn find(&self, point: DVec3, distance: impl Fn(usize) -> f64) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let size = (self.whole.max - self.whole.min).length();
        let mut margin = size / (self.count as f64).cbrt();
        let around = Bounds { min: point, max: point };
        loop {
            let mut best: Option<(f64, usize)> = None;
            self.tree.overlapping(&around.grown(margin), |k| {
                let found = (distance(k as usize), k as usize);
                if best.is_none_or(|best| found < best) {
                    best = Some(found);
                }
            });
            match best {
                Some((distance, k)) if distance <= margin => return Some(k),
                // Of things that are all in one place the first is as near as any.
                _ if size == 0.0 => return Some(0),
                _ if margin > 4.0 * size + 1.0 => return best.map(|(_, k)| k).or(Some(0)),
                _ => margin *= 2.0,
            }
        }
    }
}

fn whole(boxes: &[Bounds]) -> Bounds {
    boxes.iter().fold(Bounds::EMPTY, |all, b| all.join(*b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::Substance;
    use crate::material::{Material, Model};
    use crate::membrane::Sheet;
    use crate::meshing::{block, sheet};
    use glam::{DMat3, DVec2};
    use splashdown_solve::differences::Random;

    fn rubber() -> Substance {
        let material = Material::new(Model::NeoHookean, 1e5, 0.3);
        Substance { material, density: 1e3, friction: 0.0, drag: 0.0, damping: 0.0 }
    }

    /// Bodies of all kinds, and points about each.
    fn bodies() -> (Solids, Vec<Vec<DVec3>>) {
        let mut random = Random::new(31);
        let mut solids = Solids::default();
        let mesh = block(DVec3::new(1.0, 0.8, 0.6), [4, 3, 2]);
        let still = |_| DVec3::ZERO;
        solids.add_body(&mesh, &rubber(), still).unwrap();
        solids.add_quadratic_body(&mesh, &rubber(), still).unwrap();
        solids.add_rigid(&mesh, None, &rubber(), still).unwrap();
        let flat = sheet(DVec2::ONE, 0.2);
        let parts = (&flat.vertices[..], &flat.triangles[..]);
        solids.add_shell(parts, &rubber(), (Sheet::NeoHookean, 1e-3), still).unwrap();
        let middle = 0.5 * DVec3::new(1.0, 0.8, 0.6);
        let corner = mesh.vertices.iter().fold(DVec3::INFINITY, |a, b| a.min(*b));
        let inside: Vec<DVec3> =
            (0..40).map(|_| corner + middle + 0.9 * middle * random.vector()).collect();
        let on_sheet: Vec<DVec3> = flat
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| flat.vertices[v as usize]);
                (a + b + 2.0 * c) / 4.0
            })
            .collect();
        (solids, vec![inside.clone(), inside.clone(), inside, on_sheet])
    }

    #[test]
    fn points_follow_a_uniform_deformation_and_keep_momentum() {
        let (solids, points) = bodies();
        let mut random = Random::new(32);
        let (turn, shift) = (DMat3::IDENTITY + 0.3 * random.matrix(), random.vector());
        let x: Vec<DVec3> = solids.rest.iter().map(|&x| turn * x + shift).collect();
        for (body, points) in points.iter().enumerate() {
            let embedding = Embedding::new(&solids, body, points);
            assert_eq!(embedding.len(), points.len());
            for (k, &point) in points.iter().enumerate() {
                let (found, expected) = (embedding.gather(k, &x), turn * point + shift);
                assert!(found.distance(expected) < 1e-10, "{body} {k}: {found} {expected}");
                let mut forces = vec![DVec3::ZERO; x.len()];
                let force = random.vector();
                embedding.scatter(k, force, &mut forces);
                assert!(forces.iter().sum::<DVec3>().distance(force) < 1e-12);
                let moment: DVec3 = x.iter().zip(&forces).map(|(x, f)| x.cross(*f)).sum();
                assert!(moment.distance(found.cross(force)) < 1e-10);
            }
        }
    }

    #[test]
    fn points_beside_a_single_particle_follow_it() {
        let mut solids = Solids::default();
        let body = solids.add_particles(&[DVec3::X], &rubber(), 0.1, |_| DVec3::ZERO);
        let embedding = Embedding::new(&solids, body, &[DVec3::new(1.0, 0.1, 0.0)]);
        let moved = DVec3::new(3.0, 2.0, 1.0);
        assert_eq!(embedding.gather(0, &[moved]), moved);
    }

    #[test]
    fn the_longest_stretch_is_along_the_direction_that_is_stretched_most() {
        let (solids, points) = bodies();
        let pull = DMat3::from_diagonal(DVec3::new(3.0, 1.5, 0.2));
        let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_x(0.4);
        let x: Vec<DVec3> = solids.rest.iter().map(|&x| turn * pull * x).collect();
        let sheet = Embedding::new(&solids, 3, &points[3]);
        let normal = |v: DVec3| v.abs().max_position();
        for piece in 0..sheet.piece_count() {
            let [a, b, c] = sheet.pieces[piece].rest;
            let expected = if normal((b - a).cross(c - a)) == 0 { 1.5 } else { 3.0 };
            assert!((sheet.longest_stretch(piece, &x) - expected).abs() < 1e-9);
        }
        let point = [DVec3::ONE; 3];
        assert_eq!(largest_stretch(point, [DVec3::X, DVec3::Y, DVec3::Z]), None);
        let rod = |length| [DVec3::ZERO, DVec3::X * length, DVec3::X * length];
        assert_eq!(largest_stretch(rod(2.0), rod(3.0)), Some(1.5));
    }

    #[test]
    fn points_that_are_added_follow_the_body_as_those_before() {
        let (solids, points) = bodies();
        let x: Vec<DVec3> = solids.rest.iter().map(|&x| 2.0 * x + DVec3::Z).collect();
        for (body, points) in points.iter().enumerate() {
            let whole = Embedding::new(&solids, body, points);
            let (some, others) = points.split_at(points.len() / 3);
            let mut grown = Embedding::new(&solids, body, some);
            grown.extend(&Embedding::new(&solids, body, others));
            assert_eq!(grown, whole);
            grown.truncate(some.len());
            assert_eq!(grown, Embedding::new(&solids, body, some));
            let grown = whole.clone();
            assert_eq!(grown.gather(points.len() - 1, &x), whole.gather(points.len() - 1, &x));
        }
    }

    #[test]
    fn the_surface_around_a_point_grows_with_the_body() {
        let (solids, points) = bodies();
        let x: Vec<DVec3> = solids.rest.iter().map(|&x| 1.5 * x).collect();
        for (body, points) in points.iter().enumerate() {
            let embedding = Embedding::new(&solids, body, points);
            for k in 0..points.len() {
                assert!((embedding.stretch(k, &x) - 2.25).abs() < 1e-9);
                assert!((embedding.stretch(k, &solids.rest) - 1.0).abs() < 1e-9);
            }
        }
    }
}
