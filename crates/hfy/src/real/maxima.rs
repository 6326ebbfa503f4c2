//! The maximum of each block of a row, and a copy of the row in the same pass: what comes from memory is waited for once. The least
//! entry of a row.
//!
//! Written on vector types: what compilers make of it takes twice as many instructions.

use pulp::{Simd, WithSimd};

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Maxima: Sized {
    /// Writes the maximum of each block of `BLOCK` entries; false where an entry is NaN or plus infinity, or so large that it could be.
    fn block_maxima<const BLOCK: usize>(row: &[Self], blocks: &mut Vec<Self>) -> bool;

    /// The same, and writes a copy of the row, as long, and the least entry, where that is asked for.
    fn copied_maxima<const BLOCK: usize>(
        row: &[Self],
        copy: &mut [Self],
        blocks: &mut Vec<Self>,
        least: Option<&mut Self>,
    ) -> bool;

    /// The least entry; infinity for none.
    fn minimum(row: &[Self]) -> Self;
}

macro_rules! maxima {
    (
        $module:ident, $t:ident, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $add:ident, $min:ident, $max:ident, $less:ident,
        $and:ident, $select:ident, $reduce_max:ident, $reduce_min:ident
    ) => {
        mod $module {
            use super::*;

            /// Over a row, into as many numbers as there are blocks; into a copy that is empty unless it is asked for. Whether the
            /// entries are sound, and the least of them, if that is asked for.
            pub(super) struct Work<'w, const BLOCK: usize, const COPY: bool, const LEAST: bool>(
                pub &'w [$t],
                pub &'w mut [$t],
                pub &'w mut [$t],
            );

            impl<const BLOCK: usize, const COPY: bool, const LEAST: bool> WithSimd for Work<'_, BLOCK, COPY, LEAST> {
                type Output = (bool, $t);

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> (bool, $t) {
                    let Work(row, tops, copy) = self;
                    let infinity = simd.$splat($t::INFINITY);
                    let mut sound = simd.$less(simd.$splat(0.0), infinity);
                    let mut least = infinity;
                    let (whole, rest) = row.as_chunks::<BLOCK>();
                    let (mut copies, copied_rest) = copy.split_at_mut(if COPY { whole.len() * BLOCK } else { 0 });
                    let (whole_tops, rest_top) = tops.split_at_mut(whole.len());
                    for (block, block_top) in whole.iter().zip(whole_tops) {
                        let (vectors, _) = S::$as_simd(block);
                        // A sum is not finite if one of its terms is not.
                        let (mut top, mut sum) = (vectors[0], vectors[0]);
                        for &x in &vectors[1..] {
                            top = simd.$max(x, top);
                            sum = simd.$add(x, sum);
                        }
                        sound = simd.$and(sound, simd.$less(sum, infinity));
                        if LEAST {
                            for &x in vectors {
                                least = simd.$min(x, least);
                            }
                        }
                        if COPY {
                            let (copied, others) = copies.split_at_mut(BLOCK);
                            let (copied, _) = S::$as_mut_simd(copied);
                            copied.copy_from_slice(vectors);
                            copies = others;
                        }
                        *block_top = simd.$reduce_max(top);
                    }
                    for top in rest_top {
                        *top = rest.iter().copied().fold($t::NEG_INFINITY, $t::max);
                    }
                    if COPY {
                        copied_rest.copy_from_slice(rest);
                    }
                    let sound = simd.$select(sound, simd.$splat(1.0), simd.$splat(0.0));
                    let is_sound = simd.$reduce_min(sound) == 1.0 && rest.iter().all(|&x| x < $t::INFINITY);
                    (is_sound, rest.iter().copied().fold(simd.$reduce_min(least), $t::min))
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
                blocks.resize(row.len().div_ceil(BLOCK), 0.0);
                pulp::Arch::new().dispatch($module::Work::<BLOCK, false, false>(row, blocks, &mut [])).0
            }

            fn copied_maxima<const BLOCK: usize>(
                row: &[$t],
                copy: &mut [$t],
                blocks: &mut Vec<$t>,
                least: Option<&mut $t>,
            ) -> bool {
                blocks.resize(row.len().div_ceil(BLOCK), 0.0);
                let arch = pulp::Arch::new();
                let Some(least) = least else {
                    return arch.dispatch($module::Work::<BLOCK, true, false>(row, blocks, copy)).0;
                };
                let (is_sound, found) = arch.dispatch($module::Work::<BLOCK, true, true>(row, blocks, copy));
                *least = found;
                is_sound
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
    add_f32s,
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
    add_f64s,
    min_f64s,
    max_f64s,
    less_than_f64s,
    and_m64s,
    select_f64s,
    reduce_max_f64s,
    reduce_min_f64s
);
