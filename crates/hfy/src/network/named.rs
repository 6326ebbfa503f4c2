//! The models of the literature, each of them one pair.
//!
//! | constructor | Ω | Ψ | update |
//! |---|---|---|---|
//! | `classic` | quadratic | tanh | `tanh(β XᵀX q)` |
//! | `binary` | quadratic | sign | `sign(XᵀX q)` |
//! | `polynomial` | power | any, usually tanh or sign | `ŷ_Ψ(Xᵀ spow(X q, r-1))` |
//! | `exponential` | exponential | any, usually tanh or sign | `ŷ_Ψ(Xᵀ exp(β X q))` |
//! | `modern` | negative entropy | identity | `Xᵀ softmax(β X q)` |
//! | `sparse`, `entmax`, `normmax`, `subsets` | see [separation](crate::separation) | identity | `Xᵀ ŷ_Ω(β X q)` |
//! | `projected` | any | linear | `A Xᵀ ŷ_Ω(X q)` |
//! | `sum` | infimal convolution | any | `ŷ_Ψ(Xᵀ Σ ŷ_Ωᵢ(X q))` |

use ndarray::{ArrayView2, CowArray, Ix2};

use super::Network;
use crate::convex::{Convex, InfimalConvolution, Scaled};
use crate::error::Result;
use crate::map::Map;
use crate::post::{Identity, Linear, Post, Sign, Tanh};
use crate::real::Real;
use crate::separation::{Entmax, Exponential, Normmax, Power, Quadratic, Subsets};

/// A network whose functions are chosen at run time.
pub type AnyNetwork<'a, T> = Network<'a, T, Scaled<Map>, Post>;

impl<'a, T: Real> AnyNetwork<'a, T> {
    /// The pair that two texts name, at the inverse temperature `beta` of Ω: [`Map`] and [`Post`] say which are known.
    ///
    /// ```
    /// use hfy::Network;
    /// use ndarray::array;
    ///
    /// let network = Network::from_text("entmax:1.5", "l2:2", 4.0, array![[2.0, 0.0], [0.0, 2.0]])?;
    /// assert_eq!(network.step(&[1.0, 0.2])?.state, [2.0, 0.0]);
    /// let error = Network::from_text("entmax:0", "l2", 1.0, array![[1.0]]).unwrap_err();
    /// assert_eq!(error.to_string(), "alpha = 0: alpha must lie in (0, inf]");
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn from_text(omega: &str, psi: &str, beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Scaled::with_beta(omega.parse()?, beta)?, psi.parse()?, patterns)
    }
}

impl<'a, T: Real> Network<'a, T, Quadratic, Tanh> {
    /// The continuous Hopfield network, `q ← tanh(β XᵀX q)`.
    pub fn classic(beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Quadratic, Tanh::new(beta)?, patterns)
    }
}

impl<'a, T: Real> Network<'a, T, Quadratic, Sign> {
    /// The binary Hopfield network with all units updated at once, `q ← sign(XᵀX q)`, where `sign(0) = 0`.
    /// [`Binary`](super::Binary) keeps the state of a unit there, and updates units one at a time too.
    pub fn binary(patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Quadratic, Sign, patterns)
    }
}

impl<'a, T: Real, P: Convex<T>> Network<'a, T, Power, P> {
    /// The polynomial dense associative memory, whose energy falls with `|x·q|^r / r`, usually with [`Tanh`] or
    /// [`Sign`].
    ///
    /// Powers beyond the range of the type are taken relative to the largest, so that a high `r` is safe in `f32`.
    ///
    /// ```
    /// use hfy::{Network, Sign};
    /// use ndarray::array;
    ///
    /// let network = Network::polynomial(400.0, Sign, array![[1f32, 1.0, -1.0], [-1.0, 1.0, 1.0]])?;
    /// assert_eq!(network.step(&[3.0, 2.0, 1.0])?.state, [1.0, 1.0, -1.0]);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn polynomial(r: f64, psi: P, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Power::new(r)?, psi, patterns)
    }
}

impl<'a, T: Real, P: Convex<T>> Network<'a, T, Scaled<Exponential>, P> {
    /// The exponential dense associative memory, `q ← ŷ_Ψ(Xᵀ exp(β X q))`, usually with [`Tanh`] or [`Sign`].
    ///
    /// Scores of any size are safe: beyond half of the range of exponents the weights are taken relative to the
    /// largest, and Ψ is given their common factor as a logarithm.
    ///
    /// ```
    /// use hfy::{Network, Tanh};
    /// use ndarray::array;
    ///
    /// let network = Network::exponential(50.0, Tanh::new(0.1)?, array![[40.0, 1.0], [-40.0, 1.0]])?;
    /// let step = network.step(&[1.0, 0.0])?;
    /// assert_eq!((step.state, step.log_scale), (vec![1.0, 1.0], 2000.0));
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn exponential(beta: f64, psi: P, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Scaled::with_beta(Exponential, beta)?, psi, patterns)
    }
}

impl<'a, T: Real> Network<'a, T, Scaled<Entmax>, Identity> {
    /// The modern Hopfield network, `q ← Xᵀ softmax(β X q)`.
    pub fn modern(beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::entmax(1.0, beta, patterns)
    }

    /// The sparse modern Hopfield network, `q ← Xᵀ sparsemax(β X q)`.
    pub fn sparse(beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::entmax(2.0, beta, patterns)
    }

    /// The entmax Hopfield network, for any `alpha` in (0, ∞].
    pub fn entmax(alpha: f64, beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Scaled::with_beta(Entmax::new(alpha)?, beta)?, Identity, patterns)
    }
}

impl<'a, T: Real> Network<'a, T, Scaled<Normmax>, Identity> {
    /// The normmax Hopfield network.
    pub fn normmax(gamma: f64, beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Scaled::with_beta(Normmax::new(gamma)?, beta)?, Identity, patterns)
    }
}

impl<'a, T: Real> Network<'a, T, Scaled<Subsets>, Identity> {
    /// The network that recalls associations of `k` patterns, no more than there are.
    pub fn subsets(k: f64, beta: f64, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(Scaled::with_beta(Subsets::new(k)?, beta)?, Identity, patterns)
    }
}

impl<'a, T: Real, O: Convex<T>> Network<'a, T, O, Linear> {
    /// Hetero-association by a symmetric positive definite matrix, `q ← A Xᵀ ŷ_Ω(X q)`, which still has an energy.
    pub fn projected(omega: O, matrix: ArrayView2<'_, T>, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(omega, Linear::new(matrix)?, patterns)
    }
}

impl<'a, T: Real, O: Convex<T>, P: Convex<T>> Network<'a, T, InfimalConvolution<O>, P> {
    /// The network whose energy has the sum of several `Ωᵢ*`: its weights are the sum of theirs.
    pub fn sum(terms: Vec<O>, psi: P, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Network::new(InfimalConvolution::new(terms)?, psi, patterns)
    }
}
