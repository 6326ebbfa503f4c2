//! JSON for people who look into it: a line for each field, and lists of numbers on one.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Objects as [`PrettyFormatter`] writes them, lists without a line for each entry.
#[derive(Default)]
struct Lines<'a>(PrettyFormatter<'a>);

impl Formatter for Lines<'_> {
    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> Result<()> {
        self.0.begin_object(to)
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> Result<()> {
        self.0.end_object(to)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> Result<()> {
        self.0.begin_object_key(to, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> Result<()> {
        self.0.begin_object_value(to)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> Result<()> {
        self.0.end_object_value(to)
    }
}

/// A document, with a line at its end.
pub(super) fn lines(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Lines::default()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_one_line() {
        let value = serde_json::json!({"a": [1.5, 2.0], "b": {"c": []}});
        let text = String::from_utf8(lines(&value).expect("plain")).expect("text");
        assert_eq!(text, "{\n  \"a\": [1.5,2.0],\n  \"b\": {\n    \"c\": []\n  }\n}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("the same"), value);
    }
}
