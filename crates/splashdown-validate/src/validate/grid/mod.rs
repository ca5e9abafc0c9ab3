//! Liquid on a grid: the method `elastomonolith`, as far as it is there.

mod dam_break;
mod hydrostatic;
mod leak;
mod volume;
mod vortex;

pub(super) use dam_break::CASE as DAM_BREAK;
pub(super) use hydrostatic::CASE as HYDROSTATIC;
pub(super) use leak::CASE as LEAK;
pub(super) use volume::CASE as VOLUME;
pub(super) use vortex::CASE as VORTEX;

use super::{Case, Cost, Report};

/// What chooses the method in a scene of another.
const METHOD: &str = "coupling.method=elastomonolith";
