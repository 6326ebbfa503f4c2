//! The engine of maps whose weights are a function of the score and one threshold.
//!
//! ```text
//! read       block maxima of the row                        (hfy-kernel)
//! bound      candidates: the threshold of the block maxima never exceeds that of the row
//! solve      closed form, search, or selection              closed, search, concave, capped
//! fill       weights of scores                              solution
//! ```
//!
//! Rows of up to 512 entries take another way: many of them are solved at once, one in each lane of vectors. [`plan`]
//! says which way a row takes.

mod candidates;
pub(crate) mod capped;
mod closed;
mod concave;
mod jacobian;
mod plan;
mod search;
mod solution;
mod step;

pub(crate) use candidates::Candidates;
pub(crate) use closed::{linear, quadratic};
pub(crate) use concave::concave;
pub(crate) use jacobian::{from_elsewhere, on_support, pull, pull_sloped};
pub(crate) use plan::{Cost, Equation};
pub(crate) use search::search;
pub(crate) use solution::Solution;

use hfy_kernel::{Buffers, LaneOutcome};

use crate::convex::{Outcome, check_gradient, check_scores};
use crate::error::{Result, check_len};
use crate::real::{InOut, LaneMap, Real, from_copy, with_zeros};
use crate::support::Support;

/// A map that is solved by finding a threshold.
pub(crate) trait Threshold<T: Real> {
    /// The map as the kernels know it, for rows of this length; `None` where rows are solved one by one.
    fn in_lanes(&self, width: usize) -> Option<LaneMap<T>>;

    /// Fails where no row of this length has weights.
    fn check(&self, width: usize) -> Result<()> {
        let _ = width;
        Ok(())
    }

    /// Solves a row whose best score is `best`, and whose block maxima lie in the buffers.
    fn solve(&self, theta: &[T], best: T, buffers: &mut Buffers<T>) -> Result<Solution<T>>;
}

/// The weights of a row that is masked entirely.
fn emptied<T: Real>(row: &mut [T]) -> Outcome {
    row.fill(T::zero());
    Outcome::Empty
}

/// `theta ← ŷ(theta)`.
pub(crate) fn argmax<T: Real>(map: &impl Threshold<T>, theta: &mut [T]) -> Result<Outcome> {
    if plan::lanes(map, theta.len()).is_some() {
        return from_copy(theta, |from, theta| argmax_into(map, from, theta));
    }
    solve_row(map, InOut::in_place(theta))
}

/// `y ← ŷ(theta)`.
pub(crate) fn argmax_into<T: Real>(map: &impl Threshold<T>, theta: &[T], y: &mut [T]) -> Result<Outcome> {
    check_len("y", y.len(), theta.len())?;
    if theta.is_empty() {
        return solve_row(map, InOut::new(theta, y));
    }
    let mut outcome = Outcome::Solved;
    argmax_rows(map, (theta, y, theta.len()), &mut |one| outcome = one)?;
    Ok(outcome)
}

/// `y ← ŷ(theta)` for rows of `width` entries; outcomes are reported up to the first row at fault.
pub(crate) fn argmax_rows<T: Real>(
    map: &impl Threshold<T>,
    (theta, y, width): (&[T], &mut [T], usize),
    report: &mut dyn FnMut(Outcome),
) -> Result<()> {
    check_len("y", y.len(), theta.len())?;
    let Some(lanes) = plan::lanes(map, width) else {
        for (theta, y) in theta.chunks(width.max(1)).zip(y.chunks_mut(width.max(1))) {
            report(solve_row(map, InOut::new(theta, y))?);
        }
        return Ok(());
    };
    let mut result = Ok(());
    T::solve_lanes(lanes, theta, y, width, &mut |theta, y, outcome| {
        let outcome = match outcome {
            LaneOutcome::Solved => {
                (0..theta.len() / width).for_each(|_| report(Outcome::Solved));
                return true;
            }
            LaneOutcome::Empty => Ok(Outcome::Empty),
            LaneOutcome::Unsound => check_scores(theta).map(|()| Outcome::Solved),
            LaneOutcome::Masked => solve_row(map, InOut::new(theta, y)),
        };
        match outcome {
            Ok(outcome) => report(outcome),
            Err(error) => result = Err(error),
        }
        result.is_ok()
    });
    result
}

