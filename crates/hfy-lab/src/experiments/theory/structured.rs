//! Margins and retrieval of associations, against a list of all of them.

use hfy::structure::{ActiveSet, Regulariser, Sequence, SparseMap};
use hfy::{Convex, Subsets};
use ndarray::Array2;

use super::problem::{around, between, norm, normals, patterns, row, scores, shown, step, unit};
use super::structures::Set;
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

/// Above what rounding does to a score.
const EDGE: f64 = 1e-9;
/// What the solver may leave of a weight.
const ROUNDING: f64 = 1e-9;

/// How far weights are from a set.
fn off(weights: &[f64], set: &Set) -> f64 {
    weights.iter().zip(set.weights()).map(|(w, s)| (w - s).abs()).fold(0.0, f64::max)
}

/// Whether weights are a set or not, as wanted.
fn judged(weights: &[f64], set: &Set, wanted: bool) -> f64 {
    match (wanted, off(weights, set)) {
        (true, off) => -off,
        (false, off) if off > 0.0 => 0.0,
        (false, _) => -1.0,
    }
}

/// The weights of k-subsets.
fn subset_weights(k: usize, theta: &[f64]) -> Result<Vec<f64>> {
    let mut weights = theta.to_vec();
    Subsets::new(k as f64)?.argmax(&mut weights)?;
    Ok(weights)
}

/// The weights of sequential k-subsets with one transition score; both states of a variable are regularised, as in the
/// factor graph.
fn sequence_weights(k: usize, transition: f64, theta: &[f64]) -> Result<Vec<f64>> {
    let map = SparseMap::new(Sequence::new(k)?.transition(transition)?).regulariser(Regulariser::Both);
    Ok(map.solve_from(theta, ActiveSet::default())?.marginals)
}

/// A set that leads all others by half of the squared distance is the prediction; by less, it is not: the margin is 1.
pub(super) fn subsets_margin(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let count = between(random, 2, 8);
    let k = between(random, 1, count - 1);
    let theta = normals(random, count, 1.0);
    let sets = Set::all(count, k);
    let none = Set { on: vec![false; count] };
    let score = |set: &Set| set.lead(&none, &theta);
    let Some(best) = sets.iter().max_by(|a, b| score(a).total_cmp(&score(b))) else { return Ok(()) };
    let others = || sets.iter().filter(|set| *set != best);
    let tight = others().map(|other| best.apart(other) as f64 / 2.0 / best.lead(other, &theta)).fold(0.0, f64::max);
    if tight > 1e4 {
        return Ok(());
    }
    let little = step(random).max(1e-6);
    for (factor, wanted) in [(1.0 + EDGE, true), (1.0 - little, false)] {
        let scaled: Vec<f64> = theta.iter().map(|t| factor * tight * t).collect();
        let weights = subset_weights(k, &scaled)?;
        tally.take(ROUNDING, judged(&weights, best, wanted), || format!("k = {k} of {count}: {}", shown(&weights)));
    }
    Ok(())
}

/// With interactions, a structure that leads by half of the squared distance of all bits is the prediction: the margin
/// is at most 1.
pub(super) fn sequence_margin(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let count = between(random, 3, 7);
    let k = between(random, 1, count - 1);
    let (theta, transition) = (normals(random, count, 1.0), 2.0 * random.normal());
    let sets = Set::all(count, k);
    let score = |set: &Set| set.lead(&Set { on: vec![false; count] }, &theta) + transition * set.pairs() as f64;
    let Some(best) = sets.iter().max_by(|a, b| score(a).total_cmp(&score(b))) else { return Ok(()) };
    let others = || sets.iter().filter(|set| *set != best);
    let tight = others().map(|o| best.bits_apart(o) as f64 / 2.0 / (score(best) - score(o))).fold(0.0, f64::max);
    if tight > 1e4 {
        return Ok(());
    }
    let scaled: Vec<f64> = theta.iter().map(|t| (1.0 + EDGE) * tight * t).collect();
    let weights = sequence_weights(k, (1.0 + EDGE) * tight * transition, &scaled)?;
    let told = || format!("k = {k} of {count}, t = {:.3}: {}", tight * transition, shown(&weights));
    tally.take(ROUNDING, judged(&weights, best, true), told);
    Ok(())
}

