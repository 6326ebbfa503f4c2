//! Features of mean 0 and deviation 1; what is missing becomes 0, the mean.

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

    /// By the mean and the deviation over all instances of the bags; of pictures over all pixels together. Numbers that
    /// are missing, NaN, do not count.
    pub(super) fn of(bags: &Bags<'_>, together: bool, device: &Device) -> Self {
        let width = bags.features();
        let sums = |term: &dyn Fn(f64, usize) -> f64| {
            let mut sums = vec![0.0_f64; width];
            for row in (0..bags.len()).flat_map(|bag| bags.instances(bag)) {
                let present =
                    row.iter().map(|&value| f64::from(value)).enumerate().filter(|(_, value)| !value.is_nan());
                present.for_each(|(column, value)| sums[column] += term(value, column));
            }
            if together { vec![sums.iter().sum(); width] } else { sums }
        };
        let counts: Vec<f64> = sums(&|_, _| 1.0).iter().map(|count| count.max(1.0)).collect();
        let over_counts = |sums: Vec<f64>| sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
        let means: Vec<f64> = over_counts(sums(&|value, _| value));
        let squares: Vec<f64> = over_counts(sums(&|value, column| (value - means[column]).powi(2)));
        let factor = |(square, mean): (&f64, &f64)| {
            let deviation = square.sqrt();
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
        let scaled = (instances + self.shift.val().unsqueeze()) * self.factor.val().unsqueeze();
        let missing = scaled.clone().is_nan();
        scaled.mask_fill(missing, 0.0)
    }
}
