//! Combinators of convex functions that are separation maps again.

use super::{Separation, Share, Support};
use crate::convex::{Convex, InfimalConvolution, Outcome, Scaled};
use crate::error::{Error, Result};
use crate::real::Real;

/// A temperature stretches the margin: a lead of `m/β` becomes one of `m`.
impl<T: Real, F: Separation<T>> Separation<T> for Scaled<F> {
    fn margin(&self) -> Option<T> {
        self.inner().margin().map(|margin| margin / T::of(self.beta()))
    }

    fn reach(&self) -> Option<(usize, T)> {
        self.inner().reach().map(|(rank, depth)| (rank, depth / T::of(self.beta())))
    }

    fn is_sparse(&self) -> bool {
        self.inner().is_sparse()
    }

    fn exponential_rate(&self) -> Option<T> {
        self.inner().exponential_rate().map(|rate| rate * T::of(self.beta()))
    }

    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        self.warmed(theta, |scaled| self.inner().support(scaled, support))
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        self.inner().pullback(y, g)?;
        let beta = T::of(self.beta());
        g.iter_mut().for_each(|g| *g *= beta);
        Ok(())
    }

    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        self.inner().pullback_rows(y, g, width, out, done)?;
        let beta = T::of(self.beta());
        out.iter_mut().for_each(|g| *g *= beta);
        Ok(())
    }

    fn structures(&self, y: &[T]) -> Result<Option<Vec<Share<T>>>> {
        self.inner().structures(y)
    }

    /// The derivative in the inner map's parameter; for that in the temperature see [`Scaled::d_beta`].
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        self.inner().parameter_vjp(y, g)
    }
}

/// So that networks of summed energies retrieve like any other.
impl<T: Real, F: Convex<T>> Separation<T> for InfimalConvolution<F> {
    /// A sum of maps is not one-hot where each of them is: its weights sum to more than one.
    fn margin(&self) -> Option<T> {
        None
    }

    /// An error: the output of the sum does not tell those of the terms. [`vjp`](Convex::vjp) has the scores.
    fn pullback(&self, _y: &[T], _g: &mut [T]) -> Result<()> {
        Err(Error::Unsupported { function: "an infimal convolution", what: "a derivative from its output alone" })
    }
}
