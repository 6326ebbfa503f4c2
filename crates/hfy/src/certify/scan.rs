//! All pairs of patterns, a tile at a time.
//!
//! A product in the type of the patterns, together with what it can be off by, bounds the separation and the distance
//! to the plane of a pair from below. Pairs that may lower a minimum are computed again from the difference
//! of the two patterns in double precision. So the results do not depend on how the product was tiled or summed.

use super::certificate::Certificate;
use super::patterns::Patterns;
use super::rounding::{Rounding, apart, dot};
use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::real::{Real, vectorised};

/// What every pair of patterns is held against.
pub(super) struct Scan<'a, 'p, T: Real> {
    pub(super) patterns: &'a Patterns<'p, T>,
    pub(super) post: Option<&'p dyn Convex<T>>,
    /// `m/β`.
    pub(super) lead: f64,
    pub(super) rounding: Rounding,
    pub(super) columns: usize,
}

/// A state with the minima found so far.
struct Row {
    pattern: usize,
    /// `c·x`, `|c|`, `|x|`, `|x|²`.
    own: f64,
    state_norm: f64,
    norm: f64,
    square: f64,
    moved: f64,
    separation: f64,
    rival: Option<usize>,
    radius: f64,
    boundary: Option<usize>,
    /// The separation and the radius with the pattern in the place of the state.
    recall: f64,
    recall_radius: f64,
}

