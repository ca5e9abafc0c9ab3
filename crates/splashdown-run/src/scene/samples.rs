//! What fluid sees of elastic bodies: samples on their surfaces, at rest.

use splashdown_solids::element::Element;
use splashdown_solids::embedding::Embedding;
use splashdown_solids::solids::Solids;

use super::carve::Obstacle;
use super::file::FluidSide;
use crate::boundary::Solid;
use crate::deforming::Deforming;
use crate::math::{DVec3, Dimension};
use crate::mesh::{ClosedSurface, TriangleMesh};
use crate::shapes::{MeshShape, Shape, ShapeError, closed_surface_of};
use crate::world::Carrier;

/// Distance of samples at rest, in spacings: they stay close enough when a surface stretches by
/// half.
const APART: f64 = 0.8;

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
    Solid { carrier, local: Vec::new(), closed_surface: ClosedSurface::default(), ..solid }
}

/// Samples body number `body`, called `name`, of `solids`; `entry` is its number among all that
/// fluid may meet.
pub(super) fn sample_elastic(
    solids: &Solids,
    body: usize,
    name: &str,
    entry: usize,
    (spacing, has_barrier): (f64, bool),
) -> Result<ElasticSamples, ShapeError> {
    let surface = surface_of(solids, body);
    let first = solids.bodies[body].vertices.start;
    let (friction, half) = (solids.friction[first], solids.offset[first]);
    if surface.triangles.is_empty() {
        let points = thin_points(solids, body, APART * spacing);
        let solid = samples(solids, body, name, points, 0.0);
        return Ok(ElasticSamples { solid: Solid { friction, ..solid }, obstacle: None, half });
    }
    let mesh = MeshShape::new(surface.clone())?;
    let is_shell = solids.elements[solids.bodies[body].elements.clone()]
        .iter()
        .any(|element| matches!(element, Element::Membrane(_)));
    let side = if is_shell { FluidSide::Both } else { FluidSide::Outside };
    let inset = if is_shell { 0.0 } else { 0.5 * spacing };
    let shape = Shape::Mesh(mesh);
    let points = shape.sample_surface(APART * spacing, -inset, Dimension::Three)?;
    // Shells have water on both sides and have to stay tight. Without a barrier, samples that are
    // made to weigh what a closed shell displaces let a hollow ball fill up.
    let closed_surface = match side == FluidSide::Outside || has_barrier {
        true => closed_surface_of(&surface, spacing, Dimension::Three),
        false => ClosedSurface::default(),
    };
    let solid = samples(solids, body, name, points, inset);
    let solid = Solid { friction, closed_surface, surface, ..solid };
    let (name, pose) = (name.to_owned(), solid.pose);
    let obstacle = Some(Obstacle { entry, name, shape, pose, side, inset, half });
    Ok(ElasticSamples { solid, obstacle, half })
}

fn samples(solids: &Solids, body: usize, name: &str, points: Vec<DVec3>, inset: f64) -> Solid {
    let embedding = Embedding::new(solids, body, &points);
    let carrier = Carrier::from(Deforming::new(body, embedding));
    Solid { carrier, ..Solid::fixed(name, points, inset) }
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

/// Points at most `apart` from each other along the segments of a rod, or the particles themselves.
fn thin_points(solids: &Solids, body: usize, apart: f64) -> Vec<DVec3> {
    let range = solids.bodies[body].vertices.clone();
    let mut points: Vec<DVec3> = solids.rest[range].to_vec();
    for element in &solids.elements[solids.bodies[body].elements.clone()] {
        let Element::Stretch(segment) = element else { continue };
        let [a, b] = segment.vertices.map(|v| solids.rest[v as usize]);
        let pieces = (a.distance(b) / apart).ceil().max(1.0);
        points.extend((1..pieces as usize).map(|k| a.lerp(b, k as f64 / pieces)));
    }
    points
}
