use super::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::{Real, with_copy};

/// `f(y - b)`: the domain moved by `b`. The conjugate gains `b·θ` and the map `b`.
///
/// ```
/// use hfy::{Convex, Quadratic, Translated};
///
/// let moved = Translated::new(Quadratic, vec![1.0, -1.0])?;
/// assert_eq!(moved.value(&[1.0, -1.0]), 0.0);
/// assert_eq!(moved.conjugate(&[2.0, 0.0])?, 4.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Translated<F, T> {
    inner: F,
    offset: Vec<T>,
}

impl<F, T: Real> Translated<F, T> {
    /// `f(y - offset)`.
    pub fn new(inner: F, offset: Vec<T>) -> Result<Self> {
        match offset.iter().position(|b| !b.is_finite()) {
            None => Ok(Translated { inner, offset }),
            Some(index) => Err(Error::Entry {
                argument: "offset",
                row: None,
                index,
                value: offset[index].wide(),
                rule: "an offset must be finite",
            }),
        }
    }
}

impl<T: Real, F: Convex<T>> Convex<T> for Translated<F, T> {
    fn value(&self, y: &[T]) -> T {
        if y.len() != self.offset.len() {
            return T::infinity();
        }
        let back: Vec<T> = y.iter().zip(&self.offset).map(|(&y, &b)| y - b).collect();
        self.inner.value(&back)
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        check_len("scores", theta.len(), self.offset.len())?;
        let visible = theta.iter().zip(&self.offset).filter(|(s, _)| **s != T::neg_infinity());
        Ok(visible.map(|(&s, &b)| s * b).sum::<T>() + self.inner.conjugate(theta)?)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_len("scores", theta.len(), self.offset.len())?;
        // A masked entry keeps weight zero: the offset moves only what is visible.
        let shift: Vec<T> = (theta.iter().zip(&self.offset))
            .map(|(&s, &b)| if s == T::neg_infinity() { T::zero() } else { b })
            .collect();
        let outcome = self.inner.argmax(theta)?;
        theta.iter_mut().zip(shift).for_each(|(y, b)| *y += b);
        Ok(outcome)
    }

    fn vjp(&self, theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
        // Solved anew: subtracting the offset from the output would blur its exact zeros.
        with_copy(theta, |y| {
            self.inner.argmax(y)?;
            self.inner.vjp(theta, y, g)
        })
    }

    fn second_vjp(&self, theta: &[T], _y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        with_copy(theta, |y| {
            self.inner.argmax(y)?;
            self.inner.second_vjp(theta, y, u, w, out)
        })
    }

    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        check_len("y", y.len(), self.offset.len())?;
        let back: Vec<T> = y.iter().zip(&self.offset).map(|(&y, &b)| y - b).collect();
        self.inner.gradient(&back, out)
    }
}
