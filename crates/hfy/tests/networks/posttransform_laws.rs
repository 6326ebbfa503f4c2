//! What every post-transformation owes to being the gradient of a conjugate.

use hfy::post::Identity;
use hfy::{Ball, Convex, LayerNorm, Linear, Post, Real, Sign, Tanh, Variance};
use ndarray::Array2;
use proptest::prelude::*;

/// `B Bᵀ + I` for a fixed `B`.
fn linear(n: usize) -> Linear {
    let factor = Array2::from_shape_fn((n, n), |(i, j)| ((3 * i + 5 * j) % 7) as f64 / 7.0 - 0.4);
    Linear::new((factor.dot(&factor.t()) + Array2::<f64>::eye(n)).view()).unwrap()
}

fn every(n: usize) -> Vec<Post> {
    let delta: Vec<f64> = (0..n).map(|i| 0.3 * i as f64 - 0.5).collect();
    let norm = LayerNorm::new(0.8).unwrap();
    let offset = norm.clone().with_delta(delta).unwrap();
    let soft = |norm: &LayerNorm, eps: f64| norm.clone().with_epsilon(eps).unwrap();
    let unbiased = |norm: &LayerNorm| norm.clone().with_variance(Variance::Unbiased);
    vec![
        Identity.into(),
        Ball::UNIT.into(),
        Ball::new(2.5).unwrap().into(),
        norm.clone().into(),
        unbiased(&norm).into(),
        offset.clone().into(),
        soft(&norm, 0.3).into(),
        unbiased(&soft(&norm, 1.0)).into(),
        unbiased(&soft(&offset, 0.1)).into(),
        norm.clone().with_delta(vec![0.25; n]).unwrap().into(),
        Tanh::new(0.7).unwrap().into(),
        Tanh::new(3.0).unwrap().into(),
        Sign.into(),
        linear(n).into(),
    ]
}

fn mapped<T: Real>(post: &Post, z: &[T]) -> Vec<T> {
    let mut q = z.to_vec();
    post.argmax(&mut q).expect("the input is finite");
    q
}

