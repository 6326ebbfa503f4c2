//! `hfy memory`.

mod common;
use common::{Folder, PATTERNS, data, numbers};

#[test]
fn build_info_add_remove() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("labels.txt", "x\ny\nz\n");
    folder.write("metadata.txt", "{\"colour\": \"red\"}\n\n[1, 2]\n");
    let build = ["memory", "build", "m.hfy", "patterns.csv", "--labels", "labels.txt", "--metadata", "metadata.txt"];
    let built = folder.json(&[&build[..], &["--map", "entmax:1.5", "--beta", "2", "--name", "axes"]].concat());
    assert_eq!((&built["patterns"], &built["dimension"], &built["dtype"]), (&3.into(), &4.into(), &"f64".into()));
    assert_eq!((&built["first_id"], &built["next_id"]), (&0.into(), &3.into()));

    folder.write("more.csv", "0,0,0,3\n1,1,1,1\n");
    let added = folder.json(&["memory", "add", "m.hfy", "more.csv"]);
    assert_eq!((&added["added"], &added["first_id"], &added["patterns"]), (&2.into(), &3.into(), &5.into()));
    let removed = folder.json(&["memory", "remove", "m.hfy", "1", "4"]);
    assert_eq!((numbers(&removed["removed"]), &removed["patterns"]), (vec![1.0, 4.0], &3.into()));

    let info = folder.json(&["memory", "info", "m.hfy", "--list", "--verify"]);
    assert_eq!((&info["patterns"], &info["next_id"], &info["labels"]), (&3.into(), &5.into(), &2.into()));
    assert_eq!((&info["map"], &info["beta"], &info["name"]), (&"entmax:1.5".into(), &"2".into(), &"axes".into()));
    assert_eq!((&info["verified"], &info["picture"]), (&true.into(), &serde_json::Value::Null));
    let ids: Vec<&serde_json::Value> =
        info["list"].as_array().expect("a list").iter().map(|item| &item["id"]).collect();
    assert_eq!(ids, [0, 2, 3]);
    assert_eq!(info["list"][0]["label"], "x");
    assert_eq!(info["list"][0]["metadata"]["colour"], "red");
    assert_eq!(info["list"][1]["metadata"], serde_json::json!([1, 2]));
    // An id is never used again.
    let added = folder.json(&["memory", "add", "m.hfy", "more.csv"]);
    assert_eq!(added["first_id"], 5);
    let removed = folder.json(&["memory", "remove", "m.hfy", "--label", "z", "5-6"]);
    assert_eq!(numbers(&removed["removed"]), [2.0, 5.0, 6.0]);
}

#[test]
fn text_for_reading() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    assert_eq!(
        folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--dtype", "f16"]),
        "m.hfy: 3 patterns of 4 entries in f16, ids 0 to 2\n"
    );
    folder.write("more.csv", "1,2,3,4\n");
    assert_eq!(folder.ok(&["memory", "add", "m.hfy", "more.csv"]), "m.hfy: 1 added, ids 3 to 3; 4 patterns now\n");
    assert_eq!(folder.ok(&["memory", "remove", "m.hfy", "0-1"]), "m.hfy: 2 removed; 2 patterns left\n");
    let info = folder.ok(&["memory", "info", "m.hfy", "--list"]);
    assert!(info.contains("patterns    2 of 4 entries, f16") && info.contains("next id     4"), "{info}");
}

#[test]
fn types_follow_the_files() {
    let folder = Folder::new();
    for (file, expected) in
        [("half.npy", "f16"), ("single.npy", "f32"), ("double-big-endian.npy", "f64"), ("bytes.npy", "f32")]
    {
        let built = folder.json(&["memory", "build", "m.hfy", &data(file), "--force"]);
        assert_eq!(built["dtype"], expected, "{file}");
    }
    let built = folder.json(&["memory", "build", "m.hfy", &data("half.npy"), &data("single.npy"), "--force"]);
    assert_eq!((&built["dtype"], &built["patterns"]), (&"f32".into(), &4.into()));
}

