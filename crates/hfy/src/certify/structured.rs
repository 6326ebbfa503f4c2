//! Associations that a map over structures retrieves.

use ndarray::ArrayView2;

use super::checked_beta;
use super::patterns::Patterns;
use super::rounding::{Rounding, dot};
use crate::convex::Convex;
use crate::error::{Error, Result, check_len};
use crate::real::Real;
use crate::structure::{Rivals, SparseMap, Structure, Vertex};

/// What is guaranteed for an association of patterns under a map over structures.
///
/// The state is `c = Xᵀ a`, or `ŷ_Ψ` of it, for a structure `a` of the patterns, with the scores `θ = X c`. It is
/// retrieved exactly **if and only if** for every other structure `a'`
///
/// ```text
/// β θ·(a - a') + η·(e - e')  ≥  |a - a'|²/2 + (|a|² - |a'|²)/2,
/// ```
///
/// which says that the gradient `β θ - a` at `a` favours no other structure: one question to the oracle, no list of
/// structures. Where all structures have as many patterns the last term is zero. Transition scores `η` count; the paper
/// leaves them out. With both states regularised the squares are doubled.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StructuredAssociation {
    /// The patterns of the association, ascending.
    pub members: Vec<usize>,
    /// The structure that comes nearest to taking its place.
    pub rival: Option<Vec<usize>>,
    /// By how much the inequality holds for the rival, in units of `β θ`: negative where the association is lost.
    /// Infinite where there is no other structure.
    pub slack: f64,
    /// Whether one step from the state returns it.
    pub fixed_point: bool,
    /// `Δ = min θ·(a - a') + η·(e - e')/β` over the other structures: the paper's, with the transition scores that it
    /// leaves out.
    pub separation: f64,
    /// `D² = max |a - a'|²` over variables, each regularised state counted.
    pub distance_squared: f64,
    /// Whether `Δ ≥ D²/(2β)`, which suffices where all structures have as many patterns or both states are regularised.
    /// Elsewhere whether `Δ` reaches the most patterns that another structure lacks of this one, over `β`.
    pub sufficient: bool,
    /// Whether it holds with the paper's larger `D²`, which counts the interactions that a variable has a part in:
    /// three times as much, `12k` for sequential k-subsets. Without interactions the same as `sufficient`.
    pub sufficient_printed: bool,
    /// Every query within this distance of the state `c` returns `c` in one step. It is the least distance over all
    /// other structures at which the inequality could fail if the patterns that differ conspired: `|Xᵀ(a - a')|` is
    /// bounded by the sum of the norms of the patterns in which they differ, of the centred ones where that is less.
    pub radius: f64,
    /// `(Δ - D²/(2β)) / (M D²)` with the paper's `D²` and the largest norm `M`; zero where there is no room.
    pub radius_printed: f64,
}

/// What one step does with a query under a map over structures.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StructuredGuarantee {
    /// The best structure.
    pub best: Vec<usize>,
    /// The structure that comes nearest to taking a share.
    pub rival: Option<Vec<usize>>,
    /// By how much the best structure meets the condition of exact retrieval, in units of `β θ`.
    pub slack: f64,
    /// Whether one step puts weight one on exactly the patterns of the best structure, and so returns `ŷ_Ψ` of their
    /// sum.
    pub exact: bool,
}

/// Stored patterns, a map over structures and an inverse temperature: which associations come back.
///
/// ```
/// use hfy::certify::StructuredCertifier;
/// use hfy::structure::{Sequence, SparseMap};
/// use ndarray::array;
///
/// let patterns = array![[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
/// let map = SparseMap::new(Sequence::new(2)?.transition(1.0)?);
/// let certifier = StructuredCertifier::new(patterns.view(), &map, 1.0)?;
/// let neighbours = certifier.association(&[0, 1])?;
/// assert!(neighbours.fixed_point && neighbours.radius > 0.0);
/// // Exchanging pattern 0 for 2 loses a score of 9, of which the regulariser takes 1; the transition is gained again.
/// assert_eq!((neighbours.rival, neighbours.slack), (Some(vec![1, 2]), 8.0));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Clone)]
pub struct StructuredCertifier<'a, T: Real, S> {
    patterns: Patterns<'a, T>,
    map: &'a SparseMap<S>,
    post: Option<&'a dyn Convex<T>>,
    beta: T,
    /// The norms of the patterns less their mean.
    centred: Vec<f64>,
}

impl<T: Real, S> std::fmt::Debug for StructuredCertifier<'_, T, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StructuredCertifier").field("patterns", &self.patterns.len()).field("beta", &self.beta).finish()
    }
}

impl<'a, T: Real, S: Structure> StructuredCertifier<'a, T, S> {
    /// For structures over the patterns, one a row, at inverse temperature `beta`.
    pub fn new(patterns: ArrayView2<'a, T>, map: &'a SparseMap<S>, beta: f64) -> Result<Self> {
        let (beta, patterns) = (checked_beta(beta)?, Patterns::new(patterns)?);
        map.structure().higher(patterns.len())?;
        let mut mean = vec![0.0; patterns.width()];
        for i in 0..patterns.len() {
            mean.iter_mut().zip(patterns.row(i)).for_each(|(m, x)| *m += x.wide() / patterns.len() as f64);
        }
        let norm =
            |i: usize| patterns.row(i).iter().zip(&mean).map(|(x, m)| (x.wide() - m).powi(2)).sum::<f64>().sqrt();
        let centred = (0..patterns.len()).map(norm).collect();
        Ok(StructuredCertifier { patterns, map, post: None, beta, centred })
    }

