//! A literal that is on exactly where one of the others is.

use super::count;
use super::flat::{Bond, Flat, Part, is_open};

/// `y ← argmax { s·y - |y|²/2 }` over the hull `{ x_i ≤ z ≤ Σ x, 0 ≤ x, z ≤ 1 }` of `z = x_1 ∨ x_2 ∨ ...`, where `y`
/// holds the scores of `x` and then that of `z`; an infinite score decides its literal. False where those leave
/// nothing.
///
/// Without `z ≤ Σ x` it is the order `x_i ≤ z`: the greatest entries are pooled with `z`, and all are clipped. Where
/// that breaks what was left out, `z = Σ x` holds, and the literals `x` and `1 - z` share one unit.
pub(super) fn project(y: &mut [f64]) -> bool {
    let last = y.len() - 1;
    let scores = y.to_vec();
    let (x, z) = y.split_at_mut(last);
    let z = &mut z[0];
    let mut order: Vec<f64> = x.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let (mut pool, mut count) = (*z, 1.0);
    for &s in order.iter().take_while(|s| **s > f64::NEG_INFINITY) {
        if s <= pool / count {
            break;
        }
        (pool, count) = (pool + s, count + 1.0);
    }
    *z = (pool / count).clamp(0.0, 1.0);
    x.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0).min(*z));
    if x.iter().sum::<f64>() < *z {
        y.copy_from_slice(&scores);
        y[last] = 1.0 - y[last];
        if !count::project(y, 1, 1) {
            return false;
        }
        y[last] = 1.0 - y[last];
    }
    // NaN, of a literal that must be on and one that must be off, is no agreement.
    y.iter().zip(&scores).all(|(&y, &s)| s.is_finite() && y.is_finite() || y == s.clamp(0.0, 1.0))
}

/// The face that `y` lies on.
pub(super) fn face(y: &[f64], tolerance: f64) -> Flat {
    let last = y.len() - 1;
    let z = y[last];
    let total: f64 = y[..last].iter().sum();
    let balanced = total <= z + tolerance * y.len() as f64;
    let part = |(i, &y): (usize, &f64)| match is_open(y, tolerance) {
        false => Part::Fixed,
        true if balanced => Part::Bound(if i == last { -1.0 } else { 1.0 }),
        true if y >= z - tolerance => Part::Bound(1.0),
        true => Part::Free,
    };
    let bond = if balanced { Bond::Balanced } else { Bond::Tied };
    Flat { parts: y.iter().enumerate().map(part).collect(), bond }
}

/// Whether `y`, which is between zero and one, is in the hull.
pub(super) fn contains(y: &[f64], tolerance: f64) -> bool {
    let (x, z) = y.split_at(y.len() - 1);
    x.iter().all(|x| *x <= z[0] + tolerance) && z[0] <= x.iter().sum::<f64>() + tolerance
}
