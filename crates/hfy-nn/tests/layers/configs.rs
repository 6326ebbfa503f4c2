//! Every invalid argument is an error that names the argument, its value and the rule.

use burn::tensor::Tensor;
use hfy_nn::layers::{
    Hopfield, HopfieldConfig, HopfieldLayer, HopfieldPooling, InputNorm, LookupConfig, Masks, Patterns, Scaling,
};
use hfy_nn::mil::{BagClassifier, ClassifierConfig, LeNet};
use hfy_nn::{OmegaParameter, Phase, Random};

use crate::common::plain;

fn base() -> HopfieldConfig {
    HopfieldConfig { num_heads: 2, hidden_size: Some(3), ..HopfieldConfig::new(6) }
}

fn refused(config: &HopfieldConfig, parts: &[&str]) {
    let error = Hopfield::new(config, &mut Random::new(0, 0), &plain()).expect_err(&format!("{parts:?}")).to_string();
    assert!(parts.iter().all(|part| error.contains(part)), "{error:?} has not all of {parts:?}");
    // In words: a sentence that says what is allowed.
    assert!(error.len() > 20 && !error.contains("Err(") && !error.contains("NaN NaN"), "{error:?}");
}

#[test]
fn sizes() {
    let zero = "it must be at least 1";
    refused(&HopfieldConfig { input_size: 0, ..base() }, &["input_size = 0", zero]);
    refused(&HopfieldConfig { hidden_size: Some(0), ..base() }, &["hidden_size = 0", zero]);
    refused(&HopfieldConfig { output_size: Some(0), ..base() }, &["output_size = 0", zero]);
    refused(&HopfieldConfig { pattern_size: Some(0), ..base() }, &["pattern_size = 0", zero]);
    refused(&HopfieldConfig { num_heads: 0, ..base() }, &["num_heads = 0", zero]);
    refused(&HopfieldConfig { stored_pattern_size: Some(0), ..base() }, &["stored_pattern_size = 0", zero]);
    refused(&HopfieldConfig { pattern_projection_size: Some(0), ..base() }, &["pattern_projection_size = 0", zero]);
    refused(&HopfieldConfig { update_steps_limit: 0, ..base() }, &["update_steps_limit = 0", zero]);
    let indivisible = HopfieldConfig { num_heads: 4, hidden_size: None, ..base() };
    refused(&indivisible, &["input_size = 6", "divisible by num_heads = 4"]);
    refused(&HopfieldConfig { state_pattern_as_static: true, ..base() }, &["input_size = 6", "static", "3"]);
    refused(&HopfieldConfig { stored_pattern_as_static: true, ..base() }, &["stored_pattern_size = 6", "static", "3"]);
    let projection = HopfieldConfig { pattern_projection_as_static: true, ..base() };
    refused(&projection, &["pattern_projection_size = 6", "static", "3"]);
    let connected = HopfieldConfig { pattern_projection_as_connected: true, ..base() };
    refused(
        &HopfieldConfig { stored_pattern_size: Some(5), ..connected.clone() },
        &["connected", "stored_pattern_size"],
    );
    refused(&HopfieldConfig { pattern_size: Some(5), ..connected }, &["connected", "hidden_size"]);
    let bias =
        HopfieldConfig { concat_bias_pattern: true, stored_pattern_as_static: true, hidden_size: Some(6), ..base() };
    refused(&bias, &["concat_bias_pattern = true", "not static"]);
}

