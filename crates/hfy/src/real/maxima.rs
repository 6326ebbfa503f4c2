//! The maximum of each block of a row.
//!
//! Written on vector types: what compilers make of it takes twice as many instructions.

use pulp::{Simd, WithSimd};

/// The type-specific work behind [`Real::block_maxima`](super::Real::block_maxima).
pub(super) trait Maxima: Sized {
    /// Appends the maximum of each block of `BLOCK` entries; false where an entry is NaN or plus infinity.
    fn block_maxima<const BLOCK: usize>(row: &[Self], blocks: &mut Vec<Self>) -> bool;
}

macro_rules! maxima {
    ($t:ident, $as_simd:ident, $splat:ident, $max:ident, $less:ident, $and:ident, $select:ident, $reduce_max:ident, $reduce_min:ident) => {
        impl Maxima for $t {
            fn block_maxima<const BLOCK: usize>(row: &[$t], blocks: &mut Vec<$t>) -> bool {
                struct Work<'w, const BLOCK: usize>(&'w [$t], &'w mut Vec<$t>);

                impl<const BLOCK: usize> WithSimd for Work<'_, BLOCK> {
                    type Output = bool;

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> bool {
                        let Work(row, blocks) = self;
                        let infinity = simd.$splat($t::INFINITY);
                        let mut sound = simd.$less(simd.$splat(0.0), infinity);
                        let (whole, rest) = row.as_chunks::<BLOCK>();
                        for block in whole {
                            let (vectors, _) = S::$as_simd(block);
                            let mut top = simd.$splat($t::NEG_INFINITY);
                            for &x in vectors {
                                sound = simd.$and(sound, simd.$less(x, infinity));
                                top = simd.$max(x, top);
                            }
                            blocks.push(simd.$reduce_max(top));
                        }
                        if !rest.is_empty() {
                            blocks.push(rest.iter().copied().fold($t::NEG_INFINITY, $t::max));
                        }
                        let sound = simd.$select(sound, simd.$splat(1.0), simd.$splat(0.0));
                        simd.$reduce_min(sound) == 1.0 && rest.iter().all(|&x| x < $t::INFINITY)
                    }
                }

                pulp::Arch::new().dispatch(Work::<BLOCK>(row, blocks))
            }
        }
    };
}

maxima!(
    f32,
    as_simd_f32s,
    splat_f32s,
    max_f32s,
    less_than_f32s,
    and_m32s,
    select_f32s,
    reduce_max_f32s,
    reduce_min_f32s
);
maxima!(
    f64,
    as_simd_f64s,
    splat_f64s,
    max_f64s,
    less_than_f64s,
    and_m64s,
    select_f64s,
    reduce_max_f64s,
    reduce_min_f64s
);
