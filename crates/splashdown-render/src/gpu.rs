//! The picture of `shade.rs`, drawn by a graphics card through wgpu.
//!
//! ```text
//! spheres, bodies, walls, ground ─► surfaces, paints ─► corners ─┬─► shaded ─► water ─► picture,
//! from the sun                   ─► shadows ─────────────────────┘              ▲       depth
//! liquid                         ─► water surfaces, paints, thickness ──────────┘
//! ```
//!
//! Every arrow is a pass of `gpu.wgsl`. Textures have a texel for each sample, as buffers have on
//! the CPU; cuts, edges and everything written are drawn on the picture by the same code.

mod pipelines;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use glam::{Vec2, Vec3};
use wgpu::TextureFormat as Format;
use wgpu::util::DeviceExt;

use self::pipelines::{NUMBER, PAINT, PICTURE, Packed, Pipelines, SURFACE};
use crate::camera::Camera;
use crate::image::Image;
use crate::light::{SHADOW_SIZE, Sun};
use crate::raster::{Mesh, Sphere};
use crate::scene::Scene;
use crate::shade::{self, Backdrop};

/// Depth of what is not there, as in `gpu.wgsl`.
const NOTHING: f64 = 1e30;

/// A graphics card that is ready to draw.
#[derive(Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
    pipelines: Pipelines,
}

/// Why there is no graphics card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoGpu {
    /// None that is good enough.
    #[error("there is no suitable Vulkan adapter")]
    NoAdapter,
    /// One that does not do what it should.
    #[error("{0}")]
    Broken(String),
}

impl Gpu {
    /// Opens the best adapter of this machine; one that is emulated by the CPU, which is slower
    /// than our own rasteriser, only if `emulated` is welcome.
    pub fn open(emulated: bool) -> Result<Gpu, NoGpu> {
        let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
        wanted.backends = wgpu::Backends::VULKAN;
        wanted.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(wanted);
        let rank = |adapter: &wgpu::Adapter| match adapter.get_info().device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => 2,
            wgpu::DeviceType::Cpu => 3,
        };
        // Thicknesses are sums of distances: blending must work with full precision.
        let features = wgpu::Features::FLOAT32_BLENDABLE;
        let adapter = wait(instance.enumerate_adapters(wgpu::Backends::VULKAN))
            .into_iter()
            .filter(|adapter| adapter.features().contains(features))
            .filter(|adapter| emulated || rank(adapter) < 3)
            .min_by_key(rank)
            .ok_or(NoGpu::NoAdapter)?;
        let request = wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = wait(adapter.request_device(&request))
            .map_err(|error| NoGpu::Broken(error.to_string()))?;
        let pipelines = guarded(&device, || Pipelines::new(&device)).map_err(NoGpu::Broken)?;
        Ok(Gpu { device, queue, name: adapter.get_info().name, pipelines })
    }

    /// What the adapter calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Draws the scene with `samples` × `samples` samples per pixel, or says why it cannot.
    pub fn render(
        &self,
        scene: &Scene,
        camera: &Camera,
        width: usize,
        height: usize,
        samples: usize,
    ) -> Result<Image, String> {
        let largest = self.device.limits().max_texture_dimension_2d as usize;
        if width.max(height) * samples > largest {
            return Err(format!("pictures have at most {} pixels each way", largest / samples));
        }
        let most = self.device.limits().max_buffer_size;
        let meshes = [&scene.solids, &scene.walls, &scene.water];
        let mesh = meshes.iter().map(|m| m.positions.len().max(m.triangles.len())).max();
        let bytes = (size_of::<Packed>() * scene.spheres.len()).max(12 * mesh.unwrap_or(0));
        if bytes as u64 > most {
            return Err(format!(
                "{bytes} bytes of particles or triangles, at most {most} are possible"
            ));
        }
        let size = [width as u32, height as u32];
        let [colors, depths] = guarded(&self.device, || {
            let drawing = Drawing::new(self, scene, camera, size, samples);
            let read = drawing.draw();
            read.map(|buffer| self.read(&buffer))
        })?;
        let [colors, depths] = [colors?, depths?];
        let mut image = Image::new(width, height, [0; 3]);
        let stride = padded(4 * width);
        for (y, row) in image.pixels.chunks_mut(width).enumerate() {
            let bytes = colors[y * stride..].chunks_exact(4);
            row.iter_mut().zip(bytes).for_each(|(p, c)| *p = [c[0], c[1], c[2]]);
        }
        shade::draw_outlines(scene, camera, &mut image, |x, y| {
            bytemuck::pod_read_unaligned(&depths[y * stride + 4 * x..][..4])
        });
        Ok(image)
    }

    /// The content of a buffer.
    fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, String> {
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| e.to_string())?;
        Ok(buffer.get_mapped_range(..).map_err(|e| e.to_string())?.to_vec())
    }
}

