//! A liquid of particles on a staggered grid, among solids. It knows no scenes, no files, no SPH.
//!
//! ```text
//! solids ─► pieces in cells ─► open faces, distances        clip, walls, distance
//! particles ─► faces                                        transfer
//! particles ─► where liquid ends                            level_set
//! ∇·u = 0 in liquid cells: pressure                         poisson, projection
//! density as it should be: displacements                    volume
//! faces ─► particles, which move with them                  extrapolation, transfer, advection
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`lattice`] | cells and faces with their indices |
//! | [`settings`] | what a user may choose |
//! | [`kernel`] | weights of nodes around a point |
//! | [`body`] | solids as closed meshes that move |
//! | [`clip`] | surfaces cut into the pieces in each cell |
//! | [`distance`] | how far from solids, and where to |
//! | [`walls`] | which share of each face is open, and who closes the rest |
//! | [`records`] | particles sorted by cell |
//! | [`level_set`] | where liquid ends |
//! | [`transfer`] | particles to faces and back (Jiang et al. 2015) |
//! | [`poisson`] | the linear system of both projections, and its solution |
//! | [`projection`] | pressure: no divergence (Ng et al. 2009, Gibou et al. 2002) |
//! | [`volume`] | displacements that give liquid its density back (Kugelstadt et al. 2019) |
//! | [`extrapolation`] | velocities beyond the liquid |
//! | [`advection`] | along velocities (Ralston 1962) |
//! | [`liquid`] | what a step works with and what it finds |
//! | `gather` | what particles become |
//! | [`step`] | one step of the liquid |
//!
//! Lengths inside the crate are in cells. A 2D liquid is the same code in one layer of cells.

pub mod advection;
pub mod body;
pub mod clip;
pub mod distance;
pub mod extrapolation;
mod gather;
pub mod kernel;
pub mod lattice;
pub mod level_set;
pub mod liquid;
pub mod poisson;
pub mod projection;
pub mod records;
pub mod settings;
pub mod step;
pub mod transfer;
pub mod volume;
pub mod walls;
