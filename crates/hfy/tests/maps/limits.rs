//! Where one map becomes another.

use hfy::{Convex, Entmax, Real, Scaled, Separation};

use crate::common::describe::{bounded, distance, entmax, normmax, subsets};
use crate::common::random::Random;
use crate::common::{solved, wide};

fn apart<T: Real>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (a - b).wide().abs()).fold(0.0, f64::max)
}

fn test_rows<T: Real>(seed: u64) -> Vec<Vec<T>> {
    let mut random = Random::new(seed);
    [1, 2, 9, 33, 200, 1000]
        .into_iter()
        .flat_map(|n| [0.1, 1.0, 5.0].map(|s| (n, s)))
        .map(|(n, s)| random.normals(n, s))
        .collect()
}

fn entmax_runs_into_softmax<T: Real>() {
    for theta in test_rows::<T>(1) {
        let soft = solved(&Entmax::SOFTMAX, &theta);
        for excess in [f64::EPSILON, 1e-15, 1e-14, 1e-12, -f64::EPSILON, -1e-15, -1e-12] {
            let gap = apart(&solved(&entmax(1.0 + excess), &theta), &soft);
            // The distance itself is (α-1)/2 times a log squared; the rest is rounding.
            let allowed = 8.0 * excess.abs() + 32.0 * T::epsilon().wide();
            assert!(gap <= allowed, "alpha - 1 = {excess:e}, n = {}: {gap:e} from softmax", theta.len());
        }
    }
}

/// Doubling α - 1 from 1e-16 on never moves the weights by more than the derivative in α allows.
fn entmax_has_no_jump_in_alpha<T: Real>() {
    for theta in test_rows::<T>(2) {
        for sign in [1.0, -1.0] {
            let mut before = solved(&Entmax::SOFTMAX, &theta);
            let (mut excess, mut last) = (2e-16, 0.0);
            while excess < 1.0 {
                let alpha = 1.0 + sign * excess;
                let y = solved(&entmax(alpha), &theta);
                // ∂y/∂α is at most y L²/2 and its mean, L = log y: the first below 3, both below 30 for rows like
                // these.
                let allowed = 30.0 * ((alpha - 1.0).abs() - last) + 32.0 * T::epsilon().wide();
                let gap = apart(&y, &before);
                assert!(gap <= allowed, "alpha = {alpha}, n = {}: a jump of {gap:e}", theta.len());
                (before, last) = (y, (alpha - 1.0).abs());
                excess *= 1.5;
            }
        }
    }
}

/// Values and conjugates go over too, which the division by α - 1 would spoil.
fn entmax_functions_run_into_those_of_softmax<T: Real>() {
    for theta in test_rows::<T>(3) {
        let y = solved(&Entmax::SOFTMAX, &theta);
        let conjugate = Entmax::SOFTMAX.conjugate(&theta).expect("the row is sound");
        for excess in [f64::EPSILON, 1e-14, 1e-12, -f64::EPSILON, -1e-12] {
            let near = entmax(1.0 + excess);
            let size = 1.0 + conjugate.wide().abs();
            let allowed = 100.0 * excess.abs() + 64.0 * T::epsilon().wide() * size;
            assert!((near.value(&y) - Entmax::SOFTMAX.value(&y)).wide().abs() <= allowed, "value at {excess:e}");
            let other = near.conjugate(&theta).expect("the row is sound");
            assert!((other - conjugate).wide().abs() <= allowed, "conjugate at {excess:e}: {other:e}, {conjugate:e}");
        }
    }
}

fn large_alpha_is_argmax_with_ties_shared<T: Real>() {
    let theta: Vec<T> = [0.0, 3.0, 1.0, 3.0, 2.999, -5.0].map(T::of).to_vec();
    let half = T::of(0.5);
    let expected = [T::zero(), half, T::zero(), half, T::zero(), T::zero()];
    for alpha in [1e4, 1e8, 1e20, 1e38, 1e300, f64::MAX, f64::INFINITY] {
        assert_eq!(solved(&entmax(alpha), &theta), expected, "alpha = {alpha:e}");
    }
}

fn gamma_runs_into_its_ends<T: Real>() {
    for theta in test_rows::<T>(4) {
        // At γ → ∞ the weights on the support are t^(1/(γ-1)) for scores t above the threshold. One that is as small as
        // rounding leaves it decides whether it belongs to the support at all, so only rows without such are compared.
        let infinite = solved(&normmax(f64::INFINITY), &theta);
        let large = solved(&normmax(1e9), &theta);
        if infinite.iter().zip(&large).all(|(&a, &b)| (a > T::zero()) == (b > T::zero())) {
            let gap = apart(&infinite, &large);
            assert!(gap <= 1e-7 + 8.0 * T::epsilon().wide(), "n = {}: {gap:e}", theta.len());
        } else {
            assert!(theta.len() > 1, "a single entry is its own support");
        }
        let one = solved(&normmax(1.0 + 1e-12), &theta);
        let best = solved(&Entmax::ARGMAX, &theta);
        // Leads below 1e-10 are seen at that temperature; random rows have none.
        assert!(apart(&one, &best) <= 8.0 * T::epsilon().wide(), "n = {}", theta.len());
    }
}

