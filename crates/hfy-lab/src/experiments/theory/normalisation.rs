//! Layer normalisation as a map, its conjugate, and what it does when it is applied twice.

use hfy::{Convex, LayerNorm};

use super::problem::{around, between, distance, dot, norm, normals, shown};
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

const ROUNDING: f64 = 1e-12;

/// From the formula: `η (z - mean)/√(Σ (z - mean)²/D) + δ`.
fn by_formula(z: &[f64], eta: f64, delta: &[f64]) -> Vec<f64> {
    let mean = z.iter().sum::<f64>() / z.len() as f64;
    let spread = (z.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / z.len() as f64).sqrt();
    z.iter().zip(delta).map(|(z, d)| eta * (z - mean) / spread + d).collect()
}

/// The map of the indicator of S is layer normalisation: the formula lies in S, and nothing in S scores more.
pub(super) fn is_a_map(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let width = between(random, 2, 30);
    let (eta, delta, z) = (around(random, 1.0, 1.0), normals(random, width, 1.0), normals(random, width, 2.0));
    let state = by_formula(&z, eta, &delta);
    let radius = eta * (width as f64).sqrt();
    let told = || format!("D = {width}, η = {eta:.3}");
    let sum: f64 = state.iter().zip(&delta).map(|(q, d)| q - d).sum();
    tally.take(ROUNDING, -sum.abs() / (radius * width as f64), told);
    tally.take(ROUNDING, (radius - distance(&state, &delta)) / radius, told);
    let mut other = normals(random, width, 1.0);
    let mean = other.iter().sum::<f64>() / width as f64;
    other.iter_mut().for_each(|q| *q -= mean);
    let shrink = radius * random.uniform().powf(0.1) / norm(&other).max(1e-12);
    let other: Vec<f64> = other.iter().zip(&delta).map(|(q, d)| d + shrink * q).collect();
    tally.take(ROUNDING, (dot(&z, &state) - dot(&z, &other)) / (norm(&z) * (radius + norm(&delta))), told);
    let mut library = z.clone();
    LayerNorm::new(eta)?.with_delta(delta.clone())?.argmax(&mut library)?;
    tally.take(ROUNDING, -distance(&library, &state) / (radius + norm(&delta)), told);
    Ok(())
}

/// The conjugate of the indicator of the unit disc, `|z - mean|`, beside a formula for its numerator.
fn conjugate(random: &mut Random, tally: &mut Tally, subtracted: impl Fn(f64, f64) -> f64) -> Result<()> {
    let width = between(random, 2, 30);
    let shift = 2.0 * random.normal();
    let z: Vec<f64> = normals(random, width, 1.0).iter().map(|z| z + shift).collect();
    let (mean, entries) = (z.iter().sum::<f64>() / width as f64, width as f64);
    let length = norm(&z.iter().map(|z| z - mean).collect::<Vec<_>>());
    let exact = LayerNorm::new(1.0 / entries.sqrt())?.conjugate(&z)?;
    let formula = (dot(&z, &z) - subtracted(entries, mean)) / length;
    let told = || format!("z = {}: {formula:.4} for {exact:.4}", shown(&z[..width.min(4)]));
    tally.take(ROUNDING, -(formula - exact).abs() / (1.0 + dot(&z, &z) / length + formula.abs()), told);
    Ok(())
}

/// As the proof prints it, `(|z|² - D mean)/|z - mean|`.
pub(super) fn conjugate_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    conjugate(random, tally, |entries, mean| entries * mean)
}

/// With the square, `(|z|² - D mean²)/|z - mean|`.
pub(super) fn conjugate_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    conjugate(random, tally, |entries, mean| entries * mean * mean)
}

fn twice(random: &mut Random, tally: &mut Tally, delta: Vec<f64>) -> Result<()> {
    let eta = around(random, 1.0, 0.5);
    let z = normals(random, delta.len(), 2.0);
    let once = by_formula(&z, eta, &delta);
    let again = by_formula(&once, eta, &delta);
    let told = || format!("z = {}, δ = {}: once {}, twice {}", shown(&z), shown(&delta), shown(&once), shown(&again));
    tally.take(ROUNDING, -distance(&once, &again) / (norm(&once) + norm(&again)), told);
    Ok(())
}

/// Applied twice it does what it does once, for any shift δ.
pub(super) fn idempotent_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let width = between(random, 3, 4);
    let delta = normals(random, width, 1.0);
    twice(random, tally, delta)
}

/// The same for a shift of all entries by the same amount, zero among them.
pub(super) fn idempotent_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let width = between(random, 3, 30);
    let shift = if random.below(2) == 0 { 0.0 } else { random.normal() };
    twice(random, tally, vec![shift; width])
}
