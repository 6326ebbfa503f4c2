//! Texts of maps and post-transformations that name sizes and numbers which nothing can hold: errors, never a panic.

use hfy::{Certifier, Convex, Map, Network, Post, Real, Scaled};
use ndarray::Array2;
use proptest::prelude::*;

/// Each text, and a part of the error; where that is empty, the text is sound but the map is wrong for six scores.
const TEXTS: &[(&str, &str)] = &[
    ("", "known are"),
    (":", "known are"),
    ("entmax", "entmax takes alpha"),
    ("entmax:", "entmax takes alpha"),
    ("entmax:nan", "alpha must lie in"),
    ("entmax:-inf", "alpha must lie in"),
    ("entmax:-0.5", "alpha must lie in"),
    ("entmax:1e", "entmax takes alpha"),
    ("entmax:1.5:2", "entmax takes alpha"),
    ("softmax:1", "takes no parameter"),
    ("normmax:1", "gamma must lie in"),
    ("normmax:nan", "gamma must lie in"),
    ("normmax:-1e999", "gamma must lie in"),
    ("power:1e999", "r must lie strictly"),
    ("power:nan", "r must lie strictly"),
    ("subsets:-1", "k must be finite"),
    ("subsets:nan", "k must be finite"),
    ("subsets:1e999", "k must be finite"),
    ("subsets:1e300", ""),
    ("subsets:99999999999999999999", ""),
    ("subsets:7", ""),
    ("bounded:", "bounded takes"),
    ("bounded:,", "bounded takes"),
    ("bounded:nan", "upper"),
    ("bounded:-1", "upper"),
    ("bounded:1", ""),
    ("bounded:1,1,1,1,1,1,1", ""),
    ("sequence", "sequence takes k"),
    ("sequence:0", "at least one variable"),
    ("sequence:-1", "sequence takes k"),
    ("sequence:1e3", "sequence takes k"),
    ("sequence:18446744073709551616", "sequence takes k"),
    ("sequence:18446744073709551615", ""),
    ("sequence:7", ""),
    ("sequence:2:t=nan", "a score must be finite"),
    ("sequence:2:t=", "t takes numbers"),
    ("sequence:2:t=1,2", ""),
    ("sequence:2:t=1:t=2", "has no setting"),
    ("sequence:2:reg=none", "reg takes"),
    ("windows:0", "at least one variable"),
    ("windows:18446744073709551615", ""),
    ("spans:0", "at least one variable"),
    ("spans:", "spans takes"),
    ("atmost:0", "k"),
    ("labels:6", "labels takes"),
    ("labels:x", "labels takes"),
    ("labels:0x3", "at least one position"),
    ("labels:3x0", "at least one label"),
    ("labels:-3x2", "labels takes"),
    ("labels:3x2:t=inf", "a score must be finite"),
    ("labels:3x2:t=1,2", "one number"),
    ("labels:99999999999x99999999999", ""),
    ("labels:18446744073709551615x18446744073709551615", ""),
    ("labels:1x18446744073709551615", ""),
    ("labels:18446744073709551615x1", ""),
    ("labels:100000x100000", ""),
    ("labels:1x100000", ""),
    ("labels:4294967296x4294967296", ""),
    ("assignment:4x3", "no more rows than columns"),
    ("assignment:0x3", "at least one row"),
    ("assignment:3", "assignment takes"),
    ("assignment:18446744073709551615x18446744073709551615", ""),
    ("assignment:4294967296x4294967296", ""),
    ("matching:0x0", "at least one"),
    ("matching:18446744073709551615x18446744073709551615", ""),
    ("matching:1x1", ""),
    ("trees:1", "at least two nodes"),
    ("trees:5", ""),
    ("trees:18446744073709551615", ""),
    ("trees:6074001001", ""),
    ("arborescence:0", "at least one word"),
    ("arborescence:18446744073709551615", ""),
    ("arborescence:4294967296:root=single", ""),
    ("arborescence:3:root=two", "root takes"),
    ("projective:4294967296", ""),
    ("projective:18446744073709551615:root=single", ""),
    ("grid:3x3", "known are"),
    ("listed:3", "known are"),
];

/// Uses a map on scores, in a network and for certificates; what it may answer is `Ok` or an error.
fn used<T: Real>(map: &Map, entries: usize) -> hfy::Result<Vec<T>> {
    let mut scores: Vec<T> = (0..entries).map(|i| T::of(((7 * i) % 5) as f64 - 1.5)).collect();
    let patterns = Array2::from_shape_fn((entries, 2), |(i, j)| scores[i] + T::of(j as f64));
    let _ = Certifier::new(patterns.view(), map, 1.0).and_then(|c| c.certificates());
    let network = Network::new(Scaled::with_beta(map.clone(), 1.0)?, Post::default(), patterns.view());
    let _ = network.and_then(|network| Ok((network.step(&[T::one(); 2])?, network.energy(&[T::one(); 2])?)));
    Convex::<T>::conjugate(map, &scores)?;
    Convex::<T>::argmax(map, &mut scores)?;
    Ok(scores)
}

#[test]
fn maps_that_nothing_can_hold_are_errors() {
    for &(text, rule) in TEXTS {
        match text.parse::<Map>() {
            Err(error) => {
                assert!(!rule.is_empty(), "{text:?}: {error}");
                assert!(error.to_string().contains(rule), "{text:?}: {error}");
            }
            Ok(map) => {
                assert!(rule.is_empty(), "{text:?} was read as {map}");
                let error = used::<f64>(&map, 6).expect_err(text).to_string();
                assert!(!error.is_empty() && used::<f32>(&map, 6).is_err(), "{text:?}");
            }
        }
    }
}

