//! A layer from its settings and weights in files, with its answers and all gradients: what the tests of the Python
//! package (`test_nn_rust.py`) compare with theirs.
//!
//! ```text
//! parity FOLDER
//! ```
//!
//! reads `case.json` (the kind of layer, its settings under Python's names, the offsets of bags, what masks ignore, how
//! many steps of training there are), `state.safetensors` and `inputs.safetensors` (patterns, `upstream`, and what a
//! mask adds to the scores). It writes `fresh.safetensors` (the weights that a new layer has), `again.safetensors`
//! (those that were read, after the training) and `found.safetensors` (answers, and the gradients of the sum of answers
//! times `upstream`).

use std::collections::BTreeMap;
use std::path::Path;

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use hfy_nn::layers::{
    Activation, Hopfield, HopfieldConfig, HopfieldLayer, HopfieldPooling, InputNorm, LookupConfig, Masks, Patterns,
    Scaling,
};
use hfy_nn::state::{self, Tensors};
use hfy_nn::train::{AdamW, AdamWConfig, Optimiser};
use hfy_nn::{OmegaParameter, Phase, Random};
use serde_json::{Map, Value};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("parity FOLDER")?;
    let folder = Path::new(&folder);
    let case: Value = serde_json::from_slice(&std::fs::read(folder.join("case.json"))?)?;
    let options = case["options"].as_object().ok_or("options are an object")?;
    let (config, random, device) = (config(options)?, &mut Random::new(1, 0), Device::flex().autodiff());
    let quantity = options.get("quantity").and_then(Value::as_u64).unwrap_or(1) as usize;
    let inputs = Inputs::read(folder, &case)?;
    match case["kind"].as_str() {
        Some("Hopfield") => run(folder, Hopfield::new(&config, random, &device)?, &inputs, |layer| {
            layer.associate(inputs.bags(0)?, inputs.bags(1)?, inputs.bags(2)?, &inputs.masks, Phase::Inference)
        }),
        Some("HopfieldPooling") => {
            let layer = HopfieldPooling::new(&config, quantity, true, random, &device)?;
            run(folder, layer, &inputs, |layer| layer.forward_masked(inputs.bags(0)?, &inputs.masks, Phase::Inference))
        }
        Some("HopfieldLayer") => {
            let separated = options.get("lookup_weights_as_separated") == Some(&Value::Bool(true));
            let lookup = LookupConfig { quantity, lookup_weights_as_separated: separated, ..LookupConfig::default() };
            let layer = HopfieldLayer::new(&config, lookup, random, &device)?;
            run(folder, layer, &inputs, |layer| layer.forward(inputs.bags(0)?, Phase::Inference))
        }
        other => Err(format!("no kind {other:?}").into()),
    }
}

/// The tensors of a case, which carry gradients, where the bags of each begin, and what is done with them.
struct Inputs {
    tensors: Vec<Tensor<2>>,
    offsets: Vec<Vec<usize>>,
    masks: Masks,
    upstream: Tensor<2>,
    steps: u64,
}

impl Inputs {
    fn read(folder: &Path, case: &Value) -> Result<Self, Failure> {
        let mut read = state::read(&folder.join("inputs.safetensors"))?;
        let masks = Masks {
            ignored_patterns: serde_json::from_value(case["ignored_patterns"].clone())?,
            ignored_associations: serde_json::from_value(case["ignored_associations"].clone())?,
            added: read.take("added").map(|(shape, values)| nested(&shape, &values)),
        };
        let device = Device::flex().autodiff();
        let mut take = |name: &str| -> Result<Tensor<2>, Failure> {
            let (shape, values) = read.take(name).ok_or_else(|| format!("no input {name}"))?;
            Ok(Tensor::from_data(TensorData::new(values, [shape[0], shape[1]]), &device))
        };
        let upstream = take("upstream")?;
        let offsets: Vec<Vec<usize>> = serde_json::from_value(case["offsets"].clone())?;
        let names = (0..offsets.len()).map(|number| format!("input{number}"));
        let tensors = names.map(|name| Ok(take(&name)?.require_grad())).collect::<Result<_, Failure>>()?;
        Ok(Inputs { tensors, offsets, masks, upstream, steps: case["steps"].as_u64().unwrap_or(0) })
    }

