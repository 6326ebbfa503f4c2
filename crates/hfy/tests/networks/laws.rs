//! What holds for every network: energies never increase, parts add up, overflow is never NaN; and what is misuse.

use hfy::network::Order;
use hfy::post::Identity;
use hfy::{
    Ball, Binary, Convex, Entmax, Error, InfimalConvolution, LayerNorm, Linear, Map, Network, Normmax, Post, Quadratic,
    Real, Scaled, Sign, Subsets, Tanh, Variance,
};
use ndarray::{Array2, array};
use proptest::prelude::*;

const MAPS: [&str; 17] = [
    "softmax",
    "sparsemax",
    "argmax",
    "entmax:1.25",
    "entmax:1.5",
    "entmax:3",
    "normmax:1.5",
    "normmax:2",
    "normmax:5",
    "normmax:inf",
    "subsets:1",
    "subsets:1.5",
    "quadratic",
    "power:1.5",
    "power:3",
    "power:4",
    "exponential",
];

fn maps<T: Real>(beta: f64, count: usize) -> Vec<(String, Box<dyn Convex<T>>)> {
    let scaled = |text: &str, beta: f64| Scaled::with_beta(text.parse::<Map>().unwrap(), beta).unwrap();
    let mut maps: Vec<(String, Box<dyn Convex<T>>)> = (MAPS.iter())
        .filter(|text| count > 1 || **text != "subsets:1.5")
        .map(|text| (text.to_string(), Box::new(scaled(text, beta)) as Box<dyn Convex<T>>))
        .collect();
    let bounds: Vec<String> = (0..count).map(|i| (1.0 / (1 + i % 2) as f64).to_string()).collect();
    let bounded = format!("bounded:{}", bounds.join(","));
    maps.push((bounded.clone(), Box::new(scaled(&bounded, beta))));
    let sum =
        InfimalConvolution::new(vec![scaled("softmax", beta), scaled("sparsemax", 1.0), scaled("quadratic", 0.5)]);
    maps.push(("sum".to_owned(), Box::new(sum.unwrap())));
    maps
}

fn posts(width: usize) -> Vec<Post> {
    let delta: Vec<f64> = (0..width).map(|i| 0.3 * i as f64 - 0.5).collect();
    let matrix = Array2::from_shape_fn((width, width), |(i, j)| if i == j { 1.5 } else { 0.5 / width as f64 });
    let norm = || LayerNorm::new(0.8).unwrap();
    vec![
        Identity.into(),
        Ball::new(1.5).unwrap().into(),
        LayerNorm::default().into(),
        norm().with_delta(delta.clone()).unwrap().into(),
        norm().with_delta(delta).unwrap().with_epsilon(0.1).unwrap().into(),
        norm().with_epsilon(1e-5).unwrap().with_variance(Variance::Unbiased).into(),
        Tanh::new(0.7).unwrap().into(),
        Sign.into(),
        Linear::new(matrix.view()).unwrap().into(),
    ]
}

/// Every pair of a map and a post-transformation: along its updates the energy falls, or stays.
fn energies_fall<T: Real>(patterns: &Array2<T>, query: &[T], beta: f64) {
    for psi in posts(patterns.ncols()) {
        for (name, omega) in maps::<T>(beta, patterns.nrows()) {
            let label = format!("{name} with {psi}, beta {beta}");
            let network = Network::new(omega, &psi, patterns).unwrap();
            let (mut q, mut energy) = (query.to_vec(), T::infinity());
            for number in 0..6 {
                let parts = network.energy_parts(&q).unwrap();
                let next = parts.total();
                assert!(!next.is_nan(), "{label}: {next}");
                assert!(number == 0 || next < T::infinity(), "{label}: update {number} left the domain");
                // The parts cancel: what they were rounded by is what the energy may rise by.
                let size = T::one() + parts.concave.abs() + q.iter().fold(T::zero(), |m: T, v| m.max(v.abs())).powi(2);
                let mut slack = T::of(40.0 * patterns.len() as f64) * T::epsilon() * size;
                if number == 1 {
                    // A query that lies just outside of the domain counts as inside, and may have less energy than any
                    // state there.
                    slack += T::of(4.0) * T::domain_tolerance() * size;
                }
                assert!(next <= energy + slack, "{label}: from {energy:e} to {next:e}");
                energy = next;
                // Without bounded weights or a bounded state the energy has no minimum, and both run away.
                match network.step(&q) {
                    Ok(step) => q = step.state,
                    Err(error) => {
                        assert!(matches!(error, Error::Entry { argument: "scores", .. }), "{label}: {error}");
                        break;
                    }
                }
                if q.iter().any(|v| v.abs() > T::of(1e6)) {
                    break;
                }
            }
        }
    }
}

