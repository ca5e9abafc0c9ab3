//! Ways to make a time step, one algorithm in each file.

mod grid;
pub(crate) mod particles;

use std::any::Any;

use self::grid::GridStep;
use self::particles::Workspace;
use crate::error::StepError;
use crate::method::Method;
use crate::report::{StepReport, Stopwatch};
use crate::scratch::Scratch;
use crate::world::World;

/// A way to make a time step. The implementor is its memory, kept from step to step; settings are
/// in `World::method`. `step` calls these in this order.
pub(crate) trait Algorithm: Any + Send + Sync {
    /// Finds what does not depend on the length of the step, which is `longest` at most: it may
    /// bring the world into another order, but changes nothing.
    fn prepare(
        &mut self,
        world: &mut World,
        longest: f64,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError>;

    /// How long the step may be if the fastest particle goes `cfl` spacings in it, s.
    fn longest_step(&self, world: &World, cfl: f64) -> f64;

    /// Computes a step of length `dt`, shortened `retries` times, up to the decision whether to
    /// keep it.
    fn attempt(
        &mut self,
        world: &World,
        dt: f64,
        retries: u32,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError>;

    /// Makes what the last attempt found the state, but for the clock; says what was done.
    fn accept(&mut self, world: &mut World, dt: f64) -> StepReport;
}

/// Takes the method of a world out of it, with its memory. (`keep` puts it back.)
pub(crate) fn take(world: &mut World) -> Box<dyn Algorithm> {
    match world.method {
        Method::Particles(_) => world.scratch.take::<Workspace>(),
        Method::Grid(_) => world.scratch.take::<GridStep>(),
    }
}

/// Puts the memory of a method back where the next step finds it.
pub(crate) fn keep(world: &mut World, algorithm: Box<dyn Algorithm>) {
    world.scratch = Scratch::of(algorithm);
}
