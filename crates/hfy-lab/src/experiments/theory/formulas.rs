//! Formulas outside of propositions: conjugates, entropies, a temperature, the brackets of normmax.

use hfy::{Convex, Map, Normmax};

use super::problem::{around, between, dot, normals, one_of, shown};
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

const ROUNDING: f64 = 1e-12;
const MAPS: [&str; 5] = ["softmax", "entmax:1.5", "sparsemax", "normmax:5", "power:3"];

/// `(aΩ)*(θ)`, attained at `ŷ(θ/a)`, beside `a Ω*` at an argument that is made of θ and that point.
fn scaling(random: &mut Random, tally: &mut Tally, argument: impl Fn(&[f64], &[f64], f64) -> Vec<f64>) -> Result<()> {
    let name = *one_of(random, &MAPS);
    let map: Map = name.parse()?;
    let count = between(random, 2, 10);
    let (theta, a) = (normals(random, count, 1.0), around(random, 1.0, 0.7));
    let mut y: Vec<f64> = theta.iter().map(|t| t / a).collect();
    map.argmax(&mut y)?;
    let exact = dot(&theta, &y) - a * map.value(&y);
    let formula = a * map.conjugate(&argument(&theta, &y, a))?;
    let told = || format!("{name}, a = {a:.3}, θ = {}: {formula:.4} for {exact:.4}", shown(&theta));
    tally.take(ROUNDING, -(formula - exact).abs() / (1.0 + exact.abs() + formula.abs()), told);
    Ok(())
}

/// `a Ω*(y/a)`, at the prediction y.
pub(super) fn scaling_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    scaling(random, tally, |_, y, a| y.iter().map(|y| y / a).collect())
}

/// `a Ω*(θ/a)`.
pub(super) fn scaling_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    scaling(random, tally, |theta, _, a| theta.iter().map(|t| t / a).collect())
}

/// `y log y ± (1-y) log(1-y)`, negated.
fn binary_entropy(y: f64, sign: f64) -> f64 {
    -(y * y.ln() + sign * (1.0 - y) * (1.0 - y).ln())
}

/// What central differences of step 1e-6 may be off by.
const DIFFERENCES: f64 = 1e-6;

/// The gradient of `Ψ(q) = -H_b((1+q)/2)/β` is `artanh(q)/β`, by central differences, so that its map is `tanh(βz)`.
fn tanh(random: &mut Random, tally: &mut Tally, sign: f64) {
    const STEP: f64 = 1e-6;
    let (q, beta) = (1.9 * random.uniform() - 0.95, around(random, 1.0, 0.7));
    let psi = |q: f64| -binary_entropy((1.0 + q) / 2.0, sign) / beta;
    let (slope, needed) = ((psi(q + STEP) - psi(q - STEP)) / (2.0 * STEP), q.atanh() / beta);
    let told = || format!("q = {q:.3}, β = {beta:.3}: {slope:.4} for {needed:.4}");
    tally.take(DIFFERENCES, -(slope - needed).abs() / (1.0 + needed.abs() + slope.abs()), told);
}

/// With a minus between the two terms of the entropy.
pub(super) fn tanh_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    tanh(random, tally, -1.0);
    Ok(())
}

/// With a plus.
pub(super) fn tanh_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    tanh(random, tally, 1.0);
    Ok(())
}

/// `Ψ = sign H_b/β` is convex, with the entropy as it should be.
fn entropy_convex(random: &mut Random, tally: &mut Tally, sign: f64) {
    let psi = |q: f64| sign * binary_entropy((1.0 + q) / 2.0, 1.0);
    let (a, b) = (1.9 * random.uniform() - 0.95, 1.9 * random.uniform() - 0.95);
    let slack = (psi(a) + psi(b)) / 2.0 - psi((a + b) / 2.0);
    tally.take(ROUNDING, slack, || format!("between q = {a:.3} and {b:.3}"));
}

/// `Ψ = H_b/β`.
pub(super) fn entropy_convex_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    entropy_convex(random, tally, 1.0);
    Ok(())
}

/// `Ψ = -H_b/β`.
pub(super) fn entropy_convex_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    entropy_convex(random, tally, -1.0);
    Ok(())
}

/// That one function is the conjugate of another, entry by entry: `θ y - Ω(y) ≤ Ω*(θ)`, with equality at the
/// prediction.
fn conjugates(
    tally: &mut Tally,
    (theta, y, prediction): (f64, f64, f64),
    omega: impl Fn(f64) -> f64,
    conjugate: impl Fn(f64) -> f64,
) {
    let size = |y: f64| 1.0 + conjugate(theta).abs() + (theta * y).abs() + omega(y).abs();
    let left = |y: f64| (conjugate(theta) - (theta * y - omega(y))) / size(y);
    let told = || {
        format!(
            "θ = {theta:.3}: {:.4} at the prediction for {:.4}",
            theta * prediction - omega(prediction),
            conjugate(theta)
        )
    };
    tally.take(ROUNDING, left(y), told);
    tally.take(ROUNDING, -left(prediction).abs(), told);
}

