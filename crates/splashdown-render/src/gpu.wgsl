// What `raster.rs` and `shade.rs` do, on a graphics card. The formulas are theirs, and so are the names.

struct Camera {
    eye: vec3f, scale: f32,
    right: vec3f, near: f32,
    up: vec3f, orthographic: f32,
    forward: vec3f, unused: f32,
    center: vec2f, size: vec2f, // pixels
}

struct Globals {
    camera: Camera, // of the pass
    light: Camera,
    up: vec3f, ground: f32, // height of the ground
    toward_light: vec3f, bias: f32,
    sky: vec3f, radius: f32,
    bounce: vec3f, spacing: f32,
    sun: vec3f, reach: f32, // of corners that are dark
    top: vec3f, bend: f32, // of the backdrop
    bottom: vec3f, samples: u32,
    floor: vec3f, is_flat: u32,
    horizon: vec3f, has_water: u32,
    directions: array<vec4f, 160>,
}

@group(0) @binding(0) var<uniform> g: Globals;
@group(0) @binding(1) var surfaces: texture_2d<f32>; // normal, depth
@group(0) @binding(2) var paints: texture_2d<f32>; // colour, kind
@group(0) @binding(3) var shadows: texture_2d<f32>; // depth from the sun
@group(0) @binding(4) var corners: texture_2d<f32>; // how much of the sky is seen
@group(0) @binding(5) var shaded: texture_2d<f32>; // light
@group(0) @binding(6) var water_surfaces: texture_2d<f32>; // normal, depth
@group(0) @binding(7) var water_paints: texture_2d<f32>; // tint
@group(0) @binding(8) var thicknesses: texture_2d<f32>; // m of water

const NOTHING: f32 = 1e30; // depth of what is not there
const SPHERE: f32 = 1.0;
const SOLID: f32 = 2.0;
const WALL: f32 = 3.0;
const GROUND: f32 = 4.0;
const TAPS: u32 = 10u;

fn view(p: vec3f) -> vec3f {
    let q = p - g.camera.eye;
    return vec3f(dot(q, g.camera.right), dot(q, g.camera.up), dot(q, g.camera.forward));
}

fn pixels_per_metre(z: f32) -> f32 {
    return select(g.camera.scale / z, g.camera.scale, g.camera.orthographic > 0.5);
}

fn ray_start(pixel: vec2f) -> vec3f {
    let c = g.camera;
    let p = vec2f(pixel.x - c.center.x, c.center.y - pixel.y) / c.scale;
    return select(c.eye, c.eye + c.right * p.x + c.up * p.y, c.orthographic > 0.5);
}

fn ray_direction(pixel: vec2f) -> vec3f {
    let c = g.camera;
    let p = vec2f(pixel.x - c.center.x, c.center.y - pixel.y) / c.scale;
    return select(c.forward + c.right * p.x + c.up * p.y, c.forward, c.orthographic > 0.5);
}

/// Near is 1, far is 0: what is far keeps its precision.
fn window_depth(z: f32) -> f32 {
    return clamp(g.camera.near / z, 0.0, 1.0);
}

fn unit(v: vec3f, otherwise: vec3f) -> vec3f {
    let square = dot(v, v);
    return select(otherwise, v * inverseSqrt(square), square > 1e-30);
}

// Visibility.

struct Seen {
    @location(0) surface: vec4f,
    @location(1) paint: vec4f,
    @builtin(frag_depth) depth: f32,
}

struct Disc {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) center: vec2f, // pixels
    @location(1) @interpolate(flat) z_radius_pixels: vec3f,
    @location(2) @interpolate(flat) color: vec3f,
}

