//! Checks a scene, samples its shapes, and returns a world at time zero.

use std::collections::HashSet;

use super::bounds::bounds;
use super::carve::{Obstacle, apart, carve};
use super::check::check;
use super::convert::{Converter, Field};
use super::drop_emitters::{build_drop_emitters, has_source};
use super::elastic::{build_elastic, elastic_bodies};
use super::errors::{Findings, Report, SceneErrors};
use super::estimate::{ObjectCount, emitted_by, rained_by};
use super::file::{self, SceneFile};
use super::fluid_contact::{guest_settings, has_bare_walls, surface_notes};
use super::geometry::{Geometry, volume};
use super::grid::{self, has_grid};
use super::memory::{Bytes, MemoryLimit};
use super::method::method;
use super::needs::{
    BYTES_PER_FLUID_PARTICLE, BYTES_PER_PARTICLE, Count, Need, beyond, refuse_memory,
};
use super::overlap::{MAX_NOTES, resolve_overlaps};
use super::samples::bare;
use super::solids::{SampledSolid, friction_pairs, sample_solid};
use super::surfaces::{surfaces, tension_settings};
use super::validate::join;
use super::variational::stiffen;
use super::{Built, Scene, opening};
use crate::boundary;
use crate::diagnostics;
use crate::math::{DVec3, Pose};
use crate::output::formats::Format;
use crate::output::settings::{OutputSettings, Probe};
use crate::rigid::jammed::Jam;
use crate::shapes::{Shape, fill};
use crate::stepper::Stepper;
use crate::world::{Emitter, Sink, TimeStep, World};
use splashdown_solids::element::Element;

/// More than this is not sampled for a look at a scene, bytes.
const LOOK: u64 = 1_000_000_000;

/// The world of a scene.
pub(crate) fn build(scene: &Scene, memory: &MemoryLimit) -> Result<Built, SceneErrors> {
    let mut report = Report::new(&scene.source);
    check(&scene.file, &scene.directory, &mut report);
    let built = assemble(scene, &mut report, memory, u64::MAX);
    finished(report, built)
}

/// The world of a scene in which something is wrong already, as far as it goes: everything else
/// that is wrong.
pub(crate) fn examine(
    scene: &Scene,
    found: Findings,
    memory: &MemoryLimit,
) -> Result<Built, SceneErrors> {
    let mut report = Report { source: &scene.source, found };
    let built = assemble(scene, &mut report, memory, LOOK);
    finished(report, built)
}

fn finished(report: Report<'_>, built: Option<Built>) -> Result<Built, SceneErrors> {
    let source = report.source;
    report.finish()?;
    let no_reason =
        || SceneErrors::without_place(&source.file, "cannot be built".to_string(), None);
    built.ok_or_else(no_reason)
}

