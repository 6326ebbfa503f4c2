//! Filters: what they let through, beside a plain evaluation in Rust, and what they refuse.

use hfy_store::{Dtype, Filter, Memory, Texts};
use ndarray::Array2;
use proptest::prelude::*;
use serde_json::{Value, json};

fn memory(texts: &[(Option<&str>, Option<Value>)]) -> Memory {
    let memory = Memory::temporary(Dtype::F32, 1).unwrap();
    let labels = texts.iter().map(|(label, _)| label.map(str::to_owned)).collect();
    let metadata = texts.iter().map(|(_, metadata)| metadata.clone()).collect();
    memory.add(Array2::<f32>::zeros((texts.len(), 1)).view(), &Texts { labels, metadata }).unwrap();
    memory
}

fn ids(memory: &Memory, filter: &str) -> Vec<u64> {
    memory.query(&filter.parse::<Filter>().unwrap_or_else(|error| panic!("{filter}: {error}"))).unwrap()
}

fn library() -> Memory {
    memory(&[
        (Some("a"), Some(json!({"lang": "de", "year": 2019, "tags": ["new", 7, true], "author": {"name": "Ada"}}))),
        (Some("b"), Some(json!({"lang": "fr", "year": 2021.5, "done": true, "title": "On memory"}))),
        (None, Some(json!({"lang": null, "year": "2022", "done": false}))),
        (Some("a"), None),
        (Some("and"), Some(json!({"lang": "DE", "label": "own", "id": "x", "a key": 1, "tags": "brand-new"}))),
        (None, Some(json!(["no", "object"]))),
    ])
}

#[test]
fn every_form() {
    let memory = library();
    let cases: [(&str, &[u64]); 43] = [
        ("lang = \"de\"", &[0]),
        ("lang = 'de' or lang='fr'", &[0, 1]),
        ("lang != 'de'", &[1, 4]),
        ("not lang = 'de'", &[1, 2, 3, 4, 5]),
        ("lang in ('de', \"fr\", 3)", &[0, 1]),
        ("lang not in ('de')", &[1, 2, 3, 4, 5]),
        ("lang is null", &[2, 3, 5]),
        ("lang is not null", &[0, 1, 4]),
        ("lang = null", &[2, 3, 5]),
        ("lang <> null", &[0, 1, 4]),
        ("lang > 'DE'", &[0, 1]),
        ("lang like 'd%'", &[0, 4]),
        ("lang not like 'd%'", &[1, 2, 3, 5]),
        ("lang like 'd_'", &[0, 4]),
        ("year > 2020", &[1]),
        ("year >= 2019 and year < 2021.6", &[0, 1]),
        ("year = 2021.5", &[1]),
        ("year = 20215e-1", &[1]),
        ("year <= 2019", &[0]),
        ("year == 2019.0", &[0]),
        ("year != 2019", &[1, 2]),
        ("year = '2022'", &[2]),
        ("done = true", &[1]),
        ("done = false", &[2]),
        ("done != TRUE", &[2]),
        ("tags contains 'new'", &[0, 4]),
        ("tags contains 7", &[0]),
        ("tags contains true", &[0]),
        ("tags contains 1", &[]),
        ("tags not contains 7", &[1, 2, 3, 4, 5]),
        ("author.name = 'Ada'", &[0]),
        ("author is not null and author.age is null", &[0]),
        ("label = 'a'", &[0, 3]),
        ("label = 'a' and lang = 'de'", &[0]),
        ("label is null", &[2, 5]),
        ("label contains 'n'", &[4]),
        ("label like 'A'", &[0, 3]),
        ("label in ('and', 'b')", &[1, 4]),
        ("id >= 4 or id = 0", &[0, 4, 5]),
        ("metadata.label = 'own' and metadata.id = 'x'", &[4]),
        ("`a key` = 1", &[4]),
        ("NOT (id > 1 AND (lang is null OR id < 5))", &[0, 1]),
        ("id = 1 or id = 2 and lang is not null", &[1]),
    ];
    for (filter, expected) in cases {
        assert_eq!(ids(&memory, filter), expected, "{filter}");
        let now = memory.snapshot().unwrap();
        let kept = now.filtered(&filter.parse().unwrap()).unwrap();
        assert_eq!(kept.ids().unwrap(), expected, "{filter}");
        // An exchange file knows the same filters.
        let mut file = std::io::Cursor::new(Vec::new());
        now.write_to(&mut file).unwrap();
        let file = hfy_store::Snapshot::from_bytes(file.get_ref()).unwrap();
        assert_eq!(file.query(&filter.parse().unwrap()).unwrap(), expected, "{filter}");
    }
}

