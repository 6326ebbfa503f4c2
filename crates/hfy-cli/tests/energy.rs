//! `hfy energy`.

mod common;
use common::{Folder, PATTERNS, rows};

#[test]
fn energies_and_their_parts() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("states.csv", "3,0,0,0\n0,0,0,0\n");
    let found = folder.json(&["energy", "patterns.csv", "states.csv", "--beta", "1"]);
    let at = |row: usize, field: &str| found["energies"][row][field].as_f64().expect("a number");
    // At a pattern Ω* is the best score, 9; Ψ is half of the square, 4.5.
    assert_eq!((at(0, "energy"), at(0, "concave"), at(0, "convex")), (-4.5, -9.0, 4.5));
    // At zero scores are equal, and Ω* of sparsemax is the most that -Ω can be, (1 - 1/N)/2.
    assert!((at(1, "energy") + 1.0 / 3.0).abs() < 1e-15 && at(1, "convex") == 0.0);
    assert!((at(0, "normalised") - 1.0 / 3.0).abs() < 1e-14, "moved by Ω*(0) and by half of the largest square");
    folder.ok(&["energy", "patterns.csv", "states.csv", "--out", "e.csv"]);
    let written = rows(&folder.read("e.csv"));
    assert_eq!(written[0][..3], [-4.5, -9.0, 4.5]);
    assert_eq!(rows(&folder.ok(&["energy", "patterns.csv", "states.csv", "--out", "-"])), written);
    let text = folder.ok(&["energy", "patterns.csv", "states.csv"]);
    assert!(text.starts_with("map sparsemax, post identity, beta 1\nrow"), "{text}");
}

#[test]
fn an_energy_may_be_infinite() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("states.csv", "9,0,0,0\n");
    let text = folder.ok(&["energy", "patterns.csv", "states.csv", "--post", "l2:3"]);
    assert!(text.contains("inf"), "{text}");
    assert!(
        folder.json(&["energy", "patterns.csv", "states.csv", "--post", "l2:3"])["energies"][0]["energy"].is_null()
    );
}

#[test]
fn states_are_checked() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("states.csv", "1,2,3,4\n1,2,3,-inf\n");
    let error = folder.fails(&["energy", "patterns.csv", "states.csv"], 1);
    assert_eq!(error, "states.csv, row 2, column 4: -inf: an entry must be finite");
    folder.write("patterns.csv", "1,2,3,4\n1,2,3,inf\n");
    let error = folder.fails(&["energy", "patterns.csv", "states.csv"], 1);
    assert_eq!(error, "patterns.csv, row 2, column 4: inf: an entry of a pattern must be finite");
}
