//! Every derivative against finite differences, in double precision, away from kinks.

use hfy::{Bounded, Convex, Entmax, Map, Real, Scaled, Separation};

use crate::common::describe::{bounded, cap, entmax, every_map, label, marginals, mass, normmax, power, subsets};
use crate::common::differences::{agree, central, forward, gradient};
use crate::common::random::Random;
use crate::common::{dot, pulled, reference, solved, wide};

const STEP: f64 = 1e-5;
/// Rounding of about 1e-16 over the step, times what a derivative of order ten to a hundred makes of it.
const TOLERANCE: f64 = 2e-9;
const N: usize = 6;

fn smooth_maps() -> Vec<Map> {
    let mut maps: Vec<Map> = [1.0, 1.0 + 1e-9, 1.001, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0].map(entmax).to_vec();
    maps.extend([1.1, 1.5, 2.0, 3.0, 5.0, 50.0].map(normmax));
    maps.extend([0.7, 1.0, 2.0, 2.5].map(subsets));
    maps.push(bounded(vec![0.3, 0.5, f64::INFINITY, 0.2, 0.4, 0.9]));
    maps.push(bounded(vec![0.25; N]));
    maps.extend([1.5, 2.0, 3.0, 4.5].map(power));
    maps.extend(["quadratic", "exponential"].map(|name| name.parse().expect("the name is known")));
    maps
}

/// Rows whose solutions stay on one smooth piece while every score moves by a hundred steps: no weight or bound is near
/// its edge, in weights or in scores.
fn smooth_rows(map: &Map, random: &mut Random) -> Vec<Vec<f64>> {
    let clear = |theta: &[f64]| {
        let y = reference::solve(map, theta);
        if mass(map).is_none() {
            return theta.iter().all(|x| x.abs() > 0.05);
        }
        let slope = marginals(map, &y);
        let free: Vec<usize> = (0..N).filter(|&i| y[i] > 0.0 && y[i] < cap(map, i)).collect();
        let Some(&first) = free.first() else { return false };
        let level = theta[first] - slope[first];
        (0..N).all(|i| {
            if free.contains(&i) {
                // The distance from the threshold, as scores are scaled in it.
                let above = match map {
                    Map::Entmax(map) => y[i].powf(map.alpha() - 1.0),
                    _ => slope[i],
                };
                y[i] > 0.02 && above > 0.02 && cap(map, i) - y[i] > 0.02
            } else {
                (theta[i] - slope[i] - level).abs() > 0.02
            }
        })
    };
    let rows: Vec<Vec<f64>> = (0..20_000).map(|_| random.normals(N, 0.7)).filter(|row| clear(row)).take(6).collect();
    assert_eq!(rows.len(), 6, "{}: too few rows without a kink", label(map));
    rows
}

/// Runs `check` on maps and rows, with random directions.
fn each_row(check: impl Fn(&Map, &[f64], &mut Random)) {
    let mut random = Random::new(42);
    for map in smooth_maps() {
        for theta in smooth_rows(&map, &mut random) {
            check(&map, &theta, &mut random);
        }
    }
}

#[test]
fn the_map_is_the_gradient_of_the_conjugate() {
    each_row(|map, theta, _| {
        let difference = gradient(|theta| map.conjugate(theta).expect("sound"), theta, 1e-4);
        agree(&label(map), &solved(map, theta), &difference, TOLERANCE);
    });
}

#[test]
fn vector_jacobian_products() {
    each_row(|map, theta, random| {
        let g: Vec<f64> = random.normals(N, 1.0);
        let difference = gradient(|theta| dot(&g, &solved(map, theta)), theta, STEP);
        agree(&format!("vjp of {}", label(map)), &pulled(map, theta, &g), &difference, TOLERANCE);
        let mut back = g.clone();
        map.pullback(&solved(map, theta), &mut back).expect("sound");
        agree(&format!("pullback of {}", label(map)), &back, &difference, TOLERANCE);
    });
}

#[test]
fn jacobians_are_symmetric_and_positive() {
    each_row(|map, theta, random| {
        let (u, w): (Vec<f64>, Vec<f64>) = (random.normals(N, 1.0), random.normals(N, 1.0));
        let [left, right] = [dot(&u, &pulled(map, theta, &w)), dot(&w, &pulled(map, theta, &u))];
        assert!((left - right).abs() <= 1e-12 * (1.0 + left.abs()), "{}: {left} and {right}", label(map));
        let along = dot(&u, &pulled(map, theta, &u));
        assert!(along >= -1e-13 * (1.0 + along.abs()), "{}: the conjugate bends down by {along}", label(map));
    });
}

