//! SparseMAP as a convex function.

use std::borrow::Cow;

use super::active_set::{ActiveSet, Status};
use super::check::check_parts;
use super::solution::Solution;
use super::vertex::Vertex;
use super::{Regulariser, Structure};
use crate::convex::{Convex, Outcome, check_gradient, check_scores, check_second};
use crate::error::{Error, Result, check_len};
use crate::real::Real;
use crate::separation::{Separation, Share};

/// SparseMAP,
///
/// ```text
/// ŷ(θ) = argmax { θ·y + η·e - |y|²/2 : (y, e) in the convex hull of the structures },
/// ```
///
/// the Euclidean projection onto the marginals of a [`Structure`], whose higher-order scores `η` are its own. Only the
/// unary part `y` is regularised. The solution is a blend of few structures; it is one of them exactly where that one
/// leads every other by half of the squared distance of their unary parts.
///
/// **Cost.** One call of the oracle and the square of the number of active structures an iteration; nearly always a few
/// iterations for each structure that is active in the end.
///
/// **Stability.** Structures are compared by the parts in which they differ, so that a large score that they share does
/// not blur the others. Sums are in double precision, whatever the type of the scores.
///
/// References: Niculae, Martins, Blondel, Cardie, *SparseMAP: Differentiable Sparse Structured Inference*, 2018; Wolfe,
/// *Finding the Nearest Point in a Polytope*, 1976.
///
/// ```
/// use hfy::Convex;
/// use hfy::structure::{Sequence, SparseMap};
///
/// let pairs = SparseMap::new(Sequence::new(2)?.transition(1.0)?);
/// let solution = pairs.solve(&[1.0716, -1.1221, -0.3288, 0.3368, 0.0425])?;
/// assert!(solution.gap < 1e-12);
/// let total: f64 = solution.marginals.iter().sum();
/// assert!((total - 2.0).abs() < 1e-12);
/// for (structure, probability) in solution.active().iter() {
///     assert!(structure.unary().len() == 2 && probability > 0.0);
/// }
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseMap<S> {
    structure: S,
    regulariser: Regulariser,
    limit: usize,
}

impl<S: Structure> SparseMap<S> {
    /// Over these structures, with `Ω(y) = |y|²/2`.
    pub fn new(structure: S) -> Self {
        SparseMap { structure, regulariser: Regulariser::On, limit: 100_000 }
    }

    /// With another regulariser.
    pub fn regulariser(mut self, regulariser: Regulariser) -> Self {
        self.regulariser = regulariser;
        self
    }

