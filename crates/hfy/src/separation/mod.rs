//! Separation maps Ω: from scores to weights, one map a file.

mod blend;
mod bounded;
mod capped;
mod entmax;
mod exponent;
mod exponential;
mod map;
mod normmax;
mod power;
mod pull;
mod quadratic;
mod raise;
mod scan;
mod short;
mod solver;
mod step;
mod subsets;
mod support;
mod threshold;
mod weights;

pub(crate) use blend::Blend;
pub use bounded::Bounded;
pub use entmax::Entmax;
pub use exponential::Exponential;
pub use map::Map;
pub use normmax::Normmax;
pub use power::Power;
pub use quadratic::Quadratic;
pub(crate) use scan::{BLOCK, across, sum};
pub(crate) use short::{SHORT, ShortRows};
pub(crate) use solver::{Solve, Weigh};
pub use subsets::Subsets;
pub use support::Support;

use crate::convex::{Convex, Outcome, check_gradient};
use crate::error::{Result, check_len};
use crate::real::{Real, Rewrite, Scratch, from_copy, weighted, with_copy};
use scan::block_maxima;
use short::{InLanes, is_pulled, is_short};
use weights::Weights;

/// A convex function whose map separates: it has a support, perhaps a margin, and a derivative that needs only
/// its output.
pub trait Separation<T: Real>: Convex<T> {
    /// The least lead of the best score over the next from which on the map is exactly one-hot (for k-subsets: of
    /// the k-th over the next, exactly k-hot). `None` where no finite lead suffices.
    fn margin(&self) -> Option<T>;

    /// `Some((rank, depth))` where every entry with weight scores more than the `rank`-th best score less `depth`: what
    /// lies below need never be looked at. `None` where the support has no such reach.
    fn reach(&self) -> Option<(usize, T)> {
        None
    }

    /// Whether most entries of a long row have no weight, so that each weight counts, however small.
    fn is_sparse(&self) -> bool {
        self.reach().is_some()
    }

    /// `Some(β)` where the weights are `exp(β θ)` over their sum, so that a long row can be summed piece by piece.
    fn exponential_rate(&self) -> Option<T> {
        None
    }

    /// Indices and weights of the support. Threshold maps find it without writing a dense row; where nearly every entry
    /// has weight there is nothing to spare, and the row is computed.
    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        with_copy(theta, |y| {
            let outcome = self.argmax(y)?;
            support.read(y);
            Ok(outcome)
        })
    }

    /// `g ← Jᵀ g` from the output alone.
    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()>;

    /// [`pullback_into`](Self::pullback_into) for rows of `width` entries, one after the other; `done` is called for
    /// each, up to the first row at fault, if there is one. Threshold maps pull many short rows at once, with the same
    /// result.
    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        let width = width.max(1);
        for ((y, g), out) in y.chunks(width).zip(g.chunks(width)).zip(out.chunks_mut(width)) {
            self.pullback_into(y, g, out)?;
            done();
        }
        Ok(())
    }

    /// `out ← Jᵀ g`: [`pullback`](Self::pullback) that keeps its argument. What it is where there is no weight does not
    /// matter.
    fn pullback_into(&self, y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), g.len())?;
        out.copy_from_slice(g);
        self.pullback(y, out)
    }

    /// Structures with probabilities whose blend the weights `y` are, for a map over structures; `None` for others.
    fn structures(&self, y: &[T]) -> Result<Option<Vec<Share<T>>>> {
        let _ = y;
        Ok(None)
    }

    /// The derivative of `g · ŷ(θ)` with respect to the map's own parameter (alpha from the right at 1, gamma, k),
    /// from the output alone. `None` where the map has no scalar parameter.
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        let _ = (y, g);
        Ok(None)
    }
}

/// A structure in a blend.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Share<T> {
    /// The entries that it has, ascending.
    pub members: Vec<usize>,
    /// Its probability.
    pub probability: T,
}

/// A map that is solved by finding a threshold.
trait Threshold<T: Real>: Sync {
    /// Whether the least score is of use.
    fn uses_least(&self) -> bool {
        false
    }

    /// Reads a row for the first time and writes the block maxima to the scratch.
    #[inline(always)]
    fn read(&self, row: &mut Rewrite<'_, T>, scratch: &mut Scratch<T>) -> Result<Extremes<T>> {
        Extremes::read(row, true, self.uses_least(), scratch)
    }

