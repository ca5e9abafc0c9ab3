//! A frame as the page gets it: ten bytes a particle instead of fifty-two.
//!
//! ```text
//!  0  "SPDF"              24  f64×3 corner of a box    80  u32×2 0
//!  4  u32 version: 1      48  f64×3 size of the box    88  u32   1 if there are values, else 0
//!  8  u32 particles n     72  f32×2 least and largest  92  u32   0
//! 12  u32 frame                     value              96  n × u16×4 place in the box, fluid
//! 16  f64 time, s                                       …  n × u16   values, 65535: not a number
//! ```
//!
//! Little-endian. A page hands both arrays to the graphics card as they are. A sixteenth bit of a
//! tank of a metre is 15 µm; values have 65 535 steps between the least and the largest.

use glam::Vec3;
use splashdown_geometry::math::{Aabb, DVec3};
use splashdown_run::output::frame::Points;

/// What particles can be coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// In requests.
    pub name: &'static str,
    /// For people.
    pub label: &'static str,
    /// SI.
    pub unit: &'static str,
    /// Name of its colour ramp; empty for what is told by one colour each.
    pub ramp: &'static str,
}

/// Everything that frames store.
pub const QUANTITIES: [Quantity; 8] = [
    Quantity { name: "speed", label: "speed", unit: "m/s", ramp: "water" },
    Quantity { name: "pressure", label: "pressure", unit: "Pa", ramp: "ember" },
    Quantity { name: "density", label: "density", unit: "kg/m³", ramp: "meadow" },
    Quantity { name: "velocity_x", label: "velocity x", unit: "m/s", ramp: "water" },
    Quantity { name: "velocity_y", label: "velocity y", unit: "m/s", ramp: "water" },
    Quantity { name: "velocity_z", label: "velocity z", unit: "m/s", ramp: "water" },
    Quantity { name: "id", label: "id", unit: "", ramp: "meadow" },
    Quantity { name: "fluid", label: "fluid", unit: "", ramp: "" },
];

/// The quantity of that name.
pub fn quantity(name: &str) -> Option<Quantity> {
    QUANTITIES.into_iter().find(|quantity| quantity.name == name)
}

impl Quantity {
    /// Its value for every particle; none where the fluid says it all.
    pub fn values(&self, points: &Points) -> Vec<f32> {
        let component = |axis: usize| points.velocity.iter().map(|v| v[axis]).collect();
        match self.name {
            "speed" => points.velocity.iter().map(|&v| Vec3::from_array(v).length()).collect(),
            "pressure" => points.pressure.clone(),
            "density" => points.density.clone(),
            "velocity_x" => component(0),
            "velocity_y" => component(1),
            "velocity_z" => component(2),
            "id" => points.id.iter().map(|&id| id as f32).collect(),
            _ => Vec::new(),
        }
    }
}

/// Bytes before the particles.
const HEAD: usize = 96;
const NOT_A_NUMBER: u16 = u16::MAX;
const STEPS: f64 = 65534.0;

