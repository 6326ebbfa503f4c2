//! `hfy certify`.

mod common;
use common::{Folder, PATTERNS, QUERIES, numbers, rows};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("queries.csv", QUERIES);
    folder.write("labels.txt", "x\n\"y, z\"\nz\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--labels", "labels.txt"]);
    folder
}

#[test]
fn certificates_of_known_patterns() {
    let folder = folder();
    let found = folder.json(&["certify", "m.hfy", "--beta", "0.5", "--share", "1,0.5", "--at", "0.1,0.2"]);
    assert_eq!((&found["map"], &found["margin"], &found["patterns"]), (&"sparsemax".into(), &1.0.into(), &3.into()));
    let first = &found["certificates"][0];
    // Separation 9; a lead of 2 is needed; the plane of a rival is √18 away per unit of lead.
    assert_eq!((&first["id"], &first["label"]), (&0.into(), &"x".into()));
    assert_eq!((&first["separation"], &first["rival"], &first["fixed_point"]), (&9.0.into(), &1.into(), &true.into()));
    let close = |value: &serde_json::Value, expected: f64| (value.as_f64().expect("a number") - expected).abs() < 1e-12;
    assert!(close(&first["radius_sharp"], 7.0 / 18f64.sqrt()), "{first}");
    assert!(close(&first["radius_paper"], 7.0 / 6.0), "{first}");
    assert_eq!(found["summary"]["fixed_points"], 1.0);
    assert!(close(&found["smallest_beta"][0]["beta"], 1.0 / 9.0), "{found}");
    assert_eq!((&found["share_at"][0]["share"], &found["share_at"][1]["share"]), (&0.0.into(), &1.0.into()));
    assert!(found["summary"]["capacity"]["optimal"]["log_patterns"].is_number());
    assert_eq!(
        found["definition"],
        "within the radius of stored pattern x, one step returns x in every entry; for an association x is the sum of its patterns"
    );
    let short = folder.json(&["certify", "m.hfy", "--beta", "0.5", "--summary"]);
    assert_eq!((short["certificates"].as_array().map(Vec::len), &short["summary"]), (Some(0), &found["summary"]));
}

#[test]
fn tables_in_files() {
    let folder = folder();
    let text = folder.ok(&["certify", "m.hfy", "--beta", "0.5", "--print", "2", "--out", "c.csv"]);
    assert!(text.contains("fixed points  100.00 %") && text.contains("... and 1 more"), "{text}");
    assert!(text.ends_with("certificates written to c.csv\n"), "{text}");
    let written = folder.read("c.csv");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(
        lines[0],
        "id,label,separation,rival,fixed_point,radius_paper,radius_sharp,boundary,moved,recalled,radius_pattern"
    );
    assert!(lines[1].starts_with("0,x,9,1,true,1.1666") && lines[1].contains(",1,0,true,1.649"), "{written}");
    assert!(lines[2].starts_with("1,\"\"\"y, z\"\"\",9,"), "{written}");
    folder.ok(&["certify", "m.hfy", "--beta", "0.5", "--out", "c.npy"]);
    let matrix = rows(&folder.ok(&["map", "quadratic", "c.npy"]));
    assert_eq!((matrix.len(), &matrix[2][..4]), (3, &[2.0, 9.0, 0.0, 1.0][..]));
    let text = folder.ok(&["certify", "m.hfy", "--beta", "0.5", "--out", "-"]);
    assert_eq!(text, written);
}

