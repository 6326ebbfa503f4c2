use std::fmt;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::ArrayView2;

use super::patterns::Patterns;
use super::rounding::Rounding;
use super::scan::Scan;
use super::{Certificate, Curve, Margin, checked_beta, needed_lead};
use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::real::Real;
use crate::separation::Separation;

/// Stored patterns, a map with a margin and an inverse temperature: what is guaranteed for them.
///
/// ```
/// use hfy::{Certifier, Entmax};
/// use ndarray::array;
///
/// let patterns = array![[3.0, 0.0], [0.0, 3.0], [-3.0, 0.0]];
/// let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 0.5)?;
/// let first = certifier.certificates()?[0];
/// assert_eq!((first.separation, first.rival, first.fixed_point), (9.0, Some(1), true));
/// // (9 - 2)/6 by the paper's bound; the nearest plane is that of pattern 1, at (9 - 2)/√18.
/// assert!((first.radius_paper - 7.0 / 6.0).abs() < 1e-12);
/// assert!((first.radius_sharp - 7.0 / 18f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Clone)]
pub struct Certifier<'a, T: Real> {
    pub(super) patterns: Patterns<'a, T>,
    pub(super) post: Option<&'a dyn Convex<T>>,
    pub(super) map: Option<&'a dyn Convex<T>>,
    margin: Margin<T>,
    beta: T,
    tile: (usize, usize),
    serial: bool,
}

impl<'a, T: Real> Certifier<'a, T> {
    /// For the margin of `map`, at inverse temperature `beta`, one pattern a row.
    ///
    /// A map without a margin is an error, and so are a pattern that is not finite or whose square overflows, and a
    /// `beta` that is not positive. Patterns whose rows do not lie one after the other are copied.
    pub fn new(patterns: ArrayView2<'a, T>, map: &'a impl Separation<T>, beta: f64) -> Result<Self> {
        Ok(Certifier { map: Some(map), ..Self::with_margin(patterns, Margin::of(map)?, beta)? })
    }

    /// For a known margin of a map that is not at hand.
    pub fn with_margin(patterns: ArrayView2<'a, T>, margin: Margin<T>, beta: f64) -> Result<Self> {
        let (beta, patterns) = (checked_beta(beta)?, Patterns::new(patterns)?);
        Ok(Certifier { patterns, post: None, map: None, margin, beta, tile: (128, 1024), serial: false })
    }

