//! The post-transformation of a layer.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use hfy::{LayerNorm, Post};

use super::affine::Affine;
use crate::error::{Error, Result, ensure};
use crate::family::unread;
use crate::operators::{layer_norm, transform};

/// ŷ_Ψ of the parts of all heads, perhaps with a learned scale and offset, which the heads share.
#[derive(Module, Debug)]
pub(crate) struct Psi {
    pub(crate) affine: Option<Affine>,
    #[module(skip)]
    post: Post,
    #[module(skip)]
    eps: f64,
}

impl Psi {
    pub(crate) fn new(text: &str, affine: bool, depth: usize, device: &Device) -> Result<Self> {
        let post: Post = text.parse().map_err(|error| unread("psi", text, error))?;
        let eps = match (&post, affine) {
            (Post::LayerNorm(norm), true) => {
                let plain = LayerNorm::default().with_epsilon(norm.epsilon())?;
                ensure(*norm == plain, || {
                    let rule = "the learned scale and offset stand for eta, delta and variance: psi takes eps alone";
                    Error::argument("psi_affine", "true", format!("{rule}, and is {text}"))
                })?;
                norm.epsilon()
            }
            (_, false) => 0.0,
            _ => {
                let rule = "only layernorm has a scale and an offset to learn";
                return Err(Error::argument("psi_affine", "true", rule));
            }
        };
        ensure(!matches!(post, Post::Linear(_) | Post::Sign(_)), || {
            Error::argument("psi", text, "a layer takes identity, l2, layernorm or tanh")
        })?;
        Ok(Psi { affine: affine.then(|| Affine::new(depth, device)), post, eps })
    }

    /// ŷ_Ψ of each part of `depth` entries.
    pub(crate) fn forward(&self, x: Tensor<2>, depth: usize) -> Result<Tensor<2>> {
        let Some(affine) = &self.affine else { return transform(x, &self.post, depth) };
        let [rows, width] = x.dims();
        let parts = x.reshape([rows * width / depth.max(1), depth]);
        Ok(layer_norm(parts, Some(affine.values()), self.eps)?.reshape([rows, width]))
    }

    pub(crate) fn post(&self) -> &Post {
        &self.post
    }
}
