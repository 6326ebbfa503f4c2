//! Bags of different sizes: shapes, and the same answers as padded, alone, and in any order.

use burn::tensor::Tensor;
use hfy_nn::layers::{
    AssociationReport, Hopfield, HopfieldConfig, HopfieldLayer, HopfieldPooling, LookupConfig, Masks, Patterns,
};
use hfy_nn::{OmegaParameter, Phase, Random};

use crate::common::{Matrix, answers, assert_close, hopfield, numbers, offsets, plain, spread};

const STORED: [usize; 3] = [1, 3, 7];
const STATE: [usize; 3] = [2, 1, 3];

fn configs() -> Vec<HopfieldConfig> {
    let config = HopfieldConfig { num_heads: 2, hidden_size: Some(3), ..HopfieldConfig::new(4) };
    let with = |omega: &str, updates: Option<usize>, psi: &str| HopfieldConfig {
        omega: omega.into(),
        update_steps_max: vec![updates],
        psi: psi.into(),
        ..config.clone()
    };
    let added =
        HopfieldConfig { concat_bias_pattern: true, add_zero_association: true, ..with("subsets:2", Some(1), "l2") };
    let parameter = Some(OmegaParameter::Fixed(vec![1.2, 1.9]));
    vec![
        with("softmax", Some(0), "identity"),
        with("sparsemax", Some(2), "layernorm:eps=1e-5"),
        with("entmax:1.5", None, "l2"),
        with("normmax:3", Some(1), "identity"),
        with("sequence:2:t=0.5", Some(1), "identity"),
        HopfieldConfig { omega_parameter: parameter, ..with("entmax", Some(1), "tanh") },
        added,
    ]
}

fn bag(x: &Matrix, sizes: &[usize], bag: usize) -> Matrix {
    let offsets = offsets(sizes);
    let rows = offsets[bag]..offsets[bag + 1];
    Matrix { rows: rows.len(), columns: x.columns, values: rows.flat_map(|row| x.row(row).to_vec()).collect() }
}

#[test]
fn a_bag_has_the_same_answers_alone_padded_and_in_any_order() {
    for config in configs() {
        let layer: Hopfield = hopfield(&config, 1, &plain());
        let (stored, state) = (Matrix::normal(11, 4, 1), Matrix::normal(6, 4, 2));
        let what = format!("{} {}", config.omega, config.psi);
        let got = answers(&layer, (stored.tensor(&plain()), &STORED), (state.tensor(&plain()), &STATE));
        assert_eq!(got.dims(), [6, 4], "{what}");
        let got = numbers(&got);
        let mut alone = Vec::new();
        for at in 0..3 {
            let (k, q) = (bag(&stored, &STORED, at), bag(&state, &STATE, at));
            let one = answers(&layer, (k.tensor(&plain()), &STORED[at..=at]), (q.tensor(&plain()), &STATE[at..=at]));
            alone.push(numbers(&one));
        }
        assert_close(&got, &alone.concat(), 1e-6, &format!("{what}: alone"));

        // Padded with numbers that would show, and masked. Normal numbers also stand in the rows of the absent states.
        let (mut filled, mut asked) = (Matrix::normal(21, 4, 5), Matrix::normal(9, 4, 6));
        for at in 0..3 {
            let (k, q) = (bag(&stored, &STORED, at), bag(&state, &STATE, at));
            filled.values[at * 28..][..k.values.len()].copy_from_slice(&k.values);
            asked.values[at * 12..][..q.values.len()].copy_from_slice(&q.values);
        }
        let padding = STORED.iter().map(|size| (0..7).map(|place| place >= *size).collect()).collect();
        let masks = Masks { ignored_patterns: Some(padding), ..Masks::default() };
        let filled = Patterns::batch(filled.tensor(&plain()).reshape([3, 7, 4]));
        let asked = Patterns::batch(asked.tensor(&plain()).reshape([3, 3, 4]));
        let padded = layer.associate(filled.clone(), asked, filled, &masks, Phase::Inference).unwrap();
        let padded = numbers(&padded);
        // A bag that goes on until it has converged does so with its absent states, too.
        if config.update_steps_max != [None] {
            let kept: Vec<f32> = (0..3).flat_map(|at| padded[at * 12..][..STATE[at] * 4].to_vec()).collect();
            assert_close(&got, &kept, 1e-6, &format!("{what}: padded"));
        }

        let order = [2, 0, 1];
        let turned = |x: &Matrix, sizes: &[usize]| -> (Tensor<2>, Vec<usize>) {
            let parts: Vec<Matrix> = order.iter().map(|&at| bag(x, sizes, at)).collect();
            let values = parts.iter().flat_map(|part| part.values.clone()).collect();
            let all = Matrix { rows: x.rows, columns: 4, values };
            (all.tensor(&plain()), order.iter().map(|&at| sizes[at]).collect())
        };
        let ((k, k_sizes), (q, q_sizes)) = (turned(&stored, &STORED), turned(&state, &STATE));
        let other = numbers(&answers(&layer, (k, &k_sizes), (q, &q_sizes)));
        let expected: Vec<f32> = order.iter().flat_map(|&at| alone[at].clone()).collect();
        assert_close(&other, &expected, 1e-6, &format!("{what}: in another order"));
    }
}