/// Patterns, and one association of k of them.
struct Association {
    k: usize,
    patterns: Array2<f64>,
    sets: Vec<Set>,
    chosen: Set,
    state: Vec<f64>,
    /// The scores of the state.
    theta: Vec<f64>,
}

impl Association {
    /// One whose scores lead: `θ·(y - y') > 0` for every other association.
    fn draw(random: &mut Random) -> Option<Self> {
        let count = between(random, 3, 7);
        let k = between(random, 1, (count - 1).min(3));
        let width = between(random, count, 2 * count);
        let size = around(random, 1.0, 0.5);
        let patterns = patterns(random, count, width, size);
        let sets = Set::all(count, k);
        let chosen = sets[random.below(sets.len())].clone();
        let mut state = vec![0.0; width];
        for index in chosen.members() {
            state.iter_mut().zip(patterns.row(index)).for_each(|(s, x)| *s += x);
        }
        let theta = scores(&patterns, &state);
        let case = Association { k, patterns, sets, chosen, state, theta };
        let enough = case.separation() > 0.02 * norm(&case.state).powi(2);
        enough.then_some(case)
    }

    fn others(&self) -> impl Iterator<Item = &Set> {
        self.sets.iter().filter(|set| **set != self.chosen)
    }

    /// `Δ`, without transition scores.
    fn separation(&self) -> f64 {
        self.others().map(|other| self.chosen.lead(other, &self.theta)).fold(f64::INFINITY, f64::min)
    }

    fn heated(&self, query: &[f64], beta: f64) -> Vec<f64> {
        scores(&self.patterns, query).iter().map(|s| beta * s).collect()
    }

    fn largest_norm(&self) -> f64 {
        (0..self.patterns.nrows()).map(|i| norm(&row(&self.patterns, i))).fold(0.0, f64::max)
    }

    /// The largest singular value, from above by a part in a million.
    fn spectral_norm(&self, random: &mut Random) -> f64 {
        let mut direction = unit(random, self.patterns.ncols());
        let mut value = 0.0;
        for _ in 0..400 {
            let scores = scores(&self.patterns, &direction);
            let back: Vec<f64> =
                self.patterns.columns().into_iter().map(|c| c.iter().zip(&scores).map(|(x, s)| x * s).sum()).collect();
            value = norm(&back).sqrt();
            direction = back.iter().map(|v| v / (value * value)).collect();
        }
        value * (1.0 + 1e-6)
    }

    /// Queries at a distance: in a random direction, and in those that help other associations most.
    fn queries(&self, random: &mut Random, epsilon: f64) -> Vec<Vec<f64>> {
        let mut directions = vec![unit(random, self.state.len())];
        for other in self.others() {
            let change = |d: usize| {
                let sign = |i: usize| f64::from(u8::from(other.on[i])) - f64::from(u8::from(self.chosen.on[i]));
                (0..other.on.len()).map(|i| sign(i) * self.patterns[[i, d]]).sum::<f64>()
            };
            directions.push((0..self.state.len()).map(change).collect());
        }
        let moved = |direction: Vec<f64>| {
            let length = norm(&direction);
            self.state.iter().zip(direction).map(|(s, d)| s + epsilon * d / length).collect()
        };
        directions.into_iter().map(moved).collect()
    }

    fn told(&self, beta: f64, transition: f64) -> String {
        let (count, width) = self.patterns.dim();
        let members = self.chosen.members();
        format!("{members:?} of {count} patterns of {width}, β = {beta:.3}, t = {transition:.2}")
    }

    fn subset(&self, tally: &mut Tally, query: &[f64], beta: f64, wanted: bool) -> Result<()> {
        let weights = subset_weights(self.k, &self.heated(query, beta))?;
        tally.take(ROUNDING, judged(&weights, &self.chosen, wanted), || self.told(beta, 0.0));
        Ok(())
    }

