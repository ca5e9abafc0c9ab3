//! Numbers that look random and are the same on every machine.

use crate::math::DQuat;

/// SplitMix64 (Steele, Lea & Flood 2014): the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A rotation; all are equally likely (Shoemake 1992, Uniform random rotations).
    pub fn rotation(&mut self) -> DQuat {
        let (u, a, b) = (self.unit(), self.unit(), self.unit());
        let (a, b) = (std::f64::consts::TAU * a, std::f64::consts::TAU * b);
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * a.sin(), p * a.cos(), q * b.sin(), q * b.cos())
    }
}
