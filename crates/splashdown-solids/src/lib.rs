//! Elastic solids, shells, rods and particles that never pass through each other: incremental
//! potential contact (Li et al. 2020).
//!
//! A step minimises one energy: inertia, elasticity, the barrier between surfaces, friction.
//! Newton's method (`splashdown_solve::newton`) does it, and no step of it passes the point at
//! which an element would be inverted or two surfaces would meet.
//!
//! | module | what it holds |
//! |---|---|
//! | [`material`], [`tetrahedron`], [`quadratic`] | energies of solids with two derivatives |
//! | [`membrane`], [`hinge`], [`rod`] | the same for shells and rods |
//! | [`pressure`], [`damping`], [`element`] | the same for gas inside, damping, and all elements |
//! | [`distance`], [`barrier`], [`contact`], [`friction`] | energies of contacts with derivatives |
//! | [`ccd`], [`inversion`] | how far a step may go |
//! | [`surface`], [`bvh`], [`candidates`], [`verify`] | what may meet, and whether anything did |
//! | [`close`] | bodies that are close together at the start |
//! | [`solids`], [`bodies`], [`refined`] | the state, and how bodies become one |
//! | [`step`], [`objective`], [`inertia`], [`potentials`] | the energies that a step minimises |
//! | [`transit`] | momentum that velocities do not show yet |
//! | [`outcome`], [`workspace`] | how a step ended, and what it keeps for the next one |
//! | [`assembly`], [`unknowns`] | their derivatives as one matrix |
//! | [`balance`], [`agreement`] | whether forces balance, and friction agrees with them |
//! | [`guests`], [`signed_pairs`], [`crowd`], [`start`] | particles of a fluid that take part |
//! | [`elimination`] | how they are eliminated from the matrix |
//! | [`parts`], [`proxy`], [`medium`] | steps in phases: what a phase has, foresees, and shares |
//! | [`embedding`], [`prediction`] | points that bodies carry along; how bodies yield to forces |
//! | [`rigid`] | rigid bodies as the laws of motion have them |
//! | [`meshing`] | tetrahedra in a box, and in any closed shape |

pub mod agreement;
pub mod assembly;
pub mod balance;
pub mod barrier;
pub mod bodies;
pub mod bvh;
pub mod candidates;
pub mod ccd;
pub mod close;
pub mod contact;
pub mod crowd;
pub mod damping;
pub mod distance;
pub mod element;
pub mod elimination;
pub mod embedding;
pub mod friction;
pub mod guests;
pub mod hinge;
pub mod inertia;
pub mod inversion;
pub mod material;
pub mod medium;
pub mod membrane;
pub mod meshing;
pub mod objective;
pub mod outcome;
pub mod parts;
pub mod potentials;
pub mod prediction;
pub mod pressure;
pub mod proxy;
pub mod quadratic;
pub mod refined;
pub mod rigid;
pub mod rod;
pub mod signed_pairs;
pub mod solids;
pub mod start;
pub mod step;
pub mod surface;
pub mod tetrahedron;
pub mod transit;
pub mod unknowns;
pub mod verify;
pub mod workspace;
