//! Elastic bodies as written in a scene → meshes in a world.

use splashdown_solids::barrier::Gap;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::meshing::{TetMesh, block, stuffed};
use splashdown_solids::solids::{Hold, Integrator, Settings, Substance};

use super::convert::Converter;
use super::file::{self, DEFAULT_FRICTION, ElasticMaterial, SceneFile};
use super::geometry::Geometry;
use super::validate::join;
use crate::elastic::{Elastic, Handle};
use crate::math::{Aabb, DVec3, Dimension, Pose};
use crate::shapes::Shape;
use crate::world::World;

/// More elements than this in one body are refused.
const MAX_ELEMENTS: f64 = 5e6;
/// Distance at which surfaces push, in spacings, unless told otherwise.
const CONTACT_DISTANCE: f64 = 0.1;
/// Contact stiffness over the smallest Young's modulus, unless told otherwise.
const CONTACT_STIFFNESS: f64 = 0.1;
/// Tolerance in spacings per second, unless told otherwise.
const TOLERANCE: f64 = 0.05;

impl Converter<'_, '_> {
    /// Reports what is wrong with an elastic body and can be known without meshing it.
    pub fn check_elastic(&mut self, key: &str, written: &file::Elastic, file: &SceneFile) {
        if self.dimension == Dimension::Two {
            let help = "write simulation.dimension = 3".to_string();
            self.report.key(key, "there are no elastic bodies in 2D", Some(help));
        }
        if !file.fluid.is_empty() || file.solid.iter().any(|solid| solid.is_rigid_body()) {
            let help = "leave out one of them".to_string();
            let message = "does not yet meet fluids and rigid bodies";
            self.report.key(key, message, Some(help));
        }
        let placed = self.solid_shape(key, &written.shape, written.at.as_ref(), &written.rotate);
        if let Geometry::Known(shape) = &placed.geometry {
            self.check_elements(key, written, shape);
        }
        if let Some(velocity) = &written.velocity {
            self.vector(&join(key, "velocity"), velocity);
        }
        for (k, hold) in written.hold.iter().enumerate() {
            let key = format!("{key}.hold[{k}]");
            let region = self.region(&key, hold);
            let centre = 0.5 * (region.min + region.max);
            let pose = Pose { translation: centre, ..Pose::IDENTITY };
            self.motion(&join(&key, "motion"), hold.motion.as_ref(), &pose);
        }
    }

    fn check_elements(&mut self, key: &str, written: &file::Elastic, shape: &Shape) {
        if !shape.is_closed() || matches!(shape, Shape::Tank { .. }) {
            let help = "a closed shape, such as a box, a sphere or a closed mesh".to_string();
            self.report.key(&join(key, "shape"), "has no inside", Some(help));
            return;
        }
        let size = written.element_size.unwrap_or(self.spacing);
        let extent = shape.bounds().size();
        let elements = 6.0 * (extent / size).to_array().iter().product::<f64>();
        if elements > MAX_ELEMENTS {
            let message = format!("{size} m makes about {:.0} million elements", elements / 1e6);
            let help = format!("at most {:.0} million: make it larger", MAX_ELEMENTS / 1e6);
            self.report.key(&join(key, "element_size"), message, Some(help));
        }
    }

    fn region(&mut self, key: &str, hold: &file::Hold) -> Aabb {
        let parts = [&hold.region.size, &hold.region.min, &hold.region.max];
        let (half, centre) = self.block(&join(key, "box"), parts);
        let pose = self.placement(key, hold.at.as_ref(), centre, &file::Rotation::default());
        Aabb { min: pose.translation - half, max: pose.translation + half }
    }
}

/// Adds all elastic bodies to `world`, then the solids that they may meet.
pub(super) fn build_elastic(convert: &mut Converter<'_, '_>, file: &SceneFile, world: &mut World) {
    if file.elastic.is_empty() {
        return;
    }
    world.elastic = Elastic { settings: settings(file), ..Elastic::default() };
    for (k, written) in file.elastic.iter().enumerate() {
        add_body(convert, &format!("elastic[{k}]"), written, &mut world.elastic);
    }
    for solid in &world.solids {
        world.elastic.add_obstacle(solid);
    }
    if let Some(what) = world.elastic.violation(&world.solids) {
        let k = file.elastic.iter().position(|e| what.split(' ').any(|word| word == e.name));
        let key = format!("elastic[{}]", k.unwrap_or(0));
        convert.report.key(&key, format!("at the start, {what}"), Some("move it".to_string()));
    }
}

