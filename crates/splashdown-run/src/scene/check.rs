//! Checks of a scene that its keys alone cannot tell: names, references, formulas, files, sizes.

use std::collections::HashMap;
use std::path::Path;

use super::convert::Converter;
use super::copies;
use super::drop_emitters::{check_shower, has_source};
use super::errors::Report;
use super::file::{Copies, Emitter, Fluid, Opening, SceneFile};
use super::geometry::Geometry;
use super::needs::refuse_counts;
use super::surfaces::surfaces;
use super::validate::join;
use super::{fluid_contact, grid, variational};
use crate::math::Dimension;
use crate::nearest::nearest;
use crate::shapes::Shape;

/// More particles than this in one layer of an emitter are refused.
const MAX_PER_LAYER: f64 = 1e6;
/// More frames than this are refused.
const MAX_FRAMES: f64 = 1e7;

/// Reports everything that is wrong with the scene and can be known without sampling shapes.
pub(crate) fn check(file: &SceneFile, directory: &Path, report: &mut Report<'_>) {
    names(report, "fluid", file.fluid.iter().map(|o| o.name.as_str()));
    names(report, "solid", file.solid.iter().map(|o| o.name.as_str()));
    names(report, "elastic", file.elastic.iter().map(|o| o.name.as_str()));
    names(report, "emitter", file.emitter.iter().map(|o| o.name.as_str()));
    names(report, "shower", file.shower.iter().map(|o| o.name.as_str()));
    names(report, "sink", file.sink.iter().map(|o| o.name.as_str()));
    names(report, "probe", file.probe.iter().map(|o| o.name.as_str()));
    copy_names(file, report);
    settings(file, report);
    variational::check(file, report);
    fluid_contact::check(file, report);
    grid::check(file, report);
    friction(file, report);

    let mut convert = Converter::new(file, directory, report);
    convert.vector("simulation.gravity", &file.simulation.gravity);
    for (k, fluid) in file.fluid.iter().enumerate() {
        let key = format!("fluid[{k}]");
        check_fluid(&mut convert, &key, fluid);
        if fluid.fill.is_empty() && !has_source(file, &fluid.name) {
            let help =
                "add [[fluid.fill]], or an [[emitter]] or [[shower]] that names it".to_string();
            convert.report.key(&key, "there is none of it anywhere", Some(help));
        }
    }
    for (k, solid) in file.solid.iter().enumerate() {
        let key = format!("solid[{k}]");
        let placed = convert.solid_shape(&key, &solid.shape, solid.at.as_ref(), &solid.rotate);
        check_size(&mut convert, &key, &placed.geometry, Measure::Surface);
        convert.copies(&key, solid.repeats(), &placed.pose);
        convert.check_body(&key, solid);
        convert.motion(&join(&key, "motion"), solid.motion.as_ref(), &placed.pose);
    }
    surfaces(&mut convert, file, &[]);
    for (k, elastic) in file.elastic.iter().enumerate() {
        convert.check_elastic(&format!("elastic[{k}]"), elastic, file);
    }
    for (k, emitter) in file.emitter.iter().enumerate() {
        check_emitter(&mut convert, &format!("emitter[{k}]"), emitter, &file.fluid);
    }
    for (k, shower) in file.shower.iter().enumerate() {
        check_shower(&mut convert, &format!("shower[{k}]"), shower, &file.fluid);
    }
    for (k, sink) in file.sink.iter().enumerate() {
        let key = format!("sink[{k}]");
        let parts = [&sink.shape.size, &sink.shape.min, &sink.shape.max];
        let (_, centre) = convert.block(&join(&key, "box"), parts);
        convert.placement(&key, sink.at.as_ref(), centre, &sink.rotate);
        convert.window(&key, sink.start, sink.end);
    }
    for (k, probe) in file.probe.iter().enumerate() {
        convert.position(&format!("probe[{k}].at"), &probe.at);
    }
    if convert.has_scale {
        let needs = convert.needs(file, false);
        refuse_counts(report, &needs, file.simulation.spacing);
    }
}

