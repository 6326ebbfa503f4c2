//! Convolution, rectification and pooling of small pictures, as LeNet has them.

use burn::tensor::Tensor;

use super::matmul::{Matrix, multiply};
use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// `max_pool2(relu(conv(x) + bias))`: a convolution without padding, and the maximum of each 2 x 2 block of its output.
///
/// `x` is (pictures, channels, height, width), `weight` (outputs, channels, k, k). The convolution of all pictures is
/// one product of the weights with the patches as columns, whose memory is k² times that of the pictures. The rectifier
/// and the maximum commute, so the maximum comes first, and the gradient goes to one entry of a block.
pub(crate) fn convolve_and_pool(x: Tensor<4>, weight: Tensor<4>, bias: Tensor<1>) -> Result<Tensor<4>> {
    apply(ConvolveAndPool, [x.into(), weight.into(), bias.into()])
}

#[derive(Debug)]
struct ConvolveAndPool;

/// Sizes of a convolution of a batch.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    pictures: usize,
    channels: usize,
    height: usize,
    width: usize,
    outputs: usize,
    kernel: usize,
}

struct Saved {
    /// Patches as columns: (channels k k) rows, (picture, row, column) columns.
    patches: Vec<f32>,
    /// For each entry of the output its place among the columns of its channel; `NOWHERE` where the rectifier cut it
    /// off.
    places: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Sizes {
    fn of(inputs: &[View<'_>]) -> Result<Self> {
        let &[pictures, channels, height, width] = inputs[0].shape else { unreachable!("a tensor of rank 4") };
        let &[outputs, inner, kernel, other] = inputs[1].shape else { unreachable!("a tensor of rank 4") };
        ensure(inner == channels && kernel == other, || {
            Error::shape("weight", inputs[1].shape, format!("it must be (outputs, {channels}, k, k)"))
        })?;
        ensure(height > kernel && width > kernel, || {
            Error::shape(
                "pictures",
                inputs[0].shape,
                format!("they must be larger than the kernel, {kernel} by {kernel}"),
            )
        })?;
        Ok(Sizes { pictures, channels, height, width, outputs, kernel })
    }

    /// Rows of the matrix of patches.
    fn depth(self) -> usize {
        self.channels * self.kernel * self.kernel
    }

    /// Height and width of the convolution.
    fn inner(self) -> (usize, usize) {
        (self.height - self.kernel + 1, self.width - self.kernel + 1)
    }

    /// Height and width after pooling.
    fn pooled(self) -> (usize, usize) {
        let (height, width) = self.inner();
        (height / 2, width / 2)
    }

    /// Columns of the matrix of patches.
    fn columns(self) -> usize {
        let (height, width) = self.inner();
        self.pictures * height * width
    }

    /// Visits each row of patches of a picture: its begin among the patches, its begin in the pictures.
    fn each_run(self, mut visit: impl FnMut(usize, usize)) {
        let (height, width) = self.inner();
        let columns = self.columns();
        for channel in 0..self.channels {
            for (row, column) in (0..self.kernel * self.kernel).map(|tap| (tap / self.kernel, tap % self.kernel)) {
                let depth = (channel * self.kernel + row) * self.kernel + column;
                for picture in 0..self.pictures {
                    for y in 0..height {
                        let from = ((picture * self.channels + channel) * self.height + y + row) * self.width + column;
                        visit(depth * columns + (picture * height + y) * width, from);
                    }
                }
            }
        }
    }
}

/// Where the largest entry of a block of 2 x 2 is, the first of equal ones; a NaN is larger than all numbers, so that
/// it is not lost.
///
/// Which entry it is cannot be foretold, so that branches would cost more than this arithmetic.
#[inline(always)]
fn largest(plane: &[f32], corner: usize, width: usize) -> usize {
    let wins = |at: usize, over: usize| usize::from((plane[at] > plane[over]) | plane[at].is_nan());
    let top = corner + wins(corner + 1, corner);
    let below = corner + width;
    let bottom = below + wins(below + 1, below);
    top + wins(bottom, top) * (bottom - top)
}

impl Operator for ConvolveAndPool {
    type Saved = Saved;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Saved>> {
        let sizes = Sizes::of(inputs)?;
        let (depth, columns, (height, width)) = (sizes.depth(), sizes.columns(), sizes.inner());
        let mut patches = vec![0.0; depth * columns];
        sizes.each_run(|to, from| patches[to..to + width].copy_from_slice(&inputs[0].data[from..from + width]));
        let mut convolved = vec![0.0; sizes.outputs * columns];
        let weight = Matrix::new(inputs[1].data, sizes.outputs, depth);
        multiply(&mut convolved, false, weight, Matrix::new(&patches, depth, columns));

        let (rows, across) = sizes.pooled();
        let shape = vec![sizes.pictures, sizes.outputs, rows, across];
        let mut output = Vec::with_capacity(shape.iter().product());
        let mut places = Vec::with_capacity(output.capacity());
        for picture in 0..sizes.pictures {
            for (channel, bias) in inputs[2].data.iter().enumerate() {
                let plane = &convolved[channel * columns..(channel + 1) * columns];
                for (row, column) in (0..rows * across).map(|at| (at / across, at % across)) {
                    let corner = (picture * height + 2 * row) * width + 2 * column;
                    let best = largest(plane, corner, width);
                    let value = plane[best] + bias;
                    places.push(if value > 0.0 { best as u32 } else { NOWHERE });
                    // A NaN stays one.
                    output.push(if value <= 0.0 { 0.0 } else { value });
                }
            }
        }
        Ok(Forward { output, shape, saved: Saved { patches, places } })
    }

    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &Saved,
        gradient: &[f32],
        wanted: &[bool],
    ) -> Result<InputGradients> {
        let sizes = Sizes::of(inputs)?;
        let (depth, columns, (_, width)) = (sizes.depth(), sizes.columns(), sizes.inner());
        let (rows, across) = sizes.pooled();
        let mut inner = vec![0.0; sizes.outputs * columns];
        let mut in_bias = vec![0.0; sizes.outputs];
        let planes = gradient.chunks_exact(rows * across).zip(saved.places.chunks_exact(rows * across));
        for (plane, (values, places)) in planes.enumerate() {
            let channel = plane % sizes.outputs;
            for (&value, &place) in values.iter().zip(places).filter(|(_, place)| **place != NOWHERE) {
                inner[channel * columns + place as usize] = value;
                in_bias[channel] += value;
            }
        }
        let g = Matrix::new(&inner, sizes.outputs, columns);
        let in_weight = wanted[1].then(|| {
            let mut out = vec![0.0; sizes.outputs * depth];
            multiply(&mut out, false, g, Matrix::new(&saved.patches, depth, columns).transposed());
            out
        });
        let in_x = wanted[0].then(|| {
            let mut patches = vec![0.0; depth * columns];
            let weight = Matrix::new(inputs[1].data, sizes.outputs, depth);
            multiply(&mut patches, false, weight.transposed(), g);
            let mut out = vec![0.0; inputs[0].data.len()];
            sizes.each_run(|from, to| {
                out[to..to + width].iter_mut().zip(&patches[from..from + width]).for_each(|(to, from)| *to += from);
            });
            out
        });
        Ok(vec![in_x, in_weight, Some(in_bias)])
    }
}
