//! Colours: sRGB, linear light, and ramps that are even to the eye.
//!
//! Ramps are given as a few colours in Oklab (Ottosson 2020) with lightness rising from end to end,
//! so that equal differences of a quantity look like equal differences.

use glam::Vec3;

/// A colour in linear light.
pub type Linear = Vec3;

/// From sRGB as written in style sheets.
pub fn srgb(hex: u32) -> Linear {
    let channel = |shift: u32| {
        let c = (hex >> shift & 255) as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::new(channel(16), channel(8), channel(0))
}

/// To sRGB bytes, by a table: `powf` for every pixel would cost more than drawing it.
#[derive(Debug)]
pub struct ToSrgb(Vec<u8>);

const STEPS: f32 = 4095.0;

impl ToSrgb {
    /// Makes the table.
    #[allow(clippy::new_without_default)]
    pub fn new() -> ToSrgb {
        let encode = |k: usize| {
            // The table is even in the square root, where sRGB is nearly straight.
            let c = (k as f32 / STEPS).powi(2);
            let s = if c <= 0.0031308 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
            (s * 255.0).round() as u8
        };
        ToSrgb((0..=STEPS as usize).map(encode).collect())
    }

    /// Bytes of a colour; what is too bright or not a number is clipped.
    pub fn bytes(&self, color: Linear) -> [u8; 3] {
        let index = |c: f32| (c.max(0.0).sqrt().min(1.0) * STEPS + 0.5) as usize;
        color.to_array().map(|c| self.0[index(c)])
    }
}

/// A colour ramp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ramp {
    /// From deep water to foam, for speeds.
    Water,
    /// From violet over red to yellow, for pressures.
    Ember,
    /// From blue over green to yellow, for densities.
    Meadow,
}

impl Ramp {
    /// Colours in Oklab: lightness, green to red, blue to yellow.
    fn stops(self) -> &'static [[f32; 3]] {
        match self {
            Ramp::Water => &[
                [0.34, -0.010, -0.135],
                [0.48, -0.035, -0.150],
                [0.63, -0.070, -0.125],
                [0.78, -0.090, -0.070],
                [0.90, -0.060, -0.010],
                [0.97, -0.010, 0.015],
            ],
            Ramp::Ember => &[
                [0.30, 0.050, -0.130],
                [0.44, 0.120, -0.090],
                [0.57, 0.170, 0.010],
                [0.69, 0.130, 0.100],
                [0.82, 0.040, 0.145],
                [0.94, -0.030, 0.120],
            ],
            Ramp::Meadow => &[
                [0.32, 0.020, -0.120],
                [0.46, -0.040, -0.090],
                [0.60, -0.090, -0.010],
                [0.73, -0.120, 0.070],
                [0.86, -0.080, 0.150],
                [0.95, -0.030, 0.150],
            ],
        }
    }

    /// The colour at `t` from 0 to 1.
    pub fn at(self, t: f32) -> Linear {
        let stops = self.stops();
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        let x = t * (stops.len() - 1) as f32;
        let k = (x as usize).min(stops.len() - 2);
        let (a, b) = (Vec3::from(stops[k]), Vec3::from(stops[k + 1]));
        oklab(a.lerp(b, x - k as f32))
    }

    /// The ramp as a table, for many lookups.
    pub fn table(self) -> Vec<Linear> {
        (0..256).map(|k| self.at(k as f32 / 255.0)).collect()
    }
}

/// From Oklab to linear light, clipped to what a screen can show.
pub fn oklab(lab: Vec3) -> Linear {
    let Vec3 { x: lightness, y: a, z: b } = lab;
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    let rgb = Vec3::new(
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    );
    rgb.clamp(Vec3::ZERO, Vec3::ONE)
}

/// Colours of fluids, by their number.
pub fn of_fluid(k: usize) -> Linear {
    const COLORS: [u32; 6] = [0x2f7fc1, 0xe0913a, 0x4ba36b, 0xb8518f, 0x8a7bd1, 0xc9b13c];
    srgb(COLORS[k % COLORS.len()])
}

/// Colours of solids, by their number.
pub fn of_solid(k: usize) -> Linear {
    const COLORS: [u32; 5] = [0xc9865a, 0xb9a684, 0x94a1af, 0xa5735f, 0x8a996f];
    srgb(COLORS[k % COLORS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_bytes_read_back_as_they_were() {
        let to_srgb = ToSrgb::new();
        for byte in 0..=255u32 {
            let got = to_srgb.bytes(srgb(byte << 16 | byte << 8 | byte));
            assert!(got.iter().all(|&g| u32::from(g).abs_diff(byte) <= 1), "{byte}: {got:?}");
        }
        assert_eq!(to_srgb.bytes(Vec3::new(7.0, f32::NAN, -1.0)), [255, 0, 0]);
    }

    #[test]
    fn ramps_get_lighter_from_end_to_end() {
        for ramp in [Ramp::Water, Ramp::Ember, Ramp::Meadow] {
            let light = |c: Vec3| c.dot(Vec3::new(0.2126, 0.7152, 0.0722));
            let table = ramp.table();
            assert!(table.windows(2).all(|w| light(w[1]) > light(w[0])), "{ramp:?}");
            assert!(light(table[0]) < 0.08 && light(table[255]) > 0.7, "{ramp:?}");
        }
    }
}
