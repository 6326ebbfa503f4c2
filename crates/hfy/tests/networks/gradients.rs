//! Derivatives of networks against finite differences: one update, several, the fixed point, and the energy.

use hfy::network::{Gradients, Solver};
use hfy::post::Identity;
use hfy::{Convex, Entmax, Error, InfimalConvolution, Linear, Map, Network, Post, Quadratic, Real, Scaled};
use ndarray::{Array2, array};

/// Numbers that look random, in [-1, 1].
fn noise(seed: usize) -> impl FnMut() -> f64 {
    let mut state = seed as u64 + 1;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

type Make = dyn Fn(f64) -> Box<dyn Convex<f64>>;

/// Each Ω as a function of its inverse temperature; the sum has several, of which none is differentiated.
fn separations() -> Vec<(String, Box<Make>)> {
    let texts = "softmax sparsemax entmax:1.25 entmax:1.5 normmax:2 normmax:5 subsets:2 quadratic power:3 exponential";
    let mut all: Vec<(String, Box<Make>)> = Vec::new();
    for text in texts.split(' ') {
        let map: Map = text.parse().unwrap();
        let make = move |beta| Box::new(Scaled::with_beta(map.clone(), beta).unwrap()) as Box<dyn Convex<f64>>;
        all.push((text.to_owned(), Box::new(make)));
    }
    let sum = |_: f64| {
        let term = |alpha, beta| Scaled::with_beta(Entmax::new(alpha).unwrap(), beta).unwrap();
        Box::new(InfimalConvolution::new(vec![term(1.0, 0.8), term(1.5, 0.5)]).unwrap()) as Box<dyn Convex<f64>>
    };
    all.push(("sum".to_owned(), Box::new(sum)));
    all
}

fn posts(width: usize) -> Vec<Post> {
    let matrix = Array2::from_shape_fn((width, width), |(i, j)| if i == j { 0.9 } else { 0.2 });
    let mut posts: Vec<Post> =
        ["identity", "l2:1.5", "layernorm:eps=0.1", "tanh:0.6"].iter().map(|t| t.parse().unwrap()).collect();
    posts.push(Linear::new(matrix.view()).unwrap().into());
    posts
}

/// What a number is differentiated by.
#[derive(Clone)]
struct At {
    query: Vec<f64>,
    keys: Array2<f64>,
    values: Option<Array2<f64>>,
    beta: f64,
}

/// Compares with central differences of `number` in every argument.
fn compare(label: &str, at: &At, got: &Gradients<f64>, number: impl Fn(&At) -> f64, (h, tolerance): (f64, f64)) {
    let near = |what: String, got: f64, change: &dyn Fn(&mut At, f64)| {
        let moved = |step: f64| {
            let mut at = at.clone();
            change(&mut at, step);
            number(&at)
        };
        let want = (moved(h) - moved(-h)) / (2.0 * h);
        assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{label}: {what} {got:e}, differences {want:e}");
    };
    for (i, &g) in got.query.iter().enumerate() {
        near(format!("query[{i}]"), g, &|at, step| at.query[i] += step);
    }
    for (index, &g) in got.keys.indexed_iter() {
        near(format!("keys[{index:?}]"), g, &|at, step| at.keys[index] += step);
    }
    for (index, &g) in got.values.iter().flat_map(|values| values.indexed_iter()) {
        near(format!("values[{index:?}]"), g, &|at, step| at.values.as_mut().unwrap()[index] += step);
    }
    if let Some(g) = got.beta {
        near("beta".to_owned(), g, &|at, step| at.beta += step);
    }
}

fn network<'a>(at: &'a At, make: &Make, psi: &'a Post) -> Network<'a, f64, Box<dyn Convex<f64>>, &'a Post> {
    let network = match &at.values {
        None => Network::new(make(at.beta), psi, &at.keys),
        Some(values) => Network::hetero(make(at.beta), psi, &at.keys, values),
    };
    network.unwrap()
}

