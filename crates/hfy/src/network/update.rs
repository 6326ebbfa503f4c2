//! One update of one query, and several.

use super::Network;
use super::products::{times, transposed_times};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result};
use crate::real::Real;

/// One update with everything between the query and the new state.
///
/// Weights and projection are kept relative to a common factor `e^log_scale`. It is one, `log_scale = 0`, unless the
/// weights would overflow or vanish, as those of an exponential memory can: then the largest weight is one, and Ψ, of
/// which only saturation or a direction is left, is given the factor apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step<T> {
    /// Similarity: `K q`.
    pub scores: Vec<T>,
    /// Separation: `ŷ_Ω(scores)`, over the common factor.
    pub weights: Vec<T>,
    /// The logarithm of the common factor of weights and projection.
    pub log_scale: T,
    /// Projection: `Vᵀ weights`.
    pub projection: Vec<T>,
    /// Post-transformation: the new state, `ŷ_Ψ(projection)`.
    pub state: Vec<T>,
}

/// The states that a query runs through.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory<T> {
    /// The query.
    pub start: Vec<T>,
    /// The updates, each of which leaves the state of the one before.
    pub steps: Vec<Step<T>>,
    /// The energies of the query and of each state after it; `None` where there is no energy.
    pub energies: Option<Vec<T>>,
}

impl<T> Trajectory<T> {
    /// The query and the state after each update.
    pub fn states(&self) -> impl Iterator<Item = &[T]> {
        std::iter::once(&self.start[..]).chain(self.steps.iter().map(|step| &step.state[..]))
    }

    /// The last state.
    pub fn state(&self) -> &[T] {
        self.steps.last().map_or(&self.start, |step| &step.state)
    }
}

impl<T: Real, O: Convex<T>, P: Convex<T>> Network<'_, T, O, P> {
    /// The scores of a query with the patterns. One that overflows is an error.
    pub fn scores(&self, query: &[T]) -> Result<Vec<T>> {
        let mut scores = vec![T::zero(); self.count()];
        self.scores_into(query, &mut scores)?;
        Ok(scores)
    }

    fn scores_into(&self, query: &[T], scores: &mut [T]) -> Result<()> {
        self.check_query(query)?;
        times(self.keys(), query, scores);
        check_finite_scores(scores, 0)
    }

    /// One update.
    pub fn step(&self, query: &[T]) -> Result<Step<T>> {
        let mut step = Step::default();
        self.step_into(query, &mut step)?;
        Ok(step)
    }

    /// One update, into the buffers of an earlier one.
    pub fn step_into(&self, query: &[T], step: &mut Step<T>) -> Result<Outcome> {
        step.scores.resize(self.count(), T::zero());
        step.projection.resize(self.output_width(), T::zero());
        self.scores_into(query, &mut step.scores)?;
        step.weights.clone_from(&step.scores);
        let (outcome, log_scale) = self.omega.argmax_log(&mut step.weights)?;
        step.log_scale = log_scale;
        transposed_times(self.values(), &step.weights, &mut step.projection);
        step.state.clone_from(&step.projection);
        if log_scale == T::zero() {
            self.psi.argmax(&mut step.state)?;
        } else {
            self.psi.argmax_exp(&mut step.state, log_scale)?;
        }
        Ok(outcome)
    }

    /// `steps` updates, with the energy of every state where there is one.
    ///
    /// ```
    /// use hfy::Network;
    /// use ndarray::array;
    ///
    /// let network = Network::sparse(1.0, array![[2.0, 0.0], [0.0, 2.0]])?;
    /// let path = network.trajectory(&[1.2, 0.6], 3)?;
    /// assert_eq!(path.state(), [2.0, 0.0]);
    /// let energies = path.energies.unwrap();
    /// assert!(energies.windows(2).all(|pair| pair[1] <= pair[0]));
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn trajectory(&self, query: &[T], steps: usize) -> Result<Trajectory<T>> {
        if steps > 1 {
            self.check_iterable()?;
        }
        let mut path = Trajectory { start: query.to_vec(), steps: Vec::with_capacity(steps), energies: None };
        for _ in 0..steps {
            let step = self.step(path.state())?;
            path.steps.push(step);
        }
        if self.is_auto_associative() {
            let last = self.scores(path.state())?;
            let scores = path.steps.iter().map(|step| &step.scores).chain([&last]);
            let energies = path.states().zip(scores).map(|(q, scores)| Ok(self.parts_at(scores, q)?.total()));
            path.energies = Some(energies.collect::<Result<_>>()?);
        }
        Ok(path)
    }
}

/// Fails unless every score is finite, the first of which is that of pattern `first`.
pub(crate) fn check_finite_scores<T: Real>(scores: &[T], first: usize) -> Result<()> {
    match scores.iter().position(|s| !s.is_finite()) {
        None => Ok(()),
        Some(offset) => {
            let (index, value) = (first + offset, scores[offset].wide());
            let rule = "the score of the query with this pattern must be finite";
            Err(Error::Entry { argument: "scores", row: None, index, value, rule })
        }
    }
}
