//! The solvers of threshold maps, and what they find, compiled once.
//!
//! All of a solver is inlined into one function. For a concrete type that belongs to this crate, and is not compiled anew in
//! every program that uses it.

use super::weights::Weights;
use super::{Entmax, Normmax, Subsets, Support, Threshold};
use crate::error::Result;
use crate::real::{Rewrite, Scratch, vectorised};

/// A solved row: what makes a weight of a score.
#[derive(Debug, Clone, Copy)]
pub struct Solved<T>(pub(super) Weights<T>);

/// A type that rows are solved in for the map `M`.
pub trait Solve<M>: Sized {
    /// Solves a row; `None` where every entry is masked. Leaves the block maxima in the scratch, and perhaps the scores in the place where
    /// weights go.
    fn solve(map: &M, row: &mut Rewrite<'_, Self>, scratch: &mut Scratch<Self>) -> Result<Option<Solved<Self>>>;
}

/// A type that the weights of a solved row are computed in.
pub trait Weigh: Sized {
    /// Makes weights of the scores.
    fn fill(solved: Solved<Self>, row: Rewrite<'_, Self>);

    /// Writes the indices and weights of the support, given the block maxima, which are lost.
    fn collect(solved: Solved<Self>, theta: &[Self], blocks: &mut [Self], support: &mut Support<Self>);
}

macro_rules! solve {
    ($type:ident: $($map:ident),*) => {
        $(
            impl Solve<$map> for $type {
                fn solve(
                    map: &$map,
                    row: &mut Rewrite<'_, Self>,
                    scratch: &mut Scratch<Self>,
                ) -> Result<Option<Solved<Self>>> {
                    let extremes = vectorised(
                        #[inline(always)]
                        || map.read(row, scratch),
                    )?;
                    let weights = vectorised(
                        #[inline(always)]
                        || map.solve(row.read(), extremes, scratch),
                    )?;
                    Ok(weights.map(Solved))
                }
            }
        )*

        impl Weigh for $type {
            fn fill(solved: Solved<Self>, row: Rewrite<'_, Self>) {
                vectorised(
                    #[inline(always)]
                    || solved.0.fill(row),
                )
            }

            fn collect(solved: Solved<Self>, theta: &[Self], blocks: &mut [Self], support: &mut Support<Self>) {
                vectorised(
                    #[inline(always)]
                    || solved.0.collect(theta, blocks, support),
                )
            }
        }
    };
}

solve!(f32: Entmax, Normmax, Subsets);
solve!(f64: Entmax, Normmax, Subsets);
