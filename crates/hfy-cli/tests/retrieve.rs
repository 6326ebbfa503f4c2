//! `hfy retrieve`.

mod common;
use common::{Folder, PATTERNS, QUERIES, data, json_error, numbers, rows};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("queries.csv", QUERIES);
    folder.write("labels.txt", "x\ny\nz\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--labels", "labels.txt"]);
    folder
}

#[test]
fn patterns_come_back_with_ids_and_labels() {
    let folder = folder();
    // The ids are no row numbers any more.
    folder.ok(&["memory", "remove", "m.hfy", "0"]);
    folder.ok(&["memory", "add", "m.hfy", "patterns.csv", "--labels", "labels.txt"]);
    folder.ok(&["memory", "remove", "m.hfy", "1"]);
    let found = folder.json(&["retrieve", "m.hfy", "queries.csv"]);
    assert_eq!((&found["map"], &found["post"], &found["beta"]), (&"sparsemax".into(), &"identity".into(), &1.0.into()));
    assert_eq!((&found["queries"], &found["counts"]["pattern"]), (&2.into(), &2.into()));
    let report = &found["reports"][0];
    assert_eq!(
        (&report["status"], &report["ids"][0], &report["labels"][0]),
        (&"pattern".into(), &3.into(), &"x".into())
    );
    assert_eq!((&report["stopped"], &report["size"]), (&"fixed_point".into(), &1.into()));
    assert_eq!((&report["residual"], &report["energy"]), (&0.0.into(), &(-4.5).into()));
    assert_eq!((&report["support"][0]["id"], &report["support"][0]["weight"]), (&3.into(), &1.0.into()));
    assert_eq!(found["reports"][1]["ids"][0], 4);
    assert!(report.get("trace").is_none());
}

#[test]
fn the_table_and_the_files_say_the_same() {
    let folder = folder();
    let text = folder.ok(&["retrieve", "m.hfy", "queries.csv", "--out", "states.npy", "--reports", "reports.csv"]);
    assert!(text.contains("exactly 0 (x)") && text.contains("exactly 1 (y)"), "{text}");
    assert_eq!(folder.ok(&["map", "quadratic", "states.npy"]), "3,0,0,0\n0,3,0,0\n");
    let reports = folder.read("reports.csv");
    let lines: Vec<&str> = reports.lines().collect();
    assert_eq!(lines[0], "query,name,status,ids,labels,size,stopped,steps,residual,energy");
    assert_eq!(lines[1], "0,,pattern,0,x,1,fixed_point,2,0,-4.5");
    assert_eq!(folder.ok(&["retrieve", "m.hfy", "queries.csv", "--out", "-"]), "3,0,0,0\n0,3,0,0\n");
    let run = folder.run_with_input(&["retrieve", "m.hfy", "-", "--reports", "-"], QUERIES);
    assert_eq!((run.code, run.stdout), (0, reports));
    let text = folder.ok(&["retrieve", "m.hfy", "queries.csv", "--print", "1"]);
    assert!(text.contains("(x)") && !text.contains("(y)"), "{text}");
    assert!(text.ends_with("... and 1 more; in all 2 pattern\n"), "{text}");
    // Rows of any file do as well as a memory.
    assert_eq!(folder.ok(&["retrieve", "patterns.csv", "queries.csv", "--out", "-"]), "3,0,0,0\n0,3,0,0\n");
}

#[test]
fn stopping_rules_and_traces() {
    let folder = folder();
    let softmax = ["retrieve", "m.hfy", "queries.csv", "--map", "softmax", "--trace"];
    let steps = folder.json(&[&softmax[..], &["--steps", "3"]].concat());
    assert_eq!((&steps["reports"][0]["steps"], &steps["reports"][0]["stopped"]), (&3.into(), &"steps".into()));
    assert_eq!(steps["stop"], "after 3 steps");
    let trace = numbers(&steps["reports"][0]["trace"]);
    assert_eq!(trace.len(), 4);
    assert!(trace.windows(2).all(|pair| pair[1] <= pair[0]), "{trace:?}");
    let residual = folder.json(&[&softmax[..], &["--residual", "0.001"]].concat());
    assert_eq!(residual["reports"][0]["stopped"], "residual");
    assert!(residual["reports"][0]["residual"].as_f64().expect("a number") <= 0.001);
    let limit = folder.json(&[&softmax[..], &["--residual", "0", "--limit", "1"]].concat());
    assert_eq!(
        (&limit["reports"][0]["status"], &limit["reports"][0]["stopped"]),
        (&"step_limit".into(), &"limit".into())
    );
    let text = folder.ok(&["retrieve", "m.hfy", "queries.csv", "--trace"]);
    assert!(text.contains("energy of query 0: ") && text.contains(" → -4.5"), "{text}");
    assert_eq!(folder.run(&["retrieve", "m.hfy", "queries.csv", "--steps", "3", "--residual", "1"]).code, 2);
    let error = folder.fails(&["retrieve", "m.hfy", "queries.csv", "--limit", "0"], 2);
    assert_eq!(error, "limit = 0: a retrieval takes at least one step");
}

