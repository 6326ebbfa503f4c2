//! What an array may hold: a number to compute with, or a half type that is widened first.

use half::{bf16, f16};

use super::Real;

/// An array element. `f16` and `bf16` are storage: they are computed in `f32` and rounded once.
pub trait Element: Copy + Default + Send + Sync + std::fmt::Debug + 'static {
    /// The type that rows of this element are computed in.
    type Compute: Real;

    /// Widens.
    fn load(self) -> Self::Compute;

    /// Rounds.
    fn store(value: Self::Compute) -> Self;

    /// The slice itself, where no conversion is needed.
    fn as_compute(row: &[Self]) -> Option<&[Self::Compute]>;

    /// The slice itself for writing, where no conversion is needed.
    fn as_compute_mut(row: &mut [Self]) -> Option<&mut [Self::Compute]>;
}

macro_rules! computed {
    ($($t:ident),*) => {$(
        impl Element for $t {
            type Compute = $t;

            #[inline(always)]
            fn load(self) -> $t {
                self
            }

            #[inline(always)]
            fn store(value: $t) -> $t {
                value
            }

            fn as_compute(row: &[$t]) -> Option<&[$t]> {
                Some(row)
            }

            fn as_compute_mut(row: &mut [$t]) -> Option<&mut [$t]> {
                Some(row)
            }
        }
    )*};
}

macro_rules! stored {
    ($($t:ident),*) => {$(
        impl Element for $t {
            type Compute = f32;

            #[inline(always)]
            fn load(self) -> f32 {
                self.to_f32()
            }

            #[inline(always)]
            fn store(value: f32) -> $t {
                $t::from_f32(value)
            }

            fn as_compute(_: &[$t]) -> Option<&[f32]> {
                None
            }

            fn as_compute_mut(_: &mut [$t]) -> Option<&mut [f32]> {
                None
            }
        }
    )*};
}

computed!(f32, f64);
stored!(f16, bf16);
