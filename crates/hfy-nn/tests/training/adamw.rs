//! AdamW against torch's, written out in double precision.

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use hfy_nn::layers::Linear;
use hfy_nn::train::{AdamW, AdamWConfig, Optimiser};
use hfy_nn::{Random, state};

use crate::common::{assert_close, tracking};

/// `torch.optim.AdamW` after `torch.nn.utils.clip_grad_norm_`, for a list of numbers.
struct Reference {
    weights: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

impl Reference {
    fn step(&mut self, gradient: &[f64], config: AdamWConfig, rate: f64) -> f64 {
        let [beta_1, beta_2, eps, decay, l2] =
            [config.beta_1, config.beta_2, config.eps, config.weight_decay, config.l2].map(f64::from);
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let clip = config.clip.map_or(1.0, |clip| (f64::from(clip) / (norm + 1e-6)).min(1.0));
        self.steps += 1;
        let corrections = [beta_1, beta_2].map(|beta| 1.0 - beta.powi(self.steps));
        for (at, g) in gradient.iter().map(|g| g * clip).enumerate() {
            let g = g + l2 * self.weights[at];
            self.weights[at] *= 1.0 - rate * decay;
            self.first[at] = beta_1 * self.first[at] + (1.0 - beta_1) * g;
            self.second[at] = beta_2 * self.second[at] + (1.0 - beta_2) * g * g;
            let divisor = (self.second[at] / corrections[1]).sqrt() + eps;
            self.weights[at] -= rate / corrections[0] * self.first[at] / divisor;
        }
        norm
    }
}

fn weights(module: &Linear) -> Vec<f32> {
    let tensors = state::of(module);
    ["weight", "bias"].iter().flat_map(|name| tensors.get(name).unwrap().1.to_vec()).collect()
}

/// Gradients of these numbers, through the backward pass.
fn gradients(module: &Linear, numbers: &[f32]) -> GradientsParams {
    let device = tracking();
    let ones =
        Tensor::<2>::from_data(TensorData::new(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32], [3, 3]), &device);
    // Rows of the unit matrix give the weights transposed, and the bias of a row of zeros is itself.
    let w = module.forward(ones).unwrap() - module.forward(Tensor::zeros([3, 3], &device)).unwrap();
    let b = module.forward(Tensor::zeros([1, 3], &device)).unwrap();
    let coefficients =
        |values: &[f32], shape: [usize; 2]| Tensor::<2>::from_data(TensorData::new(values.to_vec(), shape), &device);
    let loss =
        (w.transpose() * coefficients(&numbers[..12], [4, 3])).sum() + (b * coefficients(&numbers[12..], [1, 4])).sum();
    GradientsParams::from_grads(loss.backward(), module)
}

fn compare(config: AdamWConfig, size: impl Fn(usize) -> f64) {
    let mut module = Linear::new(3, 4, &mut Random::new(1, 0), &tracking());
    let wide = weights(&module).iter().map(|v| f64::from(*v)).collect();
    let mut reference = Reference { weights: wide, first: vec![0.0; 16], second: vec![0.0; 16], steps: 0 };
    let (mut adamw, mut random) = (AdamW::new(config), Random::new(2, 0));
    for step in 0..20 {
        let numbers: Vec<f32> = (0..16).map(|_| (size(step) * random.normal()) as f32).collect();
        let rate = 1e-2 * 0.95_f64.powi(step as i32);
        let (next, norm) = adamw.step(module.clone(), gradients(&module, &numbers), rate).unwrap();
        module = next;
        let wide: Vec<f64> = numbers.iter().map(|v| f64::from(*v)).collect();
        let expected = reference.step(&wide, config, rate);
        assert!((norm - expected).abs() < 1e-5 * expected + 1e-18, "the norm is {norm} and not {expected}");
        let expected: Vec<f32> = reference.weights.iter().map(|v| *v as f32).collect();
        assert_close(&weights(&module), &expected, 2e-6, &format!("step {step} of {config:?}"));
    }
}

#[test]
fn is_that_of_torch() {
    let config = AdamWConfig::default();
    for clip in [None, Some(1.0), Some(1e-3), Some(1e6)] {
        compare(AdamWConfig { clip, ..config }, |_| 1.0);
        // Gradients that grow and shrink, and steps with next to none.
        compare(AdamWConfig { clip, ..config }, |step| [1.0, 100.0, 1e-3, 1e-9][step % 4]);
    }
    compare(AdamWConfig { weight_decay: 0.0, ..config }, |_| 1.0);
    compare(AdamWConfig { weight_decay: 0.5, beta_1: 0.5, beta_2: 0.9, eps: 1e-3, l2: 0.1, clip: Some(2.0) }, |_| 1.0);
    // So small that the moments are denormal numbers.
    compare(config, |_| 1e-25);
}

#[test]
fn what_has_no_gradient_stays_as_it_is() {
    let module = Linear::new(3, 4, &mut Random::new(1, 0), &tracking()).no_grad();
    let before = weights(&module);
    let (module, norm) = AdamW::new(AdamWConfig::default()).step(module, GradientsParams::new(), 0.1).unwrap();
    assert_eq!((weights(&module), norm), (before, 0.0));
}

#[test]
fn a_step_does_not_change_other_holders_of_the_weights() {
    let module = Linear::new(3, 4, &mut Random::new(1, 0), &tracking());
    let (copy, before) = (module.clone(), weights(&module));
    let numbers = vec![1.0; 16];
    let found = gradients(&module, &numbers);
    let (module, _) = AdamW::new(AdamWConfig::default()).step(module, found, 0.1).unwrap();
    assert_eq!(weights(&copy), before);
    assert_ne!(weights(&module), before);
}

#[test]
fn a_gradient_that_is_not_finite_changes_nothing() {
    for bad in [f32::NAN, f32::INFINITY] {
        let module = Linear::new(3, 4, &mut Random::new(1, 0), &tracking());
        let before = weights(&module);
        let mut numbers = vec![1.0; 16];
        numbers[13] = bad;
        let mut adamw = AdamW::new(AdamWConfig { clip: Some(1.0), ..AdamWConfig::default() });
        let found = gradients(&module, &numbers);
        let (module, norm) = adamw.step(module, found, 0.1).unwrap();
        assert!(!norm.is_finite());
        assert_eq!(weights(&module), before);
    }
}
