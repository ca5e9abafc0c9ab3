//! Elastic bodies as written in a scene → meshes in a world.

use std::collections::{BTreeMap, HashMap, HashSet};

use splashdown_solids::bodies::Substance;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::solids::{Hold, Settings, Solids};

use super::convert::Converter;
use super::copies::names;
use super::file::{self, DEFAULT_FRICTION, ElasticElements, ElasticKind, SceneFile};
use super::fluid_contact::{foresees_barrier, has_bare_walls, has_barrier};
use super::geometry::Geometry;
use super::needs::Count;
use super::pieces::Pieces;
use super::samples::{ElasticSamples, bare, sample_elastic};
use super::validate::join;
use crate::elastic::{Elastic, Handle};
use crate::math::{Aabb, DVec3, Dimension, Pose};
use crate::shapes::Shape;
use crate::world::World;

/// More elements than this in one body are refused.
const MAX_ELEMENTS: u128 = 5_000_000;
/// More meetings than this at the start are not listed for one entry.
const MAX_MEETINGS: usize = 5;
/// Distance at which surfaces push, in spacings, unless told otherwise.
const CONTACT_DISTANCE: f64 = 0.1;
/// Contact stiffness over the smallest Young's modulus, unless told otherwise.
const CONTACT_STIFFNESS: f64 = 0.1;
/// Tolerance in spacings per second, unless told otherwise.
const TOLERANCE: f64 = 0.05;

impl Converter<'_, '_> {
    /// Reports what is wrong with an elastic body and can be known without meshing it.
    pub(super) fn check_elastic(&mut self, key: &str, written: &file::Elastic, file: &SceneFile) {
        if self.dimension == Dimension::Two {
            let help = "write simulation.dimension = 3".to_string();
            self.report.key(key, "there are no elastic bodies in 2D", Some(help));
        }
        if file.solid.iter().any(|solid| solid.is_rigid_body()) {
            let help = "write them as [[elastic]], too, with kind = \"rigid\"".to_string();
            let message = "does not meet rigid bodies that are a [[solid]]";
            self.report.key(key, message, Some(help));
        }
        self.check_kind(key, written);
        let placed = self.elastic_place(key, written);
        for (k, point) in written.points.iter().enumerate() {
            self.position(&format!("{key}.points[{k}]"), point);
        }
        match &placed.0 {
            Some(Geometry::Known(shape)) => {
                self.check_inside(key, written, shape);
                self.check_pieces(key, written, Pieces::of_shape(shape, written, self.spacing));
            }
            Some(_) => {} // known when its file has been read
            None => self.check_pieces(key, written, Pieces::of_points(written, self.spacing)),
        }
        self.copies(key, written.repeats(), &placed.1);
        if let Some(velocity) = &written.velocity {
            self.vector(&join(key, "velocity"), velocity);
        }
        for (k, hold) in written.hold.iter().enumerate() {
            let key = format!("{key}.hold[{k}]");
            let region = self.region(&key, hold);
            let centre = 0.5 * (region.min + region.max);
            let pose = Pose { translation: centre, ..Pose::IDENTITY };
            self.motion(&join(&key, "motion"), hold.motion.as_ref(), &pose);
            if hold.axes.is_some() && (hold.motion.is_some() || hold.end.is_some()) {
                let help = "leave it out, or motion and end".to_string();
                self.report.key(&join(&key, "axes"), "excludes motion and end", Some(help));
            }
            if hold.axes.is_some() && written.kind == ElasticKind::Rigid {
                let help = "leave it out: hold a corner to let it turn".to_string();
                self.report.key(&join(&key, "axes"), "is not for rigid bodies", Some(help));
            }
        }
    }

    /// Whether the keys suit the kind of body.
    fn check_kind(&mut self, key: &str, written: &file::Elastic) {
        use ElasticKind::{Particles, Rigid, Rod, Shell, Solid};
        let kind = written.kind;
        let filled = matches!(kind, Solid | Rigid);
        let sources = usize::from(written.shape.is_some())
            + usize::from(written.tetrahedra.is_some())
            + usize::from(!written.points.is_empty());
        let allowed = match kind {
            Solid | Rigid => "`shape` or `tetrahedra`",
            Shell => "`shape`",
            Rod => "`points`",
            Particles => "`points` or `shape`",
        };
        let suits = (written.shape.is_none() || kind != Rod)
            && (written.tetrahedra.is_none() || filled)
            && (written.points.is_empty() || matches!(kind, Rod | Particles));
        if sources != 1 || !suits {
            let help = format!("this kind has {allowed}");
            self.report.key(key, "needs one shape", Some(help));
        }
        if kind == Rod && written.points.len() == 1 {
            self.report.key(&join(key, "points"), "one point makes no rod", None);
        }
        if filled != written.thickness.is_none() {
            let message = if filled { "is not for this kind" } else { "is missing" };
            let help = "shells, rods and particles have it".to_string();
            self.report.key(&join(key, "thickness"), message, Some(help));
        }
        use Model::{NeoHookean, StVenantKirchhoff};
        if kind == Shell && !matches!(written.material, NeoHookean | StVenantKirchhoff) {
            let help = "shells: neo_hookean or st_venant_kirchhoff".to_string();
            self.report.key(&join(key, "material"), "is not for this kind", Some(help));
        }
        if written.elements == ElasticElements::Quadratic && kind != Solid {
            let help = "leave it out, or write kind = \"solid\"".to_string();
            self.report.key(&join(key, "elements"), "is not for this kind", Some(help));
        }
        if written.element_size.is_some() && written.element_spacings.is_some() {
            let help = "leave out one of them".to_string();
            self.report.key(&join(key, "element_spacings"), "excludes element_size", Some(help));
        }
        if written.pressure != 0.0 && !matches!(kind, Solid | Shell) {
            self.report.key(&join(key, "pressure"), "is not for this kind", None);
        }
    }