/// Makes a world of all objects that nothing is wrong with and reports what is wrong with the
/// others. Nothing is made before it is known that it fits into memory; what is beyond `look` bytes
/// is counted, but not made.
fn assemble(
    scene: &Scene,
    report: &mut Report<'_>,
    memory: &MemoryLimit,
    look: u64,
) -> Option<Built> {
    let file = &scene.file;
    let mut notes = Vec::new();
    if !scene.left_out.is_empty() {
        notes.push(format!("not used with another solver: {}", scene.left_out.join(", ")));
    }
    let mut convert = Converter::new(file, &scene.directory, report);
    // Without these nothing can be sampled, counted or placed.
    if !convert.has_scale {
        return None;
    }
    convert.memory = memory.bytes;
    let needs = convert.needs(file, true);
    let mut left_out = refuse_memory(convert.report, &needs, memory, convert.spacing);
    let fitting: Vec<Need> =
        needs.iter().filter(|need| !left_out.contains(&need.key)).cloned().collect();
    let unseen = beyond(&fitting, look.into(), |need| need.bytes);
    let counted: Vec<ObjectCount> = unseen.iter().map(|need| ObjectCount::counted(need)).collect();
    if !counted.is_empty() {
        let names: Vec<String> = counted.iter().map(|o| format!("`{}`", o.name)).collect();
        notes.push(format!(
            "too large for a look, only counted: {}; whether they overlap others shows when it \
             runs",
            names.join(", ")
        ));
    }
    left_out.extend(unseen.iter().map(|need| need.key.clone()));

    let mut world = empty_world(&mut convert, file);
    let mut solids: Vec<SampledSolid> = Vec::new();
    for (k, solid) in file.solid.iter().enumerate() {
        if convert.is_usable(&format!("solid[{k}]"), &left_out) {
            solids.extend(sample_solid(&mut convert, file, k, solid));
        }
    }
    resolve_overlaps(&mut convert, file.coupling.overlap, &mut solids, &mut notes);
    world.friction_pairs = friction_pairs(file, &solids);
    let entries: Vec<usize> = solids.iter().map(|solid| solid.obstacle.entry).collect();
    world.tension = tension_settings(file);
    let surfaces = surfaces(&mut convert, file, &entries);
    let (elastic, samples) = elastic_bodies(&mut convert, file, &left_out);
    let of_elastic = samples.iter().filter_map(|s| s.obstacle.as_ref());
    let obstacles: Vec<&Obstacle> = solids.iter().map(|s| &s.obstacle).chain(of_elastic).collect();
    let thin = samples.iter().filter(|s| s.obstacle.is_none());
    let thin: Vec<Thin> =
        thin.map(|s| Thin { name: &s.solid.name, points: &s.solid.local, half: s.half }).collect();
    let obstacles = Obstacles { solids: &obstacles, thin: &thin };
    fill_fluids(&mut convert, file, &obstacles, &left_out, &mut world, &mut notes);
    for (fluid, surface) in world.fluids.iter_mut().zip(surfaces.fluids) {
        fluid.surface = surface;
    }
    let is_bare = has_bare_walls(file);
    for (solid, wetting) in solids.into_iter().zip(surfaces.walls) {
        let solid = if is_bare { bare(solid.solid) } else { solid.solid };
        world.add_solid(boundary::Solid { wetting, ..solid });
    }
    world.method = method(file, world.has_tension());
    build_elastic(&mut convert, file, (elastic, samples), &mut world);
    add_sources(&mut convert, file, &mut world);
    world.elastic.guests = guest_settings(&mut convert, file, &world);
    if world.method.stepper() == Stepper::ContactProxy3 {
        world.elastic.solids.elements.iter_mut().for_each(Element::let_invert);
    }
    world.bounds = Some(bounds(&mut convert, file, &world));
    stiffen(file, &mut world, &mut notes);
    notes.extend(jam_notes(&world));
    notes.extend(surface_notes(&world));
    notes.extend(grid::notes(file, &world));
    grid::refuse_buried(&mut convert, &entries, &world);
    let output = output_settings(&mut convert, file);
    refuse_floods(&mut convert, file, &world, memory);
    let elastic = needs.iter().filter(|need| need.kind == "elastic").map(|need| need.bytes);
    let elastic = elastic.fold(0, u128::saturating_add);
    let elastic_bytes = u64::try_from(elastic).unwrap_or(u64::MAX);
    let inputs = std::mem::take(&mut convert.inputs).into_iter().collect();
    Some(Built { world, output, notes, inputs, counted, elastic_bytes })
}

/// Emitters, showers and sinks.
fn add_sources(convert: &mut Converter<'_, '_>, file: &SceneFile, world: &mut World) {
    for (k, emitter) in file.emitter.iter().enumerate() {
        let key = format!("emitter[{k}]");
        if !convert.report.is_wrong(&key) {
            world.emitters.push(build_emitter(convert, &key, emitter, file));
        }
    }
    world.drop_emitters = build_drop_emitters(convert, file);
    for (k, sink) in file.sink.iter().enumerate() {
        world.sinks.push(build_sink(convert, &format!("sink[{k}]"), sink));
    }
}

/// Refuses sources of more fluid than fits into memory, unless something takes fluid away again.
fn refuse_floods(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    world: &World,
    memory: &MemoryLimit,
) {
    if !world.sinks.is_empty() {
        return;
    }
    let emitters = file.emitter.iter().enumerate().map(|(k, e)| (format!("emitter[{k}]"), &e.name));
    let showers = file.shower.iter().enumerate().map(|(k, s)| (format!("shower[{k}]"), &s.name));
    for (key, name) in emitters.chain(showers) {
        let of_emitter = world.emitters.iter().find(|e| e.name == *name && key.starts_with('e'));
        let of_shower =
            world.drop_emitters.iter().find(|s| s.name == *name && key.starts_with('s'));
        let added = of_emitter.map(|e| emitted_by(e, convert.spacing, convert.duration));
        let added = added.or(of_shower.map(|s| rained_by(s, convert.duration))).unwrap_or(0);
        let bytes = u128::from(added) * (BYTES_PER_FLUID_PARTICLE + BYTES_PER_PARTICLE);
        if bytes > memory.bytes.into() {
            let (count, bytes) = (Count(added.into()), Bytes(bytes));
            let message = format!("adds up to {count} particles, which need about {bytes}");
            let help = format!(
                "the limit is {memory}: set `end`, a limit, a shorter simulation.duration, a \
                 [[sink]] \
                 that takes them away, or --memory"
            );
            convert.report.key(&key, message, Some(help));
        }
    }
}

