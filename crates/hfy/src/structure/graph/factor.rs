//! What a factor says about its variables.

use std::fmt;
use std::sync::Arc;

use super::super::Structure;
use crate::error::{Error, Result};

/// Sets of assignments that have a name.
#[derive(Clone)]
pub(super) enum Kind {
    /// Between so many and so many literals are on.
    Count { least: usize, most: usize },
    /// The last literal is on exactly where one of the others is.
    OrOut,
    /// Anything, with a score where both literals are on.
    Pair(f64),
    /// A structure over the literals.
    Structured(Arc<dyn Structure>),
}

/// A set of assignments of some variables of a [`FactorGraph`](super::FactorGraph), and perhaps scores of its own.
///
/// Constructors take what they are given; [`FactorGraph::add`](super::FactorGraph::add) checks it.
#[derive(Clone)]
pub struct Factor {
    pub(super) variables: Vec<usize>,
    pub(super) negated: Vec<bool>,
    pub(super) kind: Kind,
    stray: Option<usize>, // a position to be negated that there is not
}

impl Factor {
    fn of(variables: &[usize], kind: Kind) -> Self {
        Factor { variables: variables.to_vec(), negated: vec![false; variables.len()], kind, stray: None }
    }

    /// Exactly one is on. The paper's XOR.
    pub fn exactly_one(variables: &[usize]) -> Self {
        Self::exactly(variables, 1)
    }

    /// At most one is on.
    pub fn at_most_one(variables: &[usize]) -> Self {
        Self::budget(variables, 1)
    }

    /// At least one is on.
    pub fn or(variables: &[usize]) -> Self {
        Self::at_least(variables, 1)
    }

    /// Exactly `k` are on.
    pub fn exactly(variables: &[usize], k: usize) -> Self {
        Self::of(variables, Kind::Count { least: k, most: k })
    }

    /// At most `most` are on.
    pub fn budget(variables: &[usize], most: usize) -> Self {
        Self::of(variables, Kind::Count { least: 0, most })
    }

    /// At least `least` are on.
    pub fn at_least(variables: &[usize], least: usize) -> Self {
        Self::of(variables, Kind::Count { least, most: variables.len() })
    }

    /// Where all but the last are on, so is the last.
    pub fn imply(variables: &[usize]) -> Self {
        let premises: Vec<usize> = (0..variables.len().saturating_sub(1)).collect();
        Self::or(variables).negated(&premises)
    }

    /// The last is on exactly where one of the others is, and no two of the others are.
    pub fn xor_out(variables: &[usize]) -> Self {
        Self::exactly_one(variables).negated(&[variables.len().saturating_sub(1)])
    }

    /// The last is on exactly where one of the others is.
    pub fn or_out(variables: &[usize]) -> Self {
        Self::of(variables, Kind::OrOut)
    }

    /// The last is on exactly where all the others are.
    pub fn and_out(variables: &[usize]) -> Self {
        let all: Vec<usize> = (0..variables.len()).collect();
        Self::or_out(variables).negated(&all)
    }

    /// Any assignment, with a score where both are on; minus infinity forbids that. Its higher-order part is one
    /// number.
    pub fn pair(a: usize, b: usize, score: f64) -> Self {
        Self::of(&[a, b], Kind::Pair(score))
    }

    /// A structure whose variables are these, in this order. Its higher-order scores are those of the structure.
    pub fn structured(variables: &[usize], structure: Arc<dyn Structure>) -> Self {
        Self::of(variables, Kind::Structured(structure))
    }

    /// The same about the negations of the variables at these positions in the list of its variables. Twice is not at
    /// all.
    pub fn negated(mut self, positions: &[usize]) -> Self {
        for &position in positions {
            match self.negated.get_mut(position) {
                Some(negated) => *negated = !*negated,
                None => self.stray = Some(position),
            }
        }
        self
    }

    /// The variables.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// Its own scores of its higher-order parts; none for logic.
    pub fn higher(&self) -> Vec<f64> {
        match &self.kind {
            Kind::Count { .. } | Kind::OrOut => Vec::new(),
            Kind::Pair(score) => vec![*score],
            Kind::Structured(structure) => {
                structure.higher(self.variables.len()).map_or(Vec::new(), |h| h.into_owned())
            }
        }
    }

    /// Fails unless it is about different variables of `count`, and about some.
    pub(super) fn check(&self, count: usize) -> Result<()> {
        if self.variables.is_empty() {
            return Err(Error::parameter("factor", self, "a factor must have variables"));
        }
        let mut seen = vec![false; count];
        for &v in &self.variables {
            match seen.get_mut(v) {
                None => return Err(Error::parameter("variable", v, "a factor's variables must be those of the graph")),
                Some(seen) if *seen => {
                    return Err(Error::parameter("variable", v, "a factor must not have a variable twice"));
                }
                Some(seen) => *seen = true,
            }
        }
        if let Some(position) = self.stray {
            return Err(Error::parameter("negated", position, "a negated position must be one of the factor's"));
        }
        match &self.kind {
            Kind::Count { least, .. } if *least > self.variables.len() => {
                Err(Error::parameter("k", least, "no more variables can be on than a factor has"))
            }
            Kind::OrOut if self.variables.len() < 2 => {
                Err(Error::parameter("factor", self, "an output must have at least one input"))
            }
            Kind::Pair(score) if !(*score < f64::INFINITY) => {
                let rule = "the score of a pair must be finite, or minus infinity where it is forbidden";
                Err(Error::parameter("score", score, rule))
            }
            Kind::Structured(structure) => structure.higher(self.variables.len()).map(|_| ()),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Count { least, most } if least == most => write!(f, "exactly {least} of [")?,
            Kind::Count { least: 0, most } => write!(f, "at most {most} of [")?,
            Kind::Count { least, .. } => write!(f, "at least {least} of [")?,
            Kind::OrOut => write!(f, "or with output [")?,
            Kind::Pair(score) => write!(f, "pair with score {score} [")?,
            Kind::Structured(_) => write!(f, "structure over [")?,
        }
        for (i, (variable, negated)) in self.variables.iter().zip(&self.negated).enumerate() {
            write!(f, "{}{}{variable}", if i > 0 { ", " } else { "" }, if *negated { "not " } else { "" })?;
        }
        write!(f, "]")
    }
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Factor({self})")
    }
}