fn add_body(
    convert: &mut Converter<'_, '_>,
    key: &str,
    written: &file::Elastic,
    elastic: &mut Elastic,
) {
    let placed = convert.solid_shape(key, &written.shape, written.at.as_ref(), &written.rotate);
    let Some(shape) = convert.load(&placed.geometry) else { return };
    let size = written.element_size.unwrap_or(convert.spacing);
    let mut mesh = mesh_of(&shape, size);
    if mesh.tetrahedra.is_empty() {
        let help = format!("make it larger, or element_size ({size} m) smaller");
        convert.report.key(&join(key, "shape"), "has no room for an element", Some(help));
        return;
    }
    mesh.vertices.iter_mut().for_each(|v| *v = placed.pose.apply(*v));
    let model = match written.material {
        ElasticMaterial::NeoHookean => Model::NeoHookean,
        ElasticMaterial::StableNeoHookean => Model::StableNeoHookean,
        ElasticMaterial::FixedCorotated => Model::FixedCorotated,
    };
    let substance = Substance {
        material: Material::new(model, written.youngs_modulus, written.poissons_ratio),
        density: written.density,
        friction: written.friction.unwrap_or(DEFAULT_FRICTION),
        drag: written.damping,
    };
    let velocity = match &written.velocity {
        Some(velocity) => convert.vector(&join(key, "velocity"), velocity),
        None => DVec3::ZERO,
    };
    let first = elastic.solids.rest.len() as u32;
    if let Err(error) = elastic.solids.add_body(&mesh, &substance, |_| velocity) {
        convert.report.key(&join(key, "shape"), error.to_string(), None);
        return;
    }
    elastic.names.push(written.name.clone());
    for (k, hold) in written.hold.iter().enumerate() {
        let key = format!("{key}.hold[{k}]");
        let region = convert.region(&key, hold);
        let inside = (first..).zip(&mesh.vertices).filter(|(_, p)| region.contains(**p));
        let vertices: Vec<u32> = inside.map(|(v, _)| v).collect();
        if vertices.is_empty() {
            let help = "make the box larger, or element_size smaller".to_string();
            convert.report.key(&key, "holds no vertex", Some(help));
        }
        let pose = Pose { translation: 0.5 * (region.min + region.max), ..Pose::IDENTITY };
        let motion = convert.motion(&join(&key, "motion"), hold.motion.as_ref(), &pose);
        let how = if motion.is_static() { Hold::Fixed } else { Hold::Driven };
        vertices.iter().for_each(|&v| elastic.solids.hold[v as usize] = how);
        if !motion.is_static() {
            elastic.handles.push(Handle { vertices, motion });
        }
    }
}

/// Tetrahedra of about `size` in `shape`, about its own origin.
fn mesh_of(shape: &Shape, size: f64) -> TetMesh {
    if let Shape::Box { half } = shape {
        let cells = (2.0 * *half / size).to_array().map(|n| (n.round() as usize).max(1));
        return block(2.0 * *half, cells);
    }
    let bounds = shape.bounds();
    let inside = |p: DVec3| shape.signed_distance(p, Dimension::Three);
    stuffed(inside, bounds.min, bounds.max, size)
}

fn settings(file: &SceneFile) -> Settings {
    let (solver, spacing) = (&file.elastic_solver, file.simulation.spacing);
    let softest = file.elastic.iter().map(|e| e.youngs_modulus).fold(f64::INFINITY, f64::min);
    Settings {
        gap: Gap {
            reach: solver.contact_distance.unwrap_or(CONTACT_DISTANCE * spacing),
            thickness: 0.0,
        },
        stiffness: solver.contact_stiffness.unwrap_or(CONTACT_STIFFNESS * softest),
        friction_speed: solver.friction_speed,
        friction_updates: solver.friction_updates,
        tolerance: solver.tolerance.unwrap_or(TOLERANCE * spacing),
        max_iterations: solver.max_iterations,
        integrator: match solver.integrator {
            file::Integrator::ImplicitEuler => Integrator::ImplicitEuler,
            file::Integrator::Bdf2 => Integrator::Bdf2,
        },
        verify: solver.verify,
    }
}