#[test]
fn filters_of_filters_and_of_older_snapshots() {
    let memory = library();
    let before = memory.snapshot().unwrap();
    memory.remove(&[0]).unwrap();
    memory.set_label(1, Some("a")).unwrap();
    let filter: Filter = "label = 'a'".parse().unwrap();
    assert_eq!(before.query(&filter).unwrap(), [0, 3]);
    assert_eq!(memory.query(&filter).unwrap(), [1, 3]);
    let some = before.filtered(&"id < 3".parse().unwrap()).unwrap();
    assert_eq!(some.query(&filter).unwrap(), [0]);
    assert_eq!(some.filtered(&filter).unwrap().patterns::<f32>().unwrap().dim(), (1, 1));
    assert!(some.filtered(&"id = 5".parse().unwrap()).unwrap().is_empty());
}

#[test]
fn faults_name_the_place_and_the_rule() {
    let deep = format!("{}id = 1{}", "(".repeat(70), ")".repeat(70));
    let long = format!("id = 1{}", " or id = 1".repeat(300));
    let huge = format!("label = '{}'", "x".repeat(20_000));
    let cases = [
        ("", "character 1: expected a field: label, id or a key of the metadata"),
        ("lang", "character 5: expected a comparison"),
        ("lang =", "character 7: expected a number, a text in quotes, true or false"),
        ("lang = de", "character 8: expected a number, a text in quotes, true or false"),
        ("lang = \"de", "character 8: this quote is never closed"),
        ("'lang' = 1", "character 1: a field stands left of a comparison, without quotes"),
        ("é = 1 §", "character 7: this character has no meaning in a filter"),
        ("year > 1x", "character 8: this is not a number"),
        ("year > 1e999", "character 8: this is not a number"),
        ("year > 1 year < 3", "character 10: expected 'and', 'or' or the end"),
        ("(year > 1", "character 10: expected ')'"),
        ("done > true", "character 8: true and false have no order"),
        ("year < null", "null has no order"),
        ("id = 'x'", "character 6: an id is compared with a number"),
        ("label = 3", "character 9: a label is a text: compare it with a text in quotes"),
        ("label in (1)", "character 11: a label is a text"),
        ("label in 'a'", "expected '(' and a list"),
        ("label in ()", "expected a number, a text in quotes"),
        ("id like '1%'", "an id is a number, not a text"),
        ("lang like 3", "'like' takes a text in quotes"),
        ("lang is 3", "expected 'null'"),
        ("lang not = 3", "expected 'in', 'like' or 'contains'"),
        ("and = 1", "character 1: expected a field"),
        ("`a\"b` = 1", "a key with a double quote, a backslash or a zero character"),
        ("a.`b\0` = 1", "character 1: a key with a double quote, a backslash or a zero character"),
        ("lang = 'de'; DROP TABLE pattern", "character 12: this character has no meaning in a filter"),
        (&deep, "a filter is nested at most 64 deep"),
        (&long, "a filter has at most 256 comparisons"),
        (&huge, "a filter has at most 16384 bytes"),
    ];
    for (filter, expected) in cases {
        let text = filter.parse::<Filter>().expect_err(filter).to_string();
        assert!(text.starts_with("where = ") && text.contains(expected), "{text}");
    }
}

#[test]
fn every_filter_that_is_read_can_be_asked() {
    let memory = library();
    let numbers: Vec<String> = (0..7500).map(|number| (number % 10).to_string()).collect();
    assert_eq!(ids(&memory, &format!("id in ({})", numbers.join(","))), [0, 1, 2, 3, 4, 5]);
    assert_eq!(ids(&memory, &format!("`a key` in ({})", numbers.join(","))), [4]);
    let texts: Vec<String> = numbers.iter().take(4000).map(|number| format!("'{number}'")).collect();
    assert!(ids(&memory, &format!("lang in ({})", texts.join(","))).is_empty());
    assert!(ids(&memory, &format!("tags contains 'x' or lang in ({})", texts.join(","))).is_empty());
    let chain = |count| ["author.name != 'x'"; 256][..count].join(" and ");
    assert_eq!(ids(&memory, &chain(256)), [0]);
    let nested = format!("{}{}{} and {}", "not ".repeat(62), "(", "label = 'a')", chain(255));
    assert_eq!(ids(&memory, &nested), [0]);
    let nested = format!("{}label = 'a'{}", "(not ".repeat(31), ")".repeat(31));
    assert_eq!(ids(&memory, &nested), [1, 2, 4, 5]);
    let deep = (0..63).fold("label = 'a'".to_owned(), |inside, _| format!("({inside}) and a = 1 and a = 2 or a = 3"));
    assert!(ids(&memory, &deep).is_empty());
}

