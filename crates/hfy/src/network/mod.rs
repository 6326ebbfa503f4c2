//! Networks: the pair (Ω, Ψ) with the patterns that it stores.
//!
//! ```text
//! energy   E(q) = Ψ(q) - Ω*(X q)
//! update   q ← ŷ_Ψ(Xᵀ ŷ_Ω(X q))
//! ```
//!
//! Each update minimises the energy with its concave part made linear at the old state, so the energy never increases,
//! whatever the two functions are. The [named constructors](Network#implementations) give the models of the
//! literature; any other pair makes a network by [`Network::new`].
//!
//! This is the plain path, one query at a time: every score is computed and every intermediate can be looked at.

mod binary;
mod energy;
mod gradient;
mod implicit;
mod krylov;
mod named;
mod products;
mod update;

pub use binary::{Binary, Order};
pub use energy::{Bounds, Parts};
pub use gradient::Gradients;
pub use implicit::{Implicit, Solver};
pub use named::AnyNetwork;
pub(crate) use products::{add, all_or_nothing, times, transposed_times};
pub(crate) use update::check_finite_scores;
pub use update::{Step, Trajectory};

use ndarray::{ArrayView2, CowArray, Ix2};

use crate::convex::Convex;
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// Two convex functions and the patterns `X`, one a row.
///
/// Ω acts on the scores of a query with the N patterns and Ψ on a state of D entries. Patterns are borrowed where they
/// are given as a view or a reference, and owned where they are given by value; only an array whose rows do not lie
/// one after the other is copied.
///
/// With [separate values](Network::with_values) the update is `q ← ŷ_Ψ(Vᵀ ŷ_Ω(K q))`. Such a network has no energy, and
/// is iterated only if values are as wide as keys.
///
/// ```
/// use hfy::{Entmax, Network, Scaled, post::Identity};
/// use ndarray::array;
///
/// let patterns = array![[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]];
/// let network = Network::new(Scaled::with_beta(Entmax::SPARSEMAX, 2.0)?, Identity, &patterns)?;
/// let step = network.step(&[0.9, 0.2, 0.7])?;
/// assert_eq!(step.state, [1.0, 0.0, 1.0]);
/// assert!(network.energy(&step.state)? < network.energy(&[0.9, 0.2, 0.7])?);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Network<'a, T, O, P> {
    omega: O,
    psi: P,
    keys: CowArray<'a, T, Ix2>,
    values: Option<CowArray<'a, T, Ix2>>,
}

impl<'a, T: Real, O: Convex<T>, P: Convex<T>> Network<'a, T, O, P> {
    /// The network of `omega` and `psi` over `patterns`.
    ///
    /// There must be at least one pattern with at least one entry, every entry finite, and both functions must take
    /// vectors of these lengths.
    pub fn new(omega: O, psi: P, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        let network = Self::assume_finite(omega, psi, patterns)?;
        check_finite("patterns", network.keys())?;
        Ok(network)
    }

    /// As [`new`](Network::new), without reading the patterns: for those known to be finite, as in a file that was
    /// checked when it was written. An entry that is not shows as an error of the queries that meet it.
    pub fn assume_finite(omega: O, psi: P, patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        let keys = in_rows(patterns.into());
        let (count, width) = keys.dim();
        if count == 0 || width == 0 {
            return Err(Error::shape("patterns", &[count, width], &[count.max(1), width.max(1)]));
        }
        omega.argmax(&mut vec![T::zero(); count])?;
        psi.argmax(&mut vec![T::zero(); width])?;
        Ok(Network { omega, psi, keys, values: None })
    }

    /// Hetero-association: what is recalled are the rows of `values`, one for each pattern and of any width.
    pub fn hetero(
        omega: O,
        psi: P,
        keys: impl Into<CowArray<'a, T, Ix2>>,
        values: impl Into<CowArray<'a, T, Ix2>>,
    ) -> Result<Self> {
        let (keys, values) = (in_rows(keys.into()), in_rows(values.into()));
        let (count, width) = keys.dim();
        if count == 0 || width == 0 {
            return Err(Error::shape("keys", &[count, width], &[count.max(1), width.max(1)]));
        }
        if values.nrows() != count || values.ncols() == 0 {
            return Err(Error::shape("values", values.shape(), &[count, values.ncols().max(1)]));
        }
        check_finite("keys", keys.view())?;
        check_finite("values", values.view())?;
        omega.argmax(&mut vec![T::zero(); count])?;
        psi.argmax(&mut vec![T::zero(); values.ncols()])?;
        Ok(Network { omega, psi, keys, values: Some(values) })
    }

    /// The same functions and keys, recalling the rows of `values`, which are as wide as Ψ takes.
    pub fn with_values(self, values: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        Self::hetero(self.omega, self.psi, self.keys, values)
    }

    /// The separation Ω.
    pub fn omega(&self) -> &O {
        &self.omega
    }

    /// The post-transformation Ψ.
    pub fn psi(&self) -> &P {
        &self.psi
    }

    /// What queries are compared with, one pattern a row, rows one after the other in memory.
    pub fn keys(&self) -> ArrayView2<'_, T> {
        self.keys.view()
    }

    /// What is recalled: the keys, unless there are separate values.
    pub fn values(&self) -> ArrayView2<'_, T> {
        self.values.as_ref().unwrap_or(&self.keys).view()
    }

    /// Whether what is recalled are the keys themselves, so that there is an energy.
    pub fn is_auto_associative(&self) -> bool {
        self.values.is_none()
    }

    /// The number of patterns.
    pub fn count(&self) -> usize {
        self.keys.nrows()
    }

    /// The number of entries of a query.
    pub fn width(&self) -> usize {
        self.keys.ncols()
    }

    /// The number of entries of what is recalled.
    pub fn output_width(&self) -> usize {
        self.values().ncols()
    }

    /// The same network, owning its patterns.
    pub fn into_owned(self) -> Network<'static, T, O, P> {
        let owned = |array: CowArray<'a, T, Ix2>| CowArray::from(array.into_owned());
        Network { omega: self.omega, psi: self.psi, keys: owned(self.keys), values: self.values.map(owned) }
    }

    /// Fails unless `query` is a finite vector as wide as the keys.
    pub(crate) fn check_query(&self, query: &[T]) -> Result<()> {
        check_len("query", query.len(), self.width())?;
        match query.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(index) => {
                let (value, rule) = (query[index].wide(), "an entry of a query must be finite");
                Err(Error::Entry { argument: "query", row: None, index, value, rule })
            }
        }
    }

    /// Fails unless a recalled state can be the next query.
    pub(crate) fn check_iterable(&self) -> Result<()> {
        let (count, width) = self.keys.dim();
        let fits = self.output_width() == width;
        if fits { Ok(()) } else { Err(Error::shape("values", self.values().shape(), &[count, width])) }
    }
}

/// The array with its rows one after the other.
pub(crate) fn in_rows<T: Clone>(array: CowArray<'_, T, Ix2>) -> CowArray<'_, T, Ix2> {
    if array.is_standard_layout() { array } else { CowArray::from(array.as_standard_layout().into_owned()) }
}

/// Fails on the first entry that is not finite.
pub(crate) fn check_finite<T: Real>(argument: &'static str, array: ArrayView2<'_, T>) -> Result<()> {
    for (row, entries) in array.rows().into_iter().enumerate() {
        if let Some(index) = entries.iter().position(|v| !v.is_finite()) {
            let (value, rule) = (entries[index].wide(), "an entry of a pattern must be finite");
            return Err(Error::Entry { argument, row: Some(row), index, value, rule });
        }
    }
    Ok(())
}
