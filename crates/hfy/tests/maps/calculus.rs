//! The rows of the table of conjugates, and functions of a user's own.

use crate::common::differences::{agree, gradient};
use crate::common::random::Random;
use crate::common::{dot, pulled, says, solved};
use hfy::{
    Batch, Convex, Entmax, InfimalConvolution, NormBall, Normmax, Outcome, Power, Quadratic, Real, Scaled,
    SeparableSum, Subsets, Transformed, Translated,
};
use ndarray::{Array2, array};

type Boxed = Box<dyn Convex<f64>>;

fn matrix() -> Array2<f64> {
    array![[1.5, 0.3, -0.2], [0.1, 0.8, 0.4], [-0.5, 0.2, 1.2]]
}

/// Every combinator over three entries, with the digits that its value has.
fn combinators() -> Vec<(&'static str, Boxed, f64)> {
    let terms: Vec<Boxed> = vec![Box::new(Quadratic), Box::new(Entmax::ENTMAX15), Box::new(Power::new(2.5).unwrap())];
    let blocks: Vec<(Boxed, usize)> = vec![(Box::new(Normmax::new(1.5).unwrap()), 2), (Box::new(Quadratic), 1)];
    vec![
        ("scaled", Box::new(Scaled::new(Entmax::new(1.3).unwrap(), 0.7).unwrap()), 1e-14),
        ("translated", Box::new(Translated::new(Entmax::SOFTMAX, vec![0.5, -1.0, 2.0]).unwrap()), 1e-14),
        ("transformed", Box::new(Transformed::new(Entmax::SOFTMAX, matrix().view()).unwrap()), 1e-14),
        ("transformed power", Box::new(Transformed::new(Power::new(3.0).unwrap(), matrix().view()).unwrap()), 1e-13),
        ("separable", Box::new(SeparableSum::new(blocks).unwrap()), 1e-14),
        // Its value is climbed to a gradient of 1e-10, which leaves far less than this in the value.
        ("infimal convolution", Box::new(InfimalConvolution::new(terms).unwrap()), 1e-9),
        ("round ball", Box::new(NormBall::new(2.0, 1.5).unwrap()), 1e-14),
        ("pointed ball", Box::new(NormBall::new(1.4, 0.5).unwrap()), 1e-14),
        ("square ball", Box::new(NormBall::new(4.0, 2.0).unwrap()), 1e-14),
        ("scaled twice", Box::new(Scaled::new(Scaled::new(Quadratic, 2.0).unwrap(), 3.0).unwrap()), 1e-14),
    ]
}

/// Scores without ties, zeros or weights at an edge.
fn rows() -> Vec<Vec<f64>> {
    vec![vec![0.4, -0.3, 0.25], vec![-0.7, -0.2, -0.35], vec![0.31, 0.52, 0.44], vec![0.11, -0.42, -0.08]]
}

#[test]
fn the_fenchel_young_inequality_is_tight_at_the_map() {
    let mut random = Random::new(1);
    for (name, f, digits) in combinators() {
        for theta in rows() {
            let conjugate = f.conjugate(&theta).unwrap();
            let gap = |y: &[f64]| f.value(y) + conjugate - dot(&theta, y);
            let at_map = gap(&solved(&f, &theta));
            assert!(at_map.abs() <= digits, "{name}: {at_map:e} at the map");
            for _ in 0..5 {
                let other = solved(&f, &random.normals::<f64>(3, 1.0));
                assert!(gap(&other) >= -digits, "{name}: the inequality fails by {:e}", gap(&other));
                let loss = f.loss(&theta, &other).unwrap();
                assert!((loss - gap(&other)).abs() <= 4.0 * digits * (1.0 + loss), "{name}: loss {loss}");
            }
        }
    }
}