fn table(count: usize, width: usize) -> impl Strategy<Value = (Array2<f64>, Vec<f64>)> {
    let entries = prop::collection::vec(-2.0..2.0f64, count * width);
    let query = prop::collection::vec(-1.0..1.0f64, width);
    (entries, query).prop_map(move |(x, q)| (Array2::from_shape_vec((count, width), x).unwrap(), q))
}

fn any_table() -> impl Strategy<Value = (Array2<f64>, Vec<f64>)> {
    (1..9usize, 1..7usize).prop_flat_map(|(count, width)| table(count, width))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn energies_fall_in_double((x, q) in any_table(), beta in 0.1..6.0f64) {
        energies_fall(&x, &q, beta);
    }

    #[test]
    fn energies_fall_in_single((x, q) in any_table(), beta in 0.1..6.0f64) {
        let q: Vec<f32> = q.iter().map(|&v| v as f32).collect();
        energies_fall(&x.mapv(|v| v as f32), &q, beta);
    }

    /// The losses differ from the raw energy by a constant, and the normalised energy lies between its bounds in the
    /// hull.
    #[test]
    fn energies_agree((x, q) in any_table(), weights in prop::collection::vec(0.01..1.0f64, 9), beta in 0.1..6.0f64) {
        let other: Vec<f64> = q.iter().map(|v| 0.5 - v).collect();
        for (name, omega) in maps::<f64>(beta, x.nrows()) {
            let network = Network::new(omega, Identity, &x).unwrap();
            let gap = |q: &[f64]| network.energy(q).unwrap() - network.energy_losses(q).unwrap().total();
            let scale = 1.0 + network.energy(&q).unwrap().abs() + network.energy(&other).unwrap().abs();
            prop_assert!((gap(&q) - gap(&other)).abs() < 1e-12 * scale, "{}", name);
        }
        let total: f64 = weights[..x.nrows()].iter().sum();
        let inside = x.t().dot(&ndarray::Array1::from_iter(weights[..x.nrows()].iter().map(|w| w / total)));
        for text in MAPS.iter().filter(|text| text.contains("max")) {
            let network = Network::from_text(text, "identity", beta, &x).unwrap();
            let bounds = network.energy_bounds().unwrap();
            let energy = network.normalised_energy(inside.as_slice().unwrap()).unwrap();
            prop_assert!(energy >= bounds.lower - 1e-12 && energy <= bounds.upper + 1e-12, "{}: {}", text, energy);
        }
    }

    #[test]
    fn binary_energies_fall((x, q) in any_table(), seed in any::<u64>()) {
        let memory = Binary::new(x.mapv(f64::signum)).unwrap();
        let mut state: Vec<f64> = q.iter().map(|v| if *v < 0.0 { -1.0 } else { 1.0 }).collect();
        let mut both = state.clone();
        let mut energy = memory.energy(&state).unwrap();
        for i in (0..state.len()).chain(0..state.len()) {
            memory.asynchronous(&mut state, Order::Given(&[i])).unwrap();
            let next = memory.energy(&state).unwrap();
            prop_assert!(next <= energy);
            energy = next;
        }
        prop_assert!(memory.settle(&mut state, 100, seed).unwrap().is_some());
        prop_assert!(memory.energy(&state).unwrap() <= energy);
        prop_assert_eq!(memory.asynchronous(&mut state, Order::Random(seed)).unwrap(), 0);
        for _ in 0..4 {
            let before = memory.network().energy(&both).unwrap();
            memory.synchronous(&mut both).unwrap();
            prop_assert!(memory.network().energy(&both).unwrap() <= before);
        }
    }
}

#[test]
fn a_unit_without_a_field_keeps_its_state() {
    let memory = Binary::new(array![[1.0, 1.0], [1.0, -1.0]]).unwrap();
    for start in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]] {
        let mut state = start;
        assert_eq!(memory.asynchronous(&mut state, Order::Given(&[0, 1, 0])).unwrap(), 0);
        assert_eq!(memory.settle(&mut state, 5, 7).unwrap(), Some(1));
        assert_eq!(state, start);
    }
    assert_eq!(Network::binary(array![[1.0, 1.0]]).unwrap().step(&[1.0, -1.0]).unwrap().state, [0.0, 0.0]);
    let mut tied = [1.0, -1.0];
    assert_eq!(Binary::new(array![[1.0, 1.0]]).unwrap().synchronous(&mut tied).unwrap(), 0);
    assert_eq!(tied, [1.0, -1.0]);
}

