//! What else is solved for together with the fluid's pressure.

use glam::Vec4;

/// Particles that a thread takes at a time, at least, in loops of a few operations: a thread that waits for longer than a dozen
/// microseconds falls asleep, and takes as long to wake up.
pub const GRAIN: usize = 1024;

/// One sweep of a partner.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartnerSweep {
    /// Change of its unknowns, squared, in the energy norm.
    pub change: f64,
    /// Whether its residuals are small.
    pub converged: bool,
}

/// Unknowns beside the fluid's pressures, swept and accelerated with them: contact and friction of rigid
/// bodies that the fluid touches. The motion of walls that the fluid's pressure moves is theirs.
pub trait Partner {
    /// Adds to the diagonals (`[ω/D, D]` of each particle) how walls yield to a particle's own pressure.
    fn yielding(&self, omega: f32, step: &mut [[f32; 2]]);

    /// What moves the fluid besides pressure, for sweeps to see. None in the end, when it is for the caller to ask for that, in double precision.
    fn pulled(&mut self) -> Option<&[Vec4]>;

    /// Moves the walls by the pressures of the fluid (`kappa`) and of walls (`wall`, where they have their
    /// own) and by its own unknowns; writes what is to be removed by then into `source`. `push` is what
    /// pressure moves the fluid, and what `pulled` told; friction on walls is added to it.
    fn respond(
        &mut self,
        kappa: &[f32],
        wall: Option<&[f32]>,
        push: &mut [Vec4],
        source: &mut [f32],
    );

    /// One sweep of its own unknowns, in which pressures become `next`; `push` is what moves the fluid before. `is_last` if the solve ends with it,
    /// should its residuals be small: pressure's are.
    fn sweep(&mut self, next: &[f32], push: &[Vec4], is_last: bool) -> PartnerSweep;

    /// (P6) for its own unknowns.
    fn accelerate(&mut self, beta: f64);

    /// Goes back to the result of its last sweep.
    fn finish(&mut self);
}