#[test]
fn maps_and_derivatives_against_finite_differences() {
    let mut random = Random::new(2);
    for (name, f, _) in combinators() {
        for theta in rows() {
            let (u, w): (Vec<f64>, Vec<f64>) = (random.normals(3, 1.0), random.normals(3, 1.0));
            let difference = gradient(|theta| f.conjugate(theta).unwrap(), &theta, 1e-4);
            agree(name, &solved(&f, &theta), &difference, 1e-10);
            let difference = gradient(|theta| dot(&u, &solved(&f, theta)), &theta, 1e-4);
            agree(&format!("vjp of {name}"), &pulled(&f, &theta, &u), &difference, 1e-9);
            let difference = gradient(|theta| dot(&u, &pulled(&f, theta, &w)), &theta, 1e-4);
            let mut second = [f64::NAN; 3];
            f.second_vjp(&theta, &solved(&f, &theta), &u, &w, &mut second).unwrap();
            // A power of 0.4 of scores around 0.1 has fifth derivatives of order 1e5.
            agree(&format!("second derivative of {name}"), &second, &difference, 1e-7);
            let mut loss = theta.clone();
            let target = solved(&f, &w);
            f.loss_gradient(&mut loss, &target).unwrap();
            let expected: Vec<f64> = solved(&f, &theta).iter().zip(&target).map(|(y, t)| y - t).collect();
            agree(&format!("loss of {name}"), &loss, &expected, 1e-15);
        }
    }
}

#[test]
fn conjugates_in_closed_form() {
    let theta = [0.4, -0.3];
    let half = |v: &[f64]| dot(v, v) / 2.0;
    let close = |got: f64, want: f64| assert!((got - want).abs() <= 1e-14 * (1.0 + want.abs()), "{got} and {want}");

    // (a f)*(θ) = a f*(θ/a), and with β = 1/a the map is ŷ(βθ).
    let scaled = Scaled::new(Entmax::SOFTMAX, 0.25).unwrap();
    close(scaled.conjugate(&theta).unwrap(), 0.25 * (1.6f64.exp() + (-1.2f64).exp()).ln());
    close(scaled.value(&[0.5, 0.5]), 0.25 * 0.5f64.ln());
    assert_eq!((scaled.beta(), scaled.inner()), (4.0, &Entmax::SOFTMAX));

    let moved = Translated::new(Quadratic, vec![2.0, -1.0]).unwrap();
    close(moved.conjugate(&theta).unwrap(), 2.0 * 0.4 + 0.3 + half(&theta));
    close(moved.value(&[2.5, 0.0]), 0.125 + 0.5);

    // f(A y) for the quadratic: θ·(AᵀA)⁻¹θ/2, written out for two entries.
    let a = array![[2.0, 1.0], [0.5, 1.5]];
    let bent = Transformed::new(Quadratic, a.view()).unwrap();
    let [p, q, r] = [2.0 * 2.0 + 0.25, 2.0 + 0.75, 1.0 + 2.25];
    let determinant = p * r - q * q;
    let y = [(r * theta[0] - q * theta[1]) / determinant, (p * theta[1] - q * theta[0]) / determinant];
    close(bent.conjugate(&theta).unwrap(), dot(&theta, &y) / 2.0);
    solved(&bent, &theta).iter().zip(y).for_each(|(&got, want)| close(got, want));
    close(bent.value(&[1.0, -2.0]), half(&[0.0, -2.5]));

    let parts =
        SeparableSum::new(vec![(Scaled::new(Quadratic, 2.0).unwrap(), 1), (Scaled::new(Quadratic, 0.5).unwrap(), 1)]);
    close(parts.as_ref().unwrap().conjugate(&theta).unwrap(), 0.16 / 4.0 + 0.09);
    close(parts.unwrap().value(&[1.0, 3.0]), 1.0 + 2.25);
}

