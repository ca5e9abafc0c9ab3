//! Rigid bodies made of particles: how they move, where they touch, what contact and friction do to
//! them.
//!
//! Papers: Gissler et al. 2019 (GPB19), Probst & Teschner 2023 (PT23). Labels (R1) … :
//! docs/methods/rigid-bodies.md.
//!
//! Everything here is in the units of the pressure solver (`sph::pressure::operator`): lengths in
//! h, a step has length one, masses in ρ_ref hᵈ. Then contact pressures, friction and the fluid's
//! pressures are of one size, whatever the scene.

pub mod bodies;
pub mod contact;
pub mod contact_history;
pub mod dry;
pub mod integrate;
pub mod jammed;
pub mod search;
pub mod solve;
pub mod system;
