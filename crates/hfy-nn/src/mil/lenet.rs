//! The network of the paper for small grey pictures.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, activation};

use crate::error::{Error, Result, ensure};
use crate::layers::Linear;
use crate::layers::drawn;
use crate::operators::convolve_and_pool;
use crate::random::Random;

const CHANNELS: [usize; 3] = [1, 20, 50];
const KERNEL: usize = 5;

/// Two convolutions of 5 x 5 with 20 and 50 channels, each rectified and pooled by 2, and a rectified linear layer.
#[derive(Module, Debug)]
pub struct LeNet {
    conv1_weight: Param<Tensor<4>>,
    conv1_bias: Param<Tensor<1>>,
    conv2_weight: Param<Tensor<4>>,
    conv2_bias: Param<Tensor<1>>,
    linear: Linear,
    #[module(skip)]
    picture: (usize, usize),
}

impl LeNet {
    /// A network for pictures of this height and width, with torch's initial values.
    pub fn new(picture: (usize, usize), outputs: usize, random: &mut Random, device: &Device) -> Result<Self> {
        let after = |size: usize| (size.saturating_sub(KERNEL - 1) / 2).saturating_sub(KERNEL - 1) / 2;
        let (height, width) = (after(picture.0), after(picture.1));
        ensure(height > 0 && width > 0, || {
            let rule = "two convolutions of 5 x 5 with pooling need pictures of at least 16 x 16";
            Error::argument("picture", format!("{} x {}", picture.0, picture.1), rule)
        })?;
        let mut conv = |at: usize| {
            let bound = 1.0 / ((CHANNELS[at] * KERNEL * KERNEL) as f64).sqrt();
            let mut draw = || bound * (2.0 * random.uniform() - 1.0);
            let weight = drawn([CHANNELS[at + 1], CHANNELS[at], KERNEL, KERNEL], device, &mut draw);
            (Param::from_tensor(weight), Param::from_tensor(drawn([CHANNELS[at + 1]], device, &mut draw)))
        };
        let ((conv1_weight, conv1_bias), (conv2_weight, conv2_bias)) = (conv(0), conv(1));
        let linear = Linear::new(CHANNELS[2] * height * width, outputs, random, device);
        Ok(LeNet { conv1_weight, conv1_bias, conv2_weight, conv2_bias, linear, picture })
    }

    /// A row for each picture, which comes as a row of its pixels.
    pub fn forward(&self, pixels: Tensor<2>) -> Result<Tensor<2>> {
        let ([count, depth], (height, width)) = (pixels.dims(), self.picture);
        ensure(depth == height * width, || {
            Error::shape("pictures", &[count, depth], format!("they must have {height} x {width} pixels"))
        })?;
        let x = pixels.reshape([count, 1, height, width]);
        let x = convolve_and_pool(x, self.conv1_weight.val(), self.conv1_bias.val())?;
        let x = convolve_and_pool(x, self.conv2_weight.val(), self.conv2_bias.val())?;
        let [_, channels, rows, columns] = x.dims();
        Ok(activation::relu(self.linear.forward(x.reshape([count, channels * rows * columns]))?))
    }
}
