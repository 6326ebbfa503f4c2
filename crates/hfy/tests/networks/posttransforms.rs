//! The post-transformations: exact reference values, limits of the number range, text, and misuse.

use crate::common::golden::{Case, agree, agree_derivative, agree_row, family};
use crate::common::named;
use hfy::{Ball, Convex, Error, LayerNorm, Linear, Outcome, Post, Real, Sign, Tanh, Variance};
use ndarray::{Array2, array};

fn golden<T: Real>(tolerance: fn(f64) -> f64, slack: fn(f64) -> f64, largest: f64) {
    family("posttransforms", |case: &Case| {
        let id = case.id();
        let z: Vec<T> = case.need("z");
        if case.need::<f64>("z").iter().any(|z| z.abs() > largest || (*z != 0.0 && z.abs() < 1.0 / largest)) {
            return false;
        }
        let (post, tolerance) = (named::post(&case.0["psi"], id), tolerance(case.number("tol")));
        let mut q = z.clone();
        assert_eq!(post.argmax(&mut q).expect(id), Outcome::Solved, "{id}");
        agree_row(id, "q", &q, &case.need::<f64>("q"), tolerance);
        if let Some(golden) = case.optional("psi_conj") {
            agree(id, "psi_conj", post.conjugate(&z).expect(id), golden, tolerance, golden.abs());
        }
        if let Some(golden) = case.optional("psi_at_q") {
            agree(id, "psi_at_q", post.value(&q), golden, tolerance, golden.abs());
        }
        if let Some(golden) = case.row::<f64>("vjp") {
            let mut g: Vec<T> = case.need("v");
            post.vjp(&z, &q, &mut g).expect(id);
            let given = case.optional("vjp_tol").unwrap_or(100.0 * case.number("tol"));
            agree_derivative(id, "vjp", &g, &golden, slack(given));
        }
        true
    });
}

#[test]
fn double() {
    golden::<f64>(|tol| tol, |tol| tol, f64::INFINITY);
}

/// The slope of the entropy is `z`, up to 140 here: that many roundings of `q` are in its value.
#[test]
fn single() {
    golden::<f32>(|tol| tol.max(1e-5), |tol| tol.max(2e-5), 1e30);
}

fn mapped<T: Real>(post: &impl Convex<T>, z: &[T]) -> Vec<T> {
    let mut q = z.to_vec();
    post.argmax(&mut q).expect("the input is finite");
    q
}

#[track_caller]
fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= tolerance), "{got:?}, not {want:?}");
}

#[test]
fn the_ball_covers_the_whole_range_of_numbers() {
    let half = 0.5f64.sqrt();
    for size in [f64::MAX, 1e300, 1.0, f64::MIN_POSITIVE, 1e-310, 5e-324] {
        close(&mapped(&Ball::UNIT, &[size, -size]), &[half, -half], 1e-15);
        assert!(Ball::UNIT.conjugate(&[size]).unwrap() == size);
        let mut g = [1.0, 1.0];
        Ball::UNIT.vjp(&[size, 0.0], &[1.0, 0.0], &mut g).unwrap();
        assert!(g[0] == 0.0 && g[1] > 0.0, "{size:e}: {g:?}");
    }
    let f32s = mapped(&Ball::UNIT, &[f32::MAX, 1e-45]);
    assert_eq!(f32s, [1.0, 0.0]);
    assert_eq!(mapped(&Ball::UNIT, &[1e-45f32, 0.0]), [1.0, 0.0]);
    assert_eq!(Ball::new(1e300).unwrap().value(&[6e299, 8e299]), 0.0);
    // At the centre every point of the ball is optimal; the centre is given, with no slope.
    assert_eq!(mapped(&Ball::UNIT, &[0.0, 0.0]), [0.0, 0.0]);
    let mut g = [1.0, 2.0];
    Ball::UNIT.vjp(&[0.0, 0.0], &[0.0, 0.0], &mut g).unwrap();
    assert_eq!(g, [0.0, 0.0]);
}