@vertex
fn sphere(
    @builtin(vertex_index) corner: u32,
    @location(0) center: vec3f,
    @location(1) radius: f32,
    @location(2) color: vec3f,
) -> Disc {
    let v = view(center);
    let s = pixels_per_metre(v.z);
    let at = vec2f(g.camera.center.x + v.x * s, g.camera.center.y - v.y * s);
    let pixels = radius * s;
    let side = vec2f(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
    let p = (at + side * pixels) / g.camera.size;
    var out: Disc;
    out.position = vec4f(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.5, 1.0);
    if !(v.z - radius > g.camera.near) {
        out.position = vec4f(2.0, 2.0, 2.0, 1.0); // behind the camera
    }
    out.center = at;
    out.z_radius_pixels = vec3f(v.z, radius, pixels);
    out.color = color;
    return out;
}

fn disc_seen(disc: Disc) -> Seen {
    let n = (disc.position.xy - disc.center) / disc.z_radius_pixels.z;
    let square = dot(n, n);
    if square > 1.0 {
        discard;
    }
    let toward = sqrt(max(1.0 - square, 0.0));
    let z = disc.z_radius_pixels.x - disc.z_radius_pixels.y * toward;
    let c = g.camera;
    var out: Seen;
    out.surface = vec4f(c.right * n.x - c.up * n.y - c.forward * toward, z);
    out.paint = vec4f(disc.color, SPHERE);
    out.depth = window_depth(z);
    return out;
}

@fragment
fn sphere_seen(disc: Disc) -> Seen {
    return disc_seen(disc);
}

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) z: f32,
    @location(1) normal: vec3f,
    @location(2) color: vec3f,
    @location(3) place: vec3f,
}

@vertex
fn triangle(@location(0) p: vec3f, @location(1) normal: vec3f, @location(2) color: vec3f) -> Corner {
    let c = g.camera;
    let v = view(p);
    let flat_view = c.orthographic > 0.5;
    let w = select(v.z, 1.0, flat_view);
    let x = (c.center.x * w + v.x * c.scale) / c.size.x;
    let y = (c.center.y * w - v.y * c.scale) / c.size.y;
    var out: Corner;
    out.position = vec4f(x * 2.0 - w, w - y * 2.0, select(c.near, 0.5, flat_view), w);
    out.z = v.z;
    out.normal = normal;
    out.color = color;
    out.place = p;
    return out;
}

fn triangle_seen(corner: Corner, kind: f32) -> Seen {
    let across = cross(dpdx(corner.place), dpdy(corner.place));
    if !(corner.z > g.camera.near) {
        discard;
    }
    let n = unit(corner.normal, unit(across, vec3f(0.0, 1.0, 0.0)));
    let away = dot(n, ray_direction(corner.position.xy)) > 0.0;
    var out: Seen;
    out.surface = vec4f(select(n, -n, away), corner.z);
    out.paint = vec4f(corner.color, kind);
    out.depth = window_depth(corner.z);
    return out;
}

@fragment
fn solid_seen(corner: Corner) -> Seen {
    return triangle_seen(corner, SOLID);
}

@fragment
fn wall_seen(corner: Corner) -> Seen {
    return triangle_seen(corner, WALL);
}

@vertex
fn everywhere(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
    return vec4f(f32(k & 1u) * 4.0 - 1.0, f32(k >> 1u) * 4.0 - 1.0, 0.5, 1.0);
}

@fragment
fn ground_seen(@builtin(position) position: vec4f) -> Seen {
    let rise = g.ground - dot(ray_start(position.xy), g.up);
    let z = rise / dot(ray_direction(position.xy), g.up);
    if !(z > g.camera.near && z < NOTHING) {
        discard;
    }
    var out: Seen;
    out.surface = vec4f(g.up, z);
    out.paint = vec4f(g.floor, GROUND);
    // A floor of a tank may lie in the ground: it comes first.
    out.depth = window_depth(z * 1.0001);
    return out;
}