impl<T: Real> Scan<'_, '_, T> {
    /// The certificates of some rows, or `None` if `stop` says so between two tiles.
    pub(super) fn block(
        &self,
        rows: std::ops::Range<usize>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Certificate>>> {
        let (n, width) = (self.patterns.len(), self.patterns.width());
        let keys = self.patterns.slice(rows.clone());
        let states = self.states(rows.clone())?;
        let states = states.as_deref().unwrap_or(keys);
        let mut found: Vec<Row> = rows.clone().zip(states.chunks(width)).map(|(i, c)| self.start(i, c)).collect();
        if let Some(row) = found.iter().find(|row| !T::of(8.0 * row.state_norm * row.state_norm).is_finite()) {
            let rule = "inner products with the transformed pattern must not overflow";
            let (row, value) = (Some(row.pattern), row.state_norm);
            return Err(Error::Entry { argument: "transformed patterns", row, index: 0, value, rule });
        }
        let mut scores = vec![T::zero(); rows.len() * self.columns.min(n)];
        let mut similarities = if self.post.is_some() { scores.clone() } else { Vec::new() };
        for first in (0..n).step_by(self.columns) {
            if stop() {
                return Ok(None);
            }
            let tile = first..n.min(first + self.columns);
            let size = rows.len() * tile.len();
            T::products(states, self.patterns.slice(tile.clone()), width, &mut scores[..size]);
            if self.post.is_some() {
                T::products(keys, self.patterns.slice(tile.clone()), width, &mut similarities[..size]);
            }
            let similarities = if self.post.is_some() { &similarities } else { &scores };
            let lines = scores[..size].chunks(tile.len()).zip(similarities[..size].chunks(tile.len()));
            for ((row, state), (scores, similarities)) in found.iter_mut().zip(states.chunks(width)).zip(lines) {
                vectorised(
                    #[inline(always)]
                    || match self.post {
                        Some(_) => self.line::<true>(row, state, tile.clone(), scores, similarities),
                        None => self.line::<false>(row, state, tile.clone(), scores, similarities),
                    },
                );
            }
        }
        let largest = self.patterns.largest_norm();
        let moves = self.post.is_some();
        Ok(Some(found.into_iter().map(|row| row.finish(self.lead, largest, moves)).collect()))
    }

    /// `ŷ_Ψ` of the patterns; `None` without Ψ.
    fn states(&self, rows: std::ops::Range<usize>) -> Result<Option<Vec<T>>> {
        let Some(post) = self.post else { return Ok(None) };
        let mut states = self.patterns.slice(rows.clone()).to_vec();
        for (i, state) in rows.zip(states.chunks_mut(self.patterns.width())) {
            post.argmax(state).map_err(|e| e.in_row(i))?;
        }
        Ok(Some(states))
    }

    fn start(&self, pattern: usize, state: &[T]) -> Row {
        let key = self.patterns.row(pattern);
        Row {
            pattern,
            own: dot(state, key),
            state_norm: dot(state, state).sqrt(),
            norm: self.patterns.norms()[pattern],
            square: self.patterns.squares()[pattern],
            moved: if self.post.is_some() { moved(state, key) } else { 0.0 },
            separation: f64::INFINITY,
            rival: None,
            radius: f64::INFINITY,
            boundary: None,
            recall: f64::INFINITY,
            recall_radius: f64::INFINITY,
        }
    }

    /// One row of a tile, with a post-transformation or without.
    #[inline(always)]
    fn line<const POST: bool>(
        &self,
        row: &mut Row,
        state: &[T],
        tile: std::ops::Range<usize>,
        scores: &[T],
        similarities: &[T],
    ) {
        const PART: usize = 64;
        let norms = &self.patterns.norms()[tile.clone()];
        let squares = &self.patterns.squares()[tile.clone()];
        let parts =
            scores.chunks(PART).zip(similarities.chunks(PART)).zip(norms.chunks(PART).zip(squares.chunks(PART)));
        for (part, ((scores, similarities), (norms, squares))) in parts.enumerate() {
            let mut hits = 0u32;
            for (((&g, &h), &norm), &square) in scores.iter().zip(similarities).zip(norms).zip(squares) {
                hits += u32::from(self.may_lower::<POST>(row, g.wide(), h.wide(), norm, square));
            }
            if hits == 0 {
                continue;
            }
            for (k, (((&g, &h), &norm), &square)) in scores.iter().zip(similarities).zip(norms).zip(squares).enumerate()
            {
                let j = tile.start + part * PART + k;
                if j != row.pattern && self.may_lower::<POST>(row, g.wide(), h.wide(), norm, square) {
                    self.visit::<POST>(row, state, j);
                }
            }
        }
    }

    /// Whether a pair with product `g = c·x_j` and similarity `h = x_i·x_j`, as computed, may lower one of the minima.
    #[inline(always)]
    fn may_lower<const POST: bool>(&self, row: &Row, g: f64, h: f64, norm: f64, square: f64) -> bool {
        let Rounding { relative, absolute } = self.rounding;
        let both = row.norm + norm;
        let off = relative * row.state_norm * both + absolute;
        let least = (row.own - g) - off;
        let farthest = (row.square + square - 2.0 * h + 4.0 * (relative * row.norm * norm + absolute)).max(0.0).sqrt();
        let room = least - self.lead - off;
        let reach = (farthest + relative * both) * (1.0 + 16.0 * f64::EPSILON);
        // One test after the other would keep the loop from becoming vector code.
        let lower = (least < row.separation) | ((row.radius > 0.0) & (room < row.radius * reach));
        if !POST {
            return lower;
        }
        let off = relative * row.norm * both + absolute;
        let least = (row.square - h) - off;
        let room = least - self.lead - off;
        lower | (least < row.recall) | ((row.recall_radius > 0.0) & (room < row.recall_radius * reach))
    }

    /// The pair in double precision, from the difference of the patterns.
    #[inline(always)]
    fn visit<const POST: bool>(&self, row: &mut Row, state: &[T], j: usize) {
        let (along, square) = apart(state, self.patterns.row(row.pattern), self.patterns.row(j));
        if along < row.separation {
            (row.separation, row.rival) = (along, Some(j));
        }
        let both = row.norm + self.patterns.norms()[j];
        let radius = self.rounding.radius(along - self.lead, square, both, row.state_norm);
        if radius < row.radius {
            (row.radius, row.boundary) = (radius, (radius > 0.0).then_some(j));
        }
        if POST {
            let key = self.patterns.row(row.pattern);
            let (along, square) = apart(key, key, self.patterns.row(j));
            row.recall = row.recall.min(along);
            row.recall_radius = row.recall_radius.min(self.rounding.radius(along - self.lead, square, both, row.norm));
        }
    }
}

/// `|c - x|`, zero only where they are equal: squares of the least differences would vanish.
fn moved<T: Real>(state: &[T], key: &[T]) -> f64 {
    let far = apart(state, state, key).1.sqrt();
    let largest = || state.iter().zip(key).map(|(c, x)| (c.wide() - x.wide()).abs()).fold(0.0, f64::max);
    if far > 0.0 { far } else { largest() }
}

impl Row {
    fn finish(self, lead: f64, largest: f64, moves: bool) -> Certificate {
        let paper = (self.separation - lead) / (2.0 * largest);
        Certificate {
            pattern: self.pattern,
            separation: self.separation,
            rival: self.rival,
            fixed_point: self.separation >= lead,
            recalled: if moves { self.recall >= lead } else { self.separation >= lead },
            // Never more than the sharp one, which rounding may have made smaller.
            radius_paper: if paper > 0.0 { paper.min(self.radius) } else { 0.0 },
            radius_sharp: self.radius,
            boundary: self.boundary,
            radius_pattern: if moves { self.recall_radius } else { self.radius },
            moved: self.moved,
        }
    }
}
