//! `hfy recall`.

mod common;
use common::{Folder, json_error};
use serde_json::Value;

/// Eight patterns far apart, in csv and in a memory with labels.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut state = 9_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 22) - 2.0
    };
    let rows: Vec<String> = (0..8).map(|_| (0..40).map(|_| draw().to_string()).collect::<Vec<_>>().join(",")).collect();
    folder.write("p.csv", rows.join("\n"));
    folder.write("cue.csv", &rows[3]);
    folder.write("labels.txt", "a\nb\nc\nd\ne\nf\ng\n\"h, i\"\n");
    folder.ok(&["memory", "build", "m.hfy", "p.csv", "--labels", "labels.txt", "--beta", "0.5"]);
    folder
}

fn ids(found: &Value) -> Vec<u64> {
    found["rounds"].as_array().expect("rounds").iter().map(|round| round["id"].as_u64().expect("an id")).collect()
}

#[test]
fn free_recall_brings_each_pattern_once() {
    let folder = folder();
    let found = folder.json(&["recall", "free", "m.hfy"]);
    assert_eq!((&found["procedure"], &found["method"]), (&"free".into(), &"constrained".into()));
    assert_eq!((&found["beta"], &found["steps"]), (&0.5.into(), &20.into()), "the memory's beta");
    assert_eq!((&found["cue_id"], &found["cue_label"], &found["patterns"]), (&0.into(), &"a".into(), &8.into()));
    assert_eq!((&found["unique_ratio"], &found["levenshtein"]), (&1.0.into(), &Value::Null));
    let mut order = ids(&found);
    assert_eq!(order[0], 0);
    order.sort_unstable();
    assert!(order.into_iter().eq(0..8));
    let first = &found["rounds"][0];
    assert_eq!((&first["round"], &first["label"], &first["gap"]), (&1.into(), &"a".into(), &1.0.into()));
    assert_eq!((&first["repeats"], &first["jump"]), (&Value::Null, &false.into()));
    assert_eq!((&first["support"][0]["id"], &first["support"][0]["weight"]), (&0.into(), &1.0.into()));

    let penalised = ["recall", "free", "p.csv", "--method", "penalised", "--alpha", "1.5", "--lambda", "1e8"];
    let found = folder.json(&penalised);
    assert_eq!((&found["map"], &found["lambda"], &found["tau"]), (&"entmax:1.5".into(), &1e8.into(), &0.001.into()));
    assert_eq!(found["beta"], 0.1, "the paper's, where the file says nothing");
    let text = folder.ok(&["recall", "free", "m.hfy", "--print", "2", "--rounds", "4"]);
    assert!(
        text.starts_with("free recall with constrained sparsemax, beta 0.5, 20 steps a round; from 0 (a)\n"),
        "{text}"
    );
    assert!(text.contains("... and 2 more\nunique ratio 1: 4 of 8 patterns in 4 rounds\n"), "{text}");
}

#[test]
fn sequential_recall_keeps_the_order() {
    let folder = folder();
    let found = folder.json(&["recall", "sequential", "m.hfy", "--beta", "0.1"]);
    assert_eq!(ids(&found), [1, 2, 3, 4, 5, 6, 7, 6]);
    assert_eq!((&found["unique_ratio"], &found["levenshtein"]), (&0.875.into(), &0.875.into()));
    assert_eq!(found["levenshtein_ceiling"], 0.875);
    for (name, value) in [("omega", 1.1), ("transition", 1e8), ("inner_beta", 1.0), ("lambda", 1e9), ("k", 2.0)] {
        assert_eq!(found[name].as_f64(), Some(value), "{name}");
    }
    assert_eq!((&found["regulariser"], &found["rounds"][7]["repeats"]), (&"both".into(), &6.into()));
    let infinite = folder.json(&["recall", "sequential", "m.hfy", "--beta", "0.1", "--transition", "inf"]);
    assert_eq!((infinite["rounds"].clone(), &infinite["transition"]), (found["rounds"].clone(), &Value::Null));
    let text = folder.ok(&["recall", "sequential", "m.hfy", "--beta", "0.1"]);
    assert!(text.contains("Levenshtein coefficient 0.875, at most 0.875 is possible; no jumps\n"), "{text}");
    assert!(text.contains("repeats round 6"), "{text}");
    // A rate of one and a penalty of zero: nothing keeps it from going back and forth.
    let text = folder.ok(&["recall", "sequential", "m.hfy", "--lambda", "0", "--tau", "1", "--cue-id", "4"]);
    assert!(text.contains("; from 4 (e)\n"), "{text}");
}

