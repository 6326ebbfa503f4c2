//! Dependency trees without crossing arcs.

use std::borrow::Cow;
use std::ops::Range;

use super::check::{at_least, check_higher, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::Result;

/// Trees as in [`Arborescence`](super::Arborescence), over words in their order, none of whose arcs cross,
///
/// ```text
/// { trees : if h → m, then h is an ancestor of every word between h and m }.
/// ```
///
/// The layout is the same: variable `h n + m` is the arc from head `h` to modifier `m`, and **variable `m n + m`
/// attaches modifier `m` to the root.** The root stands before the first word, so that no arc spans a word that hangs
/// on it. Any number of words may, unless [`single_root`](Projective::single_root) asks for exactly one.
///
/// The oracle is Eisner's algorithm, with sums of twice the precision.
///
/// **Cost.** `n³`, and `n²` of memory.
///
/// Reference: Eisner, *Three New Probabilistic Models for Dependency Parsing: An Exploration*, 1996.
///
/// ```
/// use hfy::structure::{Projective, Structure, Vertex};
///
/// // Word 1 is the root, and has the others.
/// let scores = [0.0, 0.0, 0.0, 2.0, 1.0, 2.0, 0.0, 0.0, 0.0];
/// let mut best = Vertex::default();
/// assert_eq!(Projective::new(3)?.maximise(&scores, &[], &mut best)?, 5.0);
/// best.sort();
/// assert_eq!(best.unary().indices(), [3, 4, 5]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Projective {
    words: usize,
    single_root: bool,
}

impl Projective {
    /// Trees over `words` words and the root.
    pub fn new(words: usize) -> Result<Self> {
        at_least(1, "words", words, "there must be at least one word")?;
        Ok(Projective { words, single_root: false })
    }

    /// Only the trees with exactly one word attached to the root.
    pub fn single_root(self) -> Self {
        Projective { single_root: true, ..self }
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.words
    }
}

impl Structure for Projective {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        check_variables(variables, self.words.saturating_mul(self.words))?;
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let n = self.words;
        let chart = Chart::of(n, unary);
        // The first j words are trees of their own, the last of which has its root at m and begins at i.
        let mut trees = vec![Wide::FORBIDDEN; n + 1];
        trees[0] = Wide::ZERO;
        let mut rooted = vec![(0, Wide::FORBIDDEN); n];
        for m in 0..n {
            let starts = if self.single_root { 0..1 } else { 0..m + 1 };
            let (i, score) = best(starts, |i| trees[i] + chart.left[i * n + m]);
            rooted[m] = (i, score + unary[m * n + m]);
            trees[m + 1] = best(0..m + 1, |r| rooted[r].1 + chart.right[r * n + m]).1;
        }
        let mut pieces = Vec::new();
        let mut end = if trees[n].is_forbidden() { 0 } else { n };
        while end > 0 {
            let (m, _) = best(0..end, |m| rooted[m].1 + chart.right[m * n + end - 1]);
            let start = rooted[m].0;
            vertex.choose(m * n + m);
            pieces.extend([Piece::Left(start, m), Piece::Right(m, end - 1)]);
            end = start;
        }
        chart.trace(pieces, vertex);
        Ok(trees[n].rounded())
    }

    fn mass(&self) -> Option<f64> {
        Some(self.words as f64)
    }
}

/// The first place in a range with the best score.
fn best(range: Range<usize>, score: impl Fn(usize) -> Wide) -> (usize, Wide) {
    range.fold((0, Wide::FORBIDDEN), |best, at| {
        let score = score(at);
        if score > best.1 { (at, score) } else { best }
    })
}

/// The words from `i` to `j`, of which the first, or the last, is above all others.
#[derive(Clone, Copy)]
enum Piece {
    Right(usize, usize),
    Left(usize, usize),
    /// There is an arc between the first and the last.
    Open(usize, usize),
}

/// The best scores of pieces, at `i n + j`.
struct Chart {
    words: usize,
    right: Vec<Wide>,
    left: Vec<Wide>,
    right_open: Vec<Wide>,
    left_open: Vec<Wide>,
}

impl Chart {
    fn of(n: usize, unary: &[f64]) -> Self {
        let empty = || vec![Wide::FORBIDDEN; n * n];
        let mut chart = Chart { words: n, right: empty(), left: empty(), right_open: empty(), left_open: empty() };
        for i in 0..n {
            (chart.right[i * n + i], chart.left[i * n + i]) = (Wide::ZERO, Wide::ZERO);
        }
        for length in 1..n {
            for (i, j) in (length..n).enumerate() {
                let inside = chart.open(i, j).1;
                chart.right_open[i * n + j] = inside + unary[i * n + j];
                chart.left_open[i * n + j] = inside + unary[j * n + i];
                chart.right[i * n + j] = chart.right(i, j).1;
                chart.left[i * n + j] = chart.left(i, j).1;
            }
        }
        chart
    }

    /// Where the words below `i` end and those below `j` begin.
    fn open(&self, i: usize, j: usize) -> (usize, Wide) {
        best(i..j, |q| self.right[i * self.words + q] + self.left[(q + 1) * self.words + j])
    }

    /// The last modifier of `i`.
    fn right(&self, i: usize, j: usize) -> (usize, Wide) {
        best(i + 1..j + 1, |q| self.right_open[i * self.words + q] + self.right[q * self.words + j])
    }

    /// The first modifier of `j`.
    fn left(&self, i: usize, j: usize) -> (usize, Wide) {
        best(i..j, |q| self.left[i * self.words + q] + self.left_open[q * self.words + j])
    }

    /// Writes the arcs of pieces whose score is finite. Where each divides is found again rather than stored.
    fn trace(&self, mut pieces: Vec<Piece>, vertex: &mut Vertex) {
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Right(i, j) | Piece::Left(i, j) if i == j => {}
                Piece::Right(i, j) => {
                    let q = self.right(i, j).0;
                    vertex.choose(i * self.words + q);
                    pieces.extend([Piece::Open(i, q), Piece::Right(q, j)]);
                }
                Piece::Left(i, j) => {
                    let q = self.left(i, j).0;
                    vertex.choose(j * self.words + q);
                    pieces.extend([Piece::Left(i, q), Piece::Open(q, j)]);
                }
                Piece::Open(i, j) => {
                    let q = self.open(i, j).0;
                    pieces.extend([Piece::Right(i, q), Piece::Left(q + 1, j)]);
                }
            }
        }
    }
}
