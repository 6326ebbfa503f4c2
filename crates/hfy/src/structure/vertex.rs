//! One structure, written as the vector of the parts that it has.

use super::wide::Wide;

/// Entries of a vector that are not zero, in the order of their indices.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Parts {
    /// Positions of the entries, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The entries at those positions.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many entries are not zero.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether every entry is zero.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Pairs of position and entry.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.indices.iter().copied().zip(self.values.iter().copied())
    }

    /// The product with a vector; what is not a part is not looked at.
    pub fn dot(&self, vector: &[f64]) -> f64 {
        self.iter().map(|(i, v)| v * vector[i]).sum()
    }

    /// The product with other parts.
    pub(crate) fn product(&self, other: &Parts) -> f64 {
        let (mut sum, mut j) = (0.0, 0);
        for (i, value) in self.iter() {
            while j < other.indices.len() && other.indices[j] < i {
                j += 1;
            }
            if other.indices.get(j) == Some(&i) {
                sum += value * other.values[j];
            }
        }
        sum
    }

    /// `vector ← vector + weight · self`.
    pub(crate) fn add_to(&self, weight: f64, vector: &mut [f64]) {
        self.iter().for_each(|(i, v)| vector[i] += weight * v);
    }

    fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    fn push(&mut self, index: usize, value: f64) {
        if value != 0.0 {
            self.indices.push(index);
            self.values.push(value);
        }
    }

    fn sort(&mut self) {
        if !self.indices.is_sorted() {
            let mut pairs: Vec<(usize, f64)> = self.iter().collect();
            pairs.sort_by_key(|(index, _)| *index);
            self.clear();
            pairs.into_iter().for_each(|(index, value)| self.push(index, value));
        }
    }
}

/// A vertex: its unary part, one entry a variable, and its higher-order part, one entry an interaction.
///
/// ```
/// use hfy::structure::Vertex;
///
/// let mut pair = Vertex::default(); // variables 2 and 3, and the edge between them
/// pair.choose(3);
/// pair.choose(2);
/// pair.link(2);
/// pair.sort();
/// assert_eq!(pair.unary().indices(), [2, 3]);
/// assert_eq!(pair.score(&[0.0, 0.0, 1.0, 0.5], &[0.0, 0.0, 0.25]), 1.75);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vertex {
    unary: Parts,
    higher: Parts,
}

impl Vertex {
    /// The vertex whose unary part is a dense vector, without higher-order parts.
    pub fn dense(unary: &[f64]) -> Self {
        let mut vertex = Vertex::default();
        unary.iter().enumerate().for_each(|(i, &value)| vertex.unary.push(i, value));
        vertex
    }

    /// The variables.
    pub fn unary(&self) -> &Parts {
        &self.unary
    }

    /// The interactions.
    pub fn higher(&self) -> &Parts {
        &self.higher
    }

    /// Forgets every part.
    pub fn clear(&mut self) {
        self.unary.clear();
        self.higher.clear();
    }

    /// Sets variable `index` to one.
    pub fn choose(&mut self, index: usize) {
        self.unary.push(index, 1.0);
    }

    /// Sets interaction `index` to one.
    pub fn link(&mut self, index: usize) {
        self.higher.push(index, 1.0);
    }

    /// Brings the parts into the order of their indices. A [`Structure`](super::Structure) may choose them in any
    /// order; the solver sorts.
    pub fn sort(&mut self) {
        self.unary.sort();
        self.higher.sort();
    }

    /// What it scores.
    pub fn score(&self, unary: &[f64], higher: &[f64]) -> f64 {
        self.unary.dot(unary) + self.higher.dot(higher)
    }

    /// Whether it has no part but those that there are scores for, none of which is forbidden.
    pub(crate) fn is_allowed(&self, unary: &[f64], higher: &[f64]) -> bool {
        let allowed = |parts: &Parts, scores: &[f64]| {
            parts.indices.iter().all(|&i| scores.get(i).is_some_and(|&score| score > f64::NEG_INFINITY))
        };
        allowed(&self.unary, unary) && allowed(&self.higher, higher)
    }

    /// By how much it outscores another. What both have cancels before anything is added, and the rest is summed in
    /// twice the precision, so that scores of 1e8 do not blur scores of 1.
    pub(crate) fn lead(&self, other: &Vertex, unary: &[f64], higher: &[f64]) -> f64 {
        let mut sum = Wide::ZERO;
        difference(&self.unary, &other.unary, |i, change| sum = sum + change * unary[i]);
        difference(&self.higher, &other.higher, |i, change| sum = sum + change * higher[i]);
        sum.rounded()
    }

    /// Calls `unary` and `higher` with every part in which it differs from another, and with the difference.
    pub(crate) fn difference(&self, other: &Vertex, unary: impl FnMut(usize, f64), higher: impl FnMut(usize, f64)) {
        difference(&self.unary, &other.unary, unary);
        difference(&self.higher, &other.higher, higher);
    }
}

/// Calls `each` with every position where the two differ, and with `a - b` there.
fn difference(a: &Parts, b: &Parts, mut each: impl FnMut(usize, f64)) {
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.indices.get(i), b.indices.get(j)) {
            (Some(&at), Some(&bt)) if at == bt => {
                let change = a.values[i] - b.values[j];
                if change != 0.0 {
                    each(at, change);
                }
                (i, j) = (i + 1, j + 1);
            }
            (Some(&at), bt) if bt.is_none_or(|&bt| at < bt) => {
                each(at, a.values[i]);
                i += 1;
            }
            (_, Some(&bt)) => {
                each(bt, -b.values[j]);
                j += 1;
            }
            _ => break,
        }
    }
}
