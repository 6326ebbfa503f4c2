use super::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// `Σ fᵢ(yᵢ)` over consecutive blocks of the vector, each with a function of its own.
///
/// Blocks of length one give the separable sum of scalar functions; longer ones, for instance, a product of
/// simplices of different sizes, each with its own map.
///
/// ```
/// use hfy::{Convex, Entmax, SeparableSum, Subsets};
///
/// let pair = SeparableSum::new(vec![
///     (Box::new(Entmax::SPARSEMAX) as Box<dyn Convex<f64>>, 2),
///     (Box::new(Subsets::new(2.0)?), 3),
/// ])?;
/// let mut y = [3.0, 0.0, 5.0, 4.0, 0.0];
/// pair.argmax(&mut y)?;
/// assert_eq!(y, [1.0, 0.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SeparableSum<F> {
    blocks: Vec<(F, usize)>,
    len: usize,
}

impl<F> SeparableSum<F> {
    /// One function for each block, with the block's length.
    pub fn new(blocks: Vec<(F, usize)>) -> Result<Self> {
        if blocks.is_empty() {
            return Err(Error::parameter("blocks", "[]", "a separable sum needs at least one block"));
        }
        let len = blocks.iter().map(|(_, n)| n).sum();
        Ok(SeparableSum { blocks, len })
    }

    /// Each function with the range of entries that it sees.
    fn ranges(&self) -> impl Iterator<Item = (&F, std::ops::Range<usize>)> {
        let mut start = 0;
        self.blocks.iter().map(move |(f, n)| {
            start += n;
            (f, start - n..start)
        })
    }
}

impl<T: Real, F: Convex<T>> Convex<T> for SeparableSum<F> {
    fn value(&self, y: &[T]) -> T {
        if y.len() != self.len {
            return T::infinity();
        }
        self.ranges().map(|(f, r)| f.value(&y[r])).sum()
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        check_len("scores", theta.len(), self.len)?;
        self.ranges().map(|(f, r)| f.conjugate(&theta[r])).sum()
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_len("scores", theta.len(), self.len)?;
        let mut outcome = Outcome::Empty;
        for (f, r) in self.ranges() {
            if f.argmax(&mut theta[r])? == Outcome::Solved {
                outcome = Outcome::Solved;
            }
        }
        Ok(outcome)
    }

    fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        check_len("scores", theta.len(), self.len)?;
        check_len("output", y.len(), self.len)?;
        check_len("gradient", g.len(), self.len)?;
        self.ranges().try_for_each(|(f, r)| f.vjp(&theta[r.clone()], &y[r.clone()], &mut g[r]))
    }

    fn second_vjp(&self, theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        for (name, len) in [("scores", theta.len()), ("output", y.len()), ("u", u.len()), ("w", w.len())] {
            check_len(name, len, self.len)?;
        }
        check_len("out", out.len(), self.len)?;
        self.ranges().try_for_each(|(f, r)| {
            f.second_vjp(&theta[r.clone()], &y[r.clone()], &u[r.clone()], &w[r.clone()], &mut out[r])
        })
    }

    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        check_len("y", y.len(), self.len)?;
        check_len("out", out.len(), self.len)?;
        self.ranges().try_for_each(|(f, r)| f.gradient(&y[r.clone()], &mut out[r]))
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("scores", theta.len(), self.len)?;
        check_len("target", y.len(), self.len)?;
        self.ranges().map(|(f, r)| f.loss(&theta[r.clone()], &y[r])).sum()
    }
}