#[test]
fn layer_norm_at_its_limits() {
    let delta = vec![0.5, -1.0, 2.0];
    for variance in [Variance::Biased, Variance::Unbiased] {
        let norm = LayerNorm::default().with_variance(variance);
        let moved = norm.clone().with_delta(delta.clone()).unwrap();
        // Three times 0.1 does not have the mean 0.1 in floating point.
        for constant in [0.1, 1e308, -5e-324, 0.0] {
            assert_eq!(mapped(&moved, &[constant; 3]), delta);
            assert_eq!(mapped(&moved.clone().with_epsilon(1e-5).unwrap(), &[constant; 3]), delta);
        }
        assert_eq!(mapped(&norm, &[7.0]), [0.0]);
        assert_eq!(mapped(&norm.clone().with_epsilon(1.0).unwrap(), &[7.0]), [0.0]);
        assert!(mapped::<f64>(&norm, &[]).is_empty());
        let plain = mapped(&norm, &[1.0, 2.0, 4.0]);
        for (scale, shift) in [(1.0, 1e9), (1e-310, 0.0), (4e307, 0.0), (1e300, -3e300)] {
            let z = [1.0, 2.0, 4.0].map(|v| v * scale + shift);
            close(&mapped(&norm, &z), &plain, 1e-12);
        }
        close(&mapped(&norm, &[f64::MAX, f64::MIN]), &mapped(&norm, &[1.0, -1.0]), 1e-15);
    }
    // By hand: deviations (-1, 1), variance 1 over two entries and 2 over one.
    let unbiased = LayerNorm::new(3.0).unwrap().with_variance(Variance::Unbiased);
    close(&mapped(&unbiased, &[4.0, 6.0]), &[-3.0 / 2f64.sqrt(), 3.0 / 2f64.sqrt()], 1e-15);
    close(&mapped(&unbiased.with_epsilon(7.0).unwrap(), &[4.0, 6.0]), &[-1.0, 1.0], 1e-15);
}

#[test]
fn tanh_saturates_without_losing_its_energy() {
    let tanh = Tanh::new(2.0).unwrap();
    assert_eq!(mapped(&tanh, &[1e308, -1e308, 0.0]), [1.0, -1.0, 0.0]);
    assert_eq!(tanh.conjugate(&[1e308, -1.0]).unwrap(), 1e308);
    assert!((tanh.value(&[0.0f64]) + 0.5 * 2f64.ln()).abs() < 1e-15);
    assert_eq!((tanh.value(&[1.0, -1.0]), tanh.value(&[-1.001])), (0.0, f64::INFINITY));
    assert_eq!(tanh.value(&[f64::NAN]), f64::INFINITY);
    // q has rounded to 1 here, the slope 4 β exp(-2 β z) has not rounded to zero.
    let mut g = [1.0];
    tanh.vjp(&[20.0], &[1.0], &mut g).unwrap();
    assert!((g[0] / (8.0 * (-80f64).exp()) - 1.0).abs() < 1e-12);
    // The corrected entropy: its slope is artanh(q)/β, where the printed one's is not.
    let slope = (tanh.value(&[0.3f64 + 1e-6]) - tanh.value(&[0.3f64 - 1e-6])) / 2e-6;
    assert!((slope - 0.3f64.atanh() / 2.0).abs() < 1e-8, "{slope}");
}

#[test]
fn the_sign_of_zero_is_zero() {
    assert_eq!(mapped(&Sign, &[0.0, -0.0, 5e-324, -1e308]), [0.0, 0.0, 1.0, -1.0]);
    assert_eq!((Sign.value(&[1.0, -1.0]), Sign.value(&[0.0, -1.1f32])), (0.0, f32::INFINITY));
}

