//! Smoothing kernels.

/// Which kernel weighs the neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KernelKind {
    /// Cubic B-spline with support 2h.
    #[default]
    Cubic,
    /// Wendland's C2 function with support 2h.
    Wendland,
    /// Spiky (Desbrun), with support 2h.
    Spiky,
}
