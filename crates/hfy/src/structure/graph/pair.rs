//! Two literals with a score for both being on.

use super::count;
use super::flat::{Bond, Flat, Part, is_open};

/// `y ← argmax { s·y + score e - |y|²/2 }` over the hull `{ max(0, a + b - 1) ≤ e ≤ min(a, b), a, b ≤ 1 }` of `e = a ∧
/// b`. Infinite scores `s` decide their literals. False where those and a score of minus infinity leave nothing.
///
/// A reward is paid on the lesser of the two. A penalty on `a ∧ b` is one on `b` and a reward on `(1 - a) ∧ b`.
pub(super) fn project(y: &mut [f64], score: f64) -> bool {
    if score == f64::NEG_INFINITY {
        return count::project(y, 0, 1);
    }
    let (a, b) = (y[0], y[1]);
    let (a, b) = if score >= 0.0 {
        rewarded(a, b, score)
    } else {
        let (a, b) = rewarded(1.0 - a, b + score, -score);
        (1.0 - a, b)
    };
    (y[0], y[1]) = (a, b);
    true
}

fn rewarded(a: f64, b: f64, score: f64) -> (f64, f64) {
    let clip = |s: f64| s.clamp(0.0, 1.0);
    if a > b + score {
        (clip(a), clip(b + score))
    } else if b > a + score {
        (clip(a + score), clip(b))
    } else {
        // Halves first: two large scores must not overflow.
        let both = clip(0.5 * a + 0.5 * b + 0.5 * score);
        (both, both)
    }
}

/// `e`: of all that the literals leave possible, the one with the best score.
pub(super) fn both(y: &[f64], score: f64) -> f64 {
    if score >= 0.0 { y[0].min(y[1]) } else { (y[0] + y[1] - 1.0).max(0.0) }
}

/// The face that `y` and `e` lie on.
pub(super) fn face(y: &[f64], score: f64, tolerance: f64) -> Flat {
    if score == f64::NEG_INFINITY {
        return count::face(y, 0, 1, tolerance);
    }
    let apart = if score > 0.0 { y[0] - y[1] } else { y[0] + y[1] - 1.0 };
    let bound = score != 0.0 && apart.abs() <= tolerance;
    let part = |&y: &f64| match is_open(y, tolerance) {
        true if bound => Part::Bound(1.0),
        true => Part::Free,
        false => Part::Fixed,
    };
    let bond = if score > 0.0 { Bond::Tied } else { Bond::Balanced };
    Flat { parts: y.iter().map(part).collect(), bond }
}

/// The derivative of `e` in the literals, along the face of `y`.
pub(super) fn slopes(y: &[f64], score: f64) -> [f64; 2] {
    if score >= 0.0 {
        if y[0] <= y[1] { [1.0, 0.0] } else { [0.0, 1.0] }
    } else if score > f64::NEG_INFINITY && y[0] + y[1] >= 1.0 {
        [1.0, 1.0]
    } else {
        [0.0, 0.0]
    }
}
