//! What the objects of a scene will need, known before anything is made of them.
//!
//! Counts are bounds that follow from sizes; they may be beyond all numbers, so they saturate.

use std::collections::HashSet;
use std::fmt;

use super::convert::Converter;
use super::copies;
use super::errors::Report;
use super::file::{self, FluidSide, SceneFile};
use super::geometry::{Geometry, default_side, read_bytes, surface, volume};
use super::memory::{Bytes, MemoryLimit};
use super::pieces::Pieces;
use super::validate::join;
use crate::math::{DVec3, Dimension};
use crate::mesh::TriangleMesh;
use crate::shapes::Shape;

/// More particles than this are refused on any machine.
pub(super) const MAX_PARTICLES: u128 = 200_000_000;
/// Bytes per fluid particle, of neighbour lists (8 for each of about 30 neighbours) and of the
/// solvers' sums.
pub(super) const BYTES_PER_FLUID_PARTICLE: u128 = 8 * 30 + 240;
/// Bytes of all other arrays per particle.
pub(super) const BYTES_PER_PARTICLE: u128 = 400;
/// Bytes of an object apart from its particles: names, pose, forces.
const BYTES_PER_OBJECT: u128 = 2000;
/// Bytes per sample of a mesh while it is sampled: 14 darts, and cells to find them in.
const BYTES_PER_SAMPLE_OF_MESH: u128 = 1500;
/// Bytes per sample of a body that moves: its closed surface is cut into pieces of less than half a
/// spacing.
const BYTES_PER_SAMPLE_OF_CLOSED_SURFACE: u128 = 5000;

/// What an object of a scene will need, all its copies together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Need {
    /// The entry of the scene, like `fluid[0].fill[1]`.
    pub key: String,
    /// The key in it that makes it large.
    pub part: &'static str,
    /// As in the scene.
    pub name: String,
    /// "fluid", "solid", "body" or "elastic".
    pub kind: &'static str,
    /// Particles; vertices of elastic bodies.
    pub count: u128,
    pub copies: u128,
    pub bytes: u128,
}

impl Need {
    /// "about 70 million particles"
    fn amount(&self) -> String {
        let of = if self.kind == "elastic" { "vertices" } else { "particles" };
        format!("about {} {of}", Count(self.count))
    }
}

/// A number of things for people.
pub(crate) struct Count(pub u128);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0..2_000_000 => write!(f, "{}", self.0),
            2_000_000..10_000_000_000_000 => write!(f, "{:.0} million", self.0 as f64 / 1e6),
            _ => write!(f, "{:.0e}", self.0 as f64),
        }
    }
}

/// A number of things from a quotient of lengths, which may be infinite. What is not a number is
/// too many.
pub(crate) fn whole(number: f64) -> u128 {
    if number.is_nan() { u128::MAX } else { number.ceil() as u128 }
}

impl Converter<'_, '_> {
    /// What every fill, solid and elastic body will need, apart from those that are wrong already.
    /// Files are read if `with_files`; otherwise what they hold counts as nothing.
    pub(super) fn needs(&mut self, file: &SceneFile, with_files: bool) -> Vec<Need> {
        let mut needs = Vec::new();
        for (k, fluid) in file.fluid.iter().enumerate() {
            for (j, fill) in fluid.fill.iter().enumerate() {
                let key = format!("fluid[{k}].fill[{j}]");
                if self.report.is_wrong(&key) {
                    continue;
                }
                needs.extend(self.fill_need(key, &fluid.name, fill, with_files));
            }
        }
        for (k, solid) in file.solid.iter().enumerate() {
            let key = format!("solid[{k}]");
            if !self.report.is_wrong(&key) {
                needs.extend(self.solid_need(key, solid, with_files));
            }
        }
        for (k, elastic) in file.elastic.iter().enumerate() {
            let (key, limit) = (format!("elastic[{k}]"), file.elastic_solver.direct_limit);
            if !self.report.is_wrong(&key) {
                needs.extend(self.elastic_need(key, elastic, limit, with_files));
            }
        }
        needs
    }