/// The result of a future that does not depend on anything else happening.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

/// Does something with a device; its errors come back instead of ending the program.
fn guarded<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> Result<T, String> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let value = work();
    let errors = [wait(internal.pop()), wait(validation.pop()), wait(memory.pop())];
    match errors.into_iter().flatten().next() {
        Some(error) => Err(error.to_string()),
        None => Ok(value),
    }
}

/// Rows of textures are copied to multiples of 256 bytes.
fn padded(row: usize) -> usize {
    row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize)
}

/// Triangles on the card.
struct Uploaded {
    corners: [wgpu::Buffer; 3],
    indices: wgpu::Buffer,
    count: u32,
}

/// One picture on its way.
struct Drawing<'a> {
    gpu: &'a Gpu,
    size: [u32; 2],
    fine: [u32; 2],
    flat: bool,
    /// Seen by the camera, and by the sun.
    globals: [wgpu::Buffer; 2],
    spheres: Option<(wgpu::Buffer, u32)>,
    solids: Option<Uploaded>,
    walls: Option<Uploaded>,
    water: Option<Uploaded>,
    ground: bool,
}

type Texture = (wgpu::Texture, wgpu::TextureView);

impl<'a> Drawing<'a> {
    fn new(
        gpu: &'a Gpu,
        scene: &Scene,
        camera: &Camera,
        size: [u32; 2],
        samples: usize,
    ) -> Drawing<'a> {
        let upload = |contents: &[u8], usage| {
            let descriptor = wgpu::util::BufferInitDescriptor { label: None, contents, usage };
            gpu.device.create_buffer_init(&descriptor)
        };
        let fine = size.map(|n| n * samples as u32);
        let sun = Sun::new(scene, camera);
        let main = View { camera: camera.magnified(samples as f32), size: fine };
        let light = View { camera: sun.camera, size: [SHADOW_SIZE as u32; 2] };
        let globals = [&main, &light].map(|view| {
            let words = globals(scene, view, &light, &sun, samples);
            upload(bytemuck::cast_slice(&words), wgpu::BufferUsages::UNIFORM)
        });
        let sound = |s: &&Sphere| s.center.is_finite() && s.radius.is_finite();
        let packed: Vec<Packed> = scene.spheres.iter().filter(sound).map(pack).collect();
        let spheres = (!packed.is_empty()).then(|| {
            (upload(bytemuck::cast_slice(&packed), wgpu::BufferUsages::VERTEX), packed.len() as u32)
        });
        let mesh = |mesh: &Mesh| {
            let sound = |t: &&[u32; 3]| t.iter().all(|&v| mesh.positions[v as usize].is_finite());
            let indices: Vec<[u32; 3]> = mesh.triangles.iter().filter(sound).copied().collect();
            (!indices.is_empty()).then(|| Uploaded {
                corners: [&mesh.positions, &mesh.normals, &mesh.colors]
                    .map(|data| upload(bytemuck::cast_slice(data), wgpu::BufferUsages::VERTEX)),
                indices: upload(bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
                count: 3 * indices.len() as u32,
            })
        };
        Drawing {
            gpu,
            size,
            fine,
            flat: scene.flat,
            globals,
            spheres,
            solids: mesh(&scene.solids),
            walls: mesh(&scene.walls),
            water: mesh(&scene.water),
            ground: scene.ground.is_some(),
        }
    }