    /// With at most so many calls of the oracle.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit.max(1);
        self
    }

    /// The structures.
    pub fn structure(&self) -> &S {
        &self.structure
    }

    /// Which states are regularised.
    pub fn which(&self) -> Regulariser {
        self.regulariser
    }

    /// The structured margin: the loss of a structure is zero as soon as it leads every other by `m/2` times the
    /// squared distance of their regularised states. It is one; where all structures have as many variables, and so the
    /// same norm, nothing less suffices.
    pub fn structured_margin(&self) -> f64 {
        1.0
    }

    /// Solves for these scores of the variables and the structure's own scores of the higher-order parts.
    pub fn solve(&self, theta: &[f64]) -> Result<Solution> {
        self.solve_from(theta, ActiveSet::default())
    }

    /// The same from the structures that a problem with like scores ended with, which saves most iterations.
    pub fn solve_from(&self, theta: &[f64], warm: ActiveSet) -> Result<Solution> {
        let higher = self.structure.higher(theta.len())?;
        self.solve_with(theta, &higher, warm)
    }

    /// The same for other scores of the higher-order parts.
    pub fn solve_with(&self, theta: &[f64], higher: &[f64], warm: ActiveSet) -> Result<Solution> {
        check_parts("higher", higher)?;
        let mut solution = self.relax(theta, higher, warm)?;
        if !solution.active.is_empty() {
            let (unary, scaled) = self.regulariser.scores(theta, higher);
            let normal = unary.iter().zip(&solution.marginals).map(|(s, y)| s - y).collect();
            solution.face = self.face(normal, &scaled, &solution.active)?;
        }
        Ok(solution)
    }

    /// The solution without the face that it lies in, which only derivatives need, and which takes most of the time
    /// where scores are tied. Derivatives of this one are those within the blends of the active structures.
    pub fn relax(&self, theta: &[f64], higher: &[f64], mut active: ActiveSet) -> Result<Solution> {
        check_scores(theta)?;
        check_len("higher", higher.len(), self.structure.higher(theta.len())?.len())?;
        let mut solution = Solution {
            marginals: vec![0.0; theta.len()],
            higher: vec![0.0; higher.len()],
            value: 0.0,
            best: Vertex::default(),
            status: Status::Optimal,
            gap: 0.0,
            iterations: 0,
            slope: self.regulariser.slope(),
            active: ActiveSet::default(),
            face: None,
        };
        if theta.iter().all(|s| *s == f64::NEG_INFINITY) {
            solution.value = f64::NEG_INFINITY; // the maximum over nothing
            return Ok(solution);
        }
        let best = self.structure.maximise(theta, higher, &mut solution.best)?;
        if best == f64::NEG_INFINITY {
            let rule = "every structure has a variable or a part that is masked";
            return Err(Error::parameter("scores", "masked", rule));
        }
        solution.best.sort();
        let (unary, scaled) = self.regulariser.scores(theta, higher);
        let run = active.solve(&self.structure, (&unary, &scaled), &solution.best, self.limit)?;
        active.marginals(&mut solution.marginals, &mut solution.higher);
        solution.status = run.status;
        solution.gap = run.gap / solution.slope; // of halved scores, where both states are regularised
        solution.iterations = run.iterations + 1;
        solution.active = active;
        solution.value = inner(theta, &solution.marginals) + inner(higher, &solution.higher)
            - self.regulariser.value(&solution.marginals);
        Ok(solution)
    }

    /// The same structures with one state regularised.
    pub(super) fn plain(&self) -> SparseMap<&S> {
        SparseMap { structure: &self.structure, regulariser: Regulariser::On, limit: self.limit }
    }

    fn solved(&self, theta: &[f64]) -> Result<Solution> {
        let higher = self.structure.higher(theta.len())?;
        self.relax(theta, &higher, ActiveSet::default())?.optimal()
    }

    /// The solution that has the marginals `y`, with the greatest `η·e`; `None` where `y` is not in the hull.
    ///
    /// The nearest point of the hull tells whether it is. The best distribution with given marginals is then a linear
    /// program: multipliers for the marginals, each round a SparseMAP problem, end at its solution after finitely many
    /// rounds, the fewer the more a unit of probability outweighs the interactions.
    ///
    /// With it come the scores that it is the solution for, one state regularised.
    pub(super) fn behind(&self, y: &[f64], higher: &[f64], tolerance: f64) -> Result<Option<Behind>> {
        const ROUNDS: usize = 1000;
        const OUTWEIGHED: f64 = 1e-2;
        let plain = self.plain();
        let apart = |solution: &Solution| distance(y, &solution.marginals);
        let barred =
            |scale: f64| higher.iter().map(|h| if h.is_finite() { scale * h } else { *h }).collect::<Vec<f64>>();
        let still = barred(0.0);
        let mut solution = plain.relax(y, &still, ActiveSet::default())?;
        if apart(&solution) > tolerance {
            return Ok(None);
        }
        let largest = higher.iter().filter(|h| h.is_finite()).fold(0.0, |top: f64, h| top.max(h.abs()));
        if largest == 0.0 {
            return Ok(Some(Behind { solution, unary: y.to_vec(), higher: still }));
        }
        let scaled = barred(OUTWEIGHED / largest);
        let mut theta = y.to_vec();
        for _ in 0..ROUNDS {
            solution = plain.relax(&theta, &scaled, solution.active)?;
            if apart(&solution) <= tolerance {
                return Ok(Some(Behind { solution, unary: theta, higher: scaled }));
            }
            theta.iter_mut().zip(y).zip(&solution.marginals).for_each(|((t, y), m)| *t += y - m);
        }
        let what = "the distribution over structures with given marginals";
        Err(Error::Unsolved { what, residual: apart(&solution), tolerance, iterations: ROUNDS })
    }
}

/// A solution and its scores.
pub(super) struct Behind {
    pub(super) solution: Solution,
    pub(super) unary: Vec<f64>,
    pub(super) higher: Vec<f64>,
}

/// The largest difference of two entries.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |top: f64, (a, b)| top.max((a - b).abs()))
}

fn inner(scores: &[f64], weights: &[f64]) -> f64 {
    scores.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(s, w)| s * w).sum()
}

fn widened<T: Real>(row: &[T]) -> Vec<f64> {
    row.iter().map(|v| v.wide()).collect()
}