#[test]
fn cues_of_ones_own() {
    let folder = folder();
    let by_file = folder.json(&["recall", "free", "m.hfy", "--cue", "cue.csv"]);
    let by_id = folder.json(&["recall", "free", "m.hfy", "--cue-id", "3"]);
    assert_eq!((ids(&by_file), &by_file["cue_id"]), (ids(&by_id), &Value::Null));
    assert_eq!(ids(&by_id)[0], 3);
    let error = folder.fails(&["recall", "free", "m.hfy", "--cue", "p.csv"], 1);
    assert_eq!(error, "p.csv: has 8 rows, where one cue is expected");
    let error = folder.fails(&["recall", "free", "m.hfy", "--cue-id", "8"], 1);
    assert_eq!(error, "m.hfy: no pattern has the id 8");
    folder.write("bad.csv", format!("inf{}\n", ",0".repeat(39)));
    let error = folder.fails(&["recall", "sequential", "m.hfy", "--cue", "bad.csv"], 1);
    assert_eq!(error, "bad.csv, row 1, column 1: inf: an entry of a cue must be finite");
    assert_eq!(folder.run(&["recall", "free", "m.hfy", "--cue", "cue.csv", "--cue-id", "3"]).code, 2);
}

#[test]
fn tables_in_files() {
    let folder = folder();
    let text = folder.ok(&["recall", "sequential", "m.hfy", "--beta", "0.1", "--out", "r.csv"]);
    assert!(text.ends_with("rounds written to r.csv\n"), "{text}");
    let written = folder.read("r.csv");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!((lines.len(), lines[0]), (9, "round,id,label,gap,repeats,jump"));
    assert_eq!((lines[1], lines[8]), ("1,1,b,1,,false", "8,6,g,1,6,false"));
    assert!(lines[7].starts_with("7,7,\"\"\"h, i\"\"\",1,"), "{written}");
    assert_eq!(folder.ok(&["recall", "sequential", "m.hfy", "--beta", "0.1", "--out", "-"]), written);
    let error = folder.fails(&["recall", "free", "m.hfy", "--out", "r.csv"], 1);
    assert!(error.contains("exists already"), "{error}");
    let error = folder.fails(&["recall", "free", "m.hfy", "--out", "r.npy"], 2);
    assert_eq!(error, "--out r.npy: the rounds are written to csv, tsv or txt");
    let run = folder.run(&["recall", "free", "m.hfy", "--out", "-", "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(json_error(&run.stderr), "only one of --json and --out - can have the standard output");
}

#[test]
fn plots() {
    let folder = folder();
    let found = folder.json(&["recall", "sequential", "m.hfy", "--beta", "0.1", "--picture", "s.svg"]);
    assert_eq!(found["picture"], "s.svg");
    let svg = folder.read("s.svg");
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("<title>Sequential recall, sparsemax: 8 patterns, 8 rounds; unique ratio 0.875, "), "{svg}");
    assert!(svg.contains(">recalled before (1)<") && svg.contains(">a jump in the order (0)<"));
    assert!(!svg.contains("<image"));
    folder.ok(&["recall", "free", "m.hfy", "--picture", "s.png"]);
    let png = folder.bytes("s.png");
    // The size that the header says: two pixels a unit.
    assert_eq!((&png[1..4], &png[16..24]), (&b"PNG"[..], &[0, 0, 5, 160, 0, 0, 3, 152][..]));
    let error = folder.fails(&["recall", "free", "m.hfy", "--picture", "s.jpg"], 2);
    assert_eq!(error, "--picture s.jpg: figures are written to svg or png");
    assert!(folder.fails(&["recall", "free", "m.hfy", "--picture", "s.png"], 1).contains("exists already"));
    folder.ok(&["recall", "free", "m.hfy", "--picture", "s.png", "--force"]);
    let left: Vec<String> = folder.names().into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn strips_of_pictures() {
    let folder = Folder::new();
    folder.ok(&["demo", "--brief", "--glyphs", "glyphs"]);
    folder.ok(&["memory", "build", "g.hfy", "glyphs/whole"]);
    let cue = ["recall", "sequential", "g.hfy", "--cue", "glyphs/damaged/2.png", "--rounds", "5"];
    let found = folder.json(&[&cue[..], &["--picture", "g.svg"]].concat());
    assert_eq!(ids(&found), [1, 2, 3, 4, 5]);
    assert_eq!((&found["levenshtein"], &found["levenshtein_ceiling"]), (&1.0.into(), &1.0.into()));
    let svg = folder.read("g.svg");
    assert_eq!(svg.matches("<image").count(), 6, "the cue and five rounds");
    assert!(svg.contains(">cue<") && svg.contains(">5: 7<"), "{svg}");
    // Patterns that the inverse temperature does not tell apart come again.
    let blurred = ["recall", "free", "g.hfy", "--method", "penalised", "--beta", "0.01", "--picture", "b.svg"];
    let found = folder.json(&blurred);
    let repeats = found["rounds"].as_array().expect("rounds").iter().filter(|round| round["repeats"].is_u64()).count();
    assert!(repeats > 0);
    let svg = folder.read("b.svg");
    assert_eq!(svg.matches("#b22c1c\" stroke-width=\"4\"").count(), repeats, "a frame each");
    assert!(svg.contains(&format!(">recalled before ({repeats})<")));
}

#[test]
fn settings_are_checked() {
    let folder = folder();
    let says = |arguments: &[&str], text: &str| {
        assert_eq!(folder.fails(&[&["recall"], arguments].concat(), 2), text);
    };
    says(&["free", "m.hfy", "--lambda", "5"], "--map, --alpha, --lambda and --tau belong to --method penalised");
    says(&["free", "m.hfy", "--method", "penalised", "--tau", "2"], "tau = 2: a rate must lie in [0, 1]");
    says(&["free", "m.hfy", "--steps", "0"], "steps = 0: constrained recall needs at least one update a round");
    says(&["free", "m.hfy", "--rounds", "9"], "rounds = 9: constrained recall has no more rounds than patterns");
    says(&["free", "m.hfy", "--rounds", "0"], "rounds = 0: there must be at least one round");
    says(
        &["sequential", "m.hfy", "--map", "normmax:2"],
        "--map normmax:2: recall takes softmax, sparsemax, argmax or entmax:ALPHA",
    );
    says(&["sequential", "m.hfy", "--omega", "-1"], "omega = -1: omega must be finite and not negative");
    says(&["sequential", "m.hfy", "--k", "9"], "k = 9: an association must not have more memories than there are");
    says(&["sequential", "m.hfy", "--alpha", "-0.5"], "alpha = -0.5: alpha must lie in (0, inf]");
    assert_eq!(folder.run(&["recall", "free", "m.hfy", "--beta", "0"]).code, 2);
    folder.write("nan.csv", "1,2\n3,inf\n");
    let error = folder.fails(&["recall", "free", "nan.csv"], 1);
    assert_eq!(error, "nan.csv, row 2, column 2: inf: an entry of a pattern must be finite");
    let alone = folder.json(&["recall", "free", "cue.csv"]);
    assert_eq!((ids(&alone), &alone["rounds"][0]["gap"]), (vec![0], &1.0.into()));
}
