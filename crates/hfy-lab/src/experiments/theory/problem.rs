//! Random problems.

use hfy::{Convex, Map};
use ndarray::Array2;

use crate::error::Result;
use crate::experiment::Random;

/// A choice from a list.
pub(super) fn one_of<'a, V>(random: &mut Random, list: &'a [V]) -> &'a V {
    &list[random.below(list.len())]
}

/// A whole number in `low..=high`.
pub(super) fn between(random: &mut Random, low: usize, high: usize) -> usize {
    low + random.below(high - low + 1)
}

/// A positive number around `middle`, within a factor `e^spread` or so.
pub(super) fn around(random: &mut Random, middle: f64, spread: f64) -> f64 {
    middle * (spread * random.normal()).exp()
}

/// How far from a boundary a case is: from 1e-8 to 0.3, evenly in the logarithm.
pub(super) fn step(random: &mut Random) -> f64 {
    10_f64.powf(-8.0 + 7.5 * random.uniform())
}

/// Normal numbers.
pub(super) fn normals(random: &mut Random, count: usize, size: f64) -> Vec<f64> {
    (0..count).map(|_| size * random.normal()).collect()
}

/// A direction.
pub(super) fn unit(random: &mut Random, count: usize) -> Vec<f64> {
    loop {
        let vector = normals(random, count, 1.0);
        let length = norm(&vector);
        if length > 1e-6 {
            return vector.iter().map(|v| v / length).collect();
        }
    }
}

/// Normal patterns, one a row.
pub(super) fn patterns(random: &mut Random, count: usize, width: usize, size: f64) -> Array2<f64> {
    Array2::from_shape_simple_fn((count, width), || size * random.normal())
}

/// Patterns on a sphere, one a row.
pub(super) fn on_sphere(random: &mut Random, count: usize, width: usize, radius: f64) -> Array2<f64> {
    let rows: Vec<f64> = (0..count).flat_map(|_| unit(random, width)).map(|v| radius * v).collect();
    Array2::from_shape_vec((count, width), rows).expect("every row has its entries")
}

/// A point of the domain of a map: a blend of two of its outputs, which may be corners.
pub(super) fn domain_point(random: &mut Random, map: &Map, count: usize) -> Result<Vec<f64>> {
    let (mut first, mut second) = (normals(random, count, 1.0), normals(random, count, 3.0));
    map.argmax(&mut first)?;
    map.argmax(&mut second)?;
    let share = *one_of(random, &[0.0, 0.3, 1.0]) * random.uniform().sqrt();
    Ok(first.iter().zip(&second).map(|(a, b)| share * a + (1.0 - share) * b).collect())
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// `X q`.
pub(super) fn scores(patterns: &Array2<f64>, query: &[f64]) -> Vec<f64> {
    patterns.rows().into_iter().map(|row| row.iter().zip(query).map(|(x, q)| x * q).sum()).collect()
}

/// A row of the patterns.
pub(super) fn row(patterns: &Array2<f64>, index: usize) -> Vec<f64> {
    patterns.row(index).to_vec()
}

/// A few digits of a vector, for examples.
pub(super) fn shown(vector: &[f64]) -> String {
    let entries: Vec<String> = vector.iter().map(|v| format!("{v:.3}")).collect();
    format!("({})", entries.join(", "))
}