    fn sequence(&self, tally: &mut Tally, query: &[f64], (beta, transition): (f64, f64), wanted: bool) -> Result<()> {
        let weights = sequence_weights(self.k, transition, &self.heated(query, beta))?;
        let told = || format!("{}: {}", self.told(beta, transition), shown(&weights));
        tally.take(ROUNDING, judged(&weights, &self.chosen, wanted), told);
        Ok(())
    }

    /// The least β at which `β θ·(y - y') + t (pairs - pairs') ≥ needed(y')` for every other association.
    fn least_beta(&self, transition: f64, needed: impl Fn(&Set) -> f64) -> f64 {
        let pairs = |set: &Set| transition * set.pairs() as f64;
        let least =
            |other: &Set| (needed(other) + pairs(other) - pairs(&self.chosen)) / self.chosen.lead(other, &self.theta);
        self.others().map(least).fold(1e-3, f64::max)
    }
}

/// k-subsets with `Δ ≥ k/β`, as printed: the association is a fixed point.
pub(super) fn subsets_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let beta = (1.0 + EDGE) * case.k as f64 / case.separation();
    case.subset(tally, &case.state, beta, true)
}

/// k-subsets: a fixed point if and only if `Δ ≥ 1/β`.
pub(super) fn subsets_sharp(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let little = step(random).max(1e-6);
    case.subset(tally, &case.state, (1.0 + EDGE) / case.separation(), true)?;
    case.subset(tally, &case.state, (1.0 - little) / case.separation(), false)
}

/// k-subsets with `Δ ≥ k/β + ε min{σ √(2k), 2kM}`, as printed: every query within ε gives the association.
pub(super) fn subsets_near_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let share = 0.1 + 0.8 * random.uniform();
    let beta = (1.0 + EDGE) * case.k as f64 / (share * case.separation());
    let k = case.k as f64;
    let spread = (case.spectral_norm(random) * (2.0 * k).sqrt()).min(2.0 * k * case.largest_norm());
    for query in case.queries(random, (1.0 - share) * case.separation() / spread) {
        case.subset(tally, &query, beta, true)?;
    }
    Ok(())
}

/// k-subsets with `Δ ≥ 1/β + 2Mε`: every query within ε gives the association.
pub(super) fn subsets_near_sharp(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let share = 0.1 + 0.8 * random.uniform();
    let beta = (1.0 + EDGE) / (share * case.separation());
    let epsilon = (1.0 - share) * case.separation() / (2.0 * case.largest_norm());
    for query in case.queries(random, epsilon) {
        case.subset(tally, &query, beta, true)?;
    }
    Ok(())
}

/// Sequential k-subsets without transition scores and with `Δ ≥ 6k/β`, as printed.
pub(super) fn sequence_printed_plain(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let beta = (1.0 + EDGE) * 6.0 * case.k as f64 / case.separation();
    case.sequence(tally, &case.state, (beta, 0.0), true)
}

/// The same with transition scores, which the printed separation leaves out.
pub(super) fn sequence_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let beta = (1.0 + EDGE) * 6.0 * case.k as f64 / case.separation();
    let transition = around(random, 5.0, 1.5);
    case.sequence(tally, &case.state, (beta, transition), true)
}

/// Sequential k-subsets with `Δ ≥ 2k/β`, transition scores counted.
pub(super) fn sequence_sufficient(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let transition = 4.0 * random.normal();
    let beta = (1.0 + EDGE) * case.least_beta(transition, |_| 2.0 * case.k as f64);
    case.sequence(tally, &case.state, (beta, transition), true)
}

