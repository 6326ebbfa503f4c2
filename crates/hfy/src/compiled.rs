//! What is compiled once, in this crate, for each type of numbers.
//!
//! Generic code is compiled again in every crate that uses it, and the kernels are inlined deeply. Whoever calls one of these
//! entrances links to what is here instead.

use ndarray::ArrayView2;

use crate::certify::{Certificate, Certifier, Progress};
use crate::convex::Convex;
use crate::error::Result;
use crate::network::Parts;
use crate::post::Post;
use crate::recall::{Cue, FreeRecall, Recall, SequentialRecall};
use crate::retrieval::{Index, Retrieval, Retriever};
use crate::separation::{Map, Separation};

/// The entrances.
pub trait Compiled: Sized {
    /// The map behind a choice at run time.
    fn separation(map: &Map) -> &dyn Separation<Self>;

    /// The post-transformation behind a choice at run time.
    fn post(post: &Post) -> &dyn Convex<Self>;

    /// Runs a retrieval.
    fn retrieve(
        retriever: &Retriever<'_, Self>,
        queries: ArrayView2<'_, Self>,
        progress: Progress<'_>,
    ) -> Result<Retrieval<Self>>
    where
        Self: crate::Real;

    /// Computes energies.
    fn energies(
        retriever: &Retriever<'_, Self>,
        states: ArrayView2<'_, Self>,
        progress: Progress<'_>,
    ) -> Result<Vec<Parts<Self>>>
    where
        Self: crate::Real;

    /// Builds an index.
    fn index(patterns: ArrayView2<'_, Self>, rank: usize) -> Result<Index<Self>>
    where
        Self: crate::Real;

    /// Certifies every pattern.
    fn certificates(certifier: &Certifier<'_, Self>, progress: Progress<'_>) -> Result<Vec<Certificate>>
    where
        Self: crate::Real;

    /// Recalls freely.
    fn free_recall<'a>(
        recall: &FreeRecall,
        patterns: ArrayView2<'a, Self>,
        cue: Cue<'a, Self>,
        progress: Progress<'_>,
    ) -> Result<Recall<Self>>
    where
        Self: crate::Real;

    /// Recalls in order.
    fn sequential_recall<'a>(
        recall: &SequentialRecall,
        patterns: ArrayView2<'a, Self>,
        cue: Cue<'a, Self>,
        progress: Progress<'_>,
    ) -> Result<Recall<Self>>
    where
        Self: crate::Real;
}

macro_rules! compiled {
    ($($type:ty),*) => {$(
        impl Compiled for $type {
            fn separation(map: &Map) -> &dyn Separation<Self> {
                match map {
                    Map::Quadratic(map) => map,
                    Map::Power(map) => map,
                    Map::Exponential(map) => map,
                    Map::Entmax(map) => map,
                    Map::Normmax(map) => map,
                    Map::Bounded(map) => map,
                    Map::Subsets(map) => map,
                    Map::Structured(map) => map.as_ref(),
                }
            }

            fn post(post: &Post) -> &dyn Convex<Self> {
                match post {
                    Post::Identity(post) => post,
                    Post::Ball(post) => post,
                    Post::LayerNorm(post) => post,
                    Post::Tanh(post) => post,
                    Post::Sign(post) => post,
                    Post::Linear(post) => post,
                }
            }

            fn retrieve(
                retriever: &Retriever<'_, Self>,
                queries: ArrayView2<'_, Self>,
                progress: Progress<'_>,
            ) -> Result<Retrieval<Self>> {
                retriever.run(queries, progress)
            }

            fn energies(
                retriever: &Retriever<'_, Self>,
                states: ArrayView2<'_, Self>,
                progress: Progress<'_>,
            ) -> Result<Vec<Parts<Self>>> {
                retriever.compute_energies(states, progress)
            }

            fn index(patterns: ArrayView2<'_, Self>, rank: usize) -> Result<Index<Self>> {
                Index::compute(patterns, rank)
            }

            fn certificates(certifier: &Certifier<'_, Self>, progress: Progress<'_>) -> Result<Vec<Certificate>> {
                certifier.compute(progress)
            }

            fn free_recall<'a>(
                recall: &FreeRecall,
                patterns: ArrayView2<'a, Self>,
                cue: Cue<'a, Self>,
                progress: Progress<'_>,
            ) -> Result<Recall<Self>> {
                recall.compute(patterns, cue, progress)
            }

            fn sequential_recall<'a>(
                recall: &SequentialRecall,
                patterns: ArrayView2<'a, Self>,
                cue: Cue<'a, Self>,
                progress: Progress<'_>,
            ) -> Result<Recall<Self>> {
                recall.compute(patterns, cue, progress)
            }
        }
    )*};
}

compiled!(f32, f64);