/// Patterns small enough that unbounded weights do not run away.
fn small(seed: usize, values: bool) -> At {
    let mut at = drawn(seed, values);
    at.keys *= 0.4;
    at.values = at.values.map(|values| values * 0.4);
    at
}

fn drawn(seed: usize, values: bool) -> At {
    let mut noise = noise(seed);
    let keys = Array2::from_shape_simple_fn((5, 3), &mut noise);
    let values = values.then(|| Array2::from_shape_simple_fn((5, 3), &mut noise));
    At { query: (0..3).map(|_| noise()).collect(), keys, values, beta: 1.3 }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn through_one_update_and_through_several() {
    let v = [0.7, -0.4, 0.5];
    for (number, (name, make)) in separations().iter().enumerate() {
        for psi in posts(3) {
            for (steps, values) in [(1, false), (1, true), (4, false), (3, true)] {
                let label = format!("{name} with {psi}, {steps} steps, values {values}");
                let at = if name.contains("max") { drawn(31 * number + 7, values) } else { small(7, values) };
                let net = network(&at, make, &psi);
                let path = net.trajectory(&at.query, steps).unwrap();
                let got = net.trajectory_vjp(&path, &v).unwrap();
                if steps == 1 {
                    assert_eq!(got, net.step_vjp(&at.query, &path.steps[0], &v).unwrap(), "{label}");
                }
                let run = |at: &At| inner(network(at, make, &psi).trajectory(&at.query, steps).unwrap().state(), &v);
                compare(&label, &at, &got, run, (1e-6, 1e-6));
            }
        }
    }
}

#[test]
fn through_no_update() {
    let at = drawn(3, false);
    let net = Network::modern(1.0, &at.keys).unwrap();
    let got = net.trajectory_vjp(&net.trajectory(&at.query, 0).unwrap(), &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!((got.query, got.keys.sum(), got.beta), (vec![1.0, 2.0, 3.0], 0.0, None));
}

#[test]
fn values_of_another_width() {
    let (at, values) = (drawn(5, false), array![[0.3], [-0.2], [0.9], [0.1], [-0.7]]);
    let at = At { values: Some(values), ..at };
    let make = |beta| Box::new(Scaled::with_beta(Entmax::SOFTMAX, beta).unwrap()) as Box<dyn Convex<f64>>;
    let psi = Post::default();
    let run = |at: &At| network(at, &make, &psi).step(&at.query).unwrap().state[0];
    let net = network(&at, &make, &psi);
    let got = net.step_vjp(&at.query, &net.step(&at.query).unwrap(), &[1.0]).unwrap();
    compare("width 1", &at, &got, run, (1e-6, 1e-8));
}

/// Where updates settle, found by running them.
fn settled<T: Real, O: Convex<T>, P: Convex<T>>(network: &Network<'_, T, O, P>, query: &[T]) -> Option<Vec<T>> {
    let mut q = query.to_vec();
    for _ in 0..20_000 {
        let next = network.step(&q).ok()?.state;
        let moved = next.iter().zip(&q).fold(T::zero(), |m: T, (&a, &b)| m.max((a - b).abs()));
        q = next;
        if moved <= T::of(16.0) * T::epsilon() {
            return Some(q);
        }
    }
    None
}

#[test]
fn at_the_fixed_point() {
    let (v, mut compared) = ([0.7, -0.4, 0.5], 0);
    for (number, (name, make)) in separations().iter().enumerate() {
        for psi in posts(3) {
            for values in [false, true] {
                let label = format!("{name} with {psi}, values {values}");
                let at = if name.contains("max") { drawn(17 * number + 2, values) } else { small(2, values) };
                let net = network(&at, make, &psi);
                // Powers and quadratics with an unbounded state run away or die out; those have no fixed point to test.
                let Some(state) = settled(&net, &at.query) else { continue };
                let Ok(got) = net.implicit_vjp(&state, &v, &Solver::default()) else {
                    panic!("{label}: {}", net.implicit_vjp(&state, &v, &Solver::default()).unwrap_err())
                };
                assert!(got.residual < 2e-12 && got.drift < 1e-14 && !got.dense, "{label}: {}", got.residual);
                assert!(got.gradients.query.iter().all(|g| *g == 0.0), "{label}");
                let run = |at: &At| inner(&settled(&network(at, make, &psi), &state).expect(&label), &v);
                compare(&label, &at, &got.gradients, run, (1e-5, 1e-5));
                let forced = Solver { iterations: 0, ..Solver::default() };
                let dense = net.implicit_vjp(&state, &v, &forced).unwrap();
                assert!(dense.dense && (inner(&dense.adjoint, &v) - inner(&got.adjoint, &v)).abs() < 1e-9, "{label}");
                compared += 1;
            }
        }
    }
    assert!(compared > 80, "only {compared} networks settled");
}

#[test]
fn the_fixed_point_in_single_precision() {
    let at = drawn(11, false);
    let (wide, narrow) = (Network::modern(2.0, &at.keys).unwrap(), Network::modern(2.0, at.keys.mapv(|v| v as f32)));
    let narrow = narrow.unwrap();
    let state = settled(&wide, &at.query).unwrap();
    let want = wide.implicit_vjp(&state, &[0.7, -0.4, 0.5], &Solver::default()).unwrap().gradients;
    let state: Vec<f32> = state.iter().map(|&v| v as f32).collect();
    let got = narrow.implicit_vjp(&state, &[0.7, -0.4, 0.5], &Solver::default()).unwrap().gradients;
    assert!(got.keys.iter().zip(&want.keys).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-4));
    assert!((f64::from(got.beta.unwrap()) - want.beta.unwrap()).abs() < 1e-4);
}

#[test]
fn what_has_no_implicit_derivative_says_so() {
    let x = array![[1.0, 0.0], [0.0, 1.0]];
    // Every point is fixed: which one is reached depends on nothing but the query.
    let still = Network::new(Quadratic, Identity, &x).unwrap();
    let error = still.implicit_vjp(&[0.3, 0.4], &[1.0, 1.0], &Solver::default()).unwrap_err();
    assert!(matches!(error, Error::Unsolved { .. }), "{error}");
    let moving = Network::modern(1.0, &x).unwrap();
    let error = moving.implicit_vjp(&[3.0, 0.4], &[1.0, 1.0], &Solver::default()).unwrap_err();
    assert!(error.to_string().ends_with("an update must leave the state where it is"), "{error}");
    let strict = Solver { tolerance: Some(0.0), ..Solver::default() };
    assert!(moving.implicit_vjp(&[0.5, 0.5], &[1.0, 1.0], &strict).is_err());
    let zero = moving.implicit_vjp(&[0.5, 0.5], &[0.0, 0.0], &Solver::default()).unwrap();
    assert_eq!((zero.residual, zero.gradients.keys.sum()), (0.0, 0.0));
}

#[test]
fn of_the_energy() {
    for (number, (name, make)) in separations().iter().enumerate() {
        for psi in posts(3).into_iter().filter(|psi| !matches!(psi, Post::Ball(_) | Post::LayerNorm(_))) {
            let mut at = drawn(5 * number + 1, false);
            at.query.iter_mut().for_each(|q| *q *= 0.9);
            let mut got = vec![0.0; 3];
            let net = network(&at, make, &psi);
            net.energy_gradient(&at.query, &mut got).unwrap();
            for i in 0..3 {
                let moved = |h: f64| {
                    let mut q = at.query.clone();
                    q[i] += h;
                    net.energy(&q).unwrap()
                };
                let want = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!((got[i] - want).abs() < 1e-7 * want.abs().max(1.0), "{name} with {psi}: {} {want}", got[i]);
            }
        }
    }
}

/// `∇f` undoes the map, for every function that has one.
#[test]
fn of_convex_functions() {
    fn check(f: &dyn Convex<f64>, z: &[f64]) {
        let (mut y, mut back) = (z.to_vec(), vec![0.0; z.len()]);
        f.argmax(&mut y).unwrap();
        f.gradient(&y, &mut back).unwrap();
        assert!(back.iter().zip(z).all(|(a, b)| (a - b).abs() < 1e-12 * b.abs().max(1.0)), "{back:?} for {z:?}");
    }
    let z = [0.8, -1.7, 0.4];
    let matrix = array![[2.0, 0.5, 0.0], [0.3, 1.0, -0.2], [0.0, 0.1, 1.5]];
    let power = hfy::Power::new(3.0).unwrap();
    for psi in posts(3).iter().filter(|psi| !matches!(psi, Post::Ball(_) | Post::LayerNorm(_))) {
        check(psi, &z);
    }
    check(&power, &z);
    check(&hfy::Exponential, &z);
    check(&Scaled::with_beta(power, 2.5).unwrap(), &z);
    check(&hfy::Translated::new(power, vec![1.0, -2.0, 0.5]).unwrap(), &z);
    check(&hfy::Transformed::new(power, matrix.view()).unwrap(), &z);
    check(&hfy::SeparableSum::new(vec![(Map::Power(power), 1), (Map::Exponential(hfy::Exponential), 2)]).unwrap(), &z);
    assert!(matches!(Entmax::SOFTMAX.gradient(&[0.5, 0.5], &mut [0.0; 2]), Err(Error::Unsupported { .. })));
    assert!(hfy::Exponential.gradient(&[0.0], &mut [0.0]).unwrap_err().to_string().contains("inside the domain"));
}

/// Beyond the range of exponentials a common factor is left out of the weights; normalisation cancels it.
#[test]
fn where_weights_would_overflow() {
    let (x, q, v) = (array![[800.0, 1.0], [800.0, -1.0], [-3.0, 2.0]], [1.0, 0.2], [0.3, -0.8]);
    let pair = |omega: &str, psi: &str, x: &Array2<f64>| Network::from_text(omega, psi, 1.0, x.clone()).unwrap();
    let gradients = |omega: &str, psi: &str| {
        let net = pair(omega, psi, &x);
        let step = net.step(&q).unwrap();
        (net.step_vjp(&q, &step, &v).unwrap(), step)
    };
    for psi in ["l2:2", "layernorm", "layernorm:eps=0.5,eta=2"] {
        let ((got, step), (want, plain)) = (gradients("exponential", psi), gradients("softmax", psi));
        assert_eq!((step.log_scale, plain.log_scale), (800.2, 0.0));
        // What epsilon adds to the variance is nothing beside e^800.
        if !psi.contains("eps") {
            assert!(step.state.iter().zip(&plain.state).all(|(a, b)| (a - b).abs() < 1e-12), "{psi}");
            assert!(got.keys.iter().zip(&want.keys).all(|(a, b)| (a - b).abs() < 1e-9), "{psi}");
            assert!(got.query.iter().zip(&want.query).all(|(a, b)| (a - b).abs() < 1e-9), "{psi}");
        } else {
            assert_eq!(step.state, gradients("exponential", "layernorm:eta=2").1.state);
        }
    }
    assert!(gradients("exponential", "l2:2").0.query[1].abs() > 1e-4, "the derivative is not trivially zero");
    let at = At { query: q.to_vec(), keys: x.clone(), values: None, beta: 1.0 };
    let (got, step) = gradients("power:300", "l2");
    assert!(step.log_scale > 1000.0);
    let run = |at: &At| inner(&pair("power:300", "l2", &at.keys).step(&at.query).unwrap().state, &v);
    compare("power", &at, &Gradients { beta: None, ..got }, run, (1e-6, 1e-6));
    assert!(Network::from_text("exponential", "identity", 1.0, &x).unwrap().step(&q).unwrap().state[0] == f64::MAX);
    let net = pair("exponential", "identity", &x);
    let error = net.step_vjp(&q, &net.step(&q).unwrap(), &v).unwrap_err();
    assert!(matches!(error, Error::Entry { argument: "gradient", .. }), "{error}");
}