    fn bags(&self, number: usize) -> hfy_nn::Result<Patterns> {
        Patterns::bags(self.tensors[number].clone(), &self.offsets[number])
    }
}

/// (bags, heads, queries, stored patterns)
fn nested(shape: &[usize], values: &[f32]) -> Vec<Vec<Vec<Vec<f32>>>> {
    let [of_bag, of_head, of_query] = [1, 2, 3].map(|axis| shape[axis..].iter().product());
    let queries = |head: &[f32]| head.chunks(of_query).map(<[f32]>::to_vec).collect();
    let heads = |bag: &[f32]| bag.chunks(of_head).map(queries).collect();
    values.chunks(of_bag).map(heads).collect()
}

fn run<M: Module>(
    folder: &Path,
    fresh: M,
    inputs: &Inputs,
    answer: impl Fn(&M) -> hfy_nn::Result<Tensor<2>>,
) -> Result<(), Failure> {
    state::save(&fresh, &folder.join("fresh.safetensors"), &[])?;
    let mut layer = state::load(fresh, state::read(&folder.join("state.safetensors"))?)?;
    let mut optimiser = AdamW::new(AdamWConfig::default());
    for _ in 0..inputs.steps {
        let error = answer(&layer)? - inputs.upstream.clone();
        let gradients = GradientsParams::from_grads((error.clone() * error).mean().backward(), &layer);
        layer = optimiser.step(layer, gradients, 0.02)?.0;
    }
    state::save(&layer, &folder.join("again.safetensors"), &[("made", "by the example parity".into())])?;
    let answers = answer(&layer)?;
    let backward = (answers.clone() * inputs.upstream.clone()).sum().backward();
    let mut found = Tensors::default();
    insert(&mut found, "answers".into(), &answers)?;
    for (number, input) in inputs.tensors.iter().enumerate() {
        let gradient = input.grad(&backward).unwrap_or_else(|| Tensor::zeros(input.dims(), &Device::flex()));
        insert(&mut found, format!("gradient.input{number}"), &gradient)?;
    }
    let gradients = state::of(&layer.clone().map(&mut Swap(GradientsParams::from_grads(backward, &layer))));
    for name in gradients.names() {
        let (shape, values) = gradients.get(name).ok_or("a tensor")?;
        found.insert(format!("gradient.{name}"), shape.to_vec(), values.to_vec());
    }
    std::fs::write(folder.join("found.safetensors"), found.to_bytes()?)?;
    Ok(())
}

fn insert(found: &mut Tensors, name: String, tensor: &Tensor<2>) -> Result<(), Failure> {
    let values: Vec<f32> = tensor.clone().into_data().try_to_vec().map_err(|error| format!("{error:?}"))?;
    found.insert(name, tensor.dims().to_vec(), values);
    Ok(())
}

/// Puts gradients in the place of weights, so that they come under the names of these.
struct Swap(GradientsParams);

impl ModuleMapper for Swap {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, tensor, mapper) = param.consume();
        let gradient = self.0.remove::<D>(id).unwrap_or_else(|| Tensor::zeros(tensor.dims(), &Device::flex()));
        Param::from_mapped_value(id, gradient, mapper)
    }
}

