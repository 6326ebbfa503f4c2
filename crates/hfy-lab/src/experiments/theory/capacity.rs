//! How many patterns a sphere holds: well placed, and placed at random.

use hfy::certify::Sphere;
use hfy::{Convex, Map};
use ndarray::Array2;

use super::problem::{around, dot, norm, on_sphere, one_of, row, scores, unit};
use super::retrieval::MARGINS;
use super::tally::Tally;
use crate::error::Result;
use crate::experiment::Random;

/// Patterns of length √2 in so many dimensions, no two less than 60° apart: the roots of the lattices A2, Dn and E8.
fn roots(dimension: usize) -> Vec<Vec<f64>> {
    if dimension == 2 {
        let angle = |turn: usize| std::f64::consts::FRAC_PI_3 * turn as f64;
        return (0..6).map(|turn| vec![2_f64.sqrt() * angle(turn).cos(), 2_f64.sqrt() * angle(turn).sin()]).collect();
    }
    let mut roots = Vec::new();
    for first in 0..dimension {
        for second in first + 1..dimension {
            for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let mut root = vec![0.0; dimension];
                (root[first], root[second]) = (a, b);
                roots.push(root);
            }
        }
    }
    if dimension == 8 {
        let even = (0_u32..256).filter(|signs| signs.count_ones() % 2 == 0);
        roots.extend(even.map(|signs| (0..8).map(|bit| if signs >> bit & 1 == 0 { 0.5 } else { -0.5 }).collect()));
    }
    roots
}

const DIMENSIONS: [usize; 7] = [2, 3, 4, 8, 12, 16, 24];

/// `√(3πD/8) (2/√3)^D` patterns 60° apart fit on a sphere: lattices have more.
pub(super) fn well_placed(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let dimension = *one_of(random, &DIMENSIONS);
    let (count, d) = (roots(dimension).len() as f64, dimension as f64);
    let formula = (3.0 * std::f64::consts::PI * d / 8.0).sqrt() * (2.0 / 3_f64.sqrt()).powi(dimension as i32);
    let slack = count.ln() - formula.ln();
    tally.take(0.0, slack, || format!("D = {dimension}: {count} patterns, the formula has {formula:.1}"));
    Ok(())
}

/// 60° apart and with M² > 2m/β, all queries within M/4 - m/(2βM) give their pattern in one update.
pub(super) fn well_placed_retrieval(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let &(name, margin) = one_of(random, &MARGINS);
    let dimension = *one_of(random, &DIMENSIONS);
    let roots = roots(dimension);
    let radius = around(random, 1.0, 0.5);
    let entries = roots.iter().flatten().map(|v| v * radius / 2_f64.sqrt()).collect();
    let patterns = Array2::from_shape_vec((roots.len(), dimension), entries).expect("every row has its entries");
    let beta = 2.0 * margin / (radius * radius) * (1.0 + around(random, 0.5, 1.0));
    let epsilon = radius / 4.0 - margin / (2.0 * beta * radius);
    let map: Map = name.parse()?;
    for _ in 0..3 {
        let index = random.below(roots.len());
        let pattern = row(&patterns, index);
        // Towards a neighbour, or anywhere.
        let neighbour = random.below(roots.len());
        let mut direction: Vec<f64> = row(&patterns, neighbour).iter().zip(&pattern).map(|(x, p)| x - p).collect();
        if neighbour == index || random.below(2) == 0 {
            direction = unit(random, dimension);
        }
        let length = norm(&direction);
        let query: Vec<f64> = pattern.iter().zip(&direction).map(|(x, d)| x + epsilon * d / length).collect();
        let mut weights: Vec<f64> = scores(&patterns, &query).iter().map(|s| beta * s).collect();
        map.argmax(&mut weights)?;
        tally
            .take(0.0, -(1.0 - weights[index]), || format!("{name}, D = {dimension}, β = {beta:.3}, ε = {epsilon:.3}"));
    }
    Ok(())
}

/// Draws of a case.
const DRAWS: usize = 400;

/// With so many patterns as the formula has for a probability of failure p, placed at random, some query within ε of
/// one is lost in no more than a share p of the draws. The largest radius within which no query is lost is known, so
/// that no query has to be tried.
pub(super) fn placed_at_random(random: &mut Random, tally: &mut Tally) -> Result<()> {
    let dimension = *one_of(random, &[4, 6, 8, 10, 12]);
    let failure = *one_of(random, &[0.05, 0.1, 0.3]);
    let (radius, margin) = (around(random, 1.0, 0.3), 1.0);
    // The least angle that retrieval needs: below one radian, or the formula has no ζ above one.
    let angle = 0.25 + 0.5 * random.uniform();
    let opening = 1.0 - f64::cos(angle);
    let share = 0.1 + 0.8 * random.uniform();
    let beta = margin / (share * opening * radius * radius);
    let epsilon = (1.0 - share) * opening * radius / 2.0;
    let capacity = Sphere::new(dimension, radius, margin, beta)?.capacity(epsilon, failure)?;
    let Some(log) = capacity.random.log_patterns else { return Ok(()) };
    let count = log.exp().floor().min(150.0) as usize;
    if count < 2 {
        return Ok(());
    }
    let mut lost = 0;
    for _ in 0..DRAWS {
        let patterns = on_sphere(random, count, dimension, radius);
        let rows: Vec<Vec<f64>> = (0..count).map(|i| row(&patterns, i)).collect();
        let kept = |i: usize| {
            (0..i).all(|j| {
                let product = dot(&rows[i], &rows[j]);
                let apart = (2.0 * (radius * radius - product)).sqrt();
                radius * radius - product - margin / beta >= epsilon * apart
            })
        };
        lost += usize::from(!(1..count).all(kept));
    }
    let rate = lost as f64 / DRAWS as f64;
    let doubt = 4.0 * (failure * (1.0 - failure) / DRAWS as f64).sqrt();
    let told = || format!("D = {dimension}, {count} patterns, p = {failure}: {lost} of {DRAWS} draws lose a query");
    tally.take(doubt, failure - rate, told);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_sixty_degrees_apart() {
        for (dimension, known) in [(2, 6), (3, 12), (4, 24), (8, 240), (16, 480)] {
            let roots = roots(dimension);
            assert_eq!(roots.len(), known);
            for (i, a) in roots.iter().enumerate() {
                assert!((dot(a, a) - 2.0).abs() < 1e-12);
                assert!(roots[..i].iter().all(|b| dot(a, b) <= 1.0 + 1e-12), "D = {dimension}");
            }
        }
    }
}
