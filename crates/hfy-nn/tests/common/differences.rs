//! Gradients held to central differences.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use hfy_nn::Random;
use hfy_nn::state::{self, Tensors};

use super::{Matrix, numbers, plain, tracking};

/// Steps of differences, from which the first is taken at which smaller ones agree.
const STEPS: [f32; 4] = [2e-2, 6e-3, 2e-3, 6e-4];
/// How far a gradient may lie from the differences, as a share of it, in the Euclidean norm. A bend nearer than an
/// eighth of a step moves a difference by up to this.
const TOLERANCE: f64 = 1e-2;
/// Rounding of a function in single precision, as a share of its size.
const ROUNDING: f64 = 4e-7;
/// From this multiple of the rounding on a gradient that is missing or half as large is noticed.
const NOTABLE: f64 = 4.0;

/// The gradients of a function, each with its norm as a multiple of what rounding hides.
pub struct Checked {
    sizes: BTreeMap<String, f64>,
}

impl Checked {
    /// Fails unless these tensors had gradients that the differences can tell from others.
    pub fn notable(&self, names: &[&str]) {
        for name in names {
            let size = self.sizes.get(*name).unwrap_or_else(|| panic!("no {name} in {:?}", self.sizes.keys()));
            // Without rounding there is nothing to compare with, and no sign that the gradient was checked at all.
            assert!(
                *size > NOTABLE && size.is_finite(),
                "the gradient of {name} is {size} times the rounding: too little to be checked"
            );
        }
    }
}

/// Holds the gradients of `sum(c * f)`, for random numbers c, to differences: in every weight of the module that is
/// learned and in every entry of the inputs.
///
/// Sparse maps and rectifiers bend. Where differences of all steps disagree with each other the function bends too
/// near, and they say nothing about the gradient; this may happen to a tenth of the entries of a tensor, and to one
/// entry of a small tensor, but not to its only one.
pub fn check<M: Module, const D: usize>(
    what: &str,
    module: &M,
    inputs: &[Matrix],
    f: impl Fn(&M, &[Tensor<2>]) -> Tensor<D>,
) -> Checked {
    let (gradients, coefficients) = gradients(module, inputs, &f);
    let points = Points { module, inputs, coefficients, f };
    let mut sizes = BTreeMap::new();
    for (name, gradient) in &gradients {
        assert!(gradient.iter().all(|g| g.is_finite()), "{what}, {name}: {gradient:?}");
        let rounding = ROUNDING * points.size();
        let (mut apart, mut noise) = (Vec::new(), Vec::new());
        let (mut differences, mut judged) = (Vec::new(), Vec::new());
        for (entry, g) in gradient.iter().enumerate() {
            let Some((difference, step)) = points.difference(name, entry, rounding) else { continue };
            apart.push(difference - g);
            noise.push(3.0 * rounding / step);
            differences.push(difference);
            judged.push(*g);
        }
        let (entries, bent) = (gradient.len(), gradient.len() - judged.len());
        assert!(bent <= entries / 10 + usize::from(entries > 1), "{what}, {name}: {bent} of {entries} entries bend");
        let (apart, noise, size) = (norm(&apart), norm(&noise), norm(&judged));
        assert!(
            apart <= TOLERANCE * size + noise,
            "{what}, {name}: the differences lie {apart} from the gradient, of norm {size}; rounding hides {noise}\n\
             differences {differences:.5?}\ngradient    {judged:.5?}"
        );
        sizes.insert(name.clone(), size / noise);
    }
    Checked { sizes }
}

