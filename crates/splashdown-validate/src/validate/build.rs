//! Solids and rigid bodies for cases that are built in code.

use crate::body::RigidBody;
use crate::math::{DMat3, DVec3, Dimension, Pose};
use crate::mesh::{TriangleMesh, WettedSurface};
use crate::shapes::{Face, MeshShape, Shape, closed_surface_of};
use crate::world::{Carrier, Solid, Viscosity, World};

/// A solid of `shape` at `pose` that stands still, sampled half a spacing behind its surface.
pub fn wall(world: &World, name: &str, shape: &Shape, pose: Pose) -> Result<Solid, String> {
    let h = world.spacing;
    let inset = if shape.is_closed() { 0.5 * h } else { 0.0 };
    let local = shape.sample_surface(h, -inset, world.dimension).map_err(|e| e.to_string())?;
    let surface = shape.surface();
    Ok(Solid {
        name: name.to_owned(),
        range: 0..0,
        wetted_surface: closed_surface_of(&surface, h, world.dimension),
        volume_factor: Vec::new(),
        wall: Default::default(),
        local,
        pose,
        placement: pose,
        carrier: Carrier::Fixed,
        friction: 0.5,
        wetting: Default::default(),
        inset,
        surface,
    })
}

/// A rigid body of `shape`, whose frame is at its centre of mass, and of `density`.
pub fn body(
    world: &World,
    name: &str,
    shape: &Shape,
    density: f64,
    pose: Pose,
) -> Result<Solid, String> {
    let (mass, inertia) = mass_of(shape, density, world.dimension);
    let mut solid = wall(world, name, shape, pose)?;
    solid.carrier = Carrier::from(RigidBody::at_rest(mass, inertia));
    Ok(solid)
}

/// A rigid body of a closed `mesh`, with its centre of mass at `place`.
pub fn mesh_body(
    world: &World,
    name: &str,
    mut mesh: TriangleMesh,
    density: f64,
    place: DVec3,
) -> Result<Solid, String> {
    let shape = |mesh: &TriangleMesh| -> Result<_, String> {
        let shape = Shape::Mesh(MeshShape::new(mesh.clone()).map_err(|e| e.to_string())?);
        let moments = shape.inside_moments(world.dimension).ok_or("a mesh that is not closed")?;
        Ok((shape, moments))
    };
    let (_, moments) = shape(&mesh)?;
    mesh.vertices.iter_mut().for_each(|v| *v -= moments.centre());
    let (shape, moments) = shape(&mesh)?;
    let mut solid = wall(world, name, &shape, at(place))?;
    let mass = density * moments.measure;
    solid.carrier = Carrier::from(RigidBody::at_rest(mass, mass * moments.inertia_per_mass()));
    Ok(solid)
}

/// A floor whose surface is at y = 0: a sheet, or a thick box whose samples lie half a spacing
/// below.
pub fn floor(world: &World, half_size: f64) -> Result<Solid, String> {
    let shape = Shape::Plane { normal: DVec3::Y, half_size };
    let pose = Pose { translation: -0.5 * world.spacing * DVec3::Y, ..Pose::IDENTITY };
    let mut solid = wall(world, "floor", &shape, pose)?;
    solid.inset = 0.5 * world.spacing;
    Ok(solid)
}

/// Mass and inertia about the origin of a solid of `shape`.
fn mass_of(shape: &Shape, density: f64, dimension: Dimension) -> (f64, DMat3) {
    let flat = dimension == Dimension::Two;
    match shape {
        Shape::Box { half } => {
            let size = 2.0 * *half;
            let mass = density * size.x * size.y * if flat { 1.0 } else { size.z };
            let square = size * size / 12.0;
            let about = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
            (mass, DMat3::from_diagonal(mass * about))
        }
        _ => integrated(shape, density, dimension),
    }
}

/// The same from a lattice inside the shape.
fn integrated(shape: &Shape, density: f64, dimension: Dimension) -> (f64, DMat3) {
    let bounds = shape.bounds();
    let size = bounds.size();
    let cells = if dimension == Dimension::Two { 400.0 } else { 80.0 };
    let step = size.max_element() / cells;
    let count = |length: f64| (length / step).ceil().max(1.0) as usize;
    let depth = if dimension == Dimension::Two { 1 } else { count(size.z) };
    let (mut mass, mut inertia) = (0.0, DMat3::ZERO);
    for x in 0..count(size.x) {
        for y in 0..count(size.y) {
            for z in 0..depth {
                let p = bounds.min + (DVec3::new(x as f64, y as f64, z as f64) + 0.5) * step;
                let p = dimension.flatten(p);
                if shape.signed_distance(p, dimension) < 0.0 {
                    let m = density * dimension.volume(step);
                    mass += m;
                    let outer = DMat3::from_cols(p * p.x, p * p.y, p * p.z);
                    inertia += m * (DMat3::from_diagonal(DVec3::splat(p.length_squared())) - outer);
                }
            }
        }
    }
    (mass, inertia)
}

/// Water of `cells` lattice cells in a tank that is `height` cells high, with room for a body of
/// `shape` at each of `centres`.
pub fn pool(
    dimension: Dimension,
    h: f64,
    cells: [usize; 3],
    height: usize,
    viscosity: Viscosity,
    hollows: &[(&Shape, DVec3)],
) -> Result<World, String> {
    let mut world = World::new(dimension, h);
    let flat = dimension == Dimension::Two;
    let [nx, ny, nz] = cells;
    let mut points = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..if flat { 1 } else { nz } {
                let cell = DVec3::new(x as f64, y as f64, z as f64) + 0.5;
                let p = dimension.flatten(cell * h);
                let free = |(shape, centre): &(&Shape, DVec3)| {
                    shape.signed_distance(p - *centre, dimension) > 0.4 * h
                };
                if hollows.iter().all(free) {
                    points.push(p);
                }
            }
        }
    }
    world.add_fluid("water", 1000.0, viscosity, &points, |_| DVec3::ZERO);
    let size = DVec3::new(nx as f64, height as f64, nz as f64) * h;
    let shape = Shape::Tank { half: 0.5 * size, open: vec![Face::Top] };
    let pose = Pose { translation: dimension.flatten(0.5 * size), ..Pose::IDENTITY };
    let mut tank = wall(&world, "tank", &shape, pose)?;
    // Behind the surface that the water sees: outside of the box of water.
    tank.local = shape.sample_surface(h, 0.5 * h, dimension).map_err(|e| e.to_string())?;
    tank.wetted_surface = WettedSurface::default();
    tank.inset = 0.5 * h;
    world.add_solid(tank);
    Ok(world)
}

/// Placed without being turned.
pub fn at(place: DVec3) -> Pose {
    Pose { translation: place, ..Pose::IDENTITY }
}
