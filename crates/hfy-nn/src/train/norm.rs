//! The norm of the gradient of all parameters together.

use burn::backend::Flex;
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// The Euclidean norm over all parameters that have a gradient.
pub(super) fn gradient_norm<M: Module>(module: &M, gradients: &GradientsParams) -> f64 {
    let mut norm = Norm { gradients, squares: 0.0 };
    module.visit(&mut norm);
    norm.squares.sqrt()
}

struct Norm<'a> {
    gradients: &'a GradientsParams,
    squares: f64,
}

impl ModuleVisitor for Norm<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.get::<D>(param.id) {
            self.squares += with_slice(gradient, |values| pulp::Arch::new().dispatch(|| squares(values)));
        }
    }
}

/// Sixteen partial sums, which a compiler keeps in the lanes of a vector.
#[inline(always)]
fn squares(values: &[f32]) -> f64 {
    let (blocks, rest) = values.as_chunks::<1024>();
    let block = |values: &[f32]| {
        let mut sums = [0.0_f32; 16];
        let (lanes, rest) = values.as_chunks::<16>();
        for lane in lanes {
            for i in 0..16 {
                sums[i] += lane[i] * lane[i];
            }
        }
        f64::from(sums.iter().sum::<f32>() + rest.iter().map(|v| v * v).sum::<f32>())
    };
    blocks.iter().map(|values| block(values)).sum::<f64>() + block(rest)
}

/// The numbers of a tensor, where they lie.
pub(super) fn with_slice<R, const D: usize>(tensor: Tensor<D>, work: impl FnOnce(&[f32]) -> R) -> R {
    let inner = tensor.without_autodiff().try_into_primitive::<Flex>().expect("layers are on the device flex");
    work(inner.to_contiguous().as_slice().expect("layers compute in single precision"))
}