impl Converter<'_, '_> {
    /// Whether nothing is wrong with an entry, and it is not among those left out.
    pub(super) fn is_usable(&self, key: &str, left_out: &HashSet<String>) -> bool {
        !self.report.is_wrong(key) && !left_out.contains(key)
    }
}

/// Says of pairs of solids that touch and cannot move apart that nothing will come of it.
fn jam_notes(world: &World) -> Vec<String> {
    let jams = diagnostics::jams(world);
    let note = |jam: &Jam| {
        let [a, b] = jam.solids.map(|k| &world.solids[k].name);
        format!(
            "`{a}` and `{b}` touch at {:.3} m and cannot move apart ({:.1e} m deep): \
             nothing presses there",
            jam.place, jam.depth
        )
    };
    let mut notes: Vec<String> = jams.iter().take(MAX_NOTES).map(note).collect();
    if jams.len() > MAX_NOTES {
        let more = jams.len() - MAX_NOTES;
        notes.push(format!("{more} more pairs touch and cannot move apart"));
    }
    notes
}

fn empty_world(convert: &mut Converter<'_, '_>, file: &SceneFile) -> World {
    let mut world = World::new(convert.dimension, convert.spacing);
    world.gravity = convert.vector("simulation.gravity", &file.simulation.gravity);
    world.kernel = file.simulation.kernel;
    let [usual_cfl, usual_max] = match has_grid(file) {
        true => [file::DEFAULT_CELLS, file::DEFAULT_MAX_GRID_STEP],
        false => [file::DEFAULT_CFL, file::DEFAULT_MAX_STEP],
    };
    world.time_step = match &file.time_step {
        file::TimeStep { fixed: Some(dt), .. } => TimeStep::Fixed(*dt),
        step => TimeStep::Adaptive {
            cfl: step.cfl.unwrap_or(usual_cfl),
            min: step.min.unwrap_or(file::DEFAULT_MIN_STEP),
            max: step.max.unwrap_or(usual_max),
        },
    };
    world
}

/// Positions and velocities of some fluid.
#[derive(Default)]
struct FilledParticles {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl FilledParticles {
    fn retain(&mut self, keep: &[bool]) {
        let mut verdicts = keep.iter();
        self.positions.retain(|_| *verdicts.next().unwrap_or(&false));
        let mut verdicts = keep.iter();
        self.velocities.retain(|_| *verdicts.next().unwrap_or(&false));
    }
}

/// Where fluid may not be.
struct Obstacles<'a> {
    solids: &'a [&'a Obstacle],
    /// Rods and single particles.
    thin: &'a [Thin<'a>],
}

/// A body that is as thin as its samples, or a little thicker.
struct Thin<'a> {
    name: &'a str,
    points: &'a [DVec3],
    half: f64,
}