#[test]
fn numbers() {
    for dropout in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        refused(&HopfieldConfig { dropout, ..base() }, &["dropout = ", "[0, 1]"]);
    }
    for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(&HopfieldConfig { scaling: Some(beta.into()), ..base() }, &["scaling = ", "finite number above 0"]);
        let learned = Scaling::Learned(vec![1.0, beta]);
        refused(&HopfieldConfig { scaling: Some(learned), ..base() }, &["scaling = ", "finite number above 0"]);
    }
    // In single precision these are zero and infinite.
    for beta in [1e-60, 1e60] {
        let value = format!("scaling = {beta}");
        refused(&HopfieldConfig { scaling: Some(beta.into()), ..base() }, &[&value, "finite number above 0"]);
    }
    for eps in [0.0, -1.0, f64::NAN] {
        refused(&HopfieldConfig { update_steps_eps: vec![eps], ..base() }, &["update_steps_eps = ", "above 0"]);
    }
    for eps in [-1e-5, f64::NAN, f64::INFINITY] {
        let norm = Some(InputNorm { affine: true, eps });
        let rule = "a finite number of at least 0";
        refused(
            &HopfieldConfig { normalize_stored_pattern: norm, ..base() },
            &["normalize_stored_pattern", "eps", rule],
        );
        refused(&HopfieldConfig { normalize_state_pattern: norm, ..base() }, &["normalize_state_pattern", "eps", rule]);
        refused(
            &HopfieldConfig { normalize_pattern_projection: norm, ..base() },
            &["normalize_pattern_projection", rule],
        );
        refused(&HopfieldConfig { normalize_hopfield_space: norm, ..base() }, &["normalize_hopfield_space", rule]);
    }
}

/// Nothing keeps a learned beta in its domain; where it has left it the layer says so.
#[test]
fn a_learned_beta_that_has_left_its_domain() {
    let x = Patterns::shared(Tensor::<2>::ones([3, 6], &plain()));
    let ask = |betas: [f32; 2]| {
        let config = HopfieldConfig { scaling: Some(Scaling::Learned(vec![1.0, 2.0])), ..base() };
        let layer = Hopfield::new(&config, &mut Random::new(0, 0), &plain()).unwrap();
        let mut tensors = hfy_nn::state::of(&layer);
        tensors.insert("association_core.beta".into(), vec![2], betas.to_vec());
        let layer = hfy_nn::state::load(layer, tensors).unwrap();
        let masks = Masks::default();
        layer.associate_with_report(x.clone(), x.clone(), x.clone(), &masks, Phase::Inference).map(drop)
    };
    assert_eq!(ask([0.1, 3.0]), Ok(()));
    for beta in [0.0, -0.5, f32::NAN, f32::INFINITY] {
        let error = ask([1.0, beta]).unwrap_err().to_string();
        for part in [&format!("scaling = {beta}: "), "a finite number above 0", "head 1", "learned"] {
            assert!(error.contains(part), "{error:?} has not {part:?}");
        }
    }
}

#[test]
fn one_for_each_head() {
    let rule = "one for each of num_heads = 2";
    for count in [0, 3] {
        let entries = format!("{count} entries");
        let scaling = Some(Scaling::Fixed(vec![1.0; count]));
        refused(&HopfieldConfig { scaling, ..base() }, &["scaling", &entries, rule]);
        refused(
            &HopfieldConfig { update_steps_max: vec![Some(1); count], ..base() },
            &["update_steps_max", &entries, rule],
        );
        refused(
            &HopfieldConfig { update_steps_eps: vec![1.0; count], ..base() },
            &["update_steps_eps", &entries, rule],
        );
        let omega_parameter = Some(OmegaParameter::Learned(vec![1.5; count]));
        refused(&HopfieldConfig { omega: "entmax".into(), omega_parameter, ..base() }, &["omega parameter", rule]);
    }
}

