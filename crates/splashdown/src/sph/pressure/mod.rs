//! Incompressibility: the pressures that keep fluids at their rest density.

pub mod operator;
pub mod solve;
