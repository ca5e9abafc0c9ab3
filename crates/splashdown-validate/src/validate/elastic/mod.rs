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

pub use cantilever::CASE as CANTILEVER;
pub use derivatives::CASE as DERIVATIVES;
pub use impact::CASE as HIGH_SPEED;
pub use incline::CASE as INCLINE;
pub use net::CASE as CHAIN_NET;
pub use patch::CASE as PATCH_TEST;
pub use rod::CASE as ROD;
pub use shell::CASE as SHELL;
pub use sliding::CASE as SLIDING;
pub use squeeze::{SQUEEZE_OUT, TIGHT_PACK, TWIST_CLOTH};
pub use stones::{ARCH, CARD_HOUSE};
pub use torsion::CASE as TWIST_BAR;
pub use turek::{CSM1, CSM3};
pub use vibration::CASE as ENERGY;