#[test]
fn the_conjugate_of_a_ball_is_the_dual_norm() {
    for (p, radius) in [(1.3, 2.0), (2.0, 0.7), (3.0, 1.0), (6.0, 1.5)] {
        let ball = NormBall::new(p, radius).unwrap();
        for theta in [[0.6, -1.1], [2.0, 0.3], [-0.4, -0.5]] {
            // The maximum over the sphere, by brute force over angles: flat there, so off by their spacing squared.
            let best = (0..200_000).map(|i| {
                let (s, c) = (i as f64 * std::f64::consts::TAU / 2e5).sin_cos();
                let size = (s.abs().powf(p) + c.abs().powf(p)).powf(1.0 / p);
                radius * (theta[0] * c + theta[1] * s) / size
            });
            let (best, conjugate) = (best.fold(f64::MIN, f64::max), ball.conjugate(&theta).unwrap());
            assert!(conjugate >= best - 1e-14 && conjugate - best < 1e-8, "p = {p}: {conjugate} and {best}");
            let q = ball.dual().order();
            assert!((1.0 / p + 1.0 / q - 1.0).abs() < 1e-15);
            let y = solved(&ball, &theta);
            let size = (y[0].abs().powf(p) + y[1].abs().powf(p)).powf(1.0 / p);
            assert!((size - radius).abs() < 1e-14, "the map lies on the sphere");
        }
        assert_eq!(solved(&ball, &[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(ball.value(&[0.0, radius * 0.999]), 0.0);
        assert_eq!(ball.value(&[radius * 1.001, 0.0]), f64::INFINITY);
        assert_eq!(ball.value(&[f64::NEG_INFINITY, 0.0]), f64::INFINITY);
        assert_eq!(ball.value(&[f64::NAN, 0.0]), f64::INFINITY);
        assert!((ball.conjugate(&[3e300, 4e300_f64]).unwrap() / 1e300).is_finite(), "no overflow on the way");
    }
}

#[test]
fn infimal_convolutions_have_their_known_values() {
    // Two quadratics with curvatures a and b make one with curvature ab/(a+b).
    for (a, b) in [(1.0, 1.0), (2.0, 0.5), (0.1, 10.0)] {
        let both =
            InfimalConvolution::new(vec![Scaled::new(Quadratic, a).unwrap(), Scaled::new(Quadratic, b).unwrap()])
                .unwrap();
        for y in [[1.0, -3.0], [0.0, 0.0], [20.0, 5.0]] {
            let want = a * b / (a + b) * dot(&y, &y) / 2.0;
            assert!((both.value(&y) - want).abs() <= 1e-9 * (1.0 + want), "{} and {want}", both.value(&y));
        }
    }
    // A quadratic and sparsemax: inf over the simplex of |y - p|²/2 + |p|²/2 - 1/2, by brute force over the segment.
    let terms: Vec<Boxed> = vec![Box::new(Quadratic), Box::new(Entmax::SPARSEMAX)];
    let envelope = InfimalConvolution::new(terms).unwrap();
    for y in [[0.3, 0.9], [4.0, -1.0], [-0.5, -0.25], [0.5, 0.5], [0.0, 3.0]] {
        let along = |t: f64| {
            let p = [t, 1.0 - t];
            ((y[0] - p[0]).powi(2) + (y[1] - p[1]).powi(2) + dot(&p, &p) - 1.0) / 2.0
        };
        let best = (0..=1_000_000).map(|i| along(i as f64 * 1e-6)).fold(f64::INFINITY, f64::min);
        assert!((envelope.value(&y) - best).abs() <= 1e-9, "{y:?}: {} and {best}", envelope.value(&y));
    }
}

#[test]
fn infinity_outside_the_domain() {
    let outside = |f: &dyn Convex<f64>, y: &[f64]| assert_eq!(f.value(y), f64::INFINITY, "at {y:?}");
    let sparse = Entmax::SPARSEMAX;
    outside(&Scaled::new(sparse, 2.0).unwrap(), &[0.7, 0.7]);
    let moved = Translated::new(sparse, vec![1.0, 1.0]).unwrap();
    outside(&moved, &[0.5, 0.5]);
    assert!(moved.value(&[1.5, 1.5]).is_finite());
    outside(&moved, &[1.0, 1.5, 1.5]);
    let bent = Transformed::new(sparse, array![[2.0, 0.0], [0.0, 1.0]].view()).unwrap();
    outside(&bent, &[0.5, 0.5]);
    outside(&bent, &[0.25]);
    assert!(bent.value(&[0.25, 0.5_f64]).is_finite());
    let parts = SeparableSum::new(vec![(sparse, 2), (sparse, 1)]).unwrap();
    outside(&parts, &[0.5, 0.5, 0.5]);
    outside(&parts, &[0.5, 0.5]);
    assert!(parts.value(&[0.5, 0.5, 1.0_f64]).is_finite());
    // The sum of two simplices.
    let two = InfimalConvolution::new(vec![sparse, sparse]).unwrap();
    assert!((two.value(&[1.0, 1.0_f64]) - 2.0 * sparse.value(&[0.5, 0.5])).abs() < 1e-9);
    for y in [[1.0, 1.5], [0.5, 0.5], [2.5, -0.5], [f64::NAN, 1.0], [f64::INFINITY, 0.0]] {
        outside(&two, &y);
    }
}

#[test]
fn masked_entries_stay_masked() {
    let theta = [0.4, f64::NEG_INFINITY, 0.25];
    for (name, f, _) in combinators().into_iter().filter(|(name, ..)| !name.starts_with("transformed")) {
        let y = solved(&f, &theta);
        assert_eq!(y[1], 0.0, "{name}: {y:?}");
        let g = pulled(&f, &theta, &[1.0, f64::NAN, -0.5]);
        assert!(g[1] == 0.0 && g.iter().all(|g| g.is_finite()), "{name}: {g:?}");
        assert!(f.conjugate(&theta).unwrap().is_finite(), "{name}");
    }
    let mut empty = [f64::NEG_INFINITY; 3];
    let (_, first, _) = combinators().remove(0);
    assert_eq!((first.argmax(&mut empty).unwrap(), empty), (Outcome::Empty, [0.0; 3]));
    // One block of a sum may be empty while another is not.
    let parts = SeparableSum::new(vec![(Entmax::SOFTMAX, 1), (Entmax::SOFTMAX, 1)]).unwrap();
    assert_eq!(solved(&parts, &[f64::NEG_INFINITY, 3.0]), [0.0, 1.0]);
}

#[test]
fn misuse_is_named() {
    says(Scaled::new(Quadratic, 0.0), &["a = 0", "positive"]);
    says(Scaled::new(Quadratic, 1e-310), &["a = 0.000", "finite"]);
    says(Scaled::with_beta(Quadratic, f64::NAN), &["beta = NaN", "positive"]);
    says(Scaled::with_beta(Quadratic, -2.0), &["beta = -2", "positive"]);
    says(Translated::new(Quadratic, vec![0.0, f64::INFINITY]), &["offset[1] = inf", "finite"]);
    says(Transformed::new(Quadratic, array![[1.0, 2.0], [2.0, 4.0]].view()), &["matrix", "2 x 2", "non-singular"]);
    says(Transformed::new(Quadratic, array![[1.0, 2.0]].view()), &["matrix", "[1, 2]", "[1, 1]"]);
    says(Transformed::new(Quadratic, array![[f64::NAN]].view()), &["matrix[0] = NaN in row 0", "finite"]);
    says(SeparableSum::<Quadratic>::new(vec![]), &["blocks", "at least one"]);
    says(InfimalConvolution::<Quadratic>::new(vec![]), &["terms", "at least one"]);
    says(NormBall::new(1.0, 1.0), &["p = 1", "between 1 and infinity"]);
    says(NormBall::new(2.0, 0.0), &["radius = 0", "positive"]);

    let bent = Transformed::new(Quadratic, array![[2.0]].view()).unwrap();
    says(bent.conjugate(&[f64::NEG_INFINITY]), &["scores[0] = -inf", "finite"]);
    says(bent.vjp(&[1.0], &[1.0], &mut [f64::NAN]), &["gradient[0] = NaN", "finite"]);
    says(bent.conjugate(&[1.0, 2.0]), &["scores", "[2]", "[1]"]);
    let parts = SeparableSum::new(vec![(Quadratic, 2)]).unwrap();
    says(parts.argmax(&mut [1.0]), &["scores", "[1]", "[2]"]);
    says(parts.vjp(&[1.0, 2.0], &[1.0], &mut [1.0, 1.0]), &["output", "[1]", "[2]"]);
    says(parts.second_vjp(&[1.0, 2.0], &[1.0; 2], &[1.0], &[1.0; 2], &mut [0.0; 2]), &["u has shape [1]", "[2]"]);
    says(NormBall::new(2.0, 1.0).unwrap().conjugate(&[f64::NAN]), &["scores[0] = NaN", "finite"]);
    // What overflows at this temperature must not pass for a mask.
    let cold = Scaled::with_beta(Entmax::SPARSEMAX, 1e10).unwrap();
    says(cold.argmax(&mut [0.0, -1e300]), &["scores[1] = -1000", "beta"]);
    says(cold.conjugate(&[1e300, 0.0]), &["scores[0] = 1000", "beta"]);
    assert_eq!(solved(&cold, &[0.0, f64::NEG_INFINITY]), [1.0, 0.0]);
}

/// `Σ y log y + (1-y) log(1-y)` on the unit cube: a function of a user's own, whose map is the logistic function.
#[derive(Debug, Clone)]
struct Bernoulli;

impl<T: Real> Convex<T> for Bernoulli {
    fn value(&self, y: &[T]) -> T {
        let entropy = |p: T| if p == T::zero() { p } else { p * p.ln() };
        let inside = y.iter().all(|&p| p >= T::zero() && p <= T::one());
        if inside { y.iter().map(|&p| entropy(p) + entropy(T::one() - p)).sum() } else { T::infinity() }
    }
    fn conjugate(&self, theta: &[T]) -> hfy::Result<T> {
        Ok(theta.iter().map(|&s| s.max(T::zero()) + (-s.abs()).exp().ln_1p()).sum())
    }
    fn argmax(&self, theta: &mut [T]) -> hfy::Result<Outcome> {
        theta.iter_mut().for_each(|s| *s = T::one() / (T::one() + (-*s).exp()));
        Ok(Outcome::Solved)
    }
    fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> hfy::Result<()> {
        g.iter_mut().zip(y).for_each(|(g, &y)| *g *= y * (T::one() - y));
        Ok(())
    }
}

#[test]
fn a_function_of_ones_own_works_everywhere() {
    let theta = array![[0.5, -1.0, 2.0], [0.0, 3.0, -0.5]];
    let logistic = theta.mapv(|s: f64| 1.0 / (1.0 + (-s).exp()));
    let (y, report) = Batch::new(&Bernoulli).map(theta.view()).unwrap();
    assert_eq!((y.clone(), report.rows, report.empty.len()), (logistic.clone(), 2, 0));
    let mut g = Array2::<f64>::ones((2, 3));
    Batch::new(&Bernoulli).vjp(theta.view(), y.view(), g.view_mut()).unwrap();
    assert_eq!(g, y.mapv(|y| y * (1.0 - y)));
    let narrow = theta.mapv(|s| s as f32);
    let (single, _) = Batch::new(&Bernoulli).map(narrow.view()).unwrap();
    assert!(single.iter().zip(&y).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-7));

    let boxed: Boxed = Box::new(Bernoulli);
    let row = [0.5, -1.0, 2.0];
    assert_eq!(solved(&boxed, &row), logistic.row(0).to_vec());
    let (dynamic, _) = Batch::new(&*boxed).map(theta.view()).unwrap();
    assert_eq!(dynamic, logistic);
    assert!(boxed.loss(&row, &logistic.row(0).to_vec()).unwrap() < 1e-15, "the loss that comes with the trait");
    assert_eq!(boxed.loss(&row, &[2.0, 0.0, 0.0]).unwrap(), f64::INFINITY);
    says(boxed.second_vjp(&row, &row, &row, &row, &mut [0.0; 3]), &["does not provide", "second derivatives"]);

    let warm = Scaled::with_beta(boxed, 2.0).unwrap();
    let difference = gradient(|theta| warm.conjugate(theta).unwrap(), &row, 1e-4);
    agree("a scaled function of one's own", &solved(&warm, &row), &difference, 1e-11);
    let blocks: Vec<(Boxed, usize)> = vec![(Box::new(Bernoulli), 1), (Box::new(Subsets::new(1.0).unwrap()), 2)];
    let parts = SeparableSum::new(blocks).unwrap();
    assert_eq!(solved(&parts, &row), [logistic[[0, 0]], 0.0, 1.0]);
}
