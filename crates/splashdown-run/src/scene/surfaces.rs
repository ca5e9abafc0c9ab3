//! Surfaces of fluids and solids as written in a scene → tensions.

use super::convert::Converter;
use super::file::surface::{Liquid, SolidSurface};
use super::file::{Number, SceneFile};
use super::validate::join;
use crate::motion::Scalar;
use crate::sph::tension::{
    ContactAngle, FluidSurface, TensionModel, TensionSettings, WallSurface, Wetting,
};

/// What the surfaces of a scene cost.
pub(crate) struct Surfaces {
    /// In the order of `[[fluid]]`.
    pub fluids: Vec<FluidSurface>,
    /// In the order of the world's solids.
    pub walls: Vec<Wetting>,
}

/// How tension is computed and solved for.
pub(crate) fn tension_settings(file: &SceneFile) -> TensionSettings {
    let (written, mut settings) = (&file.surface, TensionSettings::default());
    settings.calibration = written.calibration;
    settings.model = written.model;
    settings.order = written.order;
    settings.error = written.error;
    settings.warm_start = written.warm_start;
    settings.longest_step = written.longest_step;
    settings
}

/// What surfaces cost; `entries` are the entries of `[[solid]]` that the world's solids come from.
pub(crate) fn surfaces(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    entries: &[usize],
) -> Surfaces {
    let fluids: Vec<FluidSurface> =
        (0..file.fluid.len()).map(|k| fluid(convert, file, k)).collect();
    let tense: Vec<usize> = (0..fluids.len()).filter(|&k| is_some(&fluids[k].vapour)).collect();
    // A tension of 0 switches off what a scene has about surfaces: angles are not wrong, they just
    // mean nothing.
    let is_off = tense.is_empty() && file.fluid.iter().any(|f| f.surface.tension.is_some());
    let written: Vec<Wetting> = file
        .solid
        .iter()
        .enumerate()
        .map(|(k, solid)| {
            let key = join(&format!("solid[{k}]"), "surface");
            let liquid = tense.first().and_then(|&fluid| file.fluid[fluid].surface_liquid());
            let tensions: Vec<&Scalar> = tense.iter().map(|&fluid| &fluids[fluid].vapour).collect();
            let angle = match is_off {
                true => None,
                false => contact_angle(convert, &key, &solid.surface, liquid, &tensions),
            };
            let angle = angle.filter(|_| has_angles(convert, &key, &solid.surface, file));
            let wall = wall(convert, &key, &solid.surface);
            angle.map_or(Wetting::Tensions(wall), Wetting::Angle)
        })
        .collect();
    Surfaces { fluids, walls: entries.iter().map(|&entry| written[entry].clone()).collect() }
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
    let of_liquid = file.fluid[k].surface_liquid().map(|liquid| Number::Constant(liquid.tension()));
    let tension = surface.tension.as_ref().or(of_liquid.as_ref());
    FluidSurface {
        vapour: value(convert, &join(&key, "tension"), tension),
        others: value(convert, &join(&key, "between_fluids"), surface.between_fluids.as_ref()),
        walls: value(convert, &join(&key, "at_walls"), surface.at_walls.as_ref()),
        friction: value(convert, &join(&key, "friction"), surface.friction.as_ref()),
    }
}

fn wall(convert: &mut Converter<'_, '_>, key: &str, written: &SolidSurface) -> WallSurface {
    WallSurface {
        dry: value(convert, &join(key, "dry"), written.dry.as_ref()),
        wet: value(convert, &join(key, "wet"), written.wet.as_ref()),
    }
}

/// Which key asks for an angle.
fn angle_key(written: &SolidSurface) -> &'static str {
    if written.contact_angle.is_some() { "contact_angle" } else { "material" }
}

/// Whether contact angles mean something in the scene.
fn has_angles(
    convert: &mut Converter<'_, '_>,
    key: &str,
    written: &SolidSurface,
    file: &SceneFile,
) -> bool {
    let has = file.surface.model == TensionModel::Probst2024;
    if !has {
        let help = "leave it out, or use the model \"probst2024\"".to_string();
        let message = "has no meaning with this surface.model";
        convert.report.key(&join(key, angle_key(written)), message, Some(help));
    }
    has
}

/// The angle at which fluids of the given `tensions`, the first of which is `liquid`, meet a solid.
fn contact_angle(
    convert: &mut Converter<'_, '_>,
    key: &str,
    written: &SolidSurface,
    liquid: Option<Liquid>,
    tensions: &[&Scalar],
) -> Option<ContactAngle> {
    let asked = angle_key(written);
    let angle = match (&written.contact_angle, written.material) {
        (Some(angle), _) => angle.clone(),
        (None, Some(material)) => {
            let Some(liquid) = liquid else {
                let help = "give contact_angle, or the fluid a liquid".to_string();
                convert.report.key(
                    &join(key, asked),
                    "has no meaning without a liquid",
                    Some(help),
                );
                return None;
            };
            Number::Constant(material.contact_angle(liquid))
        }
        (None, None) => return None,
    };
    if let Number::Constant(value) = angle
        && !(0.0..=180.0).contains(&value)
    {
        let help = "must be between 0 and 180 °".to_string();
        let message = format!("{value} is out of range");
        convert.report.key(&join(key, asked), message, Some(help));
        return None;
    }
    if written.dry.is_some() || written.wet.is_some() {
        let help = "leave out one of them".to_string();
        convert.report.key(&join(key, asked), "has no meaning with `dry` or `wet`", Some(help));
        return None;
    }
    match tensions {
        [tension] => {
            let degrees = convert.scalar(&join(key, asked), &angle);
            Some(ContactAngle { degrees, tension: (*tension).clone() })
        }
        [] => {
            let help = "give a fluid surface.tension or surface.liquid".to_string();
            convert.report.key(&join(key, asked), "there is no fluid with a tension", Some(help));
            None
        }
        _ => {
            let message = "an angle needs one fluid with a tension";
            let help = "give `dry` and `wet` instead".to_string();
            convert.report.key(&join(key, asked), message, Some(help));
            None
        }
    }
}