#[test]
fn shared_patterns_are_the_same_as_copies() {
    for config in configs() {
        let layer: Hopfield = hopfield(&config, 1, &plain());
        let (one, many) = (Matrix::normal(3, 4, 1), Matrix::normal(6, 4, 2));
        let copies = Matrix { rows: 9, columns: 4, values: [&one.values[..]; 3].concat() };
        let sizes = [3; 3];
        let shared = Patterns::shared(one.tensor(&plain()));
        let bags = Patterns::bags(many.tensor(&plain()), &offsets(&STATE)).unwrap();
        let ask = |stored: &Patterns, state: &Patterns| {
            let projection = stored.clone();
            let masks = Masks::default();
            numbers(&layer.associate(stored.clone(), state.clone(), projection, &masks, Phase::Inference).unwrap())
        };
        let expected = answers(&layer, (copies.tensor(&plain()), &sizes), (many.tensor(&plain()), &STATE));
        assert_close(&ask(&shared, &bags), &numbers(&expected), 1e-6, "shared stored patterns");
        let expected = answers(&layer, (many.tensor(&plain()), &STATE), (copies.tensor(&plain()), &sizes));
        assert_close(&ask(&bags, &shared), &numbers(&expected), 1e-6, "shared states");
        // One bag is one bag, however it is given.
        let single = Patterns::bags(one.tensor(&plain()), &[0, 3]).unwrap();
        assert_eq!(ask(&single, &single), ask(&shared, &shared));
        let masks = Masks::default();
        let mixed = layer.associate(single.clone(), shared.clone(), shared, &masks, Phase::Inference).unwrap();
        assert_eq!(numbers(&mixed), ask(&single, &single));
    }
}

#[test]
fn a_bag_of_one_has_the_weight_one() {
    for omega in
        ["softmax", "sparsemax", "entmax:1.3", "normmax:2", "subsets:1", "subsets:3", "sequence:2:t=0.5", "sequence:1"]
    {
        let config = HopfieldConfig {
            num_heads: 2,
            omega: omega.into(),
            update_steps_max: vec![Some(2)],
            ..HopfieldConfig::new(4)
        };
        let layer: Hopfield = hopfield(&config, 1, &plain());
        let one = Patterns::bags(Matrix::normal(1, 4, 1).tensor(&plain()), &[0, 1]).unwrap();
        let (_, report) = report(&layer, &one, &one);
        for head in 0..2 {
            assert_close(report.weights(0, head, 0), &[1.0], 1e-6, omega);
            assert_eq!(report.support(0, head, 0), [0], "{omega}");
        }
    }
}

fn report(layer: &Hopfield, stored: &Patterns, state: &Patterns) -> (Tensor<2>, AssociationReport) {
    let masks = Masks::default();
    layer.associate_with_report(stored.clone(), state.clone(), stored.clone(), &masks, Phase::Inference).unwrap()
}

