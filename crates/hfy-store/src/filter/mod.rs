//! Filters over labels and metadata: `lang = "de" and year > 2020`.

mod parse;
mod sql;

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// Which patterns to look at, by their ids, labels and metadata.
///
/// | form | true where |
/// |---|---|
/// | `year > 2020` (also `=`, `!=`, `<`, `<=`, `>=`) | the field of the metadata is a number, and greater |
/// | `lang = "de"`, `lang = 'de'` | it is this text; texts are ordered by their bytes |
/// | `done = true` | it is this truth value |
/// | `lang in ("de", "fr")` | it is one of these |
/// | `title like "%memory%"` | it is a text of this form: `%` is any text, `_` one character, ASCII letters of either case |
/// | `tags contains "new"` | it is a list with this element, or a text with this part |
/// | `lang is null`, `lang is not null` | it is missing or null, or neither |
/// | `not`, `and`, `or`, `( )` | as usual: `not` binds closest, then `and` |
///
/// A field is a key of the metadata, or a path of keys as in `author.name`; a key that is no plain word stands between
/// backticks. `label` and `id` are the label and the id; `metadata.label` is a key of that name. A comparison with a
/// field that is missing, or of another type, is false (`!=` is true of another type), so `not lang = "de"` includes
/// patterns without the field and `lang != "de"` does not.
///
/// The text is parsed here; its names and values reach SQLite as bound parameters, never as SQL.
///
/// ```
/// use hfy_store::{Dtype, Filter, Memory, Texts};
/// use ndarray::array;
/// use serde_json::json;
///
/// let memory = Memory::temporary(Dtype::F32, 2)?;
/// let metadata = [json!({"lang": "de", "year": 2021}), json!({"lang": "fr"})].map(Some).to_vec();
/// memory.add(array![[1.0f32, 0.0], [0.0, 1.0]].view(), &Texts { metadata, ..Texts::default() })?;
/// let filter: Filter = "lang = \"de\" and year > 2020".parse()?;
/// assert_eq!(memory.query(&filter)?, [0]);
/// # Ok::<(), hfy_store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    text: String,
    condition: Condition,
}

impl FromStr for Filter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let condition = parse::parse(text).map_err(|(at, rule)| {
            Error::argument("where", format!("{text:?}, character {}", text[..at].chars().count() + 1), rule)
        })?;
        Ok(Filter { text: text.to_owned(), condition })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Condition {
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
    Compare(Field, Operator, Constant),
    In(Field, Vec<Constant>),
    Like(Field, String),
    Contains(Field, Constant),
    IsNull(Field),
}

#[derive(Debug, Clone, PartialEq)]
enum Field {
    Id,
    Label,
    /// A path of SQLite: `$."author"."name"`.
    Path(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Constant {
    Text(String),
    Integer(i64),
    Real(f64),
    Bool(bool),
}
