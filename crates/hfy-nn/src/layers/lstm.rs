//! The bidirectional LSTM, with torch's names, shapes and initial values.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::linear::drawn;
use super::patterns::Patterns;
use crate::error::{Error, Result, ensure};
use crate::operators::{Weights, bidirectional_lstm};
use crate::random::Random;

/// A bidirectional LSTM of one layer over sequences of different lengths, without padding: the states of the forward
/// direction beside those of the backward one.
///
/// Its weights are those of `torch.nn.LSTM(inputs, hidden, bidirectional=True)`, by name and shape, so that either side
/// reads what the other trained. A pass costs `rows * 8 hidden * (inputs + hidden)` multiplications and holds nine
/// numbers a row and unit of either direction for the way back.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use hfy_nn::Random;
/// use hfy_nn::layers::{BidirectionalLstm, Patterns};
///
/// let device = Device::flex();
/// let lstm = BidirectionalLstm::new(3, 4, &mut Random::new(0, 0), &device)?;
/// // Two sentences, of five words and of two.
/// let words = Patterns::bags(Tensor::ones([7, 3], &device), &[0, 5, 7])?;
/// assert_eq!(lstm.forward(words)?.depth(), 8);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Module, Debug)]
pub struct BidirectionalLstm {
    weight_ih_l0: Param<Tensor<2>>,
    weight_hh_l0: Param<Tensor<2>>,
    bias_ih_l0: Param<Tensor<1>>,
    bias_hh_l0: Param<Tensor<1>>,
    weight_ih_l0_reverse: Param<Tensor<2>>,
    weight_hh_l0_reverse: Param<Tensor<2>>,
    bias_ih_l0_reverse: Param<Tensor<1>>,
    bias_hh_l0_reverse: Param<Tensor<1>>,
}

impl BidirectionalLstm {
    /// Weights uniform within `1/sqrt(hidden)`, as torch draws them; `hidden` numbers a direction.
    pub fn new(inputs: usize, hidden: usize, random: &mut Random, device: &Device) -> Result<Self> {
        for (argument, value) in [("inputs", inputs), ("hidden", hidden)] {
            ensure(value > 0, || Error::argument(argument, value, "it must be at least 1"))?;
        }
        let bound = 1.0 / (hidden as f64).sqrt();
        let mut draw = || bound * (2.0 * random.uniform() - 1.0);
        let gates = 4 * hidden;
        Ok(BidirectionalLstm {
            weight_ih_l0: Param::from_tensor(drawn([gates, inputs], device, &mut draw)),
            weight_hh_l0: Param::from_tensor(drawn([gates, hidden], device, &mut draw)),
            bias_ih_l0: Param::from_tensor(drawn([gates], device, &mut draw)),
            bias_hh_l0: Param::from_tensor(drawn([gates], device, &mut draw)),
            weight_ih_l0_reverse: Param::from_tensor(drawn([gates, inputs], device, &mut draw)),
            weight_hh_l0_reverse: Param::from_tensor(drawn([gates, hidden], device, &mut draw)),
            bias_ih_l0_reverse: Param::from_tensor(drawn([gates], device, &mut draw)),
            bias_hh_l0_reverse: Param::from_tensor(drawn([gates], device, &mut draw)),
        })
    }

    /// The states of every word of every sequence: twice `hidden` numbers each.
    pub fn forward(&self, sequences: Patterns) -> Result<Patterns> {
        let bags = sequences.bags.unshared(1);
        let weights = [
            Weights {
                input: self.weight_ih_l0.val(),
                hidden: self.weight_hh_l0.val(),
                bias: self.bias_ih_l0.val() + self.bias_hh_l0.val(),
            },
            Weights {
                input: self.weight_ih_l0_reverse.val(),
                hidden: self.weight_hh_l0_reverse.val(),
                bias: self.bias_ih_l0_reverse.val() + self.bias_hh_l0_reverse.val(),
            },
        ];
        let rows = bidirectional_lstm(sequences.rows, weights, &bags)?;
        Ok(Patterns { rows, bags: sequences.bags })
    }
}
