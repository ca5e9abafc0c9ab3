//! Fluids and bodies together: the only place that sees both.
//!
//! | method      | file             | paper                  | bodies during the fluid's solve    |
//! |-------------|------------------|------------------------|------------------------------------|
//! | weak        | `rigid/dry.rs`   | Akinci et al. 2012     | keep their velocity                |
//! | interlinked | `interlinked.rs` | Gissler et al. 2019    | move, with explicit friction       |
//! | monolithic  | `monolithic.rs`  | Probst & Teschner 2023 | one system: contact and friction   |
//!
//! Surface tension and the fluid's friction on walls (`interface_system.rs`, Probst & Teschner
//! 2024) are part of the fluid's solve in all of them; with `weak` they act on bodies after it.
//! Elastic bodies yield during the solve (`elastic.rs`), rigid ones while viscosity is solved for
//! (`viscous_bodies.rs`).

pub mod elastic;
pub mod interface_rows;
pub mod interface_system;
pub mod interlinked;
pub mod monolithic;
pub mod viscous_bodies;
pub mod wall_friction;
