//! The bidirectional LSTM against its equations.

use burn::tensor::Tensor;
use hfy_nn::Random;
use hfy_nn::layers::{BidirectionalLstm, Patterns};
use hfy_nn::state::{self, Tensors};

use crate::common::{Matrix, assert_close, numbers, offsets, plain, spread};

const INPUTS: usize = 5;
const HIDDEN: usize = 3;

fn lstm() -> BidirectionalLstm {
    spread(BidirectionalLstm::new(INPUTS, HIDDEN, &mut Random::new(2, 0), &plain()).unwrap(), 0.5, 2)
}

/// The states of one sequence in one direction, in double precision and one number at a time.
fn by_hand(weights: &Tensors, suffix: &str, rows: &[&[f32]]) -> Vec<Vec<f32>> {
    let get = |name: &str| weights.get(&format!("{name}_l0{suffix}")).unwrap().1.to_vec();
    let (w, u, b, c) = (get("weight_ih"), get("weight_hh"), get("bias_ih"), get("bias_hh"));
    let (mut state, mut cell) = (vec![0.0_f64; HIDDEN], vec![0.0_f64; HIDDEN]);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let mut states = Vec::new();
    for row in rows {
        let sum = |gate: usize| {
            let input: f64 = (0..INPUTS).map(|at| f64::from(w[gate * INPUTS + at]) * f64::from(row[at])).sum();
            let recurrent: f64 = (0..HIDDEN).map(|at| f64::from(u[gate * HIDDEN + at]) * state[at]).sum();
            input + recurrent + f64::from(b[gate]) + f64::from(c[gate])
        };
        let sums: Vec<f64> = (0..4 * HIDDEN).map(sum).collect();
        for at in 0..HIDDEN {
            let [i, f, g, o] = [0, 1, 2, 3].map(|gate| sums[gate * HIDDEN + at]);
            cell[at] = sigmoid(f) * cell[at] + sigmoid(i) * g.tanh();
            state[at] = sigmoid(o) * cell[at].tanh();
        }
        states.push(state.iter().map(|&v| v as f32).collect());
    }
    states
}

#[test]
fn states_of_every_sequence_in_both_directions() {
    let lstm = lstm();
    let weights = state::of(&lstm);
    for sizes in [&[4, 1, 7, 2, 7][..], &[1], &[0, 3, 0], &[2; 33]] {
        let offsets = offsets(sizes);
        let x = Matrix::normal(offsets[sizes.len()], INPUTS, 3);
        let found = lstm.forward(Patterns::bags(x.tensor(&plain()), &offsets).unwrap()).unwrap();
        let found = numbers(found.rows());
        for (sequence, &size) in sizes.iter().enumerate() {
            let mut rows: Vec<&[f32]> = (0..size).map(|at| x.row(offsets[sequence] + at)).collect();
            let forward = by_hand(&weights, "", &rows);
            rows.reverse();
            let mut backward = by_hand(&weights, "_reverse", &rows);
            backward.reverse();
            for at in 0..size {
                let expected = [&forward[at][..], &backward[at][..]].concat();
                let got = &found[(offsets[sequence] + at) * 2 * HIDDEN..][..2 * HIDDEN];
                assert_close(got, &expected, 2e-6, &format!("{sizes:?}, sequence {sequence}, row {at}"));
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (inputs, hidden, part) in [(0, 3, "inputs = 0"), (3, 0, "hidden = 0")] {
        let error = BidirectionalLstm::new(inputs, hidden, &mut Random::new(0, 0), &plain()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    let wide = Patterns::bags(Tensor::zeros([2, INPUTS + 1], &plain()), &[0, 2]).unwrap();
    let error = lstm().forward(wide).unwrap_err().to_string();
    assert!(error.contains("sequences") && error.contains("depth must be 5"), "{error}");
}

#[test]
fn large_inputs_saturate_and_nan_stays_in_its_sequence() {
    let mut x = Matrix::normal(6, INPUTS, 4);
    x.values.iter_mut().for_each(|v| *v *= 1e30);
    let found = lstm().forward(Patterns::bags(x.tensor(&plain()), &[0, 6]).unwrap()).unwrap();
    assert!(numbers(found.rows()).iter().all(|v| v.abs() <= 1.0));
    let mut x = Matrix::normal(6, INPUTS, 4);
    x.values[0] = f32::NAN;
    let found = numbers(lstm().forward(Patterns::bags(x.tensor(&plain()), &[0, 3, 6]).unwrap()).unwrap().rows());
    let (first, second) = found.split_at(3 * 2 * HIDDEN);
    assert!(first.iter().any(|v| v.is_nan()) && second.iter().all(|v| v.is_finite()));
}