impl<T: Real, S: Structure> Convex<T> for SparseMap<S> {
    fn value(&self, y: &[T]) -> T {
        let y = widened(y);
        let tolerance = T::domain_tolerance().wide();
        if y.iter().any(|v| !v.is_finite()) {
            return T::infinity();
        }
        let higher = self.structure.higher(y.len()).unwrap_or(Cow::Borrowed(&[]));
        match self.behind(&y, &higher, tolerance) {
            Ok(Some(Behind { solution, .. })) => T::of(self.regulariser.value(&y) - inner(&higher, &solution.higher)),
            _ => T::infinity(),
        }
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        Ok(T::of(self.solved(&widened(theta))?.value))
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        let solution = self.solved(&widened(theta))?;
        theta.iter_mut().zip(&solution.marginals).for_each(|(t, &y)| *t = T::of(y));
        Ok(if solution.active.is_empty() { Outcome::Empty } else { Outcome::Solved })
    }

    fn vjp(&self, theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
        check_len("g", g.len(), theta.len())?;
        self.pull(&self.solve(&widened(theta))?.optimal()?, g)
    }

    /// The map is piecewise linear.
    fn second_vjp(&self, theta: &[T], _y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(theta.len(), u, w, out)?;
        out.fill(T::zero());
        Ok(())
    }

    fn mass(&self) -> Option<f64> {
        self.structure.mass()
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("target", y.len(), theta.len())?;
        let value = Convex::<T>::value(self, y).wide();
        if value == f64::INFINITY {
            return Ok(T::infinity());
        }
        let theta = widened(theta);
        let solution = self.solved(&theta)?;
        let higher = self.structure.higher(theta.len())?;
        // What the two have in common cancels before it is added.
        let ahead: f64 = theta
            .iter()
            .zip(solution.marginals.iter().zip(y))
            .map(|(s, (m, y))| (s, m - y.wide()))
            .filter(|(_, change)| *change != 0.0)
            .map(|(s, change)| s * change)
            .sum();
        let reached = inner(&higher, &solution.higher) - self.regulariser.value(&solution.marginals);
        Ok(T::of((ahead + reached + value).max(0.0)))
    }
}

impl<S: Structure> SparseMap<S> {
    /// The solution behind weights of a type, with the normal there in place of the scores.
    fn blended<T: Real>(&self, y: &[T]) -> Result<Option<Behind>> {
        let tolerance = (64.0 * T::epsilon().wide()).max(1e-12);
        let mut behind = self.behind(&widened(y), &self.structure.higher(y.len())?, tolerance)?;
        if let Some(Behind { solution, unary, .. }) = &mut behind {
            unary.iter_mut().zip(&solution.marginals).for_each(|(s, y)| *s -= y);
            // Weights that are rounded blend with structures that have no part in them.
            solution.active.prune(16.0 * tolerance);
        }
        Ok(behind)
    }

    fn pull<T: Real>(&self, solution: &Solution, g: &mut [T]) -> Result<()> {
        let mut wide = vec![0.0; g.len()];
        for &i in solution.face().vertices.iter().flat_map(|vertex| vertex.unary().indices()) {
            check_gradient(g[i], g)?;
            wide[i] = g[i].wide();
        }
        let gradients = solution.vjp(&wide, &[])?;
        g.iter_mut().zip(&gradients.unary).for_each(|(g, &d)| *g = T::of(d));
        Ok(())
    }
}

impl<T: Real, S: Structure> Separation<T> for SparseMap<S> {
    /// None: exact retrieval is a matter of structures, not of single scores. See [`certify`](crate::certify).
    fn margin(&self) -> Option<T> {
        None
    }

    fn is_sparse(&self) -> bool {
        true
    }

    /// From the structures that the weights are a blend of, which have to be found first.
    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        check_len("g", g.len(), y.len())?;
        let Some(Behind { mut solution, unary: normal, higher }) = self.blended(y)? else {
            if y.iter().all(|&y| y == T::zero()) {
                // Every entry was masked.
                g.fill(T::zero());
                return Ok(());
            }
            let rule = "the weights must be an output of the map";
            return Err(Error::parameter("y", "outside of the hull of the structures", rule));
        };
        solution.face = self.face(normal, &higher, &solution.active)?;
        solution.slope = self.regulariser.slope();
        self.pull(&solution, g)
    }

    fn structures(&self, y: &[T]) -> Result<Option<Vec<Share<T>>>> {
        let Some(Behind { solution, .. }) = self.blended(y)? else { return Ok(None) };
        let share = |(vertex, probability): (&Vertex, f64)| Share {
            members: vertex.unary().indices().to_vec(),
            probability: T::of(probability),
        };
        Ok(Some(solution.active.iter().map(share).collect()))
    }
}
