//! What the suites share: random rows, reference solvers, optimality conditions, finite differences and golden values.
//! None of it uses the solvers of the crate.
#![allow(dead_code)] // every suite uses a part of it

pub(crate) mod describe;
pub(crate) mod differences;
pub(crate) mod draw;
pub(crate) mod golden;
pub(crate) mod named;
pub(crate) mod random;
pub(crate) mod reference;

use hfy::{Convex, Error, Outcome, Real};

/// The map of a row, in a new vector.
#[track_caller]
pub(crate) fn solved<T: Real>(map: &impl Convex<T>, theta: &[T]) -> Vec<T> {
    let mut y = theta.to_vec();
    let outcome = map.argmax(&mut y).expect("the row is sound");
    assert_eq!(outcome, Outcome::Solved);
    y
}

/// The vector-Jacobian product at `theta`, in a new vector.
#[track_caller]
pub(crate) fn pulled<T: Real>(map: &impl Convex<T>, theta: &[T], g: &[T]) -> Vec<T> {
    let mut out = g.to_vec();
    map.vjp(theta, &solved(map, theta), &mut out).expect("the gradient is sound");
    out
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn wide<T: Real>(row: &[T]) -> Vec<f64> {
    row.iter().map(|v| v.wide()).collect()
}

pub(crate) fn narrow<T: Real>(row: &[f64]) -> Vec<T> {
    row.iter().map(|&v| T::of(v)).collect()
}

/// A sum whose own rounding does not count: what each addition loses is added at the end.
pub(crate) fn total(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for x in values {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + lost
}

/// The result is an error whose text has all these parts: the argument, the value, the rule.
#[track_caller]
pub(crate) fn says<V>(result: Result<V, Error>, parts: &[&str]) {
    let text = result.err().expect("this is misuse").to_string();
    parts.iter().for_each(|part| assert!(text.contains(part), "{text:?} does not say {part:?}"));
}
