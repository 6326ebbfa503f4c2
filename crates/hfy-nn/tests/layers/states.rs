//! Weights as files, and what is wrong with files.

use burn::module::Module;
use hfy_nn::layers::{Hopfield, HopfieldConfig, HopfieldLayer, HopfieldPooling, InputNorm, LookupConfig};
use hfy_nn::state::{self, Tensors};
use hfy_nn::{Error, OmegaParameter, Random};

use crate::common::{Matrix, plain, spread};

fn config() -> HopfieldConfig {
    HopfieldConfig {
        num_heads: 2,
        hidden_size: Some(3),
        concat_bias_pattern: true,
        normalize_hopfield_space: Some(InputNorm::default()),
        omega: "entmax".into(),
        omega_parameter: Some(OmegaParameter::Learned(vec![1.3, 1.6])),
        psi: "layernorm".into(),
        psi_affine: true,
        scaling: Some(hfy_nn::layers::Scaling::Learned(vec![1.0, 2.0])),
        ..HopfieldConfig::new(4)
    }
}

fn pooling(config: &HopfieldConfig, seed: u64) -> HopfieldPooling {
    spread(HopfieldPooling::new(config, 2, true, &mut Random::new(seed, 0), &plain()).unwrap(), 0.5, seed)
}

fn names(tensors: &Tensors) -> Vec<(String, Vec<usize>)> {
    tensors.names().map(|name| (name.to_owned(), tensors.get(name).unwrap().0.to_vec())).collect()
}

#[test]
fn names_and_shapes_are_those_of_the_python_package() {
    let core = |rest: &str| format!("hopfield.association_core.{rest}");
    let expected = [
        (core("beta"), vec![2]),
        (core("bias_k"), vec![1, 1, 6]),
        (core("bias_v"), vec![1, 1, 6]),
        (core("in_proj_bias"), vec![18]),
        (core("in_proj_weight"), vec![18, 4]),
        (core("omega.module.raw"), vec![2]),
        (core("out_proj.bias"), vec![4]),
        (core("out_proj.weight"), vec![4, 6]),
        (core("p_norm_bias"), vec![3]),
        (core("p_norm_weight"), vec![3]),
        (core("psi.bias"), vec![3]),
        (core("psi.weight"), vec![3]),
        ("hopfield.norm_pattern_projection.bias".into(), vec![4]),
        ("hopfield.norm_pattern_projection.weight".into(), vec![4]),
        ("hopfield.norm_state_pattern.bias".into(), vec![4]),
        ("hopfield.norm_state_pattern.weight".into(), vec![4]),
        ("hopfield.norm_stored_pattern.bias".into(), vec![4]),
        ("hopfield.norm_stored_pattern.weight".into(), vec![4]),
        ("pooling_weights".into(), vec![1, 2, 4]),
    ];
    assert_eq!(names(&state::of(&pooling(&config(), 1))), expected);

    let separate = HopfieldConfig {
        pattern_projection_as_static: true,
        pattern_size: Some(4),
        psi_affine: false,
        concat_bias_pattern: false,
        ..config()
    };
    let lookup = LookupConfig { quantity: 5, lookup_weights_as_separated: true, ..LookupConfig::default() };
    let layer = HopfieldLayer::new(&separate, lookup, &mut Random::new(0, 0), &plain()).unwrap();
    let found = names(&state::of(&layer));
    for (name, shape) in [
        (core("q_proj_weight"), vec![6, 4]),
        (core("k_proj_weight"), vec![6, 4]),
        // The bias keeps its part for the projection, used or not.
        (core("in_proj_bias"), vec![20]),
        ("lookup_weights".into(), vec![1, 5, 4]),
        ("target_weights".into(), vec![1, 5, 4]),
    ] {
        assert!(found.contains(&(name.clone(), shape)), "{name} {found:?}");
    }
    assert!(!found.iter().any(|(name, _)| name.contains("v_proj_weight") || name.contains("in_proj_weight")));
}

#[test]
fn files_go_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.safetensors");
    let model = pooling(&config(), 1);
    state::save(&model, &path, &[("made", "by a test".into())]).unwrap();
    let read = state::read(&path).unwrap();
    assert_eq!(read.noted("made"), Some("by a test"));
    let loaded = state::load(pooling(&config(), 2), read).unwrap();
    assert_eq!(state::of(&loaded), state::of(&model));
    // The same weights are the same bytes.
    let first = std::fs::read(&path).unwrap();
    state::save(&loaded, &path, &[("made", "by a test".into())]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), first);
}