fn solve_row<T: Real>(map: &impl Threshold<T>, row: InOut<'_, T>) -> Result<Outcome> {
    let InOut { from, to } = row;
    let copies = from.filter(|from| plan::copies(from.len()));
    let read = |buffers: &mut Buffers<T>| match (copies, from) {
        (Some(from), _) => solution(map, from, to, buffers),
        (None, from) => solution(map, from.unwrap_or(to), &mut [], buffers),
    };
    let Some((solution, _)) = T::with_buffers(read)? else { return Ok(emptied(to)) };
    solution.fill(InOut { from: if copies.is_some() { None } else { from }, to });
    Ok(Outcome::Solved)
}

/// The solution and the best score of a row, which is copied where there is room; `None` where every entry is masked.
pub(crate) fn solution<T: Real>(
    map: &impl Threshold<T>,
    theta: &[T],
    copy: &mut [T],
    buffers: &mut Buffers<T>,
) -> Result<Option<(Solution<T>, T)>> {
    map.check(theta.len())?;
    let (best, is_sound) = T::block_maxima(theta, copy, &mut buffers.blocks);
    if !is_sound {
        check_scores(theta)?;
    }
    if best == T::neg_infinity() {
        return Ok(None);
    }
    Ok(Some((map.solve(theta, best, buffers)?, best)))
}

/// Writes the support.
pub(crate) fn support<T: Real>(map: &impl Threshold<T>, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
    Ok(if collect(map, theta, support)?.is_some() { Outcome::Solved } else { Outcome::Empty })
}

/// Writes the support and returns the best score; `None` where every entry is masked.
fn collect<T: Real>(map: &impl Threshold<T>, theta: &[T], support: &mut Support<T>) -> Result<Option<T>> {
    support.clear();
    if plan::lanes(map, theta.len()).is_some() {
        return with_zeros(theta.len(), |y| {
            if argmax_into(map, theta, y)? == Outcome::Empty {
                return Ok(None);
            }
            support.read(y);
            Ok(Some(T::maximum(theta)))
        });
    }
    T::with_buffers(|buffers| {
        let Some((solution, best)) = solution(map, theta, &mut [], buffers)? else { return Ok(None) };
        solution.collect(theta, &mut buffers.blocks, support);
        Ok(Some(best))
    })
}

/// Runs `work` on the support of the solved row and on its best score; `None` where every entry is masked.
pub(crate) fn with_support<T: Real, R>(
    map: &impl Threshold<T>,
    theta: &[T],
    work: impl FnOnce(&Support<T>, T) -> R,
) -> Result<Option<R>> {
    Support::with_room(|support| Ok(collect(map, theta, support)?.map(|best| work(support, best))))
}

/// `out ← J g` for rows of `width` entries, by `pull` where the map does not pull them in lanes.
pub(crate) fn pull_rows<T: Real>(
    map: &impl Threshold<T>,
    (y, g, out): (&[T], &[T], &mut [T]),
    width: usize,
    done: &mut dyn FnMut(),
    pull: impl Fn(&[T], InOut<'_, T>) -> Result<()>,
) -> Result<()> {
    check_len("gradient", g.len(), y.len())?;
    check_len("out", out.len(), y.len())?;
    let Some(lanes) = plan::pulled_lanes(map, width) else {
        let width = width.max(1);
        for ((y, g), out) in y.chunks(width).zip(g.chunks(width)).zip(out.chunks_mut(width)) {
            pull(y, InOut::new(g, out))?;
            done();
        }
        return Ok(());
    };
    let mut result = Ok(());
    T::pull_lanes(lanes, y, g, out, width, &mut |g, sum| {
        result = check_gradient(sum, g);
        if result.is_ok() {
            done();
        }
        result.is_ok()
    });
    result
}

/// `g ← J g` of one row, likewise.
pub(crate) fn pull_row<T: Real>(
    map: &impl Threshold<T>,
    y: &[T],
    g: &mut [T],
    pull: impl Fn(&[T], InOut<'_, T>) -> Result<()>,
) -> Result<()> {
    check_len("gradient", g.len(), y.len())?;
    if plan::pulled_lanes(map, y.len()).is_none() {
        return pull(y, InOut::in_place(g));
    }
    from_copy(g, |from, to| pull_rows(map, (y, from, to), y.len(), &mut || (), pull))
}
