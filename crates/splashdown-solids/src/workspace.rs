//! What a step keeps for the next one so as not to allocate or find it again.

use splashdown_solve::block_matrix::BlockMatrix;
use splashdown_solve::stop::Stop;

use crate::assembly::Pattern;
use crate::elimination::Elimination;

/// Memory of a step that may be kept from one to the next; no part of the state.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// The matrix of the last Newton iteration.
    pub matrix: BlockMatrix,
    pub(crate) pattern: Pattern,
    pub(crate) elimination: Elimination,
    /// Which terms of a medium count.
    pub(crate) active: Vec<bool>,
    /// Iterations of linear solves with a medium, since somebody took them.
    pub(crate) linear_iterations: u32,
    /// Whether a step is to end at once, undone.
    pub stop: Stop,
}

impl Workspace {
    /// How many guests of the last assembly coupled to vertices, and to how many unknowns; none if
    /// they were not eliminated.
    pub fn guests_and_vertices(&self) -> [usize; 2] {
        self.elimination.coupled()
    }
}
