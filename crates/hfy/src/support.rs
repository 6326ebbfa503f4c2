//! Sparse weights.

use crate::real::Real;

/// The nonzero weights of a row, in the order of their indices.
///
/// Keep one and pass it again: it does not allocate once it has grown.
///
/// ```
/// use hfy::{Entmax, Separation, Support};
///
/// let mut support = Support::default();
/// Entmax::SPARSEMAX.support(&[0.1, 3.0, 2.5], &mut support)?;
/// assert_eq!(support.indices(), [1, 2]);
/// assert_eq!(support.weights(), [0.75, 0.25]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Support<T> {
    indices: Vec<usize>,
    weights: Vec<T>,
}

impl<T: Real> Support<T> {
    /// Positions of the nonzero weights, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The weights at those positions.
    pub fn weights(&self) -> &[T] {
        &self.weights
    }

    /// How many weights are not zero.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether every weight is zero.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Pairs of position and weight.
    pub fn iter(&self) -> impl Iterator<Item = (usize, T)> + '_ {
        self.indices.iter().copied().zip(self.weights.iter().copied())
    }

    /// Runs `work` on a support whose room this thread keeps.
    pub(crate) fn with_room<R>(work: impl FnOnce(&mut Support<T>) -> R) -> R {
        let mut support = T::with_buffers(|buffers| Support {
            indices: std::mem::take(&mut buffers.indices),
            weights: std::mem::take(&mut buffers.weights),
        });
        let result = work(&mut support);
        T::with_buffers(|buffers| (buffers.indices, buffers.weights) = (support.indices, support.weights));
        result
    }

    pub(crate) fn clear(&mut self) {
        self.indices.clear();
        self.weights.clear();
    }

    pub(crate) fn push(&mut self, index: usize, weight: T) {
        self.indices.push(index);
        self.weights.push(weight);
    }

    /// Renames the positions, in an order that keeps them ascending.
    pub(crate) fn relabel(&mut self, name: impl Fn(usize) -> usize) {
        self.indices.iter_mut().for_each(|i| *i = name(*i));
    }

    /// Refills from a dense row.
    pub(crate) fn read(&mut self, row: &[T]) {
        self.clear();
        for (index, &weight) in row.iter().enumerate().filter(|(_, w)| **w != T::zero()) {
            self.push(index, weight);
        }
    }
}
