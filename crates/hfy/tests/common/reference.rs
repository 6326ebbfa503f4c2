//! Plain solvers: bisection on the threshold in double precision, over the whole row.

use hfy::Map;

use super::describe::cap;
use super::total;

const ROUNDS: usize = 200;

/// The point where a falling function meets zero.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..ROUNDS {
        let middle = low + (high - low) / 2.0;
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// The weights of a row; zeros where every entry is masked.
pub(crate) fn solve(map: &Map, theta: &[f64]) -> Vec<f64> {
    let max = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        return vec![0.0; theta.len()];
    }
    let shifted = |scale: f64| -> Vec<f64> { theta.iter().map(|x| (x - max) * scale).collect() };
    match map {
        Map::Entmax(map) if map.alpha() == 1.0 => normalised(shifted(1.0).into_iter().map(f64::exp).collect()),
        Map::Entmax(map) if map.alpha().is_infinite() => {
            normalised(theta.iter().map(|&x| if x == max { 1.0 } else { 0.0 }).collect())
        }
        Map::Entmax(map) => {
            let delta = map.alpha() - 1.0;
            if delta < 0.0 {
                return heavy(&shifted(delta), 1.0 / delta);
            }
            if delta <= 1.0 { powers(&shifted(delta), 1.0 / delta) } else { roots(&shifted(delta), delta) }
        }
        Map::Normmax(map) if map.gamma().is_infinite() => {
            normalised(capped(theta, |_| 1.0, 1.0).iter().map(|&y| if y > 0.0 { 1.0 } else { 0.0 }).collect())
        }
        Map::Normmax(map) => {
            let less = map.gamma() - 1.0;
            normalised(
                powers(&shifted(1.0), map.gamma() / less).into_iter().map(|y| y.powf(1.0 / map.gamma())).collect(),
            )
        }
        Map::Subsets(subsets) => capped(theta, |i| cap(map, i), subsets.k()),
        Map::Bounded(_) => capped(theta, |i| cap(map, i), 1.0),
        Map::Power(map) => signed(theta, |x| x.signum() * x.abs().powf(map.r() - 1.0)),
        Map::Exponential(_) => signed(theta, f64::exp),
        _ => signed(theta, |x| x),
    }
}

fn normalised(weights: Vec<f64>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / total).collect()
}

/// Entry by entry; masked entries weigh nothing.
fn signed(theta: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    theta.iter().map(|&x| if x == f64::NEG_INFINITY || x == 0.0 && f(x) == 0.0 { 0.0 } else { f(x) }).collect()
}

/// `(1 + z_i - ω)₊^p` summing to one, for `p ≥ 1` and `z ≤ 0`.
fn powers(z: &[f64], p: f64) -> Vec<f64> {
    let weight = |z: f64, omega: f64| if 1.0 + (z - omega) > 0.0 { (p * (z - omega).ln_1p()).exp() } else { 0.0 };
    let omega = bisect(0.0, 1.0, |omega| total(z.iter().map(|&z| weight(z, omega))) - 1.0);
    z.iter().map(|&z| weight(z, omega)).collect()
}

/// `(1 + z_i + u)^p` summing to one, for `p < 0` and `z ≥ 0`.
fn heavy(z: &[f64], p: f64) -> Vec<f64> {
    let weight = |z: f64, u: f64| (p * (z + u).ln_1p()).exp();
    let most = (-(z.len() as f64).ln() / p).exp_m1();
    let u = bisect(0.0, most, |u| total(z.iter().map(|&z| weight(z, u))) - 1.0);
    z.iter().map(|&z| weight(z, u)).collect()
}

/// `(z_i - τ)₊^(1/δ)` summing to one, for `δ > 1`. Next to the threshold the weights are roots of nothing but
/// rounding, so the unknown is the smallest weight of the support, which sorting gives.
fn roots(z: &[f64], delta: f64) -> Vec<f64> {
    let held = |at: f64| z.iter().map(|z| (z - at).max(0.0).powf(1.0 / delta)).sum::<f64>();
    let lowest = z.iter().copied().filter(|&x| x > f64::NEG_INFINITY && held(x) < 1.0).fold(0.0, f64::min);
    let weight = |z: f64, least: f64| {
        let d = z - lowest;
        if d < 0.0 {
            0.0
        } else if d == 0.0 {
            least
        } else {
            (d + least.powf(delta)).powf(1.0 / delta)
        }
    };
    let least = bisect(0.0, 1.0, |least| 1.0 - total(z.iter().map(|&z| weight(z, least))));
    let least = 1.0_f64.min(least);
    z.iter().map(|&z| weight(z, least)).collect()
}

/// `clip(x_i - τ, 0, u_i)` summing to the mass. The second search runs on differences to the score next to the level,
/// which do not carry the rounding of large scores.
pub(crate) fn capped(theta: &[f64], upper: impl Fn(usize) -> f64, mass: f64) -> Vec<f64> {
    let visible: Vec<(usize, f64)> = theta.iter().copied().enumerate().filter(|(_, x)| x.is_finite()).collect();
    let held = |anchor: f64, tau: f64| -> f64 {
        total(std::iter::once(-mass).chain(visible.iter().map(|&(i, x)| ((x - anchor) - tau).clamp(0.0, upper(i)))))
    };
    let low = visible.iter().map(|(_, x)| *x).fold(f64::INFINITY, f64::min) - mass - 1.0;
    let high = visible.iter().map(|(_, x)| *x).fold(f64::NEG_INFINITY, f64::max);
    let level = bisect(low, high, |tau| held(0.0, tau));
    let near = |a: &f64, b: &f64| (a - level).abs().total_cmp(&(b - level).abs());
    let anchor = visible.iter().map(|(_, x)| *x).min_by(near).expect("some entry is visible");
    let reach = 2.0 * (level - anchor).abs() + mass + 2.0;
    let tau = bisect(-reach, reach, |tau| held(anchor, tau));
    (0..theta.len())
        .map(|i| if theta[i].is_finite() { ((theta[i] - anchor) - tau).clamp(0.0, upper(i)) } else { 0.0 })
        .collect()
}
