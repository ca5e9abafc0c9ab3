//! Even samples on an arbitrary triangle mesh.
//!
//! Sharp edges and rims first (`features`). Then the faces: random darts that keep their distance,
//! relaxed by mutual repulsion while they slide on the surface, and at last two passes that make the
//! promised bounds true: drop what is too close, add where a hole is too wide. Everything is
//! deterministic, and linear in the number of samples.

use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use rayon::prelude::*;

use super::mesh_shape::tree_of;
use super::point_grid::PointGrid;
use super::sampling::limit;
use super::{MeshShape, ShapeError, features, mesh_offset};
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// Darts keep this distance, in spacings: as many fit as a relaxed layer needs.
const DART: f64 = 0.83;
/// Darts thrown per square spacing.
const DARTS: f64 = 14.0;
/// Rounds of repulsion.
const ROUNDS: usize = 8;
/// Samples repel each other up to this distance, in spacings.
const REPULSION: f64 = 1.4;
/// Samples closer than this, in spacings, are too close; holes farther than this from any sample are
/// too wide. One number for both: what fills a hole is never too close.
const BOUND: f64 = 0.705;

/// A point of a layer.
#[derive(Clone, Copy)]
struct Sample {
    at: DVec3,
    /// Of the surface there; zero on edges, which belong to both sides.
    normal: DVec3,
}

/// Whether two samples are on the same side of the body: the two faces of a thin plate do not see
/// each other, so that both are sampled.
fn same_side(m: DVec3, n: DVec3) -> bool {
    m.dot(n) > -0.5
}

/// Even samples of the surface of `mesh`, moved outward by `offset`.
pub fn sample(shape: &MeshShape, spacing: f64, offset: f64) -> Result<Vec<DVec3>, ShapeError> {
    let mesh = mesh_offset::moved(shape, offset);
    let area = mesh.area();
    limit(area / (spacing * spacing))?;
    let moved_tree = if offset == 0.0 { None } else { Some(tree_of(&mesh, false)?) };
    let surface = Surface {
        normals: (0..mesh.triangles.len())
            .map(|t| mesh.area_vector(t).normalize_or_zero())
            .collect(),
        tree: moved_tree.as_ref().unwrap_or(shape.tree()),
        spacing,
    };

    let edges = features::sample(&mesh, spacing);
    let fixed =
        spread(edges.into_iter().map(|at| Sample { at, normal: DVec3::ZERO }), BOUND * spacing);
    let darts = surface.darts(&mesh, area);
    let mut layer = surface.throw(&fixed, &darts);
    for _ in 0..ROUNDS {
        layer = surface.relaxed(&layer, fixed.len());
    }
    let mut layer = spread(layer.into_iter(), BOUND * spacing);
    surface.fill_holes(&mut layer, &darts);
    let mut points: Vec<DVec3> = layer.into_iter().map(|s| s.at).collect();
    if offset < 0.0 {
        // Both sides of a thin part have met in the middle: one layer is enough there.
        points = super::point_grid::without_crowding(points, 0.3 * spacing);
    }
    Ok(points)
}

/// The samples, in order, without those too close to an earlier one on the same side.
fn spread(samples: impl Iterator<Item = Sample>, distance: f64) -> Vec<Sample> {
    let mut grid = PointGrid::new(distance, samples.size_hint().0);
    let mut kept: Vec<Sample> = Vec::new();
    for sample in samples {
        if grid.all_near(sample.at, |k, _| !same_side(kept[k].normal, sample.normal)) {
            grid.insert(sample.at);
            kept.push(sample);
        }
    }
    kept
}

struct Surface<'a> {
    tree: &'a TriMesh,
    normals: Vec<DVec3>,
    spacing: f64,
}

