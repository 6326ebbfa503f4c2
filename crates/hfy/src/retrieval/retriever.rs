//! Updates of a batch of queries until a rule stops them.

use std::ops::ControlFlow;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2};

use super::answer::{Answer, Wanted};
use super::associate::{BATCH, Engine, check_finite};
use super::flight::Flight;
use super::index::Index;
use super::model::Model;
use super::report::Retrieval;
use super::rows;
use super::settings::{MatchRule, Settings, Stop};
use super::stream;
use super::sums::Origins;
use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::progress::Progress;
use crate::real::Real;
use crate::separation::Separation;

/// What is said of an index for a map that reads every pattern anyway.
const NEEDS_REACH: Error = Error::Unsupported {
    function: "this map",
    what: "a support of finite reach, without which an index spares nothing",
};

/// Runs the updates of a [network](Network) on batches of queries, and reports what each query came to.
///
/// Queries that are finished leave the batch: once their state comes back to the last bit, or all weight lies on a
/// pattern that is known to come back. States that are equal are computed once. A network whose values are not as wide
/// as its keys takes one step, whatever the [settings](Settings).
///
/// ```
/// use hfy::{Network, retrieval::{MatchRule, Retriever, Settings, Status, Stopped}};
/// use ndarray::array;
///
/// let network = Network::sparse(2.0, array![[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]])?;
/// let retrieval = Retriever::new(&network)?.retrieve(array![[1.5, 0.3], [0.1, 0.1]].view())?;
/// let first = &retrieval.reports[0];
/// assert_eq!((&first.status, first.stopped, first.steps), (&Status::Pattern(0), Stopped::FixedPoint, 2));
/// assert_eq!(retrieval.states.row(0), array![2.0, 0.0]);
/// assert_eq!(retrieval.reports[1].support.weights(), [0.5, 0.5]);
/// assert_eq!(retrieval.reports[1].status, Status::Blend { size: 2 });
///
/// // Say when nothing matches.
/// let settings = Settings { rule: Some(MatchRule::Distance(1.0)), ..Settings::default() };
/// let retriever = Retriever::new(&network)?.with_settings(settings)?;
/// assert_eq!(retriever.retrieve(array![[9.0, 0.3]].view())?.reports[0].status, Status::NoMatch);
/// # Ok::<(), hfy::Error>(())
/// ```
pub struct Retriever<'a, T: Real> {
    pub(super) model: Model<'a, T>,
    pub(super) settings: Settings,
    pub(super) energy: bool,
    /// For maps with a reach.
    engine: Option<Engine<'a, T>>,
}

impl<T: Real> std::fmt::Debug for Retriever<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (patterns, width) = self.model.keys.dim();
        f.debug_struct("Retriever")
            .field("patterns", &patterns)
            .field("width", &width)
            .field("settings", &self.settings)
            .finish()
    }
}

impl<'a, T: Real> Retriever<'a, T> {
    /// A retriever with the default settings.
    pub fn new<O: Separation<T>, P: Convex<T>>(network: &'a Network<'_, T, O, P>) -> Result<Self> {
        let model = Model::of(network);
        let engine = if model.omega.reach().is_some() { Some(Engine::new(model.keys)?) } else { None };
        let energy = model.auto_associative;
        Ok(Retriever { model, settings: Settings::default(), energy, engine })
    }

    /// The same with other settings, which are checked here.
    pub fn with_settings(mut self, settings: Settings) -> Result<Self> {
        settings.validate()?;
        if let Stop::Steps(2..) = settings.stop {
            self.model.check_iterable()?;
        }
        let apart = Error::Unsupported { function: "a network with separate values", what: "an energy" };
        match settings.rule {
            Some(MatchRule::Energy(_)) if !self.model.auto_associative => return Err(apart),
            Some(MatchRule::Distance(_)) => self.model.check_iterable()?,
            _ => {}
        }
        if settings.trace && !self.model.auto_associative {
            return Err(apart);
        }
        self.settings = settings;
        Ok(self)
    }

    /// The same with an [index](Index) of `rank` directions over the keys, for a map whose support has a finite reach.
    ///
    /// It changes no result. Where the patterns have much in common, as images have, most of them are never read.
    pub fn with_index(self, rank: usize) -> Result<Self> {
        self.check_reach()?;
        let index = Index::build(self.model.keys, rank)?;
        self.with_built_index(index)
    }

    /// The same with an index that is there already, which others may share. It must have been built over the same
    /// keys: that it has their shape is checked, but not what is in them.
    ///
    /// ```
    /// use hfy::{Network, retrieval::{Index, Retriever}};
    /// use ndarray::array;
    /// use std::sync::Arc;
    ///
    /// let patterns = array![[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [-2.0, 0.0, 1.0]];
    /// let index = Arc::new(Index::build(patterns.view(), 2)?);
    /// for beta in [1.0, 2.0] {
    ///     let network = Network::sparse(beta, &patterns)?;
    ///     let retriever = Retriever::new(&network)?.with_built_index(Arc::clone(&index))?;
    ///     let retrieval = retriever.retrieve(array![[1.5, 0.3, 0.0]].view())?;
    ///     assert_eq!(retrieval.states.row(0), patterns.row(0));
    /// }
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn with_built_index(mut self, index: impl Into<Arc<Index<T>>>) -> Result<Self> {
        self.check_reach()?;
        self.engine = self.engine.map(|engine| engine.with_index(index)).transpose()?;
        Ok(self)
    }

