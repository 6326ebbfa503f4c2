//! An interval in cells.
//!
//! In a cell with the middle `x_j`, where a number that rises with `x` at a slope is `t_j`, the number is `t_j (1 + f)` with
//! `f = (x - x_j) slope / t_j`. No digits are lost on the way to `f`.

use super::SIZE;
use crate::real::Real;

/// What makes `f` of `x`, and the powers of the `t_j`.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) struct Level {
    /// Cells in a unit.
    per_unit: f32,
    /// The number of the cell around zero.
    origin: f32,
    /// `x_j`.
    middles: [f32; SIZE],
    /// `slope / t_j`.
    rates: [f32; SIZE],
    /// `t_j^p 2^lift`.
    powers: [f32; SIZE],
}

impl Level {
    /// For the number `value + slope x`, positive in the middle of each cell.
    #[inline(always)]
    pub(super) fn new((value, slope): (f64, f64), (origin, width): (f64, f64), (p, lift): (f64, f64)) -> Self {
        let middles: [f32; SIZE] = std::array::from_fn(|j| ((j as f64 - origin) * width) as f32);
        let mut powers = middles.map(|x| value + slope * f64::from(x));
        let rates = powers.map(|t| (slope / t) as f32);
        for number in &mut powers {
            *number = number.log2_times(p) + lift;
        }
        for number in &mut powers {
            *number = number.exp2_lanes();
        }
        let powers = powers.map(|power| power as f32);
        Level { per_unit: (1.0 / width) as f32, origin: origin as f32, middles, rates, powers }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod vectors {
    use pulp::x86::V4;
    use pulp::{Simd, f32x16};

    use super::super::lookup::{find, halves, splat};
    use super::Level;

    #[derive(Clone, Copy)]
    pub(in super::super) struct Loaded {
        per_unit: f32x16,
        origin: f32x16,
        middles: [f32x16; 2],
        rates: [f32x16; 2],
        powers: [f32x16; 2],
    }

    impl Level {
        #[inline(always)]
        pub(in super::super) fn load(&self, simd: V4) -> Loaded {
            // 1.5 * 2^23: adding it rounds to an integer, and leaves that in the low bits.
            const ROUND: f32 = 12_582_912.0;
            let [per_unit, origin] = splat(simd, &[self.per_unit, ROUND + self.origin]);
            let (middles, rates, powers) = (halves(&self.middles), halves(&self.rates), halves(&self.powers));
            Loaded { per_unit, origin, middles, rates, powers }
        }
    }

    impl Loaded {
        /// `f` and `t_j^p`.
        #[inline(always)]
        pub(in super::super) fn at(&self, simd: V4, x: f32x16) -> [f32x16; 2] {
            let cell = simd.mul_add_e_f32s(x, self.per_unit, self.origin);
            let f = simd.mul_f32s(simd.sub_f32s(x, find(simd, self.middles, cell)), find(simd, self.rates, cell));
            [f, find(simd, self.powers, cell)]
        }
    }
}
