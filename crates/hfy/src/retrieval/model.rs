//! A network with its parts borrowed for one lifetime.

use ndarray::ArrayView2;

use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::real::Real;
use crate::separation::Separation;

/// What a retrieval needs of a [`Network`]. Whose functions they are does not show in the type, so that one compiled
/// loop serves all networks; it is asked a row at a time.
pub(super) struct Model<'a, T> {
    pub(super) omega: &'a dyn Separation<T>,
    pub(super) psi: &'a dyn Convex<T>,
    pub(super) keys: ArrayView2<'a, T>,
    pub(super) values: ArrayView2<'a, T>,
    pub(super) auto_associative: bool,
}

impl<'a, T: Real> Model<'a, T> {
    pub(super) fn of<O: Separation<T>, P: Convex<T>>(network: &'a Network<'_, T, O, P>) -> Self {
        Model {
            omega: network.omega(),
            psi: network.psi(),
            keys: network.keys(),
            values: network.values(),
            auto_associative: network.is_auto_associative(),
        }
    }
}

impl<'a, T> Model<'a, T> {
    /// The number of patterns.
    pub(super) fn count(&self) -> usize {
        self.keys.nrows()
    }

    /// The number of entries of a query.
    pub(super) fn width(&self) -> usize {
        self.keys.ncols()
    }

    /// The number of entries of a state.
    pub(super) fn output_width(&self) -> usize {
        self.values.ncols()
    }

    /// The keys, row after row.
    pub(super) fn key_slice(&self) -> &[T] {
        self.keys.as_slice().expect("patterns are kept with their rows one after the other")
    }

    /// The values, row after row.
    pub(super) fn value_slice(&self) -> &[T] {
        self.values.as_slice().expect("patterns are kept with their rows one after the other")
    }

    /// What is recalled of pattern `index`.
    pub(super) fn value(&self, index: usize) -> &[T] {
        let width = self.output_width();
        &self.value_slice()[index * width..(index + 1) * width]
    }

    /// Whether a state can be the next query.
    pub(super) fn is_iterable(&self) -> bool {
        self.output_width() == self.width()
    }

    /// Fails unless a state can be the next query.
    pub(super) fn check_iterable(&self) -> Result<()> {
        let expected = [self.count(), self.width()];
        if self.is_iterable() { Ok(()) } else { Err(Error::shape("values", self.values.shape(), &expected)) }
    }
}
