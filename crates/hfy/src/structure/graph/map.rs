//! A factor graph as a convex function.

use super::super::active_set::Status;
use super::local::Local;
use super::settings::GraphSettings;
use super::solution::GraphSolution;
use super::solver::GraphSolver;
use super::tangent::Tangent;
use super::{FactorGraph, flat};
use crate::convex::{Convex, Outcome, check_gradient};
use crate::error::{Error, Result, check_len};
use crate::real::Real;
use crate::separation::Separation;

/// The map of a [`FactorGraph`] (LP-SparseMAP), for networks and losses,
///
/// ```text
/// Ω(y) = |y|²/2 - Σ_f max { η_f·e : (y_f, e) in the hull of f },
/// ```
///
/// plus infinity where one of the hulls does not have `y_f`.
///
/// ```
/// use hfy::Convex;
/// use hfy::structure::{Factor, FactorGraph, GraphMap};
///
/// let mut graph = FactorGraph::new(3);
/// graph.add(Factor::at_most_one(&[0, 1]))?;
/// graph.add(Factor::imply(&[0, 2]))?;
/// let map = GraphMap::new(graph);
/// let theta = [1.0, 0.5, -0.25];
/// let y: Vec<f64> = map.apply(&theta)?;
/// assert!(y.iter().zip([0.375, 0.5, 0.375]).all(|(y, want)| (y - want).abs() < 1e-8));
/// assert!(map.loss(&theta, &y)? < 1e-9);
/// assert_eq!(map.loss(&theta, &[1.0, 1.0, 1.0])?, f64::INFINITY);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GraphMap {
    graph: FactorGraph,
    settings: GraphSettings,
}

impl GraphMap {
    /// With the usual settings.
    pub fn new(graph: FactorGraph) -> Self {
        GraphMap { graph, settings: GraphSettings::default() }
    }

    /// With other settings.
    pub fn with(graph: FactorGraph, settings: GraphSettings) -> Result<Self> {
        settings.validate()?;
        Ok(GraphMap { graph, settings })
    }

    /// The graph.
    pub fn graph(&self) -> &FactorGraph {
        &self.graph
    }

    /// The settings.
    pub fn settings(&self) -> &GraphSettings {
        &self.settings
    }

    fn solved<T: Real>(&self, theta: &[T]) -> Result<GraphSolution> {
        let solution = GraphSolver::new(&self.graph, self.settings).solve(&widened(theta))?;
        if solution.status == Status::Optimal {
            return Ok(solution);
        }
        let residual = solution.primal_residual.max(solution.dual_residual);
        let (tolerance, iterations) = (self.settings.tolerance, solution.iterations);
        Err(Error::Unsolved { what: "a factor graph", residual, tolerance, iterations })
    }

    /// `Σ_f max η_f·e` and the faces that have `y`; `None` where one of the hulls does not have it.
    fn behind(&self, y: &[f64], tolerance: f64, blur: f64) -> Result<Option<(f64, Tangent)>> {
        if y.len() != self.graph.variables() || !y.iter().all(|y| *y >= -tolerance && *y <= 1.0 + tolerance) {
            return Ok(None);
        }
        let higher = self.graph.higher();
        let coupled = self.graph.coupled();
        let mut fixed: Vec<bool> = y.iter().map(|&y| !flat::is_open(y, blur)).collect();
        self.graph.factors().iter().flat_map(|factor| factor.variables()).for_each(|&v| fixed[v] = false);
        let (mut sum, mut faces) = (0.0, Vec::new());
        for (number, (factor, higher)) in self.graph.factors().iter().zip(&higher).enumerate() {
            let mut local = Local::new(factor, number, higher);
            let own: Vec<f64> = factor.variables().iter().map(|&v| y[v]).collect();
            let Some(score) = local.behind(&own, tolerance)? else { return Ok(None) };
            sum += score;
            faces.push(local.whole_face(&own, blur)?);
        }
        Ok(Some((sum, Tangent { faces, coupled, fixed })))
    }
}

fn widened<T: Real>(row: &[T]) -> Vec<f64> {
    row.iter().map(|v| v.wide()).collect()
}

impl<T: Real> Convex<T> for GraphMap {
    fn value(&self, y: &[T]) -> T {
        let y = widened(y);
        let tolerance = T::domain_tolerance().wide();
        match self.behind(&y, tolerance, tolerance) {
            Ok(Some((interactions, _))) => T::of(y.iter().map(|v| v * v).sum::<f64>() / 2.0 - interactions),
            _ => T::infinity(),
        }
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        Ok(T::of(self.solved(theta)?.value))
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        let solution = self.solved(theta)?;
        theta.iter_mut().zip(&solution.marginals).for_each(|(t, &y)| *t = T::of(y));
        Ok(if solution.empty { Outcome::Empty } else { Outcome::Solved })
    }

    fn vjp(&self, theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
        check_len("g", g.len(), theta.len())?;
        let gradients = self.solved(theta)?.vjp(&widened(g))?;
        g.iter_mut().zip(&gradients.unary).for_each(|(g, &d)| *g = T::of(d));
        Ok(())
    }
}

impl<T: Real> Separation<T> for GraphMap {
    /// None: exact retrieval is a matter of structures, not of single scores.
    fn margin(&self) -> Option<T> {
        None
    }

    /// From the faces that the weights lie on.
    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        check_len("g", g.len(), y.len())?;
        check_len("y", y.len(), self.graph.variables())?;
        let tolerance = (64.0 * T::epsilon().wide()).max(4.0 * self.settings.tolerance);
        let Some((_, tangent)) = self.behind(&widened(y), tolerance, 16.0 * tolerance)? else {
            let rule = "the weights must be an output of the map";
            return Err(Error::parameter("y", "outside of the hull of a factor", rule));
        };
        let mut d: Vec<f64> = g.iter().zip(y).map(|(g, y)| if *y == T::zero() { 0.0 } else { g.wide() }).collect();
        check_gradient(T::of(d.iter().sum()), g)?;
        tangent.project(&mut d)?;
        g.iter_mut().zip(&d).for_each(|(g, &d)| *g = T::of(d));
        Ok(())
    }
}
