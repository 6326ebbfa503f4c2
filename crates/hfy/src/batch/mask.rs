use ndarray::{ArrayView, ArrayViewD, Dimension};

use super::rows::axis_last;
use crate::error::{Error, Result};

/// Which entries of an array of scores are hidden. A hidden entry gets exactly zero weight and zero gradient.
#[derive(Debug, Clone)]
pub struct Mask<'a>(Kind<'a>);

#[derive(Debug, Clone)]
enum Kind<'a> {
    Entries { flags: ArrayViewD<'a, bool>, hides: bool },
    Lengths(&'a [usize]),
}

impl<'a> Mask<'a> {
    /// Entries that are `true` are hidden. The array is broadcast to the shape of the scores.
    pub fn hiding<D: Dimension>(flags: ArrayView<'a, bool, D>) -> Self {
        Mask(Kind::Entries { flags: flags.into_dyn(), hides: true })
    }

    /// Entries that are `true` are kept, the others hidden. The array is broadcast to the shape of the scores.
    pub fn keeping<D: Dimension>(flags: ArrayView<'a, bool, D>) -> Self {
        Mask(Kind::Entries { flags: flags.into_dyn(), hides: false })
    }

    /// Row `i` has `lengths[i]` entries; what lies beyond is padding and hidden.
    pub fn lengths(lengths: &'a [usize]) -> Self {
        Mask(Kind::Lengths(lengths))
    }

    /// The same mask for a shorter while; views of arrays do not shrink by themselves.
    pub(crate) fn shortened<'b>(self) -> Mask<'b>
    where
        'a: 'b,
    {
        Mask(match self.0 {
            Kind::Entries { flags, hides } => Kind::Entries { flags: flags.reborrow(), hides },
            Kind::Lengths(lengths) => Kind::Lengths(lengths),
        })
    }

    /// For arrays of this shape, whether each entry is hidden, row after row along `axis`.
    pub(crate) fn hidden(&self, shape: &[usize], axis: usize) -> Result<Vec<bool>> {
        match &self.0 {
            Kind::Entries { flags, hides } => {
                let mut wide = flags.broadcast(shape).ok_or_else(|| Error::shape("mask", flags.shape(), shape))?;
                axis_last(&mut wide, axis);
                Ok(wide.iter().map(|&flag| flag == *hides).collect())
            }
            Kind::Lengths(lengths) => {
                let n = shape[axis];
                let rows: usize = shape.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, d)| d).product();
                if lengths.len() != rows {
                    return Err(Error::shape("lengths", &[lengths.len()], &[rows]));
                }
                if let Some(row) = lengths.iter().position(|&l| l > n) {
                    let rule = "a length must not exceed the length of the row";
                    let value = lengths[row] as f64;
                    return Err(Error::Entry { argument: "lengths", row: None, index: row, value, rule });
                }
                Ok(lengths.iter().flat_map(|&l| (0..n).map(move |i| i >= l)).collect())
            }
        }
    }
}