#[test]
fn pictures_from_folders_and_lists() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("pictures")).expect("a folder");
    for name in ["b.png", "a.png"] {
        folder.write(&format!("pictures/{name}"), std::fs::read(data("ramp.png")).expect("a file"));
    }
    folder.write("pictures/notes.txt", "not a picture");
    folder.ok(&["memory", "build", "m.hfy", "pictures"]);
    let info = folder.json(&["memory", "info", "m.hfy", "--list"]);
    assert_eq!((&info["list"][0]["label"], &info["list"][1]["label"]), (&"a".into(), &"b".into()));
    assert_eq!((info["picture"].clone(), &info["dimension"]), (serde_json::json!([8, 16]), &128.into()));
    folder.write("pictures/list.txt", "# two of them\nb.png\n\na.png\n");
    folder.ok(&["memory", "build", "l.hfy", "@pictures/list.txt", &data("ramp.jpg")]);
    let info = folder.json(&["memory", "info", "l.hfy", "--list"]);
    let labels: Vec<&serde_json::Value> =
        info["list"].as_array().expect("a list").iter().map(|i| &i["label"]).collect();
    assert_eq!(labels, ["b", "a", "ramp"]);
    // Sizes are checked.
    let error = folder.fails(&["memory", "build", "x.hfy", "pictures/a.png", &data("colours.png")], 1);
    assert!(error.ends_with("colours.png: is 4 x 1 pixels, but pictures/a.png is 16 x 8 pixels"), "{error}");
    let error = folder.fails(&["memory", "add", "m.hfy", &data("colours.jpg")], 1);
    assert!(error.contains("is 64 x 16 pixels, but the pictures in m.hfy are 16 x 8 pixels"), "{error}");
}

#[test]
fn errors_leave_the_memory_as_it_was() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv"]);
    let before = folder.bytes("m.hfy");
    folder.write("wide.csv", "1,2,3,4,5\n");
    let error = folder.fails(&["memory", "add", "m.hfy", "wide.csv"], 1);
    assert_eq!(error, "wide.csv: has 5 columns, but the patterns in m.hfy have 4");
    folder.write("infinite.csv", "a,b,c,d\n1,2,3,4\n1,2,inf,4\n");
    let error = folder.fails(&["memory", "add", "m.hfy", "patterns.csv", "infinite.csv"], 1);
    assert_eq!(error, "infinite.csv, row 3, column 3: inf: a pattern must be finite");
    let error = folder.fails(&["memory", "remove", "m.hfy", "0", "7"], 1);
    assert_eq!(error, "id = 7: no pattern in this memory has it");
    let error = folder.fails(&["memory", "remove", "m.hfy", "--label", "q"], 1);
    assert_eq!(error, "m.hfy: no pattern has the label 'q'");
    folder.write("labels.txt", "one\n");
    let error = folder.fails(&["memory", "add", "m.hfy", "patterns.csv", "--labels", "labels.txt"], 1);
    assert_eq!(error, "labels.txt: has 1 lines, but there are 3 patterns to add");
    folder.write("metadata.txt", "1\n{\"a\": }\n2\n");
    let error = folder.fails(&["memory", "add", "m.hfy", "patterns.csv", "--metadata", "metadata.txt"], 1);
    assert!(error.starts_with("metadata.txt, row 2, column 7: is not JSON: "), "{error}");
    let error = folder.fails(&["memory", "build", "m.hfy", "patterns.csv"], 1);
    assert_eq!(error, "m.hfy: exists already: name another file, or replace it with --force");
    assert_eq!(folder.bytes("m.hfy"), before);
    assert_eq!(folder.run(&["memory", "remove", "m.hfy"]).code, 2);
    assert_eq!(folder.run(&["memory", "remove", "m.hfy", "3-1"]).code, 2);
}

#[test]
fn damaged_memories_are_refused() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv"]);
    let whole = folder.bytes("m.hfy");
    folder.write("m.hfy", &whole[..whole.len() - 1]);
    let error = folder.fails(&["memory", "info", "m.hfy"], 1);
    assert!(error.starts_with("m.hfy: "), "{error}");
    let mut bent = whole.clone();
    *bent.last_mut().expect("a byte") ^= 1;
    folder.write("m.hfy", bent);
    folder.ok(&["memory", "info", "m.hfy"]);
    let error = folder.fails(&["memory", "info", "m.hfy", "--verify"], 1);
    assert!(error.contains("patterns has checksum"), "{error}");
    folder.write("m.hfy", "");
    assert_eq!(folder.run(&["memory", "info", "m.hfy"]).code, 1);
    let error = folder.fails(&["retrieve", "none.hfy", "patterns.csv"], 1);
    assert_eq!(error, "cannot open none.hfy: No such file or directory (os error 2)");
    let error = folder.fails(&["map", "softmax", "m.hfy"], 1);
    assert_eq!(error, "m.hfy: is a memory, where rows of numbers are expected");
}
