//! How a row is solved, from what is known of it: the constants that choose between ways, each with the benchmark that
//! shows their effect (`docs/performance.md`).

use hfy_kernel::MOST_WIDTH;

use super::Threshold;
use crate::real::{Exponent, LaneMap, Real};

/// The equation of a threshold, `Σ (z - τ)₊^p = 1` for scores `z ≤ 0` whose best is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Equation<T> {
    /// `p = 1`, exactly, in finitely many rounds.
    Linear,
    /// `p = 2`: the quadratic equation on the last set of entries.
    Quadratic,
    /// `p > 1`: a search.
    Power(T),
    /// `p < 1`: the unknown is the least weight.
    Concave(T),
    /// `p < 0`: every entry has weight.
    Heavy(T),
}

impl<T: Real> Equation<T> {
    /// The equation for an exponent.
    pub(crate) fn of(p: T) -> Self {
        let one = T::one();
        if p < T::zero() {
            Equation::Heavy(p)
        } else if p == one {
            Equation::Linear
        } else if p == T::of(2.0) {
            Equation::Quadratic
        } else if p < one {
            Equation::Concave(p)
        } else {
            Equation::Power(p)
        }
    }

    /// The exponent.
    pub(crate) fn p(self) -> T {
        match self {
            Equation::Linear => T::one(),
            Equation::Quadratic => T::of(2.0),
            Equation::Power(p) | Equation::Concave(p) | Equation::Heavy(p) => p,
        }
    }

    /// The share of a row from which on it costs more to copy candidates than it spares; a closed form needs the
    /// copies. `make bench CASES=entmax`, scores times 1 and 5.
    pub(super) fn most_copied(self) -> f64 {
        match self {
            Equation::Power(_) => 0.6,
            Equation::Heavy(_) => 0.0,
            _ => 1.0,
        }
    }

    /// A depth `d` above the threshold where even as many powers `d^p` as there are entries do not change a sum of one.
    /// Zero for small exponents, where it would spare nothing, and for large ones, where it is as good as one.
    pub(super) fn negligible(self, entries: usize) -> T {
        match self {
            Equation::Power(p) if p > T::of(2.0) && p < T::of(1024.0) => {
                ((T::of(0.05) * T::epsilon() / T::of(entries as f64)).ln() / p).exp()
            }
            _ => T::zero(),
        }
    }
}

/// How many sums of powers a step of the search takes: the more, the longer it is, and the steeper the powers the more
/// of them count. `make bench CASES=entmax`.
pub(super) fn sums<T: Real>(p: T) -> usize {
    if p < T::of(4.0) {
        3
    } else if p <= T::of(6.5) {
        5
    } else {
        7
    }
}

/// The next whole exponent, where powers of that are cheaper and as good: its root lies left of that of `p`.
pub(super) fn rough<T: Real>(p: T) -> (Exponent<T>, T) {
    match Exponent::above(p) {
        Some(next) => (Exponent::Whole(next), T::of(f64::from(next))),
        None => (Exponent::of(p), p),
    }
}

/// Samples that a search starts from, first the smaller: parts of the row, none below [`LEAST_SAMPLE`], and the rounds
/// that are made on them.
pub(super) const SAMPLES: [(usize, usize); 2] = [(128, 4), (8, 1)];
pub(super) const LEAST_SAMPLE: usize = 64;
pub(super) const MOST_SAMPLE: usize = 4096;

/// Rows of so many entries are copied where they are read, so that stores are waited for together with loads. Shorter
/// ones are in a near cache before long. `make bench CASES=sparsemax`.
pub(super) fn copies(entries: usize) -> bool {
    entries >= 8192
}

/// A map's rows of this length in lanes. From some length on the solver of single rows is as fast: it reads few of the
/// entries, where lanes read all in every round. `make bench CASES=entmax`.
pub(super) fn lanes<T: Real>(map: &impl Threshold<T>, width: usize) -> Option<LaneMap<T>> {
    let lanes = if (1..=MOST_WIDTH).contains(&width) { map.in_lanes(width)? } else { return None };
    let most = match lanes {
        LaneMap::Entmax { p: Exponent::Plain(p), .. } | LaneMap::Normmax { p: Exponent::Plain(p), .. } => {
            if p < T::of(2.0) { 128 } else { 256 }
        }
        LaneMap::Sparsemax | LaneMap::Subsets(_) => 256,
        _ => MOST_WIDTH,
    };
    (width <= most).then_some(lanes)
}

/// The same for gradients. They take two passes: rows that fill a few vectors need no lanes. `make bench CASES=bwd`.
pub(super) fn pulled_lanes<T: Real>(map: &impl Threshold<T>, width: usize) -> Option<LaneMap<T>> {
    let is_pulled = |map: &LaneMap<T>| !matches!(map, LaneMap::Normmax { p, .. } if *p != Exponent::Whole(2));
    if width <= 64 { lanes(map, width).filter(is_pulled) } else { None }
}

/// The cost of a slope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cost {
    /// A few instructions: less than it takes to find out where there is weight, but in long rows that have next to
    /// none.
    Little,
    /// A logarithm and an exponential.
    Much,
}

impl Cost {
    /// Rows of fewer entries are read whole: that is cheaper than to look for weight first.
    pub(super) fn whole(self) -> usize {
        if self == Cost::Little { 1 << 14 } else { 0 }
    }

    /// The share of blocks with weight up to which these are copied, as one in so many.
    pub(super) fn copied_part(self) -> usize {
        if self == Cost::Little { 8 } else { 3 }
    }
}