/// Encodes a frame. Particles that are nowhere are left out.
pub fn encode(points: &Points, index: u64, time: f64, quantity: Quantity) -> Vec<u8> {
    let sound = |p: &&DVec3| p.is_finite();
    let mut bounds = Aabb::around(points.position.iter().filter(sound).copied());
    if !bounds.min.is_finite() {
        bounds = Aabb { min: DVec3::ZERO, max: DVec3::ZERO };
    }
    let size = bounds.size();
    let values = quantity.values(points);
    let [least, largest] = extremes(&values);
    let n = points.position.iter().filter(sound).count();
    let length = HEAD + n * if values.is_empty() { 8 } else { 10 };
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(b"SPDF");
    for word in [1, n as u32, index as u32] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    let [low, high] = [bounds.min.to_array(), size.to_array()];
    for x in [time].into_iter().chain(low).chain(high) {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    for x in [least, largest] {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    for word in [0, 0, u32::from(!values.is_empty()), 0] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }

    bytes.resize(length, 0);
    let (place_bytes, value_bytes) = bytes[HEAD..].split_at_mut(8 * n);
    let scale = DVec3::from(size.to_array().map(|s| if s > 0.0 { 65535.0 / s } else { 0.0 }));
    let places = points.position.iter().zip(&points.fluid).filter(|(p, _)| p.is_finite());
    for (out, (p, &fluid)) in place_bytes.chunks_exact_mut(8).zip(places) {
        let [x, y, z] = ((*p - bounds.min) * scale + 0.5).to_array().map(|x| u64::from(x as u16));
        let place = x | y << 16 | z << 32 | u64::from(fluid.min(65535)) << 48;
        out.copy_from_slice(&place.to_le_bytes());
    }
    let steps = quantizer([least, largest]);
    let values = values.iter().zip(&points.position).filter(|(_, p)| p.is_finite());
    for (out, (value, _)) in value_bytes.chunks_exact_mut(2).zip(values) {
        out.copy_from_slice(&steps(*value).to_le_bytes());
    }
    bytes
}

/// The least and the largest finite value.
pub fn extremes(values: &[f32]) -> [f32; 2] {
    let finite = values.iter().copied().filter(|v| v.is_finite());
    let [low, high] = finite.fold([f32::MAX, f32::MIN], |[a, b], v| [a.min(v), b.max(v)]);
    if low <= high { [low, high] } else { [0.0, 0.0] }
}

/// Turns values of a range into sixteen bits.
pub fn quantizer([low, high]: [f32; 2]) -> impl Fn(f32) -> u16 {
    let (low, high) = (f64::from(low), f64::from(high));
    let scale = if high > low { STEPS / (high - low) } else { 0.0 };
    move |value: f32| match value.is_finite() {
        true => ((f64::from(value) - low) * scale + 0.5).clamp(0.0, STEPS) as u16,
        false => NOT_A_NUMBER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Points {
        let place = |i: usize| DVec3::new(1e6 + i as f64 * 0.01, -2.0, (i % 7) as f64);
        Points {
            position: (0..100).map(place).collect(),
            velocity: (0..100).map(|i| [i as f32, 0.0, -3.0]).collect(),
            pressure: (0..100).map(|i| i as f32 * 10.0 - 200.0).collect(),
            density: vec![1000.0; 100],
            id: (0..100).collect(),
            fluid: (0..100).map(|i| i % 2).collect(),
        }
    }

    fn float(bytes: &[u8], at: usize) -> f64 {
        f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    fn short(bytes: &[u8], at: usize) -> u16 {
        u16::from_le_bytes([bytes[at], bytes[at + 1]])
    }

    #[test]
    fn particles_come_back_within_a_step_of_the_box() {
        let points = points();
        let bytes = encode(&points, 7, 0.25, quantity("pressure").unwrap());
        assert_eq!(bytes.len(), 96 + 100 * 10);
        assert_eq!(
            (&bytes[..4], bytes[8], bytes[12], float(&bytes, 16)),
            (&b"SPDF"[..], 100, 7, 0.25)
        );
        for i in 0..100 {
            for axis in 0..3 {
                let (min, size) = (float(&bytes, 24 + 8 * axis), float(&bytes, 48 + 8 * axis));
                let x = min + size * f64::from(short(&bytes, 96 + 8 * i + 2 * axis)) / 65535.0;
                assert!((x - points.position[i][axis]).abs() <= size / 65535.0, "{i} {axis}");
            }
            assert_eq!(u32::from(short(&bytes, 96 + 8 * i + 6)), points.fluid[i]);
            let value = -200.0 + 990.0 * f64::from(short(&bytes, 896 + 2 * i)) / STEPS;
            assert!((value - f64::from(points.pressure[i])).abs() < 0.02, "{value}");
        }
    }

    #[test]
    fn every_quantity_has_a_value_for_every_particle() {
        let points = points();
        for quantity in QUANTITIES {
            let bytes = encode(&points, 0, 0.0, quantity);
            let expected = if quantity.name == "fluid" { 8 } else { 10 };
            assert_eq!(bytes.len(), 96 + expected * 100, "{}", quantity.name);
        }
        assert_eq!(quantity("../../etc/passwd"), None);
    }

    #[test]
    fn particles_without_a_place_or_value_are_survived() {
        let mut points = points();
        points.position[3] = DVec3::NAN;
        points.pressure[5] = f32::NAN;
        points.pressure[6] = f32::INFINITY;
        let bytes = encode(&points, 0, 0.0, quantity("pressure").unwrap());
        assert_eq!(bytes.len(), 96 + 99 * 10);
        assert_eq!(short(&bytes, 96 + 99 * 8 + 2 * 4), NOT_A_NUMBER);
        points.position.fill(DVec3::NAN);
        assert_eq!(encode(&points, 0, 0.0, QUANTITIES[0]).len(), 96);
        assert_eq!(encode(&Points::default(), 0, 0.0, QUANTITIES[0]).len(), 96);
    }
}