impl Surface<'_> {
    /// Random points, evenly many per area, in random order.
    fn darts(&self, mesh: &TriangleMesh, area: f64) -> Vec<Sample> {
        let per_area = DARTS / (self.spacing * self.spacing);
        let mut darts = Vec::with_capacity((area * per_area) as usize + 1);
        let mut owed = 0.5;
        let mut random = Random(1);
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            owed += mesh.area_vector(t).length() / 2.0 * per_area;
            while owed >= 1.0 {
                owed -= 1.0;
                let (mut u, mut v) = (random.unit(), random.unit());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                darts.push(Sample { at: a + u * (b - a) + v * (c - a), normal: self.normals[t] });
            }
        }
        for k in (1..darts.len()).rev() {
            darts.swap(k, (random.unit() * (k + 1) as f64) as usize);
        }
        darts
    }

    /// The fixed samples, and every dart that keeps its distance from all before it.
    fn throw(&self, fixed: &[Sample], darts: &[Sample]) -> Vec<Sample> {
        let mut grid = PointGrid::new(DART * self.spacing, fixed.len() + darts.len() / 12);
        let mut kept = fixed.to_vec();
        fixed.iter().for_each(|s| grid.insert(s.at));
        for &dart in darts {
            if grid.all_near(dart.at, |k, _| !same_side(kept[k].normal, dart.normal)) {
                grid.insert(dart.at);
                kept.push(dart);
            }
        }
        kept
    }

    /// One round of repulsion. The first `fixed` samples stay where they are.
    fn relaxed(&self, layer: &[Sample], fixed: usize) -> Vec<Sample> {
        let reach = REPULSION * self.spacing;
        let points: Vec<DVec3> = layer.iter().map(|s| s.at).collect();
        let grid = PointGrid::of(&points, reach);
        let relax = |i: usize| {
            let here = layer[i];
            if i < fixed {
                return here;
            }
            let mut push = DVec3::ZERO;
            grid.all_near(here.at, |j, squared| {
                if j != i && squared > 0.0 && same_side(layer[j].normal, here.normal) {
                    let distance = squared.sqrt();
                    push += (here.at - layer[j].at) * ((1.0 - distance / reach).powi(2) / distance);
                }
                true
            });
            let along = push - here.normal * push.dot(here.normal);
            self.slide(here, along * (0.6 * self.spacing))
        };
        (0..layer.len()).into_par_iter().map(relax).collect()
    }

    /// Moves a sample a little and puts it back on the surface.
    fn slide(&self, from: Sample, way: DVec3) -> Sample {
        let longest = 0.2 * self.spacing;
        let to = from.at + way.clamp_length_max(longest);
        match self.tree.project_local_point_with_max_dist(to, false, longest) {
            Some(foot) => {
                let normal = self.normals[foot.subshape as usize];
                if same_side(normal, from.normal) {
                    Sample { at: foot.point, normal }
                } else {
                    from
                }
            }
            None => from,
        }
    }

    /// Adds a sample wherever a dart, moved to the middle of its hole, is too far from all samples.
    fn fill_holes(&self, layer: &mut Vec<Sample>, darts: &[Sample]) {
        let reach = 1.2 * self.spacing;
        let points: Vec<DVec3> = layer.iter().map(|s| s.at).collect();
        let mut grid = PointGrid::of(&points, reach);
        let nearest = |grid: &PointGrid, layer: &[Sample], s: Sample| {
            let mut best = (reach, s.at);
            grid.all_near(s.at, |k, squared| {
                if squared < best.0 * best.0 && same_side(layer[k].normal, s.normal) {
                    best = (squared.sqrt(), grid.points[k]);
                }
                true
            });
            best
        };
        let suspicious = |s: &&Sample| nearest(&grid, layer, **s).0 > 0.58 * self.spacing;
        let suspects: Vec<Sample> = darts.par_iter().filter(suspicious).copied().collect();
        for mut spot in suspects {
            let (mut distance, mut neighbor) = nearest(&grid, layer, spot);
            let mut step = 0.1 * self.spacing;
            while step > 0.01 * self.spacing {
                let away = (spot.at - neighbor).normalize_or_zero();
                let along = away - spot.normal * away.dot(spot.normal);
                let next = self.slide(spot, along * step);
                let (far, whom) = nearest(&grid, layer, next);
                if far > distance {
                    (spot, distance, neighbor) = (next, far, whom);
                } else {
                    step *= 0.5;
                }
            }
            if distance > BOUND * self.spacing {
                grid.insert(spot.at);
                layer.push(spot);
            }
        }
    }
}