#[test]
fn the_order_follows_the_seed() {
    let x = Array2::from_shape_fn((6, 40), |(i, j)| if (i * 37 + j * j * 11 + i * j) % 7 < 3 { 1.0 } else { -1.0 });
    let memory = Binary::new(&x).unwrap();
    let start: Vec<f64> = (0..40).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let run = |seed| {
        let mut state = start.clone();
        memory.asynchronous(&mut state, Order::Random(seed)).unwrap();
        state
    };
    assert_eq!(run(3), run(3));
    assert!((0..20).any(|seed| run(seed) != run(3)));
}

#[test]
fn scores_beyond_the_range_of_exponentials_still_recall() {
    let x = array![[60f32, 1.0, -2.0], [-60.0, 1.0, 2.0], [59.0, -1.0, -2.0]];
    let post = |text: &str| text.parse::<Post>().unwrap();
    for (beta, sign) in [(1e3, 1.0), (1e3, -1.0), (1e30, 1.0)] {
        let query = [sign, 0.1, 0.0];
        for text in ["tanh:0.1", "sign"] {
            let network = Network::exponential(beta, post(text), &x).unwrap();
            let step = network.step(&query).unwrap();
            assert_eq!(step.state, [sign, 1.0, -sign], "{text} at beta {beta}");
            let gradients = network.step_vjp(&query, &step, &[1.0, 1.0, 1.0]).unwrap();
            assert!(gradients.query.iter().chain(&gradients.keys).all(|g| *g == 0.0));
        }
        let network = Network::exponential(beta, post("l2:2"), &x).unwrap();
        let (state, best) = (network.step(&query).unwrap().state, if sign > 0.0 { 0 } else { 1 });
        let length = x.row(best).dot(&x.row(best)).sqrt();
        assert!(state.iter().zip(x.row(best)).all(|(q, x)| (q - 2.0 * x / length).abs() < 1e-5));
        assert!(!network.energy(&state).unwrap().is_nan());
    }
    // Far below the range, where all weights vanish, the direction is still there.
    let network = Network::exponential(1e3, Sign, array![[-5.0, 2.0], [-6.0, -1.0]]).unwrap();
    assert_eq!(network.step(&[1.0, 0.0]).unwrap().state, [-1.0, 1.0]);
    let network = Network::polynomial(80.0, post("tanh"), &x).unwrap();
    assert_eq!(network.step(&[1.0, 0.1, 0.0]).unwrap().state, [1.0, 1.0, -1.0]);
}