    /// Draws everything; gives buffers with the picture and its depths, rows padded.
    fn draw(&self) -> [wgpu::Buffer; 2] {
        let p = &self.gpu.pipelines;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let shadows = self.texture([SHADOW_SIZE as u32; 2], NUMBER);
        if !self.flat {
            let mut pass = self.visibility(&mut encoder, &[&shadows]);
            self.draw_spheres(&mut pass, &p.sphere_shadows, 1);
            for mesh in [&self.solids, &self.water].into_iter().flatten() {
                self.draw_mesh(&mut pass, &p.mesh_shadows, mesh, 1);
            }
        }
        let [surfaces, paints] = [SURFACE, PAINT].map(|format| self.texture(self.fine, format));
        {
            let mut pass = self.visibility(&mut encoder, &[&surfaces, &paints]);
            self.draw_spheres(&mut pass, &p.spheres, 0);
            for (mesh, pipeline) in [(&self.solids, &p.solids), (&self.walls, &p.walls)] {
                if let Some(mesh) = mesh {
                    self.draw_mesh(&mut pass, pipeline, mesh, 0);
                }
            }
            if self.ground {
                pass.set_pipeline(&p.ground);
                pass.set_bind_group(0, &self.bind(&p.ground, 0, &[]), &[]);
                pass.draw(0..3, 0..1);
            }
        }
        let [raw, corners] = [(); 2].map(|()| self.texture(self.size, NUMBER));
        if !self.flat {
            self.pass(&mut encoder, &p.ambient, &[(1, &surfaces)], &[&raw]);
            let inputs = [(1, &surfaces), (4, &raw)];
            self.pass(&mut encoder, &p.smooth_ambient, &inputs, &[&corners]);
        }
        let mut shaded = self.texture(self.fine, PAINT);
        let inputs = [(1, &surfaces), (2, &paints), (3, &shadows), (4, &corners)];
        self.pass(&mut encoder, &p.shade, &inputs, &[&shaded]);

        let mut water_surfaces = self.texture([1, 1], SURFACE);
        if let Some(water) = &self.water {
            water_surfaces = self.texture(self.fine, SURFACE);
            // What was painted before is not needed any more.
            {
                let mut pass = self.visibility(&mut encoder, &[&water_surfaces, &paints]);
                self.draw_mesh(&mut pass, &p.solids, water, 0);
            }
            let thickness = self.texture(self.fine, NUMBER);
            {
                let mut pass = begin(&mut encoder, &[&thickness], 0.0, None);
                pass.set_pipeline(&p.thickness);
                pass.set_bind_group(0, &self.bind(&p.thickness, 0, &[(1, &surfaces)]), &[]);
                water.draw(&mut pass);
            }
            let over = self.texture(self.fine, PAINT);
            let inputs = [
                (1, &surfaces),
                (3, &shadows),
                (5, &shaded),
                (6, &water_surfaces),
                (7, &paints),
                (8, &thickness),
            ];
            self.pass(&mut encoder, &p.water, &inputs, &[&over]);
            shaded = over;
        }
        let [picture, depth] = [PICTURE, NUMBER].map(|format| self.texture(self.size, format));
        let inputs = [(1, &surfaces), (5, &shaded), (6, &water_surfaces)];
        self.pass(&mut encoder, &p.finish, &inputs, &[&picture, &depth]);
        let buffers = [&picture, &depth].map(|texture| self.copy(&mut encoder, texture));
        self.gpu.queue.submit([encoder.finish()]);
        buffers
    }

    fn texture(&self, [width, height]: [u32; 2], format: Format) -> Texture {
        let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        (texture, view)
    }

