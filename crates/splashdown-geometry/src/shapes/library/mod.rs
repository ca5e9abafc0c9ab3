//! Shapes made by small generators: a toy duck, a gear, a bolt, letters …
//!
//! Each file holds one idea and returns a triangle mesh, closed but for a tube;
//! [`MeshShape`](super::MeshShape) then measures and samples it, and in 2D cuts it by the plane
//! z = 0. Four tools do most of the work: plane figures with depth (`extrude`), profiles that turn
//! (`surface::swept`), level sets of smooth functions (`isosurface`, for what is round all over),
//! and outlines of strokes (`contour`).

mod bowl;
mod capsule;
mod contour;
mod cow;
mod creature;
mod duck;
mod elephant;
mod extrude;
mod flower;
mod funnel;
mod gate;
mod gear;
mod isosurface;
mod letter;
mod link;
mod prism;
mod propeller;
mod rabbit;
mod spoon;
mod statue;
mod thread;
mod triangulate;
mod tube;
mod wheel;

pub use bowl::bowl;
pub use capsule::space_capsule;
pub use cow::cow;
pub use creature::creature;
pub use duck::duck;
pub use elephant::elephant;
pub use flower::flower;
pub use funnel::funnel;
pub use gate::gate;
pub use gear::{Pin, crank_gear, gear, rack};
pub use letter::{letter, letters};
pub use link::chain_link;
pub use prism::{hollow_prism, spike, voussoir, wedge};
pub use propeller::{Propeller, propeller};
pub use rabbit::rabbit;
pub use spoon::spoon;
pub use statue::statue;
pub use thread::{Thread, bolt, nut};
pub use tube::{Tube, tube};
pub use wheel::water_wheel;

/// A parameter that does not go together with the others.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterError {
    /// Its name, as in a scene.
    pub parameter: &'static str,
    /// What it must be.
    pub must: String,
}

/// `Ok` if `holds`, or else which parameter must be what.
fn require(
    holds: bool,
    parameter: &'static str,
    must: impl Into<String>,
) -> Result<(), ParameterError> {
    if holds { Ok(()) } else { Err(ParameterError { parameter, must: must.into() }) }
}

#[cfg(test)]
mod tests;
