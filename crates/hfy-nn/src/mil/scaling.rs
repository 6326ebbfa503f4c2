//! Features of mean 0 and deviation 1.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

use super::Bags;

/// A shift and a factor for each feature, which are not trained. A constant feature gets the factor 0.
#[derive(Module, Debug)]
pub(super) struct FeatureScaling {
    shift: Param<Tensor<1>>,
    factor: Param<Tensor<1>>,
}

impl FeatureScaling {
    /// Features as they are.
    pub(super) fn none(features: usize, device: &Device) -> Self {
        FeatureScaling::new(vec![0.0; features], vec![1.0; features], device)
    }

    /// By the mean and the deviation over all instances of the bags; of pictures over all pixels together.
    pub(super) fn of(bags: &Bags<'_>, together: bool, device: &Device) -> Self {
        let width = bags.features();
        let (mut sums, mut squares, mut count) = (vec![0.0_f64; width], vec![0.0_f64; width], 0.0_f64);
        let rows = || (0..bags.len()).flat_map(|bag| bags.instances(bag));
        for row in rows() {
            count += 1.0;
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let mut means: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        if together {
            means = vec![mean(&means); width];
        }
        for row in rows() {
            let centred = row.iter().zip(&means).map(|(&value, mean)| f64::from(value) - mean);
            squares.iter_mut().zip(centred).for_each(|(square, value)| *square += value * value);
        }
        if together {
            squares = vec![mean(&squares); width];
        }
        let factor = |(square, mean): (&f64, &f64)| {
            let deviation = (square / count).sqrt();
            // Rounding leaves a constant feature a deviation that is not quite zero.
            if deviation > 1e-6 * mean.abs().max(1e-6) { (1.0 / deviation) as f32 } else { 0.0 }
        };
        let factors = squares.iter().zip(&means).map(factor).collect();
        FeatureScaling::new(means.iter().map(|mean| -mean as f32).collect(), factors, device)
    }

    fn new(shift: Vec<f32>, factor: Vec<f32>, device: &Device) -> Self {
        let fixed = |values: Vec<f32>| {
            let shape = [values.len()];
            Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), device)).set_require_grad(false)
        };
        FeatureScaling { shift: fixed(shift), factor: fixed(factor) }
    }

    pub(super) fn forward(&self, instances: Tensor<2>) -> Tensor<2> {
        (instances + self.shift.val().unsqueeze()) * self.factor.val().unsqueeze()
    }
}
