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
    /// `P d` for the entries of `from` at the variables of the factor: the nearest direction of the face.
    pub(super) fn project(&self, from: &[f64], d: &mut Vec<f64>) {
        d.clear();
        d.extend(self.variables.iter().map(|&v| from[v]));
        self.turn(d);
        match &self.shape {
            Shape::Flat(flat) | Shape::Pair(flat, ..) => flat.project(d),
            Shape::Spanned(active, _) => {
                let given = d.clone();
                d.fill(0.0);
                along(active, &given, |i, change| d[i] += change, |_, _| {});
            }
        }
        self.turn(d);
    }

    /// How the higher-order parts change with a direction of the face.
    pub(super) fn higher(&self, from: &[f64]) -> Vec<f64> {
        let mut d: Vec<f64> = self.variables.iter().map(|&v| from[v]).collect();
        self.turn(&mut d);
        match &self.shape {
            Shape::Flat(_) => Vec::new(),
            Shape::Pair(_, y, score) => vec![pair::change(y, *score, &d)],
            Shape::Spanned(active, count) => {
                let mut higher = vec![0.0; *count];
                along(active, &d, |_, _| {}, |i, change| higher[i] += change);
                higher
            }
        }
    }

    /// From variables to literals, and back.
    fn turn(&self, d: &mut [f64]) {
        d.iter_mut().zip(&self.negated).filter(|(_, negated)| **negated).for_each(|(d, _)| *d = -*d);
    }
}

/// The blend of the active structures, with weights that sum to zero, that is nearest to `d`.
fn along(active: &ActiveSet, d: &[f64], mut unary: impl FnMut(usize, f64), mut higher: impl FnMut(usize, f64)) {
    let Some(base) = active.vertices.first() else { return };
    let mut change: Vec<f64> = active.vertices.iter().map(|vertex| vertex.unary().dot(d)).collect();
    active.project(&mut change);
    for (vertex, weight) in active.vertices.iter().zip(&change).skip(1) {
        vertex.difference(base, |i, part| unary(i, weight * part), |i, part| higher(i, weight * part));
    }
}