/// SplitMix64: small, fast, the same on every machine.
struct Random(u64);

impl Random {
    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Dimension;
    use crate::shapes::Shape;
    use crate::shapes::test_support::{covering, dense_offset_surface, icosphere, nearest_pair};

    fn as_mesh(shape: &Shape) -> Shape {
        Shape::Mesh(MeshShape::new(shape.surface()).unwrap())
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Box { half: DVec3::new(6.3, 4.0, 3.0) },
            Shape::Sphere { radius: 7.0 },
            Shape::Cylinder { radius: 4.0, half_height: 5.2 },
            Shape::Cone { radius: 5.0, height: 8.0 },
            Shape::Torus { major: 8.0, minor: 2.5 },
            Shape::Plane { normal: DVec3::new(0.3, 1.0, 0.2), half_size: 6.0 },
        ]
    }

    #[test]
    fn meshes_are_covered_and_not_crowded() {
        for shape in shapes() {
            let mesh = as_mesh(&shape);
            for offset in [-0.5, 0.0, 0.5] {
                let samples = mesh.sample_surface(1.0, offset, Dimension::Three).unwrap();
                let surface = dense_offset_surface(&shape, 0.1, offset, Dimension::Three);
                let (cover, apart) = (covering(&surface, &samples), nearest_pair(&samples));
                let grown = dense_offset_surface(&shape, 1.0, offset, Dimension::Three).len();
                let ratio = samples.len() as f64 / grown as f64;
                println!(
                    "{cover:.3} {apart:.3} n={} ratio {ratio:.3} off={offset} {shape:?}",
                    samples.len()
                );
                assert!(cover <= 0.76, "{shape:?} {offset}: covered within {cover}");
                assert!(apart >= 0.7, "{shape:?} {offset}: {apart} apart");
                assert!((0.9..1.25).contains(&ratio), "{shape:?} {offset}: {ratio} as many");
            }
        }
    }

    #[test]
    fn both_sides_of_a_thin_plate_are_covered() {
        let plate = Shape::Box { half: DVec3::new(5.0, 0.1, 5.0) };
        let mesh = as_mesh(&plate);
        let samples = mesh.sample_surface(1.0, 0.0, Dimension::Three).unwrap();
        for side in [-0.1, 0.1] {
            let of_side: Vec<DVec3> =
                samples.iter().copied().filter(|p| (p.y - side).abs() < 0.01).collect();
            let inner = dense_offset_surface(&plate, 0.1, 0.0, Dimension::Three);
            let inner: Vec<DVec3> = inner
                .into_iter()
                .filter(|p| p.x.abs() < 4.0 && p.z.abs() < 4.0)
                .map(|p| p.with_y(side))
                .collect();
            assert!(covering(&inner, &of_side) < 0.76);
        }
        let inset = mesh.sample_surface(1.0, -0.5, Dimension::Three).unwrap();
        assert!(inset.iter().all(|p| p.y.abs() < 0.06));
    }

    #[test]
    fn the_same_mesh_gives_the_same_samples() {
        let ball = Shape::Mesh(MeshShape::new(icosphere(3)).unwrap());
        let [a, b] = [(); 2].map(|()| ball.sample_surface(0.1, 0.0, Dimension::Three).unwrap());
        assert_eq!(a, b);
    }

    #[test]
    #[ignore = "a measurement"]
    fn print_the_time_of_many_samples() {
        let ball = Shape::Mesh(MeshShape::new(icosphere(6)).unwrap());
        for h in [0.05, 0.0112] {
            let start = std::time::Instant::now();
            let n = ball.sample_surface(h, 0.0, Dimension::Three).unwrap().len();
            println!("{n} samples in {:?}", start.elapsed());
        }
    }
}