#[test]
fn text_is_read_and_printed() {
    let same =
        ["identity", "l2", "l2:2.5", "layernorm", "layernorm:eta=2,eps=1e-5,variance=unbiased", "tanh:2", "sign"];
    for text in same.into_iter().chain(["tanh", "layernorm:delta=0;1.5;-2"]) {
        assert_eq!(text.parse::<Post>().unwrap().to_string(), text);
    }
    assert_eq!(" l2 : 1 ".parse::<Post>().unwrap(), Ball::UNIT.into());
    assert_eq!("tanh:1".parse::<Post>().unwrap(), Tanh::default().into());
    assert_eq!("layernorm:eta=1,variance=biased".parse::<Post>().unwrap(), LayerNorm::default().into());
    for (text, part) in [
        ("softmax", "known are"),
        ("sign:2", "no parameter"),
        ("l2:wide", "radius"),
        ("l2:-1", "radius = -1"),
        ("tanh:0", "beta = 0"),
        ("layernorm:", "layernorm takes"),
        ("layernorm:eta", "layernorm takes"),
        ("layernorm:gain=2", "layernorm takes"),
        ("layernorm:variance=both", "layernorm takes"),
        ("layernorm:eps=-1", "epsilon = -1"),
        ("layernorm:eta=inf", "eta = inf"),
        ("layernorm:delta=1;nan", "delta[1] = NaN"),
        ("linear:3", "matrix"),
    ] {
        let message = text.parse::<Post>().unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn what_is_not_finite_is_an_error() {
    let linear = Linear::new(Array2::<f64>::eye(2).view()).unwrap();
    assert_eq!(Post::from(linear.clone()).to_string(), "linear:2");
    let posts: [Post; 5] =
        [Ball::UNIT.into(), LayerNorm::default().into(), Tanh::default().into(), Sign.into(), linear.into()];
    for post in posts {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let z = [0.0, bad];
            let entry = |error: Error| matches!(error, Error::Entry { argument: "scores", index: 1, .. });
            assert!(entry(post.argmax(&mut z.clone()).unwrap_err()), "{post} {bad}");
            assert!(entry(post.conjugate(&z).unwrap_err()), "{post} {bad}");
            assert!(entry(post.loss(&z, &[0.0, 0.0]).unwrap_err()), "{post} {bad}");
            assert_eq!(post.value(&z), f64::INFINITY, "{post} {bad}");
        }
        let misfit = |result: hfy::Result<()>| matches!(result, Err(Error::Shape { .. }));
        assert!(misfit(post.vjp(&[1.0, 2.0], &[1.0, 0.0], &mut [0.0])), "{post}");
        assert!(misfit(post.second_vjp(&[1.0, 2.0], &[1.0, 0.0], &[1.0; 2], &[1.0; 2], &mut [0.0])), "{post}");
        assert!(misfit(post.loss(&[1.0, 2.0], &[1.0]).map(drop)), "{post}");
    }
    let moved = LayerNorm::default().with_delta(vec![0.0; 3]).unwrap();
    assert!(matches!(moved.argmax(&mut [1.0, 2.0]), Err(Error::Shape { .. })));
    assert_eq!(moved.value(&[0.0, 0.0]), f64::INFINITY);
}

#[test]
fn a_matrix_that_is_not_symmetric_positive_definite_is_named() {
    let message = |matrix: Array2<f64>| Linear::new(matrix.view()).unwrap_err().to_string();
    let told = message(array![[2.0, 1.0], [0.5, 2.0]]);
    assert!(told.contains("matrix[0] = 0.5 in row 1") && told.contains("symmetric"), "{told}");
    let told = message(array![[1.0, 2.0], [2.0, 1.0]]);
    assert!(told.contains("pivot 1 = -3") && told.contains("positive definite"), "{told}");
    assert!(message(array![[1.0, 1.0], [1.0, 1.0]]).contains("pivot 1"));
    assert!(message(array![[0.0]]).contains("pivot 0 = 0"));
    assert!(message(array![[1.0, 0.0], [0.0, f64::NAN]]).contains("matrix[1] = NaN in row 1"));
    assert!(message(array![[1.0, 0.0]]).contains("shape [1, 2]"));
    let mut large = Array2::<f64>::eye(200);
    large[[170, 170]] = -2.0;
    assert!(message(large).contains("200 x 200 with pivot 170 = -2"));
    // Rank two of three: the last pivot is what rounding left of zero.
    let factor = array![[0.1, 0.7], [0.3, -0.2], [0.9, 0.4]];
    assert!(message(factor.dot(&factor.t())).contains("pivot 2"));
    assert!(Linear::new(Array2::<f64>::zeros((0, 0)).view()).unwrap().is_empty());
    // A mirror that differs by rounding only is no error.
    let near = Linear::new(array![[2.0, 0.3], [0.3 + 1e-16, 2.0]].view()).unwrap();
    close(&mapped(&near, &[1.0, 0.0]), &[2.0, 0.3], 1e-15);
    assert!(Linear::new(array![[2f32, 0.3], [0.300_000_04, 2.0]].view()).is_ok());
}
