//! Fenchel-Young losses, from their definition `L(θ, y) = Ω(y) + Ω*(θ) - θ·y`.

use hfy::{Convex, Map};

use super::problem::{between, distance, domain_point, dot, normals, one_of, unit};
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

const MAPS: [&str; 11] = [
    "softmax",
    "entmax:1.2",
    "entmax:1.5",
    "sparsemax",
    "entmax:3",
    "normmax:2",
    "normmax:5",
    "subsets:1",
    "subsets:2",
    "quadratic",
    "power:3",
];
const ROUNDING: f64 = 1e-12;

struct Case {
    name: &'static str,
    map: Map,
    theta: Vec<f64>,
    y: Vec<f64>,
}

impl Case {
    fn draw(random: &mut Random) -> Result<Self> {
        let name = *one_of(random, &MAPS);
        let map: Map = name.parse()?;
        let count = between(random, 2, 40);
        let size = *one_of(random, &[0.1, 1.0, 5.0]);
        let theta = normals(random, count, size);
        let y = domain_point(random, &map, count)?;
        Ok(Case { name, map, theta, y })
    }

    /// The loss, and the size of the numbers in it.
    fn loss(&self, theta: &[f64], y: &[f64]) -> Result<(f64, f64)> {
        let (value, conjugate, score) = (self.map.value(y), self.map.conjugate(theta)?, dot(theta, y));
        Ok((value + conjugate - score, 1.0 + value.abs() + conjugate.abs() + score.abs()))
    }

    fn told(&self) -> String {
        format!("{} of {} scores", self.name, self.theta.len())
    }

    fn weights(&self) -> Result<Vec<f64>> {
        let mut weights = self.theta.clone();
        self.map.argmax(&mut weights)?;
        Ok(weights)
    }
}

/// Never negative.
pub(super) fn never_negative(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let case = Case::draw(random)?;
    let (loss, size) = case.loss(&case.theta, &case.y)?;
    tally.take(ROUNDING, loss / size, || case.told());
    Ok(())
}

/// Zero where y is the prediction, and more elsewhere.
pub(super) fn zero_at_the_prediction(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let case = Case::draw(random)?;
    let weights = case.weights()?;
    let (loss, size) = case.loss(&case.theta, &weights)?;
    tally.take(ROUNDING, -loss.abs() / size, || case.told());
    if distance(&weights, &case.y) > 0.05 {
        let (loss, size) = case.loss(&case.theta, &case.y)?;
        let positive = loss > ROUNDING * size;
        tally.take(ROUNDING, if positive { 0.0 } else { -1.0 }, || {
            format!("{}: {loss:e} off the prediction", case.told())
        });
    }
    Ok(())
}

/// Convex in the scores.
pub(super) fn convex(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let case = Case::draw(random)?;
    let other: Vec<f64> = normals(random, case.theta.len(), 3.0);
    let share = random.uniform();
    let middle: Vec<f64> = case.theta.iter().zip(&other).map(|(a, b)| (1.0 - share) * a + share * b).collect();
    let ((low, a), (left, b), (right, c)) =
        (case.loss(&middle, &case.y)?, case.loss(&case.theta, &case.y)?, case.loss(&other, &case.y)?);
    tally.take(ROUNDING, ((1.0 - share) * left + share * right - low) / (a + b + c), || case.told());
    Ok(())
}

/// The gradient is the prediction less y, by central differences. Where a score is at the edge of the support the
/// curvature jumps, which leaves an error of the order of the step.
pub(super) fn gradient(random: &mut Random, tally: &mut Tally) -> Result<()> {
    const STEP: f64 = 1e-5;
    let case = Case::draw(random)?;
    let direction = unit(random, case.theta.len());
    let moved = |by: f64| -> Vec<f64> { case.theta.iter().zip(&direction).map(|(t, d)| t + by * d).collect() };
    let ((up, size), (down, _)) = (case.loss(&moved(STEP), &case.y)?, case.loss(&moved(-STEP), &case.y)?);
    let slope = dot(&case.weights()?, &direction) - dot(&case.y, &direction);
    tally.take(GRADIENT_TOLERANCE, -((up - down) / (2.0 * STEP) - slope).abs() / size, || case.told());
    Ok(())
}

/// What central differences may be off by.
pub(super) const GRADIENT_TOLERANCE: f64 = 1e-5;