/// Large γ whose powers leave the type: the norm is the greatest weight times the root of how many there are of it,
/// next to one, and the weights hardly move.
fn large_gammas_have_values_losses_and_derivatives<T: Real>() {
    let [zero, one, half] = [0.0, 1.0, 0.5].map(T::of);
    for gamma in [1e4, 1e6, 6e7, 1e8, 2.64e9, 1e12, 1e17, 1e20, 1e38, 3e38, 1e40, 1e300, 1e308, f64::MAX, f64::INFINITY]
    {
        let map = normmax(gamma);
        let near = |got: T, want: f64, what: &str| {
            let allowed = 4.0 / gamma + 8.0 * T::epsilon().wide();
            assert!((got.wide() - want).abs() <= allowed, "{what} of {map}: {got}");
        };
        near(map.value(&[one, zero]), 0.0, "value");
        near(map.value(&[zero, one, zero, zero]), 0.0, "value");
        near(map.value(&[half, half, zero]), -0.5, "value");
        near(map.loss(&[zero, zero], &[one, zero]).expect("sound"), 0.5, "loss");
        near(map.loss(&[zero, zero, T::of(-9.0)], &[one, zero, zero]).expect("sound"), 0.5, "loss");
        let mut g = [one, zero, zero, zero];
        map.pullback(&[half, half, zero, zero], &mut g).expect("sound");
        g.iter().for_each(|&g| near(g, 0.0, "derivative"));
        let change = map.parameter_vjp(&[half, half, zero], &[one, zero, zero]).expect("sound");
        near(change.expect("a map with a parameter"), 0.0, "derivative in gamma");
    }
}

/// A weight below the normal numbers has the slope that its formula says, not that of a quotient that is too large.
fn weights_below_the_normal_numbers_have_slopes<T: Real>() {
    let tiny = T::min_positive_value() / T::of(64.0);
    for gamma in [1.5, 1.9, 2.0] {
        let mut g = [T::zero(), T::one()];
        normmax(gamma).pullback(&[T::one(), tiny], &mut g).expect("sound");
        let slope = tiny.wide().powf(2.0 - gamma) / (gamma - 1.0);
        assert!((g[1].wide() - slope).abs() <= 1e-4 * slope, "gamma = {gamma}: {} and {slope:e}", g[1]);
    }
    let unsound = normmax(3.0).pullback(&[T::one(), T::nan()], &mut [T::zero(), T::one()]);
    assert!(unsound.is_err(), "a weight that is no number");
}

/// The exact relation: with α = 2 - 1/γ and p = α-entmax(θ/(α-1)), normmax is p^(1/γ), normalised.
fn normmax_is_a_power_of_entmax<T: Real>() {
    for gamma in [1.25, 1.5, 2.0, 3.0, 8.0] {
        for theta in test_rows::<T>(5) {
            let alpha = 2.0 - 1.0 / gamma;
            let inner = Scaled::with_beta(entmax(alpha), 1.0 / (alpha - 1.0)).expect("beta is positive");
            let roots: Vec<f64> = wide(&solved(&inner, &theta)).iter().map(|p| p.powf(1.0 / gamma)).collect();
            let total: f64 = roots.iter().sum();
            let expected: Vec<f64> = roots.iter().map(|r| r / total).collect();
            let map = normmax(gamma);
            let gap = distance(&map, &wide(&solved(&map, &theta)), &expected);
            assert!(gap <= 32.0 * T::epsilon().wide(), "gamma = {gamma}, n = {}: {gap:e}", theta.len());
        }
    }
}

fn subsets_of_one_and_loose_bounds_are_sparsemax<T: Real>() {
    for theta in test_rows::<T>(6) {
        let sparse = solved(&Entmax::SPARSEMAX, &theta);
        let n = theta.len();
        for map in [subsets(1.0), bounded(vec![f64::INFINITY; n]), bounded(vec![1.0; n])] {
            let gap = apart(&solved(&map, &theta), &sparse);
            assert!(gap <= 4.0 * T::epsilon().wide(), "n = {n}: {gap:e} from sparsemax");
        }
    }
}

fn subsets_of_none_and_of_all<T: Real>() {
    for theta in test_rows::<T>(7) {
        let n = theta.len();
        assert_eq!(solved(&subsets(0.0), &theta), vec![T::zero(); n]);
        assert_eq!(solved(&subsets(n as f64), &theta), vec![T::one(); n]);
    }
}

crate::in_both_types!(
    entmax_runs_into_softmax,
    entmax_has_no_jump_in_alpha,
    entmax_functions_run_into_those_of_softmax,
    large_alpha_is_argmax_with_ties_shared,
    gamma_runs_into_its_ends,
    large_gammas_have_values_losses_and_derivatives,
    weights_below_the_normal_numbers_have_slopes,
    normmax_is_a_power_of_entmax,
    subsets_of_one_and_loose_bounds_are_sparsemax,
    subsets_of_none_and_of_all,
);
