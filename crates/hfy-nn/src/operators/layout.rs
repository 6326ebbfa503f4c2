//! Where the patterns, states and scores of bags of different sizes lie.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result, ensure};

/// The rows of a matrix that belong to each bag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// The same rows for every bag.
    Shared(usize),
    /// Bag after bag: where each begins, and the end.
    Bags(Arc<[usize]>),
}

impl Rows {
    /// Bags one after the other; offsets rise from 0.
    pub fn bags(offsets: &[usize]) -> Result<Self> {
        let rises = offsets.first() == Some(&0) && offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        ensure(rises, || {
            Error::argument("offsets", format!("{offsets:?}"), "they must begin with 0 and must not fall")
        })?;
        Ok(Rows::Bags(offsets.into()))
    }

    /// `count` bags of `size` rows.
    pub fn batch(count: usize, size: usize) -> Self {
        Rows::Bags((0..=count).map(|bag| bag * size).collect())
    }

    /// How many rows the matrix has.
    pub fn total(&self) -> usize {
        match self {
            Rows::Shared(size) => *size,
            Rows::Bags(offsets) => offsets[offsets.len() - 1],
        }
    }

    /// How many bags there are; `None` where the rows serve any number.
    pub fn count(&self) -> Option<usize> {
        match self {
            Rows::Shared(_) => None,
            Rows::Bags(offsets) => Some(offsets.len() - 1),
        }
    }

    /// The rows of a bag.
    pub fn of(&self, bag: usize) -> Range<usize> {
        match self {
            Rows::Shared(size) => 0..*size,
            Rows::Bags(offsets) => offsets[bag]..offsets[bag + 1],
        }
    }

    /// The same rows in so many bags, each with rows of its own.
    pub fn unshared(&self, bags: usize) -> Self {
        match self {
            Rows::Shared(size) => Rows::batch(bags, *size),
            bags @ Rows::Bags(_) => bags.clone(),
        }
    }

    /// The same with `more` rows at the end of each bag.
    pub(crate) fn extended(&self, more: usize) -> Self {
        match self {
            Rows::Shared(size) => Rows::Shared(size + more),
            Rows::Bags(offsets) => Rows::Bags(offsets.iter().enumerate().map(|(bag, at)| at + bag * more).collect()),
        }
    }
}

/// The scores of all bags in one slice: bag after bag, in each head after head, in each query after query, and a
/// query's scores of all stored patterns of its bag beside each other. There is no padding.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) heads: usize,
    pub(crate) state: Rows,
    pub(crate) stored: Rows,
    /// Where the scores of each bag begin, and the end.
    starts: Arc<[usize]>,
}

impl Layout {
    pub(crate) fn new(heads: usize, state: Rows, stored: Rows) -> Result<Self> {
        let bags = match (state.count(), stored.count()) {
            (Some(states), Some(bags)) if states != bags => {
                let rule = format!("there must be as many as bags of stored patterns, {bags}, or one for all");
                return Err(Error::argument("bags of state patterns", states, rule));
            }
            (states, bags) => bags.or(states).unwrap_or(1),
        };
        let sizes = (0..bags).map(|bag| heads * state.of(bag).len() * stored.of(bag).len());
        let mut starts = vec![0];
        starts.extend(sizes.scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        Ok(Layout { heads, state, stored, starts: starts.into() })
    }

    pub(crate) fn bags(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many scores there are.
    pub(crate) fn total(&self) -> usize {
        self.starts[self.bags()]
    }

    /// The scores of a head in a bag: (queries, stored patterns).
    pub(crate) fn block(&self, bag: usize, head: usize) -> Range<usize> {
        let size = self.state.of(bag).len() * self.stored.of(bag).len();
        let start = self.starts[bag] + head * size;
        start..start + size
    }

    /// Every bag with every head.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.bags()).flat_map(|bag| (0..self.heads).map(move |head| (bag, head)))
    }

    /// The head and the scores of every query that has any.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        self.blocks().flat_map(|(bag, head)| {
            let (block, size) = (self.block(bag, head), self.stored.of(bag).len());
            let queries = if size == 0 { 0 } else { self.state.of(bag).len() };
            (0..queries).map(move |query| {
                let start = block.start + query * size;
                (head, start..start + size)
            })
        })
    }

    /// The rows that answers and updated states have: those of the states, for each bag its own.
    pub(crate) fn answers(&self) -> Rows {
        self.state.unshared(self.bags())
    }
}
