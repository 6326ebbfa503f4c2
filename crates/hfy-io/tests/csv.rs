//! How texts of numbers are understood, and what is said about it.

use hfy_io::csv::{Decimal, Header, Options as Csv};
use hfy_io::{Error, Float, Format, Options, Rows, read_bytes};

fn read(text: &str, csv: Csv) -> Result<Rows, Error> {
    read_bytes(text.as_bytes(), Format::Csv(None), "a.csv", &Options { csv, ..Options::default() })
}

fn numbers(rows: &Rows) -> Vec<Vec<f64>> {
    rows.matrix::<f64>().rows().into_iter().map(|row| row.to_vec()).collect()
}

/// What is read as it is, without options.
fn plain(text: &str) -> (Vec<Vec<f64>>, Vec<String>) {
    let rows = read(text, Csv::default()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    (numbers(&rows), rows.notes)
}

fn fault(text: &str, csv: Csv) -> String {
    match read(text, csv) {
        Ok(rows) => panic!("{text:?} was read as {:?}", numbers(&rows)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn delimiters_are_found() {
    let expected = vec![vec![1.0, 2.5], vec![-3.0, f64::INFINITY]];
    for text in ["1,2.5\n-3,inf\n", "1;2.5\n-3;inf", "1\t2.5\r\n-3\tinf\r\n", "\u{feff} 1 ,\"2.5\" \n\"-3\",+inf\n"] {
        assert_eq!(plain(text), (expected.clone(), vec![]), "{text:?}");
    }
    let given = Csv { delimiter: Some(b'|'), ..Csv::default() };
    assert_eq!(numbers(&read("1|2.5\n-3|inf\n", given).expect("rows")), expected);
    assert!(fault("1|2.5\n", Csv::default()).ends_with("'1|2.5' is not a number"));
    assert_eq!(plain("7\n8\n").0, [[7.0], [8.0]]);
}

#[test]
fn decimal_commas_are_said_and_never_guessed_among_commas() {
    let note = |text: &str| vec![format!("a.csv: numbers have a decimal comma: {text}")];
    assert_eq!(plain("1,5;2\n3;4,25\n"), (vec![vec![1.5, 2.0], vec![3.0, 4.25]], note("'1,5' was read as 1.5")));
    assert_eq!(plain("-1,5e3\t2\n").1, note("'-1,5e3' was read as -1500"));
    let comma = Csv { decimal: Decimal::Comma, ..Csv::default() };
    let rows = read("\"1,5\",\"2,5\"\n", comma).expect("rows");
    assert_eq!((numbers(&rows), rows.notes), (vec![vec![1.5, 2.5]], vec![]), "it was asked for");
    assert!(fault("\"1,5\",\"2,5\"\n", Csv::default()).contains("row 1, column 1: '1,5' is not a number"));
    assert!(fault("1,5;2.5\n", Csv::default()).contains("column 2: '2.5' has a point, but"));
    assert!(fault("1.5;2\n1;2,5\n", Csv::default()).contains("row 2, column 2: '2,5' has a decimal comma, but"));
    assert!(fault("1,5\n", comma).contains("a comma may be between cells or before decimals"));
    assert!(fault("1.5;2\n", comma).contains("'1.5' has a point"));
    assert!(fault("1,5;2\n", Csv { decimal: Decimal::Point, ..Csv::default() }).contains("'1,5' is not a number"));
}

#[test]
fn headers_are_said_and_numbers_are_none() {
    let (rows, notes) = plain("name, other\n1,2\n");
    assert_eq!(rows, [[1.0, 2.0]]);
    assert_eq!(notes, ["a.csv: line 1 was taken as a header: 'name', 'other'"]);
    for text in ["nan,nan\n1,2\n", ",,\n1,2,3\n", "1.2.3,x\n1,2\n", "x,\n1,2\n", "3rd,b\n1,2\n", "N/A,b\n1,2\n"] {
        assert!(fault(text, Csv::default()).starts_with("a.csv, row 1, column"), "{text:?}");
    }
    let yes = Csv { header: Header::Yes, ..Csv::default() };
    let rows = read("0,1\n1,2\n", yes).expect("rows");
    assert_eq!(
        (numbers(&rows), rows.notes.len()),
        (vec![vec![1.0, 2.0]], 1),
        "names may be numbers if they are named so"
    );
    assert!(fault("a,b\n1,2\n", Csv { header: Header::No, ..Csv::default() }).contains("'a' is not a number"));
    assert!(fault("a,b,c\n1,2\n", Csv::default()).contains("row 2: has 2 cells, but line 1, taken as a header, has 3"));
    assert!(fault("a,b\nc,d\n", Csv::default()).contains("row 2, column 1: 'c' is not a number"));
}

#[test]
fn what_is_skipped_is_counted() {
    let (rows, notes) = plain("# one\n1\n\n# two\n2\n\n\n");
    assert_eq!(rows, [[1.0], [2.0]]);
    assert_eq!(notes, ["a.csv: skipped 2 lines that begin with # and 1 empty line between rows"]);
}

#[test]
fn numbers_keep_their_range() {
    assert!(fault("1e999\n", Csv::default()).ends_with("'1e999' is beyond the range of f64"));
    let narrow = Options { float: Some(Float::F32), ..Options::default() };
    let error = read_bytes(b"1,1e39\n", Format::Csv(None), "a.csv", &narrow).expect_err("too large");
    assert_eq!(error.to_string(), "a.csv, row 1, column 2: '1e39' is beyond the range of f32: use f64");
    assert_eq!(plain("inf,-Infinity\n").0, [[f64::INFINITY, f64::NEG_INFINITY]]);
}
