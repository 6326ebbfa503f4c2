//! Vectors of numbers of one type, whatever the instruction set.

use pulp::{Simd, WithSimd};

use crate::tier;

/// Operations of an instruction set on vectors of `T`.
pub trait Vectors<T>: Simd {
    /// A vector.
    type V: Copy;
    /// How many numbers it has.
    const LANES: usize;

    /// The vectors that lie one after the other in `numbers`, and what does not fill one.
    fn vectors(numbers: &[T]) -> (&[Self::V], &[T]);
    /// The same, to be written.
    fn vectors_mut(numbers: &mut [T]) -> (&mut [Self::V], &mut [T]);
    /// The same number in all lanes.
    fn splat(self, x: T) -> Self::V;
    /// `x + y`.
    fn add(self, x: Self::V, y: Self::V) -> Self::V;
    /// `x - y`.
    fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    /// `x y`.
    fn mul(self, x: Self::V, y: Self::V) -> Self::V;
    /// `x / y`.
    fn div(self, x: Self::V, y: Self::V) -> Self::V;
    /// `x y + z`, rounded once where one instruction does it.
    fn mul_add(self, x: Self::V, y: Self::V, z: Self::V) -> Self::V;
    /// `√x`.
    fn sqrt(self, x: Self::V) -> Self::V;
    /// The greater of each two numbers; the second where one is NaN.
    fn max(self, x: Self::V, y: Self::V) -> Self::V;
    /// The lesser of each two numbers; the second where one is NaN.
    fn min(self, x: Self::V, y: Self::V) -> Self::V;
    /// Those of `yes` where `x` exceeds `y`, else those of `no`.
    fn where_greater(self, x: Self::V, y: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// The sum of the lanes.
    fn reduce_sum(self, x: Self::V) -> T;
    /// The greatest of the lanes.
    fn reduce_max(self, x: Self::V) -> T;
    /// The least of the lanes.
    fn reduce_min(self, x: Self::V) -> T;
    /// Whether `x` exceeds `y` in any lane.
    fn any_greater(self, x: Self::V, y: Self::V) -> bool;
}

/// Work on vectors of `T` that is compiled for each instruction set.
pub trait Kernel<T> {
    /// What it returns.
    type Output;

    /// Does it.
    fn run<S: Vectors<T>>(self, simd: S) -> Self::Output;
}

/// A type whose vectors all instruction sets have.
pub trait Dispatch: Sized {
    /// Runs a kernel with the best instructions at hand.
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output;

    /// Runs a kernel on one lane; its loops over slices are compiled for the best instructions as in
    /// [`dispatch`](Self::dispatch), so that the bits are the same.
    fn dispatch_one_lane<K: Kernel<Self>>(kernel: K) -> K::Output;
}

/// Runs `work`, plain loops that are inlined, compiled for the best instructions at hand.
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    tier::dispatch(work)
}

macro_rules! vectors {
    (
        $t:ident, $v:ident, $as_simd:ident, $as_mut_simd:ident, $lanes:ident, $splat:ident, $add:ident, $sub:ident,
        $mul:ident, $div:ident, $mul_add:ident, $sqrt:ident, $max:ident, $min:ident, $greater:ident, $select:ident,
        $reduce_sum:ident, $reduce_max:ident, $reduce_min:ident
    ) => {
        impl<S: Simd> Vectors<$t> for S {
            type V = S::$v;
            const LANES: usize = S::$lanes;

            #[inline(always)]
            fn vectors(numbers: &[$t]) -> (&[S::$v], &[$t]) {
                S::$as_simd(numbers)
            }
            #[inline(always)]
            fn vectors_mut(numbers: &mut [$t]) -> (&mut [S::$v], &mut [$t]) {
                S::$as_mut_simd(numbers)
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
            fn mul_add(self, x: S::$v, y: S::$v, z: S::$v) -> S::$v {
                self.$mul_add(x, y, z)
            }
            #[inline(always)]
            fn sqrt(self, x: S::$v) -> S::$v {
                self.$sqrt(x)
            }
            #[inline(always)]
            fn max(self, x: S::$v, y: S::$v) -> S::$v {
                self.$max(x, y)
            }
            #[inline(always)]
            fn min(self, x: S::$v, y: S::$v) -> S::$v {
                self.$min(x, y)
            }
            #[inline(always)]
            fn where_greater(self, x: S::$v, y: S::$v, yes: S::$v, no: S::$v) -> S::$v {
                self.$select(self.$greater(x, y), yes, no)
            }
            #[inline(always)]
            fn reduce_sum(self, x: S::$v) -> $t {
                self.$reduce_sum(x)
            }
            #[inline(always)]
            fn reduce_max(self, x: S::$v) -> $t {
                self.$reduce_max(x)
            }
            #[inline(always)]
            fn reduce_min(self, x: S::$v) -> $t {
                self.$reduce_min(x)
            }
            #[inline(always)]
            fn any_greater(self, x: S::$v, y: S::$v) -> bool {
                let (one, zero) = (self.$splat(1.0), self.$splat(0.0));
                self.$reduce_max(self.$select(self.$greater(x, y), one, zero)) > 0.0
            }
        }

        impl Dispatch for $t {
            #[inline(always)]
            fn dispatch<K: Kernel<$t>>(kernel: K) -> K::Output {
                struct Adapter<K>(K);

                impl<K: Kernel<$t>> WithSimd for Adapter<K> {
                    type Output = K::Output;

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> K::Output {
                        self.0.run(simd)
                    }
                }

                tier::dispatch(Adapter(kernel))
            }

            #[inline(always)]
            fn dispatch_one_lane<K: Kernel<$t>>(kernel: K) -> K::Output {
                tier::dispatch(
                    #[inline(always)]
                    || kernel.run(pulp::Scalar),
                )
            }
        }
    };
}

vectors!(
    f32,
    f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    F32_LANES,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    div_f32s,
    mul_add_e_f32s,
    sqrt_f32s,
    max_f32s,
    min_f32s,
    greater_than_f32s,
    select_f32s,
    reduce_sum_f32s,
    reduce_max_f32s,
    reduce_min_f32s
);
vectors!(
    f64,
    f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    F64_LANES,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    div_f64s,
    mul_add_e_f64s,
    sqrt_f64s,
    max_f64s,
    min_f64s,
    greater_than_f64s,
    select_f64s,
    reduce_sum_f64s,
    reduce_max_f64s,
    reduce_min_f64s
);
