//! Elastic solids, shells, rods and particles that never pass through each other: incremental potential contact
//! (Li et al. 2020).
//!
//! A step minimises one energy: inertia, elasticity, the barrier between surfaces, friction. Newton's
//! method does it, and no step of it passes the point at which an element would be inverted or two
//! surfaces would meet.
//!
//! | module | what it holds |
//! |---|---|
//! | [`material`], [`tetrahedron`], [`quadratic`], [`membrane`], [`hinge`], [`rod`], [`pressure`], [`damping`], [`element`] | energies of elements with two derivatives |
//! | [`distance`], [`barrier`], [`contact`], [`friction`] | energies of contacts with two derivatives |
//! | [`ccd`], [`inversion`] | how far a step may go |
//! | [`surface`], [`bvh`], [`candidates`], [`verify`] | what may meet, and whether anything did |
//! | [`matrix`], [`factor`], [`ordering`], [`pcg`] | sparse symmetric systems, solved directly and iteratively |
//! | [`solids`], [`bodies`] | the state, and how bodies become one |
//! | [`step`], [`newton`], [`objective`], [`assembly`], [`unknowns`] | one time step: the energy it minimises, and how |
//! | [`balance`], [`agreement`] | whether forces balance, and whether friction belongs to the pushes that were found |
//! | [`stop`] | a request to stop |
//! | [`meshing`] | tetrahedra in a box, and in any closed shape |
//! | [`dense`], [`differences`] | small matrices; finite differences for tests and validation |

pub mod agreement;
pub mod assembly;
pub mod balance;
pub mod barrier;
pub mod bodies;
pub mod bvh;
pub mod candidates;
pub mod ccd;
pub mod contact;
pub mod damping;
pub mod dense;
pub mod differences;
pub mod distance;
pub mod element;
pub mod factor;
pub mod friction;
pub mod hinge;
pub mod inversion;
pub mod material;
pub mod matrix;
pub mod membrane;
pub mod meshing;
pub mod newton;
pub mod objective;
pub mod ordering;
pub mod pcg;
pub mod pressure;
pub mod quadratic;
pub mod rod;
pub mod solids;
pub mod step;
pub mod surface;
pub mod tetrahedron;
pub mod unknowns;
pub mod verify;

pub use splashdown_solve::stop;
