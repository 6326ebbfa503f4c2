//! Energies of batches against those of single states.

use std::ops::ControlFlow;

use hfy::retrieval::Retriever;
use hfy::{AnyNetwork, Error, Network, Real};
use ndarray::{Array2, array};

use crate::common::draw::Draw;

const OMEGAS: [&str; 11] = [
    "softmax",
    "sparsemax",
    "entmax:1.5",
    "normmax:3",
    "argmax",
    "subsets:3",
    "bounded",
    "sequence:2:t=0.5",
    "quadratic",
    "power:3",
    "exponential",
];
const PSIS: [&str; 5] = ["identity", "l2:2", "layernorm", "tanh:0.5", "sign"];

fn agrees<T: Real>(seed: u64, rounding: f64) {
    let mut draw = Draw(seed);
    for (round, omega) in OMEGAS.iter().enumerate() {
        let psi = PSIS[round % PSIS.len()];
        // More patterns than a tile, and more states than a batch.
        let (n, d, rows) = [(7, 3, 1100), (1500, 5, 3), (40, 6, 1), (3, 2, 40)][round % 4];
        let patterns = Array2::from_shape_fn((n, d), |_| T::of(draw.normal()));
        let states = Array2::from_shape_fn((rows, d), |_| T::of(0.7 * draw.normal()));
        let omega =
            if *omega == "bounded" { format!("bounded:{}", vec!["0.4"; n].join(",")) } else { omega.to_string() };
        let network: AnyNetwork<'_, T> = Network::from_text(&omega, psi, 1.5, patterns.view()).expect("a network");
        let energies = network.energies(states.view()).expect("sound states");
        assert_eq!(energies.len(), rows);
        for (state, parts) in states.rows().into_iter().zip(&energies) {
            let single = network.energy_parts(&state.to_vec()).expect("a sound state");
            let size = single.concave.wide().abs().max(1.0);
            let gap = (parts.concave.wide() - single.concave.wide()).abs();
            assert!(gap <= rounding * size, "{omega}: {parts:?} and {single:?}");
            assert_eq!(parts.convex, single.convex, "{psi}");
            assert_eq!(parts.total() == T::infinity(), single.total() == T::infinity());
        }
        let constant = network.normalising_constant().expect("a constant");
        let (first, state) = (energies[0].total() + constant, states.row(0).to_vec());
        let normalised = network.normalised_energy(&state).expect("sound");
        assert!(first == normalised || (first - normalised).wide().abs() <= rounding * first.wide().abs().max(1.0));
    }
}

#[test]
fn energies_of_a_batch_are_those_of_its_rows() {
    agrees::<f64>(3, 1e-12);
    agrees::<f32>(4, 2e-5);
}

#[test]
fn an_index_and_the_layout_change_no_energy() {
    let mut draw = Draw(5);
    let patterns = Array2::from_shape_fn((600, 12), |(i, _)| draw.normal() + (i % 5) as f64);
    let states = Array2::from_shape_fn((30, 12), |_| draw.normal());
    let network = Network::from_text("sparsemax", "identity", 1.0, patterns.view()).expect("a network");
    let retriever = Retriever::new(&network).expect("a retriever");
    let energies = retriever.energies(states.view()).expect("sound states");
    let mut columns = Array2::zeros((12, 30));
    columns.assign(&states.t());
    assert_eq!(retriever.energies(columns.t()).expect("sound states"), energies);
    assert_eq!(retriever.with_index(4).and_then(|r| r.energies(states.view())).expect("sound states"), energies);
}

#[test]
fn energies_can_be_watched_and_misuse_is_named() {
    let network = Network::from_text("softmax", "identity", 1.0, array![[1.0, 2.0], [0.0, 1.0]]).expect("a network");
    let retriever = Retriever::new(&network).expect("a retriever");
    let states = Array2::<f64>::zeros((2500, 2));
    let stopped = retriever.energies_with(states.view(), &|_, _| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err(), Error::Interrupted { done: 1024, total: 2500 });
    assert_eq!(network.energies(Array2::zeros((0, 2)).view()).expect("no states"), []);
    let message = |states: Array2<f64>| network.energies(states.view()).unwrap_err().to_string();
    assert_eq!(message(Array2::zeros((2, 3))), "states has shape [2, 3], expected [2, 2]");
    assert!(message(array![[0.0, 0.0], [0.0, f64::NAN]]).starts_with("states[1] = NaN in row 1"));
    let apart = network.clone().with_values(array![[1.0], [2.0]]).expect("one value a key");
    let error = apart.energies(Array2::zeros((1, 2)).view()).unwrap_err();
    assert_eq!(error.to_string(), "a network with separate values does not provide an energy");
}
