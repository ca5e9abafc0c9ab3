//! What each pass of `gpu.wgsl` reads, runs and writes.

use wgpu::TextureFormat as Format;

pub(crate) const SURFACE: Format = Format::Rgba32Float;
pub(crate) const PAINT: Format = Format::Rgba16Float;
pub(crate) const NUMBER: Format = Format::R32Float;
pub(crate) const PICTURE: Format = Format::Rgba8Unorm;

/// One for each pass of `gpu.wgsl`.
#[derive(Debug)]
pub(crate) struct Pipelines {
    pub(crate) spheres: wgpu::RenderPipeline,
    pub(crate) solids: wgpu::RenderPipeline,
    pub(crate) walls: wgpu::RenderPipeline,
    pub(crate) ground: wgpu::RenderPipeline,
    pub(crate) sphere_shadows: wgpu::RenderPipeline,
    pub(crate) mesh_shadows: wgpu::RenderPipeline,
    pub(crate) thickness: wgpu::RenderPipeline,
    pub(crate) ambient: wgpu::RenderPipeline,
    pub(crate) smooth_ambient: wgpu::RenderPipeline,
    pub(crate) shade: wgpu::RenderPipeline,
    pub(crate) water: wgpu::RenderPipeline,
    pub(crate) finish: wgpu::RenderPipeline,
}

/// A sphere as the vertex shader gets it: centre, radius, colour.
pub(crate) type Packed = [f32; 7];

const SPHERE_BUFFERS: [Option<wgpu::VertexBufferLayout<'static>>; 1] =
    [Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<Packed>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32, 2 => Float32x3],
    })];

const fn vec3s(attributes: &[wgpu::VertexAttribute]) -> Option<wgpu::VertexBufferLayout<'_>> {
    let step_mode = wgpu::VertexStepMode::Vertex;
    Some(wgpu::VertexBufferLayout { array_stride: 12, step_mode, attributes })
}

const MESH_BUFFERS: [Option<wgpu::VertexBufferLayout<'static>>; 3] = [
    vec3s(&wgpu::vertex_attr_array![0 => Float32x3]),
    vec3s(&wgpu::vertex_attr_array![1 => Float32x3]),
    vec3s(&wgpu::vertex_attr_array![2 => Float32x3]),
];

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device) -> Pipelines {
        let source = wgpu::ShaderSource::Wgsl(include_str!("../gpu.wgsl").into());
        let descriptor = wgpu::ShaderModuleDescriptor { label: None, source };
        let module = &device.create_shader_module(descriptor);
        let plain = |format: Format| Some(wgpu::ColorTargetState::from(format));
        let seen = [plain(SURFACE), plain(PAINT)];
        let number = [plain(NUMBER)];
        let add = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::One,
            dst_factor: wgpu::BlendFactor::One,
            operation: wgpu::BlendOperation::Add,
        };
        let blend = Some(wgpu::BlendState { color: add, alpha: add });
        let sum = [plain(NUMBER).map(|target| wgpu::ColorTargetState { blend, ..target })];
        let whole = |fragment, targets: &[_]| {
            Recipe { module, vertex: "everywhere", fragment, targets, ..Recipe::of(module) }
                .make(device)
        };
        let hidden = |vertex, buffers, fragment, targets: &[_], cull| {
            let depth = true;
            Recipe { module, vertex, buffers, fragment, targets, cull, depth }.make(device)
        };
        let (spheres, mesh) = (&SPHERE_BUFFERS[..], &MESH_BUFFERS[..]);
        Pipelines {
            spheres: hidden("sphere", spheres, "sphere_seen", &seen, None),
            solids: hidden("triangle", mesh, "solid_seen", &seen, None),
            // Only the inside: near walls are taken away.
            walls: hidden("triangle", mesh, "wall_seen", &seen, Some(wgpu::Face::Front)),
            ground: hidden("everywhere", &[], "ground_seen", &seen, None),
            sphere_shadows: hidden("sphere", spheres, "sphere_depth", &number, None),
            mesh_shadows: hidden("triangle", mesh, "triangle_depth", &number, None),
            thickness: Recipe {
                vertex: "triangle",
                buffers: mesh,
                fragment: "thickness",
                targets: &sum,
                ..Recipe::of(module)
            }
            .make(device),
            ambient: whole("ambient", &number),
            smooth_ambient: whole("smooth_ambient", &number),
            shade: whole("shade", &[plain(PAINT)]),
            water: whole("water", &[plain(PAINT)]),
            finish: whole("finish", &[plain(PICTURE), plain(NUMBER)]),
        }
    }
}

/// What makes a pipeline.
struct Recipe<'a> {
    module: &'a wgpu::ShaderModule,
    vertex: &'a str,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    fragment: &'a str,
    targets: &'a [Option<wgpu::ColorTargetState>],
    cull: Option<wgpu::Face>,
    /// Whether the nearest wins.
    depth: bool,
}

impl<'a> Recipe<'a> {
    fn of(module: &'a wgpu::ShaderModule) -> Recipe<'a> {
        let (buffers, targets) = (&[], &[]);
        Recipe { module, vertex: "", buffers, fragment: "", targets, cull: None, depth: false }
    }

    fn make(&self, device: &wgpu::Device) -> wgpu::RenderPipeline {
        let depth_stencil = self.depth.then_some(wgpu::DepthStencilState {
            format: Format::Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        });
        // Spheres are squares of two triangles.
        let strip = self.vertex == "sphere";
        let topology = if strip {
            wgpu::PrimitiveTopology::TriangleStrip
        } else {
            wgpu::PrimitiveTopology::TriangleList
        };
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.fragment),
            layout: None,
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: self.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology,
                cull_mode: self.cull,
                ..Default::default()
            },
            depth_stencil,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(self.fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: self.targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