/// The same for modules of many weights: each tensor is moved along a few directions of random signs.
pub fn check_directions<M: Module, const D: usize>(
    what: &str,
    module: &M,
    inputs: &[Matrix],
    f: impl Fn(&M, &[Tensor<2>]) -> Tensor<D>,
) {
    const DIRECTIONS: u64 = 4;
    let (gradients, coefficients) = gradients(module, inputs, &f);
    let points = Points { module, inputs, coefficients, f };
    for (name, gradient) in &gradients {
        for direction in 0..DIRECTIONS {
            let mut random = Random::new(direction, 4);
            let signs: Vec<f32> = gradient.iter().map(|_| if random.uniform() < 0.5 { -1.0 } else { 1.0 }).collect();
            // As many kinks are crossed as entries are moved, so that many are moved less.
            let step = 2e-3 / (gradient.len() as f32).sqrt();
            let at = |step: f32| {
                points
                    .loss(name, |values| values.iter_mut().zip(&signs).for_each(|(value, sign)| *value += step * sign))
            };
            let difference = (at(step) - at(-step)) / f64::from(2.0 * step);
            let along: f64 = gradient.iter().zip(&signs).map(|(g, sign)| g * f64::from(*sign)).sum();
            let (apart, size) = ((difference - along).abs(), norm(gradient));
            assert!(apart <= 2e-2 * size, "{what}, {name}: {difference} along a direction, and not {along}, of {size}");
        }
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// A function at a module and inputs, one of whose tensors is moved.
struct Points<'a, M, F> {
    module: &'a M,
    inputs: &'a [Matrix],
    coefficients: Vec<f32>,
    f: F,
}

impl<M: Module, const D: usize, F: Fn(&M, &[Tensor<2>]) -> Tensor<D>> Points<'_, M, F> {
    /// The Euclidean norm of the terms of the loss.
    fn size(&self) -> f64 {
        let tensors: Vec<Tensor<2>> = self.inputs.iter().map(|input| input.tensor(&plain())).collect();
        let values = numbers(&(self.f)(&self.module.valid(), &tensors));
        norm(&values.iter().zip(&self.coefficients).map(|(v, c)| f64::from(v * c)).collect::<Vec<_>>())
    }

    /// The derivative in an entry, from two central differences without the error of second order, and the step; `None`
    /// where differences disagree for every step.
    fn difference(&self, name: &str, entry: usize, rounding: f64) -> Option<(f64, f64)> {
        let central = |step: f32| {
            let at = |step: f32| {
                let mut way = 0.0;
                let loss = self.loss(name, |values| {
                    let before = values[entry];
                    values[entry] += step;
                    way = f64::from(values[entry]) - f64::from(before);
                });
                (loss, way)
            };
            let ((above, up), (below, down)) = (at(step), at(-step));
            (above - below) / (up - down)
        };
        STEPS.iter().find_map(|&step| {
            let (wide, narrow) = (central(step), central(step / 2.0));
            let found = (4.0 * narrow - wide) / 3.0;
            let agrees =
                |other: f64, step: f32| (found - other).abs() <= 3e-3 * found.abs() + 3.0 * rounding / f64::from(step);
            // A bend in the middle shows only in a much smaller step.
            let found_here = agrees(wide, step) && agrees(central(step / 8.0), step / 8.0);
            found_here.then_some((found, f64::from(step)))
        })
    }

    fn loss(&self, name: &str, step: impl FnOnce(&mut [f32])) -> f64 {
        let (mut inputs, mut module) = (self.inputs.to_vec(), self.module.valid());
        match name.strip_prefix("input ") {
            Some(number) => step(&mut inputs[number.parse::<usize>().expect("a number")].values),
            None => {
                let mut tensors = state::of(self.module);
                let (shape, mut values) = tensors.take(name).expect("a weight");
                step(&mut values);
                tensors.insert(name.to_owned(), shape, values);
                module = state::load(module, tensors).expect("the module's own weights");
            }
        }
        let tensors: Vec<Tensor<2>> = inputs.iter().map(|input| input.tensor(&plain())).collect();
        let values = numbers(&(self.f)(&module, &tensors));
        values.iter().zip(&self.coefficients).map(|(value, c)| f64::from(*value) * f64::from(*c)).sum()
    }
}

/// The gradients by the names of the weights, and of `input N`; and the numbers c.
fn gradients<M: Module, const D: usize>(
    module: &M,
    inputs: &[Matrix],
    f: &impl Fn(&M, &[Tensor<2>]) -> Tensor<D>,
) -> (BTreeMap<String, Vec<f64>>, Vec<f32>) {
    let device = tracking();
    let tensors: Vec<Tensor<2>> = inputs.iter().map(|input| input.tensor(&device).require_grad()).collect();
    let output = f(module, &tensors);
    let mut random = Random::new(0, 3);
    let coefficients: Vec<f32> = (0..output.shape().num_elements()).map(|_| random.normal() as f32).collect();
    let weights = Tensor::<D>::from_data(TensorData::new(coefficients.clone(), output.shape()), &device);
    let backward = (output * weights).sum().backward();
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
    let mut all = BTreeMap::new();
    for (number, (tensor, input)) in tensors.iter().zip(inputs).enumerate() {
        let gradient = tensor.grad(&backward).map_or_else(|| vec![0.0; input.values.len()], |g| numbers(&g));
        all.insert(format!("input {number}"), wide(&gradient));
    }
    let gradients = gradients_of(module, GradientsParams::from_grads(backward, module));
    let learned = swapped(module, GradientsParams::new(), |learned| f32::from(u8::from(learned)));
    for name in gradients.names() {
        let of = |tensors: &Tensors| tensors.get(name).expect("a tensor").1.to_vec();
        if of(&learned).contains(&1.0) {
            all.insert(name.to_owned(), wide(&of(&gradients)));
        }
    }
    (all, coefficients)
}

/// The gradients of a module's weights, under the names of its state; zero where there is none.
pub fn gradients_of<M: Module>(module: &M, gradients: GradientsParams) -> Tensors {
    swapped(module, gradients, |_| 0.0)
}

/// Gradients in the place of weights; where there is none a number, which may depend on whether the weight is learned.
fn swapped<M: Module>(module: &M, gradients: GradientsParams, otherwise: fn(bool) -> f32) -> Tensors {
    struct Swap(GradientsParams, fn(bool) -> f32);
    impl ModuleMapper for Swap {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let (id, tensor, mapper) = param.consume();
            let otherwise = (self.1)(tensor.is_require_grad());
            let gradient = self.0.remove::<D>(id);
            let gradient = gradient.unwrap_or_else(|| Tensor::full(tensor.dims(), otherwise, &Device::flex()));
            Param::from_mapped_value(id, gradient, mapper)
        }
    }
    state::of(&module.clone().map(&mut Swap(gradients, otherwise)))
}
