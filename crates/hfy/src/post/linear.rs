use faer::linalg::cholesky::llt::factor::LltError;
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par, Side};
use ndarray::ArrayView2;

use super::check_finite;
use crate::convex::{Convex, Outcome, product};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// `A z` for a symmetric positive definite matrix `A`: the projection of a hetero-associative memory.
///
/// `Ψ(q) = q·A⁻¹q / 2` and `Ψ*(z) = z·Az / 2`. Any other matrix has no convex Ψ, and is an error that names the entry
/// that differs from its mirror or the pivot of the factorisation that is not positive. Entries that differ from
/// their mirror only by rounding are replaced by the mean of the two.
///
/// Cost: `D³/3` once for the factor, `D²` a call. Everything is computed in double precision. `A⁻¹` is never formed:
/// with `A = L Lᵀ`, `Ψ(q) = |L⁻¹q|² / 2`, and the loss is `Ψ(Az - q)`, so neither is ever negative.
///
/// Reference: Millidge et al., *Universal Hopfield Networks*, 2022.
///
/// ```
/// use hfy::{Convex, Linear};
/// use ndarray::array;
///
/// let linear = Linear::new(array![[2.0, 1.0], [1.0, 2.0]].view())?;
/// let mut q = [1.0, -1.0];
/// linear.argmax(&mut q)?;
/// assert_eq!(q, [1.0, -1.0]);
/// assert!(Linear::new(array![[1.0, 2.0], [2.0, 1.0]].view()).is_err());
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    matrix: Mat<f64>,
    lower: Mat<f64>,
}

impl Linear {
    /// The map `z ↦ matrix z`.
    pub fn new<T: Real>(matrix: ArrayView2<'_, T>) -> Result<Self> {
        let (rows, columns) = matrix.dim();
        if rows != columns {
            return Err(Error::shape("matrix", &[rows, columns], &[rows, rows]));
        }
        let entry = |row: usize, index: usize, rule: &'static str| {
            let value = matrix[[row, index]].wide();
            Err(Error::Entry { argument: "matrix", row: Some(row), index, value, rule })
        };
        if let Some(((row, column), _)) = matrix.indexed_iter().find(|(_, v)| !v.is_finite()) {
            return entry(row, column, "an entry of a linear post-transformation must be finite");
        }
        let rounding = 4.0 * rows as f64 * T::epsilon().wide();
        let root = |i: usize| matrix[[i, i]].wide().abs().sqrt();
        for (i, j) in (0..rows).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let gap = (matrix[[i, j]].wide() - matrix[[j, i]].wide()).abs();
            if gap > rounding * root(i) * root(j) {
                return entry(i, j, "the matrix must be symmetric: the entry across the diagonal differs");
            }
        }
        let half = |i: usize, j: usize| 0.5 * matrix[[i, j]].wide();
        let matrix = Mat::from_fn(rows, rows, |i, j| half(i, j) + half(j, i));
        let lower = Llt::new(matrix.as_ref(), Side::Lower).map_err(|LltError::NonPositivePivot { index }| {
            let pivot = matrix[(index, index)] - 2.0 * leading(&matrix, index);
            indefinite(rows, index, pivot)
        })?;
        let lower = lower.L().to_owned();
        let pivot = |i: usize| lower[(i, i)].powi(2);
        // A pivot that cancellation has left at rounding size may have any sign.
        let sound = |i: usize| pivot(i) > rows as f64 * f64::EPSILON * matrix[(i, i)];
        if let Some(i) = (0..rows).find(|&i| !sound(i)) {
            return Err(indefinite(rows, i, pivot(i)));
        }
        Ok(Linear { matrix, lower })
    }

    /// How many coordinates the matrix acts on.
    pub fn len(&self) -> usize {
        self.matrix.nrows()
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether applying the map twice changes nothing, which a positive definite matrix does only if it is the
    /// identity.
    pub fn is_idempotent(&self) -> bool {
        self.matrix == Mat::<f64>::identity(self.len(), self.len())
    }
}

/// `|L⁻¹ q|² / 2`.
fn half_norm(lower: MatRef<'_, f64>, mut q: Vec<f64>) -> f64 {
    let rows = q.len();
    let target = MatMut::from_column_major_slice_mut(&mut q, rows, 1);
    solve_lower_triangular_in_place(lower, target, Par::Seq);
    0.5 * q.iter().map(|v| v * v).sum::<f64>()
}

/// `a·B⁻¹a / 2` for the first `index` entries `a` of a column and the block `B` before it.
fn leading(matrix: &Mat<f64>, index: usize) -> f64 {
    let column = (0..index).map(|i| matrix[(i, index)]).collect();
    let block = Llt::new(matrix.submatrix(0, 0, index, index), Side::Lower);
    block.map_or(f64::NAN, |block| half_norm(block.L(), column))
}

fn indefinite(rows: usize, index: usize, pivot: f64) -> Error {
    let value = format!("{rows} x {rows} with pivot {index} = {pivot:e}");
    Error::parameter("matrix", value, "the matrix must be positive definite: every pivot of it must be positive")
}

impl<T: Real> Convex<T> for Linear {
    fn value(&self, q: &[T]) -> T {
        if q.len() != self.len() || q.iter().any(|v| !v.is_finite()) {
            return T::infinity();
        }
        T::of(half_norm(self.lower.as_ref(), q.iter().map(|v| v.wide()).collect()))
    }

    fn conjugate(&self, z: &[T]) -> Result<T> {
        let z: Vec<f64> = z.iter().map(|v| v.wide()).collect();
        let mut q = z.clone();
        self.argmax(&mut q)?;
        Ok(T::of(0.5 * z.iter().zip(q).map(|(z, q)| z * q).sum::<f64>()))
    }

    fn argmax(&self, z: &mut [T]) -> Result<Outcome> {
        let outcome = check_finite(z)?;
        check_len("scores", z.len(), self.len())?;
        let from = z.to_vec();
        product(self.matrix.as_ref(), &from, z);
        Ok(outcome)
    }

    fn vjp(&self, _z: &[T], _q: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), self.len())?;
        let from = g.to_vec();
        product(self.matrix.as_ref(), &from, g);
        Ok(())
    }

    /// `A⁻¹ q`, by two triangular solves.
    fn gradient(&self, q: &[T], out: &mut [T]) -> Result<()> {
        check_len("q", q.len(), self.len())?;
        check_len("out", out.len(), self.len())?;
        let mut wide: Vec<f64> = q.iter().map(|v| v.wide()).collect();
        let mut target = MatMut::from_column_major_slice_mut(&mut wide, q.len(), 1);
        solve_lower_triangular_in_place(self.lower.as_ref(), target.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(self.lower.transpose(), target, Par::Seq);
        out.iter_mut().zip(wide).for_each(|(out, v)| *out = T::of(v));
        Ok(())
    }

    fn second_vjp(&self, _z: &[T], _q: &[T], _u: &[T], _w: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), self.len())?;
        out.fill(T::zero());
        Ok(())
    }

    fn loss(&self, z: &[T], q: &[T]) -> Result<T> {
        check_len("target", q.len(), z.len())?;
        if q.iter().any(|v| !v.is_finite()) {
            return Ok(T::infinity());
        }
        let mut gap: Vec<f64> = z.iter().map(|v| v.wide()).collect();
        self.argmax(&mut gap)?;
        gap.iter_mut().zip(q).for_each(|(gap, q)| *gap -= q.wide());
        Ok(T::of(half_norm(self.lower.as_ref(), gap)))
    }
}
