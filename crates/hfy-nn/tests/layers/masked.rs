//! Masks and pattern projections of pooling, lookup and sequences.

use burn::tensor::Tensor;
use hfy_nn::layers::{
    AssociationReport, Hopfield, HopfieldConfig, HopfieldLayer, HopfieldPooling, LookupConfig, Masks, Patterns,
};
use hfy_nn::{Phase, Random, state};

use crate::common::{Matrix, assert_close, hopfield, numbers, offsets, plain, spread};

const SIZES: [usize; 3] = [2, 3, 7];
const IGNORED: [&[usize]; 3] = [&[0], &[], &[1, 5, 6]];

fn config(omega: &str, updates: usize) -> HopfieldConfig {
    HopfieldConfig {
        num_heads: 2,
        hidden_size: Some(3),
        omega: omega.into(),
        update_steps_max: vec![Some(updates)],
        ..HopfieldConfig::new(4)
    }
}

fn pooling(config: &HopfieldConfig) -> HopfieldPooling {
    spread(HopfieldPooling::new(config, 2, true, &mut Random::new(1, 0), &plain()).unwrap(), 0.6, 1)
}

fn ignored(sizes: &[usize], ignored: &[&[usize]]) -> Masks {
    let bag = |(size, ignored): (&usize, &&[usize])| (0..*size).map(|at| ignored.contains(&at)).collect();
    Masks { ignored_patterns: Some(sizes.iter().zip(ignored).map(bag).collect()), ..Masks::default() }
}

fn patterns(x: &Matrix, sizes: &[usize]) -> Patterns {
    Patterns::bags(x.tensor(&plain()), &offsets(sizes)).unwrap()
}

/// The rows that are not ignored, and how many of them each bag has.
fn kept(x: &Matrix) -> (Matrix, Vec<usize>) {
    let (mut values, mut sizes, offsets) = (Vec::new(), Vec::new(), offsets(&SIZES));
    for (bag, ignored) in IGNORED.iter().enumerate() {
        let rows: Vec<usize> = (0..SIZES[bag]).filter(|at| !ignored.contains(at)).collect();
        rows.iter().for_each(|at| values.extend(x.row(offsets[bag] + at)));
        sizes.push(rows.len());
    }
    (Matrix { rows: sizes.iter().sum(), columns: x.columns, values }, sizes)
}

/// The weights of the patterns that are not ignored. Those of the others are exactly zero.
fn weights_of_kept(report: &AssociationReport, bag: usize, head: usize, query: usize) -> Vec<f32> {
    let (ignored, others): (Vec<_>, Vec<_>) =
        report.weights(bag, head, query).iter().enumerate().partition(|(at, _)| IGNORED[bag].contains(at));
    assert!(ignored.iter().all(|(_, weight)| **weight == 0.0), "{ignored:?}");
    others.into_iter().map(|(_, weight)| *weight).collect()
}

#[test]
fn pooling_without_a_pattern_is_pooling_of_a_bag_without_it() {
    for omega in ["softmax", "sparsemax", "entmax:1.5", "subsets:2", "sequence:2:t=0.5"] {
        for updates in [0, 2] {
            let what = format!("{omega}, {updates}");
            let layer = pooling(&HopfieldConfig { pattern_projection_size: Some(5), ..config(omega, updates) });
            let (stored, projection) = (Matrix::normal(12, 4, 1), Matrix::normal(12, 5, 2));
            let ask = |masks: &Masks| {
                let (stored, projection) = (patterns(&stored, &SIZES), patterns(&projection, &SIZES));
                layer.forward_from_with_report(stored, projection, masks, Phase::Inference).unwrap()
            };
            let (got, report) = ask(&ignored(&SIZES, &IGNORED));
            let ((few, sizes), (few_projections, _)) = (kept(&stored), kept(&projection));
            let (few, few_projections) = (patterns(&few, &sizes), patterns(&few_projections, &sizes));
            let expected = layer.forward_from_with_report(few, few_projections, &Masks::default(), Phase::Inference);
            let (expected, alone) = expected.unwrap();
            // Neighbours in a sequence are other ones where a pattern between them is gone.
            if omega.starts_with("sequence") {
                assert_close(&numbers(&got)[..2 * 8], &numbers(&expected)[..2 * 8], 1e-5, &what);
            } else {
                assert_close(&numbers(&got), &numbers(&expected), 1e-5, &what);
                for (bag, head, query) in (0..3).flat_map(|bag| (0..4).map(move |at| (bag, at / 2, at % 2))) {
                    let weights = weights_of_kept(&report, bag, head, query);
                    assert_close(&weights, alone.weights(bag, head, query), 1e-5, &what);
                }
            }
            let all = numbers(&ask(&Masks::default()).0);
            assert!(all.iter().zip(numbers(&got)).any(|(all, got)| (all - got).abs() > 1e-2), "{what}: no effect");
        }
    }
}