/// `Ω = sign |y|^s/s` has the conjugate `|θ|^r/r` for `1/r + 1/s = 1`.
fn polynomial(random: &mut Random, tally: &mut Tally, sign: f64) {
    let r = *one_of(random, &[2.0, 3.0, 5.0, 10.0]);
    let s = r / (r - 1.0);
    let (theta, y): (f64, f64) = (random.normal(), 2.0 * random.normal());
    let prediction = theta.signum() * theta.abs().powf(r - 1.0);
    conjugates(tally, (theta, y, prediction), |y| sign * y.abs().powf(s) / s, |theta| theta.abs().powf(r) / r);
}

/// With the minus of the text.
pub(super) fn polynomial_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    polynomial(random, tally, -1.0);
    Ok(())
}

/// With the plus of Table 2.
pub(super) fn polynomial_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    polynomial(random, tally, 1.0);
    Ok(())
}

/// `Ω = y log y - y`, or a function of it, has the conjugate `exp θ`.
fn exponential(random: &mut Random, tally: &mut Tally, part: impl Fn(f64) -> f64) {
    let (theta, y): (f64, f64) = (1.5 * random.normal(), random.normal().exp());
    conjugates(tally, (theta, y, theta.exp()), |y| part(y * y.ln() - y), f64::exp);
}

/// Its positive part.
pub(super) fn exponential_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    exponential(random, tally, |value| value.max(0.0));
    Ok(())
}

/// All of it.
pub(super) fn exponential_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    exponential(random, tally, |value| value);
    Ok(())
}

/// The conjugate of Ω at a temperature is `Ω*(βθ)/β`, which the energy uses.
fn temperature(
    random: &mut Random,
    tally: &mut Tally,
    conjugate: impl Fn(&Map, &[f64], f64) -> Result<f64>,
) -> Result<()> {
    let name = *one_of(random, &MAPS);
    let map: Map = name.parse()?;
    let count = between(random, 2, 10);
    let (theta, beta) = (normals(random, count, 1.0), around(random, 1.0, 0.7));
    let needed = map.conjugate(&theta.iter().map(|t| beta * t).collect::<Vec<_>>())? / beta;
    let found = conjugate(&map, &theta, beta)?;
    let told = || format!("{name}, β = {beta:.3}, θ = {}: {found:.4} for {needed:.4}", shown(&theta));
    tally.take(ROUNDING, -(found - needed).abs() / (1.0 + needed.abs() + found.abs()), told);
    Ok(())
}

/// `Ω~(y) = Ω(βy)`, whose conjugate is `Ω*(θ/β)`.
pub(super) fn temperature_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    temperature(random, tally, |map, theta, beta| {
        Ok(map.conjugate(&theta.iter().map(|t| t / beta).collect::<Vec<_>>())?)
    })
}

/// `Ω~ = Ω/β`: its conjugate as the largest `θ·y - Ω(y)/β`, which is at `ŷ(βθ)`.
pub(super) fn temperature_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    temperature(random, tally, |map, theta, beta| {
        let mut y: Vec<f64> = theta.iter().map(|t| beta * t).collect();
        map.argmax(&mut y)?;
        Ok(dot(theta, &y) - map.value(&y) / beta)
    })
}

/// The level of normmax, `μ = θ_max - (y_max/‖y‖_γ)^(γ-1)`, lies between `θ_max - 1` and `θ_max` less something.
fn bracket(random: &mut Random, tally: &mut Tally, below: impl Fn(f64, f64) -> f64) -> Result<()> {
    let gamma = *one_of(random, &[1.5, 2.0, 5.0, 10.0]);
    let count = between(random, 1, 40);
    // Equal scores, where the level is highest, among others.
    let size = *one_of(random, &[0.0, 0.1, 1.0]);
    let theta = normals(random, count, size);
    let mut y = theta.clone();
    Normmax::new(gamma)?.argmax(&mut y)?;
    let length = y.iter().map(|y| y.powf(gamma)).sum::<f64>().powf(1.0 / gamma);
    let level = -(y.iter().copied().fold(0.0, f64::max) / length).powf(gamma - 1.0);
    let told = || format!("γ = {gamma}, {count} scores: the level is {level:.4} above the best");
    tally.take(ROUNDING, level + 1.0, told);
    tally.take(ROUNDING, -below(count as f64, gamma) - level, told);
    Ok(())
}

/// `N^(1-γ)`.
pub(super) fn bracket_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    bracket(random, tally, |count, gamma| count.powf(1.0 - gamma))
}

/// `N^((1-γ)/γ)`, which equal scores attain.
pub(super) fn bracket_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    bracket(random, tally, |count, gamma| count.powf((1.0 - gamma) / gamma))
}
