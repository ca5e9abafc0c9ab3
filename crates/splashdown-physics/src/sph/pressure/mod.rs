//! Incompressibility: the pressures that keep fluids at their rest density.

pub mod exact;
pub mod extrapolation;
pub mod operator;
pub mod settings;
pub mod solve;