#[test]
fn pooling_answers_from_the_other_projection() {
    // Static projections, so that the answers are mixtures of them by hand.
    let config = HopfieldConfig {
        pattern_projection_size: Some(5),
        pattern_size: Some(5),
        pattern_projection_as_static: true,
        normalize_pattern_projection: None,
        disable_out_projection: true,
        ..config("entmax:1.5", 1)
    };
    let layer = pooling(&config);
    let (stored, projection) = (Matrix::normal(12, 4, 1), Matrix::normal(12, 5, 2));
    let (stored, given) = (patterns(&stored, &SIZES), patterns(&projection, &SIZES));
    let masks = ignored(&SIZES, &IGNORED);
    let (got, report) =
        layer.forward_from_with_report(stored.clone(), given.clone(), &masks, Phase::Inference).unwrap();
    let (got, starts) = (numbers(&got), offsets(&SIZES));
    let mut expected = Vec::new();
    for (bag, query, head) in (0..3).flat_map(|bag| (0..4).map(move |at| (bag, at / 2, at % 2))) {
        let weights = report.weights(bag, head, query);
        let mixed = |column: usize| {
            let rows = weights.iter().enumerate().map(|(at, weight)| weight * projection.row(starts[bag] + at)[column]);
            rows.sum::<f32>()
        };
        expected.extend((0..5).map(mixed));
    }
    assert_close(&got, &expected, 1e-6, "mixtures");
    assert_eq!(numbers(&layer.forward_from(stored.clone(), given, &masks, Phase::Inference).unwrap()), got);
    // Its depth is that of the projection, which stored patterns do not have.
    let error = layer.forward(stored, Phase::Inference).unwrap_err().to_string();
    assert!(error.contains("pattern projections") && error.contains("depth must be 5"), "{error}");
}

#[test]
fn the_short_forms_of_pooling_are_the_long_ones() {
    let layer = pooling(&config("sparsemax", 1));
    let bags = patterns(&Matrix::normal(12, 4, 1), &SIZES);
    let (none, masks) = (Masks::default(), ignored(&SIZES, &IGNORED));
    let long =
        |masks: &Masks| numbers(&layer.forward_from(bags.clone(), bags.clone(), masks, Phase::Inference).unwrap());
    assert_eq!(numbers(&layer.forward(bags.clone(), Phase::Inference).unwrap()), long(&none));
    assert_eq!(numbers(&layer.forward_with_report(bags.clone(), Phase::Inference).unwrap().0), long(&none));
    assert_eq!(numbers(&layer.forward_masked(bags.clone(), &masks, Phase::Inference).unwrap()), long(&masks));
}