    fn fill_need(
        &mut self,
        key: String,
        name: &str,
        fill: &file::Fill,
        with_files: bool,
    ) -> Option<Need> {
        let placed = self.fill_shape(&key, &fill.shape, fill.at.as_ref(), &fill.rotate);
        let count = match &placed.geometry {
            Geometry::MeshFile { .. } | Geometry::ParticleFile { .. } if !with_files => {
                return None;
            }
            Geometry::ParticleFile { key, input } => {
                let read = self.read_particles(key, input)?;
                let count = read.positions.len() as u128;
                self.particles.insert(input.clone(), read);
                count
            }
            geometry => {
                let shape = self.load(geometry)?;
                whole(cells(&shape, self.spacing, self.dimension))
            }
        };
        let bytes = count.saturating_mul(BYTES_PER_FLUID_PARTICLE + BYTES_PER_PARTICLE);
        let (name, kind, part) = (name.to_owned(), "fluid", "shape");
        Some(Need { key, part, name, kind, count, copies: 1, bytes })
    }

    fn solid_need(&mut self, key: String, solid: &file::Solid, with_files: bool) -> Option<Need> {
        let placed = self.solid_shape(&key, &solid.shape, solid.at.as_ref(), &solid.rotate);
        if matches!(placed.geometry, Geometry::MeshFile { .. }) && !with_files {
            return None;
        }
        let shape = self.load(&placed.geometry)?;
        let is_body = solid.is_rigid_body();
        let side = solid.fluid_side.unwrap_or_else(|| default_side(&shape));
        let grown = match side {
            FluidSide::Inside => solid.inset.unwrap_or(self.spacing / 2.0),
            FluidSide::Outside | FluidSide::Both => 0.0,
        };
        let one = whole(samples(&shape, grown, self.spacing, self.dimension));
        let copies = copies::count(&solid.copies);
        let count = one.saturating_mul(copies);
        let of_each = one
            .saturating_mul(BYTES_PER_PARTICLE)
            .saturating_add(mesh_bytes(&shape.surface()) + BYTES_PER_OBJECT);
        let is_closed = (is_body || solid.motion.is_some()) && side == FluidSide::Outside;
        let surface = if is_closed { BYTES_PER_SAMPLE_OF_CLOSED_SURFACE } else { 0 };
        let is_mesh = matches!(shape, Shape::Mesh(_));
        let sampling = if is_mesh { BYTES_PER_SAMPLE_OF_MESH } else { 0 };
        let shared = one.saturating_mul(surface + sampling);
        Some(Need {
            part: part("shape", one, copies),
            name: solid.name.clone(),
            kind: if is_body { "body" } else { "solid" },
            count,
            copies,
            bytes: of_each.saturating_mul(copies).saturating_add(shared),
            key,
        })
    }

    fn elastic_need(
        &mut self,
        key: String,
        written: &file::Elastic,
        direct_limit: usize,
        with_files: bool,
    ) -> Option<Need> {
        let (geometry, _) = self.elastic_place(&key, written);
        let path = written.tetrahedra.as_ref().map(|t| self.directory.join(&t.file));
        let is_file = matches!(geometry, Some(Geometry::MeshFile { .. })) || path.is_some();
        if is_file && !with_files {
            return None;
        }
        let (pieces, reading) = match (path, &geometry) {
            (Some(path), _) => (Pieces::in_file(&path), read_bytes(&path)),
            (None, Some(geometry)) => {
                let shape = self.load(geometry)?;
                (Pieces::of_shape(&shape, written, self.spacing), 0)
            }
            (None, None) => (Pieces::of_points(written, self.spacing), 0),
        };
        let copies = copies::count(&written.copies);
        let source = match (&written.shape, &written.tetrahedra) {
            (Some(_), _) => "shape",
            (None, Some(_)) => "tetrahedra",
            (None, None) => "points",
        };
        let each = pieces.bytes(written, direct_limit);
        Some(Need {
            part: part(source, pieces.vertices, copies),
            name: written.name.clone(),
            kind: "elastic",
            count: pieces.vertices.saturating_mul(copies),
            copies,
            bytes: each.saturating_mul(copies).saturating_add(pieces.making).max(reading),
            key,
        })
    }
}