struct Depth {
    @location(0) z: f32,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn sphere_depth(disc: Disc) -> Depth {
    let seen = disc_seen(disc);
    return Depth(seen.surface.w, seen.depth);
}

@fragment
fn triangle_depth(corner: Corner) -> Depth {
    return Depth(corner.z, window_depth(corner.z));
}

/// Leaving counts up to where the ray is stopped, entering counts against it.
@fragment
fn thickness(corner: Corner, @builtin(front_facing) entering: bool) -> @location(0) f32 {
    let z = min(corner.z, textureLoad(surfaces, vec2i(corner.position.xy), 0).w);
    return select(z, -z, entering);
}

// Corners.

fn depth_of(pixel: vec2i) -> f32 {
    return textureLoad(surfaces, pixel * i32(g.samples), 0).w;
}

fn middle(pixel: vec2i) -> vec2f {
    return vec2f(pixel * i32(g.samples)) + 0.5;
}

@fragment
fn ambient(@builtin(position) position: vec4f) -> @location(0) f32 {
    let here = vec2i(position.xy);
    let surface = textureLoad(surfaces, here * i32(g.samples), 0);
    let depth = surface.w;
    if depth >= NOTHING {
        return 1.0;
    }
    let size = vec2f(textureDimensions(surfaces) / g.samples);
    let place = ray_start(middle(here)) + ray_direction(middle(here)) * depth;
    let pixels = min(g.reach * pixels_per_metre(depth) / f32(g.samples), 80.0);
    let pattern = u32(here.x * 5 + here.y * 7) % 16u;
    var blocked = 0.0;
    for (var k = 0u; k < TAPS; k++) {
        let at = vec2f(here) + g.directions[pattern * TAPS + k].xy * pixels;
        if any(at < vec2f(0.0)) || any(at >= size) {
            continue;
        }
        let there = vec2i(at);
        let tap = depth_of(there);
        if tap >= NOTHING {
            continue;
        }
        let v = ray_start(middle(there)) + ray_direction(middle(there)) * tap - place;
        let square = dot(v, v);
        let near = max(1.0 - square / (g.reach * g.reach), 0.0);
        let rise = dot(v, surface.xyz) - 0.03 * g.reach;
        blocked += max(rise, 0.0) / (sqrt(square) + 0.02 * g.reach) * near;
    }
    return clamp(1.0 - 2.0 * blocked / f32(TAPS), 0.15, 1.0);
}

@fragment
fn smooth_ambient(@builtin(position) position: vec4f) -> @location(0) f32 {
    let here = vec2i(position.xy);
    let depth = depth_of(here);
    if depth >= NOTHING {
        return 1.0;
    }
    let size = vec2i(textureDimensions(corners));
    var sum = 0.0;
    var count = 0.0;
    for (var j = max(here.y - 2, 0); j < min(here.y + 2, size.y); j++) {
        for (var i = max(here.x - 2, 0); i < min(here.x + 2, size.x); i++) {
            if abs(depth_of(vec2i(i, j)) - depth) < 0.3 * g.reach {
                sum += textureLoad(corners, vec2i(i, j), 0).x;
                count += 1.0;
            }
        }
    }
    return select(textureLoad(corners, here, 0).x, sum / max(count, 1.0), count > 0.0);
}

// Light.

/// Which share of the sun reaches a point: a box of 5 × 5 texels, its border weighted by where
/// between texels the point is.
fn reaching(position: vec3f, normal: vec3f) -> f32 {
    if g.is_flat == 1u {
        return 1.0;
    }
    let l = g.light;
    let q = position + normal * g.bias - l.eye;
    let z = dot(q, l.forward) - g.bias * 0.5;
    let p = vec2f(l.center.x + dot(q, l.right) * l.scale, l.center.y - dot(q, l.up) * l.scale) - 0.5;
    let corner = vec2i(floor(p));
    let share = p - floor(p);
    let size = i32(l.size.x);
    if any(corner < vec2i(2)) || any(corner + 3 >= vec2i(size)) {
        return 1.0;
    }
    var lit = 0.0;
    for (var j = -2; j <= 3; j++) {
        let wy = select(select(1.0, share.y, j == 3), 1.0 - share.y, j == -2);
        for (var i = -2; i <= 3; i++) {
            let wx = select(select(1.0, share.x, i == 3), 1.0 - share.x, i == -2);
            let open = textureLoad(shadows, corner + vec2i(i, j), 0).x >= z;
            lit += select(0.0, wx * wy, open);
        }
    }
    return lit / 25.0;
}

fn ambient_light(n: vec3f) -> vec3f {
    return mix(g.bounce, g.sky, dot(n, g.up) * 0.5 + 0.5);
}

@fragment
fn shade(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let pixel = position.xy;
    let height = g.camera.size.y;
    let empty = mix(g.top, g.bottom, pow(pixel.y / height, g.bend));
    let surface = textureLoad(surfaces, vec2i(pixel), 0);
    let paint = textureLoad(paints, vec2i(pixel), 0);
    let n = surface.xyz;
    if surface.w >= NOTHING {
        return vec4f(empty, 1.0);
    }
    if g.is_flat == 1u {
        return vec4f(paint.rgb * (0.72 + 0.30 * max(-dot(n, g.camera.forward), 0.0)), 1.0);
    }
    let place = ray_start(pixel) + ray_direction(pixel) * surface.w;
    let sun = reaching(place, n);
    let sky_seen = textureLoad(corners, vec2i(pixel) / i32(g.samples), 0).x;
    let facing = max(dot(n, g.toward_light), 0.0);
    if paint.a > 3.5 {
        // Fades into the background far from the scene; only shadows darken it.
        let level = place - g.up * dot(place, g.up);
        var far = clamp((length(level) / g.radius - 0.9) / 2.6, 0.0, 1.0);
        far = far * far * (3.0 - 2.0 * far);
        let dark = (0.55 + 0.45 * sun) * (0.45 + 0.55 * sky_seen);
        return vec4f(mix(paint.rgb * dark, empty, far), 1.0);
    }
    if paint.a > 2.5 {
        // Glass shows no shadows; floors do.
        let floor = clamp((dot(n, g.up) - 0.5) / 0.4, 0.0, 1.0);
        let dark = (1.0 - 0.32 * floor * (1.0 - sun)) * (0.5 + 0.5 * sky_seen);
        return vec4f(paint.rgb * (0.86 + 0.14 * facing) * dark, 1.0);
    }
    let to_eye = unit(ray_start(g.camera.center) - place, -g.camera.forward);
    let between = unit(g.toward_light + to_eye, n);
    let shine = select(0.10, 0.22, paint.a < 1.5);
    let gloss = pow(max(dot(n, between), 0.0), 32.0) * sun * shine;
    let light = ambient_light(n) * sky_seen + g.sun * facing * sun;
    return vec4f(paint.rgb * light + gloss, 1.0);
}

/// Lays the liquid's surface over the shaded picture: refraction, absorption, reflection, glints.
@fragment
fn water(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let pixel = position.xy;
    let here = vec2i(pixel);
    let surface = textureLoad(water_surfaces, here, 0);
    let depth = surface.w;
    if depth >= NOTHING || depth > textureLoad(surfaces, here, 0).w {
        return textureLoad(shaded, here, 0);
    }
    let n = surface.xyz;
    let tint = textureLoad(water_paints, here, 0).rgb;
    let place = ray_start(pixel) + ray_direction(pixel) * depth;
    let direction = normalize(ray_direction(pixel));
    let cosine = clamp(-dot(n, direction), 0.0, 1.0);
    let fresnel = 0.02 + 0.98 * pow(1.0 - cosine, 5.0);

    // Bends the view by as much as the water is deep there.
    let clear = g.radius / 6.0;
    let deep = max(textureLoad(thicknesses, here, 0).x, 0.0);
    let bend = min(deep, clear) * 0.25 * pixels_per_metre(depth);
    let side = vec2f(-dot(n, g.camera.right), dot(n, g.camera.up)) * bend;
    let at = clamp(pixel + side, vec2f(0.0), g.camera.size - 1.0);
    let seen = textureLoad(shaded, vec2i(at), 0).rgb;

    let share = exp(-deep / clear);
    let through = exp(log(max(tint, vec3f(1e-3))) * (0.35 * deep / clear));
    let sun = reaching(place, n);
    let facing = max(dot(n, g.toward_light), 0.0);
    let body = tint * (ambient_light(n) * 1.05 + g.sun * (0.15 + 0.45 * facing) * (0.5 + 0.5 * sun));
    let refracted = mix(body, seen * through, share * 0.85);

    let r = direction - n * (2.0 * dot(n, direction));
    let mirrored = mix(g.horizon, vec3f(1.05), clamp(dot(r, g.up) * 0.9 + 0.25, 0.0, 1.0));
    let toward = max(dot(r, g.toward_light), 0.0);
    let glint = (pow(toward, 160.0) * 2.2 + pow(toward, 24.0) * 0.18) * sun;
    return vec4f(mix(refracted, mirrored, fresnel) + glint, 1.0);
}

// The picture.

struct Finished {
    @location(0) color: vec4f,
    @location(1) depth: f32,
}

@fragment
fn finish(@builtin(position) position: vec4f) -> Finished {
    let n = i32(g.samples);
    let first = vec2i(position.xy) * n;
    var sum = vec3f(0.0);
    for (var j = 0; j < n; j++) {
        for (var i = 0; i < n; i++) {
            sum += clamp(textureLoad(shaded, first + vec2i(i, j), 0).rgb, vec3f(0.0), vec3f(1.0));
        }
    }
    let c = sum / f32(n * n);
    let srgb = select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));
    var depth = textureLoad(surfaces, first, 0).w;
    if g.has_water == 1u {
        depth = min(depth, textureLoad(water_surfaces, first, 0).w);
    }
    return Finished(vec4f(srgb, 1.0), depth);
}
