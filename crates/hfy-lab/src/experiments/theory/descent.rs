//! The update as a step of the convex-concave procedure, and the bounds of the energy.

use hfy::post::Post;
use hfy::{Convex, LayerNorm, Map, Network, Scaled};

use super::problem::{around, between, distance, domain_point, dot, norm, normals, one_of, patterns, row, scores};
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

const MAPS: [&str; 8] =
    ["softmax", "entmax:1.5", "sparsemax", "entmax:3", "normmax:2", "normmax:5", "subsets:2", "quadratic"];
const SIMPLEX: [&str; 7] = ["softmax", "entmax:1.2", "entmax:1.5", "sparsemax", "entmax:3", "normmax:2", "normmax:5"];
const ROUNDING: f64 = 1e-12;

struct Case {
    told: String,
    network: Network<'static, f64, Scaled<Map>, Post>,
    /// In the domain of Ψ.
    start: Vec<f64>,
}

impl Case {
    fn draw(random: &mut Random) -> Result<Self> {
        let (count, width) = (between(random, 2, 12), between(random, 2, 10));
        let map = *one_of(random, &MAPS);
        let delta = normals(random, width, 1.0);
        let (name, psi): (&str, Post) = match random.below(4) {
            0 => ("the identity", "identity".parse()?),
            1 => ("l2 normalisation", "l2:1.5".parse()?),
            2 => ("layer normalisation with a shift", LayerNorm::new(0.8)?.with_delta(delta)?.into()),
            _ => ("tanh", "tanh:1.3".parse()?),
        };
        let beta = around(random, 1.0, 1.0);
        // Identity with a quadratic Ω may run away: small patterns keep the numbers in range.
        let size = if map == "quadratic" { 0.3 } else { 1.0 };
        let stored = patterns(random, count, width, size);
        let network = Network::new(Scaled::with_beta(map.parse()?, beta)?, psi, stored)?;
        let mut start = normals(random, width, 1.0);
        network.psi().argmax(&mut start)?;
        let told = format!("{map} and {name}, {count} patterns of {width}, β = {beta:.3}");
        Ok(Case { told, network, start })
    }
}

/// The new state minimises the energy with its concave part made linear.
pub(super) fn solves_the_linearised_problem(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let case = Case::draw(random)?;
    let step = case.network.step(&case.start)?;
    let objective = |q: &[f64]| {
        let (convex, linear) = (case.network.psi().value(q), dot(&step.projection, q));
        (convex - linear, 1.0 + convex.abs() + linear.abs())
    };
    let (best, size) = objective(&step.state);
    for spread in [0.01, 1.0] {
        let mut other: Vec<f64> =
            step.projection.iter().map(|z| z + spread * norm(&step.projection).max(1.0) * random.normal()).collect();
        case.network.psi().argmax(&mut other)?;
        let (value, other_size) = objective(&other);
        tally.take(ROUNDING, (value - best) / (size + other_size), || case.told.clone());
    }
    Ok(())
}

/// Ten updates never raise the energy.
pub(super) fn lowers_the_energy(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let case = Case::draw(random)?;
    let path = case.network.trajectory(&case.start, 10)?;
    let energies = path.energies.unwrap_or_default();
    for pair in energies.windows(2).filter(|pair| pair.iter().all(|energy| energy.abs() < 1e12)) {
        let size = 1.0 + pair[0].abs() + pair[1].abs();
        tally.take(ROUNDING, (pair[0] - pair[1]) / size, || format!("{}: {} to {}", case.told, pair[0], pair[1]));
    }
    Ok(())
}

/// `0 ≤ E(q) ≤ min{2M², M²/2 - Ω(1/N)/β}` for q in the convex hull, with the energy from its definition.
pub(super) fn bounded(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let (count, width) = (between(random, 2, 12), between(random, 1, 10));
    let name = *one_of(random, &SIMPLEX);
    let map: Map = name.parse()?;
    let beta = around(random, 1.0, 1.5);
    let mut stored = patterns(random, count, width, 1.0);
    if random.below(4) == 0 {
        // Nearly equal patterns come near the lower bound.
        let first = stored.row(0).to_owned();
        stored = &first + &(stored * 1e-3);
    }
    let y = domain_point(random, &map, count)?;
    let query: Vec<f64> = (0..width).map(|d| (0..count).map(|i| y[i] * stored[[i, d]]).sum()).collect();
    let heated: Vec<f64> = scores(&stored, &query).iter().map(|s| beta * s).collect();
    let even = vec![1.0 / count as f64; count];
    let least = map.value(&even);
    let loss = least + map.conjugate(&heated)? - dot(&heated, &even);
    let mean: Vec<f64> = stored.mean_axis(ndarray::Axis(0)).expect("there are patterns").to_vec();
    let largest = (0..count).map(|i| norm(&row(&stored, i))).fold(0.0, f64::max);
    let square = largest * largest;
    let energy = -loss / beta + distance(&query, &mean).powi(2) / 2.0 + (square - dot(&mean, &mean)) / 2.0;
    let upper = (2.0 * square).min(square / 2.0 - least / beta);
    let size = 1.0 + square + (least / beta).abs() + loss.abs() / beta;
    let told = || format!("{name}, {count} patterns of {width}, β = {beta:.3}: E = {energy}, upper bound {upper}");
    tally.take(ROUNDING, energy / size, told);
    tally.take(ROUNDING, (upper - energy) / size, told);
    Ok(())
}
