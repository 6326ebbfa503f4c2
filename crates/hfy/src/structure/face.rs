//! The face that a solution lies in.

use super::active_set::ActiveSet;
use super::vertex::Vertex;
use super::{SparseMap, Structure};
use crate::error::Result;

/// A structure that falls short of the active ones by so much, and by some rounding, may be as good.
const TIED: f64 = 1e-11;
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// How many times as far the solution is moved to see whether it lies inside, and how much of that may be missing.
const NUDGE: f64 = 1e4;
const MISSING: f64 = 1e-2;
/// A direction in which a structure is no farther from the others is one of their span.
const WITHIN: f64 = 1e-6;

impl<S: Structure> SparseMap<S> {
    /// Structures that span the smallest face that has the solution `y` inside; `None` where the active ones do. They
    /// may span a part of it only: (1/2, 1/2) is a blend of (0, 0) and (1, 1), but lies inside of the whole square.
    /// Tied scores make such solutions; large faces too, since few probabilities blend to many marginals, to within
    /// rounding.
    ///
    /// `normal` is `θ - y`, at which all active structures score best. Structures beyond their span that score as well
    /// are found by random directions, if there are any. They belong to the face if `y` can be moved away from all of
    /// them. If it cannot, the scores that such a move leaves over set some of them apart from then on.
    pub(super) fn face(&self, mut normal: Vec<f64>, higher: &[f64], active: &ActiveSet) -> Result<Option<ActiveSet>> {
        let mut y = vec![0.0; normal.len()];
        active.marginals(&mut y, &mut vec![0.0; higher.len()]);
        let largest = |row: &[f64]| row.iter().filter(|s| s.is_finite()).fold(0.0, |top: f64, s| top.max(s.abs()));
        let rounding = ROUNDING * largest(&normal).max(largest(higher)) + 8.0 * largest(&active.leads(&normal, higher));
        let tied = TIED + rounding;
        let nudge = NUDGE * tied;
        self.shun_bounds(&y, higher, active, &mut normal)?;
        let plain = self.plain();
        let mut random = Random(0);
        let mut face = active.clone();
        let mut batch = 1;
        for _ in 0..2 * y.len() + 8 {
            let mut wider = face.clone();
            while wider.len() < face.len() + batch {
                match self.beyond(&normal, higher, &wider, tied, &mut random)? {
                    Some(found) if wider.append(&found, 0.0) => {}
                    _ => break,
                }
            }
            let others = &wider.vertices[face.len()..];
            if others.is_empty() {
                break;
            }
            let mut away: Vec<f64> = y.clone();
            others.iter().for_each(|other| other.unary().add_to(-1.0 / others.len() as f64, &mut away));
            let moved: Vec<f64> = normal.iter().zip(&y).zip(&away).map(|((n, y), a)| n + y + nudge * a).collect();
            let there = plain.relax(&moved, higher, active.clone())?.marginals;
            let missing = there.iter().zip(&y).zip(&away).map(|((t, y), a)| (t - y - nudge * a).abs());
            if missing.fold(0.0, f64::max) <= MISSING * nudge * largest(&away) {
                (face, batch) = (wider, 4 * batch);
            } else {
                let left = moved.iter().zip(&there).map(|(m, t)| m - t);
                normal.iter_mut().zip(left).for_each(|(n, l)| *n = 0.5 * (*n + l));
                batch = 1;
            }
        }
        Ok((face.len() > active.len()).then_some(face))
    }

    /// Where a variable is never on, or always, structures that differ in it are no part of the face: provided that
    /// variables are bounded by zero and one, which one question tells.
    fn shun_bounds(&self, y: &[f64], higher: &[f64], active: &ActiveSet, normal: &mut [f64]) -> Result<()> {
        let bound = |y: f64| f64::from(y == 1.0) - f64::from(y == 0.0);
        let bounds: Vec<f64> = normal.iter().zip(y).map(|(n, &y)| if n.is_finite() { bound(y) } else { *n }).collect();
        let still: Vec<f64> = higher.iter().map(|h| if h.is_finite() { 0.0 } else { *h }).collect();
        let mut best = Vertex::default();
        self.structure().maximise(&bounds, &still, &mut best)?;
        best.sort();
        let agree = active.leads(&bounds, &still).iter().all(|lead| *lead == 0.0);
        if agree && best.lead(&active.vertices[0], &bounds, &still) <= 0.0 {
            normal.iter_mut().zip(&bounds).filter(|(n, _)| n.is_finite()).for_each(|(n, b)| *n += b);
        }
        Ok(())
    }

    /// A structure as good as the active ones that is not a blend of them.
    fn beyond(
        &self,
        normal: &[f64],
        higher: &[f64],
        face: &ActiveSet,
        tied: f64,
        random: &mut Random,
    ) -> Result<Option<Vertex>> {
        let still = vec![0.0; higher.len()];
        let mut direction: Vec<f64> = normal.iter().map(|_| random.next()).collect();
        face.remove_span(&mut direction, &still);
        let largest = direction.iter().fold(0.0, |top: f64, d| top.max(d.abs()));
        if largest <= WITHIN {
            return Ok(None);
        }
        for sign in [1.0, -1.0] {
            direction.iter_mut().for_each(|d| *d *= sign / largest);
            let tilted: Vec<f64> = normal.iter().zip(&direction).map(|(n, d)| n + tied * d).collect();
            let mut found = Vertex::default();
            self.structure().maximise(&tilted, higher, &mut found)?;
            found.sort();
            if found.lead(&face.vertices[0], &direction, &still) > WITHIN {
                return Ok(Some(found));
            }
            direction.iter_mut().for_each(|d| *d *= largest);
        }
        Ok(None)
    }
}

/// SplitMix64: directions that scores know nothing of.
struct Random(u64);

impl Random {
    /// Uniform in (-1, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
