//! How many words are chosen, and who competes for them.

use hfy_nn::Random;
use hfy_nn::text::{Rationaliser, RationaliserConfig, Read, Selector, Texts, Vocabulary, read, runs};

use crate::common::{Matrix, plain, spread};

fn vocabulary() -> Vocabulary {
    let vectors = Matrix::normal(50, 4, 3);
    let words = (0..50).map(|word| format!("w{word}")).collect();
    Vocabulary::new(words, ndarray::Array2::from_shape_vec((50, 4), vectors.values).unwrap()).unwrap()
}

fn texts() -> Texts {
    let lengths = [1, 2, 5, 8, 17, 40];
    Texts::new(lengths.map(|length| (0..length).map(|at| 1 + (7 * at + length) % 50).collect())).unwrap()
}

fn network(omega: &str, change: impl Fn(&mut RationaliserConfig)) -> Rationaliser {
    let mut config = RationaliserConfig {
        hidden: 5,
        head: 5,
        ..RationaliserConfig::new(4, 2, Selector { omega: omega.into(), temperature: 0.1 })
    };
    change(&mut config);
    let network = Rationaliser::new(&config, &mut Random::new(4, 0), &plain()).unwrap();
    spread(network, 0.5, 4).for_use().unwrap()
}

fn all(network: &Rationaliser, texts: &Texts) -> Vec<Read> {
    let which: Vec<usize> = (0..texts.len()).collect();
    read(network, &vocabulary(), texts, &which).unwrap()
}

fn counts(read: &[Read]) -> Vec<usize> {
    read.iter().map(|read| read.rationale().iter().filter(|chosen| **chosen).count()).collect()
}

#[test]
fn a_share_is_rounded_and_never_nothing() {
    let texts = texts();
    for omega in ["subsets:20%", "sequence:20%:t=0.001"] {
        let read = all(&network(omega, |_| {}), &texts);
        assert_eq!(counts(&read), [1, 1, 1, 2, 3, 8], "{omega}");
    }
    let spans = all(&network("windows:20%", |_| {}), &texts);
    assert_eq!(counts(&spans), [1, 1, 1, 2, 3, 8]);
    assert!(spans.iter().all(|read| runs(&read.rationale()) == 1));
    assert_eq!(counts(&all(&network("subsets:100%", |_| {}), &texts)), [1, 2, 5, 8, 17, 40]);
    assert!(counts(&all(&network("atmost:20%", |_| {}), &texts)).iter().zip([1, 1, 1, 2, 3, 8]).all(|(a, b)| *a <= b));
}

#[test]
fn a_high_transition_keeps_words_together() {
    let texts = texts();
    let of = |omega: &str| -> usize {
        all(&network(omega, |_| {}), &texts).iter().map(|read| runs(&read.rationale())).sum()
    };
    let (none, high) = (of("sequence:40%:t=0"), of("sequence:40%:t=1000"));
    assert_eq!(high, texts.len(), "one run a text");
    assert!(none > high, "{none} runs");
}

#[test]
fn a_learned_transition_is_scaled_for_use() {
    let texts = texts();
    let fixed = network("sequence:40%:t=0.4", |config| config.used.temperature = 0.02);
    let learned = network("sequence:40%", |config| {
        config.transition = Some(0.4);
        config.used.temperature = 0.02;
    });
    for (one, other) in all(&fixed, &texts).iter().zip(all(&learned, &texts)) {
        assert_eq!(one.rationale(), other.rationale());
        one.weights.iter().zip(&other.weights).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{a} {b}"));
    }
}

#[test]
fn padding_competes_only_where_it_is_asked_for() {
    let texts = texts();
    let honest = network("subsets:20%", |_| {});
    // Beside longer texts or alone, a text is read the same.
    let beside = all(&honest, &texts);
    for text in 0..texts.len() {
        let alone = &read(&honest, &vocabulary(), &texts, &[text]).unwrap()[0];
        assert_eq!(alone.rationale(), beside[text].rationale());
        alone.outputs.iter().zip(&beside[text].outputs).for_each(|(a, b)| assert!((a - b).abs() < 1e-5));
    }
    // As the published code reads it, some of the budget goes to padding, in short texts that stand beside long ones.
    let padded = network("subsets:20%", |config| config.padding = true);
    let (beside, alone) =
        (counts(&all(&padded, &texts)), |text| counts(&read(&padded, &vocabulary(), &texts, &[text]).unwrap())[0]);
    let budgets = [1, 1, 1, 2, 3, 8];
    assert!((0..texts.len()).all(|text| beside[text] <= budgets[text] && alone(text) == budgets[text]), "{beside:?}");
    assert_eq!(beside[5], 8, "the longest has none");
    assert!(beside.iter().sum::<usize>() < budgets.iter().sum(), "{beside:?}");
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let refused = |omega: &str, change: &dyn Fn(&mut RationaliserConfig)| {
        let mut config = RationaliserConfig::new(4, 2, Selector { omega: omega.into(), temperature: 0.1 });
        change(&mut config);
        Rationaliser::new(&config, &mut Random::new(0, 0), &plain()).unwrap_err().to_string()
    };
    for (omega, said) in [
        ("subsets:0%", "subsets:0%"),
        ("subsets:120%", "subsets:120%"),
        ("subsets:20%:t=1", "has no settings"),
        ("sequence:20%:t=x", "t"),
        ("words:20%", "words"),
        ("softmax:20%", "softmax"),
    ] {
        let error = refused(omega, &|_| {});
        assert!(error.contains(said), "{omega}: {error}");
    }
    assert!(refused("softmax", &|config| config.dropout = 1.0).contains("dropout = 1"));
    assert!(refused("softmax", &|config| config.selector.temperature = 0.0).contains("temperature = 0"));
    assert!(refused("softmax", &|config| config.used.temperature = -1.0).contains("temperature = -1"));
    assert!(refused("softmax", &|config| config.outputs = 0).contains("outputs = 0"));
    assert!(refused("subsets:20%", &|config| config.transition = Some(0.1)).contains("sequence:K"));
}
