//! `hfy text`.

mod common;

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::Folder;
use serde_json::{Value, json};

const GOOD: [&str; 4] = ["lovely", "crisp", "rich", "bright"];
const BAD: [&str; 4] = ["dull", "flat", "stale", "thin"];
const OTHER: [&str; 12] = ["the", "ale", "a", "glass", "of", "it", "was", "pint", "bottle", "served", "cold", "in"];

struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[(self.unit() * words.len() as f64) as usize]
    }
}

/// Vectors of the words: what is good or bad has a direction of its own.
fn vectors() -> String {
    let mut draw = Draw(5);
    let mut text = String::new();
    for word in GOOD.iter().chain(&BAD).chain(&OTHER).chain(&[",", "."]) {
        let side = if GOOD.contains(word) {
            2.0
        } else if BAD.contains(word) {
            -2.0
        } else {
            0.0
        };
        let numbers: Vec<String> =
            (0..8).map(|at| format!("{:.4}", draw.unit() - 0.5 + if at == 0 { side } else { 0.0 })).collect();
        let _ = writeln!(text, "{word} {}", numbers.join(" "));
    }
    text
}

/// Reviews of ten words, of which two neighbours are good or bad.
fn reviews(seed: u64, count: usize) -> Vec<(String, bool, Vec<[usize; 2]>)> {
    let mut draw = Draw(seed);
    let one = |number: usize| {
        let (good, at) = (number.is_multiple_of(2), (draw.unit() * 8.0) as usize);
        let (mut text, mut span) = (String::new(), [0, 0]);
        for place in 0..10 {
            if place > 0 {
                text.push(' ');
            }
            if place == at {
                span[0] = text.chars().count();
            }
            let telling = place == at || place == at + 1;
            text += if telling { draw.of(if good { &GOOD } else { &BAD }) } else { draw.of(&OTHER) };
            if telling {
                span[1] = text.chars().count();
            }
        }
        (text, good, vec![span])
    };
    (0..count).map(one).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("vectors.txt", vectors());
    let mut table = "review,stars\n".to_owned();
    for (text, good, _) in reviews(1, 240) {
        let _ = writeln!(table, "\"{text}, so\nit was\",{}", if good { "good" } else { "bad" });
    }
    folder.write("reviews.csv", table);
    let (mut marked, mut numbers) = (String::new(), "text\tscore\n".to_owned());
    for (text, good, spans) in reviews(2, 60) {
        let object = json!({ "text": text, "label": if good { "good" } else { "bad" }, "rationale": spans });
        let _ = writeln!(marked, "{object}");
    }
    let mut draw = Draw(9);
    for (text, good, _) in reviews(3, 240) {
        let _ = writeln!(numbers, "{text}\t{:.3}", if good { 4.0 } else { 2.0 } + 0.2 * draw.unit());
    }
    folder.write("marked.jsonl", marked);
    folder.write("numbers.tsv", numbers);
    folder
}

const SMALL: [&str; 4] = ["--vectors", "vectors.txt", "--rate", "0.01"];
/// A small network.
const TWELVE: [&str; 2] = ["--hidden", "12"];

fn ok(folder: &Folder, arguments: &[&str]) -> String {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run.stdout
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, &[arguments, &["--json"]].concat())).expect("one document")
}

fn train(folder: &Folder, more: &[&str]) -> Value {
    let columns = ["text", "train", "reviews.csv", "--text", "review", "--label", "stars", "-o", "m"];
    json(folder, &[&columns[..], &SMALL, more].concat())
}