#[test]
fn maps() {
    let omega = |omega: &str| HopfieldConfig { omega: omega.into(), ..base() };
    for text in ["", "softmx", "entmax", "entmax:x", "subsets", "sequence:x", "softmax:2", "sequence:2:t=a"] {
        refused(&omega(text), &["omega", text]);
    }
    refused(&omega("entmax:-0.5"), &["alpha = -0.5", "(0, inf]"]);
    refused(&omega("normmax:1"), &["gamma = 1", "(1, inf]"]);
    refused(&omega("subsets:-1"), &["k = -1", "not negative"]);
    refused(&omega("sequence:0"), &["k = 0", "at least one"]);
    let apart = |text: &str, omega_parameter: OmegaParameter| HopfieldConfig {
        omega: text.into(),
        omega_parameter: Some(omega_parameter),
        ..base()
    };
    for text in ["softmax", "entmax:1.5", "subsets", "sequence:2:t=0.5", "sequence:", "sequence"] {
        refused(&apart(text, OmegaParameter::Learned(vec![1.5])), &["omega", text, "parameter apart"]);
    }
    for value in [1.0, 2.0, 3.0] {
        let value = OmegaParameter::Learned(vec![value]);
        refused(&apart("entmax", value), &["omega parameter", "strictly between 1 and 2"]);
    }
    for value in [-0.5, f64::NAN] {
        refused(&apart("entmax", OmegaParameter::Learned(vec![value])), &["alpha"]);
        refused(&apart("entmax", OmegaParameter::Fixed(vec![value])), &["alpha"]);
        refused(&apart("normmax", OmegaParameter::Learned(vec![value])), &["gamma"]);
    }
    refused(&apart("normmax", OmegaParameter::Learned(vec![f64::INFINITY])), &["omega parameter = inf", "above 1"]);
    refused(&apart("sequence:0", OmegaParameter::Learned(vec![0.0])), &["k = 0"]);
    refused(&apart("sequence:2", OmegaParameter::Learned(vec![f64::NAN])), &["NaN"]);
    refused(&apart("sequence:2", OmegaParameter::Learned(vec![1e300])), &["omega parameter = 1", "single precision"]);
}

#[test]
fn post_transformations() {
    let psi = |psi: &str| HopfieldConfig { psi: psi.into(), ..base() };
    for text in ["", "nothing", "l2:x", "layernorm:x=1", "identity:2"] {
        refused(&psi(text), &["psi", text]);
    }
    refused(&psi("sign"), &["psi = sign", "identity, l2, layernorm or tanh"]);
    refused(&psi("l2:-1"), &["radius = -1"]);
    refused(&psi("layernorm:eps=-1"), &["epsilon = -1"]);
    refused(&HopfieldConfig { psi_affine: true, ..psi("l2") }, &["psi_affine = true", "layernorm"]);
    // The scale and the offset are what is learned.
    for text in ["layernorm:eta=2", "layernorm:delta=0;0;1", "layernorm:variance=unbiased"] {
        refused(&HopfieldConfig { psi_affine: true, ..psi(text) }, &["psi_affine = true", "eps"]);
    }
    let sizes = HopfieldConfig { psi_affine: true, pattern_size: Some(4), ..psi("layernorm") };
    refused(&sizes, &["psi_affine = true", "pattern_size must be hidden_size"]);
}

#[test]
fn fixed_points() {
    for updates in [vec![Some(3)], vec![None, Some(3)]] {
        let config = HopfieldConfig { implicit: true, update_steps_max: updates, ..base() };
        refused(&config, &["implicit = true", "update_steps_max of None"]);
    }
    let affine = HopfieldConfig {
        implicit: true,
        update_steps_max: vec![None],
        psi: "layernorm".into(),
        psi_affine: true,
        ..base()
    };
    refused(&affine, &["implicit = true", "psi_affine"]);
}

