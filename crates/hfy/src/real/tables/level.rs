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
    /// A number so large that only whole cells can be added to it; the last digits of the sum number them.
    origin: f32,
    /// `slope / t_j`.
    rates: [f32; SIZE],
    /// `t_j^p 2^lift`.
    powers: [f32; SIZE],
}

impl Level {
    /// For the number `value + slope x`. The width of a cell is a power of two; where the number is not positive in its middle there is
    /// no such cell.
    #[inline(always)]
    pub(super) fn new((value, slope): (f64, f64), (origin, width): (f64, f64), (p, lift): (f64, f64)) -> Self {
        let mut powers: [f64; SIZE] = std::array::from_fn(|j| value + slope * (j as f64 - origin) * width);
        for number in &mut powers {
            *number = if *number > 0.0 { *number } else { value };
        }
        let rates = powers.map(|t| (slope / t) as f32);
        for number in &mut powers {
            *number = number.log2_times(p) + lift;
        }
        for number in &mut powers {
            *number = number.exp2_lanes();
        }
        // 1.5 * 2^23 is the least number of its size to which half a one cannot be added, nor subtracted.
        Level { origin: ((12_582_912.0 + origin) * width) as f32, rates, powers: powers.map(|power| power as f32) }
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
        origin: f32x16,
        rates: [f32x16; 2],
        powers: [f32x16; 2],
    }

    impl Level {
        #[inline(always)]
        pub(in super::super) fn load(&self, simd: V4) -> Loaded {
            let [origin] = splat(simd, &[self.origin]);
            Loaded { origin, rates: halves(&self.rates), powers: halves(&self.powers) }
        }
    }

    impl Loaded {
        /// `f` and `t_j^p`.
        #[inline(always)]
        pub(in super::super) fn at<const N: usize>(&self, simd: V4, mut x: [f32x16; N]) -> [[f32x16; N]; 2] {
            let mut cell = x;
            for i in 0..N {
                cell[i] = simd.add_f32s(x[i], self.origin);
            }
            for i in 0..N {
                // Additions, since lookups and multiplications wait for the same parts of a processor.
                x[i] = simd.sub_f32s(x[i], simd.sub_f32s(cell[i], self.origin));
            }
            for i in 0..N {
                x[i] = simd.mul_f32s(x[i], find(simd, self.rates, cell[i]));
                cell[i] = find(simd, self.powers, cell[i]);
            }
            [x, cell]
        }
    }
}