fn fill_fluids(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    obstacles: &Obstacles,
    left_out: &HashSet<String>,
    world: &mut World,
    notes: &mut Vec<String>,
) {
    let spacing = convert.spacing;
    for (k, fluid) in file.fluid.iter().enumerate() {
        let key = format!("fluid[{k}]");
        let mut own = FilledParticles::default();
        let mut is_whole = true;
        for (j, region) in fluid.fill.iter().enumerate() {
            let key = format!("{key}.fill[{j}]");
            if !convert.is_usable(&key, left_out) {
                is_whole = false;
                continue;
            }
            let Some(mut new) = fill_region(convert, &key, fluid, region, notes) else {
                is_whole = false;
                continue;
            };
            carve_solids(convert, &key, obstacles.solids, &mut new, notes);
            carve_thin(convert, &key, obstacles.thin, &mut new, notes);
            let before = new.positions.len();
            for earlier in [&world.particles.position, &own.positions] {
                let keep = apart(&new.positions, earlier, 0.0, spacing);
                new.retain(&keep);
            }
            let lost = before - new.positions.len();
            if lost > 0 {
                notes.push(format!("{key}: {lost} particles carved away by fluid filled before"));
            }
            own.positions.append(&mut new.positions);
            own.velocities.append(&mut new.velocities);
        }
        if is_whole && own.positions.is_empty() && !has_source(file, &fluid.name) {
            let help = "let some of a [[fluid.fill]] lie outside of solids".to_string();
            convert.report.key(&key, "not one particle of it is left", Some(help));
        }
        spin(&mut own, convert.spin(&key, &fluid.angular_velocity));
        let (name, viscosity) = (&fluid.name, fluid.viscosity());
        let added =
            world.add_fluid(name, fluid.density(), viscosity, &own.positions, |_| DVec3::ZERO);
        world.particles.velocity[added].copy_from_slice(&own.velocities);
    }
}

/// The particles of a region, before carving.
fn fill_region(
    convert: &mut Converter<'_, '_>,
    key: &str,
    fluid: &file::Fluid,
    region: &file::Fill,
    notes: &mut Vec<String>,
) -> Option<FilledParticles> {
    let placed = convert.fill_shape(key, &region.shape, region.at.as_ref(), &region.rotate);
    let field = region.velocity.as_ref().unwrap_or(&fluid.velocity);
    let field: Field = convert.field(&join(key, "velocity"), field);
    let mut own_velocities = None;
    let positions: Vec<DVec3> = match &placed.geometry {
        Geometry::ParticleFile { key, input } => {
            let read = convert.read_particles(key, input)?;
            own_velocities = read.velocities;
            read.positions.iter().map(|p| placed.pose.apply(*p)).collect()
        }
        geometry => {
            let shape = convert.load(geometry)?;
            if matches!(&shape, Shape::Mesh(mesh) if !mesh.is_closed()) {
                let help = Some("close its holes".to_string());
                let message = "is not closed, and has no inside to fill";
                convert.report.key(&join(key, "shape"), message, help);
                return None;
            }
            let points = fill(&shape, &placed.pose, convert.spacing, convert.dimension);
            let filled = points.len() as f64 * convert.dimension.volume(convert.spacing);
            if let Some(wanted) = volume(&shape, convert.dimension) {
                let error = (filled / wanted - 1.0) * 100.0;
                if error.abs() > 2.0 {
                    let more = if error > 0.0 { "more" } else { "less" };
                    notes.push(format!(
                        "{key}: its particles fill {:.1} % {more} than the volume of its shape; \
                         sizes that are multiples of the spacing fit exactly",
                        error.abs()
                    ));
                }
            }
            points
        }
    };
    let positions: Vec<DVec3> =
        positions.into_iter().map(|p| convert.dimension.flatten(p)).collect();
    if let Some(bad) = positions.iter().find(|p| !p.is_finite()) {
        convert.report.key(&join(key, "shape"), format!("has a particle at {bad}"), None);
        return None;
    }
    let written = region.velocity.is_some();
    let velocities: Vec<DVec3> = match own_velocities {
        Some(velocities) if !written && velocities.len() == positions.len() => {
            velocities.iter().map(|v| placed.pose.rotation * *v).collect()
        }
        _ => positions.iter().map(|p| field.at(*p)).collect(),
    };
    if let Some(k) = velocities.iter().position(|v| !v.is_finite()) {
        let message = format!("is {} at {}", velocities[k], positions[k]);
        let key = if written { join(key, "velocity") } else { key.to_string() };
        convert.report.key(&key, message, Some("must be finite everywhere".to_string()));
        return None;
    }
    Some(FilledParticles { positions, velocities })
}

fn carve_solids(
    convert: &Converter<'_, '_>,
    key: &str,
    obstacles: &[&Obstacle],
    filled: &mut FilledParticles,
    notes: &mut Vec<String>,
) {
    let before = filled.positions.len();
    let carved = carve(&filled.positions, obstacles, convert.spacing, convert.dimension);
    filled.retain(&carved.keep);
    // Copies of one solid share a note.
    let mut k = 0;
    while k < obstacles.len() {
        let alike = obstacles[k..].iter().take_while(|o| o.entry == obstacles[k].entry).count();
        let name = match alike {
            1 => format!("`{}`", obstacles[k].name),
            _ => format!("`{}` and its copies", obstacles[k].name),
        };
        let sum = |counts: &[usize]| counts[k..k + alike].iter().sum::<usize>();
        let (lost, outside) = (sum(&carved.removed), sum(&carved.outside));
        if let Some(place) = carved.place[k..k + alike].iter().flatten().next() {
            notes.push(carved_away(key, (lost, before), &name, *place));
        }
        if outside > 0 {
            notes.push(format!(
                "{key}: {outside} particles lie beside the wall of {name} but outside of it"
            ));
        }
        k += alike;
    }
}

