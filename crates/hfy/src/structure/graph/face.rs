//! In which directions the output of a factor can move.

use super::super::active_set::ActiveSet;
use super::flat::Flat;
use super::pair;

/// The face of a factor's hull that its output lies on.
#[derive(Debug, Clone)]
pub(super) struct Face {
    pub(super) variables: Vec<usize>,
    pub(super) negated: Vec<bool>,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// Of logic.
    Flat(Flat),
    /// Of a pair: its literals and its score, besides.
    Pair(Flat, [f64; 2], f64),
    /// Spanned by the active ones of structures with so many higher-order parts.
    Spanned(ActiveSet, usize),
}

impl Face {
    /// The entries at the variables of the factor.
    pub(super) fn gather(&self, x: &[f64]) -> Vec<f64> {
        self.variables.iter().map(|&v| x[v]).collect()
    }

    /// `near ← P d`, the nearest direction of the face, for one of the variables of the factor.
    pub(super) fn project(&self, d: &[f64], near: &mut Vec<f64>) {
        near.clear();
        near.extend_from_slice(d);
        let d = near;
        self.turn(d);
        match &self.shape {
            Shape::Flat(flat) | Shape::Pair(flat, ..) => flat.project(d),
            Shape::Spanned(active, _) => {
                let products = products(active, d);
                d.fill(0.0);
                along(active, products, |i, change| d[i] += change, |_, _| {});
            }
        }
        self.turn(d);
    }

    /// How the higher-order parts change with a direction of the face.
    pub(super) fn higher(&self, mut d: Vec<f64>) -> Vec<f64> {
        self.turn(&mut d);
        match &self.shape {
            Shape::Flat(_) => Vec::new(),
            Shape::Pair(_, y, score) => {
                let slopes = pair::slopes(y, *score);
                vec![slopes[0] * d[0] + slopes[1] * d[1]]
            }
            Shape::Spanned(active, count) => {
                let mut higher = vec![0.0; *count];
                along(active, products(active, &d), |_, _| {}, |i, change| higher[i] += change);
                higher
            }
        }
    }

    /// The direction of the face along which higher-order scores pull the variables.
    pub(super) fn pull(&self, scores: &[f64]) -> Vec<f64> {
        let mut d = vec![0.0; self.variables.len()];
        match &self.shape {
            Shape::Flat(_) => {}
            Shape::Pair(flat, y, score) => {
                // Where both being on is forbidden, nothing pulls.
                let slopes = pair::slopes(y, *score);
                d.iter_mut()
                    .zip(slopes)
                    .filter(|(_, slope)| *slope != 0.0)
                    .for_each(|(d, slope)| *d = slope * scores[0]);
                flat.project(&mut d);
            }
            Shape::Spanned(active, _) => {
                let zeros = d.clone();
                along(active, active.leads(&zeros, scores), |i, change| d[i] += change, |_, _| {});
            }
        }
        self.turn(&mut d);
        d
    }

    /// From variables to literals, and back.
    fn turn(&self, d: &mut [f64]) {
        d.iter_mut().zip(&self.negated).filter(|(_, negated)| **negated).for_each(|(d, _)| *d = -*d);
    }
}

/// The change of the probabilities that goes with products with the active structures, and what it does to their parts.
fn along(
    active: &ActiveSet,
    mut products: Vec<f64>,
    mut unary: impl FnMut(usize, f64),
    mut higher: impl FnMut(usize, f64),
) {
    active.project(&mut products);
    for (vertex, weight) in active.vertices.iter().zip(&products).skip(1) {
        vertex.difference(&active.vertices[0], |i, part| unary(i, weight * part), |i, part| higher(i, weight * part));
    }
}

fn products(active: &ActiveSet, d: &[f64]) -> Vec<f64> {
    active.vertices.iter().map(|vertex| vertex.unary().dot(d)).collect()
}