#[test]
fn second_derivatives() {
    each_row(|map, theta, random| {
        let (u, w): (Vec<f64>, Vec<f64>) = (random.normals(N, 1.0), random.normals(N, 1.0));
        let difference = gradient(|theta| dot(&u, &pulled(map, theta, &w)), theta, STEP);
        let mut second = vec![f64::NAN; N];
        map.second_vjp(theta, &solved(map, theta), &u, &w, &mut second).expect("sound");
        // Third derivatives of the conjugate reach 1e4 here, and the fifth, which the truncation sees, far more.
        agree(&format!("second derivative of {}", label(map)), &second, &difference, 1e-7);
    });
}

#[test]
fn derivatives_in_the_maps_own_parameter() {
    let rebuilt = |map: &Map, by: f64| match map {
        Map::Entmax(map) => Some(entmax(map.alpha() + by)),
        Map::Normmax(map) => Some(normmax(map.gamma() + by)),
        Map::Subsets(map) => Some(subsets(map.k() + by)),
        Map::Power(map) => Some(power(map.r() + by)),
        _ => None,
    };
    each_row(|map, theta, random| {
        let g: Vec<f64> = random.normals(N, 1.0);
        let got = map.parameter_vjp(&solved(map, theta), &g).expect("sound");
        if rebuilt(map, 0.0).is_none() {
            assert_eq!(got, None, "{} has no parameter", label(map));
            return;
        }
        let along = |by: f64| dot(&g, &solved(&rebuilt(map, by).expect("it has a parameter"), theta));
        let from_the_right = matches!(map, Map::Entmax(map) if map.alpha() < 1.0 + 1e-6);
        let difference = if from_the_right { forward(along, 1e-3) } else { central(along, STEP) };
        agree(&format!("d/d parameter of {}", label(map)), &[got.expect("it has a parameter")], &[difference], 1e-8);
    });
}

#[test]
fn derivatives_in_the_bounds() {
    let mut random = Random::new(9);
    let mut full = 0;
    for upper in [vec![0.3, 0.5, 2.0, 0.2, 0.4, 0.9], vec![0.25; N], vec![0.18; N]] {
        let map = bounded(upper.clone());
        for theta in smooth_rows(&map, &mut random) {
            let (y, g) = (solved(&map, &theta), random.normals::<f64>(N, 1.0));
            full += (0..N).filter(|&i| y[i] == upper[i]).count();
            let along = |upper: &[f64]| dot(&g, &solved(&Bounded::new(upper).expect("valid"), &theta));
            let mut got = vec![f64::NAN; N];
            Bounded::new(upper.as_slice()).expect("valid").upper_vjp(&theta, &y, &g, &mut got).expect("sound");
            agree("gradient in the bounds", &got, &gradient(along, &upper, STEP), TOLERANCE);
        }
    }
    assert!(full > 10, "the rows must press against their bounds");
}

#[test]
fn derivatives_in_the_temperature() {
    each_row(|map, theta, random| {
        let beta = 1.3;
        // The row is smooth at temperature one: undo the temperature first.
        let theta: Vec<f64> = theta.iter().map(|x| x / beta).collect();
        let warm = |beta: f64| Scaled::with_beta(map.clone(), beta).expect("beta is positive");
        let g: Vec<f64> = random.normals(N, 1.0);
        let v = pulled(&warm(beta), &theta, &g);
        agree("vjp", &v, &gradient(|theta| dot(&g, &solved(&warm(beta), theta)), &theta, STEP), TOLERANCE);
        let difference = central(|by| dot(&g, &solved(&warm(beta + by), &theta)), STEP);
        agree(&format!("d/d beta of {}", label(map)), &[warm(beta).d_beta(&theta, &v)], &[difference], TOLERANCE);
    });
}

#[test]
fn losses() {
    each_row(|map, theta, random| {
        let other: Vec<f64> = random.normals(N, 1.0);
        let target = reference::solve(map, &other);
        let mut got = theta.to_vec();
        map.loss_gradient(&mut got, &target).expect("sound");
        let difference = gradient(|theta| map.loss(theta, &target).expect("sound"), theta, 1e-4);
        agree(&format!("gradient of the loss of {}", label(map)), &got, &difference, TOLERANCE);
    });
}

/// Off its support a map is constant, and where it is one-hot (k-hot) so is all of it: exact zeros, no rounding.
#[test]
fn flat_pieces_have_exactly_zero_derivatives() {
    let theta = [0.0, 9.0, -3.0, 1.0];
    for name in [
        "sparsemax",
        "entmax:1.5",
        "entmax:1.3",
        "entmax:3",
        "normmax:2",
        "normmax:5",
        "subsets:1",
        "argmax",
        "normmax:inf",
    ] {
        let map: Map = name.parse().expect("the name is known");
        assert_eq!(solved(&map, &theta), [0.0, 1.0, 0.0, 0.0], "{name}");
        assert_eq!(pulled(&map, &theta, &[1.0, -2.0, 3.0, 0.5]), [0.0; 4], "{name}");
        let mut second = [f64::NAN; 4];
        map.second_vjp(&theta, &[0.0, 1.0, 0.0, 0.0], &[1.0; 4], &[2.0, 1.0, 0.0, 1.0], &mut second).expect("sound");
        assert_eq!(second, [0.0; 4], "{name}");
    }
}

