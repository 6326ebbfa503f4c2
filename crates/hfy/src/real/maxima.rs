//! The maximum of each block of a row, and a copy of the row in the same pass: what comes from memory is waited for once. The least
//! entry of a row.
//!
//! Written on vector types: what compilers make of it takes twice as many instructions.

use pulp::{Simd, WithSimd};

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Maxima: Sized {
    /// Appends the maximum of each block of `BLOCK` entries; false where an entry is NaN or plus infinity.
    fn block_maxima<const BLOCK: usize>(row: &[Self], blocks: &mut Vec<Self>) -> bool;

    /// The same, and writes a copy of the row, as long.
    fn copied_maxima<const BLOCK: usize>(row: &[Self], copy: &mut [Self], blocks: &mut Vec<Self>) -> bool;

    /// The least entry; infinity for none.
    fn minimum(row: &[Self]) -> Self;
}

macro_rules! maxima {
    ($module:ident, $t:ident, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $min:ident, $max:ident, $less:ident, $and:ident, $select:ident, $reduce_max:ident, $reduce_min:ident) => {
        mod $module {
            use super::*;

            /// Over a row, into blocks; into a copy that is empty unless it is asked for.
            pub(super) struct Work<'w, const BLOCK: usize, const COPY: bool>(
                pub &'w [$t],
                pub &'w mut Vec<$t>,
                pub &'w mut [$t],
            );

            impl<const BLOCK: usize, const COPY: bool> WithSimd for Work<'_, BLOCK, COPY> {
                type Output = bool;

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> bool {
                    let Work(row, blocks, copy) = self;
                    let infinity = simd.$splat($t::INFINITY);
                    let mut sound = simd.$less(simd.$splat(0.0), infinity);
                    let (whole, rest) = row.as_chunks::<BLOCK>();
                    let (mut copies, copied_rest) = copy.split_at_mut(if COPY { whole.len() * BLOCK } else { 0 });
                    for block in whole {
                        let (vectors, _) = S::$as_simd(block);
                        let mut top = simd.$splat($t::NEG_INFINITY);
                        for &x in vectors {
                            sound = simd.$and(sound, simd.$less(x, infinity));
                            top = simd.$max(x, top);
                        }
                        if COPY {
                            let (copied, others) = copies.split_at_mut(BLOCK);
                            let (copied, _) = S::$as_mut_simd(copied);
                            copied.copy_from_slice(vectors);
                            copies = others;
                        }
                        blocks.push(simd.$reduce_max(top));
                    }
                    if !rest.is_empty() {
                        blocks.push(rest.iter().copied().fold($t::NEG_INFINITY, $t::max));
                    }
                    if COPY {
                        copied_rest.copy_from_slice(rest);
                    }
                    let sound = simd.$select(sound, simd.$splat(1.0), simd.$splat(0.0));
                    simd.$reduce_min(sound) == 1.0 && rest.iter().all(|&x| x < $t::INFINITY)
                }
            }

            pub(super) struct Least<'w>(pub &'w [$t]);

            impl WithSimd for Least<'_> {
                type Output = $t;

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> $t {
                    let (head, rest) = S::$as_simd(self.0);
                    let (fours, ones) = head.as_chunks::<4>();
                    let mut least = [simd.$splat($t::INFINITY); 4];
                    for x in fours {
                        for i in 0..4 {
                            least[i] = simd.$min(x[i], least[i]);
                        }
                    }
                    for &x in ones {
                        least[0] = simd.$min(x, least[0]);
                    }
                    let least = simd.$min(simd.$min(least[0], least[1]), simd.$min(least[2], least[3]));
                    rest.iter().copied().fold(simd.$reduce_min(least), $t::min)
                }
            }
        }

        impl Maxima for $t {
            fn minimum(row: &[$t]) -> $t {
                pulp::Arch::new().dispatch($module::Least(row))
            }

            fn block_maxima<const BLOCK: usize>(row: &[$t], blocks: &mut Vec<$t>) -> bool {
                pulp::Arch::new().dispatch($module::Work::<BLOCK, false>(row, blocks, &mut []))
            }

            fn copied_maxima<const BLOCK: usize>(row: &[$t], copy: &mut [$t], blocks: &mut Vec<$t>) -> bool {
                pulp::Arch::new().dispatch($module::Work::<BLOCK, true>(row, blocks, copy))
            }
        }
    };
}

maxima!(
    singles,
    f32,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    min_f32s,
    max_f32s,
    less_than_f32s,
    and_m32s,
    select_f32s,
    reduce_max_f32s,
    reduce_min_f32s
);
maxima!(
    doubles,
    f64,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    min_f64s,
    max_f64s,
    less_than_f64s,
    and_m64s,
    select_f64s,
    reduce_max_f64s,
    reduce_min_f64s
);
