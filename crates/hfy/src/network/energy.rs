//! The energy `E(q) = Ψ(q) - Ω*(X q)`: raw, as a difference of two losses, normalised, and its gradient.

use super::Network;
use super::products::{dot, transposed_times};
use crate::convex::{Convex, magnify};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// An energy in its two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts<T> {
    /// The part that is concave in the state, and pulls it towards patterns.
    pub concave: T,
    /// The part that is convex in the state, and holds it back.
    pub convex: T,
}

impl<T: Real> Parts<T> {
    /// Their sum; infinite outside the domain of Ψ.
    pub fn total(&self) -> T {
        if self.convex == T::infinity() { self.convex } else { self.concave + self.convex }
    }
}

/// What the normalised energy of any state in the convex hull of the patterns lies between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<T> {
    /// Zero, reached where every pattern is the state.
    pub lower: T,
    /// `min(2 M², Ω*(0) + M²/2)`.
    pub upper: T,
}

impl<T: Real, O: Convex<T>, P: Convex<T>> Network<'_, T, O, P> {
    /// `E(q) = Ψ(q) - Ω*(X q)`, infinite outside the domain of Ψ.
    pub fn energy(&self, query: &[T]) -> Result<T> {
        Ok(self.energy_parts(query)?.total())
    }

    /// `-Ω*(X q)` and `Ψ(q)`.
    pub fn energy_parts(&self, query: &[T]) -> Result<Parts<T>> {
        self.check_energy()?;
        self.parts_at(&self.scores(query)?, query)
    }

    /// The energy as a difference of two Fenchel-Young losses, `-L_Ω(X q, u) + L_Ψ(Xᵀu, q)` with `u = ∇Ω*(0)`, the
    /// minimiser of Ω. It differs from [`energy`](Network::energy) by a constant.
    ///
    /// Since `Ω(u) = -Ω*(0)`, the first loss is `Ω*(X q) - Ω*(0) - u·X q`, which holds for sums of energies as well.
    pub fn energy_losses(&self, query: &[T]) -> Result<Parts<T>> {
        self.check_energy()?;
        let scores = self.scores(query)?;
        let mut u = vec![T::zero(); self.count()];
        let least = self.omega.conjugate(&u)?;
        self.omega.argmax(&mut u)?;
        let loss = (self.omega.conjugate(&scores)? - least - dot(&u, &scores)).max(T::zero());
        let mut rest = vec![T::zero(); self.width()];
        transposed_times(self.keys(), &u, &mut rest);
        Ok(Parts { concave: -loss, convex: self.psi.loss(&rest, query)? })
    }

    /// The paper's normalised energy, which moves the raw one by `Ω*(0) + M²/2` for the largest norm `M` of a pattern.
    ///
    /// For a map onto the simplex with `Ω(1/N) = -Ω*(0)`, and for the identity, this is
    /// `-L_Ω(X q, 1/N) + |q - μ|²/2 + (M² - |μ|²)/2`, where `μ` is the mean of the patterns; then it has
    /// [bounds](Network::energy_bounds). Any temperature is part of Ω.
    pub fn normalised_energy(&self, query: &[T]) -> Result<T> {
        Ok(self.energy(query)? + self.normalising_constant()?)
    }

    /// `Ω*(0) + M²/2`: by how much the [normalised energy](Network::normalised_energy) of any state exceeds its energy.
    pub fn normalising_constant(&self) -> Result<T> {
        Ok(self.omega.conjugate(&vec![T::zero(); self.count()])? + self.half_square_norm())
    }

    /// The bounds of [`normalised_energy`](Network::normalised_energy) over the convex hull of the patterns, for a
    /// generalised negentropy on the simplex (entmax, normmax, at any temperature) and the identity.
    ///
    /// ```
    /// use hfy::Network;
    /// use ndarray::array;
    ///
    /// let network = Network::modern(1.0, array![[1.0, 0.0], [0.0, 1.0]])?;
    /// let bounds = network.energy_bounds()?;
    /// let energy = network.normalised_energy(&[0.5, 0.5])?;
    /// assert!(bounds.lower <= energy && energy <= bounds.upper);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn energy_bounds(&self) -> Result<Bounds<T>> {
        self.check_energy()?;
        let mut vertex = vec![T::zero(); self.count()];
        let least = self.omega.conjugate(&vertex)?;
        vertex[0] = T::one();
        // The proof needs Ω ≤ 0 on the whole simplex, which convexity gives from its corners.
        let negentropy = self.omega.mass() == Some(1.0) && self.omega.value(&vertex) == T::zero();
        if !(negentropy && self.psi.is_identity()) {
            let function = "a network other than a negentropy on the simplex with the identity";
            return Err(Error::Unsupported { function, what: "bounds of its energy" });
        }
        let half = self.half_square_norm();
        Ok(Bounds { lower: T::zero(), upper: (T::of(4.0) * half).min(least + half) })
    }

    /// `out ← ∇E(q) = ∇Ψ(q) - Xᵀ ŷ_Ω(X q)`, where Ψ is differentiable.
    ///
    /// It is zero exactly at the fixed points of the update.
    pub fn energy_gradient(&self, query: &[T], out: &mut [T]) -> Result<()> {
        self.check_energy()?;
        check_len("out", out.len(), self.width())?;
        let mut weights = self.scores(query)?;
        let (_, log_scale) = self.omega.argmax_log(&mut weights)?;
        let mut pull = vec![T::zero(); self.width()];
        transposed_times(self.keys(), &weights, &mut pull);
        magnify(&mut pull, log_scale);
        self.psi.gradient(query, out)?;
        out.iter_mut().zip(pull).for_each(|(out, pull)| *out -= pull);
        Ok(())
    }

    pub(super) fn parts_at(&self, scores: &[T], query: &[T]) -> Result<Parts<T>> {
        Ok(Parts { concave: -self.omega.conjugate(scores)?, convex: self.psi.value(query) })
    }

    fn check_energy(&self) -> Result<()> {
        if self.is_auto_associative() {
            return Ok(());
        }
        Err(Error::Unsupported { function: "a network with separate values", what: "an energy" })
    }

    /// `M²/2`.
    fn half_square_norm(&self) -> T {
        let square = |row: &[T]| dot(row, row);
        let rows = self.keys.as_slice().expect("patterns are kept with their rows one after the other");
        rows.chunks(self.width()).map(square).fold(T::zero(), T::max) * T::of(0.5)
    }
}
