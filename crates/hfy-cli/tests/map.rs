//! `hfy map`.

mod common;
use common::{Folder, numbers, rows};

#[test]
fn weights_go_to_the_standard_output() {
    let folder = Folder::new();
    folder.write("scores.csv", "1,0.5,-2\n3,3,1\n");
    assert_eq!(folder.ok(&["map", "sparsemax", "scores.csv"]), "0.75,0.25,0\n0.5,0.5,0\n");
    let cold = rows(&folder.ok(&["map", "softmax", "scores.csv", "--beta", "2"]));
    let expected = 1.0 / (1.0 + (-1f64).exp() + (-6f64).exp());
    assert!((cold[0][0] - expected).abs() < 1e-15, "{cold:?}");
}

#[test]
fn the_standard_input_is_a_file_too() {
    let run = Folder::new().run_with_input(&["map", "argmax", "-"], "1,2\n5,4\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, "0,1\n1,0\n"));
    let run = Folder::new().run_with_input(&["map", "argmax", "-"], "1,2\n5,x\n");
    assert_eq!((run.code, run.stderr.as_str()), (1, "error: standard input, row 2, column 2: 'x' is not a number\n"));
}

#[test]
fn json_names_its_fields() {
    let folder = Folder::new();
    folder.write("scores.csv", "1,0.5,-2\n-inf,-inf,-inf\n");
    let document = folder.json(&["map", "sparsemax", "scores.csv", "--beta", "1"]);
    assert_eq!((&document["map"], &document["beta"]), (&"sparsemax".into(), &1.0.into()));
    assert_eq!((&document["rows"], &document["columns"]), (&2.into(), &3.into()));
    assert_eq!(numbers(&document["weights"][0]), [0.75, 0.25, 0.0]);
    assert_eq!(numbers(&document["empty"]), [1.0]);
    let document = folder.json(&["map", "sparsemax", "scores.csv", "--support"]);
    assert_eq!(document["support"][0][1]["column"], 1);
    assert_eq!(document["support"][0][1]["weight"], 0.25);
    assert_eq!(document["support"][1].as_array().map(Vec::len), Some(0));
    assert!(document.get("weights").is_none());
}

#[test]
fn a_row_of_masks_is_noted() {
    let run = Folder::new().run_with_input(&["map", "softmax", "-"], "-inf,-inf\n1,1\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, "0,0\n0.5,0.5\n"));
    assert_eq!(run.stderr, "note: standard input: everything is masked in row 1; its weights are zeros\n");
}

#[test]
fn a_support_can_be_written() {
    let folder = Folder::new();
    folder.write("scores.csv", "1,0.5,-2\n9,0,9\n");
    let printed = folder.ok(&["map", "sparsemax", "scores.csv", "--support"]);
    assert_eq!(printed, "row,column,weight\n0,0,0.75\n0,1,0.25\n1,0,0.5\n1,2,0.5\n");
    folder.ok(&["map", "sparsemax", "scores.csv", "--support", "--out", "support.tsv"]);
    assert_eq!(folder.read("support.tsv"), printed.replace(',', "\t"));
    folder.ok(&["map", "sparsemax", "scores.csv", "--support", "--out", "support.npz"]);
    let column = folder.ok(&["map", "quadratic", "support.npz:column"]);
    let weight = folder.ok(&["map", "quadratic", "support.npz:weight"]);
    assert_eq!((column.as_str(), weight.as_str()), ("0,1,0,2\n", "0.75,0.25,0.5,0.5\n"));
    let error = folder.fails(&["map", "sparsemax", "scores.csv", "--support", "--out", "support.npy"], 2);
    assert_eq!(error, "--out support.npy: a support is written to csv, tsv, txt or npz");
}

#[test]
fn scores_that_are_no_scores_are_found() {
    let folder = Folder::new();
    folder.write("scores.csv", "name,other\n1,2\n\n3,inf\n");
    let error = folder.fails(&["map", "sparsemax", "scores.csv"], 1);
    assert_eq!(error, "scores.csv, row 4, column 2: inf: a score must be finite, or minus infinity where it is masked");
}

#[test]
fn arguments_are_checked() {
    let folder = Folder::new();
    folder.write("scores.csv", "1,2\n");
    let run = folder.run(&["map", "entmax:-0.5", "scores.csv"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("alpha = -0.5: alpha must lie in (0, inf]"), "{}", run.stderr);
    let run = folder.run(&["map", "sparsemax", "scores.csv", "--beta", "-1"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("must be a positive finite number"), "{}", run.stderr);
    let run = folder.run(&["map", "sparsemax", "scores.csv", "--json", "--out", "-"]);
    let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON");
    let what = "--json and --out - would both write to the standard output";
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(error, serde_json::json!({ "error": { "kind": "usage", "message": what } }));
    // A parameter that does not fit the rows is an error of the data.
    let error = folder.fails(&["map", "subsets:3", "scores.csv"], 1);
    assert!(error.starts_with("scores.csv"), "{error}");
}