/// What makes an object large: its shape, or how often it is repeated.
fn part(shape: &'static str, one: u128, copies: u128) -> &'static str {
    if copies > 1 && one <= MAX_PARTICLES / 100 { "copies" } else { shape }
}

fn mesh_bytes(mesh: &TriangleMesh) -> u128 {
    24 * mesh.vertices.len() as u128 + 12 * mesh.triangles.len() as u128
}

/// How many cells of `spacing` fill a shape, about.
fn cells(shape: &Shape, spacing: f64, dimension: Dimension) -> f64 {
    let size = match dimension {
        Dimension::Two => shape.bounds().size().with_z(spacing),
        Dimension::Three => shape.bounds().size(),
    };
    // A layer more or less is much of a thin shape.
    let around = (size / spacing + 1.0).element_product();
    match volume(shape, dimension) {
        Some(volume) => {
            around.min(volume / dimension.volume(spacing) + samples(shape, 0.0, spacing, dimension))
        }
        None => around,
    }
}

/// How many samples `spacing` apart the surface of a shape has at most, about; it is moved outward
/// by `grown`.
fn samples(shape: &Shape, grown: f64, spacing: f64, dimension: Dimension) -> f64 {
    let size = shape.bounds().size() + 2.0 * grown;
    // Thin shapes have edges, but hardly a surface.
    let edges = |size: DVec3| 4.0 * size.element_sum() / spacing;
    let faces = |size: DVec3| 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    let area = surface(shape, dimension).unwrap_or(0.0);
    let grown_area = if grown > spacing { faces(size) } else { 0.0 };
    match dimension {
        Dimension::Two => {
            let is_cut =
                |[a, b, c]: [DVec3; 3]| a.z.min(b.z).min(c.z) < 0.0 && a.z.max(b.z).max(c.z) >= 0.0;
            let cut = long_edges(shape, is_cut);
            (area + cut) / spacing + edges(size.with_z(0.0)) + 8.0
        }
        Dimension::Three => {
            let is_long = |[a, b, c]: [DVec3; 3]| {
                a.distance(b).max(b.distance(c)).max(c.distance(a)) > spacing
            };
            let long = long_edges(shape, is_long);
            area.max(grown_area) / (spacing * spacing) + long / spacing + edges(size) + 8.0
        }
    }
}

/// The sum of the longest edges of those triangles of a mesh that count.
fn long_edges(shape: &Shape, counts: impl Fn([DVec3; 3]) -> bool) -> f64 {
    let Shape::Mesh(mesh) = shape else { return 0.0 };
    let mesh = mesh.surface();
    let triangles = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).filter(|c| counts(*c));
    triangles.map(|[a, b, c]| a.distance(b).max(b.distance(c)).max(c.distance(a))).sum()
}

/// The largest needs that have to go so that the rest fits into `limit`.
pub(crate) fn beyond(needs: &[Need], limit: u128, measure: impl Fn(&Need) -> u128) -> Vec<&Need> {
    let mut left = needs.iter().map(&measure).fold(0, u128::saturating_add);
    let mut order: Vec<&Need> = needs.iter().collect();
    order.sort_by_key(|need| std::cmp::Reverse(measure(need)));
    let mut gone = Vec::new();
    for (k, need) in order.iter().enumerate() {
        if left <= limit {
            break;
        }
        gone.push(*need);
        // Not by subtraction: the sum may have saturated.
        left = order[k + 1..].iter().map(|n| measure(n)).fold(0, u128::saturating_add);
    }
    gone
}