    fn check_reach(&self) -> Result<()> {
        if self.engine.is_some() { Ok(()) } else { Err(NEEDS_REACH) }
    }

    /// The same without energies in its reports, unless the settings need them. The energy of a state that is no fixed
    /// point takes the scores of one more step.
    pub fn without_energy(mut self) -> Self {
        self.energy = false;
        self
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// When a query is finished: the rule of the settings, or the one that [`Stop::Auto`] comes to for this map and
    /// type; after one step where a state cannot be the next query.
    ///
    /// ```
    /// use hfy::{Network, retrieval::{Retriever, Stop}};
    /// use ndarray::Array2;
    ///
    /// let patterns = Array2::<f64>::eye(3);
    /// let (sparse, dense) = (Network::sparse(1.0, &patterns)?, Network::modern(1.0, &patterns)?);
    /// assert_eq!(Retriever::new(&sparse)?.stop(), Stop::FixedPoint { limit: 100 });
    /// assert_eq!(Retriever::new(&dense)?.stop(), Stop::Relative { tolerance: 1e-5, limit: 100 });
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn stop(&self) -> Stop {
        if !self.model.is_iterable() {
            return Stop::Steps(1);
        }
        self.settings.stop.resolved::<T>(self.model.omega.is_sparse())
    }

    /// Runs every row of `queries` until it stops.
    pub fn retrieve(&self, queries: ArrayView2<'_, T>) -> Result<Retrieval<T>> {
        self.retrieve_with(queries, &|_, _| ControlFlow::Continue(()))
    }

    /// The same, with progress: it is counted in updates, of which each query may take as many as the settings allow,
    /// and those that a query does not need count as done when it stops. Stopping is [`Error::Interrupted`].
    ///
    /// ```
    /// use hfy::{Error, Network, retrieval::Retriever};
    /// use ndarray::Array2;
    /// use std::ops::ControlFlow;
    ///
    /// let network = Network::modern(1.0, Array2::<f64>::eye(3))?;
    /// let stopped = Retriever::new(&network)?.retrieve_with(Array2::eye(3).view(), &|_, _| ControlFlow::Break(()));
    /// assert_eq!(stopped.unwrap_err(), Error::Interrupted { done: 3, total: 300 });
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn retrieve_with(&self, queries: ArrayView2<'_, T>, progress: Progress<'_>) -> Result<Retrieval<T>> {
        self.run(queries, progress)
    }

    pub(crate) fn run(&self, queries: ArrayView2<'_, T>, progress: Progress<'_>) -> Result<Retrieval<T>> {
        let (model, width) = (&self.model, self.model.width());
        if queries.ncols() != width {
            return Err(Error::shape("queries", queries.shape(), &[queries.nrows(), width]));
        }
        check_finite("queries", queries)?;
        let queries = queries.as_standard_layout();
        let slice = queries.as_slice().expect("the queries are in standard order");
        let total = queries.nrows() * self.limit();
        let mut states = Vec::with_capacity(queries.nrows() * model.output_width());
        let mut reports = Vec::with_capacity(queries.nrows());
        for batch in slice.chunks(BATCH * width) {
            let first = reports.len();
            let mut flight = Flight::new(self, batch);
            let before = first * self.limit();
            let mut done = before;
            while !flight.is_over() {
                flight.step().map_err(|(q, e)| e.in_row(first + q))?;
                let now = before + flight.done();
                if now > done && now < total && progress(now, total).is_break() {
                    return Err(Error::Interrupted { done: now, total });
                }
                done = now;
            }
            let (batch_states, batch_reports) = flight.land().map_err(|(q, e)| e.in_row(first + q))?;
            states.extend(batch_states);
            reports.extend(batch_reports);
        }
        if total > 0 {
            // All is done: there is nothing left to stop.
            let _ = progress(total, total);
        }
        let states = Array2::from_shape_vec((reports.len(), model.output_width()), states).expect("one state a row");
        Ok(Retrieval { states, reports, stop: self.stop() })
    }

    /// The most updates of a query.
    pub(super) fn limit(&self) -> usize {
        if self.model.is_iterable() { self.settings.stop.limit() } else { 1 }
    }

    /// Whether energies are computed at all.
    pub(super) fn wants_energy(&self) -> bool {
        self.energy || self.settings.trace || matches!(self.settings.rule, Some(MatchRule::Energy(_)))
    }

    /// One step of each state, which may say where they come from.
    pub(super) fn answers(
        &self,
        states: &[T],
        origins: Origins<'_, T>,
        mut wanted: Wanted,
    ) -> std::result::Result<Vec<Answer<T>>, (usize, Error)> {
        if let Some(engine) = &self.engine {
            if !states.chunks(self.model.width()).any(|state| engine.may_overflow(state)) {
                return engine.answers(&self.model, states, origins, wanted);
            }
            wanted.floor = 0.0;
        }
        match self.model.omega.exponential_rate() {
            Some(rate) if wanted.floor > 0.0 => stream::answers(&self.model, rate, states, wanted),
            _ => rows::answers(&self.model, states, wanted),
        }
    }
}
