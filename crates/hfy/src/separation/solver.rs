//! The solvers of threshold maps, compiled once.

use super::{Entmax, Normmax, Subsets, Support, Threshold};
use crate::convex::Outcome;
use crate::error::Result;
use crate::real::{Real, Scratch, vectorised};

/// A type that rows are solved in for the map `M`.
///
/// All of a solver is inlined into each of these functions. For a concrete type they belong to this crate, and are not
/// compiled anew in every program that uses it.
pub trait Solve<M>: Sized {
    /// Writes the weights over the scores.
    fn fill(map: &M, theta: &mut [Self]) -> Result<Outcome>;

    /// Writes the support and returns the largest score; `None` where every entry is masked.
    fn collect(
        map: &M,
        theta: &[Self],
        scratch: &mut Scratch<Self>,
        support: &mut Support<Self>,
    ) -> Result<Option<Self>>;
}

macro_rules! solve {
    ($type:ident: $($map:ident),*) => {$(
        impl Solve<$map> for $type {
            fn fill(map: &$map, theta: &mut [Self]) -> Result<Outcome> {
                <$type as Real>::with_scratch(|scratch| {
                    vectorised(
                        #[inline(always)]
                        || Threshold::fill(map, theta, scratch),
                    )
                })
            }

            fn collect(
                map: &$map,
                theta: &[Self],
                scratch: &mut Scratch<Self>,
                support: &mut Support<Self>,
            ) -> Result<Option<Self>> {
                vectorised(
                    #[inline(always)]
                    || Threshold::collect(map, theta, scratch, support),
                )
            }
        }
    )*};
}

solve!(f32: Entmax, Normmax, Subsets);
solve!(f64: Entmax, Normmax, Subsets);
