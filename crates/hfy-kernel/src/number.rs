//! The types that kernels compute in.

use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;

use num_traits::{Float, NumAssign};

use crate::buffers::Lend;
use crate::elementary::Elementary;
use crate::transpose::Transpose;
use crate::vectors::Dispatch;

/// A floating-point type that kernels compute in: `f32` or `f64`.
pub trait Number:
    Float
    + NumAssign
    + Sum
    + Default
    + Debug
    + Display
    + LowerExp
    + faer::traits::RealField
    + Elementary
    + Dispatch
    + Transpose
    + Lend
    + Send
    + Sync
    + 'static
{
    /// The nearest number of this type.
    fn from_double(x: f64) -> Self;

    /// The same number in double precision.
    fn to_double(self) -> f64;
}

macro_rules! number {
    ($t:ident) => {
        impl Number for $t {
            #[inline(always)]
            fn from_double(x: f64) -> Self {
                x as $t
            }

            #[inline(always)]
            fn to_double(self) -> f64 {
                f64::from(self)
            }
        }
    };
}

number!(f32);
number!(f64);

/// The greater of two numbers that are not NaN, as one instruction.
#[inline(always)]
pub fn greater<T: Number>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The lesser of two numbers that are not NaN, as one instruction.
#[inline(always)]
pub fn lesser<T: Number>(a: T, b: T) -> T {
    if a < b { a } else { b }
}
