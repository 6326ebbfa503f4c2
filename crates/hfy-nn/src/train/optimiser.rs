//! What makes a step of training from gradients.

use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::optim::{GradientsParams, ModuleOptimizer, OptimizerRecord};
use burn::tensor::{Bytes, Tensor};

use super::norm::gradient_norm;
use crate::error::{Error, Result};

/// An optimiser, as [`fit`](super::fit) uses it: [`AdamW`](super::AdamW) in one pass, or any of Burn's as
/// [`BurnOptimiser`].
pub trait Optimiser {
    /// One step with this learning rate. Returns the module and the norm of the gradient of all parameters together,
    /// before it is clipped; where that is not finite nothing is changed.
    fn step<M: Module>(&mut self, module: M, gradients: GradientsParams, rate: f64) -> Result<(M, f64)>;

    /// All that the next steps depend on, with the ids of the parameters.
    fn state(&self) -> Result<Vec<u8>>;

    /// Goes on from such a state.
    fn load(&mut self, state: &[u8]) -> Result<()>;
}

/// One of Burn's optimisers, with the norm of the gradient clipped over all parameters.
///
/// ```
/// use burn::optim::SgdConfig;
/// use hfy_nn::train::BurnOptimiser;
///
/// let optimiser = BurnOptimiser::new(SgdConfig::new().init(), Some(1.0));
/// ```
#[derive(Clone)]
pub struct BurnOptimiser {
    inner: ModuleOptimizer,
    clip: Option<f64>,
}

impl std::fmt::Debug for BurnOptimiser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BurnOptimiser").field("clip", &self.clip).finish_non_exhaustive()
    }
}

impl BurnOptimiser {
    /// An optimiser of Burn, and the largest norm of the gradient of all parameters together.
    pub fn new(inner: ModuleOptimizer, clip: Option<f64>) -> Self {
        BurnOptimiser { inner, clip }
    }
}

impl Optimiser for BurnOptimiser {
    fn step<M: Module>(&mut self, module: M, gradients: GradientsParams, rate: f64) -> Result<(M, f64)> {
        let norm = gradient_norm(&module, &gradients);
        if !norm.is_finite() {
            return Ok((module, norm));
        }
        let scale = self.clip.map_or(1.0, |clip| (clip / (norm + 1e-6)).min(1.0));
        let mut scaled = Scaled { from: gradients, to: GradientsParams::new(), scale };
        let module = module.map(&mut scaled);
        Ok((self.inner.step(rate, module, scaled.to), norm))
    }

    fn state(&self) -> Result<Vec<u8>> {
        let bytes = self.inner.to_record().into_bytes();
        bytes.map(|bytes| bytes.to_vec()).map_err(|error| Error::argument("optimiser", "its state", error.to_string()))
    }

    fn load(&mut self, state: &[u8]) -> Result<()> {
        let wrong = |error: String| Error::argument("state", "the state of an optimiser", error);
        let record = OptimizerRecord::from_bytes(Bytes::from_bytes_vec(state.to_vec()))
            .map_err(|error| wrong(error.to_string()))?;
        self.inner = self.inner.clone().load_record(record);
        Ok(())
    }
}

/// Multiplies the gradients of all parameters.
struct Scaled {
    from: GradientsParams,
    to: GradientsParams,
    scale: f64,
}

impl ModuleMapper for Scaled {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let id: ParamId = param.id;
        if let Some(gradient) = self.from.remove::<D>(id) {
            self.to.register(id, gradient.mul_scalar(self.scale));
        }
        param
    }
}
