//! Bodies and liquid surfaces as the page gets them.
//!
//! ```text
//!  0  "SPDM"  u32 version: 1  u32 parts  u32 0
//! 16  f64×3 where the coordinates start   40  f32×2 least and largest value
//! 48  f32×2 usual range of the values     56  u32×2 0
//! then for each part
//!     u32×8: kind, number of the solid or fluid, vertices v, indices i, lines l, 0, 0, 0
//!     v × f32×3 places    v × i8×4 normals    v × u16 values, filled up to four bytes
//!     i × u32 corners     l × f32×6 ends
//! ```
//!
//! Kinds: 0 obstacle, 1 container, 2 sheet, 3 liquid. A part without indices is a cloud of points.

use glam::Vec3;
use splashdown_geometry::math::DVec3;
use splashdown_render::crease;
use splashdown_render::run::{Body, Role, Run};
use splashdown_render::scale;
use splashdown_render::surface::LiquidSurface;

use crate::frame::{extremes, quantizer};

const LIQUID: u32 = 3;

#[derive(Default)]
struct Part {
    kind: u32,
    number: u32,
    places: Vec<Vec3>,
    normals: Vec<Vec3>,
    values: Vec<f32>,
    corners: Vec<u32>,
    lines: Vec<[Vec3; 2]>,
}

/// Encodes solids.
pub fn bodies(run: &Run, bodies: &[Body], origin: DVec3) -> Vec<u8> {
    let part = |body: &Body| {
        let kind = match run.role(body.solid) {
            Role::Obstacle => 0,
            Role::Container => 1,
            Role::Sheet => 2,
        };
        let (mut places, mut normals) = crease::smooth(body, origin);
        let corners = (0..places.len() as u32).collect();
        let lines = crease::edges(body, origin, |_, _| false);
        if places.is_empty() {
            places = body.vertices.iter().map(|&v| (v - origin).as_vec3()).collect();
            normals = vec![Vec3::ZERO; places.len()];
        }
        Part {
            kind,
            number: body.solid as u32,
            places,
            normals,
            corners,
            lines,
            values: Vec::new(),
        }
    };
    encode(&bodies.iter().map(part).collect::<Vec<_>>(), origin)
}

/// Encodes liquid surfaces, which carry their values in the first component of `extra`.
pub fn surfaces(surfaces: Vec<LiquidSurface>, origin: DVec3) -> Vec<u8> {
    let part = |surface: LiquidSurface| Part {
        kind: LIQUID,
        number: surface.fluid as u32,
        places: surface.vertices.iter().map(|&v| (v - origin).as_vec3()).collect(),
        normals: surface.normals,
        values: surface.extra.iter().map(|v| v.x).collect(),
        corners: surface.triangles.into_iter().flatten().collect(),
        lines: Vec::new(),
    };
    encode(&surfaces.into_iter().map(part).collect::<Vec<_>>(), origin)
}

fn encode(parts: &[Part], origin: DVec3) -> Vec<u8> {
    let values: Vec<f32> = parts.iter().flat_map(|part| &part.values).copied().collect();
    let [least, largest] = extremes(&values);
    let usual = scale::range(&values).unwrap_or([0.0, 1.0]);
    let steps = quantizer([least, largest]);
    let mut bytes = b"SPDM".to_vec();
    let words = |words: &[u32], bytes: &mut Vec<u8>| {
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    };
    words(&[1, parts.len() as u32, 0], &mut bytes);
    origin.to_array().iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    for x in [least, largest, usual[0] as f32, usual[1] as f32] {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    words(&[0, 0], &mut bytes);
    for part in parts {
        let counts = [part.places.len(), part.corners.len(), part.lines.len()];
        let [v, i, l] = counts.map(|n| n as u32);
        words(&[part.kind, part.number, v, i, l, 0, 0, 0], &mut bytes);
        let place = |p: &Vec3, bytes: &mut Vec<u8>| {
            p.to_array().iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        };
        part.places.iter().for_each(|p| place(p, &mut bytes));
        for n in &part.normals {
            let [x, y, z] = (*n * 127.0).to_array().map(|x| (x.round() as i8).to_le_bytes()[0]);
            bytes.extend_from_slice(&[x, y, z, 0]);
        }
        for k in 0..part.places.len() {
            let value = part.values.get(k).copied().unwrap_or(0.0);
            bytes.extend_from_slice(&steps(value).to_le_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        words(&part.corners, &mut bytes);
        part.lines.iter().flatten().for_each(|p| place(p, &mut bytes));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_as_long_as_its_counts_say() {
        let surface = LiquidSurface {
            fluid: 1,
            vertices: vec![DVec3::splat(1e6); 3],
            normals: vec![Vec3::Y; 3],
            velocity: vec![Vec3::ZERO; 3],
            extra: vec![Vec3::X, Vec3::ZERO, Vec3::X * 3.0],
            triangles: vec![[0, 1, 2]],
        };
        let bytes = surfaces(vec![surface], DVec3::splat(1e6));
        assert_eq!(bytes.len(), 64 + 32 + 3 * 12 + 3 * 4 + 8 + 3 * 4);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([word(8), word(64), word(68), word(72), word(76)], [1, LIQUID, 1, 3, 3]);
        assert_eq!(f32::from_bits(word(44)), 3.0);
        assert_eq!(bytes[64 + 32 + 36..][..4], [0, 127, 0, 0]);
    }
}
