use faer::linalg::solvers::{FullPivLu, Solve};
use faer::{Mat, MatMut};
use ndarray::ArrayView2;

use super::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// `f(A y)` for a square non-singular matrix `A`: `f*(A⁻ᵀ θ)` and `A⁻¹ ŷ(A⁻ᵀ θ)`.
///
/// `A` is factored once, in double precision; each evaluation costs a few products with an n × n matrix.
/// There is no notion of a masked score here: every score must be finite.
///
/// ```
/// use hfy::{Convex, Quadratic, Transformed};
/// use ndarray::array;
///
/// let stretched = Transformed::new(Quadratic, array![[2.0, 0.0], [0.0, 4.0]].view())?;
/// let mut y = [4.0, 16.0];
/// stretched.argmax(&mut y)?;
/// assert_eq!(y, [1.0, 1.0]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Transformed<F> {
    inner: F,
    matrix: Mat<f64>,
    inverse: Mat<f64>,
}

impl<F> Transformed<F> {
    /// `f(matrix y)`.
    pub fn new<T: Real>(inner: F, matrix: ArrayView2<'_, T>) -> Result<Self> {
        let (rows, columns) = matrix.dim();
        if rows != columns {
            return Err(Error::shape("matrix", &[rows, columns], &[rows, rows]));
        }
        if let Some(((row, index), value)) = matrix.indexed_iter().find(|(_, v)| !v.is_finite()) {
            let rule = "an entry of a linear transformation must be finite";
            return Err(Error::Entry { argument: "matrix", row: Some(row), index, value: value.wide(), rule });
        }
        let matrix = Mat::from_fn(rows, rows, |i, j| matrix[[i, j]].wide());
        let factors = FullPivLu::new(matrix.as_ref());
        let pivots: Vec<f64> = (0..rows).map(|i| factors.U()[(i, i)].abs()).collect();
        let largest = pivots.iter().copied().fold(0.0, f64::max);
        if pivots.iter().any(|&p| p <= largest * rows as f64 * f64::EPSILON) {
            return Err(Error::parameter("matrix", format!("{rows} x {rows}"), "the matrix must be non-singular"));
        }
        let mut inverse = Mat::identity(rows, rows);
        factors.solve_in_place(inverse.as_mut());
        Ok(Transformed { inner, matrix, inverse })
    }

    /// `A⁻ᵀ θ`.
    fn pulled<T: Real>(&self, argument: &'static str, theta: &[T]) -> Result<Vec<T>> {
        check_len(argument, theta.len(), self.matrix.nrows())?;
        if let Some(index) = theta.iter().position(|s| !s.is_finite()) {
            let rule = "a number that is transformed linearly must be finite";
            return Err(Error::Entry { argument, row: None, index, value: theta[index].wide(), rule });
        }
        let mut out = vec![T::zero(); theta.len()];
        product(self.inverse.transpose(), theta, &mut out);
        Ok(out)
    }

    /// `values ← A⁻¹ values`.
    fn push<T: Real>(&self, values: &mut [T]) {
        let from = values.to_vec();
        product(self.inverse.as_ref(), &from, values);
    }

    /// The scores and the weights as the inner function sees them.
    fn inside<T: Real>(&self, theta: &[T]) -> Result<(Vec<T>, Vec<T>)>
    where
        F: Convex<T>,
    {
        let pulled = self.pulled("scores", theta)?;
        let mut y = pulled.clone();
        self.inner.argmax(&mut y)?;
        Ok((pulled, y))
    }
}

/// `to ← matrix from`, in double precision.
pub(crate) fn product<T: Real>(matrix: faer::MatRef<'_, f64>, from: &[T], to: &mut [T]) {
    let from = Mat::from_fn(from.len(), 1, |i, _| from[i].wide());
    let mut out = vec![0.0; to.len()];
    let target = MatMut::from_column_major_slice_mut(&mut out, to.len(), 1);
    faer::linalg::matmul::matmul(target, faer::Accum::Replace, matrix, from, 1.0, faer::Par::Seq);
    to.iter_mut().zip(out).for_each(|(to, v)| *to = T::of(v));
}

impl<T: Real, F: Convex<T>> Convex<T> for Transformed<F> {
    fn value(&self, y: &[T]) -> T {
        if y.len() != self.matrix.nrows() {
            return T::infinity();
        }
        let mut moved = vec![T::zero(); y.len()];
        product(self.matrix.as_ref(), y, &mut moved);
        self.inner.value(&moved)
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        self.inner.conjugate(&self.pulled("scores", theta)?)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        let mut pulled = self.pulled("scores", theta)?;
        let outcome = self.inner.argmax(&mut pulled)?;
        theta.copy_from_slice(&pulled);
        self.push(theta);
        Ok(outcome)
    }

    /// `Aᵀ ∇f(A y)`.
    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        check_len("y", y.len(), self.matrix.nrows())?;
        check_len("out", out.len(), y.len())?;
        let (mut moved, mut inner) = (vec![T::zero(); y.len()], vec![T::zero(); y.len()]);
        product(self.matrix.as_ref(), y, &mut moved);
        self.inner.gradient(&moved, &mut inner)?;
        product(self.matrix.transpose(), &inner, out);
        Ok(())
    }

    fn vjp(&self, theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
        let (pulled, y) = self.inside(theta)?;
        let mut inner = self.pulled("gradient", g)?;
        self.inner.vjp(&pulled, &y, &mut inner)?;
        g.copy_from_slice(&inner);
        self.push(g);
        Ok(())
    }

    fn second_vjp(&self, theta: &[T], _y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        let (pulled, y) = self.inside(theta)?;
        self.inner.second_vjp(&pulled, &y, &self.pulled("u", u)?, &self.pulled("w", w)?, out)?;
        self.push(out);
        Ok(())
    }
}