#[test]
fn nothing_matches() {
    let folder = folder();
    folder.write("far.csv", "2.9,0,0,0\n0,0,0,9\n");
    let run = folder.run(&["retrieve", "m.hfy", "far.csv", "--max-distance", "1", "--fail-on-no-match", "--json"]);
    assert_eq!((run.code, json_error(&run.stderr).as_str()), (3, "1 of 2 queries has no match"));
    let found: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&found["counts"]["no_match"], &found["reports"][1]["status"]), (&1.into(), &"no_match".into()));
    assert_eq!(found["rule"], "a distance of at most 1");
    let text = folder.ok(&["retrieve", "m.hfy", "far.csv", "--max-distance", "1"]);
    assert!(text.contains("no match"), "{text}");
    for (rule, code) in
        [("--min-score=100", 3), ("--min-score=-100", 0), ("--max-energy=-100", 3), ("--max-energy=100", 0)]
    {
        assert_eq!(folder.run(&["retrieve", "m.hfy", "far.csv", rule, "--fail-on-no-match"]).code, code, "{rule}");
    }
    let error = folder.fails(&["retrieve", "m.hfy", "far.csv", "--fail-on-no-match"], 2);
    assert_eq!(error, "--fail-on-no-match needs a rule: --min-score, --max-energy or --max-distance");
    assert_eq!(folder.run(&["retrieve", "m.hfy", "far.csv", "--min-score", "1", "--max-energy", "1"]).code, 2);
}

#[test]
fn other_networks() {
    let folder = folder();
    let pair = folder.json(&["retrieve", "m.hfy", "queries.csv", "--map", "subsets:2"]);
    assert_eq!(pair["reports"][0]["status"], "association");
    assert_eq!(numbers(&pair["reports"][0]["ids"]), [0.0, 1.0]);
    let blend = folder.json(&["retrieve", "m.hfy", "queries.csv", "--map", "softmax", "--beta", "0.01"]);
    assert_eq!((&blend["reports"][0]["status"], &blend["reports"][0]["size"]), (&"blend".into(), &3.into()));
    let sphere = folder.ok(&["retrieve", "m.hfy", "queries.csv", "--post", "l2:6", "--out", "-"]);
    assert_eq!(sphere, "6,0,0,0\n0,6,0,0\n");
    let indexed = folder.json(&["retrieve", "m.hfy", "queries.csv", "--index", "2"]);
    assert_eq!(indexed["reports"], folder.json(&["retrieve", "m.hfy", "queries.csv"])["reports"]);
    folder.write("values.csv", "1,2\n3,4\n5,6\n");
    assert_eq!(folder.ok(&["retrieve", "m.hfy", "queries.csv", "--values", "values.csv", "--out", "-"]), "1,2\n3,4\n");
    folder.write("values.csv", "1,2\n3,4\n");
    let error = folder.fails(&["retrieve", "m.hfy", "queries.csv", "--values", "values.csv"], 1);
    assert_eq!(error, "values.csv: values has shape [2, 2], expected [3, 2]");
}

#[test]
fn the_memory_says_which_network() {
    let folder = folder();
    let build =
        ["memory", "build", "own.hfy", "patterns.csv", "--map", "entmax:1.5", "--post", "l2:3", "--beta", "0.5"];
    folder.ok(&build);
    let found = folder.json(&["retrieve", "own.hfy", "queries.csv"]);
    assert_eq!((&found["map"], &found["post"], &found["beta"]), (&"entmax:1.5".into(), &"l2:3".into(), &0.5.into()));
    let found = folder.json(&["retrieve", "own.hfy", "queries.csv", "--map", "softmax"]);
    assert_eq!((&found["map"], &found["beta"]), (&"softmax".into(), &0.5.into()));
}