#[test]
fn a_query_without_stored_patterns_gives_what_zeros_give() {
    for mut config in configs() {
        config.concat_bias_pattern = false;
        config.add_zero_association = false;
        for implicit in [false, true] {
            if implicit {
                config.update_steps_max = vec![None];
            }
            let config = HopfieldConfig { implicit, ..config.clone() };
            let layer: Hopfield = hopfield(&config, 1, &plain());
            let tensors = hfy_nn::state::of(&layer);
            let bias = tensors.get("association_core.out_proj.bias").unwrap().1;
            let what = format!("{} {} {implicit}", config.omega, config.psi);

            // An empty bag between others.
            let stored = Matrix::normal(5, 4, 1).tensor(&plain());
            let state = Matrix::normal(4, 4, 2).tensor(&plain());
            let bags = Patterns::bags(stored, &[0, 3, 3, 5]).unwrap();
            let (got, found) = report(&layer, &bags, &Patterns::bags(state.clone(), &[0, 1, 3, 4]).unwrap());
            let got = numbers(&got);
            assert_close(&got[4..8], bias, 1e-6, &what);
            assert_close(&got[8..12], bias, 1e-6, &what);
            assert!(found.weights(1, 0, 0).is_empty() && found.support(1, 1, 1).is_empty(), "{what}");
            assert!(got.iter().all(|v| v.is_finite()), "{what}");
            assert!(found.energy(1, 0, 0).is_none_or(|energy| energy == f64::INFINITY), "{what}");
            assert!(found.energy(0, 0, 0).is_none_or(f64::is_finite), "{what}");

            // A bag whose patterns are all ignored.
            let bags = Patterns::bags(Matrix::normal(5, 4, 1).tensor(&plain()), &[0, 3, 5]).unwrap();
            let ignored = vec![vec![true; 3], vec![false; 2]];
            let masks = Masks { ignored_patterns: Some(ignored), ..Masks::default() };
            let state = Patterns::bags(state, &[0, 2, 4]).unwrap();
            let (got, found) =
                layer.associate_with_report(bags.clone(), state, bags, &masks, Phase::Inference).unwrap();
            let got = numbers(&got);
            assert_close(&got[..4], bias, 1e-6, &what);
            assert_eq!(found.weights(0, 0, 1), [0.0; 3], "{what}");
            assert!(found.support(0, 1, 0).is_empty(), "{what}");
            assert!(got.iter().all(|v| v.is_finite()), "{what}");

            // A bag without queries, and no bag at all.
            let bags = Patterns::bags(Matrix::normal(5, 4, 1).tensor(&plain()), &[0, 3, 5]).unwrap();
            let state = Patterns::bags(Matrix::normal(2, 4, 1).tensor(&plain()), &[0, 0, 2]).unwrap();
            assert_eq!(report(&layer, &bags, &state).0.dims(), [2, 4], "{what}");
            let nothing = Patterns::bags(Tensor::zeros([0, 4], &plain()), &[0]).unwrap();
            assert_eq!(report(&layer, &nothing, &nothing).0.dims(), [0, 4], "{what}");
        }
    }
}

#[test]
fn an_empty_bag_is_pooled_to_the_bias() {
    let config = HopfieldConfig { num_heads: 2, omega: "sparsemax".into(), ..HopfieldConfig::new(4) };
    let pooling = HopfieldPooling::new(&config, 2, true, &mut Random::new(0, 0), &plain()).unwrap();
    let pooling = spread(pooling, 0.6, 1);
    let tensors = hfy_nn::state::of(&pooling);
    let bias = tensors.get("hopfield.association_core.out_proj.bias").unwrap().1;
    let bags = Patterns::bags(Matrix::normal(3, 4, 1).tensor(&plain()), &[0, 0, 3]).unwrap();
    let got = pooling.forward(bags, Phase::Inference).unwrap();
    assert_eq!(got.dims(), [2, 8]);
    assert_close(&numbers(&got)[..8], &[bias, bias].concat(), 1e-6, "an empty bag");
}

#[test]
fn shapes_of_pooling_and_lookup() {
    let random = &mut Random::new(0, 0);
    for (quantity, output_size, disable_out_projection, depth) in
        [(1, None, false, 4), (3, Some(5), false, 5), (3, Some(5), true, 6), (1, None, true, 6)]
    {
        let config = HopfieldConfig {
            num_heads: 2,
            hidden_size: Some(3),
            output_size,
            disable_out_projection,
            ..HopfieldConfig::new(4)
        };
        let bags = Patterns::bags(Matrix::normal(11, 4, 1).tensor(&plain()), &offsets(&STORED)).unwrap();
        let pooling = HopfieldPooling::new(&config, quantity, true, random, &plain()).unwrap();
        assert_eq!(pooling.forward(bags.clone(), Phase::Inference).unwrap().dims(), [3, quantity * depth]);
        let (pooled, found) = pooling.forward_with_report(bags.clone(), Phase::Inference).unwrap();
        assert_eq!((pooled.dims(), found.bags(), found.heads()), ([3, quantity * depth], 3, 2));
        assert_eq!((found.queries(2), found.weights(2, 1, quantity - 1).len()), (quantity, 7));
        let lookup = LookupConfig { quantity, ..LookupConfig::default() };
        let layer = HopfieldLayer::new(&config, lookup, random, &plain()).unwrap();
        let (got, found) = layer.forward_with_report(bags.clone(), Phase::Inference).unwrap();
        assert_eq!((got.dims(), found.weights(2, 1, 6).len()), ([11, depth], quantity));
        assert_eq!(numbers(&got), numbers(&layer.forward(bags, Phase::Inference).unwrap()));
    }
}
