//! Derivatives of a fixed point, without the updates that led to it.

use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, Solve};

use super::krylov::{gmres, norm};
use super::{Gradients, Network};
use crate::convex::Convex;
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// How the linear system of an implicit derivative is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solver {
    /// Relative residual to reach; by default `ε^(3/4)` of the type, 1.8e-12 for `f64` and 6e-6 for `f32`.
    pub tolerance: Option<f64>,
    /// How many products with the Jacobian GMRES may use.
    pub iterations: usize,
    /// States up to this width are solved by a factorisation where GMRES falls short.
    pub dense_up_to: usize,
}

impl Default for Solver {
    fn default() -> Self {
        Solver { tolerance: None, iterations: 400, dense_up_to: 512 }
    }
}

impl Solver {
    fn tolerance<T: Real>(&self) -> Result<f64> {
        let tolerance = self.tolerance.unwrap_or_else(|| T::epsilon().wide().powf(0.75));
        if tolerance > 0.0 && tolerance < 1.0 {
            return Ok(tolerance);
        }
        Err(Error::parameter("tolerance", tolerance, "a relative residual must lie strictly between 0 and 1"))
    }
}

/// The derivative of a fixed point, and how well its linear system was solved.
#[derive(Debug, Clone, PartialEq)]
pub struct Implicit<T> {
    /// The gradients of `v · state`; that in the query is zero, since a fixed point does not know where it was reached
    /// from.
    pub gradients: Gradients<T>,
    /// The solution `w` of `(I - J)ᵀ w = v`.
    pub adjoint: Vec<T>,
    /// `|v - (I - J)ᵀ w| / |v|`.
    pub residual: f64,
    /// How many products with the Jacobian were made.
    pub iterations: usize,
    /// Whether it took a factorisation.
    pub dense: bool,
    /// How far one update moves the state, over the larger of one and its norm.
    pub drift: f64,
}

impl<T: Real, O: Convex<T>, P: Convex<T>> Network<'_, T, O, P> {
    /// The gradient of `v · state` for a fixed point `state = F(state)` of the update, in the patterns and the inverse
    /// temperature.
    ///
    /// With `J` the Jacobian of the update there, `(I - J)ᵀ w = v` is solved, and `w` pulled back through one update.
    /// The memory needed does not grow with the number of updates that found the state. A state that an update moves by
    /// more than `√ε` is an error, as is a system that is singular: the fixed point then is about to split or vanish.
    ///
    /// ```
    /// use hfy::{Network, network::Solver};
    /// use ndarray::array;
    ///
    /// let network = Network::modern(1.0, array![[1.0, 0.0], [0.0, 1.0]])?;
    /// let state = network.trajectory(&[0.4, 0.1], 100)?.state().to_vec();
    /// let implicit = network.implicit_vjp(&state, &[1.0, 0.0], &Solver::default())?;
    /// assert!(implicit.residual < 1e-10);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn implicit_vjp(&self, state: &[T], v: &[T], solver: &Solver) -> Result<Implicit<T>> {
        self.check_iterable()?;
        check_len("v", v.len(), self.width())?;
        let tolerance = solver.tolerance::<T>()?;
        let step = self.step(state)?;
        let moved: Vec<f64> = step.state.iter().zip(state).map(|(a, b)| a.wide() - b.wide()).collect();
        let drift = norm(&moved) / norm(&wide(state)).max(1.0);
        if drift > T::domain_tolerance().wide() {
            let rule = "an update must leave the state where it is";
            return Err(Error::parameter("state", format!("a point that moves by {drift:e}"), rule));
        }

        let mut failure = None;
        let mut products = 0;
        let mut operator = |w: &[f64]| {
            products += 1;
            let narrow: Vec<T> = w.iter().map(|&w| T::of(w)).collect();
            match self.pull(&step, &narrow) {
                Ok(pulled) => w.iter().zip(&pulled.query).map(|(w, p)| w - p.wide()).collect(),
                Err(error) => {
                    failure.get_or_insert(error);
                    vec![f64::NAN; w.len()]
                }
            }
        };
        let target = wide(v);
        let (mut adjoint, mut residual) = gmres(&mut operator, &target, tolerance, solver.iterations);
        let solved = |residual: f64| residual <= tolerance;
        let dense = !solved(residual) && v.len() <= solver.dense_up_to;
        if dense {
            adjoint = solve_dense(&mut operator, &target);
            let finite = adjoint.iter().all(|&w| T::of(w).is_finite());
            let image = if finite { operator(&adjoint) } else { vec![f64::INFINITY; v.len()] };
            let gap: Vec<f64> = image.iter().zip(&target).map(|(a, b)| b - a).collect();
            residual = norm(&gap) / norm(&target);
        }
        if let Some(error) = failure {
            return Err(error);
        }
        if !solved(residual) {
            let what = "the linear system of the fixed point's derivative";
            return Err(Error::Unsolved { what, residual, tolerance, iterations: products });
        }
        let adjoint: Vec<T> = adjoint.into_iter().map(T::of).collect();
        let mut gradients = self.no_gradients();
        self.accumulate(state, &step, &adjoint, &mut gradients)?;
        Ok(Implicit { gradients: gradients.checked()?, adjoint, residual, iterations: products, dense, drift })
    }
}

fn wide<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|v| v.wide()).collect()
}

/// Builds the matrix column by column, and factors it.
fn solve_dense(operator: &mut impl FnMut(&[f64]) -> Vec<f64>, target: &[f64]) -> Vec<f64> {
    let n = target.len();
    let mut matrix = Mat::zeros(n, n);
    let mut unit = vec![0.0; n];
    for j in 0..n {
        unit[j] = 1.0;
        operator(&unit).into_iter().enumerate().for_each(|(i, v)| matrix[(i, j)] = v);
        unit[j] = 0.0;
    }
    let mut solution = Mat::from_fn(n, 1, |i, _| target[i]);
    PartialPivLu::new(matrix.as_ref()).solve_in_place(solution.as_mut());
    (0..n).map(|i| solution[(i, 0)]).collect()
}