#[test]
fn types_are_those_of_the_memory_unless_told() {
    let folder = folder();
    folder.ok(&["memory", "build", "half.hfy", "patterns.csv", "--dtype", "f16"]);
    folder.ok(&["retrieve", "half.hfy", "queries.csv", "--out", "states.npy"]);
    assert_eq!(folder.bytes("states.npy").len(), 128 + 8 * 4);
    folder.ok(&["retrieve", "half.hfy", "queries.csv", "--dtype", "f64", "--out", "states.npy", "--force"]);
    assert_eq!(folder.bytes("states.npy").len(), 128 + 8 * 8);
}

#[test]
fn pictures_in_and_out() {
    let folder = Folder::new();
    folder.ok(&["demo", "--brief", "--glyphs", "glyphs", "--out", "demo.html"]);
    folder.ok(&["memory", "build", "g.hfy", "glyphs/whole", "--beta", "0.03"]);
    let found = folder.json(&["retrieve", "g.hfy", "glyphs/damaged", "--pictures", "recalled"]);
    let reports = found["reports"].as_array().expect("a list");
    assert_eq!(reports.len(), 32);
    let right = reports.iter().filter(|report| report["labels"][0] == report["name"]).count();
    assert!(right >= 31, "{right} of 32 damaged pictures are recognised");
    // A picture that came back exactly is the one that was stored, up to its 256 greys.
    let cat = reports.iter().find(|report| report["name"] == "cat").expect("a cat");
    let file = format!("recalled/{:04}-cat.png", cat["row"].as_u64().expect("a row"));
    assert_eq!(folder.bytes(&file), folder.bytes("glyphs/whole/cat.png"));
    assert_eq!(found["pictures"].as_array().map(Vec::len), Some(32));
    // JPEG loses a little, and no more.
    folder.ok(&["retrieve", "g.hfy", "glyphs/damaged/cat.png", "--pictures", "jpeg", "--picture-format", "jpeg"]);
    let greys = |file: &str| rows(&folder.ok(&["map", "quadratic", file])).swap_remove(0);
    let (whole, lossy) = (greys("glyphs/whole/cat.png"), greys("jpeg/0000-cat.jpg"));
    let worst = whole.iter().zip(&lossy).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(whole.len() == lossy.len() && worst > 0.0 && worst < 0.2, "{worst}");
    let text = folder.ok(&["retrieve", "g.hfy", "glyphs/damaged/cat.png", "--show"]);
    assert!(text.contains("→ exactly") && text.contains('█') && text.contains("(cat)"), "{text}");
    let error = folder.fails(&["retrieve", "g.hfy", &data("ramp.png")], 1);
    assert!(
        error.contains("ramp.png: is 16 x 8 pixels, but the pictures in g.hfy are 28 x 28 pixels: --size"),
        "{error}"
    );
    let again = ["retrieve", "g.hfy", "glyphs/damaged", "--pictures", "recalled"];
    let error = folder.fails(&again, 1);
    assert!(error.contains("exists already: name another file"), "{error}");
    folder.ok(&[&again[..], &["--force"]].concat());
    let error =
        folder.fails(&["retrieve", "g.hfy", "glyphs/damaged/cat.png", "--pictures", "glyphs/damaged/cat.png/x"], 1);
    assert!(error.starts_with("cannot create the folder glyphs/damaged/cat.png/x: "), "{error}");
}

#[test]
fn states_that_are_no_pictures() {
    let folder = folder();
    let error = folder.fails(&["retrieve", "m.hfy", "queries.csv", "--show"], 2);
    assert_eq!(error, folder.fails(&["retrieve", "m.hfy", "queries.csv", "--pictures", "p"], 2));
    assert!(!folder.names().contains(&"p".to_owned()));
    assert_eq!(error, "these states are no pictures: neither memory nor queries were");
}

#[test]
fn queries_are_checked() {
    let folder = folder();
    folder.write("bad.csv", "1,2,3,4\n5,inf,7,8\n");
    let error = folder.fails(&["retrieve", "m.hfy", "queries.csv", "bad.csv"], 1);
    assert_eq!(error, "bad.csv, row 2, column 2: inf: an entry must be finite");
    folder.write("narrow.csv", "1,2,3\n");
    let error = folder.fails(&["retrieve", "m.hfy", "narrow.csv"], 1);
    assert_eq!(error, "narrow.csv: has 3 columns, but the patterns in m.hfy have 4");
    let run = folder.run(&["retrieve", "m.hfy", "queries.csv", "--json", "--out", "-"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(json_error(&run.stderr), "only one of --json, --out - and --reports - can have the standard output");
    assert_eq!(rows(&folder.ok(&["retrieve", "m.hfy", "queries.csv", "--out", "-"])).len(), 2);
}
