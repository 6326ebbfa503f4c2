//! Numbers and patterns drawn from a seed.

use hfy::Real;
use ndarray::Array2;

pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    /// Uniform in (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A direction of length one.
    pub(crate) fn direction(&mut self, d: usize) -> Vec<f64> {
        let v: Vec<f64> = (0..d).map(|_| self.normal()).collect();
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter().map(|v| v / length).collect()
    }

    /// Patterns of one of several kinds: Gaussian, on a sphere, of signs, in close pairs, of very different norms.
    pub(crate) fn patterns<T: Real>(&mut self, n: usize, d: usize) -> Array2<T> {
        let kind = self.below(5);
        let size = 4.0 * self.uniform() + 0.5;
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for i in 0..n {
            rows.push(match kind {
                0 => (0..d).map(|_| size * self.normal()).collect(),
                1 => self.direction(d).into_iter().map(|v| size * v).collect(),
                2 => (0..d).map(|_| self.normal().signum()).collect(),
                3 if i % 2 == 1 => rows[i - 1].iter().map(|v| v + 1e-3 * self.normal()).collect(),
                _ => {
                    let scale = size * (2.0 * self.normal()).exp();
                    (0..d).map(|_| scale * self.normal()).collect()
                }
            });
        }
        Array2::from_shape_fn((n, d), |(i, j)| T::of(rows[i][j]))
    }
}