#[test]
fn a_model_learns_predicts_explains_and_agrees_with_people() {
    let folder = folder();
    let trained = train(&folder, &["--hidden", "12", "--epochs", "8"]);
    assert_eq!(trained["texts"], 240);
    assert_eq!(trained["labels"], json!({ "Classes": ["bad", "good"] }));
    assert!(trained["found"]["Classes"]["accuracy"].as_f64().unwrap() > 0.95, "{trained}");
    let said = json(&folder, &["text", "predict", "m", "marked.jsonl"]);
    let all = said["texts"].as_array().unwrap();
    let right = all.iter().filter(|one| one["predicted"] == one["label"]).count();
    assert!(all.len() == 60 && right > 57, "{right}");
    let shown = json(&folder, &["text", "explain", "m", "marked.jsonl", "-o", "page.html", "--most", "5"]);
    let shown = shown["texts"].as_array().unwrap();
    assert_eq!(shown.len(), 5);
    for one in shown {
        let words = one["rationale"].as_array().unwrap();
        assert!((2..=3).contains(&words.len()), "a fifth of ten words, or a mixture: {one}");
        assert!((one["share"].as_f64().unwrap() - words.len() as f64 / 10.0).abs() < 1e-9);
    }
    let page = folder.read("page.html");
    assert_eq!(page.matches("<section>").count(), 5);
    assert!(page.contains("<mark style=\"background:rgba(255,196,0,"));
    let text = ok(&folder, &["text", "explain", "m", "marked.jsonl", "--most", "1"]);
    assert!(text.contains('[') && text.contains("of the words, in"), "{text}");
    let found = json(&folder, &["text", "evaluate", "m", "marked.jsonl", "--rationales"]);
    let f1 = found["rationales"]["f1"].as_f64().unwrap();
    assert!(f1 > 0.5, "{found}");
    assert!(
        found["faithfulness"]["comprehensiveness"].as_f64().unwrap()
            > found["faithfulness"]["sufficiency"].as_f64().unwrap()
    );
    let text = ok(&folder, &["text", "evaluate", "m", "marked.jsonl", "--rationales"]);
    assert!(text.contains("beside people: F1 of words"), "{text}");
    ok(&folder, &["text", "predict", "m", "marked.jsonl", "-o", "said.csv"]);
    assert_eq!(folder.read("said.csv").lines().count(), 61);
}

#[test]
fn numbers_are_learned_in_their_own_unit() {
    let folder = folder();
    let arguments = ["text", "train", "numbers.tsv", "-o", "n", "--selector", "subsets:20%"];
    let trained = json(&folder, &[&arguments[..], &SMALL, &TWELVE, &["--epochs", "8"]].concat());
    assert!(trained["found"]["Numbers"]["absolute_error"].as_f64().unwrap() < 0.3, "{trained}");
    let said = json(&folder, &["text", "predict", "n", "numbers.tsv"]);
    let first = &said["texts"][0];
    let number: f64 = first["predicted"].as_str().unwrap().parse().unwrap();
    assert!((number - 4.1).abs() < 1.0, "{first}");
    assert!(ok(&folder, &["text", "evaluate", "n", "numbers.tsv"]).contains("squared error"));
}

#[test]
fn every_selector_trains_and_a_transition_is_learned() {
    let folder = folder();
    for selector in ["softmax", "sparsemax", "spans:20%", "atmost:20%", "windows:20%", "subsets:2"] {
        let small = ["--hidden", "12", "--epochs", "1", "--force", "--use-temperature", "0.1"];
        let trained = train(&folder, &[&["--selector", selector][..], &small].concat());
        assert_eq!(trained["config"]["model"]["selector"]["omega"], selector);
    }
    let learned = ["--selector", "sequence:20%", "--transition", "0.01"];
    let trained = train(&folder, &[&learned[..], &TWELVE, &["--epochs", "2", "--force"]].concat());
    assert!(trained["transition"].as_f64().unwrap() != 0.01, "{trained}");
    let shown = json(&folder, &["text", "explain", "m", "marked.jsonl", "--most", "2"]);
    assert_eq!(shown["texts"].as_array().unwrap().len(), 2);
    let trained = train(&folder, &["--hidden", "0", "--selector", "subsets:20%", "--epochs", "3", "--force"]);
    assert_eq!(trained["config"]["model"]["hidden"], 0);
    let found = json(&folder, &["text", "evaluate", "m", "marked.jsonl"]);
    assert!(found["faithfulness"]["sufficiency"].as_f64().unwrap().abs() < 1e-5, "{found}");
}

#[test]
fn a_stopped_run_goes_on_to_the_same_model() {
    let folder = folder();
    let arguments = |name: &'static str| {
        let columns = ["text", "train", "reviews.csv", "--text", "review", "--label", "stars", "-o", name];
        [&columns[..], &SMALL, &TWELVE, &["--epochs", "40", "--patience", "40", "--quiet"]].concat()
    };
    ok(&folder, &arguments("whole"));
    let mut run =
        folder.command(&arguments("m")).stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
    let begin = Instant::now();
    let is_checkpoint = |name: &String| name.starts_with(".m.") && name.ends_with(".checkpoint");
    while !folder.names().iter().any(is_checkpoint) && begin.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().expect("the program is killed");
    run.wait().expect("it ends");
    let found = folder.run(&arguments("m"));
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert!(found.stderr.contains("goes on with") || folder.path("m").exists(), "{}", found.stderr);
    assert_eq!(folder.bytes("m"), folder.bytes("whole"));
    assert!(!folder.names().iter().any(is_checkpoint), "{:?}", folder.names());
}
