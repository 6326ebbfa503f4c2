//! Patterns as they are given to a layer.

use burn::tensor::Tensor;

use crate::error::{Error, Result, ensure};
use crate::operators::Rows;

/// Patterns one a row, and the bags that they are in.
#[derive(Debug, Clone)]
pub struct Patterns {
    pub(crate) rows: Tensor<2>,
    pub(crate) bags: Rows,
}

impl Patterns {
    /// Bags of different sizes one after the other; `offsets` says where each begins, and the end. There is no padding.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use hfy_nn::layers::Patterns;
    ///
    /// let rows = Tensor::<2>::zeros([7, 2], &Device::flex());
    /// assert!(Patterns::bags(rows.clone(), &[0, 3, 7]).is_ok());
    /// assert!(Patterns::bags(rows, &[0, 3]).unwrap_err().to_string().contains("offsets"));
    /// ```
    pub fn bags(rows: Tensor<2>, offsets: &[usize]) -> Result<Self> {
        let bags = Rows::bags(offsets)?;
        ensure(bags.total() == rows.dims()[0], || {
            let rule = format!("they must end with the number of patterns, {}", rows.dims()[0]);
            Error::argument("offsets", format!("{offsets:?}"), rule)
        })?;
        Ok(Patterns { rows, bags })
    }

    /// The same patterns for every bag of the other input.
    pub fn shared(rows: Tensor<2>) -> Self {
        let bags = Rows::Shared(rows.dims()[0]);
        Patterns { rows, bags }
    }

    /// Sequences of one length, (batch, length, depth).
    pub fn batch(sequences: Tensor<3>) -> Self {
        let [batch, length, depth] = sequences.dims();
        let bags = if batch == 1 { Rows::Shared(length) } else { Rows::batch(batch, length) };
        Patterns { rows: sequences.reshape([batch * length, depth]), bags }
    }

    /// All patterns, one a row.
    pub fn rows(&self) -> &Tensor<2> {
        &self.rows
    }

    /// Depth of the patterns.
    pub fn depth(&self) -> usize {
        self.rows.dims()[1]
    }
}
