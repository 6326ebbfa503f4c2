//! Gradients where patterns are left out, or numbers are added to scores.

use hfy_nn::layers::{Hopfield, HopfieldConfig, Masks, Patterns, Scaling};
use hfy_nn::{OmegaParameter, Phase};

use crate::common::differences::check;
use crate::common::{Matrix, hopfield, offsets, tracking};

const STORED: [usize; 3] = [1, 3, 7];
const STATE: [usize; 3] = [2, 1, 3];

fn check_masks(what: &str, config: &HopfieldConfig, masks: &Masks) {
    let layer: Hopfield = hopfield(config, 1, &tracking());
    let inputs = [Matrix::normal(11, 4, 1), Matrix::normal(6, 4, 101)];
    let checked = check(what, &layer, &inputs, |layer, x| {
        let stored = Patterns::bags(x[0].clone(), &offsets(&STORED)).unwrap();
        let state = Patterns::bags(x[1].clone(), &offsets(&STATE)).unwrap();
        layer.associate(stored.clone(), state, stored, masks, Phase::Inference).unwrap()
    });
    checked.notable(&["input 0", "association_core.beta"]);
    if config.omega_parameter.is_some() {
        checked.notable(&["association_core.omega.module.raw"]);
    }
}

/// The only pattern of the first bag is ignored, so that its queries have no weights at all.
fn ignored() -> Masks {
    let patterns = vec![vec![true], vec![false, true, false], vec![true, false, false, true, false, false, false]];
    Masks { ignored_patterns: Some(patterns), ..Masks::default() }
}

fn added(infinite: bool) -> Masks {
    let numbers = Matrix::normal(2 * 3, 7, 9);
    let entry = |head: usize, query: usize, pattern: usize| {
        if infinite && (head + query + pattern).is_multiple_of(3) {
            f32::NEG_INFINITY
        } else {
            numbers.row(head * 3 + query)[pattern]
        }
    };
    let bag = |bag: usize| {
        let row = |head: usize, query: usize| (0..STORED[bag]).map(|pattern| entry(head, query, pattern)).collect();
        (0..2).map(|head| (0..STATE[bag]).map(|query| row(head, query)).collect()).collect()
    };
    Masks { added: Some((0..3).map(bag).collect()), ..Masks::default() }
}

#[test]
fn masked() {
    let maps = [
        ("softmax", None),
        ("sparsemax", None),
        ("entmax", Some(vec![1.3, 1.6])),
        ("normmax", Some(vec![2.0, 3.0])),
        ("subsets:2", None),
        ("sequence:2:t=0.5", None),
        ("sequence:2", Some(vec![0.3])),
    ];
    for (omega, parameter) in maps {
        for updates in [0, 2] {
            let config = HopfieldConfig {
                num_heads: 2,
                hidden_size: Some(3),
                scaling: Some(Scaling::Learned(vec![0.9, 1.2])),
                omega: omega.to_owned(),
                omega_parameter: parameter.clone().map(OmegaParameter::Learned),
                update_steps_max: vec![Some(updates)],
                ..HopfieldConfig::new(4)
            };
            check_masks(&format!("{omega}, ignored, {updates}"), &config, &ignored());
            check_masks(&format!("{omega}, added, {updates}"), &config, &added(false));
            check_masks(&format!("{omega}, added infinities, {updates}"), &config, &added(true));
            let both = Masks { added: added(true).added, ..ignored() };
            let config = HopfieldConfig { concat_bias_pattern: true, add_zero_association: true, ..config };
            check_masks(&format!("{omega}, all, {updates}"), &config, &both);
        }
    }
}

#[test]
fn ignored_associations() {
    let config = HopfieldConfig { num_heads: 2, omega: "entmax:1.5".into(), ..HopfieldConfig::new(4) };
    let layer: Hopfield = hopfield(&config, 1, &tracking());
    let causal = (0..3).map(|query| (0..3).map(|pattern| pattern > query).collect()).collect();
    let masks = Masks { ignored_associations: Some(causal), ..Masks::default() };
    check("causal", &layer, &[Matrix::normal(6, 4, 1)], |layer, x| {
        let x = Patterns::bags(x[0].clone(), &[0, 3, 6]).unwrap();
        layer.associate(x.clone(), x.clone(), x, &masks, Phase::Inference).unwrap()
    });
}