/// With Ψ what is certified is the state that a step returns, and the same numbers hold in a retrieval.
#[test]
fn states_of_a_post_transformation() {
    let folder = folder();
    let certify = ["certify", "m.hfy", "--beta", "0.5", "--post", "l2:2"];
    let found = folder.json(&certify);
    let definition = found["definition"].as_str().expect("a text");
    assert!(
        definition.starts_with("one step returns the state c = Ψ(x) of stored pattern x, Ψ = l2:2"),
        "{definition}"
    );
    let first = &found["certificates"][0];
    // The state is (2, 0, 0, 0): its score leads by 6, of which 2 are needed; the pattern's by 9.
    let close = |value: &serde_json::Value, expected: f64| (value.as_f64().expect("a number") - expected).abs() < 1e-12;
    assert!(close(&first["moved"], 1.0) && close(&first["separation"], 6.0), "{first}");
    assert!(close(&first["radius_sharp"], 4.0 / 18f64.sqrt()) && close(&first["radius_pattern"], 7.0 / 18f64.sqrt()));
    assert_eq!((&first["fixed_point"], &first["recalled"]), (&true.into(), &true.into()));
    assert_eq!((&found["summary"]["unmoved"], &found["summary"]["recalled"]), (&0.0.into(), &1.0.into()));
    let text = folder.ok(&certify);
    for part in ["fixed points  100.00 % of the states c", "radius from x", "moved", "0 for 0.00 %", "from x"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Just within the radius of the state, and of the pattern, away from the nearest rival's side.
    folder.write("near.csv", "1.34,0.66,0,0\n1.84,1.16,0,0\n");
    let text = folder.ok(&[&certify[..], &["--queries", "near.csv", "--summary"]].concat());
    assert_eq!(text.matches("exactly Ψ of 0").count(), 2, "{text}");
    let network = ["--beta", "0.5", "--post", "l2:2", "--steps", "1"];
    let retrieve = [&["retrieve", "m.hfy", "near.csv"], &network[..]].concat();
    let states = folder.ok(&[&retrieve[..], &["--out", "-"]].concat());
    assert_eq!(rows(&states), [[2.0, 0.0, 0.0, 0.0]; 2]);
    let text = folder.ok(&retrieve);
    assert!(text.contains("the state of \"exactly i\" is Ψ = l2:2 of pattern i"), "{text}");
    // What Ψ leaves where it is, is itself.
    let found = folder.json(&["certify", "m.hfy", "--beta", "0.5", "--post", "l2:3"]);
    assert_eq!((&found["summary"]["unmoved"], &found["certificates"][0]["moved"]), (&1.0.into(), &0.0.into()));
}

#[test]
fn guarantees_for_queries() {
    let folder = folder();
    let found = folder.json(&["certify", "m.hfy", "--queries", "queries.csv", "--beta", "0.3"]);
    let first = &found["guarantees"][0];
    assert_eq!((numbers(&first["best"]), &first["exact"], &first["label"]), (vec![0.0], &true.into(), &"x".into()));
    assert!((first["lead"].as_f64().expect("a number") - 6.9).abs() < 1e-12);
    let text = folder.ok(&["certify", "m.hfy", "--queries", "queries.csv", "--beta", "0.01"]);
    assert!(text.contains("a blend, 0 leads"), "{text}");
}

#[test]
fn associations_of_subsets() {
    let folder = folder();
    let found =
        folder.json(&["certify", "m.hfy", "--map", "subsets:2", "--association", "0,2", "--association", "1,2"]);
    let first = &found["associations"][0];
    assert_eq!((numbers(&first["members"]), &first["fixed_point"]), (vec![0.0, 2.0], &true.into()));
    assert_eq!((&first["lead"], &first["rival"]), (&9.0.into(), &1.into()));
    assert!(found["summary"].is_null());
    let error = folder.fails(&["certify", "m.hfy", "--map", "subsets:2"], 2);
    assert_eq!(error, "subsets:2 recalls associations: name one with --association ID,ID,...");
    let error = folder.fails(&["certify", "m.hfy", "--association", "0,1"], 2);
    assert_eq!(error, "--association needs a map of k-subsets or of structures, not sparsemax");
    let error = folder.fails(&["certify", "m.hfy", "--map", "subsets:2", "--association", "0,9"], 1);
    assert_eq!(error, "m.hfy: no pattern has the id 9");
}

#[test]
fn maps_without_a_margin_and_other_misuse() {
    let folder = folder();
    let error = folder.fails(&["certify", "m.hfy", "--map", "softmax"], 2);
    assert!(error.starts_with("--map softmax: this map has no margin: "), "{error}");
    let error = folder.fails(&["certify", "m.hfy", "--share", "1.5"], 2);
    assert_eq!(error, "--share 1.5: a share of the patterns must lie in (0, 1]");
    let error = folder.fails(&["certify", "m.hfy", "--failure", "2"], 2);
    assert_eq!(error, "failure = 2: a probability of failure must lie in (0, 1)");
    folder.write("queries.csv", "1,2,3,4\n1,inf,3,4\n");
    let error = folder.fails(&["certify", "m.hfy", "--queries", "queries.csv"], 1);
    assert!(error.starts_with("queries.csv"), "{error}");
    folder.write("one.csv", "1,2\n");
    let text = folder.ok(&["certify", "one.csv"]);
    assert!(text.contains("inf"), "a pattern alone has nothing to fear: {text}");
}