#[test]
fn a_gradient_that_is_kept_is_pulled_back_alike() {
    for n in [1, 5, 100, 3000] {
        let mut random = Random::new(n as u64);
        for scale in [0.1, 1.0, 8.0] {
            let theta: Vec<f64> = random.normals(n, scale);
            let upstream: Vec<f64> = random.normals(n, 1.0);
            for map in every_map(n) {
                let y = solved(&map, &theta);
                let (mut over, mut out) = (upstream.clone(), vec![f64::NAN; n]);
                map.pullback(&y, &mut over).expect("gradients are finite");
                map.pullback_into(&y, &upstream, &mut out).expect("gradients are finite");
                assert_eq!(over, out, "{}, n = {n}", label(&map));
            }
        }
    }
    let short = Entmax::SPARSEMAX.pullback_into(&[1.0, 0.0], &[1.0, 2.0], &mut [0.0]);
    assert!(short.is_err(), "an output that is too short");
}

/// `Jᵀ g` from the weights, entry by entry in double precision, and how large its terms are before they cancel. What
/// `g` is where there is no weight does not matter.
fn pulled_by_formula(map: &Map, y: &[f64], g: &[f64]) -> (Vec<f64>, f64) {
    let support: Vec<usize> = (0..y.len()).filter(|&i| y[i] > 0.0).collect();
    let along = |slope: &dyn Fn(usize) -> f64| support.iter().map(|&i| slope(i) * g[i]).sum::<f64>();
    let gamma = if let Map::Normmax(map) = map { Some(map.gamma()) } else { None };
    let norm = gamma.map(|gamma| support.iter().map(|&i| y[i].powf(gamma)).sum::<f64>().powf(1.0 / gamma));
    let slope = |i: usize| match (map, gamma, norm) {
        (_, Some(gamma), Some(norm)) => norm.powf(gamma - 1.0) / (gamma - 1.0) * y[i].powf(2.0 - gamma),
        (Map::Entmax(map), ..) => y[i].powf(2.0 - map.alpha()),
        _ => f64::from(y[i] < 1.0),
    };
    let total: f64 = support.iter().map(|&i| slope(i)).sum();
    let mean = if gamma.is_some() { along(&|i| y[i]) } else { along(&slope) / total };
    let rest = if gamma.is_some() { along(&slope) - mean * total } else { 0.0 };
    let mut result = vec![0.0; y.len()];
    support.iter().for_each(|&i| result[i] = slope(i) * (g[i] - mean) - y[i] * rest);
    (result, support.iter().map(|&i| slope(i) * (g[i].abs() + mean.abs()) + y[i] * rest.abs()).fold(0.0, f64::max))
}

fn check_long_rows<T: Real>(tolerance: f64) {
    let maps = [entmax(1.03), entmax(1.3), entmax(1.5), entmax(1.8), entmax(2.0), subsets(7.0), subsets(300.0)];
    let maps: Vec<Map> = maps.into_iter().chain([1.5, 2.0, 5.0].map(normmax)).collect();
    // Rows that are read whole, and some where only blocks with weight are, of which there are few or many.
    for n in [1001, 6000, 20_000, 40_003] {
        for scale in [0.05, 1.0, 8.0] {
            let mut random = Random::new(n as u64);
            let theta: Vec<T> = random.normals(n, scale);
            for map in &maps {
                let y = solved(map, &theta);
                let mut g: Vec<T> = random.normals(n, 1.0);
                g.iter_mut().zip(&y).filter(|(_, y)| **y == T::zero()).for_each(|(g, _)| *g = T::nan());
                let mut got = vec![T::nan(); n];
                map.pullback_into(&y, &g, &mut got).expect("gradients with weight are finite");
                let (expected, terms) = pulled_by_formula(map, &wide(&y), &wide(&g));
                for (i, (got, expected)) in wide(&got).iter().zip(&expected).enumerate() {
                    let off = (got - expected).abs();
                    assert!(off <= tolerance * terms, "{}, n = {n}, x{scale}: {i} {got} {expected}", label(map));
                }
                map.pullback(&y, &mut g).expect("gradients with weight are finite");
                assert_eq!(wide(&g), wide(&got), "{}, n = {n}, x{scale}, in place", label(map));
            }
        }
    }
}

#[test]
fn long_rows_are_pulled_back_wherever_their_weight_lies() {
    check_long_rows::<f64>(1e-13);
    check_long_rows::<f32>(3e-6);
}