/// Settings under Python's names. What is learned comes as `{"learned": [1.5, 1.2]}`.
fn config(options: &Map<String, Value>) -> Result<HopfieldConfig, Failure> {
    let mut rest: BTreeMap<&str, &Value> = options.iter().map(|(name, value)| (name.as_str(), value)).collect();
    for name in ["quantity", "lookup_weights_as_separated"] {
        rest.remove(name);
    }
    let input = rest.remove("input_size").and_then(Value::as_u64).ok_or("input_size")?;
    let mut config = HopfieldConfig::new(input as usize);
    for (name, norm) in [
        ("normalize_stored_pattern", &mut config.normalize_stored_pattern),
        ("normalize_state_pattern", &mut config.normalize_state_pattern),
        ("normalize_pattern_projection", &mut config.normalize_pattern_projection),
        ("normalize_hopfield_space", &mut config.normalize_hopfield_space),
    ] {
        let usual = name != "normalize_hopfield_space";
        let mut setting = |suffix: &str| rest.remove(format!("{name}{suffix}").as_str());
        let wanted = setting("").and_then(Value::as_bool).unwrap_or(usual);
        let affine = setting("_affine").and_then(Value::as_bool).unwrap_or(usual);
        let eps = setting("_eps").and_then(Value::as_f64).unwrap_or(1e-5);
        *norm = wanted.then_some(InputNorm { affine, eps });
    }
    for (name, value) in rest {
        let size = value.as_u64().map(|size| size as usize);
        let yes = value.as_bool().unwrap_or_default();
        match name {
            "hidden_size" => config.hidden_size = size,
            "output_size" => config.output_size = size,
            "pattern_size" => config.pattern_size = size,
            "stored_pattern_size" => config.stored_pattern_size = size,
            "pattern_projection_size" => config.pattern_projection_size = size,
            "num_heads" => config.num_heads = size.ok_or("num_heads")?,
            "scaling" => {
                let (numbers, learned) = numbers(value)?;
                config.scaling = Some(if learned { Scaling::Learned(numbers) } else { Scaling::Fixed(numbers) });
            }
            "omega_parameter" => {
                let (numbers, learned) = numbers(value)?;
                let parameter = if learned { OmegaParameter::Learned(numbers) } else { OmegaParameter::Fixed(numbers) };
                config.omega_parameter = Some(parameter);
            }
            "update_steps_max" => config.update_steps_max = vec![size],
            "update_steps_eps" => config.update_steps_eps = numbers(value)?.0,
            "stored_pattern_as_static" => config.stored_pattern_as_static = yes,
            "state_pattern_as_static" => config.state_pattern_as_static = yes,
            "pattern_projection_as_static" => config.pattern_projection_as_static = yes,
            "pattern_projection_as_connected" => config.pattern_projection_as_connected = yes,
            "input_bias" => config.input_bias = yes,
            "concat_bias_pattern" => config.concat_bias_pattern = yes,
            "add_zero_association" => config.add_zero_association = yes,
            "disable_out_projection" => config.disable_out_projection = yes,
            "omega" => config.omega = value.as_str().ok_or("omega")?.into(),
            "psi" => config.psi = value.as_str().ok_or("psi")?.into(),
            "psi_affine" => config.psi_affine = yes,
            "psi_patterns" => config.psi_patterns = yes,
            "association_activation" => {
                config.association_activation = Some(match value.as_str() {
                    Some("relu") => Activation::Relu,
                    Some("tanh") => Activation::Tanh,
                    Some("sigmoid") => Activation::Sigmoid,
                    Some("gelu") => Activation::Gelu,
                    other => return Err(format!("association_activation = {other:?}").into()),
                });
            }
            other => return Err(format!("no setting {other}").into()),
        }
    }
    Ok(config)
}

/// Numbers, and whether they are learned.
fn numbers(value: &Value) -> Result<(Vec<f64>, bool), Failure> {
    Ok(match value {
        Value::Object(learned) => (serde_json::from_value(learned["learned"].clone())?, true),
        Value::Array(_) => (serde_json::from_value(value.clone())?, false),
        one => (vec![one.as_f64().ok_or("a number")?], false),
    })
}
