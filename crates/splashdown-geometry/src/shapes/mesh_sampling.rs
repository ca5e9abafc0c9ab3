//! Even samples on an arbitrary triangle mesh.
//!
//! Sharp edges and rims first (`features`). Then the faces: scattered darts that keep their
//! distance, relaxed by mutual repulsion while they slide on the surface, and at last two passes
//! that make the promised bounds true: drop what is too close, add where a hole is too wide.
//! Everything is deterministic, and linear in the number of samples.

use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use rayon::prelude::*;

use super::mesh_shape::tree_of;
use super::sampling::limit;
use super::{MeshShape, ShapeError, features, mesh_offset};
use crate::math::DVec3;
use crate::mesh::TriangleMesh;
use crate::point_grid::{PointGrid, without_crowding};

/// Darts keep this distance, in spacings: as many fit as a relaxed layer needs.
const DART: f64 = 0.75;
/// Darts thrown per square spacing.
const DARTS: f64 = 14.0;
/// Rounds of repulsion, twice.
const ROUNDS: usize = 4;
/// Samples repel each other up to this distance, in spacings.
const REPULSION: f64 = 1.4;
/// Samples closer than this, in spacings, are too close; holes farther than this from any sample
/// are too wide. One number for both: what fills a hole is never too close.
const BOUND: f64 = 0.705;
/// Spots farther than this from all samples, in spacings, look for the middle of a hole.
const SUSPICIOUS: f64 = 0.65;

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
pub(super) fn sample(
    shape: &MeshShape,
    spacing: f64,
    offset: f64,
) -> Result<Vec<DVec3>, ShapeError> {
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

    let edges = features::sample(&mesh, spacing)?;
    let fixed =
        spread(edges.into_iter().map(|at| Sample { at, normal: DVec3::ZERO }), BOUND * spacing);
    let darts = surface.darts(&mesh, area);
    let mut layer = surface.throw(&fixed, &darts);
    // A first half spreads the darts and shows where some are missing; the second settles them.
    for _ in 0..ROUNDS {
        layer = surface.relaxed(&layer, fixed.len());
    }
    surface.fill_holes(&mut layer, &darts);
    for _ in 0..ROUNDS {
        layer = surface.relaxed(&layer, fixed.len());
    }
    let mut layer = spread(layer.into_iter(), BOUND * spacing);
    let gaps = surface.gaps(&layer);
    surface.fill_holes(&mut layer, &gaps);
    let mut points: Vec<DVec3> = layer.into_iter().map(|s| s.at).collect();
    if offset < 0.0 {
        // Both sides of a thin part have met in the middle: one layer is enough there.
        points = without_crowding(points, 0.3 * spacing);
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
    /// Scattered points, evenly many per area, triangle by triangle.
    fn darts(&self, mesh: &TriangleMesh, area: f64) -> Vec<Sample> {
        let per_area = DARTS / (self.spacing * self.spacing);
        let mut darts = Vec::with_capacity((area * per_area) as usize + 1);
        let mut owed = 0.5;
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            owed += mesh.area_vector(t).length() / 2.0 * per_area;
            while owed >= 1.0 {
                owed -= 1.0;
                // The R2 sequence (Roberts 2018) fills a square evenly at any length; another start
                // in every triangle keeps rows of equal triangles from repeating a pattern.
                let k = darts.len() as f64 + 0.618_034 * t as f64;
                let (mut u, mut v) = ((k * 0.754_877_666).fract(), (k * 0.569_840_291).fract());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                darts.push(Sample { at: a + u * (b - a) + v * (c - a), normal: self.normals[t] });
            }
        }
        darts
    }

    /// The fixed samples, and every dart that keeps its distance from all before it. Darts are
    /// thrown in sweeps over the whole surface, and kept in the order of the surface: neighbours in
    /// space are neighbours in memory.
    fn throw(&self, fixed: &[Sample], darts: &[Sample]) -> Vec<Sample> {
        let sweeps = DARTS as usize;
        let mut grid = PointGrid::new(DART * self.spacing, fixed.len() + darts.len() / sweeps);
        fixed.iter().for_each(|s| grid.insert(s.at));
        let mut normals: Vec<DVec3> = fixed.iter().map(|s| s.normal).collect();
        let mut kept: Vec<usize> = Vec::new();
        for k in (0..sweeps).flat_map(|sweep| (sweep..darts.len()).step_by(sweeps)) {
            let dart = darts[k];
            if grid.all_near(dart.at, |near, _| !same_side(normals[near], dart.normal)) {
                grid.insert(dart.at);
                normals.push(dart.normal);
                kept.push(k);
            }
        }
        kept.sort_unstable();
        fixed.iter().copied().chain(kept.into_iter().map(|k| darts[k])).collect()
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
            self.slide(here, along * (0.7 * self.spacing))
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

    /// Points as far from three samples as holes are wide: the middle of every hole is one of them.
    fn gaps(&self, layer: &[Sample]) -> Vec<Sample> {
        let widest = self.spacing;
        let points: Vec<DVec3> = layer.iter().map(|s| s.at).collect();
        let grid = PointGrid::of(&points, 2.0 * widest);
        let around = |i: usize| {
            let here = layer[i];
            let mut later = Vec::new();
            grid.all_near(here.at, |j, _| {
                if j > i && same_side(layer[j].normal, here.normal) {
                    later.push(j);
                }
                true
            });
            let mut spots = Vec::new();
            for (k, &b) in later.iter().enumerate() {
                for &c in &later[k + 1..] {
                    let Some((middle, radius)) = circle(here.at, points[b], points[c]) else {
                        continue;
                    };
                    if radius <= BOUND * self.spacing || radius > widest {
                        continue;
                    }
                    // Circles across an edge have their middle off the surface: no hole there.
                    let near = 0.2 * self.spacing;
                    if let Some(foot) =
                        self.tree.project_local_point_with_max_dist(middle, false, near)
                    {
                        let normal = self.normals[foot.subshape as usize];
                        spots.push(Sample { at: foot.point, normal });
                    }
                }
            }
            spots
        };
        (0..layer.len()).into_par_iter().flat_map_iter(around).collect()
    }

    /// Adds a sample wherever a spot, moved to the middle of its hole, is too far from all samples.
    fn fill_holes(&self, layer: &mut Vec<Sample>, spots: &[Sample]) {
        let reach = 0.9 * self.spacing;
        let points: Vec<DVec3> = layer.iter().map(|s| s.at).collect();
        let mut grid = PointGrid::of(&points, reach);
        let nearest = |grid: &PointGrid, layer: &[Sample], s: Sample| {
            let mut least = reach * reach;
            grid.all_near(s.at, |k, squared| {
                if same_side(layer[k].normal, s.normal) {
                    least = least.min(squared);
                }
                true
            });
            least.sqrt()
        };
        // Away from all that are about as near as the nearest: up the ridge between two samples.
        let uphill = |grid: &PointGrid, layer: &[Sample], s: Sample, about: f64| {
            let mut away = DVec3::ZERO;
            grid.all_near(s.at, |k, squared| {
                if squared <= about * about && same_side(layer[k].normal, s.normal) {
                    away += (s.at - grid.point(k)).normalize_or_zero();
                }
                true
            });
            (away - s.normal * away.dot(s.normal)).normalize_or_zero()
        };
        let close = (SUSPICIOUS * self.spacing).powi(2);
        // Where a spot ends that climbs to the middle of its hole, if the hole is too wide.
        let climb = |grid: &PointGrid, layer: &[Sample], mut spot: Sample| {
            let same = |k: usize| same_side(layer[k].normal, spot.normal);
            if !grid.all_near(spot.at, |k, squared| squared > close || !same(k)) {
                return None; // most of them: left as soon as one near sample is seen
            }
            let mut distance = nearest(grid, layer, spot);
            let mut step = 0.1 * self.spacing;
            while step > 0.01 * self.spacing {
                // Along the ridge between the nearest ones, else straight away from the nearest.
                let better = [0.5 * step, 0.0].into_iter().find_map(|slack| {
                    let way = uphill(grid, layer, spot, distance + slack) * step;
                    let next = self.slide(spot, way);
                    let farther = nearest(grid, layer, next);
                    (farther > distance).then_some((next, farther))
                });
                match better {
                    Some(next) => (spot, distance) = next,
                    None => step *= 0.5,
                }
            }
            (distance > BOUND * self.spacing).then_some(spot)
        };
        let found = |grid: &PointGrid, layer: &[Sample], spots: &[Sample]| -> Vec<[Sample; 2]> {
            let search = |&spot: &Sample| climb(grid, layer, spot).map(|middle| [spot, middle]);
            spots.par_iter().filter_map(search).collect()
        };
        let mut holes = found(&grid, layer, spots);
        while !holes.is_empty() {
            for &[_, middle] in &holes {
                // Several spots may have found the same hole.
                if nearest(&grid, layer, middle) > BOUND * self.spacing {
                    grid.insert(middle.at);
                    layer.push(middle);
                }
            }
            // A spot that climbed into a wide hole may have left a smaller one behind.
            let spots: Vec<Sample> = holes.iter().map(|&[spot, _]| spot).collect();
            holes = found(&grid, layer, &spots);
        }
    }
}

/// Centre and radius of the circle through three points, unless they are in line.
fn circle(a: DVec3, b: DVec3, c: DVec3) -> Option<(DVec3, f64)> {
    let (u, v) = (b - a, c - a);
    let n = u.cross(v);
    let four_areas_squared = 2.0 * n.length_squared();
    if four_areas_squared <= 1e-12 * u.length_squared() * v.length_squared() {
        return None;
    }
    let centre =
        (u.length_squared() * v.cross(n) + v.length_squared() * n.cross(u)) / four_areas_squared;
    Some((a + centre, centre.length()))
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
                assert!(cover <= 0.75, "{shape:?} {offset}: covered within {cover}");
                // Around a tip, opposite slopes count as the two sides of something thin.
                let least = if matches!(shape, Shape::Cone { .. }) { 0.5 } else { 0.7 };
                assert!(apart >= least, "{shape:?} {offset}: {apart} apart");
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
    fn a_mesh_far_away_is_sampled_like_one_at_home() {
        let home = Shape::Torus { major: 8.0, minor: 2.5 }.surface();
        let mut away = home.clone();
        away.vertices.iter_mut().for_each(|p| *p += DVec3::new(1e6, -3e5, 2e6));
        let count = |mesh| {
            let shape = Shape::Mesh(MeshShape::new(mesh).unwrap());
            shape.sample_surface(1.0, 0.5, Dimension::Three).unwrap().len() as f64
        };
        assert!((count(away) / count(home) - 1.0).abs() < 0.02);
    }

    #[test]
    fn the_same_mesh_gives_the_same_samples() {
        let ball = Shape::Mesh(MeshShape::new(icosphere(3)).unwrap());
        let [a, b] = [(); 2].map(|()| ball.sample_surface(0.1, 0.0, Dimension::Three).unwrap());
        assert_eq!(a, b);
    }
}
