//! From the text of a filter to its condition.

use super::{Condition, Constant, Field, Operator};

/// Where the text is wrong, in bytes from its start, and the rule that it breaks.
type Fault = (usize, &'static str);
type Result<V> = std::result::Result<V, Fault>;

/// No filter is longer.
const LONGEST: usize = 1 << 14;
/// Nothing is nested deeper, here or in SQLite.
const DEEPEST: usize = 64;
/// No filter compares more, which bounds the depth of a chain of `and` as well.
const MOST: usize = 256;

pub(super) fn parse(text: &str) -> Result<Condition> {
    if text.len() > LONGEST {
        return Err((0, "a filter has at most 16384 bytes"));
    }
    let mut parser = Parser { tokens: tokens(text)?, next: 0, end: text.len(), depth: 0, comparisons: 0 };
    let condition = parser.or()?;
    match parser.peek() {
        None => Ok(condition),
        Some(_) => Err((parser.place(), "expected 'and', 'or' or the end")),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A plain word, which may be a keyword or a key.
    Word(String),
    /// A key between backticks.
    Key(String),
    Text(String),
    Integer(i64),
    Real(f64),
    Sign(&'static str),
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>> {
    const SIGNS: [&str; 12] = ["!=", "<=", ">=", "<>", "==", "=", "<", ">", "(", ")", ",", "."];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |plain: fn(char) -> bool| &rest[..rest.find(|c| !plain(c)).unwrap_or(rest.len())];
        let (token, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if matches!(first, '"' | '\'' | '`') {
            let (inside, length) = quoted(rest, first).ok_or((at, "this quote is never closed"))?;
            (if first == '`' { Token::Key(inside) } else { Token::Text(inside) }, length)
        } else if first.is_alphabetic() || first == '_' {
            let word = word(|c| c.is_alphanumeric() || c == '_' || c == '-');
            (Token::Word(word.to_owned()), word.len())
        } else if first.is_ascii_digit()
            || (matches!(first, '-' | '+') && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            let length =
                1 + rest[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len() - 1);
            // The sign of an exponent.
            let length = match (rest.as_bytes()[length - 1], rest.as_bytes().get(length)) {
                (b'e' | b'E', Some(b'-' | b'+')) => {
                    length
                        + 1
                        + rest[length + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - length - 1)
                }
                _ => length,
            };
            (number(&rest[..length]).ok_or((at, "this is not a number"))?, length)
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or((at, "this character has no meaning in a filter"))?;
            (Token::Sign(sign), sign.len())
        };
        found.push((at, token));
        at += length;
    }
    Ok(found)
}

/// What stands between quotes, where a doubled quote is one, and the length with its quotes.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            inside.push(character);
        } else if characters.next_if(|&(_, next)| next == quote).is_some() {
            inside.push(quote);
        } else {
            return Some((inside, at + 1));
        }
    }
    None
}

fn number(text: &str) -> Option<Token> {
    let plain = text.strip_prefix('+').unwrap_or(text);
    match plain.parse() {
        Ok(integer) => Some(Token::Integer(integer)),
        Err(_) => plain.parse().ok().filter(|real: &f64| real.is_finite()).map(Token::Real),
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    end: usize,
    depth: usize,
    comparisons: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |&(at, _)| at)
    }

    /// Takes a keyword, in either case.
    fn keyword(&mut self, keyword: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.next += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = self.peek()
            == Some(&Token::Sign(match sign {
                "(" => "(",
                ")" => ")",
                "," => ",",
                _ => ".",
            }));
        self.next += usize::from(found);
        found
    }

    fn or(&mut self) -> Result<Condition> {
        let mut left = self.and()?;
        while self.keyword("or") {
            left = Condition::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Condition> {
        let mut left = self.not()?;
        while self.keyword("and") {
            left = Condition::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Condition> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.place(), "a filter is nested at most 64 deep"));
        }
        let condition = if self.keyword("not") {
            Condition::Not(Box::new(self.not()?))
        } else if self.sign("(") {
            let inside = self.or()?;
            if !self.sign(")") {
                return Err((self.place(), "expected ')'"));
            }
            inside
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition> {
        self.comparisons += 1;
        if self.comparisons > MOST {
            return Err((self.place(), "a filter has at most 256 comparisons"));
        }
        let field = self.field()?;
        if self.keyword("is") {
            let not = self.keyword("not");
            if !self.keyword("null") {
                return Err((self.place(), "expected 'null'"));
            }
            let null = Condition::IsNull(field);
            return Ok(if not { Condition::Not(Box::new(null)) } else { null });
        }
        if self.keyword("not") {
            let inside = self.word_operator(field)?.ok_or((self.place(), "expected 'in', 'like' or 'contains'"))?;
            return Ok(Condition::Not(Box::new(inside)));
        }
        if let Some(condition) = self.word_operator(field.clone())? {
            return Ok(condition);
        }
        let operator = match self.peek() {
            Some(Token::Sign("=" | "==")) => Operator::Equal,
            Some(Token::Sign("!=" | "<>")) => Operator::Unequal,
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::LessEqual,
            Some(Token::Sign(">")) => Operator::Greater,
            Some(Token::Sign(">=")) => Operator::GreaterEqual,
            _ => {
                return Err((
                    self.place(),
                    "expected a comparison: =, !=, <, <=, >, >=, in, like, contains or is null",
                ));
            }
        };
        self.next += 1;
        if self.keyword("null") {
            return match operator {
                Operator::Equal => Ok(Condition::IsNull(field)),
                Operator::Unequal => Ok(Condition::Not(Box::new(Condition::IsNull(field)))),
                _ => Err((self.place(), "null has no order")),
            };
        }
        let place = self.place();
        let constant = self.constant_for(&field)?;
        if matches!(constant, Constant::Bool(_)) && !matches!(operator, Operator::Equal | Operator::Unequal) {
            return Err((place, "true and false have no order"));
        }
        Ok(Condition::Compare(field, operator, constant))
    }

    fn word_operator(&mut self, field: Field) -> Result<Option<Condition>> {
        if self.keyword("in") {
            if !self.sign("(") {
                return Err((self.place(), "expected '(' and a list"));
            }
            let mut constants = vec![self.constant_for(&field)?];
            while self.sign(",") {
                constants.push(self.constant_for(&field)?);
            }
            if !self.sign(")") {
                return Err((self.place(), "expected ',' or ')'"));
            }
            return Ok(Some(Condition::In(field, constants)));
        }
        if self.keyword("like") {
            let place = self.place();
            return match (self.constant()?, &field) {
                (_, Field::Id) => Err((place, "an id is a number, not a text")),
                (Constant::Text(form), _) => Ok(Some(Condition::Like(field, form))),
                _ => Err((place, "'like' takes a text in quotes")),
            };
        }
        if self.keyword("contains") {
            let place = self.place();
            return match (self.constant()?, &field) {
                (_, Field::Id) => Err((place, "an id contains nothing")),
                (Constant::Integer(_) | Constant::Real(_) | Constant::Bool(_), Field::Label) => {
                    Err((place, "a label is a text: compare it with a text in quotes"))
                }
                (constant, _) => Ok(Some(Condition::Contains(field, constant))),
            };
        }
        Ok(None)
    }

    fn field(&mut self) -> Result<Field> {
        let place = self.place();
        let mut keys = vec![self.key()?];
        while self.sign(".") {
            keys.push(self.key()?);
        }
        let plain = |name: &str| keys.len() == 1 && keys[0].1 && keys[0].0 == name;
        if plain("id") {
            return Ok(Field::Id);
        }
        if plain("label") {
            return Ok(Field::Label);
        }
        let inside = if keys.len() > 1 && keys[0] == ("metadata".to_owned(), true) { &keys[1..] } else { &keys[..] };
        // Keys of a path stand in double quotes, in which SQLite knows no escape, and a path ends at a zero.
        if inside.iter().any(|(key, _)| key.contains(['"', '\\', '\0'])) {
            return Err((place, "a key with a double quote, a backslash or a zero character cannot be asked for"));
        }
        let path: String = inside.iter().map(|(key, _)| format!(".\"{key}\"")).collect();
        Ok(Field::Path(format!("${path}")))
    }

    /// A key, and whether it stands without backticks.
    fn key(&mut self) -> Result<(String, bool)> {
        const KEYWORDS: [&str; 8] = ["and", "or", "not", "in", "like", "contains", "is", "null"];
        let key = match self.peek() {
            Some(Token::Word(word)) if !KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword)) => {
                (word.clone(), true)
            }
            Some(Token::Key(key)) => (key.clone(), false),
            Some(Token::Text(_)) => return Err((self.place(), "a field stands left of a comparison, without quotes")),
            _ => return Err((self.place(), "expected a field: label, id or a key of the metadata")),
        };
        self.next += 1;
        Ok(key)
    }

    fn constant(&mut self) -> Result<Constant> {
        let constant = match self.peek() {
            Some(Token::Text(text)) => Constant::Text(text.clone()),
            Some(Token::Integer(integer)) => Constant::Integer(*integer),
            Some(Token::Real(real)) => Constant::Real(*real),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("true") => Constant::Bool(true),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("false") => Constant::Bool(false),
            _ => return Err((self.place(), "expected a number, a text in quotes, true or false")),
        };
        self.next += 1;
        Ok(constant)
    }

    fn constant_for(&mut self, field: &Field) -> Result<Constant> {
        let place = self.place();
        let constant = self.constant()?;
        match (field, &constant) {
            (Field::Label, Constant::Text(_)) | (Field::Id, Constant::Integer(_) | Constant::Real(_)) => Ok(constant),
            (Field::Label, _) => Err((place, "a label is a text: compare it with a text in quotes")),
            (Field::Id, _) => Err((place, "an id is compared with a number")),
            (Field::Path(_), _) => Ok(constant),
        }
    }
}
