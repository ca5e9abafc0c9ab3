//! Surfaces of fluids and solids as written in a scene → tensions.

use super::convert::Converter;
use super::file::surface::{Calibration as FileCalibration, Liquid, SolidSurface};
use super::file::{Number, SceneFile};
use super::validate::join;
use crate::motion::Scalar;
use crate::sph::tension::{Calibration, FluidSurface, TensionSettings, WallSurface, young};

/// Everything about surfaces; `entries` are the entries of `[[solid]]` that the world's solids come from.
pub(crate) fn tension_settings(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    entries: &[usize],
) -> TensionSettings {
    let fluids: Vec<FluidSurface> =
        (0..file.fluid.len()).map(|k| fluid(convert, file, k)).collect();
    let tense: Vec<usize> = (0..fluids.len()).filter(|&k| is_some(&fluids[k].vapour)).collect();
    let written: Vec<WallSurface> = file
        .solid
        .iter()
        .enumerate()
        .map(|(k, solid)| {
            let key = join(&format!("solid[{k}]"), "surface");
            let liquid = tense.first().and_then(|&fluid| file.fluid[fluid].surface.liquid);
            let tensions: Vec<&Scalar> = tense.iter().map(|&fluid| &fluids[fluid].vapour).collect();
            wall(convert, &key, &solid.surface, liquid, &tensions)
        })
        .collect();
    TensionSettings {
        fluids,
        walls: entries.iter().map(|&entry| written[entry].clone()).collect(),
        calibration: match file.surface.calibration {
            FileCalibration::Paper => Calibration::Paper,
            FileCalibration::Physical => Calibration::Physical,
        },
        error: file.surface.error,
        longest_step: file.surface.longest_step,
    }
}

fn is_some(value: &Scalar) -> bool {
    *value != Scalar::Constant(0.0)
}

/// A number that may not be negative.
fn value(convert: &mut Converter<'_, '_>, key: &str, number: Option<&Number>) -> Scalar {
    match number {
        None => Scalar::Constant(0.0),
        Some(Number::Constant(value)) if *value < 0.0 => {
            let help = "must be at least 0".to_string();
            convert.report.key(key, format!("{value} is out of range"), Some(help));
            Scalar::Constant(0.0)
        }
        Some(number) => convert.scalar(key, number),
    }
}

fn fluid(convert: &mut Converter<'_, '_>, file: &SceneFile, k: usize) -> FluidSurface {
    let (surface, key) = (&file.fluid[k].surface, format!("fluid[{k}].surface"));
    let of_liquid = surface.liquid.map(|liquid| Number::Constant(liquid.tension()));
    let tension = surface.tension.as_ref().or(of_liquid.as_ref());
    FluidSurface {
        vapour: value(convert, &join(&key, "tension"), tension),
        others: value(convert, &join(&key, "between_fluids"), surface.between_fluids.as_ref()),
        walls: value(convert, &join(&key, "at_walls"), surface.at_walls.as_ref()),
        friction: value(convert, &join(&key, "friction"), surface.friction.as_ref()),
    }
}

/// The surface of a solid that meets fluids of the given `tensions`, the first of which is `liquid`.
fn wall(
    convert: &mut Converter<'_, '_>,
    key: &str,
    written: &SolidSurface,
    liquid: Option<Liquid>,
    tensions: &[&Scalar],
) -> WallSurface {
    let mut wall = WallSurface {
        dry: value(convert, &join(key, "dry"), written.dry.as_ref()),
        wet: value(convert, &join(key, "wet"), written.wet.as_ref()),
    };
    let mut angle = written.contact_angle;
    let mut asked = "contact_angle";
    if let (None, Some(material)) = (angle, written.material) {
        asked = "material";
        angle = liquid.and_then(|liquid| material.contact_angle(liquid));
        if angle.is_none() {
            let message = match liquid {
                Some(liquid) => format!("no angle of {liquid:?} on {material:?} is known"),
                None => "has no meaning without a liquid".to_string(),
            };
            let help = "give contact_angle, or the fluid a surface.liquid with a known angle";
            convert.report.key(&join(key, asked), message.to_lowercase(), Some(help.to_string()));
        }
    }
    let Some(angle) = angle else { return wall };
    if written.dry.is_some() || written.wet.is_some() {
        let help = "leave out one of them".to_string();
        convert.report.key(&join(key, asked), "has no meaning with `dry` or `wet`", Some(help));
        return wall;
    }
    match tensions {
        [Scalar::Constant(tension)] => {
            let excess = young::needed_excess(angle, convert.dimension) * tension;
            wall.wet = Scalar::Constant(excess.max(0.0));
            wall.dry = Scalar::Constant((-excess).max(0.0));
        }
        [] => {
            let help = "give a fluid surface.tension or surface.liquid".to_string();
            convert.report.key(&join(key, asked), "there is no fluid with a tension", Some(help));
        }
        _ => {
            let message = "an angle needs one fluid with a tension that does not change in time";
            let help = "give `dry` and `wet` instead".to_string();
            convert.report.key(&join(key, asked), message, Some(help));
        }
    }
    wall
}
