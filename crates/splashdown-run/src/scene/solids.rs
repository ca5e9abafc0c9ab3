//! Solids as written in a scene → sampled solids, one for each copy.

use super::carve::Obstacle;
use super::convert::Converter;
use super::copies::names;
use super::file::{self, DEFAULT_FRICTION, FluidSide, SceneFile};
use super::fluid_contact::foresees_barrier;
use super::geometry::default_side;
use super::grid;
use super::validate::join;
use crate::body::FrictionPairs;
use crate::math::{DVec3, Dimension, Pose};
use crate::mesh::WettedSurface;
use crate::shapes::{closed_surface_of, sheet_surface_of};
use crate::world::{Carrier, Solid};

/// A solid and the shape it was sampled from.
pub(crate) struct SampledSolid {
    pub solid: Solid,
    pub obstacle: Obstacle,
}

/// All copies of entry number `entry` of the scene; none if something is wrong with it.
pub(crate) fn sample_solid(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    entry: usize,
    written: &file::Solid,
) -> Vec<SampledSolid> {
    let key = format!("solid[{entry}]");
    let placed = convert.solid_shape(&key, &written.shape, written.at.as_ref(), &written.rotate);
    let Some(shape) = convert.load(&placed.geometry) else { return Vec::new() };
    let side = written.fluid_side.unwrap_or_else(|| default_side(&shape));
    let inset = written.inset.unwrap_or(match side {
        FluidSide::Both => 0.0,
        FluidSide::Outside | FluidSide::Inside => convert.spacing / 2.0,
    });
    let offset = match side {
        FluidSide::Inside => inset,
        FluidSide::Outside | FluidSide::Both => -inset,
    };
    let mut local = match shape.sample_surface(convert.spacing, offset, convert.dimension) {
        Ok(local) if !local.is_empty() => local,
        Ok(_) => {
            convert.report.key(&join(&key, "shape"), "has no particles at this spacing", None);
            return Vec::new();
        }
        Err(error) => {
            convert.report.key(&join(&key, "shape"), error.to_string(), None);
            return Vec::new();
        }
    };
    let weighed = convert.weigh(&key, written, &shape, side);
    if written.is_rigid_body() && weighed.is_none() {
        return Vec::new();
    }
    // The frame of a rigid body has its origin at the centre of mass.
    let centre = weighed.as_ref().map_or(DVec3::ZERO, |weighed| weighed.centre);
    let mut surface = shape.surface();
    surface.vertices.iter_mut().chain(&mut local).for_each(|p| *p -= centre);

    let mut wall = grid::wall(convert, file, &key, &shape, side);
    wall.vertices.iter_mut().for_each(|p| *p -= centre);

    // Weights of walls that stand still do not ask for it, unless they are sheets that a barrier
    // keeps tight and the fluid knows.
    let moves = written.motion.is_some() || weighed.is_some();
    let is_sheet = side == FluidSide::Both && !shape.is_closed();
    let is_sheet = is_sheet && foresees_barrier(file) && convert.dimension == Dimension::Three;
    let wetted_surface = match moves && side == FluidSide::Outside {
        true => closed_surface_of(&surface, convert.spacing, convert.dimension),
        false if is_sheet => sheet_surface_of(&surface, convert.spacing),
        false => WettedSurface::default(),
    };
    let stands_off = if is_sheet { inset.max(0.5 * convert.spacing) } else { inset };

    let copies = convert.copies(&key, written.repeats(), &placed.pose);
    let sampled =
        copies.into_iter().zip(names(&written.name, &written.copies)).map(|(placement, name)| {
            let motion = convert.motion(&join(&key, "motion"), written.motion.as_ref(), &placement);
            let pose = motion.pose(0.0).then_after(&placement);
            let obstacle = Obstacle {
                entry,
                name: name.clone(),
                shape: shape.clone(),
                pose,
                side,
                inset: stands_off,
                half: 0.0,
            };
            let shifted = |pose: Pose| Pose { translation: pose.apply(centre), ..pose };
            let solid = Solid {
                name,
                range: 0..0,
                local: local.clone(),
                pose: shifted(pose),
                placement: shifted(placement),
                carrier: match &weighed {
                    Some(weighed) => Carrier::from(weighed.turned(placement.rotation)),
                    None => Carrier::from(motion),
                },
                friction: written.friction.unwrap_or(DEFAULT_FRICTION),
                wetting: Default::default(),
                inset,
                wetted_surface: wetted_surface.clone(),
                volume_factor: Vec::new(),
                surface: surface.clone(),
                wall: wall.clone(),
            };
            SampledSolid { solid, obstacle }
        });
    sampled.collect()
}

/// The pairs of `[[friction]]`, by entries of the scene. Later ones count.
pub(crate) fn friction_pairs(file: &SceneFile, solids: &[SampledSolid]) -> FrictionPairs {
    let mut pairs = FrictionPairs::default();
    if file.friction.is_empty() {
        return pairs;
    }
    pairs.class = solids.iter().map(|s| s.obstacle.entry as u32).collect();
    let entries = |name: &str| -> Vec<u32> {
        let called = |s: &file::Solid| s.name == name || s.group.as_deref() == Some(name);
        (0..).zip(&file.solid).filter(|(_, s)| called(s)).map(|(k, _)| k).collect()
    };
    for pair in &file.friction {
        for a in entries(&pair.a) {
            for b in entries(&pair.b) {
                pairs.coefficient.insert([a.min(b), a.max(b)], pair.coefficient);
            }
        }
    }
    pairs
}