    /// Values of the camera (0) or the sun (1), and textures by their numbers.
    fn bind(
        &self,
        pipeline: &wgpu::RenderPipeline,
        globals: usize,
        textures: &[(u32, &Texture)],
    ) -> wgpu::BindGroup {
        let resource = self.globals[globals].as_entire_binding();
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource }];
        entries.extend(textures.iter().map(|&(binding, (_, view))| {
            let resource = wgpu::BindingResource::TextureView(view);
            wgpu::BindGroupEntry { binding, resource }
        }));
        let layout = &pipeline.get_bind_group_layout(0);
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        self.gpu.device.create_bind_group(&descriptor)
    }

    /// Starts to draw things of which the nearest win.
    fn visibility<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        targets: &[&Texture],
    ) -> wgpu::RenderPass<'e> {
        let size = targets[0].0.size();
        let depth = self.texture([size.width, size.height], Format::Depth32Float);
        begin(encoder, targets, NOTHING, Some(&depth))
    }

    /// A pass over all texels of the targets.
    fn pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::RenderPipeline,
        inputs: &[(u32, &Texture)],
        targets: &[&Texture],
    ) {
        let mut pass = begin(encoder, targets, 0.0, None);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bind(pipeline, 0, inputs), &[]);
        pass.draw(0..3, 0..1);
    }

    fn draw_spheres(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
        globals: usize,
    ) {
        let Some((buffer, count)) = &self.spheres else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bind(pipeline, globals, &[]), &[]);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..4, 0..*count);
    }

    fn draw_mesh(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
        mesh: &Uploaded,
        globals: usize,
    ) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bind(pipeline, globals, &[]), &[]);
        mesh.draw(pass);
    }

    /// Copies a texture of four bytes a texel to where it can be read.
    fn copy(&self, encoder: &mut wgpu::CommandEncoder, (texture, _): &Texture) -> wgpu::Buffer {
        let [width, height] = self.size;
        let stride = padded(4 * width as usize);
        let buffer = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (stride * height as usize) as u64,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(stride as u32),
            rows_per_image: None,
        };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            texture.size(),
        );
        buffer
    }
}

impl Uploaded {
    fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        for (slot, buffer) in self.corners.iter().enumerate() {
            pass.set_vertex_buffer(slot as u32, buffer.slice(..));
        }
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.count, 0, 0..1);
    }
}

/// Starts to draw on targets that are `clear` everywhere.
fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    targets: &[&Texture],
    clear: f64,
    depth: Option<&Texture>,
) -> wgpu::RenderPass<'e> {
    // Depths are in the first component of one number, or in the last of four.
    let color = wgpu::Color { r: clear, g: 0.0, b: 0.0, a: clear };
    let paint = wgpu::Color::TRANSPARENT;
    let attachments: Vec<_> = targets
        .iter()
        .map(|(texture, view)| {
            let color = if texture.format() == PAINT { paint } else { color };
            let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(color), ..Default::default() };
            let resolve_target = None;
            Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target, ops })
        })
        .collect();
    let depth_stencil_attachment = depth.map(|(_, view)| wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(0.0),
            store: wgpu::StoreOp::Discard,
        }),
        stencil_ops: None,
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &attachments,
        depth_stencil_attachment,
        ..Default::default()
    })
}

fn pack(sphere: &Sphere) -> Packed {
    let Sphere { center, radius, color } = *sphere;
    [center.x, center.y, center.z, radius, color.x, color.y, color.z]
}

/// A camera with the size of its picture.
struct View {
    camera: Camera,
    size: [u32; 2],
}

/// `Globals` of `gpu.wgsl`.
fn globals(scene: &Scene, view: &View, light: &View, sun: &Sun, samples: usize) -> Vec<f32> {
    let mut words = Vec::with_capacity(1024);
    let mut four = |v: Vec3, w: f32| words.extend([v.x, v.y, v.z, w]);
    let number = |k: u32| f32::from_bits(k);
    for View { camera, size } in [view, light] {
        four(camera.eye, camera.scale);
        four(camera.right, camera.near);
        four(camera.up, if camera.orthographic { 1.0 } else { 0.0 });
        four(camera.forward, 0.0);
        let Vec2 { x, y } = camera.center;
        four(Vec3::new(x, y, size[0] as f32), size[1] as f32);
    }
    let Backdrop { ground, top, bottom, bend } = Backdrop::new(scene);
    four(scene.up, scene.ground.unwrap_or(0.0));
    four(sun.direction, sun.bias);
    four(shade::SKY, scene.radius);
    four(shade::BOUNCE, scene.spacing);
    four(shade::SUN, shade::ambient_reach(scene));
    four(top, bend);
    four(bottom, number(samples as u32));
    four(ground, number(scene.flat.into()));
    four(shade::horizon(), number((!scene.water.triangles.is_empty()).into()));
    shade::ambient_directions().iter().for_each(|d| four(d.extend(0.0), 0.0));
    words
}
