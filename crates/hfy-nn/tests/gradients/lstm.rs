//! The bidirectional LSTM.

use hfy_nn::Random;
use hfy_nn::layers::{BidirectionalLstm, Patterns};

use crate::common::differences::check;
use crate::common::{Matrix, offsets, spread, tracking};

#[test]
fn of_sequences_of_different_lengths() {
    for sizes in [&[3, 1, 0, 4][..], &[1], &[2, 2]] {
        let lstm = BidirectionalLstm::new(3, 2, &mut Random::new(1, 0), &tracking()).unwrap();
        let lstm = spread(lstm, 0.6, 1);
        let rows = sizes.iter().sum();
        let checked = check(&format!("{sizes:?}"), &lstm, &[Matrix::normal(rows, 3, 1)], |lstm, x| {
            lstm.forward(Patterns::bags(x[0].clone(), &offsets(sizes)).unwrap()).unwrap().rows().clone()
        });
        checked.notable(&["input 0", "weight_ih_l0", "bias_ih_l0", "weight_ih_l0_reverse", "bias_hh_l0_reverse"]);
        if sizes != [1] {
            checked.notable(&["weight_hh_l0", "weight_hh_l0_reverse"]);
        }
    }
}

#[test]
fn of_one_sequence_that_several_share() {
    let lstm = BidirectionalLstm::new(2, 3, &mut Random::new(1, 0), &tracking()).unwrap();
    check("shared", &spread(lstm, 0.6, 1), &[Matrix::normal(4, 2, 1)], |lstm, x| {
        lstm.forward(Patterns::shared(x[0].clone())).unwrap().rows().clone()
    })
    .notable(&["input 0", "weight_hh_l0"]);
}
