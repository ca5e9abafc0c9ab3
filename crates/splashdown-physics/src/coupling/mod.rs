//! Fluids and rigid bodies together: the only place that sees both.
//!
//! | method      | file             | paper                   | bodies during the fluid's solve            |
//! |-------------|------------------|-------------------------|--------------------------------------------|
//! | weak        | `step/bodies.rs` | Akinci et al. 2012      | keep their velocity (then: `rigid/dry.rs`)  |
//! | interlinked | `interlinked.rs` | Gissler et al. 2019     | move in every iteration; explicit friction |
//! | monolithic  | `monolithic.rs`  | Probst & Teschner 2023  | one system of pressure, contact, friction  |
//!
//! Surface tension and the fluid's friction on walls (`droplets.rs`, Probst & Teschner 2024) are part of the
//! fluid's solve in all of them; with `weak` they act on bodies after it.

pub mod droplets;
pub mod interlinked;
pub mod monolithic;
pub mod touches;
