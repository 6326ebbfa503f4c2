//! Maps over structures, by name, in every command that takes a map.

mod common;
use common::{Folder, numbers};

/// Five patterns in a row, a query between two pairs of neighbours, and one in the middle of a pair.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("patterns.csv", "3,0,0,0,0\n0,3,0,0,0\n0,0,3,0,0\n0,0,0,3,0\n0,0,0,0,3\n");
    folder.write("queries.csv", "0,0.2,1,0.9,0\n0,0.5,0.5,0.5,0\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv"]);
    folder
}

#[test]
fn retrieve_names_the_structures() {
    let folder = folder();
    let found = folder.json(&["retrieve", "m.hfy", "queries.csv", "--map", "sequence:2:t=0.5", "--steps", "1"]);
    assert_eq!(found["map"], "sequence:2:t=0.5");
    let exact = &found["reports"][0];
    assert_eq!((&exact["status"], numbers(&exact["ids"])), (&"association".into(), vec![2.0, 3.0]));
    assert_eq!(exact["structures"].as_array().map(Vec::len), Some(1));
    assert_eq!(exact["structures"][0]["probability"], 1.0);
    // Two pairs are as good as each other; the one in the middle of both has weight one.
    let blend = &found["reports"][1];
    assert_eq!(blend["status"], "blend");
    let shares = blend["structures"].as_array().expect("a list");
    let total: f64 = shares.iter().map(|share| share["probability"].as_f64().expect("a number")).sum();
    assert!((total - 1.0).abs() < 1e-12 && shares.len() > 1, "{shares:?}");
    let text = folder.ok(&["retrieve", "m.hfy", "queries.csv", "--map", "windows:2", "--steps", "1"]);
    assert!(text.contains("association 2 + 3") && text.contains("blend of 2 structures"), "{text}");
    assert!(text.contains("structures of query 1: 0.5 of 1+2, 0.5 of 2+3"), "{text}");
}

#[test]
fn certify_guarantees_associations() {
    let folder = folder();
    let arguments =
        ["certify", "m.hfy", "--map", "sequence:2:t=0.5:reg=on", "--association", "1,2", "--queries", "queries.csv"];
    let found = folder.json(&arguments);
    let pair = &found["structured"][0];
    assert_eq!((numbers(&pair["members"]), &pair["fixed_point"]), (vec![1.0, 2.0], &true.into()));
    assert_eq!((&pair["slack"], &pair["separation"]), (&8.0.into(), &9.0.into()));
    assert!(pair["radius"].as_f64().expect("a number") >= pair["radius_printed"].as_f64().expect("a number"));
    assert_eq!(found["guarantees"][0]["exact"], true);
    assert_eq!(found["guarantees"][1]["exact"], false);
    let text = folder.ok(&arguments);
    assert!(text.contains("association [1, 2]: a fixed point, slack 8 against"), "{text}");
}

#[test]
fn names_that_are_wrong_say_how_they_go() {
    let folder = folder();
    let wrong = |map: &str, code| folder.fails(&["retrieve", "m.hfy", "queries.csv", "--map", map], code);
    assert!(wrong("sequence:2:u=1", 2).contains("sequence has no setting \"u\""));
    assert!(wrong("sequence:two", 2).contains("sequence takes k, as in sequence:2:t=0.5"));
    assert!(wrong("sequence:0", 2).contains("k = 0"));
    assert!(wrong("sequence:9", 1).contains("k = 9: k must not exceed the number of entries in a row"));
    assert!(wrong("sequence:2:t=1,2", 1).contains("transitions has shape [2], expected [4]"));
    assert!(wrong("assignment:2x2", 1).contains("expected [4]"));
    let error = folder.fails(&["certify", "m.hfy", "--map", "windows:2", "--association", "1,3"], 2);
    assert!(error.contains("members = 1,3: members must be different variables that make up a structure"), "{error}");
    let error = folder.fails(&["certify", "m.hfy", "--map", "windows:2"], 2);
    assert_eq!(error, "windows:2 recalls associations: name one with --association ID,ID,...");
}

#[test]
fn map_and_energy_take_them() {
    let folder = folder();
    folder.write("scores.csv", "2,2,0,0\n0,0,0,4\n");
    let found = folder.json(&["map", "spans", "scores.csv"]);
    assert_eq!(numbers(&found["weights"][0]), [1.0, 1.0, 0.0, 0.0]);
    let found = folder.json(&["map", "assignment:2x2", "scores.csv"]);
    assert_eq!(numbers(&found["weights"][1]), [1.0, 0.0, 0.0, 1.0]);
    let found = folder.json(&["energy", "m.hfy", "queries.csv", "--map", "sequence:2:t=0.5:reg=on"]);
    // Ψ = 0.925 and Ω* = 3 + 2.7 + 0.5 - 1.
    assert!((found["energies"][0]["energy"].as_f64().expect("a number") - (0.925 - 5.2)).abs() < 1e-12);
}