/// Reports what makes more particles than any machine should have.
pub(crate) fn refuse_counts(report: &mut Report<'_>, needs: &[Need], spacing: f64) {
    for need in beyond(needs, MAX_PARTICLES, |need| need.count) {
        let message = format!("makes {}", need.amount());
        let most = Count(MAX_PARTICLES);
        let help = format!("at most {most} in a scene: make {}", smaller(need, spacing));
        report.key(&join(&need.key, need.part), message, Some(help));
    }
}

/// Reports what does not fit into memory. Returns the keys of these entries.
pub(crate) fn refuse_memory(
    report: &mut Report<'_>,
    needs: &[Need],
    memory: &MemoryLimit,
    spacing: f64,
) -> HashSet<String> {
    let gone = beyond(needs, memory.bytes.into(), |need| need.bytes);
    for need in &gone {
        let (bytes, amount) = (Bytes(need.bytes), need.amount());
        let message = format!("needs about {bytes} of memory for {amount}");
        let smaller = smaller(need, spacing);
        let help = format!("the limit is {memory}: make {smaller}, or set --memory");
        report.key(&join(&need.key, need.part), message, Some(help));
    }
    gone.into_iter().map(|need| need.key.clone()).collect()
}

/// "it smaller, or simulation.spacing (0.01 m) larger"
fn smaller(need: &Need, spacing: f64) -> String {
    let what = if need.part == "copies" { "them fewer" } else { "it smaller" };
    match need.kind {
        "elastic" => format!("{what}, or element_size larger"),
        _ => format!("{what}, or simulation.spacing ({spacing} m) larger"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::shapes::{MeshShape, fill};

    fn need(count: u128) -> Need {
        let (key, name) = (format!("solid[{count}]"), String::new());
        Need { key, part: "shape", name, kind: "solid", count, copies: 1, bytes: count }
    }

    #[test]
    fn the_largest_go_until_the_rest_fits() {
        let needs = [need(5), need(u128::MAX), need(30), need(u128::MAX)];
        let gone =
            |limit| beyond(&needs, limit, |n| n.count).iter().map(|n| n.count).collect::<Vec<_>>();
        assert_eq!(gone(35), [u128::MAX, u128::MAX]);
        assert_eq!(gone(10), [u128::MAX, u128::MAX, 30]);
        assert!(beyond(&needs[..1], 5, |n| n.count).is_empty());
    }

    #[test]
    fn what_is_no_number_is_too_many() {
        assert_eq!(whole(f64::NAN), u128::MAX);
        assert_eq!(whole(f64::INFINITY), u128::MAX);
        assert_eq!(whole(-1.0), 0);
        assert_eq!(whole(2.1), 3);
    }

    #[test]
    fn counts_are_bounds_and_not_far_from_the_truth() {
        let ball = Shape::Sphere { radius: 0.5 };
        let shapes = [
            Shape::Box { half: DVec3::new(0.5, 0.3, 0.2) },
            Shape::Mesh(MeshShape::new(ball.surface()).unwrap()),
            ball,
            Shape::Cylinder { radius: 0.3, half_height: 0.5 },
            Shape::Cone { radius: 0.5, height: 1.0 },
            Shape::Torus { major: 0.5, minor: 0.2 },
            Shape::Capsule { radius: 0.02, half_height: 0.5 },
            Shape::Tank { half: DVec3::new(0.5, 0.4, 0.3), open: vec![] },
            Shape::Plane { normal: DVec3::Y, half_size: 0.5 },
        ];
        for shape in shapes {
            for dimension in [Dimension::Two, Dimension::Three] {
                let layer = shape.sample_surface(0.03, 0.0, dimension).unwrap().len() as f64;
                let bound = samples(&shape, 0.0, 0.03, dimension);
                assert!((1.0..6.0).contains(&(bound / layer)), "{shape:?}: {layer} of {bound}");
                let filled = fill(&shape, &Pose::IDENTITY, 0.03, dimension).len() as f64;
                let bound = cells(&shape, 0.03, dimension);
                let most = if shape.is_closed() { 3.0 * filled + 500.0 } else { f64::INFINITY };
                assert!((filled..=most).contains(&bound), "{shape:?}: {filled} of {bound}");
            }
        }
    }
}
