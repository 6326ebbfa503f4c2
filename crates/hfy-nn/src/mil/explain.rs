//! Which instances a classifier looked at.

use burn::module::Module;
use burn::tensor::Device;

use super::{BagClassifier, Bags};
use crate::error::Result;
use crate::layers::{AssociationReport, numbers};

/// The logit of every bag, and what the heads of the pooling looked at: weights and support for each bag and head.
///
/// ```
/// use burn::tensor::Device;
/// use hfy_nn::Random;
/// use hfy_nn::layers::HopfieldConfig;
/// use hfy_nn::mil::{self, BagClassifier, Bags, ClassifierConfig};
/// use ndarray::array;
///
/// let config = ClassifierConfig {
///     features: 1,
///     picture: None,
///     embedding: vec![4],
///     pooling: HopfieldConfig { num_heads: 2, omega: "sparsemax".into(), ..HopfieldConfig::new(4) },
///     rectified: false,
///     scaled: false,
///     energy: false,
/// };
/// let classifier = BagClassifier::new(&config, &mut Random::new(0, 0), &Device::flex())?;
/// let pool = array![[0.5], [2.0], [-1.0]];
/// let bags = Bags::consecutive(pool.view(), &[0, 2, 3], &[true, false])?;
///
/// let (logits, report) = mil::explain(&classifier, &bags)?;
/// assert_eq!((logits.len(), report.bags(), report.heads()), (2, 2, 2));
/// assert_eq!(report.weights(1, 0, 0), [1.0]); // the only instance of the second bag
/// for &instance in &report.support(0, 1, 0) {
///     assert!(report.weights(0, 1, 0)[instance] > 0.0);
/// }
/// # Ok::<(), hfy_nn::Error>(())
/// ```
pub fn explain(module: &BagClassifier, bags: &Bags<'_>) -> Result<(Vec<f32>, AssociationReport)> {
    let all: Vec<usize> = (0..bags.len()).collect();
    let (instances, offsets) = bags.batch(&all, &Device::flex());
    let (logits, report) = module.valid().logits_with_report(instances, &offsets)?;
    Ok((numbers(&logits), report))
}
