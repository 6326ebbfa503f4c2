//! A map as a layer has it: up to a parameter that is given apart, and to the number of entries of a row.

use hfy::structure::{Regulariser, Sequence, SparseMap};
use hfy::{Entmax, Map, Normmax, Subsets};

use crate::error::{Error, Result, ensure};
use crate::operators::SEQUENCE_REGULARISER;

/// A map up to the parameter that is given apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Family {
    /// A map with its parameter.
    Map(Map),
    /// Exactly so many entries, or all where there are fewer.
    Subsets(Budget),
    /// The same for a structure by its text: a name, how many entries, and settings.
    Structure {
        /// Of so many entries, where that is a number.
        map: Option<Map>,
        /// `sequence`, `windows`, and with a share `atmost` or `spans`.
        name: &'static str,
        /// How many entries.
        budget: Budget,
        /// The text behind the number.
        settings: String,
    },
    /// Entmax of an alpha given apart.
    Entmax,
    /// Normmax of a gamma given apart.
    Normmax,
    /// Sequential k-subsets of a transition given apart, or all entries where there are fewer.
    Sequence {
        /// How many entries.
        budget: Budget,
        /// Which states are regularised.
        regulariser: Regulariser,
    },
}

/// How many entries a structure has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Budget {
    /// So many, or all where there are fewer.
    Count(f64),
    /// A share of the entries that take part, to the nearest whole number, and at least one.
    Share(f64),
}

impl Budget {
    /// A number, or a share as `20%`.
    fn read(text: &str) -> Option<Self> {
        let Some(share) = text.trim().strip_suffix('%') else {
            return text.trim().parse().ok().map(|k: usize| Budget::Count(k as f64));
        };
        let share: f64 = share.trim().parse().ok()?;
        (0.0 < share && share <= 100.0).then_some(Budget::Share(share / 100.0))
    }

    fn of(self, present: usize) -> f64 {
        match self {
            Budget::Count(k) => k.min(present as f64),
            Budget::Share(share) => (share * present as f64).round().max(1.0),
        }
    }

    pub(crate) fn whole(self, present: usize) -> usize {
        self.of(present) as usize
    }
}

/// Structures whose number of entries may be a share.
const SHARED: [&str; 5] = ["subsets", "sequence", "windows", "atmost", "spans"];

impl Family {
    pub(crate) fn read(text: &str, apart: bool) -> Result<Self> {
        let parts = Parts::of(text);
        if !apart {
            if let Some(Parts { name, budget: budget @ Budget::Share(_), settings }) = parts {
                let family = match name {
                    "subsets" => Family::Subsets(budget),
                    _ => Family::Structure { map: None, name, budget, settings: settings.to_owned() },
                };
                let valid = name != "subsets" || settings.is_empty();
                let rule = || "subsets has no settings";
                ensure(valid, || Error::argument("omega", format!("{text:?}"), rule()))?;
                family.map(None, || 1)?;
                return Ok(family);
            }
            return Ok(match text.parse().map_err(|error| unread("omega", text, error))? {
                Map::Subsets(map) => Family::Subsets(Budget::Count(map.k())),
                map => match parts {
                    Some(Parts { name: name @ ("sequence" | "windows"), budget, settings }) => {
                        Family::Structure { map: Some(map), name, budget, settings: settings.to_owned() }
                    }
                    _ => Family::Map(map),
                },
            });
        }
        match (text, parts) {
            ("entmax", _) => Ok(Family::Entmax),
            ("normmax", _) => Ok(Family::Normmax),
            (_, Some(Parts { name: "sequence", budget, settings: "" })) => Sequence::new(budget.whole(usize::MAX))
                .map(|_| Family::Sequence { budget, regulariser: SEQUENCE_REGULARISER })
                .map_err(Error::Library),
            _ => {
                let rule = "a parameter apart goes with entmax (alpha), normmax (gamma) or sequence:K (its transition)";
                Err(Error::argument("omega", format!("{text:?}"), rule))
            }
        }
    }

    /// The map of a row in which `present` entries take part, at least one.
    pub(crate) fn map(&self, parameter: Option<f64>, present: impl Fn() -> usize) -> Result<Map> {
        let apart = || parameter.ok_or_else(|| Error::argument("omega parameter", "none", "this map needs one"));
        Ok(match self {
            Family::Map(map) => map.clone(),
            // A row in which all entries are chosen has as many of them as there are.
            Family::Subsets(budget) => Map::Subsets(Subsets::new(budget.of(present()))?),
            Family::Structure { map, name, budget, settings } => {
                let k = budget.whole(present());
                match map {
                    Some(map) if *budget == Budget::Count(k as f64) => map.clone(),
                    _ => format!("{name}:{k}{settings}").parse()?,
                }
            }
            Family::Entmax => Map::Entmax(Entmax::new(apart()?)?),
            Family::Normmax => Map::Normmax(Normmax::new(apart()?)?),
            Family::Sequence { budget, regulariser } => {
                let text = format!("sequence:{}:t={}", budget.whole(present()), apart()?);
                Map::from(text.parse::<SparseMap<_>>()?.regulariser(*regulariser))
            }
        })
    }

    /// Whether weights are never negative, for any number of entries.
    pub(crate) fn is_selector(&self) -> bool {
        !matches!(self, Family::Map(Map::Bounded(_) | Map::Quadratic(_) | Map::Power(_) | Map::Exponential(_)))
    }

    /// How many of so many entries are chosen, where the map has a budget.
    pub(crate) fn budget(&self, present: usize) -> Option<usize> {
        match self {
            Family::Subsets(budget) | Family::Structure { budget, .. } | Family::Sequence { budget, .. } => {
                Some(budget.whole(present))
            }
            Family::Map(_) | Family::Entmax | Family::Normmax => None,
        }
    }

    /// The same with so many entries, where it has a budget.
    pub(crate) fn with_budget(&self, k: usize) -> Self {
        let mut family = self.clone();
        match &mut family {
            Family::Subsets(budget) | Family::Sequence { budget, .. } => *budget = Budget::Count(k as f64),
            Family::Structure { map, budget, .. } => (*map, *budget) = (None, Budget::Count(k as f64)),
            Family::Map(_) | Family::Entmax | Family::Normmax => {}
        }
        family
    }

    /// A valid parameter in single precision, in which it must be valid too: a gamma just above 1 must not become 1.
    pub(crate) fn single(&self, value: f64) -> f32 {
        match self {
            Family::Normmax => (value as f32).max(1_f32.next_up()),
            _ => value as f32,
        }
    }
}

/// The text of a structure in parts.
struct Parts<'t> {
    name: &'static str,
    budget: Budget,
    /// What stands behind the number, with its colon.
    settings: &'t str,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let (name, rest) = text.trim().split_once(':')?;
        let name = *SHARED.iter().find(|known| **known == name.trim())?;
        let (k, settings) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
        Some(Parts { name, budget: Budget::read(k)?, settings })
    }
}

/// A text that the library cannot read, as an argument.
pub(crate) fn unread(argument: &'static str, text: &str, error: hfy::Error) -> Error {
    match error {
        hfy::Error::Parse { rule, .. } => Error::argument(argument, format!("{text:?}"), rule),
        other => Error::Library(other),
    }
}
