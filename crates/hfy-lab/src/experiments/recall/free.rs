//! A free recall as the paper runs it.

use hfy::recall::{FreeRecall, Penalty, Recall};
use hfy::{Entmax, Real, certify};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::{PENALTY, Precision, Run, map_name};

/// How it is kept account of what was recalled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    /// Bounds of constrained sparsemax, Algorithm 1.
    Constrained,
    /// A penalty on an average, Algorithm 2.
    Penalised {
        /// Of the entmax.
        alpha: f64,
        /// The weight of the average.
        lambda: f64,
        /// The weight of what is new in it.
        tau: f64,
    },
}

impl Method {
    /// The paper's four, in the order of its legends.
    pub(crate) fn all() -> [Method; 4] {
        let [soft, middle, sparse] = [1.0, 1.5, 2.0].map(|alpha| Method::penalised(alpha, PENALTY));
        [Method::Constrained, soft, middle, sparse]
    }

    pub(crate) fn penalised(alpha: f64, (lambda, tau): (f64, f64)) -> Self {
        Method::Penalised { alpha, lambda, tau }
    }

    /// Its name in figures.
    pub(crate) fn name(&self) -> String {
        match self {
            Method::Constrained => "constrained sparsemax".to_owned(),
            Method::Penalised { alpha, .. } => format!("penalised {}", map_name(*alpha)),
        }
    }
}

/// A free recall from the first memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct FreeRun {
    pub(crate) method: Method,
    pub(crate) count: usize,
    pub(crate) beta: f64,
    pub(crate) steps: usize,
    pub(crate) precision: Precision,
}

impl Run for FreeRun {
    fn count(&self) -> usize {
        self.count
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn recall<T: Real>(&self, memories: ArrayView2<'_, T>, progress: certify::Progress<'_>) -> hfy::Result<Recall<T>> {
        let procedure = match self.method {
            Method::Constrained => FreeRecall::constrained(self.beta, self.steps)?,
            Method::Penalised { alpha, lambda, tau } => {
                FreeRecall::penalised(Entmax::new(alpha)?, Penalty::new(lambda, tau)?, self.beta, self.steps)?
            }
        };
        procedure.run_with(memories, 0, progress)
    }

    fn seconds(&self) -> f64 {
        let n = self.count as f64;
        // Under softmax every memory has weight in every step.
        match self.method {
            Method::Penalised { alpha, .. } if alpha <= 1.0 => 7e-10 * n.powi(3),
            _ => 8e-8 * n * n,
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use std::ops::ControlFlow;

    use super::*;

    /// The published code moves bounds below zero up to zero; nothing here is ever below.
    #[test]
    fn clamping_bounds_changes_nothing() {
        let memories = Array2::from_shape_fn((24, 9), |(i, j)| ((i * 7 + j * j * 5 + i * j) % 17) as f32 / 8.0 - 1.0);
        for beta in [0.05, 0.3, 2.0] {
            let run = FreeRun { method: Method::Constrained, count: 24, beta, steps: 20, precision: Precision::Single };
            let plain = run.recall(memories.view(), &|_, _| ControlFlow::Continue(())).unwrap();
            let clamped = FreeRecall::constrained(beta, 20).unwrap().clamped().run(memories.view(), 0).unwrap();
            assert_eq!(plain, clamped);
        }
    }

    #[test]
    fn names() {
        let names = Method::all().map(|method| method.name());
        assert_eq!(names[1..], ["penalised softmax", "penalised 1.5-entmax", "penalised sparsemax"]);
    }
}