/// A name, and how it is repeated.
type Named<'a> = (&'a str, &'a [Copies]);

/// `stone-3` may not be both a solid and a copy of `stone`.
fn copy_names(file: &SceneFile, report: &mut Report<'_>) {
    let solids: Vec<Named<'_>> = file.solid.iter().map(|s| (&*s.name, &*s.copies)).collect();
    let elastic: Vec<Named<'_>> = file.elastic.iter().map(|e| (&*e.name, &*e.copies)).collect();
    for (kind, all) in [("solid", solids), ("elastic", elastic)] {
        for (copied, rows) in all.iter().filter(|(_, rows)| !rows.is_empty()) {
            let count = copies::count(rows);
            for (k, (name, rows)) in all.iter().enumerate() {
                let number = name.strip_prefix(copied).and_then(|n| n.strip_prefix('-'));
                let number = number.and_then(|n| n.parse::<usize>().ok());
                if rows.is_empty() && number.is_some_and(|n| (1..=count).contains(&(n as u128))) {
                    let message = format!("`{name}` is also the name of a copy");
                    report.key(&format!("{kind}[{k}].name"), message, None);
                }
            }
        }
    }
}

/// Pairs of friction name solids or groups.
fn friction(file: &SceneFile, report: &mut Report<'_>) {
    let groups = file.solid.iter().filter_map(|solid| solid.group.as_deref());
    let mut known: Vec<&str> = file.solid.iter().map(|s| s.name.as_str()).chain(groups).collect();
    known.sort_unstable();
    known.dedup();
    for (k, pair) in file.friction.iter().enumerate() {
        for (part, name) in [("a", &pair.a), ("b", &pair.b)] {
            if known.contains(&name.as_str()) {
                continue;
            }
            let help = match nearest(name, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("solids and groups: {}", known.join(", ")),
            };
            let message = "there is no solid or group of this name";
            report.key(&format!("friction[{k}].{part}"), message, Some(help));
        }
    }
}

/// Names must be unique among their kind, and usable in file names and overrides.
fn names<'a>(report: &mut Report<'_>, kind: &str, names: impl Iterator<Item = &'a str>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (k, name) in names.enumerate() {
        let key = format!("{kind}[{k}].name");
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
            let help = "1 to 64 letters, digits, `-` and `_`".to_string();
            report.key(&key, "is not usable as a name", Some(help));
        } else if let Some(first) = seen.insert(name, k) {
            report.key(&key, format!("`{name}` is also the name of {kind}[{first}]"), None);
        }
    }
}

fn settings(file: &SceneFile, report: &mut Report<'_>) {
    if file.output.surface && file.simulation.dimension == 2 {
        let help = "leave it out".to_string();
        report.key(
            "output.surface",
            "the liquid of a 2D scene has no surface in space",
            Some(help),
        );
    }
    let moves = !file.elastic.is_empty() || file.solid.iter().any(|solid| solid.is_rigid_body());
    if file.fluid.is_empty() && !moves {
        let help = "add [[fluid]] with a [[fluid.fill]] or an [[emitter]], a rigid body: a \
                    [[solid]] \
                    with a density, or an [[elastic]] body";
        report.key("fluid", "there is no fluid", Some(help.to_string()));
    }
    let step = &file.time_step;
    if step.fixed.is_some() {
        for (name, value) in [("cfl", step.cfl), ("min", step.min), ("max", step.max)] {
            if value.is_some() {
                let help = "leave out one of them".to_string();
                report.key(&join("time_step", name), "has no meaning with `fixed`", Some(help));
            }
        }
    } else if let (min, Some(max)) = (step.min.unwrap_or(super::file::DEFAULT_MIN_STEP), step.max)
        && max < min
    {
        let help = format!("must be at least min, {min} s");
        report.key("time_step.max", format!("{max} is out of range"), Some(help));
    }
    let (pressure, coupling) = (&file.pressure, &file.coupling);
    for (table, min, max) in [
        ("pressure", pressure.min_iterations, pressure.max_iterations),
        ("coupling", coupling.min_iterations, coupling.max_iterations),
    ] {
        if max < min {
            let help = format!("must be at least min_iterations, {min}");
            let message = format!("{max} is out of range");
            report.key(&join(table, "max_iterations"), message, Some(help));
        }
    }
    if file.simulation.duration * file.output.frames_per_second > MAX_FRAMES {
        let help = format!("at most {MAX_FRAMES:.0} frames in all");
        report.key("output.frames_per_second", "makes too many frames", Some(help));
    }
}

