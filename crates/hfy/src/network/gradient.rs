//! Derivatives through one update and through several.

use ndarray::Array2;

use super::products::{add_outer, times, transposed_times};
use super::{Network, Step, Trajectory};
use crate::convex::Convex;
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// The gradient of `v · state` in everything that the state depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradients<T> {
    /// In the query.
    pub query: Vec<T>,
    /// In the keys; where these are the values too, in both of their roles together.
    pub keys: Array2<T>,
    /// In separate values.
    pub values: Option<Array2<T>>,
    /// In the inverse temperature of Ω, where it is [`Scaled`](crate::Scaled).
    pub beta: Option<T>,
}

/// The gradients at the two places where an update meets the patterns.
pub(super) struct Pulled<T> {
    /// In the projection, times the common factor.
    pub(super) projection: Vec<T>,
    /// In the scores.
    pub(super) scores: Vec<T>,
    /// In the query.
    pub(super) query: Vec<T>,
}

impl<T: Real, O: Convex<T>, P: Convex<T>> Network<'_, T, O, P> {
    /// The gradient of `v · step.state`, for the `step` that leaves `query`.
    ///
    /// It costs two products with the patterns, as the step itself, and the rows of weights and scores that are not
    /// zero once more. Where a map has a kink, one element of its generalised Jacobian is used.
    ///
    /// ```
    /// use hfy::Network;
    /// use ndarray::array;
    ///
    /// let network = Network::modern(2.0, array![[1.0, 0.0], [0.0, 1.0]])?;
    /// let (q, v) = ([0.3_f64, 0.1], [1.0, 0.0]);
    /// let gradients = network.step_vjp(&q, &network.step(&q)?, &v)?;
    /// let moved = network.step(&[0.3 + 1e-6, 0.1])?.state[0] - network.step(&q)?.state[0];
    /// assert!((gradients.query[0] - moved / 1e-6).abs() < 1e-5);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn step_vjp(&self, query: &[T], step: &Step<T>, v: &[T]) -> Result<Gradients<T>> {
        check_len("v", v.len(), self.output_width())?;
        let mut gradients = self.no_gradients();
        gradients.query = self.accumulate(query, step, v, &mut gradients)?;
        gradients.checked()
    }

    /// The gradient of `v ·` the last state of a trajectory, backwards through all of its updates.
    pub fn trajectory_vjp(&self, path: &Trajectory<T>, v: &[T]) -> Result<Gradients<T>> {
        check_len("v", v.len(), path.state().len())?;
        let mut gradients = self.no_gradients();
        let mut upstream = v.to_vec();
        let states: Vec<&[T]> = path.states().collect();
        for (step, query) in path.steps.iter().zip(states).rev() {
            upstream = self.accumulate(query, step, &upstream, &mut gradients)?;
        }
        gradients.query = upstream;
        gradients.checked()
    }

    pub(super) fn no_gradients(&self) -> Gradients<T> {
        let keys = Array2::from_elem(self.keys.raw_dim(), T::zero());
        let values = self.values.as_ref().map(|values| Array2::from_elem(values.raw_dim(), T::zero()));
        Gradients { query: vec![T::zero(); self.width()], keys, values, beta: None }
    }

    /// Adds the gradients of one step, and returns that in its query.
    pub(super) fn accumulate(
        &self,
        query: &[T],
        step: &Step<T>,
        v: &[T],
        gradients: &mut Gradients<T>,
    ) -> Result<Vec<T>> {
        check_len("query", query.len(), self.width())?;
        let pulled = self.pull(step, v)?;
        let into = gradients.values.as_mut().unwrap_or(&mut gradients.keys);
        add_outer(into.view_mut(), &step.weights, &pulled.projection);
        add_outer(gradients.keys.view_mut(), &pulled.scores, query);
        if let Some(part) = self.omega.beta_derivative(&step.scores, &pulled.scores) {
            gradients.beta = Some(gradients.beta.unwrap_or(T::zero()) + part);
        }
        Ok(pulled.query)
    }

    /// `v` pulled back through Ψ, the projection, Ω and the similarity.
    pub(super) fn pull(&self, step: &Step<T>, v: &[T]) -> Result<Pulled<T>> {
        let (count, width) = (self.count(), self.output_width());
        check_len("step.scores", step.scores.len(), count)?;
        check_len("step.weights", step.weights.len(), count)?;
        check_len("step.projection", step.projection.len(), width)?;
        check_len("step.state", step.state.len(), width)?;
        check_len("v", v.len(), width)?;
        let mut projection = v.to_vec();
        if step.log_scale == T::zero() {
            self.psi.vjp(&step.projection, &step.state, &mut projection)?;
        } else {
            // e^c from the weights moves over to Ψ, where it cancels or saturates.
            self.psi.vjp_exp(&step.projection, &step.state, step.log_scale, &mut projection)?;
        }
        let mut scores = vec![T::zero(); count];
        times(self.values(), &projection, &mut scores);
        self.omega.vjp(&step.scores, &step.weights, &mut scores)?;
        let mut query = vec![T::zero(); self.width()];
        transposed_times(self.keys(), &scores, &mut query);
        Ok(Pulled { projection, scores, query })
    }
}

impl<T: Real> Gradients<T> {
    /// Fails where a derivative is beyond the range of the type.
    pub(super) fn checked(self) -> Result<Self> {
        let rule = "the derivative is too large for the type";
        let wrong =
            |argument, row, index, value: T| Err(Error::Entry { argument, row, index, value: value.wide(), rule });
        if let Some(index) = self.query.iter().position(|g| !g.is_finite()) {
            return wrong("gradient of query", None, index, self.query[index]);
        }
        let patterns = [("gradient of keys", Some(&self.keys)), ("gradient of values", self.values.as_ref())];
        for (argument, array) in patterns.into_iter().filter_map(|(name, array)| array.map(|array| (name, array))) {
            if let Some(((row, index), &value)) = array.indexed_iter().find(|(_, g)| !g.is_finite()) {
                return wrong(argument, Some(row), index, value);
            }
        }
        match self.beta {
            Some(beta) if !beta.is_finite() => wrong("gradient of beta", None, 0, beta),
            _ => Ok(self),
        }
    }
}