    /// With a post-transformation Ψ, so that a step is `q ← ŷ_Ψ(Xᵀ ŷ_Ω(β X q))`.
    ///
    /// A step that puts all weight on pattern `i` then returns `c_i = ŷ_Ψ(x_i)`, and certificates are about that state,
    /// whatever Ψ: [what is certified](crate::certify#what-is-certified). The paper's case is that of an idempotent Ψ
    /// and patterns in its image, where `c_i = x_i`: transform the patterns first and store the result.
    ///
    /// ```
    /// use hfy::{Ball, Batch, Certifier, Entmax};
    /// use ndarray::array;
    ///
    /// let ball = Ball::new(5.0)?;
    /// let (keys, _) = Batch::new(&ball).map(array![[0.6, 0.8], [-2.0, 0.0]].view())?;
    /// let certifier = Certifier::new(keys.view(), &Entmax::SPARSEMAX, 1.0)?.post(&ball);
    /// let first = certifier.certificates()?[0];
    /// assert!(first.moved < 1e-14 && first.fixed_point && (first.separation - 40.0).abs() < 1e-12);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn post(mut self, post: &'a dyn Convex<T>) -> Self {
        self.post = (!post.is_identity()).then_some(post);
        self
    }

    /// The state that the certificate of a pattern is about, `c_i = ŷ_Ψ(x_i)`.
    ///
    /// ```
    /// use hfy::{Ball, Certifier, Entmax};
    /// use ndarray::array;
    ///
    /// let patterns = array![[3.0, 4.0], [-5.0, 0.0]];
    /// let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 1.0)?.post(&Ball::UNIT);
    /// assert_eq!(certifier.state(0)?, [0.6, 0.8]);
    /// assert_eq!(certifier.certificates()?[0].moved, 4.0); // the pattern itself does not come back
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn state(&self, pattern: usize) -> Result<Vec<T>> {
        if pattern >= self.patterns.len() {
            return Err(Error::parameter("pattern", pattern, "must be one of the stored patterns"));
        }
        let mut state = self.patterns.row(pattern).to_vec();
        if let Some(post) = self.post {
            post.argmax(&mut state).map_err(|error| error.in_row(pattern))?;
        }
        Ok(state)
    }

    /// With tiles of other sizes: so many patterns a task, against so many at once. The results are the same.
    pub fn tile(mut self, rows: usize, columns: usize) -> Self {
        self.tile = (rows.max(1), columns.max(1));
        self
    }

    /// In this thread only.
    pub fn serial(mut self) -> Self {
        self.serial = true;
        self
    }

    /// The margin.
    pub fn margin(&self) -> &Margin<T> {
        &self.margin
    }

    /// The inverse temperature, rounded to the type of the patterns.
    pub fn beta(&self) -> T {
        self.beta
    }

    /// `m/β`: the lead that a score needs.
    pub fn lead(&self) -> f64 {
        needed_lead(self.margin.lead(), self.beta)
    }

    pub(super) fn rounding(&self) -> Rounding {
        Rounding::of(self.patterns.width(), self.beta)
    }

    /// The certificate of every pattern.
    ///
    /// **Cost.** One product of the patterns with themselves (two with a post-transformation), a tile at a time: the
    /// memory is that of a tile for each thread.
    pub fn certificates(&self) -> Result<Vec<Certificate>> {
        self.certificates_with(&|_, _| ControlFlow::Continue(()))
    }

    /// The same, with progress. Stopping is [`Error::Interrupted`].
    pub fn certificates_with(&self, progress: Progress<'_>) -> Result<Vec<Certificate>> {
        self.compute(progress)
    }

    pub(crate) fn compute(&self, progress: Progress<'_>) -> Result<Vec<Certificate>> {
        if self.margin.size() != 1 {
            let what = "certificates of single patterns: ask for those of associations";
            return Err(Error::Unsupported { function: "a map of k-subsets", what });
        }
        let (patterns, post, lead, rounding) = (&self.patterns, self.post, self.lead(), self.rounding());
        let scan = Scan { patterns, post, lead, rounding, columns: self.tile.1 };
        let (total, stopped, done) = (patterns.len(), AtomicBool::new(false), Mutex::new(0));
        let task = |first: usize| -> Result<Vec<Certificate>> {
            let rows = first..total.min(first + self.tile.0);
            let block = scan.block(rows.clone(), &|| stopped.load(Ordering::Relaxed))?;
            let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if let (Some(block), false) = (block, stopped.load(Ordering::Relaxed)) {
                *done += rows.len();
                if progress(*done, total).is_continue() || *done == total {
                    return Ok(block);
                }
                stopped.store(true, Ordering::Relaxed);
            }
            Err(Error::Interrupted { done: *done, total })
        };
        let firsts: Vec<usize> = (0..total).step_by(self.tile.0).collect();
        let mut certificates = Vec::with_capacity(total);
        for block in self.run(firsts, task) {
            certificates.extend(block?);
        }
        Ok(certificates)
    }

    fn run<R: Send>(&self, firsts: Vec<usize>, task: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
        #[cfg(feature = "rayon")]
        if !self.serial && firsts.len() > 1 {
            use rayon::prelude::*;
            return firsts.into_par_iter().map(task).collect();
        }
        let _ = self.serial;
        firsts.into_iter().map(task).collect()
    }

    /// The share of fixed points as a function of `β`.
    pub fn curve(&self, certificates: &[Certificate]) -> Curve<T> {
        Curve::new(self.margin.lead(), certificates)
    }
}

impl<T: Real> fmt::Debug for Certifier<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certifier")
            .field("patterns", &(self.patterns.len(), self.patterns.width()))
            .field("margin", &self.margin)
            .field("beta", &self.beta)
            .field("post", &self.post.is_some())
            .finish_non_exhaustive()
    }
}
