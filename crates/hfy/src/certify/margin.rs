use crate::error::{Error, Result};
use crate::real::Real;
use crate::separation::Separation;

/// The lead from which on a map is exactly one-hot, or exactly k-hot.
///
/// A map has margin `m` if its weights are the one-hot vector of entry `i` if and only if score `i` leads every other
/// by at least `m`; for k-subsets, the k-hot vector of a set if and only if each of its scores leads each of the others
/// by `m`. Everything in [`certify`](crate::certify) rests on this number alone.
///
/// **Rounding.** [`Margin::of`] asks the map: it takes the least floating-point number, from the map's stated margin
/// up, at which the map's own arithmetic gives weights that are exactly 0 and 1. For α-entmax with `1/(α-1)` a power of
/// two (α = 1.5, 2, 3, ...) and for normmax that is the stated margin; otherwise it is at most a few ulps more. Argmax,
/// whose margin is zero, shares ties: here its margin is the least positive number.
///
/// ```
/// use hfy::{Entmax, Margin, Subsets};
///
/// assert_eq!(Margin::<f64>::of(&Entmax::ENTMAX15)?.lead(), 2.0);
/// assert_eq!(Margin::<f32>::of(&Subsets::new(3.0)?)?.size(), 3);
/// assert!(Margin::<f64>::of(&Entmax::SOFTMAX).is_err());
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margin<T> {
    lead: T,
    size: usize,
}

/// The largest association that is certified; a text may name any size.
const MOST: f64 = (1 << 24) as f64;

/// How far above its stated margin a map may become exact.
const ULPS: usize = 16;

impl<T: Real> Margin<T> {
    /// A margin that is known: for a map of one's own whose exact outputs have `size` weights of one.
    pub fn new(lead: T, size: usize) -> Result<Self> {
        if !(lead > T::zero() && lead.is_finite()) {
            return Err(Error::parameter("margin", lead, "a margin must be positive and finite"));
        }
        if size == 0 {
            return Err(Error::parameter("size", size, "an exact output must hold at least one pattern"));
        }
        Ok(Margin { lead, size })
    }

    /// The margin of a map, in its own arithmetic. A map without one, such as softmax, is an error.
    pub fn of(map: &(impl Separation<T> + ?Sized)) -> Result<Self> {
        let stated = map.margin().filter(|m| m.is_finite());
        let Some(mut lead) = stated else {
            let rule = "this map has no margin: no finite lead of a score makes its weights exactly 0 and 1";
            return Err(Error::parameter("map", "without a margin", rule));
        };
        let mass = map.mass().unwrap_or(1.0);
        if !(mass >= 1.0 && mass.fract() == 0.0) {
            return Err(Error::parameter("mass", mass, "only a whole number of patterns can be retrieved exactly"));
        }
        if mass > MOST {
            return Err(Error::parameter("mass", mass, "associations of more than 2^24 patterns are not certified"));
        }
        let size = mass as usize;
        let mut row = vec![T::zero(); size + 1];
        for _ in 0..ULPS {
            row.fill(T::zero());
            row[size] = -lead;
            let solved = map.argmax(&mut row);
            if solved.is_err() {
                // Bounds that differ from entry to entry, as those of constrained sparsemax.
                break;
            }
            if row[..size].iter().all(|&y| y == T::one()) && row[size] == T::zero() {
                return Margin::new(lead, size);
            }
            lead = lead + (lead * T::epsilon()).max(T::min_positive_value() * T::epsilon());
        }
        Err(Error::Unsupported { function: "this map", what: "one margin that holds for every pattern" })
    }

    /// The lead.
    pub fn lead(&self) -> T {
        self.lead
    }

    /// How many weights are one: 1, or k for k-subsets.
    pub fn size(&self) -> usize {
        self.size
    }
}
