//! Vectors of numbers of one type, whatever the instruction set.

use pulp::Simd;

/// What an instruction set does with vectors of `T`.
pub trait Vectors<T>: Simd {
    /// A vector.
    type V: Copy;
    /// How many numbers it has.
    const LANES: usize;

    /// The vectors that lie one after the other in `numbers`, of which there are a multiple of `LANES`.
    fn vectors(numbers: &mut [T]) -> &mut [Self::V];
    fn splat(self, x: T) -> Self::V;
    fn add(self, x: Self::V, y: Self::V) -> Self::V;
    fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    fn mul(self, x: Self::V, y: Self::V) -> Self::V;
    fn div(self, x: Self::V, y: Self::V) -> Self::V;
    fn sqrt(self, x: Self::V) -> Self::V;
    /// The greater of each two numbers; the second where one is NaN.
    fn greatest(self, x: Self::V, y: Self::V) -> Self::V;
    /// The lesser of each two numbers; the second where one is NaN.
    fn least(self, x: Self::V, y: Self::V) -> Self::V;
    /// Those of `yes` where `x` exceeds `y`, else those of `no`.
    fn where_greater(self, x: Self::V, y: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// Whether `x` exceeds `y` in any lane.
    fn any_greater(self, x: Self::V, y: Self::V) -> bool;
}

macro_rules! vectors {
    (
        $t:ident, $v:ident, $as_mut_simd:ident, $lanes:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident,
        $div:ident, $sqrt:ident, $max:ident, $min:ident, $greater:ident, $select:ident, $reduce_max:ident
    ) => {
        impl<S: Simd> Vectors<$t> for S {
            type V = S::$v;
            const LANES: usize = S::$lanes;

            #[inline(always)]
            fn vectors(numbers: &mut [$t]) -> &mut [S::$v] {
                S::$as_mut_simd(numbers).0
            }
            #[inline(always)]
            fn splat(self, x: $t) -> S::$v {
                self.$splat(x)
            }
            #[inline(always)]
            fn add(self, x: S::$v, y: S::$v) -> S::$v {
                self.$add(x, y)
            }
            #[inline(always)]
            fn sub(self, x: S::$v, y: S::$v) -> S::$v {
                self.$sub(x, y)
            }
            #[inline(always)]
            fn mul(self, x: S::$v, y: S::$v) -> S::$v {
                self.$mul(x, y)
            }
            #[inline(always)]
            fn div(self, x: S::$v, y: S::$v) -> S::$v {
                self.$div(x, y)
            }
            #[inline(always)]
            fn sqrt(self, x: S::$v) -> S::$v {
                self.$sqrt(x)
            }
            #[inline(always)]
            fn greatest(self, x: S::$v, y: S::$v) -> S::$v {
                self.$max(x, y)
            }
            #[inline(always)]
            fn least(self, x: S::$v, y: S::$v) -> S::$v {
                self.$min(x, y)
            }
            #[inline(always)]
            fn where_greater(self, x: S::$v, y: S::$v, yes: S::$v, no: S::$v) -> S::$v {
                self.$select(self.$greater(x, y), yes, no)
            }
            #[inline(always)]
            fn any_greater(self, x: S::$v, y: S::$v) -> bool {
                let (one, zero) = (self.$splat(1.0), self.$splat(0.0));
                self.$reduce_max(self.$select(self.$greater(x, y), one, zero)) > 0.0
            }
        }
    };
}

vectors!(
    f32,
    f32s,
    as_mut_simd_f32s,
    F32_LANES,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    div_f32s,
    sqrt_f32s,
    max_f32s,
    min_f32s,
    greater_than_f32s,
    select_f32s,
    reduce_max_f32s
);
vectors!(
    f64,
    f64s,
    as_mut_simd_f64s,
    F64_LANES,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    div_f64s,
    sqrt_f64s,
    max_f64s,
    min_f64s,
    greater_than_f64s,
    select_f64s,
    reduce_max_f64s
);
