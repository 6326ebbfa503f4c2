//! The threshold of a row that was not read yet.
//!
//! A sample says about where it is. The sums of powers there are taken while the row comes from memory, and a step from them leads to the
//! threshold.

use super::Extremes;
use super::blend::Blend;
use super::exponent::{Exponent, Offset};
use super::raise::{Scores, read_moments};
use super::scan::maximum;
use super::step::{FEW, MOST, Step};
use super::threshold::{Search, Sums, approach, off};
use crate::convex::check_scores;
use crate::error::Result;
use crate::real::{Reading, Real, Rewrite, Scratch};

/// Rows that are worth it; others are in a cache before long.
pub(super) const ENTRIES: usize = 8192;
/// Entries of a sample, in groups of neighbours, which are read at once.
const SAMPLE: usize = 2048;
/// Twice as many for exponents below this, whose weights are further apart.
const SMALL: f64 = 16.0;
const GROUP: usize = 16;
/// The part of a sample that a rough start is found in.
const PART: usize = 8;
/// How much further than those of its sample the scores of a row are thought to reach, as a part of that range.
const MARGIN: f64 = 0.35;

/// How guesses for an exponent fared so far.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    p: f64,
    /// How many sums it takes at least.
    terms: usize,
    /// Rows that were met with so many.
    met: u32,
    /// Where the most were not enough, as many rows as there were such failures, doubled, are read without a guess.
    wait: u32,
    rest: u32,
}

impl Ahead {
    /// Whether the threshold for an exponent in a row of so many entries is to be guessed.
    pub(super) fn pays<T: Real>(&mut self, p: T, entries: usize) -> bool {
        if !(T::epsilon() > T::of(1e-8) && entries >= ENTRIES && p > T::of(6.0) && p < T::of(1e5)) {
            return false;
        }
        if self.p != p.wide() {
            *self = Ahead { p: p.wide(), ..Ahead::default() };
        }
        let is_due = self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        is_due
    }

    /// A row was met by a step of so many sums.
    fn succeeded(&mut self) {
        (self.wait, self.met) = (0, self.met + 1);
        // Fewer may do by now.
        if self.met == 64 {
            (self.terms, self.met) = (self.terms.saturating_sub(2), 0);
        }
    }

    /// A row was not met by a step of so many sums, or there was no guess.
    fn failed(&mut self, terms: usize) {
        self.met = 0;
        if terms < MOST {
            self.terms = terms + 2;
        } else {
            self.wait = (2 * self.wait + 1).min(63);
            self.rest = self.wait;
        }
    }
}

/// Reads a row with a guess at its threshold, if there is one.
#[inline(always)]
pub(super) fn read_ahead<T: Real>(
    row: &mut Rewrite<'_, T>,
    (exponent, p, scale): (Exponent<T>, T, T),
    scratch: &mut Scratch<T>,
) -> Result<Option<Extremes<T>>> {
    let Scratch { blocks, bends, blend, ahead, .. } = scratch;
    let (theta, copy) = row.read_and_room();
    let sums = Sums::new((exponent, p), theta.len(), blend);
    let Some(guess) = Guess::new(theta, (sums, p), scale, bends) else {
        ahead.failed(MOST);
        return Ok(None);
    };
    let terms = guess.terms.max(ahead.terms);
    let mut reading = Reading { copy, blocks, least: T::zero(), is_sound: true };
    let threshold = match terms {
        3 => guess.meet::<3>(theta, (sums, p), &mut reading),
        FEW => guess.meet::<FEW>(theta, (sums, p), &mut reading),
        _ => guess.meet::<MOST>(theta, (sums, p), &mut reading),
    };
    if !reading.is_sound {
        check_scores(theta)?;
    }
    match threshold {
        Some(_) => ahead.succeeded(),
        None => ahead.failed(terms),
    }
    let extremes = Extremes { max: maximum(reading.blocks), least: Some(reading.least), threshold };
    row.settle();
    Ok(Some(extremes))
}

/// A threshold of scores less `shift`, times `scale`.
struct Guess<T> {
    shift: T,
    scale: T,
    /// No score lies below this, shifted and scaled, or above zero, where it matters.
    least: T,
    at: Offset<T>,
    /// How many sums lead to the threshold from here.
    terms: usize,
}

