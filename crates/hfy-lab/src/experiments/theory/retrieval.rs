//! Margins, and retrieval in one update, with and without a post-transformation.

use hfy::post::Post;
use hfy::{Ball, Convex, LayerNorm, Map, Network, Scaled};
use ndarray::Array2;

use super::problem::{
    around, between, distance, dot, norm, normals, on_sphere, one_of, patterns, row, scores, shown, step, unit,
};
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

/// Maps with the margins that the proposition states: 1/(α-1), and 1.
pub(super) const MARGINS: [(&str, f64); 8] = [
    ("entmax:1.1", 10.0),
    ("entmax:1.25", 4.0),
    ("entmax:1.5", 2.0),
    ("sparsemax", 1.0),
    ("entmax:3", 0.5),
    ("normmax:1.5", 1.0),
    ("normmax:2", 1.0),
    ("normmax:5", 1.0),
];
/// Above what rounding does to a score.
const EDGE: f64 = 1e-10;
const ROUNDING: f64 = 1e-12;

/// By how much weights fail to be one-hot at `index`; minus one where they are and should not be.
fn one_hot(weights: &[f64], index: usize, wanted: bool) -> f64 {
    let others = weights.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, w)| *w).fold(0.0, f64::max);
    match wanted {
        true => -(1.0 - weights[index]).abs().max(others),
        false if others > 0.0 => 0.0,
        false => -1.0,
    }
}

/// One-hot from a lead of m on, and not below.
pub(super) fn margins(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let &(name, margin) = one_of(random, &MARGINS);
    let map: Map = name.parse()?;
    let count = between(random, 2, 30);
    let (best, rival) = {
        let chosen = random.choose(count, 2);
        (chosen[0], chosen[1])
    };
    let mut theta: Vec<f64> = (0..count).map(|_| -random.normal().abs()).collect();
    theta[rival] = 0.0;
    let little = step(random);
    // The lead itself may be a rounding too short where the margin is not a power of two.
    for (lead, wanted) in
        [(margin * (1.0 + 1e-15), true), (margin * (1.0 + little), true), (margin * (1.0 - little), false)]
    {
        theta[best] = lead;
        let mut weights = theta.clone();
        map.argmax(&mut weights)?;
        let told = || format!("{name} of {count} scores, a lead of {lead}: weight {}", weights[best]);
        tally.take(0.0, one_hot(&weights, best, wanted), told);
        let (loss, size) = (map.value(&one(count, best)) + map.conjugate(&theta)? - lead, 1.0 + lead);
        if wanted {
            tally.take(ROUNDING, -loss.abs() / size, told);
        }
    }
    Ok(())
}

fn one(count: usize, index: usize) -> Vec<f64> {
    (0..count).map(|i| f64::from(u8::from(i == index))).collect()
}

/// Patterns, one of them that leads, and by how much.
struct Stored {
    name: &'static str,
    map: Map,
    margin: f64,
    patterns: Array2<f64>,
    index: usize,
}

impl Stored {
    /// On a sphere, where each pattern is outside of the convex hull of the others.
    fn draw(random: &mut Random) -> Result<Self> {
        let &(name, margin) = one_of(random, &MARGINS);
        let (count, width) = (between(random, 2, 20), between(random, 2, 12));
        let radius = around(random, 1.0, 0.7);
        let patterns = on_sphere(random, count, width, radius);
        let index = random.below(count);
        Ok(Stored { name, map: name.parse()?, margin, patterns, index })
    }

    /// `min q·(x_i - x_j)` over the other patterns.
    fn lead(&self, query: &[f64]) -> f64 {
        let scores = scores(&self.patterns, query);
        let others = (0..scores.len()).filter(|&j| j != self.index).map(|j| scores[j]);
        scores[self.index] - others.fold(f64::NEG_INFINITY, f64::max)
    }

    fn weights(&self, query: &[f64], beta: f64) -> Result<Vec<f64>> {
        let mut weights: Vec<f64> = scores(&self.patterns, query).iter().map(|s| beta * s).collect();
        self.map.argmax(&mut weights)?;
        Ok(weights)
    }

    fn told(&self, beta: f64) -> String {
        let (count, width) = self.patterns.dim();
        format!("{}, {count} patterns of {width}, β = {beta:.3}", self.name)
    }
}

/// A pattern comes back to itself if and only if its separation is at least m/β.
pub(super) fn stationary(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let stored = Stored::draw(random)?;
    let pattern = row(&stored.patterns, stored.index);
    let separation = stored.lead(&pattern);
    if separation < 1e-3 * dot(&pattern, &pattern) {
        return Ok(()); // Rounding of the scores would decide.
    }
    let little = step(random).max(1e-6);
    for (factor, wanted) in [(1.0 + EDGE, true), (1.0 + little, true), (1.0 - little, false)] {
        let beta = factor * stored.margin / separation;
        let weights = stored.weights(&pattern, beta)?;
        tally.take(0.0, one_hot(&weights, stored.index, wanted), || stored.told(beta));
    }
    Ok(())
}

