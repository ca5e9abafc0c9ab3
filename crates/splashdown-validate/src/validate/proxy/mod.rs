//! The variational fluid (Xie 2023): its derivatives, water at rest, viscosity, stiffness.

mod derivatives;
mod hydrostatic;
mod stiffness;
mod viscous;

pub(super) use derivatives::CASE as DERIVATIVES;
pub(super) use hydrostatic::CASE as HYDROSTATIC;
pub(super) use stiffness::CASE as STIFFNESS;
pub(super) use viscous::CASE as VISCOUS;

use super::{Case, Cost, Report, channel, run};
