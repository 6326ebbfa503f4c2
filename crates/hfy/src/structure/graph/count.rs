//! How many literals are on: between a least and a most number.

use super::flat::{Bond, Flat, Part, is_open};
use crate::convex::Convex;
use crate::separation::Subsets;

/// `y ← argmax { s·y - |y|²/2 : least ≤ Σ y ≤ most, 0 ≤ y ≤ 1 }` for the scores `s` in `y`, where an infinite score
/// decides its literal. False where those leave nothing.
///
/// The scores are clipped. Where their sum is then out of bounds the nearer bound holds with equality, and what is left
/// is the map of k-subsets.
pub(super) fn project(y: &mut [f64], least: usize, most: usize) -> bool {
    let on = y.iter().filter(|s| **s == f64::INFINITY).count();
    let open = y.iter().filter(|s| s.is_finite()).count();
    if on > most || on + open < least {
        return false;
    }
    let total: f64 = y.iter().map(|s| s.clamp(0.0, 1.0)).sum();
    let mass = total.clamp(least as f64, most as f64);
    if mass == total {
        y.iter_mut().for_each(|s| *s = s.clamp(0.0, 1.0));
        return true;
    }
    let mut rest: Vec<f64> = y.iter().map(|&s| if s == f64::INFINITY { f64::NEG_INFINITY } else { s }).collect();
    let solved = Subsets::new(mass - on as f64).and_then(|subsets| subsets.argmax(&mut rest));
    y.iter_mut().zip(&rest).for_each(|(y, &rest)| *y = if *y == f64::INFINITY { 1.0 } else { rest });
    solved.is_ok()
}

/// The face that `y` lies on.
pub(super) fn face(y: &[f64], least: usize, most: usize, tolerance: f64) -> Flat {
    let tight = tight(y, least, most, tolerance * y.len() as f64);
    let part = |&y: &f64| match is_open(y, tolerance) {
        true if tight => Part::Bound(1.0),
        true => Part::Free,
        false => Part::Fixed,
    };
    Flat { parts: y.iter().map(part).collect(), bond: Bond::Balanced }
}

fn tight(y: &[f64], least: usize, most: usize, tolerance: f64) -> bool {
    let total: f64 = y.iter().sum();
    total <= least as f64 + tolerance || total >= most as f64 - tolerance
}

/// Whether `y`, which is between zero and one, is in the hull.
pub(super) fn contains(y: &[f64], least: usize, most: usize, tolerance: f64) -> bool {
    let total: f64 = y.iter().sum();
    total >= least as f64 - tolerance && total <= most as f64 + tolerance
}
