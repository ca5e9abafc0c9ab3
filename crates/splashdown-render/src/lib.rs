//! Pictures of Splashdown runs, still or moving, and as meshes: without a GPU or with one.
//!
//! ```text
//! run directory ─► Run ─► FrameData ─► stage ─► Scene ─► render ─► Image ─► PNG, GIF, ffmpeg
//!                 run.rs               stage.rs scene.rs  raster.rs, shade.rs   film.rs
//! ```
//!
//! The renderer draws spheres and triangles into a visibility buffer, bands of rows in parallel,
//! and shades afterwards. A picture has the same bytes for any number of threads. With the feature
//! `gpu`, a graphics card can draw the same picture: `renderer.rs`, `gpu.rs`.

pub mod camera;
pub mod color;
pub mod crease;
pub mod error;
pub mod export;
pub mod film;
pub mod font;
pub mod framing;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod image;
mod level;
mod light;
mod marching;
mod near;
mod outline;
pub mod overlay;
pub mod raster;
pub mod renderer;
pub mod run;
pub mod scale;
pub mod scene;
pub mod shade;
pub mod stage;
pub mod stored;
pub mod surface;
pub mod surface_writer;
mod volume;
pub mod walls;
