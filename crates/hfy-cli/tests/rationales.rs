//! `hfy reproduce table6`, `fig13` and `rationales`, on small sets of texts that are made here.

mod common;

use std::fmt::Write as _;

use common::Folder;
use serde_json::{Value, json};

const GOOD: [&str; 3] = ["lovely", "crisp", "rich"];
const BAD: [&str; 3] = ["dull", "flat", "stale"];
const OTHER: [&str; 6] = ["the", "ale", "glass", "was", "cold", "in"];

/// Words of a text: neutral ones, with a good or a bad one in the middle.
fn words(number: usize, length: usize, good: bool) -> Vec<&'static str> {
    let of = |at: usize| OTHER[(number * 7 + at * 5 + at * at) % OTHER.len()];
    let telling = if good { GOOD[number % 3] } else { BAD[number % 3] };
    (0..length).map(|at| if at == length / 2 { telling } else { of(at) }).collect()
}

/// A folder with small sets under the names of the real ones.
fn data() -> Folder {
    let folder = Folder::new();
    for name in ["sst", "ag_news", "imdb", "beer", "movies", "glove"] {
        std::fs::create_dir_all(folder.path(&format!("data/{name}"))).expect("a folder");
    }
    let mut vectors = String::new();
    for (at, word) in GOOD.iter().chain(&BAD).chain(&OTHER).enumerate() {
        let numbers: Vec<String> =
            (0..6).map(|place| format!("{:.2}", ((at * 31 + place * 17) % 23) as f64 / 11.5 - 1.0)).collect();
        let _ = writeln!(vectors, "{word} {}", numbers.join(" "));
    }
    folder.write("data/glove/glove.6B.100d.txt", vectors);
    let packed = |name: &str, text: &str| {
        let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut to, text.as_bytes()).expect("bytes");
        folder.write(name, to.finish().expect("a file"));
    };
    for (part, count) in [("train", 40), ("dev", 20), ("test", 20)] {
        let tree = |number: usize| {
            let grade = [0, 4, 2, 3, 1][number % 5];
            let leaves: Vec<String> = words(number, 6, grade > 2).iter().map(|word| format!("(2 {word})")).collect();
            format!("({grade} {})\n", leaves.join(" "))
        };
        folder.write(&format!("data/sst/{part}.txt"), (0..count).map(tree).collect::<String>());
    }
    let mark = |line: usize| {
        let grade = [0, 4, 2, 3, 1][line % 5];
        format!("{}\n", json!({ "line": line, "tokens": words(line, 6, grade > 2), "rationale": [0, 0, 0, 1, 0, 0] }))
    };
    folder.write("data/sst/human_rationales_250.jsonl", (0..10).map(mark).collect::<String>());
    let news = |number: usize| {
        format!("\"{}\",\"1\",\"{}\"\n", number % 4 + 1, words(number, 8, number.is_multiple_of(2)).join(" "))
    };
    folder.write("data/ag_news/train_subset.csv", (0..40).map(news).collect::<String>());
    let news =
        |number: usize| format!("\"{}\",\"Title, of\",\"{}\"\n", number % 4 + 1, words(number, 8, true).join(" "));
    folder.write("data/ag_news/test.csv", (0..20).map(news).collect::<String>());
    let film =
        |number: usize| format!("{}\t9\tx\t{}<br />\"so\"\n", number % 2, words(number, 30, number % 2 == 1).join(" "));
    packed("data/imdb/train_25000.tsv.gz", &(0..60).map(film).collect::<String>());
    packed("data/imdb/test_25000.tsv.gz", &(60..90).map(film).collect::<String>());
    let mark = |number: usize| {
        let text = words(number + 100, 20, number % 2 == 1).join(" ");
        format!("{}\n", json!({ "text": text, "label": number % 2, "rationale_chars": [[0, 5], [8, 12]] }))
    };
    packed("data/imdb/human_rationales_855.jsonl.gz", &(0..10).map(mark).collect::<String>());
    let beer = |number: usize| {
        let score = if number.is_multiple_of(2) { 4.5 } else { 1.5 };
        let text = words(number, 25, number.is_multiple_of(2)).join(" ");
        format!(
            "{}\n",
            json!({ "text": text, "appearance": score, "aroma": score, "palate": 3.0, "taste": score, "overall": score })
        )
    };
    packed("data/beer/train_2467.jsonl.gz", &(0..60).map(beer).collect::<String>());
    let review = |id: usize| format!("{}\n", json!({ "id": id, "tokens": words(id, 50, id.is_multiple_of(2)) }));
    folder.write("data/beer/reviews_994.jsonl", (0..8).map(review).collect::<String>());
    let mark = |id: usize| {
        let spans = json!({ "id": id, "appearance": [[20, 32]], "aroma": [[0, 4]], "palate": [[10, 12]], "taste": [[4, 9]], "overall": [[40, 50]], "unclear": [[33, 36]] });
        format!("{spans}\n")
    };
    folder.write("data/beer/human_rationales_990.jsonl", (0..8).map(mark).collect::<String>());
    let film = |number: usize| {
        let split = ["train", "train", "val", "test"][number % 4];
        let text = words(number, 40, number.is_multiple_of(3)).join(" ");
        format!(
            "{}\n",
            json!({ "split": split, "label": usize::from(number.is_multiple_of(3)), "text": text, "rationale": [[19, 22]] })
        )
    };
    packed("data/movies/rationales_1999.jsonl.gz", &(0..60).map(film).collect::<String>());
    folder
}

fn reproduced(folder: &Folder, id: &str) -> [Value; 2] {
    let arguments =
        ["reproduce", id, "--quick", "--seeds", "1", "--mode", "both", "--quiet", "--data", "data", "--out", "r"];
    let run = folder.run(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    ["printed", "defined"].map(|mode| {
        let bytes = folder.bytes(&format!("r/{mode}/{id}/result.json"));
        serde_json::from_slice(&bytes).expect("one document")
    })
}

#[test]
fn table_6_has_a_number_for_each_method_and_column() {
    let folder = data();
    for result in reproduced(&folder, "table6") {
        let cells = result["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 2 * (5 + 5));
        for cell in cells {
            let value = cell["value"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&value) || cell["col"] == "Beer, squared error" && value > 0.0, "{cell}");
        }
        assert_eq!(result["values"]["quoted"].as_array().unwrap().len(), 10);
    }
    assert!(folder.read("r/printed/table6/table6.svg").contains("<text"));
}

#[test]
fn figure_13_shows_our_reviews_and_those_of_the_data() {
    let folder = data();
    reproduced(&folder, "fig13");
    let own = folder.read("r/defined/fig13/fig13.svg");
    assert!(own.contains("mahogany") && own.contains("Review 3, seq. k-subsets"), "our reviews");
    let theirs = folder.read("r/defined/fig13/fig13-data.svg");
    assert!(theirs.contains("Review 1 of the data, k-subsets") && theirs.contains("glass"));
    // Nothing of the texts of the data is in the numbers.
    assert!(!folder.read("r/defined/fig13/result.json").contains("glass was"));
}

#[test]
fn choices_of_words_are_compared_on_four_sets() {
    let folder = data();
    let [printed, defined] = reproduced(&folder, "rationales");
    assert_eq!(printed["cells"], defined["cells"], "there is one reading");
    assert_eq!(printed["cells"].as_array().unwrap().len(), 4 * 5 * 6);
    assert!(folder.read("r/printed/rationales/rationales.svg").contains("<text"));
}
