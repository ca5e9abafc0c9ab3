//! Elastic solids of tetrahedra that never pass through each other: incremental potential contact
//! (Li et al. 2020).
//!
//! A step minimises one energy: inertia, elasticity, the barrier between surfaces, friction. Newton's
//! method does it, and no step of it passes the point at which an element would be inverted or two
//! surfaces would meet.
//!
//! | module | what it holds |
//! |---|---|
//! | [`material`], [`tetrahedron`] | energies of elements with two derivatives |
//! | [`distance`], [`barrier`], [`contact`], [`friction`] | energies of contacts with two derivatives |
//! | [`ccd`], [`inversion`] | how far a step may go |
//! | [`surface`], [`bvh`], [`candidates`], [`verify`] | what may meet, and whether anything did |
//! | [`matrix`] | sparse symmetric systems |
//! | [`solids`], [`step`] | the state, and one time step |
//! | [`meshing`] | tetrahedra in a box, and in any closed shape |
//! | [`dense`], [`differences`] | small matrices; finite differences for tests and validation |

pub mod barrier;
pub mod bvh;
pub mod candidates;
pub mod ccd;
pub mod contact;
pub mod dense;
pub mod differences;
pub mod distance;
pub mod friction;
pub mod inversion;
pub mod material;
pub mod matrix;
pub mod meshing;
pub mod solids;
pub mod step;
pub mod surface;
pub mod tetrahedron;
pub mod verify;
