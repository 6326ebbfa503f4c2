//! The maximum of each block of a row, and a copy of the row in the same pass: what comes from memory is waited for once. The least
//! entry of a row.
//!
//! Written on vector types: what compilers make of it takes twice as many instructions.

use pulp::{Simd, WithSimd};

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Maxima: Sized {
    /// Writes the maximum of each block of `BLOCK` entries, a copy of the row, where there is room for it, and the least entry, where that
    /// is asked for; false where an entry is NaN or plus infinity, or so large that it could be.
    fn block_maxima<const BLOCK: usize>(
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
        $module:ident, $t:ident, $vector:ident, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $add:ident, $min:ident, $max:ident, $less:ident,
        $select:ident, $reduce_max:ident, $reduce_min:ident
    ) => {
        pub(super) mod $module {
            use super::*;

            /// Over a row, into as many numbers as there are blocks, and into room for a copy, or none. Whether the entries are sound, and
            /// the least of them, if that is asked for.
            pub(super) struct Work<'w, const BLOCK: usize, const LEAST: bool>(
                pub &'w [$t],
                pub &'w mut [$t],
                pub &'w mut [$t],
            );

            impl<const BLOCK: usize, const LEAST: bool> WithSimd for Work<'_, BLOCK, LEAST> {
                type Output = (bool, $t);

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> (bool, $t) {
                    let Work(row, tops, copy) = self;
                    let mut seen = Seen::new(simd);
                    let (whole, rest) = row.as_chunks::<BLOCK>();
                    let (whole_tops, rest_top) = tops.split_at_mut(whole.len());
                    let (copies, copied_rest) = copy.as_chunks_mut::<BLOCK>();
                    for (i, (block, top)) in whole.iter().zip(whole_tops).enumerate() {
                        *top = seen.block::<LEAST, BLOCK>(block, copies.get_mut(i));
                    }
                    if !copied_rest.is_empty() {
                        copied_rest.copy_from_slice(rest);
                    }
                    for top in rest_top {
                        *top = rest.iter().copied().fold($t::NEG_INFINITY, $t::max);
                    }
                    seen.end(rest)
                }
            }

            /// What is known of the blocks so far.
            pub(in crate::real) struct Seen<S: Simd> {
                simd: S,
                sums: [S::$vector; 2],
                least: S::$vector,
            }

            impl<S: Simd> Seen<S> {
                #[inline(always)]
                pub(in crate::real) fn new(simd: S) -> Self {
                    Seen { simd, sums: [simd.$splat(0.0); 2], least: simd.$splat($t::INFINITY) }
                }

                /// The maximum of a block, which is copied, if there is room.
                #[inline(always)]
                pub(in crate::real) fn block<const LEAST: bool, const BLOCK: usize>(
                    &mut self,
                    block: &[$t; BLOCK],
                    copy: Option<&mut [$t; BLOCK]>,
                ) -> $t {
                    let (simd, (block, _)) = (self.simd, S::$as_simd(block));
                    let mut top = block[0];
                    for (i, &x) in block.iter().enumerate() {
                        self.sums[i % 2] = simd.$add(x, self.sums[i % 2]);
                        top = simd.$max(x, top);
                        if LEAST {
                            self.least = simd.$min(x, self.least);
                        }
                    }
                    if let Some(copy) = copy {
                        S::$as_mut_simd(copy).0.copy_from_slice(block);
                    }
                    simd.$reduce_max(top)
                }

                /// Whether the blocks and what follows them are sound, and the least of the entries.
                #[inline(always)]
                pub(in crate::real) fn end(self, rest: &[$t]) -> (bool, $t) {
                    let Seen { simd, sums, least } = self;
                    // A sum is not finite if one of its terms is not.
                    let sound = simd.$less(simd.$add(sums[0], sums[1]), simd.$splat($t::INFINITY));
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

            fn block_maxima<const BLOCK: usize>(
                row: &[$t],
                copy: &mut [$t],
                blocks: &mut Vec<$t>,
                least: Option<&mut $t>,
            ) -> bool {
                blocks.resize(row.len().div_ceil(BLOCK), 0.0);
                let arch = pulp::Arch::new();
                let Some(least) = least else {
                    return arch.dispatch($module::Work::<BLOCK, false>(row, blocks, copy)).0;
                };
                let is_sound;
                (is_sound, *least) = arch.dispatch($module::Work::<BLOCK, true>(row, blocks, copy));
                is_sound
            }
        }
    };
}

maxima!(
    singles,
    f32,
    f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    min_f32s,
    max_f32s,
    less_than_f32s,
    select_f32s,
    reduce_max_f32s,
    reduce_min_f32s
);
maxima!(
    doubles,
    f64,
    f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    min_f64s,
    max_f64s,
    less_than_f64s,
    select_f64s,
    reduce_max_f64s,
    reduce_min_f64s
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_its_maximum() {
        for n in [1, 31, 32, 33, 511, 512, 513, 544, 1023, 1024, 1500, 5003] {
            // Each place of a block holds its maximum somewhere.
            let row: Vec<f32> = (0..n).map(|i| ((i * 7919 + i / 32 * 13) % 1009) as f32).collect();
            let expected: Vec<f32> =
                row.chunks(32).map(|block| block.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect();
            let wide: Vec<f64> = row.iter().map(|&x| x.into()).collect();
            let (mut blocks, mut least) = (vec![], -1.0);
            let mut copy = vec![-1.0; n];
            assert!(f32::block_maxima::<32>(&row, &mut [], &mut blocks, None) && blocks == expected, "{n}");
            assert!(
                f32::block_maxima::<32>(&row, &mut copy, &mut blocks, Some(&mut least)) && blocks == expected,
                "{n}"
            );
            assert_eq!(copy, row);
            assert_eq!(least, row.iter().copied().fold(f32::INFINITY, f32::min), "{n}");
            let mut blocks = vec![];
            assert!(f64::block_maxima::<32>(&wide, &mut [], &mut blocks, None), "{n}");
            assert!(blocks.iter().zip(&expected).all(|(&a, &b)| a == f64::from(b)), "{n}");
        }
    }

    #[test]
    fn what_is_no_score_is_seen_wherever_it_is() {
        for bad in [f32::NAN, f32::INFINITY] {
            for place in [0, 37, 511, 512, 700, 1040] {
                let mut row = vec![0.0; 1041];
                row[place] = bad;
                assert!(!f32::block_maxima::<32>(&row, &mut [], &mut vec![], None), "{bad} at {place}");
            }
        }
    }
}
