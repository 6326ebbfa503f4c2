//! `hfy reproduce` with what is trained, on small data sets that are made here.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::Folder;
use serde_json::Value;

/// Numbers that look random.
fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) as f64 / (1u64 << 31) as f64) - 0.5
}

/// Pictures and labels as MNIST has them: a digit is a bright row, whose place says which.
fn digits(folder: &Path, part: &str, count: u32) {
    let word = |value: u32| value.to_be_bytes();
    let mut pixels = [word(0x0803), word(count), word(28), word(28)].concat();
    let mut labels = [word(0x0801), word(count)].concat();
    let mut state = u64::from(count);
    for index in 0..count {
        let digit = (index % 10) as usize;
        labels.push(digit as u8);
        for row in 0..28 {
            let light = if row / 2 == digit + 2 { 200.0 } else { 20.0 };
            pixels.extend((0..28).map(|_| (light + 40.0 * noise(&mut state)) as u8));
        }
    }
    std::fs::write(folder.join(format!("{part}-images-idx3-ubyte")), pixels).expect("pictures");
    std::fs::write(folder.join(format!("{part}-labels-idx1-ubyte")), labels).expect("labels");
}

/// Forty bags, of which those are positive that hold a large number in the first column.
fn bags(path: &Path, header: bool, seed: u64) {
    let (mut text, mut state) = (String::new(), seed);
    if header {
        text += "bag_id,label,f0,f1,f2\n";
    }
    for bag in 0..40 {
        for instance in 0..3 + bag % 4 {
            let (positive, large) = (bag % 2, if bag % 2 == 1 && instance == 1 { 3.0 } else { 0.0 });
            let _ = if header { write!(text, "{bag},{positive}") } else { write!(text, "{positive},{bag}") };
            let (a, b, c) = (large + noise(&mut state), noise(&mut state), noise(&mut state));
            let _ = writeln!(text, ",{a:.4},{b:.4},{c:.4}");
        }
    }
    std::fs::write(path, text).expect("bags");
}

/// A folder with small sets under the names of the real ones.
fn data() -> Folder {
    let folder = Folder::new();
    for name in ["data/mnist", "data/mil"] {
        std::fs::create_dir_all(folder.path(name)).expect("a folder");
    }
    digits(&folder.path("data/mnist"), "train", 300);
    digits(&folder.path("data/mnist"), "t10k", 300);
    let sets = ["elephant", "fox", "tiger", "musk1", "musk2", "ucsb_breast_cancer", "birds_brown_creeper"];
    for (seed, set) in sets.into_iter().enumerate() {
        bags(&folder.path(&format!("data/mil/{set}.csv")), seed < 3, seed as u64 + 1);
    }
    folder
}

fn reproduced(folder: &Folder, id: &str, seeds: &str) -> [Value; 2] {
    let arguments =
        ["reproduce", id, "--quick", "--seeds", seeds, "--mode", "both", "--quiet", "--data", "data", "--out", "r"];
    let run = folder.run(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    ["printed", "defined"].map(|mode| {
        let bytes = folder.bytes(&format!("r/{mode}/{id}/result.json"));
        serde_json::from_slice(&bytes).expect("one document")
    })
}

/// The cells of the first table.
fn cells(result: &Value) -> Vec<&Value> {
    let all = result["cells"].as_array().expect("cells");
    all.iter().filter(|cell| cell["table"] == all[0]["table"]).collect()
}

fn assert_shares(cells: &[&Value]) {
    for cell in cells {
        let value = cell["value"].as_f64().unwrap_or(f64::NAN);
        assert!((0.0..=100.0).contains(&value), "{cell}");
    }
}

#[test]
fn table_4_has_a_number_for_each_map_and_column() {
    let folder = data();
    let [printed, defined] = reproduced(&folder, "table4", "1");
    for result in [&printed, &defined] {
        let table = cells(result);
        assert_eq!(table.len(), 8 * 7);
        assert_shares(&table);
        assert_eq!(result["claims"].as_array().map(Vec::len), Some(7));
    }
    // The halves with digits are the same runs.
    let digits = |result: &Value| {
        let of = cells(result).into_iter().filter(|cell| cell["col"].as_str().is_some_and(|col| col.starts_with('K')));
        of.map(|cell| cell["value"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(digits(&printed), digits(&defined));
    for name in ["table4", "table4-learning", "table4-evidence"] {
        assert!(folder.read(&format!("r/printed/table4/{name}.svg")).contains("<text"), "{name}");
    }
}

#[test]
fn table_5_has_a_number_for_each_map_post_transformation_and_set() {
    let folder = data();
    for result in reproduced(&folder, "table5", "2") {
        let table = cells(&result);
        assert_eq!(table.len(), 5 * 3 * 3);
        assert_shares(&table);
    }
    assert!(folder.read("r/defined/table5/table5.svg").contains("<text"));
}

#[test]
fn further_sets_and_unit_tests_have_a_number_for_each_pooling() {
    let folder = data();
    let [printed, defined] = reproduced(&folder, "bags", "2");
    let table = cells(&printed);
    assert_eq!(table.len(), 9 * 4);
    assert_shares(&table);
    assert_eq!(printed["cells"], defined["cells"], "there is one reading");
    let tables = printed["cells"].as_array().expect("cells").iter().filter_map(|cell| cell["table"].as_str());
    assert_eq!(tables.filter(|table| table.starts_with("Unit tests")).count(), 2 * 9 * 3);
    assert!(folder.read("r/printed/bags/bags.svg").contains("<text"));
}
