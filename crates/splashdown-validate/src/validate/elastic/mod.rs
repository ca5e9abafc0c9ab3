//! Elastic bodies against beam theory, Coulomb, and themselves.

mod bodies;
mod cantilever;
mod derivatives;
mod impact;
mod incline;
mod net;
mod patch;
mod rod;
mod shell;
mod sliding;
mod squeeze;
mod stones;
mod torsion;
mod turek;
mod vibration;

pub(super) use cantilever::CASE as CANTILEVER;
pub(super) use derivatives::CASE as DERIVATIVES;
pub(super) use impact::CASE as HIGH_SPEED;
pub(super) use incline::CASE as INCLINE;
pub(super) use net::CASE as CHAIN_NET;
pub(super) use patch::CASE as PATCH_TEST;
pub(super) use rod::CASE as ROD;
pub(super) use shell::CASE as SHELL;
pub(super) use sliding::CASE as SLIDING;
pub(super) use squeeze::{SQUEEZE_OUT, TIGHT_PACK, TWIST_CLOTH};
pub(super) use stones::{ARCH, CARD_HOUSE};
pub(super) use torsion::CASE as TWIST_BAR;
pub(super) use turek::{CSM1, CSM3};
pub(super) use vibration::CASE as ENERGY;