#[test]
fn learned_patterns_and_classifiers() {
    let random = &mut Random::new(0, 0);
    let pooling = HopfieldPooling::new(&base(), 0, true, random, &plain()).unwrap_err().to_string();
    assert!(pooling.contains("quantity = 0") && pooling.contains("at least 1"), "{pooling}");
    let lookup = LookupConfig { quantity: 0, ..LookupConfig::default() };
    let lookup = HopfieldLayer::new(&base(), lookup, random, &plain()).unwrap_err().to_string();
    assert!(lookup.contains("quantity = 0") && lookup.contains("at least 1"), "{lookup}");
    let small = LeNet::new((15, 16), 4, random, &plain()).unwrap_err().to_string();
    assert!(small.contains("15"), "{small}");
    let config = |embedding: Vec<usize>, picture: Option<(usize, usize)>| ClassifierConfig {
        features: 4,
        picture,
        embedding,
        pooling: base(),
        rectified: false,
        scaled: false,
        energy: false,
    };
    for (config, part) in [(config(vec![3, 0], None), "[3, 0]"), (config(vec![], Some((28, 28))), "[]")] {
        let error = BagClassifier::new(&config, random, &plain()).unwrap_err().to_string();
        assert!(error.contains("embedding") && error.contains(part), "{error}");
    }
}

#[test]
fn inputs() {
    let layer = Hopfield::new(&base(), &mut Random::new(0, 0), &plain()).unwrap();
    let x = |rows: usize, depth: usize| Tensor::<2>::zeros([rows, depth], &plain());
    let error = |stored: &Patterns, state: &Patterns, projection: &Patterns, masks: &Masks| {
        let (stored, state, projection) = (stored.clone(), state.clone(), projection.clone());
        layer.associate(stored, state, projection, masks, Phase::Inference).unwrap_err().to_string()
    };
    let bags = |sizes: &[usize], depth: usize| {
        Patterns::bags(x(sizes.iter().sum(), depth), &crate::common::offsets(sizes)).unwrap()
    };
    let (good, none) = (bags(&[2, 3], 6), Masks::default());
    let contains = |error: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| error.contains(part)), "{error:?} has not all of {parts:?}");
    };
    contains(
        error(&bags(&[2, 3], 5), &good, &bags(&[2, 3], 5), &none),
        &["stored patterns", "[5, 5]", "depth must be 6"],
    );
    contains(error(&good, &bags(&[2, 3], 7), &good, &none), &["state patterns", "[5, 7]", "depth must be 6"]);
    contains(error(&good, &good, &bags(&[2, 3], 5), &none), &["pattern projections", "depth must be 6"]);
    contains(error(&good, &good, &bags(&[3, 2], 6), &none), &["pattern projections", "one for each stored pattern"]);
    contains(error(&good, &bags(&[1, 1, 1], 6), &good, &none), &["bags of state patterns = 3", "2"]);

    let mask = |patterns| Masks { ignored_patterns: Some(patterns), ..Masks::default() };
    for patterns in [vec![vec![true; 2]], vec![vec![true; 2]; 2], vec![vec![true; 2], vec![true; 3], vec![]]] {
        contains(error(&good, &good, &good, &mask(patterns)), &["ignored_patterns", "2 bags"]);
    }
    for rows in [vec![vec![true; 2]; 2], vec![vec![true; 3]; 3], vec![]] {
        let masks = Masks { ignored_associations: Some(rows), ..Masks::default() };
        contains(error(&good, &good, &good, &masks), &["ignored_associations", "(queries, stored patterns)"]);
    }
    for value in [f32::INFINITY, f32::NAN] {
        let added = vec![vec![vec![vec![0.0; 2]; 2]; 2], vec![vec![vec![value; 3]; 3]; 2]];
        let masks = Masks { added: Some(added), ..Masks::default() };
        contains(error(&good, &good, &good, &masks), &["added", "numbers below infinity"]);
    }
    for (offsets, rule) in [
        (vec![], "begin with 0"),
        (vec![1, 5], "begin with 0"),
        (vec![0, 3, 2, 5], "must not fall"),
        (vec![0, 4], "number of patterns, 5"),
    ] {
        contains(Patterns::bags(x(5, 6), &offsets).unwrap_err().to_string(), &["offsets", rule]);
    }
    let error = layer.forward(Tensor::zeros([2, 3, 5], &plain()), Phase::Inference).unwrap_err().to_string();
    contains(error, &["depth must be 6"]);
}
