//! The names that weights have in a state dict of `hfy.torch.nn`, which are those of hflayers.
//!
//! Two differences between a path through our modules and such a name: the projections of one depth are one matrix
//! there, and so are all biases; and learned patterns have a leading axis of length one.

use std::collections::BTreeMap;

use super::Tensors;
use super::walk::Parameter;

/// Where the numbers of a parameter are in a state dict.
struct Place {
    name: String,
    shape: Vec<usize>,
}

/// Fields that are one level in our modules and none in the others.
const JOINT: &str = "in_proj";
const APART: &str = "proj";

fn place(path: &str, shape: &[usize]) -> Place {
    let mut parts: Vec<&str> = path.split('.').collect();
    let plain = |name: String| Place { name, shape: shape.to_vec() };
    let raised = |name: String| Place { name, shape: [&[1], shape].concat() };
    match parts[..] {
        [.., JOINT | APART, "bias_k" | "bias_v"] => {
            parts.remove(parts.len() - 2);
            raised(parts.join("."))
        }
        [.., JOINT | APART, "p_norm", kind] => plain(replaced(&parts, 3, &format!("p_norm_{kind}"))),
        [.., JOINT, "q" | "k" | "v", "weight"] => plain(replaced(&parts, 3, "in_proj_weight")),
        [.., APART, part, "weight"] => plain(replaced(&parts, 3, &format!("{part}_proj_weight"))),
        [.., JOINT | APART, "q" | "k" | "v", "bias"] => plain(replaced(&parts, 3, "in_proj_bias")),
        [.., JOINT | APART, "v_bias"] => plain(replaced(&parts, 2, "in_proj_bias")),
        [.., "psi", "affine", kind] => plain(replaced(&parts, 2, kind)),
        [.., "omega", "raw"] => plain(replaced(&parts, 1, "module.raw")),
        [.., "pooling_weights" | "lookup_weights" | "target_weights"] => raised(parts.join(".")),
        _ => plain(path.to_owned()),
    }
}

/// The path with its last parts replaced.
fn replaced(parts: &[&str], last: usize, name: &str) -> String {
    let mut kept = parts[..parts.len() - last].to_vec();
    kept.push(name);
    kept.join(".")
}

/// Parameters under their names there; those of one name are joined in the order q, k, v.
pub(super) fn to_torch(parameters: Vec<Parameter>) -> Tensors {
    let mut joined: BTreeMap<String, (Vec<usize>, Vec<f32>)> = BTreeMap::new();
    for parameter in parameters {
        let Place { name, shape } = place(&parameter.path, &parameter.shape);
        match joined.get_mut(&name) {
            Some((all, values)) => {
                all[0] += shape[0];
                values.extend(parameter.values);
            }
            None => drop(joined.insert(name, (shape, parameter.values))),
        }
    }
    let mut tensors = Tensors::default();
    joined.into_iter().for_each(|(name, (shape, values))| tensors.insert(name, shape, values));
    tensors
}

/// The axes that matter for where numbers lie.
fn without_ones(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|&length| length != 1).collect()
}

/// Tensors under the paths of these parameters.
pub(super) fn from_torch(parameters: &[Parameter], mut tensors: Tensors) -> Result<Tensors, String> {
    let mut places: BTreeMap<String, Vec<(&Parameter, Place)>> = BTreeMap::new();
    for parameter in parameters {
        let place = place(&parameter.path, &parameter.shape);
        places.entry(place.name.clone()).or_default().push((parameter, place));
    }
    let mut found = Tensors::default();
    for (name, parts) in places {
        let (shape, values) = tensors.take(&name).ok_or_else(|| format!("has no tensor {name}"))?;
        let mut expected = parts[0].1.shape.clone();
        expected[0] = parts.iter().map(|(_, place)| place.shape[0]).sum();
        // Learned patterns of a layer without `batch_first` have their axis of length one in the middle, and a learned
        // alpha may have the axes of the scores or none.
        if without_ones(&shape) != without_ones(&expected) {
            return Err(format!("has {name} of shape {shape:?}, and the model has {expected:?}"));
        }
        let mut rest = &values[..];
        for (parameter, _) in parts {
            let (mine, others) = rest.split_at(parameter.values.len());
            found.insert(parameter.path.clone(), parameter.shape.clone(), mine.to_vec());
            rest = others;
        }
    }
    match tensors.names().next() {
        Some(name) => Err(format!("has the tensor {name}, for which the model has no place")),
        None => Ok(found),
    }
}
