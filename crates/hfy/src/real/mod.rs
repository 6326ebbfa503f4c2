//! Numbers: `f32` and `f64` compute, half types only store.

mod element;

pub use element::Element;
pub(crate) use hfy_kernel::{
    Exponent, InOut, LaneMap, Offset, Scores, Slope, Weight, from_copy, greater, lesser, vectorised, with_copy,
    with_zeros,
};

/// A floating-point type that maps are computed in: `f32` or `f64`.
pub trait Real: hfy_kernel::Kernels {
    /// The nearest number of this type.
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self::from_double(x)
    }

    /// The same number in double precision.
    #[inline(always)]
    fn wide(self) -> f64 {
        self.to_double()
    }

    /// Sums within this distance of a constraint count as meeting it.
    fn domain_tolerance() -> Self {
        Self::epsilon().sqrt()
    }
}

impl Real for f32 {}
impl Real for f64 {}

/// `a * b` where a zero weight silences an infinite score.
#[inline(always)]
pub(crate) fn weighted<T: Real>(weight: T, score: T) -> T {
    if weight == T::zero() { T::zero() } else { weight * score }
}

/// A slope that is unbounded at the edge of a support, made finite, so that no NaN comes of it.
#[inline(always)]
pub(crate) fn lesser_finite<T: Real>(x: T) -> T {
    x.min(T::max_value().sqrt())
}
