//! From a condition to SQL over the table `pattern`, with every name and value bound.

use rusqlite::types::Value;

use super::{Condition, Constant, Field, Filter, Operator};

impl Filter {
    /// An expression that is 0 or 1 for every row of `pattern`, and what is bound to its question marks in turn.
    pub(crate) fn sql(&self) -> (String, Vec<Value>) {
        let (mut sql, mut bound) = (String::new(), Vec::new());
        write(&self.condition, &mut sql, &mut bound);
        (sql, bound)
    }
}

fn write(condition: &Condition, sql: &mut String, bound: &mut Vec<Value>) {
    match condition {
        Condition::And(left, right) | Condition::Or(left, right) => {
            let word = if matches!(condition, Condition::And(..)) { " AND " } else { " OR " };
            *sql += "(";
            write(left, sql, bound);
            *sql += word;
            write(right, sql, bound);
            *sql += ")";
        }
        Condition::Not(inside) => {
            *sql += "(NOT ";
            write(inside, sql, bound);
            *sql += ")";
        }
        Condition::Compare(field, operator, constant) => compare(field, *operator, constant, sql, bound),
        Condition::In(field, constants) => any(field, constants, sql, bound),
        Condition::Like(field, form) => {
            *sql += "coalesce(";
            text_of(field, sql, bound);
            *sql += " LIKE ?, 0)";
            bound.push(form.clone().into());
        }
        Condition::Contains(field, constant) => contains(field, constant, sql, bound),
        Condition::IsNull(Field::Id) => *sql += "0",
        Condition::IsNull(Field::Label) => *sql += "(label IS NULL)",
        Condition::IsNull(Field::Path(path)) => {
            *sql += "(coalesce(json_type(metadata, ?), 'null') = 'null')";
            bound.push(path.clone().into());
        }
    }
}

/// Whether a field is one of these. Halves of halves, because SQLite counts how deep an expression is.
fn any(field: &Field, constants: &[Constant], sql: &mut String, bound: &mut Vec<Value>) {
    match constants {
        [] => *sql += "0",
        [constant] => compare(field, Operator::Equal, constant, sql, bound),
        _ => {
            let (left, right) = constants.split_at(constants.len() / 2);
            *sql += "(";
            any(field, left, sql, bound);
            *sql += " OR ";
            any(field, right, sql, bound);
            *sql += ")";
        }
    }
}

/// The text of a field, null if it is no text.
fn text_of(field: &Field, sql: &mut String, bound: &mut Vec<Value>) {
    match field {
        Field::Path(path) => {
            *sql += "iif(json_type(metadata, ?) = 'text', json_extract(metadata, ?), NULL)";
            bound.extend([path.clone().into(), path.clone().into()]);
        }
        _ => *sql += "label",
    }
}

fn compare(field: &Field, operator: Operator, constant: &Constant, sql: &mut String, bound: &mut Vec<Value>) {
    let sign = match operator {
        Operator::Equal => "=",
        Operator::Unequal => "!=",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
    };
    let path = match field {
        Field::Id | Field::Label => {
            let column = if *field == Field::Id { "id" } else { "label" };
            *sql += &format!("coalesce({column} {sign} ?, 0)");
            return bound.push(value(constant));
        }
        Field::Path(path) => Value::from(path.clone()),
    };
    if operator == Operator::Unequal {
        // There, but not equal: of another type, or another value.
        *sql += "(coalesce(json_type(metadata, ?), 'null') != 'null' AND NOT ";
        bound.push(path);
        compare(field, Operator::Equal, constant, sql, bound);
        *sql += ")";
        return;
    }
    match constant {
        Constant::Bool(truth) => {
            *sql += "coalesce(json_type(metadata, ?) = ?, 0)";
            bound.extend([path, truth.to_string().into()]);
        }
        Constant::Text(_) => {
            *sql += "coalesce(";
            text_of(field, sql, bound);
            *sql += &format!(" {sign} ?, 0)");
            bound.push(value(constant));
        }
        Constant::Integer(_) | Constant::Real(_) => {
            *sql += "coalesce(json_type(metadata, ?) IN ('integer', 'real') AND ";
            *sql += &format!("json_extract(metadata, ?) {sign} ?, 0)");
            bound.extend([path.clone(), path, value(constant)]);
        }
    }
}

fn contains(field: &Field, constant: &Constant, sql: &mut String, bound: &mut Vec<Value>) {
    let Field::Path(path) = field else {
        *sql += "coalesce(instr(label, ?) > 0, 0)";
        return bound.push(value(constant));
    };
    let path = Value::from(path.clone());
    *sql +=
        "(coalesce(json_type(metadata, ?) = 'array' AND EXISTS (SELECT 1 FROM json_each(metadata, ?) AS element WHERE ";
    bound.extend([path.clone(), path]);
    match constant {
        Constant::Bool(truth) => {
            *sql += "element.type = ?";
            bound.push(truth.to_string().into());
        }
        Constant::Text(_) => {
            *sql += "element.type = 'text' AND element.value = ?";
            bound.push(value(constant));
        }
        Constant::Integer(_) | Constant::Real(_) => {
            *sql += "element.type IN ('integer', 'real') AND element.value = ?";
            bound.push(value(constant));
        }
    }
    *sql += "), 0)";
    if let Constant::Text(_) = constant {
        *sql += " OR coalesce(instr(";
        text_of(field, sql, bound);
        *sql += ", ?) > 0, 0)";
        bound.push(value(constant));
    }
    *sql += ")";
}

fn value(constant: &Constant) -> Value {
    match constant {
        Constant::Text(text) => text.clone().into(),
        Constant::Integer(integer) => (*integer).into(),
        Constant::Real(real) => (*real).into(),
        Constant::Bool(truth) => Value::from(i64::from(*truth)),
    }
}
