//! The variational fluid (Xie 2023): its derivatives, water at rest, viscosity, stiffness.

mod barrier;
mod cost;
mod derivatives;
mod friction;
mod hydrostatic;
mod linear;
mod momentum;
mod order;
mod stiffness;
mod viscous;

pub(super) use cost::CASE as COST;
pub(super) use derivatives::CASE as DERIVATIVES;
pub(super) use friction::CASE as FRICTION;
pub(super) use hydrostatic::CASE as HYDROSTATIC;
pub(super) use linear::{CASE as LINEAR, LARGE as LINEAR_LARGE};
pub(super) use momentum::CASE as MOMENTUM;
pub(super) use order::CASE as ORDER;
pub(super) use stiffness::CASE as STIFFNESS;
pub(super) use viscous::CASE as VISCOUS;

use super::{Case, Cost, Report, channel, run};
