//! Texts with labels, from tables and lines of JSON, and what is refused.

use hfy_io::texts::{Options, Texts, read, read_bytes};

fn of(text: &str, file: &str, options: &Options) -> hfy_io::Result<Texts> {
    read_bytes(text.as_bytes(), file, options)
}

fn columns(text: &str, label: &str) -> Options {
    Options { text: Some(text.into()), label: Some(label.into()), ..Options::default() }
}

/// Where people marked something, as pairs.
fn marks(texts: &Texts) -> Vec<Vec<(usize, usize)>> {
    let pairs = |spans: &Vec<std::ops::Range<usize>>| spans.iter().map(|span| (span.start, span.end)).collect();
    texts.marked().expect("marks").iter().map(pairs).collect()
}

fn said(text: &str, file: &str, options: &Options) -> String {
    of(text, file, options).unwrap_err().to_string()
}

#[test]
fn tables_by_name_and_by_number() {
    let texts =
        of("Stars,Review\n5,\"Good, \"\"really\"\"\nYes\"\n1,Bad\n", "a.csv", &columns("review", "stars")).unwrap();
    assert_eq!((texts.text(0), texts.text(1)), ("Good, \"really\"\nYes", "Bad"));
    assert_eq!(texts.labels().unwrap(), ["5", "1"]);
    assert_eq!((texts.line(0), texts.line(1)), (2, 4));
    let texts = of("1\tsaid \"so\" once\n0\tno\n", "a.tsv", &columns("2", "1")).unwrap();
    assert_eq!((texts.text(0), texts.len()), ("said \"so\" once", 2));
    let texts = of("text,label\na,1\n", "a.csv", &Options::default()).unwrap();
    assert_eq!((texts.text(0), texts.labels().unwrap()), ("a", &["1".to_owned()][..]));
    let unlabelled = Options { unlabelled: true, ..Options::default() };
    assert_eq!(of("text\nonly this\n", "a.csv", &unlabelled).unwrap().labels(), None);
}

#[test]
fn objects_with_texts_or_words() {
    let lines = "{\"review\": \"naïve ale\", \"score\": 4.5, \"evidence\": [[0, 5]]}\n\n{\"review\": \"no\", \"score\": 1, \"evidence\": null}\n";
    let texts = of(lines, "a.jsonl", &Options::default()).unwrap();
    assert_eq!(texts.labels().unwrap(), ["4.5", "1"]);
    assert_eq!(marks(&texts), [vec![(0, 6)], vec![]]);
    assert_eq!((texts.words(0), texts.line(1)), (None, 3));
    let lines = "{\"tokens\": [\"a\", \"fine\", \"ale\"], \"label\": \"x\", \"rationale\": [[1, 3]]}\n\
                 {\"tokens\": [\"a\", \"b\"], \"label\": \"y\", \"rationale\": [0, 1]}\n";
    let texts = of(lines, "a.jsonl", &Options::default()).unwrap();
    assert_eq!(marks(&texts), [[(2, 10)], [(2, 3)]]);
    assert_eq!(texts.words(1).unwrap(), [0..1, 2..3]);
}

#[test]
fn marks_in_tables() {
    let texts = of("text,label,rationale\nfine ale,1,\"[[0, 4]]\"\nflat,0,\n", "a.csv", &Options::default()).unwrap();
    assert_eq!(marks(&texts), [vec![(0, 4)], vec![]]);
    let error = said("text,label,rationale\nfine,1,\"[[0, 9]]\"\n", "a.csv", &Options::default());
    assert_eq!(error, "a.csv, row 2, column 3: the span [0, 9) does not lie in a text of 4");
}

#[test]
fn packed_files_and_marks_at_their_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl.gz");
    let mut packed =
        flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, b"{\"text\": \"a\", \"label\": true}").unwrap();
    packed.finish().unwrap();
    assert_eq!(read(&path, &Options::default()).unwrap().labels().unwrap(), ["true"]);
    assert_eq!(of("\u{feff}text,label\na,1\n", "a.csv", &Options::default()).unwrap().text(0), "a");
    assert!(read(&folder.path().join("b.csv"), &Options::default()).unwrap_err().to_string().contains("b.csv"));
}

