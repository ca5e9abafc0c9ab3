//! What the solvers stream: one record for each neighbour of each particle.
//!
//! A pressure iteration reads every pair twice and does four operations on it, so its speed is the
//! speed at which memory delivers pairs. A fluid pair is therefore eight bytes: three 16-bit
//! fixed-point numbers for the kernel gradient and a 16-bit slot in the chunk's halo
//! (`neighbors::Chunk`). Rounding is symmetric, so g_ij = −g_ji holds to the last bit and momentum
//! is conserved as in exact arithmetic; its size, 1/64 000 of the steepest gradient, is far below
//! what SPH itself gets wrong.

use glam::Vec4;

/// A fluid neighbour: the kernel gradient in units of `unit`, and its slot in the chunk's halo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(8))]
pub struct Pair {
    gradient: [i16; 3],
    /// Twice the slot: processors multiply an index by eight for free, not by the 16 bytes of a
    /// value.
    twice_slot: u16,
}

/// Steps from zero to the steepest gradient of a kernel.
const STEPS: f32 = 32_000.0;
/// 1.5 · 2²³: adding it to a small number leaves the nearest integer in the low bits.
const ROUNDING: f32 = 12_582_912.0;

/// What one step of a stored gradient is worth, for kernels no steeper than `steepest`.
pub(crate) fn unit(steepest: f32) -> f32 {
    steepest / STEPS
}

/// The integer nearest to `x` (|x| ≤ 32 767), as a number and as bits of which the lower 16 count.
/// Written with an addition because that rounds alike on every processor and in every lane.
#[inline(always)]
pub(crate) fn quantise(x: f32) -> (f32, u32) {
    let shifted = x + ROUNDING;
    (shifted - ROUNDING, shifted.to_bits())
}

impl Pair {
    /// From quantised components.
    #[inline(always)]
    pub fn new(gradient: [i16; 3], slot: u16) -> Pair {
        Pair { gradient, twice_slot: 2 * slot }
    }

    /// One that adds nothing to any sum.
    pub const NONE: Pair = Pair { gradient: [0; 3], twice_slot: 0 };

    /// Place of the neighbour in the chunk's halo.
    #[inline(always)]
    pub fn slot(self) -> usize {
        usize::from(self.twice_slot) / 2
    }

    /// Twice the slot, read from memory by itself. The compiler would otherwise take these bits out
    /// of the vector register that it loads for the gradient, which costs twice as much.
    #[inline(always)]
    pub(super) fn twice_slot(&self) -> usize {
        // SAFETY: a reference is valid for reads.
        usize::from(unsafe { std::ptr::read_volatile(&raw const self.twice_slot) })
    }

    /// The gradient in units of `unit` in the first three lanes; the fourth holds a finite number
    /// without meaning.
    #[inline(always)]
    pub fn gradient4(self) -> Vec4 {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::*;
            // Each 16-bit number goes to the upper half of 32 bits; the arithmetic shift brings it
            // down again with its sign.
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let raw = _mm_cvtsi64_si128(bytemuck::cast(self));
                let wide = _mm_srai_epi32::<16>(_mm_unpacklo_epi16(raw, raw));
                Vec4::from(_mm_cvtepi32_ps(wide))
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let [x, y, z] = self.gradient.map(f32::from);
            Vec4::new(x, y, z, 0.0)
        }
    }
}

/// A wall neighbour: the gradient times the wall weight, and the index of the wall particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPair {
    /// φ′ β hᵈ⁺¹ ∇W (`WallDensity`).
    pub gradient: [f32; 3],
    /// Index into `Particles`.
    pub index: u32,
}

impl WallPair {
    /// Makes the wall's sample count `factor` times as much.
    pub fn scale(&mut self, factor: f32) {
        self.gradient = self.gradient.map(|g| factor * g);
    }

    /// The gradient with a zero behind it.
    #[inline(always)]
    pub fn gradient4(self) -> Vec4 {
        let [x, y, z] = self.gradient;
        Vec4::new(x, y, z, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantised_gradients_come_back_and_are_antisymmetric() {
        for i in -32_000..=32_000i16 {
            let x = f32::from(i) + 0.3 * f32::from(i % 2);
            let (value, bits) = quantise(x);
            assert_eq!(value, x.round());
            assert_eq!(f32::from(bits as i16), value);
            assert_eq!(quantise(-x).1 as i16, -(bits as i16));
        }
        let pair = Pair::new([1, -2, 31_999], 32_000);
        assert_eq!(pair.gradient4().truncate().to_array(), [1.0, -2.0, 31_999.0]);
        assert_eq!(pair.slot(), 32_000);
    }
}
