//! Operators with a backward pass of their own, which read tensors where they lie.

mod association;
mod conjugate;
mod convolution;
mod cross_entropy;
mod extend;
pub(crate) mod fixed_point;
mod layer_norm;
mod layout;
mod linear;
mod lstm;
mod matmul;
mod operator;
mod separate;
mod sigmoid;
mod transform;

pub(crate) use association::{mixtures, products};
pub(crate) use conjugate::{conjugate, separated};
pub(crate) use convolution::convolve_and_pool;
pub(crate) use cross_entropy::binary_cross_entropy;
pub(crate) use extend::extend;
pub(crate) use layer_norm::layer_norm;
pub(crate) use layout::Layout;
pub use layout::Rows;
pub(crate) use linear::linear;
pub(crate) use lstm::{Weights, bidirectional_lstm};
pub(crate) use separate::{Mask, SEQUENCE_REGULARISER, separate};
pub(crate) use transform::transform;
