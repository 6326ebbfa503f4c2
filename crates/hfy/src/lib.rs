//! Hopfield-Fenchel-Young networks, from the convex functions up.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod batch;
pub mod convex;
mod error;
pub mod loss;
pub mod network;
pub mod post;
mod real;
pub mod separation;

pub use batch::{Batch, Mask, Report};
pub use convex::{Convex, InfimalConvolution, NormBall, Outcome, Scaled, SeparableSum, Transformed, Translated};
pub use error::{Error, Result};
pub use loss::{FenchelYoung, Losses, Reduction, Targets};
pub use network::{AnyNetwork, Binary, Network};
pub use post::{Ball, LayerNorm, Linear, Post, Sign, Tanh, Variance};
pub use real::{Element, Real, Scratch};
pub use separation::{Bounded, Entmax, Exponential, Map, Normmax, Power, Quadratic, Separation, Subsets, Support};