/// Sequential k-subsets: a fixed point if and only if `β θ·(y - y') + t (pairs - pairs') ≥ |y - y'|²/2` for every
/// other, with both states of a variable in the distance.
pub(super) fn sequence_sharp(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let transition = 4.0 * random.normal();
    let edge = case.least_beta(transition, |other| case.chosen.apart(other) as f64);
    if edge <= 1e-3 {
        return Ok(()); // Transitions alone hold it together: there is no boundary.
    }
    let little = step(random).max(1e-6);
    case.sequence(tally, &case.state, ((1.0 + EDGE) * edge, transition), true)?;
    case.sequence(tally, &case.state, ((1.0 - little) * edge, transition), false)
}

/// Queries within ε, for `Δ ≥ need/β + spread M ε`.
fn sequence_near(random: &mut Random, tally: &mut Tally, (need, spread): (f64, f64), transition: f64) -> Result<()> {
    let Some(case) = Association::draw(random) else { return Ok(()) };
    let k = case.k as f64;
    let least = case.least_beta(transition, |_| need * k);
    let beta = least * (1.1 + 2.0 * random.uniform());
    // What β leaves above the need of each association, over the most that the query can take away.
    let room = |other: &Set| {
        let pairs = transition * (case.chosen.pairs() as f64 - other.pairs() as f64);
        (beta * case.chosen.lead(other, &case.theta) + pairs - need * k) / beta
    };
    let room = case.others().map(room).fold(f64::INFINITY, f64::min);
    let epsilon = room * (1.0 - EDGE) / (spread * k * case.largest_norm());
    for query in case.queries(random, epsilon) {
        case.sequence(tally, &query, (beta, transition), true)?;
    }
    Ok(())
}

/// `Δ ≥ 6k/β + 12Mkε`, as printed, without transition scores.
pub(super) fn sequence_near_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    sequence_near(random, tally, (6.0, 12.0), 0.0)
}

/// `Δ ≥ 2k/β + 2Mkε`, transition scores counted.
pub(super) fn sequence_near_sharp(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let transition = 4.0 * random.normal();
    sequence_near(random, tally, (2.0, 2.0), transition)
}

/// `D² ≤ 12k` and `D ≤ 2r`, over all bits.
pub(super) fn distances_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    distances(random, tally, |a, b| (a.bits_apart(b), 12), 2.0)
}

/// `D² ≤ 4k` over the variables alone, which are all that is regularised, and `D ≤ √2 r` over all bits.
pub(super) fn distances_sharp(random: &mut Random, tally: &mut Tally) -> Result<()> {
    distances(random, tally, |a, b| (2 * a.apart(b), 4), 2_f64.sqrt())
}

fn distances(
    random: &mut Random,
    tally: &mut Tally,
    counted: impl Fn(&Set, &Set) -> (usize, usize),
    stretch: f64,
) -> Result<()> {
    let count = between(random, 3, 8);
    let k = between(random, 1, count - 1);
    let sets = Set::all(count, k);
    let (from, to) = (&sets[random.below(sets.len())], &sets[random.below(sets.len())]);
    let (square, times) = counted(from, to);
    let told = || format!("k = {k} of {count}: {square} for {}", times * k);
    tally.take(0.0, 1.0 - square as f64 / (times * k) as f64, told);
    let (distance, length) = ((from.bits_apart(to) as f64).sqrt(), (from.bits() as f64).sqrt());
    tally.take(1e-12, stretch - distance / length, told);
    Ok(())
}

/// The length of the bit vector of a sequence is `2N - 1`.
pub(super) fn length_printed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    lengths(random, tally, |count| 2.0 * count - 1.0)
}

/// Its square is.
pub(super) fn length_defined(random: &mut Random, tally: &mut Tally) -> Result<()> {
    lengths(random, tally, |count| (2.0 * count - 1.0).sqrt())
}

fn lengths(random: &mut Random, tally: &mut Tally, formula: impl Fn(f64) -> f64) -> Result<()> {
    let count = between(random, 2, 30);
    // One bit a variable and one a pair of neighbours.
    let length = ((count + count - 1) as f64).sqrt();
    let said = formula(count as f64);
    tally.take(1e-12, -(said - length).abs() / (said + length), || format!("N = {count}: {said:.3} for {length:.3}"));
    Ok(())
}