#[test]
fn what_is_frozen_stays_frozen() {
    let device = crate::common::tracking();
    let random = &mut Random::new(0, 0);
    let frozen = HopfieldPooling::new(&config(), 2, false, random, &device).unwrap();
    let free = HopfieldPooling::new(&config(), 2, true, random, &device).unwrap();
    let loaded = state::load(frozen, state::of(&free)).unwrap();
    let x = hfy_nn::layers::Patterns::bags(Matrix::normal(3, 4, 1).tensor(&device), &[0, 3]).unwrap();
    let gradients = loaded.forward(x, hfy_nn::Phase::Inference).unwrap().sum().backward();
    let gradients = burn::optim::GradientsParams::from_grads(gradients, &loaded);
    let found = crate::common::differences::gradients_of(&loaded, gradients);
    assert!(found.get("pooling_weights").unwrap().1.iter().all(|g| *g == 0.0));
    assert!(found.get("hopfield.association_core.in_proj_weight").unwrap().1.iter().any(|g| *g != 0.0));
}

#[test]
fn learned_patterns_of_the_other_layout_are_read_too() {
    let model = pooling(&config(), 1);
    let mut tensors = state::of(&model);
    let (_, values) = tensors.take("pooling_weights").unwrap();
    tensors.insert("pooling_weights".into(), vec![2, 1, 4], values);
    let loaded = state::load(pooling(&config(), 2), tensors).unwrap();
    assert_eq!(state::of(&loaded), state::of(&model));
}

#[test]
fn a_learned_alpha_may_have_the_axes_of_scores() {
    let model = pooling(&config(), 1);
    let name = "hopfield.association_core.omega.module.raw";
    let mut tensors = state::of(&model);
    let (_, values) = tensors.take(name).unwrap();
    tensors.insert(name.into(), vec![2, 1, 1], values);
    let loaded = state::load(pooling(&config(), 2), tensors).unwrap();
    assert_eq!(state::of(&loaded), state::of(&model));
}

#[test]
fn tensors_that_do_not_fit() {
    let refused = |change: &dyn Fn(&mut Tensors), parts: &[&str]| {
        let mut tensors = state::of(&pooling(&config(), 1));
        change(&mut tensors);
        let error = state::load(pooling(&config(), 2), tensors).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error:?} has not all of {parts:?}");
    };
    let bias = "hopfield.association_core.in_proj_bias";
    refused(&|tensors| drop(tensors.take(bias)), &["has no tensor", bias]);
    refused(&|tensors| tensors.insert("more".into(), vec![1], vec![0.0]), &["tensor more", "no place"]);
    refused(&|tensors| tensors.insert(bias.into(), vec![17], vec![0.0; 17]), &[bias, "[17]", "[18]"]);
    refused(&|tensors| tensors.insert(bias.into(), vec![2, 9], vec![0.0; 18]), &[bias, "[2, 9]", "[18]"]);
    refused(&|tensors| tensors.insert("pooling_weights".into(), vec![8], vec![0.0; 8]), &["pooling_weights", "[8]"]);
    refused(
        &|tensors| tensors.insert("pooling_weights".into(), vec![4, 2, 1], vec![0.0; 8]),
        &["[4, 2, 1]", "[1, 2, 4]"],
    );
    refused(&|tensors| *tensors = Tensors::default(), &["has no tensor"]);
}

#[test]
fn files_that_are_not_whole_or_not_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.safetensors");
    let words = |rule: &str| match state::read(&path).expect_err(rule) {
        Error::File { path: named, rule: found } => {
            assert!(named == path && found.contains(rule), "{found:?} has not {rule:?}");
        }
        other => panic!("{other}"),
    };
    words("cannot be read");
    state::save(&pooling(&config(), 1), &path, &[]).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 1, 7, 8, 9, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        words("is no whole safetensors file");
    }
    std::fs::write(&path, [&whole[..], &[0; 5]].concat()).unwrap();
    words("is no whole safetensors file");
    std::fs::write(&path, b"PK\x03\x04 a zip that torch has written").unwrap();
    words("is no whole safetensors file");
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F64, vec![1], &[0; 8]).unwrap();
    std::fs::write(&path, safetensors::serialize([("x", view)], None).unwrap()).unwrap();
    words("has the tensor x of F64: weights are F32");
    let nowhere = folder.path().join("no/folder/weights");
    let error = state::save(&pooling(&config(), 1), &nowhere, &[]).unwrap_err().to_string();
    assert!(error.contains("cannot be written"), "{error}");
}

#[test]
fn a_layer_of_every_part_has_as_many_numbers_as_its_state() {
    let model: Hopfield = Hopfield::new(&config(), &mut Random::new(0, 0), &plain()).unwrap();
    let tensors = state::of(&model);
    let numbers: usize = tensors.names().map(|name| tensors.get(name).unwrap().1.len()).sum();
    assert_eq!(numbers, model.num_params());
}
