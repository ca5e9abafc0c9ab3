//! What fluid sees of elastic bodies: samples on their surfaces, at rest.

use splashdown_solids::element::Element;
use splashdown_solids::embedding::Embedding;
use splashdown_solids::solids::{Body, Solids};

use super::carve::Obstacle;
use super::file::FluidSide;
use crate::boundary::Solid;
use crate::deforming::{APART, Deforming, Sampler};
use crate::math::{DVec3, Dimension};
use crate::mesh::{TriangleMesh, WettedSurface};
use crate::shapes::{MeshShape, Shape, ShapeError, closed_surface_of, sheet_surface_of};
use crate::world::Carrier;

/// The samples of one elastic body, and where fluid may not be.
pub(super) struct ElasticSamples {
    pub solid: Solid,
    /// None of rods and particles, which are as thin as their samples.
    pub obstacle: Option<Obstacle>,
    /// Half its thickness, if it has one; else zero.
    pub half: f64,
}

/// The same solid without samples: fluid sees nothing of it but its barrier.
pub(super) fn bare(solid: Solid) -> Solid {
    let carrier = match solid.carrier {
        Carrier::Deforming(samples) => Carrier::from(samples.bare()),
        carrier => carrier,
    };
    Solid { carrier, local: Vec::new(), wetted_surface: WettedSurface::default(), ..solid }
}

/// Samples body number `body`, called `name`, of `solids`; `entry` is its number among all that
/// fluid may meet.
pub(super) fn sample_elastic(
    solids: &Solids,
    body: usize,
    name: &str,
    entry: usize,
    (spacing, [has_barrier, foresees_barrier]): (f64, [bool; 2]),
) -> Result<ElasticSamples, ShapeError> {
    let surface = surface_of(solids, body);
    let first = solids.bodies[body].vertices.start;
    let (friction, half) = (solids.friction[first], solids.offset[first]);
    if surface.triangles.is_empty() {
        let thin = ThinParts::of(solids, body);
        let solid =
            samples((solids, body), name, spacing, 0.0, move |apart| Ok(thin.points(apart)));
        let solid = Solid { friction, ..solid? };
        return Ok(ElasticSamples { solid, obstacle: None, half });
    }
    let mesh = MeshShape::new(surface.clone())?;
    let is_shell = solids.elements[solids.bodies[body].elements.clone()]
        .iter()
        .any(|element| matches!(element, Element::Membrane(_)));
    let side = if is_shell { FluidSide::Both } else { FluidSide::Outside };
    let inset = if is_shell { 0.0 } else { 0.5 * spacing };
    let is_sheet = is_shell && !mesh.is_closed();
    let shape = Shape::Mesh(mesh);
    // Shells have water on both sides and have to stay tight. Without a barrier, samples that are
    // made to weigh what a closed shell displaces let a hollow ball fill up.
    let wetted_surface = match side == FluidSide::Outside || has_barrier {
        true if is_sheet && foresees_barrier => sheet_surface_of(&surface, spacing),
        true => closed_surface_of(&surface, spacing, Dimension::Three),
        false => WettedSurface::default(),
    };
    let placed = shape.clone();
    let place = move |apart: f64| placed.sample_surface(apart, -inset, Dimension::Three);
    let solid = samples((solids, body), name, spacing, inset, place)?;
    let solid = Solid { friction, wetted_surface, surface, ..solid };
    let (name, pose) = (name.to_owned(), solid.pose);
    let inset = match is_sheet && foresees_barrier {
        true => (0.5 * spacing).min(0.9 * spacing - half).max(0.0),
        false => inset,
    };
    let obstacle = Some(Obstacle { entry, name, shape, pose, side, inset, half });
    Ok(ElasticSamples { solid, obstacle, half })
}

/// What fluid sees of a body, with samples at rest wherever `place` puts them for a distance.
fn samples(
    (solids, body): (&Solids, usize),
    name: &str,
    spacing: f64,
    inset: f64,
    place: impl Fn(f64) -> Result<Vec<DVec3>, ShapeError> + Send + Sync + 'static,
) -> Result<Solid, ShapeError> {
    let points = place(APART * spacing)?;
    let embedding = Embedding::new(solids, body, &points);
    let sampler = Sampler::new(APART * spacing, move |apart| place(apart).ok());
    let carrier = Carrier::from(Deforming::new(body, embedding).refined_by(sampler));
    Ok(Solid { carrier, ..Solid::fixed(name, points, inset) })
}

/// The surface of a body where it rests, with vertices of its own.
fn surface_of(solids: &Solids, body: usize) -> TriangleMesh {
    let mut surface = TriangleMesh::default();
    let range = solids.bodies[body].vertices.clone();
    let mut number = vec![u32::MAX; range.len()];
    for (corners, _) in &solids.surface.triangles[solids.bodies[body].triangles.clone()] {
        surface.triangles.push(corners.map(|v| {
            let number = &mut number[v as usize - range.start];
            if *number == u32::MAX {
                *number = surface.vertices.len() as u32;
                surface.vertices.push(solids.rest[v as usize]);
            }
            *number
        }));
    }
    surface
}

/// Single particles, and the segments of a rod.
struct ThinParts {
    particles: Vec<DVec3>,
    segments: Vec<[DVec3; 2]>,
}

impl ThinParts {
    fn of(solids: &Solids, body: usize) -> ThinParts {
        let Body { vertices, elements, .. } = &solids.bodies[body];
        let ends = |element: &Element| match element {
            Element::Stretch(segment) => Some(segment.vertices.map(|v| solids.rest[v as usize])),
            _ => None,
        };
        ThinParts {
            particles: solids.rest[vertices.clone()].to_vec(),
            segments: solids.elements[elements.clone()].iter().filter_map(ends).collect(),
        }
    }

    /// Points at most `apart` from each other along the segments, and the particles themselves.
    fn points(&self, apart: f64) -> Vec<DVec3> {
        let mut points = self.particles.clone();
        for &[a, b] in &self.segments {
            let pieces = (a.distance(b) / apart).ceil().max(1.0);
            points.extend((1..pieces as usize).map(|k| a.lerp(b, k as f64 / pieces)));
        }
        points
    }
}