#[test]
fn names_and_values_are_never_taken_for_sql() {
    let hostile = "x') OR 1=1; DROP TABLE pattern; --";
    let memory = memory(&[(Some(hostile), Some(json!({"x' OR 1=1 --": 1}))), (Some("y"), Some(json!({"z": hostile})))]);
    assert_eq!(ids(&memory, &format!("label = \"{hostile}\"")), [0]);
    assert_eq!(ids(&memory, &format!("z = \"{hostile}\"")), [1]);
    assert_eq!(ids(&memory, "`x' OR 1=1 --` = 1"), [0]);
    assert_eq!(ids(&memory, "`$[0]` is null and `%` is null and `x.y` is null"), [0, 1]);
    assert_eq!(memory.count().unwrap(), 2);
}

/// A condition with its meaning, written down a second time.
#[derive(Debug, Clone)]
enum Plain {
    And(Box<Plain>, Box<Plain>),
    Or(Box<Plain>, Box<Plain>),
    Not(Box<Plain>),
    Number(&'static str, &'static str, i64),
    Text(&'static str, &'static str, &'static str),
    Null(&'static str),
}

impl Plain {
    fn text(&self) -> String {
        match self {
            Plain::And(a, b) => format!("({} and {})", a.text(), b.text()),
            Plain::Or(a, b) => format!("({} or {})", a.text(), b.text()),
            Plain::Not(a) => format!("not {}", a.text()),
            Plain::Number(key, sign, number) => format!("{key} {sign} {number}"),
            Plain::Text(key, sign, text) => format!("{key} {sign} '{text}'"),
            Plain::Null(key) => format!("{key} is null"),
        }
    }

    fn holds(&self, metadata: &Value) -> bool {
        fn compare<T: PartialOrd>(sign: &str, a: T, b: T) -> bool {
            match sign {
                "=" => a == b,
                "!=" => a != b,
                "<" => a < b,
                _ => a >= b,
            }
        }
        match self {
            Plain::And(a, b) => a.holds(metadata) && b.holds(metadata),
            Plain::Or(a, b) => a.holds(metadata) || b.holds(metadata),
            Plain::Not(a) => !a.holds(metadata),
            Plain::Null(key) => metadata[key].is_null(),
            Plain::Number(key, sign, number) => match metadata[key].as_f64() {
                Some(value) => compare(sign, value, *number as f64),
                None => *sign == "!=" && !metadata[key].is_null(),
            },
            Plain::Text(key, sign, text) => match metadata[key].as_str() {
                Some(value) => compare(sign, value, text),
                None => *sign == "!=" && !metadata[key].is_null(),
            },
        }
    }
}

fn plain() -> impl Strategy<Value = Plain> {
    let keys = || prop::sample::select(vec!["a", "b", "c"]);
    let signs = || prop::sample::select(vec!["=", "!=", "<", ">="]);
    let leaf = prop_oneof![
        (keys(), signs(), -2i64..3).prop_map(|(key, sign, number)| Plain::Number(key, sign, number)),
        (keys(), signs(), prop::sample::select(vec!["", "x", "yy"])).prop_map(|(k, s, text)| Plain::Text(k, s, text)),
        keys().prop_map(Plain::Null),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Plain::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Plain::Or(Box::new(a), Box::new(b))),
            inner.prop_map(|a| Plain::Not(Box::new(a))),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-2i64..3).prop_map(Value::from),
        (-2i64..3).prop_map(|number| Value::from(number as f64 + 0.5)),
        prop::sample::select(vec!["", "x", "yy"]).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!([1, "x"])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn filters_mean_what_they_say(
        filters in prop::collection::vec(plain(), 8),
        rows in prop::collection::vec(prop::collection::btree_map(
            prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned), value(), 0..4), 0..12),
    ) {
        let rows: Vec<Value> = rows.into_iter().map(|row| json!(row)).collect();
        let memory = memory(&rows.iter().map(|row| (None, Some(row.clone()))).collect::<Vec<_>>());
        for filter in filters {
            let expected: Vec<u64> = (0u64..).zip(&rows).filter(|(_, row)| filter.holds(row)).map(|(id, _)| id).collect();
            prop_assert_eq!(ids(&memory, &filter.text()), expected, "{}", filter.text());
        }
    }

    #[test]
    fn any_text_is_a_filter_or_an_error(text in "[a-z \"'`().,<>=!0-9eE+-]{0,40}|\\PC{0,20}") {
        if let Ok(filter) = text.parse::<Filter>() {
            library().query(&filter).unwrap();
        }
    }
}
