//! What a step did, and how long it took.

use std::time::Instant;

use crate::loads::Loads;

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Time after the step, s.
    pub time: f64,
    /// Its length, s.
    pub dt: f64,
    /// How often the step was undone and retried.
    pub retries: u32,
    /// What was solved for, in the order in which it was; each kind once at most.
    pub solves: Vec<Solve>,
    /// Largest compression of any particle at the start of the step.
    pub max_compression: f64,
    /// How far a variational fluid is from its volume at rest; none of other fluids.
    pub volume: Option<Volume>,
    /// What is known of a fluid on a grid; none of other fluids.
    pub grid: Option<GridReport>,
    /// How deep bodies are in each other or in walls at the start of the step, m.
    pub penetration: f64,
    /// The fluid near surfaces that a barrier keeps off.
    pub guests: GuestReport,
    /// What it did to solids and elastic bodies.
    pub loads: Loads,
    /// What came in and went out.
    pub flow: Flow,
    /// Wall-clock seconds per phase, in the order of `PHASES`.
    pub seconds: [f64; PHASES.len()],
    /// Wall-clock seconds of Newton's method for the elastic bodies, in the order of
    /// `NEWTON_PHASES`.
    pub newton_seconds: [f64; NEWTON_PHASES.len()],
}

/// A step of a fluid on a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridReport {
    /// Largest divergence that is left, in changes of volume in the step.
    pub divergence: f64,
    /// RMS of density − 1 of particles in the liquid.
    pub density_error: f64,
    /// Volume of the liquid by its surface, m³ (2D: m²).
    pub liquid: f64,
    /// Cells of the grid.
    pub cells: u64,
    /// Of them, those with liquid.
    pub unknowns: u64,
    /// Particles that were in solids.
    pub pushed: u64,
    /// Pockets of liquid that no air touches.
    pub pockets: u64,
}

/// Fluid particles that took part in the step of the elastic bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuestReport {
    /// How many there were.
    pub count: u32,
    /// How many of them were within reach of a surface at the end.
    pub pushed: u32,
    /// The smallest gap between one of them and a surface at the end, in spacings; zero where none
    /// was within reach.
    pub gap: f64,
    /// How often the step of the elastic bodies was done because more had to take part.
    pub rounds: u32,
}

/// How far the particles of a variational fluid that push are from their volumes at rest, and how
/// they were found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Volume {
    /// Mean of |J − 1|.
    pub mean_error: f64,
    /// The largest.
    pub max_error: f64,
    /// Linear solves until it was settled which particles push.
    pub solves: u32,
    /// How many do.
    pub pushing: u32,
    /// How often all of this was done, each time with another slip for friction.
    pub passes: u32,
}

/// What is solved for in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveKind {
    /// Pressure that removes the divergence (DFSPH).
    Divergence,
    /// Implicit viscosity.
    Viscosity,
    /// Pressure that restores the density.
    Density,
    /// Contact of rigid bodies, in the same iterations as pressure or alone.
    Contact,
    /// Their dry friction, in the same iterations as contact.
    Friction,
    /// Motion of elastic bodies, by Newton's method.
    Elastic,
}

/// How one solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solve {
    /// What was solved for.
    pub kind: SolveKind,
    /// Sweeps, iterations of conjugate gradients, or Newton iterations.
    pub iterations: u32,
    /// What is left of the residual, as a mean. Pressure: density error as a share of the rest
    /// density. Viscosity: |r| over what is allowed, more than one where iterations ran out.
    /// Contact: Fischer-Burmeister. Friction: slip in h. 0 where it is not measured.
    pub error: f64,
    /// Constraints that carry something: contacts under pressure, pairs of features within reach.
    pub active: u32,
    /// Wall-clock time of the iterations, without what is done once in a solve, s; of a variational
    /// fluid the time of its linear solves. 0 where it is not measured.
    pub seconds: f64,
}

impl Solve {
    /// A solve that had nothing to do.
    pub const fn none(kind: SolveKind) -> Solve {
        Solve { kind, iterations: 0, error: 0.0, active: 0, seconds: 0.0 }
    }
}

impl StepReport {
    /// How the solve of this kind ended; as if it had nothing to do, if there was none.
    pub fn solve(&self, kind: SolveKind) -> Solve {
        let found = self.solves.iter().find(|solve| solve.kind == kind);
        found.copied().unwrap_or(Solve::none(kind))
    }
}

/// Names of the parts of a Newton iteration.
pub const NEWTON_PHASES: [&str; 4] =
    ["assembly", "factorisation", "collision detection", "line search"];

/// Names of the phases of a step.
pub const PHASES: [&str; 9] = [
    "sort",
    "neighbours",
    "divergence solve",
    "viscosity",
    "density solve",
    "loads",
    "guests",
    "elastic",
    "advance",
];

/// What came in and went out in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Fluid particles made by emitters and showers.
    pub emitted: u64,
    /// Fluid particles that were not made because something was in the way.
    pub blocked: u64,
    /// Fluid particles removed by sinks.
    pub removed: u64,
    /// Fluid particles removed because they left the bounds.
    pub lost: u64,
}

/// Measures phases of a step one after the other.
pub(crate) struct Stopwatch {
    last: Instant,
    /// In the order of `PHASES`.
    pub seconds: [f64; PHASES.len()],
}

impl Stopwatch {
    /// Starts to measure.
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { last: Instant::now(), seconds: Default::default() }
    }

    /// Books the time since the last call under `phase`.
    pub(crate) fn lap(&mut self, phase: Phase) {
        let now = Instant::now();
        self.seconds[phase as usize] += (now - self.last).as_secs_f64();
        self.last = now;
    }
}

/// Indices into `PHASES`.
#[derive(Clone, Copy)]
pub(crate) enum Phase {
    Sort,
    Neighbors,
    Divergence,
    Viscosity,
    Density,
    Loads,
    Guests,
    Elastic,
    Advance,
}