    /// With a post-transformation Ψ, so that a step is `q ← ŷ_Ψ(Xᵀ ŷ_Ω(β X q))`.
    ///
    /// Associations are then certified for the state `c = ŷ_Ψ(Xᵀ a)`, which the radius is measured from and the step
    /// returns.
    pub fn post(mut self, post: &'a dyn Convex<T>) -> Self {
        self.post = (!post.is_identity()).then_some(post);
        self
    }

    /// What one step does with a query.
    ///
    /// ```
    /// use hfy::certify::StructuredCertifier;
    /// use hfy::structure::{Sequence, SparseMap};
    /// use ndarray::array;
    ///
    /// let patterns = array![[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
    /// let map = SparseMap::new(Sequence::new(2)?.transition(1.0)?);
    /// let certifier = StructuredCertifier::new(patterns.view(), &map, 1.0)?;
    /// let near = certifier.guarantee(&[2.0, 2.5, 0.5])?;
    /// assert!(near.exact && near.best == [0, 1]);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn guarantee(&self, query: &[T]) -> Result<StructuredGuarantee> {
        check_len("query", query.len(), self.patterns.width())?;
        if let Some(index) = query.iter().position(|v| !v.is_finite()) {
            let (value, rule) = (query[index].wide(), "an entry of a query must be finite");
            return Err(Error::Entry { argument: "query", row: None, index, value, rule });
        }
        let scores: Vec<f64> = self.scores(query).iter().map(|s| s * self.beta.wide()).collect();
        let solution = self.map.solve(&scores)?;
        let rivals = Rivals::new(self.map, &solution.best)?;
        let nearest = rivals.nearest(&scores)?;
        Ok(StructuredGuarantee {
            best: solution.best.unary().indices().to_vec(),
            slack: nearest.as_ref().map_or(f64::INFINITY, |(_, slack)| *slack),
            rival: nearest.map(|(rival, _)| rival.unary().indices().to_vec()),
            exact: solution.exact() == Some(&solution.best),
        })
    }

    /// The certificate of an association, by the patterns that it has.
    pub fn association(&self, members: &[usize]) -> Result<StructuredAssociation> {
        let n = self.patterns.len();
        let beta = self.beta.wide();
        let vertex = self.map.structure_of(members, n)?;
        let state = self.blend(&vertex)?;
        let theta = self.scores(&state);
        let scores: Vec<f64> = theta.iter().map(|s| s * beta).collect();
        let rivals = Rivals::new(self.map, &vertex)?;
        let nearest = rivals.nearest(&scores)?;
        let separation = rivals.separation(&scores)? / beta;
        let (distance_squared, needed) = (rivals.distance(n)?, rivals.weight(n)?);
        let interact = !self.map.structure().higher(n)?.is_empty();
        let printed = if interact { 3.0 * distance_squared } else { distance_squared };
        let needed_printed = needed.max(printed / 2.0);
        let slack = nearest.as_ref().map_or(f64::INFINITY, |(_, slack)| *slack);

        let rounding = Rounding::of(self.patterns.width(), self.beta);
        let (norms, size) = (self.patterns.norms(), dot(&state, &state).sqrt());
        let wobble: Vec<f64> =
            norms.iter().map(|norm| 2.0 * beta * (rounding.relative * norm * size + rounding.absolute)).collect();
        let reach = |norms: &[f64]| -> Result<f64> {
            let pull: Vec<f64> =
                norms.iter().zip(self.patterns.norms()).map(|(n, x)| beta * (n + rounding.relative * x)).collect();
            rivals.radius(&scores, &wobble, &pull)
        };
        let mut radius = if slack >= 0.0 { reach(norms)? } else { 0.0 };
        if radius > 0.0 && self.map.structure().mass().is_some() {
            radius = radius.max(reach(&self.centred)?);
        }
        let room = (separation - needed_printed / beta) / (self.patterns.largest_norm() * printed);
        Ok(StructuredAssociation {
            members: vertex.unary().indices().to_vec(),
            rival: nearest.map(|(rival, _)| rival.unary().indices().to_vec()),
            slack,
            fixed_point: slack >= 0.0,
            separation,
            distance_squared,
            sufficient: separation >= needed / beta,
            sufficient_printed: separation >= needed_printed / beta,
            radius,
            radius_printed: if room > 0.0 { room.min(radius) } else { 0.0 },
        })
    }

    fn scores(&self, state: &[T]) -> Vec<f64> {
        (0..self.patterns.len()).map(|i| dot(state, self.patterns.row(i))).collect()
    }

    /// `Xᵀ a`, or `ŷ_Ψ` of it.
    fn blend(&self, vertex: &Vertex) -> Result<Vec<T>> {
        let mut state = vec![T::zero(); self.patterns.width()];
        for (i, weight) in vertex.unary().iter() {
            state.iter_mut().zip(self.patterns.row(i)).for_each(|(s, &x)| *s += T::of(weight) * x);
        }
        if let Some(post) = self.post {
            post.argmax(&mut state)?;
        }
        Ok(state)
    }
}
