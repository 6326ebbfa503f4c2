//! The assignments of a few variables, one by one.

use std::borrow::Cow;

use hfy::Result;
use hfy::structure::{SparseMap, Status, Structure, Vertex};

use crate::common::draw::Draw;

/// Assignments with a score each, which is the score of a higher-order part of their own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) scores: Vec<f64>,
}

impl Listed {
    /// Those of `n` variables with a score above minus infinity.
    pub(crate) fn scored(n: usize, score: impl Fn(&[bool]) -> f64) -> Self {
        let mut listed = Listed::default();
        for code in 0..1usize << n {
            let row: Vec<bool> = (0..n).map(|i| code >> i & 1 == 1).collect();
            let score = score(&row);
            if score > f64::NEG_INFINITY {
                listed.rows.push(row.iter().map(|&on| f64::from(on)).collect());
                listed.scores.push(score);
            }
        }
        listed
    }

    /// Those of `n` variables that `allowed` says.
    pub(crate) fn allowed(n: usize, allowed: impl Fn(&[bool]) -> bool) -> Self {
        Self::scored(n, |row| if allowed(row) { 0.0 } else { f64::NEG_INFINITY })
    }

    /// Marginals and value of SparseMAP over these, checked for optimality.
    pub(crate) fn solve(&self, theta: &[f64]) -> (Vec<f64>, f64) {
        let solution = SparseMap::new(self).solve(theta).expect("some assignment is left");
        assert_eq!(solution.status, Status::Optimal);
        (solution.marginals, solution.value)
    }

    /// By how much the best assignment beats `y` with the higher-order score `inside`, at the scores `θ - y`.
    pub(crate) fn lead(&self, theta: &[f64], y: &[f64], inside: f64) -> f64 {
        let score = |row: &[f64]| -> f64 {
            let parts = theta.iter().zip(y).zip(row).filter(|(_, row)| **row != 0.0);
            parts.map(|((s, y), row)| (s - y) * row).sum()
        };
        let best = self.rows.iter().zip(&self.scores).map(|(row, own)| score(row) + own);
        best.fold(f64::NEG_INFINITY, f64::max) - score(y) - inside
    }
}

impl Structure for Listed {
    fn higher(&self, _variables: usize) -> Result<Cow<'_, [f64]>> {
        Ok(Cow::Borrowed(&self.scores))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        let score = |r: usize| {
            let parts = self.rows[r].iter().zip(unary).filter(|(row, _)| **row != 0.0);
            parts.map(|(row, s)| row * s).sum::<f64>() + higher[r]
        };
        let mut best = (0, f64::NEG_INFINITY);
        for r in 0..self.rows.len() {
            if score(r) > best.1 {
                best = (r, score(r));
            }
        }
        (0..unary.len()).filter(|&i| self.rows[best.0][i] == 1.0).for_each(|i| vertex.choose(i));
        vertex.link(best.0);
        Ok(best.1)
    }
}

/// `argmax { θ·μ + Σ η·e - |μ|²/2 }` with every factor in its hull, by the method of Dykstra: a projection on each in
/// turn, which is first given back what it took away the last time.
pub(crate) fn dykstra(theta: &[f64], factors: &[(Vec<usize>, Listed)]) -> Vec<f64> {
    let mut x: Vec<f64> = theta.to_vec();
    let mut taken: Vec<Vec<f64>> = factors.iter().map(|(variables, _)| vec![0.0; variables.len()]).collect();
    for _ in 0..200_000 {
        let mut change = 0.0_f64;
        for ((variables, listed), taken) in factors.iter().zip(&mut taken) {
            let given: Vec<f64> = variables.iter().zip(&*taken).map(|(&v, t)| x[v] + t).collect();
            let solution = SparseMap::new(listed).solve(&given).expect("a structure");
            for (at, &v) in variables.iter().enumerate() {
                change = change.max((x[v] - solution.marginals[at]).abs());
                taken[at] = given[at] - solution.marginals[at];
                x[v] = solution.marginals[at];
            }
        }
        if change < 1e-12 {
            break;
        }
    }
    x
}

/// Scores of one of several kinds: spread, close, tied, on a grid, large.
pub(crate) fn scores(draw: &mut Draw, n: usize) -> Vec<f64> {
    let kind = draw.below(5);
    let tie = draw.normal();
    (0..n)
        .map(|_| match kind {
            0 => 2.0 * draw.normal(),
            1 => 0.3 * draw.normal() + 0.3,
            2 => tie,
            3 => draw.below(5) as f64 / 4.0 - 0.25,
            _ => 50.0 * draw.normal(),
        })
        .collect()
}

#[track_caller]
pub(crate) fn near(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance, "{what}[{i}] = {g:e}, expected {w:e}\n{got:?}\n{want:?}");
    }
}