fn pulled(post: &Post, z: &[f64], g: &[f64]) -> Vec<f64> {
    let mut g = g.to_vec();
    post.vjp(z, &mapped(post, z), &mut g).expect("the lengths agree");
    g
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The gradient of `f` at `z` by central differences.
fn differences(z: &[f64], f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let step = 1e-5;
    let at = |i: usize, move_by: f64| {
        let mut z = z.to_vec();
        z[i] += move_by;
        f(&z)
    };
    (0..z.len()).map(|i| (at(i, step) - at(i, -step)) / (2.0 * step)).collect()
}

/// Points at which every map is smooth: well off zero, and well spread.
fn smooth(z: &[f64]) -> bool {
    let mean = z.iter().sum::<f64>() / z.len() as f64;
    z.iter().all(|v| v.abs() > 1e-3) && z.iter().any(|v| (v - mean).abs() > 0.2)
}

fn near(post: &Post, what: &str, got: &[f64], want: &[f64], tolerance: f64) -> Result<(), TestCaseError> {
    let scale = want.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
    let good = got.iter().zip(want).all(|(g, w)| (g - w).abs() <= tolerance * scale);
    prop_assert!(good, "{post}: {what} {got:?}, not {want:?}");
    Ok(())
}

/// Four vectors of one length.
fn vectors() -> impl Strategy<Value = [Vec<f64>; 4]> {
    (2usize..7).prop_flat_map(|n| {
        let vector = || prop::collection::vec(-2.0..2.0, n);
        [vector(), vector(), vector(), vector()]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fenchel_young([z, other, ..] in vectors(), inside in 0.0..1.0) {
        for post in every(z.len()) {
            let (q, conjugate) = (mapped(&post, &z), post.conjugate(&z).unwrap());
            let gap = post.value(&q) + conjugate - dot(&z, &q);
            // A point on the rim is known only up to rounding, of which the soft energy sees the square root.
            prop_assert!(gap.abs() <= 1e-7, "{post}: gap {gap:e} at its own image");
            prop_assert!(post.loss(&z, &q).unwrap() <= 1e-7, "{post}");
            // Between two images lies the domain, which is convex.
            let target: Vec<f64> =
                q.iter().zip(mapped(&post, &other)).map(|(q, o)| inside * q + (1.0 - inside) * o).collect();
            let value = post.value(&target);
            prop_assert!(value.is_finite(), "{post}: the domain is not convex");
            let loss = value + conjugate - dot(&z, &target);
            prop_assert!(loss >= -1e-9, "{post}: negative loss {loss:e}");
            prop_assert!((post.loss(&z, &target).unwrap() - loss).abs() <= 1e-9 * (1.0 + loss), "{post}");
        }
    }

    #[test]
    fn derivatives([z, u, w, _] in vectors()) {
        prop_assume!(smooth(&z));
        for post in every(z.len()) {
            let q = mapped(&post, &z);
            near(&post, "map", &q, &differences(&z, |z| post.conjugate(z).unwrap()), 1e-7)?;
            let jw = pulled(&post, &z, &w);
            near(&post, "vjp", &jw, &differences(&z, |z| dot(&w, &mapped(&post, z))), 1e-5)?;
            let (left, right) = (dot(&u, &jw), dot(&w, &pulled(&post, &z, &u)));
            prop_assert!((left - right).abs() <= 1e-11 * (1.0 + left.abs()), "{post}: the Jacobian is not symmetric");
            let mut second = vec![0.0; z.len()];
            post.second_vjp(&z, &q, &u, &w, &mut second).unwrap();
            near(&post, "second_vjp", &second, &differences(&z, |z| dot(&u, &pulled(&post, z, &w))), 1e-4)?;
        }
    }

    #[test]
    fn idempotence([z, ..] in vectors()) {
        prop_assume!(smooth(&z));
        for post in every(z.len()).into_iter().filter(Post::is_idempotent) {
            let once = mapped(&post, &z);
            near(&post, "second pass", &mapped(&post, &once), &once, 1e-12)?;
        }
    }

    #[test]
    fn single_precision_follows_double([z, w, ..] in vectors()) {
        prop_assume!(smooth(&z));
        let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|&v| v as f32).collect() };
        let wide = |v: &[f32]| -> Vec<f64> { v.iter().map(|&v| f64::from(v)).collect() };
        for post in every(z.len()) {
            let small = narrow(&z);
            let (z, q) = (wide(&small), mapped(&post, &small));
            near(&post, "f32 map", &wide(&q), &mapped(&post, &z), 1e-6)?;
            let mut g = narrow(&w);
            let expected = pulled(&post, &z, &wide(&g));
            post.vjp(&small, &q, &mut g).unwrap();
            near(&post, "f32 vjp", &wide(&g), &expected, 1e-6)?;
            let conjugate = post.conjugate(&z).unwrap();
            near(&post, "f32 conjugate", &[f64::from(post.conjugate(&small).unwrap())], &[conjugate], 1e-6)?;
            prop_assert!(post.value(&q).is_finite(), "{post}: the f32 image lies outside the domain");
            prop_assert!(post.loss(&small, &q).unwrap() <= 1e-3, "{post}");
        }
    }
}

#[test]
fn who_is_idempotent() {
    let idempotent: Vec<bool> = every(3).iter().map(Post::is_idempotent).collect();
    let expected = [true, true, true, true, true, false, false, false, false, true, false, false, true, false];
    assert_eq!(idempotent, expected);
    assert!(Post::from(Linear::new(Array2::<f64>::eye(3).view()).unwrap()).is_idempotent());
    // The paper says that layer normalisation is; with an offset that is not constant it moves again.
    let norm = LayerNorm::default().with_delta(vec![1.0, 0.0, 0.0]).unwrap().into();
    let once = mapped(&norm, &[1.0f64, 2.0, 4.0]);
    let moved = mapped(&norm, &once).iter().zip(&once).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!((moved - 0.57).abs() < 0.005, "{moved}");
}

#[test]
fn beyond_the_domain_is_infinite() {
    let infinite = |post: Post, q: &[f64]| assert_eq!(post.value(q), f64::INFINITY, "{post} {q:?}");
    infinite(Ball::UNIT.into(), &[0.8, 0.7]);
    infinite(Sign.into(), &[1.0 + 1e-6, 0.0]);
    infinite(Tanh::default().into(), &[0.0, -1.0 - 1e-6]);
    let norm = LayerNorm::new(2.0).unwrap();
    // The radius is 2 √2 for two entries, 2 if the variance is unbiased.
    for (variance, rim) in [(Variance::Biased, 2.0), (Variance::Unbiased, 2f64.sqrt())] {
        for epsilon in [0.0, 1e-5] {
            let norm = norm.clone().with_variance(variance).with_epsilon(epsilon).unwrap();
            assert!(norm.value(&[rim, -rim]).abs() < 1e-6 && norm.value(&[0.0, 0.0]) <= 0.0);
            infinite(norm.clone().into(), &[rim * 1.000_001, -rim * 1.000_001]);
            infinite(norm.into(), &[0.1, -0.1 + 1e-5]);
        }
    }
    // Ψ(δ) = -√(c ε) R = -c η √ε.
    let soft = norm.with_epsilon(0.25).unwrap().with_delta(vec![1e6, 0.0]).unwrap();
    assert!((soft.value(&[1e6, 0.0f64]) + 2.0).abs() < 1e-14);
    assert!((soft.value(&[1e6, 0.0f32]) + 2.0).abs() < 1e-6);
}