impl<T: Real> Guess<T> {
    /// `None` where few entries have weight, or a few have most of it, so that a step would not lead far enough.
    #[inline(always)]
    fn new(theta: &[T], (mut sums, p): (Sums<'_, T>, T), scale: T, sample: &mut Vec<T>) -> Option<Self> {
        let (zero, one, count, is_large) = (T::zero(), T::one(), theta.len(), sums.exponent.is_large());
        let most = if p < T::of(SMALL) { 2 * SAMPLE } else { SAMPLE };
        let size = most.min(count / 8);
        let (groups, step) = (theta.as_chunks::<GROUP>().0, count / size);
        sample.resize(groups.len() / (PART * step) * PART * GROUP, zero);
        // In such an order that the first part is spread over the row as the whole is.
        let (room, _) = sample.as_chunks_mut::<GROUP>();
        for (first, room) in room.chunks_exact_mut(room.len() / PART).enumerate() {
            for (entries, group) in room.iter_mut().zip(groups.iter().skip(first * step).step_by(PART * step)) {
                *entries = *group;
            }
        }
        let (top, low) = (maximum(sample), T::minimum(sample));
        let (range, mut weighing) = (top - low, 0);
        for x in sample.iter_mut() {
            *x = (*x - top) * scale;
            weighing += usize::from(*x > -one);
        }
        if !(range > zero) || 5 * weighing < 3 * sample.len() || (is_large && range == T::infinity()) {
            return None;
        }
        let (least, left) = ((low - top) * scale, Offset::left_of(-one, sums.exponent));
        let (mut rough, next) = Sums::rough(p);
        // The best entry of the row may lie above that of the sample, and the threshold with it.
        let mut search = Search::in_sample(next, left, count).unbounded();
        let part = Scores::plain(&sample[..sample.len() / PART], least);
        let at = approach::<T, FEW>((part, count, None), &mut rough, &mut search, left, 6);
        let mut search = Search::in_sample(p, left, count).unbounded();
        let all = Scores::plain(sample, least);
        let mut at = if is_large {
            approach::<T, FEW>((all, count, None), &mut sums, &mut search, at, 1)
        } else {
            approach::<T, MOST>((all, count, None), &mut sums, &mut search, at, 1)
        };
        let off = off(p, search.spread, sample.len());
        let terms = if is_large && off < T::of(0.003) {
            3
        } else if off < T::of(0.035) && sums.few_do {
            FEW
        } else if off < T::of(0.1) {
            MOST
        } else {
            return None;
        };
        if !is_large {
            return Some(Guess { shift: top, scale, least: T::neg_infinity(), at, terms });
        }
        let margin = T::of(MARGIN) * range;
        at.value -= margin * scale;
        let least = -(range + margin + margin) * scale;
        // Further off the digits of a threshold would be lost; and only powers that are fitted to a range are right above one, where those
        // of a guess may lie.
        let is_fitted = sums.exponent.fitted((at, scale), least, count) != sums.exponent;
        (margin <= T::of(16.0) && is_fitted).then_some(Guess { shift: top + margin, scale, least, at, terms })
    }

    /// Reads the row. The threshold of its scores less the best, if a step of so many sums leads there.
    #[inline(always)]
    fn meet<const K: usize>(
        &self,
        theta: &[T],
        (sums, p): (Sums<'_, T>, T),
        reading: &mut Reading<'_, T>,
    ) -> Option<Offset<T>> {
        let &Guess { shift, scale, least, at, .. } = self;
        let z = Scores { row: theta, shift, scale, least };
        let s = match sums.blend {
            Some(blend) => Blend::read_sums::<T, K>(blend, z, at, K < MOST, reading).map(|blended| blended.sums),
            None => Some(read_moments::<T, K>(z, at, sums.exponent, reading)),
        };
        let step = Step::new(p, &s?);
        let best = (maximum(reading.blocks) - shift) * scale;
        let is_outside = best > T::zero() || (reading.least - shift) * scale < least;
        if (sums.exponent.is_large() && is_outside) || !Search::new(p, at, theta.len()).is_met(&step) {
            return None;
        }
        Some(Offset { value: T::of(at.value.wide() + step.delta.wide() - best.wide()), ..at })
    }
}
