//! What benchmarks ask of a world: the size of its neighbour lists, never the lists themselves.

use rayon::prelude::*;

use crate::particles::neighbors::Chunk;
use crate::particles::pair::Pair;
use crate::world::World;

/// Bytes of a pair in a neighbour list.
pub const PAIR_BYTES: usize = size_of::<Pair>();

/// Pairs in the neighbour lists of the last step.
pub fn pair_count(world: &World) -> usize {
    world.neighbors().pair_count()
}

/// Bytes of the neighbour lists of the last step.
pub fn list_bytes(world: &World) -> usize {
    world.neighbors().bytes() + world.surface_list_bytes()
}

/// The neighbours of all particles as plain indices, a list for each chunk of particles.
pub fn neighbor_indices(world: &World) -> Vec<Vec<u32>> {
    let indices = |chunk: &Chunk| -> Vec<u32> {
        (0..chunk.particles.len()).flat_map(|k| chunk.neighbors(k)).map(|(j, _)| j as u32).collect()
    };
    world.neighbors().chunks.par_iter().map(indices).collect()
}