fn check_fluid(convert: &mut Converter<'_, '_>, key: &str, fluid: &Fluid) {
    convert.field(&join(key, "velocity"), &fluid.velocity);
    convert.spin(&join(key, "angular_velocity"), &fluid.angular_velocity);
    for (k, fill) in fluid.fill.iter().enumerate() {
        let key = format!("{key}.fill[{k}]");
        let placed = convert.fill_shape(&key, &fill.shape, fill.at.as_ref(), &fill.rotate);
        check_size(convert, &key, &placed.geometry, Measure::Volume);
        if let Some(velocity) = &fill.velocity {
            convert.field(&join(&key, "velocity"), velocity);
        }
    }
}

enum Measure {
    Volume,
    Surface,
}

/// Refuses shapes smaller than one particle.
fn check_size(convert: &mut Converter<'_, '_>, key: &str, geometry: &Geometry, measure: Measure) {
    let Geometry::Known(shape) = geometry else { return };
    let spacing = convert.spacing;
    let mut size = shape.bounds().size();
    if convert.dimension == Dimension::Two {
        size.z = size.x.max(size.y);
    }
    // A fluid needs room for one particle; of a solid, one direction is enough to see it.
    let relevant = match measure {
        Measure::Volume => size.min_element(),
        Measure::Surface => size.max_element(),
    };
    let is_sheet = matches!(shape, Shape::Plane { .. });
    if convert.has_scale && relevant < 0.999 * spacing && !is_sheet {
        let help = format!("make it larger, or simulation.spacing ({spacing} m) smaller");
        let message = format!("is smaller than one particle ({relevant} m)");
        convert.report.key(&join(key, "shape"), message, Some(help));
    }
}

/// Whether a source names a fluid of the scene.
pub(crate) fn check_source(
    convert: &mut Converter<'_, '_>,
    key: &str,
    name: &str,
    fluids: &[Fluid],
) {
    if !fluids.iter().any(|fluid| fluid.name == name) {
        let names: Vec<&str> = fluids.iter().map(|fluid| fluid.name.as_str()).collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("fluids: {}", names.join(", ")),
        };
        let message = "there is no fluid of this name";
        convert.report.key(&join(key, "fluid"), message, Some(help));
    }
}

fn check_emitter(convert: &mut Converter<'_, '_>, key: &str, emitter: &Emitter, fluids: &[Fluid]) {
    check_source(convert, key, &emitter.fluid, fluids);
    convert.position(&join(key, "at"), &emitter.at);
    convert.direction(&join(key, "direction"), &emitter.direction);
    convert.scalar(&join(key, "speed"), &emitter.speed);
    convert.window(key, emitter.start, emitter.end);
    let (width, height, part) = match &emitter.opening {
        Opening::Box(o) => (o.width, o.height.unwrap_or(o.width), "opening.box"),
        Opening::Disc(o) => (2.0 * o.radius, 2.0 * o.radius, "opening.disc"),
    };
    let across = width.min(height);
    if !convert.has_scale {
        return;
    }
    if width / convert.spacing * (height / convert.spacing) > MAX_PER_LAYER {
        let help = format!("at most {MAX_PER_LAYER} particles side by side");
        convert.report.key(&join(key, part), "is too large for this spacing", Some(help));
    }
    if across < 0.999 * convert.spacing {
        let help = format!("make it larger, or simulation.spacing ({} m) smaller", convert.spacing);
        let message = format!("is smaller than one particle ({across} m)");
        convert.report.key(&join(key, part), message, Some(help));
    }
}
