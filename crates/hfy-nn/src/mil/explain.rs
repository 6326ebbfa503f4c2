//! Which instances a classifier looked at.

use burn::module::Module;
use burn::tensor::Device;

use super::{BagClassifier, Bags};
use crate::error::Result;
use crate::layers::{AssociationReport, numbers};

/// The logit of every bag, and what the heads of the pooling looked at: weights and support for each bag and head.
pub fn explain(module: &BagClassifier, bags: &Bags<'_>) -> Result<(Vec<f32>, AssociationReport)> {
    let all: Vec<usize> = (0..bags.len()).collect();
    let (instances, offsets) = bags.batch(&all, &Device::flex());
    let (logits, report) = module.valid().logits_with_report(instances, &offsets)?;
    Ok((numbers(&logits), report))
}