#[test]
fn lookup_without_a_learned_pattern_is_lookup_of_a_layer_without_it() {
    for omega in ["softmax", "sparsemax", "subsets:2"] {
        let make = |quantity: usize| {
            let lookup = LookupConfig { quantity, lookup_weights_as_separated: true, ..LookupConfig::default() };
            HopfieldLayer::new(&config(omega, 1), lookup, &mut Random::new(1, 0), &plain()).unwrap()
        };
        let four = spread(make(4), 0.6, 1);
        let mut tensors = state::of(&four);
        for name in ["lookup_weights", "target_weights"] {
            let (_, mut values) = tensors.take(name).unwrap();
            values.drain(4..8);
            tensors.insert(name.to_owned(), vec![1, 3, 4], values);
        }
        let three = state::load(make(3), tensors).unwrap();
        let asked = patterns(&Matrix::normal(5, 4, 1), &[2, 3]);
        let masks = ignored(&[4, 4], &[&[1], &[1]]);
        let (got, report) = four.forward_masked_with_report(asked.clone(), &masks, Phase::Inference).unwrap();
        let expected = numbers(&three.forward(asked.clone(), Phase::Inference).unwrap());
        assert_close(&numbers(&got), &expected, 1e-5, omega);
        for (bag, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert_eq!((report.weights(bag, head, 1).len(), report.weights(bag, head, 1)[1]), (4, 0.0), "{omega}");
        }
        assert_eq!(numbers(&four.forward_masked(asked.clone(), &masks, Phase::Inference).unwrap()), numbers(&got));
        // Each bag ignores its own: the first has the mask of before, the second none.
        let masks = ignored(&[4, 4], &[&[1], &[]]);
        let mixed = numbers(&four.forward_masked(asked.clone(), &masks, Phase::Inference).unwrap());
        let whole = numbers(&four.forward(asked, Phase::Inference).unwrap());
        assert_eq!((&mixed[..8], &mixed[8..]), (&numbers(&got)[..8], &whole[8..]), "{omega}");
        assert!((0..20).any(|at| (whole[at] - expected[at]).abs() > 1e-2), "{omega}: no effect");
    }
}

#[test]
fn a_masked_sequence_is_the_shorter_one() {
    let x = Matrix::normal(8, 4, 1);
    let short = Matrix { rows: 3, columns: 4, values: x.values[4 * 4..7 * 4].to_vec() };
    for batch_first in [true, false] {
        let layer: Hopfield = hopfield(&HopfieldConfig { batch_first, ..config("entmax:1.5", 1) }, 1, &plain());
        let turned = |x: Tensor<3>| if batch_first { x } else { x.swap_dims(0, 1) };
        let ask = |x: Tensor<3>, masks: &Masks| {
            numbers(&turned(layer.forward_masked(turned(x), masks, Phase::Inference).unwrap()))
        };
        let both = x.tensor(&plain()).reshape([2, 4, 4]);
        let got = ask(both.clone(), &ignored(&[4, 4], &[&[], &[3]]));
        let expected = ask(short.tensor(&plain()).reshape([1, 3, 4]), &Masks::default());
        assert_close(&got[4 * 4..7 * 4], &expected, 1e-5, "the second sequence");
        let whole = numbers(&turned(layer.forward(turned(both), Phase::Inference).unwrap()));
        assert_eq!(got[..4 * 4], whole[..4 * 4], "the first sequence");
        assert!((16..28).any(|at| (got[at] - whole[at]).abs() > 1e-2), "no effect");
    }
}

#[test]
fn batch_first_is_about_sequences_alone() {
    let bags = patterns(&Matrix::normal(12, 4, 1), &SIZES);
    let [first, second] = [true, false].map(|batch_first| {
        let config = HopfieldConfig { batch_first, ..config("sparsemax", 1) };
        let lookup = LookupConfig { quantity: 3, ..LookupConfig::default() };
        let lookup = HopfieldLayer::new(&config, lookup, &mut Random::new(1, 0), &plain()).unwrap();
        let (pooling, lookup) = (pooling(&config), spread(lookup, 0.6, 1));
        let tensors = [state::of(&pooling), state::of(&lookup)];
        let pooled = pooling.forward(bags.clone(), Phase::Inference).unwrap();
        (numbers(&pooled), numbers(&lookup.forward(bags.clone(), Phase::Inference).unwrap()), tensors)
    });
    assert_eq!(first, second);
}
