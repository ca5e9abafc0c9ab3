//! Who draws: our own rasteriser on the CPU, or a graphics card.

#[cfg(feature = "gpu")]
use std::sync::OnceLock;

use splashdown_run::scene::MemoryLimit;

use crate::camera::Camera;
use crate::error::RenderError;
#[cfg(feature = "gpu")]
use crate::gpu::Gpu;
use crate::image::Image;
use crate::scene::Scene;
use crate::shade;

/// What a user may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Choice {
    /// A graphics card if there is one (and the program was built for it), else the CPU.
    #[default]
    Auto,
    // The same bytes on any number of threads.
    /// The CPU.
    Cpu,
    // An error where there is none.
    /// Vulkan, also where a driver emulates it on the CPU.
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
        check_size(width, height, samples, &MemoryLimit::default())?;
        Ok(shade::render(scene, camera, width, height, samples))
    }
}

/// What the CPU needs per sample and per pixel at most, bytes: depths, numbers and colours, those
/// of the liquid's surface, then pictures, one of which is encoded.
const PER_SAMPLE: u64 = 36;
const PER_PIXEL: u64 = 32;

/// Refuses a picture that does not fit into memory, before anything of it is allocated.
fn check_size(
    width: usize,
    height: usize,
    samples: usize,
    limit: &MemoryLimit,
) -> Result<(), RenderError> {
    let each = PER_SAMPLE * (samples * samples) as u64 + PER_PIXEL;
    let bytes = (width as u64).saturating_mul(height as u64).saturating_mul(each);
    if bytes <= limit.bytes {
        return Ok(());
    }
    Err(RenderError::Request(format!(
        "a picture of {width} x {height} pixels with {samples} x {samples} samples each takes \
         about {:.1} GB of memory, more than {limit}: choose a smaller --size or fewer --samples",
        bytes as f64 / 1e9
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_do_not_fit_into_memory_are_refused_with_advice() {
        let limit: MemoryLimit = "8G".parse().unwrap();
        for fine in [[1280, 720, 2], [7680, 4320, 2], [16384, 4096, 1]] {
            assert!(check_size(fine[0], fine[1], fine[2], &limit).is_ok(), "{fine:?}");
        }
        let message = check_size(16384, 16384, 4, &limit).unwrap_err().to_string();
        for part in ["16384 x 16384", "163.2 GB", "more than 8.0 GB (--memory 8G)", "--samples"] {
            assert!(message.contains(part), "{part} is not in {message}");
        }
        assert!(check_size(usize::MAX, usize::MAX, 1, &limit).is_err());
    }
}