/// A query whose scores lead by m/β gives the pattern in one update.
pub(super) fn one_update(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let mut stored = Stored::draw(random)?;
    if random.below(2) == 0 {
        // Norms may differ.
        let (count, width) = stored.patterns.dim();
        stored.patterns = patterns(random, count, width, 1.0);
    }
    let query = normals(random, stored.patterns.ncols(), 1.0);
    let all = scores(&stored.patterns, &query);
    stored.index = (0..all.len()).max_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap_or(0);
    let lead = stored.lead(&query);
    if lead < 1e-3 * norm(&query) {
        return Ok(());
    }
    let beta = stored.margin * (1.0 + EDGE) / lead;
    let weights = stored.weights(&query, beta)?;
    tally.take(0.0, one_hot(&weights, stored.index, true), || stored.told(beta));
    Ok(())
}

/// Every query within ε of a pattern that is separated by m/β + 2Mε gives it in one update: random directions, and that
/// towards the nearest other pattern.
pub(super) fn near_queries(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let stored = Stored::draw(random)?;
    let pattern = row(&stored.patterns, stored.index);
    let radius = norm(&pattern);
    let separation = stored.lead(&pattern);
    if separation < 1e-3 * radius * radius {
        return Ok(());
    }
    let share = 0.05 + 0.9 * random.uniform();
    let beta = stored.margin * (1.0 + EDGE) / (share * separation);
    let epsilon = (1.0 - share) * separation / (2.0 * radius);
    let mut directions = vec![unit(random, pattern.len()), unit(random, pattern.len())];
    for other in (0..stored.patterns.nrows()).filter(|&j| j != stored.index) {
        let towards: Vec<f64> = row(&stored.patterns, other).iter().zip(&pattern).map(|(x, p)| x - p).collect();
        let length = norm(&towards);
        directions.push(towards.iter().map(|v| v / length).collect());
    }
    for direction in directions {
        let query: Vec<f64> = pattern.iter().zip(&direction).map(|(x, d)| x + epsilon * d).collect();
        let weights = stored.weights(&query, beta)?;
        tally.take(0.0, one_hot(&weights, stored.index, true), || format!("{}, ε = {epsilon:.3}", stored.told(beta)));
    }
    Ok(())
}

/// One update with a post-transformation from a query that the conditions hold for. Patterns are in its image.
fn with_post(random: &mut Random, tally: &mut Tally, post: &Post, width: usize) -> Result<()> {
    let &(name, margin) = one_of(random, &MARGINS);
    let count = between(random, 2, 12);
    let mut stored = patterns(random, count, width, 1.0);
    for mut pattern in stored.rows_mut() {
        let mut state = pattern.to_vec();
        post.argmax(&mut state)?;
        pattern.iter_mut().zip(state).for_each(|(x, s)| *x = s);
    }
    let index = random.below(count);
    let (map, pattern) = (name.parse()?, row(&stored, index));
    let case = Stored { name, map, margin, patterns: stored, index };
    let query: Vec<f64> = pattern.iter().map(|x| x + 0.05 * random.normal()).collect();
    let lead = case.lead(&query);
    if lead < 1e-2 * norm(&query) {
        return Ok(());
    }
    let beta = margin * (1.0 + 1e-6) / lead;
    let network = Network::new(Scaled::with_beta(name.parse::<Map>()?, beta)?, post.clone(), &case.patterns)?;
    let state = network.step(&query)?.state;
    let told = || format!("{}: {} came back as {}", case.told(beta), shown(&pattern), shown(&state));
    tally.take(ROUNDING, -distance(&state, &pattern) / (norm(&state) + norm(&pattern)), told);
    Ok(())
}

/// With l2 normalisation, and with layer normalisation whose shift is the same for all entries.
pub(super) fn with_idempotent_post(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let width = between(random, 3, 12);
    let size = around(random, 2.0, 0.4);
    let post = match random.below(3) {
        0 => Ball::new(size)?.into(),
        1 => LayerNorm::new(size)?.into(),
        _ => LayerNorm::new(size)?.with_delta(vec![random.normal(); width])?.into(),
    };
    with_post(random, tally, &post, width)
}

/// With layer normalisation and any shift, which is said to be idempotent.
pub(super) fn with_shifted_post(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let width = between(random, 3, 4);
    let delta = normals(random, width, 1.0);
    let post = LayerNorm::new(around(random, 2.0, 0.4))?.with_delta(delta)?.into();
    with_post(random, tally, &post, width)
}