/// Sizes that fit the number of scores, but whose tables would take gigabytes.
/// The face of a solution is looked for at scores of the size of the transitions, where the way to a probability of
/// zero rounds to nothing.
#[test]
fn derivatives_end_whatever_neighbours_score() {
    let rows: [&[f64]; 5] = [
        &[0.5, -1.0, 2.0, 1.75, 0.0],
        &[1.0, 1.0, 1.0, 1.0, 1.0],
        &[1e300, -1e300, 0.0, 1e-300, 3.0],
        &[0.25, -1.0, 3.0, 0.5],
        &[0.25, -1.0, 3.0, 0.5, 0.5, 0.125, -2.0, 0.0, 1.0],
    ];
    for text in ["sequence:2:t=1002.21e65", "sequence:2:t=1e200", "sequence:3:t=-1e100", "sequence:2:t=1e68:reg=on"] {
        let map: Map = text.parse().unwrap();
        for row in rows {
            let (mut y, mut gradient) = (row.to_vec(), row.to_vec());
            if map.argmax(&mut y).is_ok() && map.vjp(row, &y, &mut gradient).is_ok() {
                assert!(gradient.iter().all(|change| change.is_finite()), "{text}: {gradient:?}");
            }
        }
    }
}

#[test]
fn tables_are_bounded_before_they_are_made() {
    for (text, entries) in [("labels:2x50000", 100_000), ("sequence:50000", 100_000)] {
        let map: Map = text.parse().unwrap();
        let error = Convex::<f64>::argmax(&map, &mut vec![0.0; entries]).unwrap_err();
        assert!(error.to_string().contains("at most 2^28 numbers"), "{text}: {error}");
    }
    // One position has no transitions, whatever the number of labels.
    let map: Map = "labels:1x100000".parse().unwrap();
    let mut scores = vec![0.0; 100_000];
    scores[70_000] = 2.0;
    Convex::<f64>::argmax(&map, &mut scores).unwrap();
    assert_eq!(scores[70_000], 1.0);
    let pairs: Map = "subsets:99999999999".parse().unwrap();
    let error = hfy::Margin::<f64>::of(&pairs).unwrap_err();
    assert_eq!(error.to_string(), "mass = 99999999999: associations of more than 2^24 patterns are not certified");
}

#[test]
fn post_transformations_that_nothing_can_hold_are_errors() {
    for (text, rule) in [
        ("", "known are"),
        ("l2:", "l2 takes a radius"),
        ("l2:0", "must be positive"),
        ("l2:-1", "must be positive"),
        ("l2:nan", "must be positive"),
        ("l2:1e999", "must be positive"),
        ("tanh:0", "inverse temperature"),
        ("tanh:nan", "inverse temperature"),
        ("tanh:1e-320", "inverse temperature"),
        ("sign:1", "takes no parameter"),
        ("linear:3", "made from its matrix"),
        ("layernorm:", "layernorm takes settings"),
        ("layernorm:eta", "layernorm takes settings"),
        ("layernorm:eta=0", "the gain must be positive"),
        ("layernorm:eta=1e999", "the gain must be positive"),
        ("layernorm:eps=-1", "epsilon must be finite"),
        ("layernorm:delta=", "layernorm takes settings"),
        ("layernorm:delta=nan", "an offset must be finite"),
        ("layernorm:variance=none", "layernorm takes settings"),
    ] {
        let error = text.parse::<Post>().expect_err(text).to_string();
        assert!(error.contains(rule), "{text:?}: {error}");
    }
    // An offset for another number of entries.
    let post: Post = "layernorm:delta=0;1".parse().unwrap();
    assert!(Convex::<f64>::argmax(&post, &mut [0.0; 3]).is_err());
    assert_eq!(Convex::<f64>::value(&post, &[0.0; 3]), f64::INFINITY);
    // The steepest slopes are numbers.
    let post: Post = "tanh:1e308".parse().unwrap();
    let mut g = [1.0, 1.0];
    post.vjp(&[0.0, 3.0], &[0.0, 1.0], &mut g).unwrap();
    assert_eq!(g, [1e308, 0.0]);
}

const NAMES: &str = "softmax|sparsemax|argmax|entmax|normmax|subsets|bounded|sequence|windows|spans|atmost|labels|\
                     assignment|matching|trees|arborescence|projective|quadratic|power|exponential|exp|l2|tanh|\
                     sign|layernorm";
const NUMBER: &str = "(-?[0-9]{1,21}(\\.[0-9]{0,3})?(e-?[0-9]{1,3})?|nan|inf|-inf|)";

/// Texts of the grammar, and its letters in any order.
fn texts() -> impl Strategy<Value = String> {
    let setting = format!("(t|reg|root|eta|eps|delta)=({NUMBER}|on|both|single)");
    let grammar = format!("({NAMES})(:{NUMBER}(x{NUMBER})?(,{NUMBER}){{0,3}})?(:{setting})?");
    let grammar = proptest::string::string_regex(&grammar).expect("a regular expression");
    prop_oneof![grammar, "[a-z0-9:x=,.;eninf +-]{0,24}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// No text panics, when it is read or when the map is used on any number of scores.
    #[test]
    fn no_text_panics(
        text in texts(),
        entries in 1usize..9,
    ) {
        if let Ok(map) = text.parse::<Map>() {
            let printed = map.to_string();
            prop_assert_eq!(printed.parse::<Map>().map(|again| again.to_string()), Ok(printed));
            let _ = used::<f64>(&map, entries);
            let _ = used::<f32>(&map, entries);
        }
        if let Ok(post) = text.parse::<Post>() {
            let mut state: Vec<f32> = (0..entries).map(|i| i as f32 - 1.5).collect();
            let _ = Convex::<f32>::conjugate(&post, &state);
            let _ = Convex::<f32>::argmax(&post, &mut state);
        }
    }
}
