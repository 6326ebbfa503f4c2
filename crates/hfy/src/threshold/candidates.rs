//! The scores that matter to a threshold.

use hfy_kernel::Buffers;

use super::plan::Equation;
use super::search::lower_bound;
use super::{linear, quadratic};
use crate::real::{Real, Scores};

/// Block maxima from which on their threshold is worth its cost.
const FEW: usize = 3;

/// The scores that matter to `Σ (z - τ)₊^p = 1`, for `z = (x - max) scale`.
pub(crate) struct Candidates<T> {
    /// How many were copied to `buffers.kept`, as `z`; `None` where they are so many that the row itself serves.
    kept: Option<usize>,
    /// A lower bound of `τ`.
    pub(crate) tau: T,
    by: (T, T),
}

impl<T: Real> Candidates<T> {
    /// By a lower bound of the threshold: that of a part of the row, here the block maxima, never exceeds that of the
    /// whole.
    pub(crate) fn find(theta: &[T], buffers: &mut Buffers<T>, by: (T, T), equation: Equation<T>) -> Self {
        let Buffers { blocks, bends, kept, .. } = buffers;
        let mut tau = -T::one();
        if blocks.len() > FEW && equation.p() >= T::one() {
            bends.clear();
            bends.extend(blocks.iter().map(|&x| (x - by.0) * by.1));
            let count = T::retain(bends, tau);
            let part = match equation {
                Equation::Linear => linear(&mut bends[..count]).0,
                Equation::Quadratic => quadratic(&mut bends[..count], tau).0,
                _ => lower_bound(&bends[..count], equation.p()),
            };
            // Below what rounding may have added.
            tau = (part - T::of(16.0) * T::epsilon()).max(tau);
        }
        let level = tau + equation.negligible(theta.len());
        let most = equation.most_copied();
        if most < 1.0 && T::share_above(theta, by, level) > most {
            return Candidates { kept: None, tau, by };
        }
        Candidates { kept: Some(T::gather(theta, blocks, by, level, kept)), tau, by }
    }

    /// Where they lie.
    pub(crate) fn scores<'a>(&self, theta: &'a [T], kept: &'a [T]) -> Scores<'a, T> {
        match self.kept {
            Some(count) => Scores::plain(&kept[..count]),
            None => Scores { row: theta, shift: self.by.0, scale: self.by.1 },
        }
    }

    /// The copies.
    pub(crate) fn copies<'a>(&self, kept: &'a mut [T]) -> &'a mut [T] {
        &mut kept[..self.kept.unwrap_or(0)]
    }
}
