//! Who draws: our own rasteriser on the CPU, or a graphics card.

#[cfg(feature = "gpu")]
use std::sync::OnceLock;

use crate::camera::Camera;
use crate::error::RenderError;
#[cfg(feature = "gpu")]
use crate::gpu::Gpu;
use crate::image::Image;
use crate::shade::{self, Scene};

/// What a user may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// A graphics card if there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU: the same bytes on any number of threads.
    Cpu,
    /// Vulkan, even if it is emulated by the CPU; an error where there is none.
    Gpu,
}

/// Draws scenes.
#[derive(Debug)]
pub enum Renderer {
    /// Our own rasteriser.
    Cpu,
    /// A graphics card.
    #[cfg(feature = "gpu")]
    Gpu {
        /// Where it is drawn.
        gpu: Box<Gpu>,
        /// Whether the CPU must not help out.
        required: bool,
        /// Why it did not draw a picture, if it ever did not.
        refused: OnceLock<String>,
    },
}

impl Renderer {
    /// Finds what was asked for.
    pub fn choose(choice: Choice) -> Result<Renderer, RenderError> {
        #[cfg(feature = "gpu")]
        if choice != Choice::Cpu {
            let required = choice == Choice::Gpu;
            match Gpu::open(required) {
                Ok(gpu) => {
                    let (gpu, refused) = (Box::new(gpu), OnceLock::new());
                    return Ok(Renderer::Gpu { gpu, required, refused });
                }
                Err(reason) if required => {
                    let advice = "install a Vulkan driver or use --renderer cpu";
                    return Err(RenderError::Request(format!("no GPU: {reason}; {advice}")));
                }
                Err(_) => {}
            }
        }
        if choice == Choice::Gpu {
            let message = "this program was built without the feature gpu: \
                           build it with --features gpu or use --renderer cpu";
            return Err(RenderError::Request(message.to_owned()));
        }
        Ok(Renderer::Cpu)
    }

    /// Who draws, for people.
    pub fn name(&self) -> String {
        match self {
            Renderer::Cpu => "CPU".to_owned(),
            #[cfg(feature = "gpu")]
            Renderer::Gpu { gpu, .. } => format!("GPU, {}", gpu.name()),
        }
    }

    /// Why the CPU drew pictures that the GPU should have drawn, if it did.
    pub fn refused(&self) -> Option<&str> {
        match self {
            Renderer::Cpu => None,
            #[cfg(feature = "gpu")]
            Renderer::Gpu { refused, .. } => refused.get().map(String::as_str),
        }
    }

    /// Draws the scene with `samples` × `samples` samples per pixel.
    pub fn render(
        &self,
        scene: &Scene,
        camera: &Camera,
        width: usize,
        height: usize,
        samples: usize,
    ) -> Result<Image, RenderError> {
        #[cfg(feature = "gpu")]
        if let Renderer::Gpu { gpu, required, refused } = self {
            match gpu.render(scene, camera, width, height, samples) {
                Ok(image) => return Ok(image),
                Err(reason) if *required => {
                    return Err(RenderError::Request(format!(
                        "the GPU cannot draw this: {reason}"
                    )));
                }
                // Too large for it, most likely.
                Err(reason) => drop(refused.set(reason)),
            }
        }
        Ok(shade::render(scene, camera, width, height, samples))
    }
}