#[test]
fn what_is_refused_says_where_and_why() {
    let plain = Options::default();
    for (text, file, part) in [
        ("", "a.csv", "a.csv: holds no texts"),
        ("text,label\n", "a.csv", "a.csv: holds no texts"),
        ("words here,x\na,b\n", "a.csv", "no column is called text, review, sentence, tokens, words"),
        ("text,x\na,b\n", "a.csv", "no column is called label, class"),
        ("text,text,label\na,b,c\n", "a.csv", "columns 1 and 2 are called 'text' and 'text'"),
        ("text,label\na,b,c\n", "a.csv", "row 2: 3 cells where the first record has 2"),
        ("{\"text\": 1, \"label\": 1}", "a.jsonl", "row 1: 'text' is neither a text nor a list of words"),
        (
            "{\"text\": [\"\"], \"label\": 1}",
            "a.jsonl",
            "row 1: 'text': a list of words holds strings, none of them empty",
        ),
        ("{\"text\": \"a\"}", "a.jsonl", "no key is called label, class"),
        ("{\"text\": \"a\", \"label\": []}", "a.jsonl", "a label is a string or a number"),
        ("{\"txt\": \"a\", \"label\": 1}", "a.jsonl", "the keys are 'label', 'txt'"),
        ("[1]", "a.jsonl", "row 1: is no object of JSON"),
        ("{\"text\": \"a\", \"label\": 1, \"rationale\": 3}", "a.jsonl", "a rationale is a list of [start, end) pairs"),
        (
            "{\"text\": \"a\", \"label\": 1, \"rationale\": [1]}",
            "a.jsonl",
            "a rationale is a list of [start, end) pairs",
        ),
        ("{\"text\": \"a\", \"label\": 1, \"rationale\": [[1, 0]]}", "a.jsonl", "[1, 0) does not lie in a text of 1"),
        ("{\"text\": [\"a\"], \"label\": 1, \"rationale\": [1, 0]}", "a.jsonl", "a rationale of 2 numbers for 1 words"),
        ("{\"text\": [\"a\"], \"label\": 1, \"rationale\": [[0, 2]]}", "a.jsonl", "[0, 2) does not lie in a text of 1"),
    ] {
        let error = said(text, file, &plain);
        assert!(error.contains(part), "{text:?}: {error}");
    }
    let error = said("text,label\na,1\n", "a.csv", &columns("body", "label"));
    assert_eq!(error, "a.csv: text = 'body': there is no such column; the columns are 'text', 'label'");
    assert!(said("a,1\n", "a.csv", &columns("3", "1")).contains("text = '3': there is no such column"));
    assert!(said("text,label\na,1\n", "a.csv", &columns("text", "text")).contains("both the text and the label"));
    let error =
        said("{\"text\": \"a\", \"label\": 1}", "a.jsonl", &Options { rationale: Some("why".into()), ..plain.clone() });
    assert!(error.contains("rationale = 'why': there is no such key"), "{error}");
    let error = read_bytes(b"text,label\na,1\n\xff,2\n", "a.csv", &plain).unwrap_err().to_string();
    assert!(error.starts_with("a.csv, row 3: is not UTF-8 text; convert the file first"), "{error}");
    let error = read_bytes(&[0x1f, 0x8b, 8, 0], "a.csv.gz", &plain).unwrap_err().to_string();
    assert!(error.contains("is not a whole gzip file"), "{error}");
}

#[test]
fn no_bytes_panic() {
    let pieces = ["\"", ",", "\n", "\t", "text", "label", "{", "}", "[", "]", ":", "\\u12", "é", "1", "\r"];
    for file in ["a.csv", "a.tsv", "a.jsonl"] {
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    drop(of(&format!("text,label\n{one}{two}{three}"), file, &Options::default()));
                    drop(of(&format!("{one}{two}{three}"), file, &columns("1", "2")));
                }
            }
        }
    }
}