#[test]
fn hetero_association_recalls_values() {
    let (keys, values) = (array![[2.0, 0.0], [0.0, 2.0]], array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let omega = Scaled::with_beta(Entmax::SPARSEMAX, 1.0).unwrap();
    let network = Network::hetero(omega, Identity, &keys, &values).unwrap();
    assert_eq!(network.trajectory(&[0.1, 1.5], 1).unwrap().state(), [4.0, 5.0, 6.0]);
    assert_eq!((network.width(), network.output_width(), network.is_auto_associative()), (2, 3, false));
    assert!(matches!(network.trajectory(&[0.1, 1.5], 2), Err(Error::Shape { argument: "values", .. })));
    assert!(matches!(network.energy(&[0.1, 1.5]), Err(Error::Unsupported { what: "an energy", .. })));
    let square = Network::sparse(1.0, &keys).unwrap().with_values(array![[0.0, 2.0], [2.0, 0.0]]).unwrap();
    let path = square.trajectory(&[1.9, 0.0], 3).unwrap();
    assert_eq!((path.state(), path.energies.is_none()), (&[0.0, 2.0][..], true));
    // The transposed view of a matrix has columns where rows should be, and is copied into order.
    let turned = Network::sparse(1.0, values.t()).unwrap();
    assert_eq!(turned.keys(), values.t());
    assert_eq!(turned.step(&[1.0, 1.0]).unwrap().scores, [5.0, 7.0, 9.0]);
}

#[track_caller]
fn says<V: std::fmt::Debug>(result: hfy::Result<V>, message: &str) {
    assert_eq!(result.unwrap_err().to_string(), message);
}

#[test]
fn misuse_is_an_error_that_says_what_is_wrong() {
    let x = array![[1.0, 0.0], [0.0, 1.0]];
    says(Network::modern(1.0, Array2::<f64>::zeros((0, 3))), "patterns has shape [0, 3], expected [1, 3]");
    says(Network::modern(1.0, Array2::<f64>::zeros((3, 0))), "patterns has shape [3, 0], expected [3, 1]");
    says(
        Network::modern(1.0, array![[1.0, 2.0], [3.0, f64::NAN]]),
        "patterns[1] = NaN in row 1: an entry of a pattern must be finite",
    );
    says(Network::modern(0.0, &x), "beta = 0: an inverse temperature must be positive and finite");
    says(Network::subsets(3.0, 1.0, &x), "k = 3: k must not exceed the number of entries in a row");
    let delta = LayerNorm::default().with_delta(vec![0.0; 3]).unwrap();
    says(Network::new(Quadratic, delta, &x), "scores has shape [2], expected [3]");
    says(Network::hetero(Quadratic, Identity, &x, array![[1.0]]), "values has shape [1, 1], expected [2, 1]");
    says(
        Network::hetero(Quadratic, Identity, &x, array![[1.0], [f64::INFINITY]]),
        "values[0] = inf in row 1: an entry of a pattern must be finite",
    );
    assert!(matches!(Network::from_text("nothing", "sign", 1.0, &x), Err(Error::Parse { .. })));
    assert!(Network::projected(Quadratic, array![[1.0, 2.0], [2.0, 1.0]].view(), &x).is_err());

    let network = Network::modern(1.0, &x).unwrap();
    says(network.step(&[1.0]), "query has shape [1], expected [2]");
    says(network.step(&[1.0, f64::NAN]), "query[1] = NaN: an entry of a query must be finite");
    says(network.trajectory(&[f64::NAN, 0.0], 0), "query[0] = NaN: an entry of a query must be finite");
    let step = network.step(&[1.0, 0.0]).unwrap();
    says(network.step_vjp(&[1.0, 0.0], &step, &[1.0]), "v has shape [1], expected [2]");
    says(network.step_vjp(&[1.0], &step, &[1.0, 0.0]), "query has shape [1], expected [2]");
    let torn = hfy::network::Step { weights: vec![], ..step };
    says(network.step_vjp(&[1.0, 0.0], &torn, &[1.0, 0.0]), "step.weights has shape [0], expected [2]");
    let huge = Network::modern(1.0, array![[1e200, 0.0], [0.0, 1.0]]).unwrap();
    says(huge.step(&[-1e200, 0.0]), "scores[0] = -inf: the score of the query with this pattern must be finite");
    let hidden = Network::assume_finite(Quadratic, Identity, array![[f64::NAN, 0.0], [0.0, 1.0]]).unwrap();
    says(hidden.step(&[1.0, 0.0]), "scores[0] = NaN: the score of the query with this pattern must be finite");

    assert!(Network::classic(1.0, &x).unwrap().energy_gradient(&[1.0, 0.0], &mut [0.0; 2]).is_err());
    let wrong =
        "a network other than a negentropy on the simplex with the identity does not provide bounds of its energy";
    says(Network::subsets(2.0, 1.0, &x).unwrap().energy_bounds(), wrong);
    says(Network::from_text("softmax", "l2", 1.0, &x).unwrap().energy_bounds(), wrong);
    says(Network::from_text("bounded:1,1", "identity", 1.0, &x).unwrap().energy_bounds(), wrong);
    assert!(Network::normmax(2.0, 1.0, &x).unwrap().energy_bounds().is_ok());
    assert!(Network::new(Subsets::new(1.0).unwrap(), Identity, &x).unwrap().energy_bounds().is_err());
    assert!(Network::new(Normmax::new(3.0).unwrap(), Identity, &x).unwrap().energy_bounds().is_ok());

    let memory = Binary::new(&x).unwrap();
    says(memory.energy(&[1.0, 0.5]), "state[1] = 0.5: a unit must be -1 or 1");
    says(memory.synchronous(&mut [1.0]), "state has shape [1], expected [2]");
    let mut state = [1.0, -1.0];
    says(memory.asynchronous(&mut state, Order::Given(&[0, 2])), "order[1] = 2: an order must name units of the state");
}