fn carve_thin(
    convert: &Converter<'_, '_>,
    key: &str,
    all: &[Thin],
    filled: &mut FilledParticles,
    notes: &mut Vec<String>,
) {
    for Thin { name, points, half } in all {
        let before = filled.positions.len();
        let keep = apart(&filled.positions, points, *half, convert.spacing);
        if let Some(first) = keep.iter().position(|keep| !keep) {
            let lost = keep.iter().filter(|keep| !**keep).count();
            let place = filled.positions[first];
            notes.push(carved_away(key, (lost, before), &format!("`{name}`"), place));
            filled.retain(&keep);
        }
    }
}

fn carved_away(key: &str, (lost, of): (usize, usize), name: &str, place: DVec3) -> String {
    let [x, y, z] = place.to_array();
    format!(
        "{key}: {lost} of {of} particles carved away by {name}, one at [{x:.4}, {y:.4}, {z:.4}]"
    )
}

/// Adds a rotation about the centre of the fluid, ω × (x − centre).
fn spin(filled: &mut FilledParticles, omega: DVec3) {
    if omega == DVec3::ZERO || filled.positions.is_empty() {
        return;
    }
    let centre = filled.positions.iter().sum::<DVec3>() / filled.positions.len() as f64;
    for (v, p) in filled.velocities.iter_mut().zip(&filled.positions) {
        *v += omega.cross(*p - centre);
    }
}

fn build_emitter(
    convert: &mut Converter<'_, '_>,
    key: &str,
    emitter: &file::Emitter,
    file: &SceneFile,
) -> Emitter {
    let layer = opening::layer(&emitter.opening, convert.spacing, convert.dimension);
    let direction = convert.direction(&join(key, "direction"), &emitter.direction);
    Emitter {
        name: emitter.name.clone(),
        fluid: file.fluid.iter().position(|fluid| fluid.name == emitter.fluid).unwrap_or(0),
        layer,
        pose: Pose {
            translation: convert.vector(&join(key, "at"), &emitter.at),
            rotation: opening::orientation(direction, convert.dimension),
        },
        speed: convert.scalar(&join(key, "speed"), &emitter.speed),
        start: emitter.start,
        end: emitter.end.unwrap_or(f64::INFINITY),
        travelled: convert.spacing, // the first layer leaves at once
        emitted: 0,
        limit: emitter.limit,
    }
}

fn build_sink(convert: &mut Converter<'_, '_>, key: &str, sink: &file::Sink) -> Sink {
    let parts = [&sink.shape.size, &sink.shape.min, &sink.shape.max];
    let (half_size, centre) = convert.block(&join(key, "box"), parts);
    Sink {
        name: sink.name.clone(),
        pose: convert.placement(key, sink.at.as_ref(), centre, &sink.rotate),
        half_size,
        outside: sink.outside,
        start: sink.start,
        end: sink.end.unwrap_or(f64::INFINITY),
        removed: 0,
    }
}

fn output_settings(convert: &mut Converter<'_, '_>, file: &SceneFile) -> OutputSettings {
    let mut formats: Vec<Format> = Vec::new();
    for &wanted in &file.output.formats {
        if !formats.contains(&wanted) {
            formats.push(wanted);
        }
    }
    let probe = |(k, probe): (usize, &file::Probe)| Probe {
        name: probe.name.clone(),
        position: convert.vector(&format!("probe[{k}].at"), &probe.at),
        quantity: probe.quantity,
    };
    OutputSettings {
        frames_per_second: file.output.frames_per_second,
        formats,
        surface: file.output.surface,
        snapshot_every: file.output.snapshot_every,
        snapshots_kept: file.output.snapshots_kept,
        duration: file.simulation.duration,
        probes: file.probe.iter().enumerate().map(probe).collect(),
    }
}