    /// Solves a row of which the block maxima lie in the scratch; `None` where every entry is masked.
    fn solve(&self, theta: &[T], extremes: Extremes<T>, scratch: &mut Scratch<T>) -> Result<Option<Weights<T>>>;
}

/// What is known of a row that was read.
#[derive(Debug, Clone, Copy)]
struct Extremes<T> {
    max: T,
    /// Where it was asked for.
    least: Option<T>,
}

impl<T: Real> Extremes<T> {
    /// Of a row that may be copied.
    #[inline(always)]
    fn read(row: &mut Rewrite<'_, T>, copies: bool, uses_least: bool, scratch: &mut Scratch<T>) -> Result<Self> {
        let mut least = uses_least.then(T::zero);
        let max = block_maxima(row, copies, &mut scratch.blocks, least.as_mut())?;
        Ok(Extremes { max, least })
    }
}

/// `theta ← ŷ(theta)`.
fn argmax_by<T: Real + Solve<M>, M: InLanes>(map: &M, theta: &mut [T]) -> Result<Outcome> {
    if is_short(map, theta.len()) {
        return from_copy(theta, |from, theta| argmax_into_by(map, from, theta));
    }
    rewrite_by(map, Rewrite::in_place(theta))
}

/// `out ← J g` for rows of `width` entries, by `pull` where the map does not pull them in lanes.
fn pull_rows_by<T: Real, M: InLanes>(
    map: &M,
    (y, g, out): (&[T], &[T], &mut [T]),
    width: usize,
    done: &mut dyn FnMut(),
    pull: impl Fn(&[T], Rewrite<'_, T>) -> Result<()>,
) -> Result<()> {
    check_len("gradient", g.len(), y.len())?;
    check_len("out", out.len(), y.len())?;
    if is_pulled(map, width) {
        return T::pull_short(map, (y, g, out), width, done);
    }
    let width = width.max(1);
    for ((y, g), out) in y.chunks(width).zip(g.chunks(width)).zip(out.chunks_mut(width)) {
        pull(y, Rewrite::into("out", g, out)?)?;
        done();
    }
    Ok(())
}

/// `g ← J g` of one row, likewise.
fn pull_row_by<T: Real, M: InLanes>(
    map: &M,
    y: &[T],
    g: Rewrite<'_, T>,
    pull: impl Fn(&[T], Rewrite<'_, T>) -> Result<()>,
) -> Result<()> {
    if !is_pulled(map, y.len()) || g.len() != y.len() {
        return pull(y, g);
    }
    match g.from {
        Some(from) => T::pull_short(map, (y, from, g.to), y.len(), &mut || ()),
        None => from_copy(g.to, |from, to| T::pull_short(map, (y, from, to), y.len(), &mut || ())),
    }
}

/// `y ← ŷ(theta)` for rows of `width` entries, of which the outcomes are reported up to the first row at fault.
fn argmax_rows_by<T: Real + Solve<M>, M: InLanes>(
    map: &M,
    (theta, y, width): (&[T], &mut [T], usize),
    report: &mut dyn FnMut(Outcome),
) -> Result<()> {
    check_len("y", y.len(), theta.len())?;
    if is_short(map, width) {
        return T::solve_short(map, (theta, y), width, report);
    }
    for (theta, y) in theta.chunks(width.max(1)).zip(y.chunks_mut(width.max(1))) {
        report(rewrite_by(map, Rewrite::into("y", theta, y)?)?);
    }
    Ok(())
}

/// The weights of a row that is masked entirely.
fn emptied<T: Real>(row: &mut [T]) -> Outcome {
    row.fill(T::zero());
    Outcome::Empty
}

/// `y ← ŷ(theta)`.
fn argmax_into_by<T: Real + Solve<M>, M: InLanes>(map: &M, theta: &[T], y: &mut [T]) -> Result<Outcome> {
    if is_short(map, theta.len()) {
        let mut outcome = Outcome::Solved;
        argmax_rows_by(map, (theta, y, theta.len()), &mut |one| outcome = one)?;
        return Ok(outcome);
    }
    rewrite_by(map, Rewrite::into("y", theta, y)?)
}

fn rewrite_by<T: Real + Solve<M>, M>(map: &M, mut row: Rewrite<'_, T>) -> Result<Outcome> {
    match T::with_scratch(|scratch| <T as Solve<M>>::solve(map, &mut row, scratch))? {
        Some(solved) => T::fill(solved, row),
        None => return Ok(emptied(row.place())),
    }
    Ok(Outcome::Solved)
}

fn support_by<T: Real + Solve<M>, M: InLanes>(map: &M, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
    if is_short(map, theta.len()) {
        return with_copy(theta, |y| {
            let outcome = argmax_by(map, y)?;
            support.read(y);
            Ok(outcome)
        });
    }
    let max = T::with_scratch(|scratch| collect_by(map, theta, scratch, support))?;
    Ok(if max.is_some() { Outcome::Solved } else { Outcome::Empty })
}

/// Writes the support and returns the largest score; `None` where every entry is masked.
fn collect_by<T: Real + Solve<M>, M>(
    map: &M,
    theta: &[T],
    scratch: &mut Scratch<T>,
    support: &mut Support<T>,
) -> Result<Option<T>> {
    support.clear();
    let Some(solved) = <T as Solve<M>>::solve(map, &mut Rewrite::only_read(theta), scratch)? else {
        return Ok(None);
    };
    let max = scratch.blocks.iter().copied().fold(T::neg_infinity(), T::max);
    T::collect(solved, theta, &mut scratch.blocks, support);
    Ok(Some(max))
}

/// Runs `work` on the support of the solved row and on its largest score; `None` where all is masked.
fn with_support<T: Real + Solve<M>, M, R>(
    map: &M,
    theta: &[T],
    work: impl FnOnce(&Support<T>, T) -> R,
) -> Result<Option<R>> {
    T::with_scratch(|scratch| {
        let mut support = std::mem::take(&mut scratch.support);
        let solved = collect_by(map, theta, scratch, &mut support);
        let result = solved.map(|max| max.map(|max| work(&support, max)));
        scratch.support = support;
        result
    })
}

/// Whether `y` lies in the probability simplex, up to rounding.
fn in_simplex<T: Real>(y: &[T]) -> bool {
    in_capped_simplex(y, T::one(), T::infinity())
}

/// Whether `0 ≤ y ≤ cap` and the entries sum to `mass`, up to rounding.
fn in_capped_simplex<T: Real>(y: &[T], mass: T, cap: T) -> bool {
    let tolerance = T::domain_tolerance();
    let total: f64 = y.iter().map(|v| v.wide()).sum();
    y.iter().all(|&v| v >= -tolerance && v <= cap + tolerance)
        && (total - mass.wide()).abs() <= tolerance.wide() * mass.wide().max(1.0)
}

/// `Ω(target) - Ω(ŷ) + Σ (θ_i - shift)(ŷ_i - target_i)`: the Fenchel-Young loss of a function whose domain fixes the
/// sum of the entries, so that scores may be shifted before anything is lost to rounding.
fn shifted_loss<T: Real>(
    theta: &[T],
    support: &Support<T>,
    target: &[T],
    shift: T,
    (value, target_value): (T, T),
) -> T {
    let mut inner = T::zero();
    let mut weights = support.iter().peekable();
    for (i, (&s, &t)) in theta.iter().zip(target).enumerate() {
        let y = weights.next_if(|&(j, _)| j == i).map_or(T::zero(), |(_, y)| y);
        let change = y - t;
        if change != T::zero() {
            inner += (s - shift) * change;
        }
    }
    (inner - value + target_value).max(T::zero())
}

/// `g_i ← slope(i) g_i`; where the slope is zero the gradient is not looked at and may be anything.
fn scale_gradient<T: Real>(g: &mut [T], slope: impl Fn(usize) -> T) -> Result<()> {
    for i in 0..g.len() {
        let slope = slope(i);
        if slope != T::zero() {
            check_gradient(g[i], g)?;
        }
        g[i] = weighted(slope, g[i]);
    }
    Ok(())
}

/// Fails unless the arguments of a second derivative are as long as the row.
pub(crate) fn check_second<T: Real>(n: usize, u: &[T], w: &[T], out: &[T]) -> Result<()> {
    check_len("u", u.len(), n)?;
    check_len("w", w.len(), n)?;
    check_len("out", out.len(), n)
}