    fn check_inside(&mut self, key: &str, written: &file::Elastic, shape: &Shape) {
        let is_sheet = matches!(shape, Shape::Plane { .. } | Shape::Mesh(_))
            && written.kind == ElasticKind::Shell;
        if !is_sheet && (!shape.is_closed() || matches!(shape, Shape::Tank { .. })) {
            let help = "a closed shape, such as a box, a sphere or a closed mesh".to_string();
            self.report.key(&join(key, "shape"), "has no inside", Some(help));
        }
    }

    fn check_pieces(&mut self, key: &str, written: &file::Elastic, pieces: Pieces) {
        let parts = ["shape", "points"].map(|part| join(key, part));
        let is_wrong = parts.iter().any(|part| self.report.is_wrong(part));
        if self.has_scale && !is_wrong && pieces.elements > MAX_ELEMENTS {
            let size = written.size(self.spacing);
            let message = format!("{size} m makes about {} elements", Count(pieces.elements));
            let help = format!("at most {}: make it larger", Count(MAX_ELEMENTS));
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

/// All elastic bodies, and what fluid sees of them, if there is any.
pub(super) fn elastic_bodies(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    left_out: &HashSet<String>,
) -> (Elastic, Vec<ElasticSamples>) {
    let (mut elastic, mut samples) = (Elastic::default(), Vec::new());
    elastic.settings = settings(file);
    for (k, written) in file.elastic.iter().enumerate() {
        let key = format!("elastic[{k}]");
        if !convert.is_usable(&key, left_out) {
            convert.check_closed(&key, written);
            continue;
        }
        let first = elastic.names.len();
        add_bodies(convert, &key, written, &mut elastic);
        if file.fluid.is_empty() {
            continue;
        }
        for body in first..elastic.names.len() {
            let (name, entry) = (&elastic.names[body], file.solid.len() + k);
            let size = (convert.spacing, [has_barrier(file), foresees_barrier(file)]);
            match sample_elastic(&elastic.solids, body, name, entry, size) {
                Ok(found) => samples.push(found),
                Err(error) => {
                    convert.report.key(&key, error.to_string(), None);
                    break;
                }
            }
        }
    }
    (elastic, samples)
}

/// Adds elastic bodies to `world`, then the solids that they may meet, then their samples.
pub(super) fn build_elastic(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    (elastic, samples): (Elastic, Vec<ElasticSamples>),
    world: &mut World,
) {
    let has_barrier = has_barrier(file) && convert.dimension == Dimension::Three;
    if file.elastic.is_empty() && !has_barrier {
        return;
    }
    world.elastic = elastic;
    // Friction needs what presses fluid on a surface: the barrier knows.
    let has_friction = world.has_wall_friction() && !has_barrier;
    if !samples.is_empty() && (world.has_tension() || has_friction) {
        let help = "leave out tension (and, without a barrier, friction) of fluid.surface";
        let message = "does not yet meet fluids with surface tension";
        convert.report.key("elastic[0]", message, Some(help.to_string()));
    }
    for solid in &world.solids {
        world.elastic.add_obstacle(solid);
    }
    if !report_flaws(convert, file, world) {
        let reach = world.elastic.settings.gap.reach;
        world.elastic.solids.note_close(reach);
    }
    let is_bare = has_bare_walls(file);
    for ElasticSamples { solid, .. } in samples {
        world.add_samples(if is_bare { bare(solid) } else { solid });
    }
}

/// Reports what intersects at the start, or is too thick for its elements. True if something is.
fn report_flaws(convert: &mut Converter<'_, '_>, file: &SceneFile, world: &World) -> bool {
    let flaws = world.elastic.flaws(&world.solids);
    if flaws.is_empty() {
        return false;
    }
    let of_entry = |(k, e): (usize, &file::Elastic)| {
        names(&e.name, &e.copies).into_iter().map(move |name| (name, k))
    };
    let entries: HashMap<String, usize> =
        file.elastic.iter().enumerate().flat_map(of_entry).collect();
    let mut meetings: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for flaw in flaws {
        let name = world.elastic.names.get(flaw.body);
        let entry = name.and_then(|name| entries.get(name)).copied().unwrap_or(0);
        let Some([thickness, shortest]) = flaw.too_thick else {
            meetings.entry(entry).or_default().push(flaw.what);
            continue;
        };
        let message =
            format!("{thickness} m is no less than its shortest element, {shortest:.4} m");
        let help = "make element_size larger than that, or thickness smaller".to_string();
        convert.report.key(&format!("elastic[{entry}].thickness"), message, Some(help));
    }
    for (entry, mut all) in meetings {
        let rest = if all.len() > MAX_MEETINGS { "; and others" } else { "" };
        all.truncate(MAX_MEETINGS);
        let message = format!("at the start, {}{rest}", all.join("; "));
        convert.report.key(&format!("elastic[{entry}]"), message, Some("move it".to_string()));
    }
    true
}

/// Adds all copies of a body.
fn add_bodies(
    convert: &mut Converter<'_, '_>,
    key: &str,
    written: &file::Elastic,
    elastic: &mut Elastic,
) {
    let (geometry, pose) = convert.elastic_place(key, written);
    let Some(shape) = convert.elastic_geometry(key, written, geometry.as_ref()) else { return };
    let substance = substance(written);
    let velocity = match &written.velocity {
        Some(velocity) => convert.vector(&join(key, "velocity"), velocity),
        None => DVec3::ZERO,
    };
    let first = elastic.solids.rest.len() as u32;
    let poses = convert.copies(key, written.repeats(), &pose);
    for (pose, name) in poses.iter().zip(names(&written.name, &written.copies)) {
        let added = shape.add(&mut elastic.solids, pose, &substance, written, velocity);
        match added {
            Ok(body) if written.pressure != 0.0 => {
                elastic.solids.add_pressure(body, written.pressure);
            }
            Ok(_) => {}
            Err(error) => {
                convert.report.key(key, error.to_string(), None);
                return;
            }
        }
        elastic.names.push(name);
    }
    for (k, hold) in written.hold.iter().enumerate() {
        let key = format!("{key}.hold[{k}]");
        let region = convert.region(&key, hold);
        let rigid = written.kind == ElasticKind::Rigid;
        let Solids { rest, affine_frame, .. } = &elastic.solids;
        // Corners of the affine frame of a rigid body are not part of it.
        let part = |v: u32| !rigid || affine_frame[v as usize].is_some();
        let inside = |v: &u32| part(*v) && region.contains(rest[*v as usize]);
        let vertices: Vec<u32> = (first..rest.len() as u32).filter(inside).collect();
        if vertices.is_empty() {
            let help = "make the box larger, or element_size smaller".to_string();
            convert.report.key(&key, "holds no vertex", Some(help));
        }
        let pose = Pose { translation: 0.5 * (region.min + region.max), ..Pose::IDENTITY };
        let motion = convert.motion(&join(&key, "motion"), hold.motion.as_ref(), &pose);
        if let Some(axes) = hold.axes {
            vertices.iter().for_each(|&v| elastic.solids.locked[v as usize] = axes);
            continue;
        }
        // Vertices of a rigid body are no unknowns that could be left out: springs hold them where
        // they rest.
        let still = motion.is_static() && !rigid && hold.end.is_none();
        let how = if still { Hold::Fixed } else { Hold::Driven };
        vertices.iter().for_each(|&v| elastic.solids.hold[v as usize] = how);
        if !motion.is_static() || hold.end.is_some() {
            elastic.handles.push(Handle { vertices, motion, end: hold.end });
        }
    }
}

fn substance(written: &file::Elastic) -> Substance {
    Substance {
        material: Material::new(written.material, written.youngs_modulus, written.poissons_ratio),
        density: written.density,
        friction: written.friction.unwrap_or(DEFAULT_FRICTION),
        drag: written.damping,
        damping: written.damping_time,
    }
}

fn settings(file: &SceneFile) -> Settings {
    let (solver, spacing) = (&file.elastic_solver, file.simulation.spacing);
    let softest = file.elastic.iter().map(|e| e.youngs_modulus).reduce(f64::min);
    Settings::default().with(|s| {
        s.gap.reach = solver.contact_distance.unwrap_or(CONTACT_DISTANCE * spacing);
        s.stiffness =
            solver.contact_stiffness.unwrap_or(CONTACT_STIFFNESS * softest.unwrap_or(0.0));
        s.friction_speed = solver.friction_speed;
        s.friction_updates = solver.friction_updates;
        s.tolerance = solver.tolerance.unwrap_or(TOLERANCE * spacing);
        s.force_tolerance = solver.force_tolerance;
        s.max_iterations = solver.max_iterations;
        s.integrator = solver.integrator;
        s.direct_limit = solver.direct_limit;
        s.verify = solver.verify;
    })
}
