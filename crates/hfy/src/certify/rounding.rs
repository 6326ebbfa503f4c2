//! What a computed score can be off by, whatever the order of its sum.
//!
//! With `u` half an ulp of one, a sum of `D` products of floating-point numbers, in any order, fused or not, is within
//! `γ_D |x| |q|` of `x·q`, where `γ_n = n u / (1 - n u)`; multiplying by `β` makes it `γ_(D+1)`. The difference of two
//! such numbers is rounded monotonically and so costs nothing in a comparison with a floating-point margin. What
//! is computed here itself, in double precision, is off by less than `γ_(D+8)` of double precision. Their sum,
//! with seven units to spare (which also cover a query that was rounded to the type), is `relative`.

use crate::real::Real;

/// Errors of scores, as fractions of `|x| |q|` and as a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounding {
    pub(super) relative: f64,
    pub(super) absolute: f64,
}

impl Rounding {
    pub(super) fn of<T: Real>(width: usize, beta: T) -> Self {
        let units = (width + 8) as f64;
        let gamma = |epsilon: f64| {
            let x = units * epsilon * 0.5;
            if x < 0.5 { x / (1.0 - x) } else { f64::INFINITY }
        };
        let relative = gamma(T::epsilon().wide()) + gamma(f64::EPSILON);
        let absolute = units * T::min_positive_value().wide() * (1.0 + 1.0 / beta.wide());
        Rounding { relative, absolute }
    }

    /// The largest `r` such that every query within `r` of a state `c` keeps pattern `x` ahead of `y` by the margin, in
    /// any arithmetic of the type: from `room = c·(x - y) - m/β`, `|x - y|²`, `both = |x| + |y|` and `|c|`.
    ///
    /// Such a query has `|q| ≤ |c| + r`, its exact lead less `m/β` is at least `room - r |x - y|`, and the computed one
    /// differs from it by at most `relative both |q| + absolute`. Zero where there is no such `r`.
    #[inline(always)]
    pub(super) fn radius(&self, room: f64, square: f64, both: f64, state: f64) -> f64 {
        let room = room - self.relative * both * state - self.absolute;
        let radius = room / (square.sqrt() + self.relative * both);
        if room > 0.0 && square > 0.0 { radius } else { 0.0 }
    }
}

const LANES: usize = 8;

/// `c·(x - y)` and `|x - y|²`, in double precision: nothing cancels where `x` and `y` are close.
#[inline(always)]
pub(super) fn apart<T: Real>(c: &[T], x: &[T], y: &[T]) -> (f64, f64) {
    let (mut along, mut square) = ([0.0f64; LANES], [0.0f64; LANES]);
    let (cs, c_rest) = c.as_chunks::<LANES>();
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    for ((c, x), y) in cs.iter().zip(xs).zip(ys) {
        for l in 0..LANES {
            let d = x[l].wide() - y[l].wide();
            along[l] += c[l].wide() * d;
            square[l] += d * d;
        }
    }
    for ((c, x), y) in c_rest.iter().zip(x_rest).zip(y_rest) {
        let d = x.wide() - y.wide();
        along[0] += c.wide() * d;
        square[0] += d * d;
    }
    (along.iter().sum(), square.iter().sum())
}

/// `a·b` in double precision.
#[inline(always)]
pub(super) fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    let mut sums = [0.0f64; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for l in 0..LANES {
            sums[l] += a[l].wide() * b[l].wide();
        }
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        sums[0] += a.wide() * b.wide();
    }
    sums.iter().sum()
}
