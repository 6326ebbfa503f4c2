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
    let before = folder.json(&["memory", "info", "m.hfy", "--list", "--verify"]);
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
    assert_eq!(folder.json(&["memory", "info", "m.hfy", "--list", "--verify"]), before);
    assert_eq!(folder.run(&["memory", "remove", "m.hfy"]).code, 2);
    assert_eq!(folder.run(&["memory", "remove", "m.hfy", "3-1"]).code, 2);
}

#[test]
fn damaged_memories_are_refused() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv"]);
    folder.ok(&["memory", "export", "m.hfy", "m.safetensors"]);
    let whole = folder.bytes("m.safetensors");
    folder.write("m.safetensors", &whole[..whole.len() - 1]);
    let error = folder.fails(&["memory", "info", "m.safetensors"], 1);
    assert!(error.starts_with("m.safetensors: "), "{error}");
    let segment = "m.hfy/segments/000000000000.safetensors";
    let mut bent = folder.bytes(segment);
    *bent.last_mut().expect("a byte") ^= 1;
    folder.write(segment, bent);
    folder.ok(&["memory", "info", "m.hfy"]);
    for command in [&["memory", "info", "m.hfy", "--verify"][..], &["retrieve", "m.hfy", "patterns.csv"]] {
        let error = folder.fails(command, 1);
        assert!(error.contains("patterns, rows 0 to 2, has checksum"), "{error}");
    }
    std::fs::remove_file(folder.path(segment)).expect("a segment");
    let error = folder.fails(&["memory", "info", "m.hfy"], 1);
    assert!(error.starts_with("cannot open ") && error.contains(segment), "{error}");
    let error = folder.fails(&["retrieve", "none.hfy", "patterns.csv"], 1);
    assert_eq!(error, "cannot open none.hfy: No such file or directory (os error 2)");
    let error = folder.fails(&["map", "softmax", "m.hfy"], 1);
    assert_eq!(error, "m.hfy: is a memory, where rows of numbers are expected");
}

#[test]
fn update_changes_patterns_and_texts() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("labels.txt", "x\ny\nz\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--labels", "labels.txt"]);
    folder.write("new.csv", "0,0,0,9\n");
    assert_eq!(folder.ok(&["memory", "update", "m.hfy", "1", "--with", "new.csv"]), "m.hfy: 1 updated\n");
    let updated = folder.json(&["memory", "update", "m.hfy", "0", "2", "--label", "axis"]);
    assert_eq!(numbers(&updated["updated"]), [0.0, 2.0]);
    let info = folder.json(&["memory", "info", "m.hfy", "--list"]);
    let labels: Vec<_> = (0..3).map(|at| info["list"][at]["label"].as_str()).collect();
    assert_eq!(labels, [Some("axis"), Some("y"), Some("axis")]);
    folder.write("query.csv", "0,0,0,8\n");
    let found = folder.json(&["retrieve", "m.hfy", "query.csv"]);
    assert_eq!((&found["reports"][0]["ids"][0], &found["reports"][0]["labels"][0]), (&1.into(), &"y".into()));
    let error = folder.fails(&["memory", "update", "m.hfy", "0-1", "--with", "new.csv"], 1);
    assert_eq!(error, "new.csv: has 1 patterns, but 2 ids are named");
    let error = folder.fails(&["memory", "update", "m.hfy", "0"], 2);
    assert!(error.starts_with("nothing to change"), "{error}");
    let error = folder.fails(&["memory", "update", "m.hfy", "0-99999999999", "--label", "x"], 1);
    assert_eq!(error, "id = 99999999999: no pattern in this memory has it");
}

#[test]
fn filters_choose_patterns() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write(
        "metadata.txt",
        "{\"lang\": \"de\", \"year\": 2021}\n{\"lang\": \"fr\"}\n{\"lang\": \"de\", \"year\": 2001}\n",
    );
    folder.write("labels.txt", "x\n\nz\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--metadata", "metadata.txt", "--labels", "labels.txt"]);
    let info = folder.json(&["memory", "info", "m.hfy", "--list", "--where", "lang = 'de' and year > 2000"]);
    assert_eq!((&info["patterns"], &info["labels"], &info["list"][1]["id"]), (&2.into(), &2.into(), &2.into()));
    assert_eq!(info["where"], "lang = 'de' and year > 2000");
    // The best pattern of all is 1, the best of the German ones 0.
    folder.write("query.csv", "2,2.5,0,0\n");
    let found = folder.json(&["retrieve", "m.hfy", "query.csv", "--where", "lang = \"de\""]);
    assert_eq!(found["reports"][0]["ids"][0], 0);
    let found = folder.json(&["certify", "m.hfy", "--where", "lang = \"de\""]);
    assert_eq!(found["summary"]["patterns"], 2);
    let found = folder.json(&["recall", "free", "m.hfy", "--where", "not lang = 'fr'", "--cue-id", "2"]);
    assert_eq!(found["patterns"], 2);
    folder.ok(&["memory", "export", "m.hfy", "german.safetensors", "--where", "lang = 'de'"]);
    let info = folder.json(&["memory", "info", "german.safetensors", "--list", "--verify", "--where", "label = 'z'"]);
    assert_eq!((&info["form"], &info["list"][0]["id"], &info["next_id"]), (&"file".into(), &2.into(), &3.into()));
    let error = folder.fails(&["retrieve", "m.hfy", "query.csv", "--where", "lang = 'it'"], 1);
    assert_eq!(error, "m.hfy: has no pattern where lang = 'it'");
    let error = folder.fails(&["retrieve", "patterns.csv", "query.csv", "--where", "lang = 'it'"], 2);
    assert_eq!(error, "--where: patterns.csv is no memory, and has no labels or metadata");
    let run = folder.run(&["retrieve", "m.hfy", "query.csv", "--where", "lang = "]);
    assert!(run.code == 2 && run.stderr.contains("expected a number, a text in quotes"), "{}", run.stderr);
    let removed = folder.json(&["memory", "remove", "m.hfy", "--where", "year < 2010 or lang = 'fr'"]);
    assert_eq!(numbers(&removed["removed"]), [1.0, 2.0]);
}

#[test]
fn export_import_merge_compact() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("labels.txt", "x\ny\nz\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--labels", "labels.txt", "--map", "softmax"]);
    folder.ok(&["memory", "remove", "m.hfy", "1"]);
    assert_eq!(folder.ok(&["memory", "export", "m.hfy", "m.safetensors"]), "m.safetensors: 2 patterns of m.hfy\n");
    // One file is a memory to read from, not one to change.
    let found = folder.json(&["retrieve", "m.safetensors", "patterns.csv", "--map", "sparsemax"]);
    assert_eq!(found["reports"][2]["labels"][0], "z");
    let error = folder.fails(&["memory", "add", "m.safetensors", "patterns.csv"], 1);
    assert_eq!(error, "m.safetensors is one file, which is only read: import it into a memory to change it");
    assert_eq!(folder.ok(&["memory", "import", "m.safetensors", "n.hfy"]), "n.hfy: 2 patterns of m.safetensors\n");
    let list = |memory: &str| folder.json(&["memory", "info", memory, "--list"])["list"].clone();
    assert_eq!(list("n.hfy"), list("m.hfy"));
    let info = folder.json(&["memory", "info", "n.hfy"]);
    assert_eq!((&info["map"], &info["next_id"], &info["form"]), (&"softmax".into(), &3.into(), &"folder".into()));
    assert_eq!(folder.ok(&["memory", "merge", "n.hfy", "m.hfy", "m.safetensors"]), "n.hfy: 4 added; 6 patterns now\n");
    let info = folder.json(&["memory", "info", "n.hfy", "--list", "--verify"]);
    assert_eq!((&info["segments"], &info["list"][5]["label"], &info["next_id"]), (&3.into(), &"z".into(), &7.into()));
    let compacted = folder.json(&["memory", "compact", "n.hfy"]);
    assert_eq!((&compacted["segments_before"], &compacted["segments"]), (&3.into(), &1.into()));
    assert_eq!(folder.json(&["memory", "info", "n.hfy", "--list"])["list"], info["list"]);

    for command in [&["memory", "export", "m.hfy", "m.safetensors"][..], &["memory", "import", "m.hfy", "n.hfy"]] {
        let error = folder.fails(command, 1);
        assert!(error.ends_with("exists already: name another file, or replace it with --force"), "{error}");
        folder.ok(&[command, &["--force"]].concat());
    }
    // A folder that is no memory is never replaced, whatever is asked for.
    std::fs::create_dir(folder.path("pictures")).expect("a folder");
    for command in [&["memory", "import", "m.hfy", "pictures"][..], &["memory", "build", "pictures", "patterns.csv"]] {
        let error = folder.fails(&[command, &["--force"]].concat(), 1);
        assert!(error.ends_with("is a folder, but no memory: it is not replaced"), "{error}");
    }
    let error = folder.fails(&["memory", "import", "n.hfy", "n.hfy", "--force"], 2);
    assert!(error.contains("would replace what is read"), "{error}");
    assert_eq!(folder.run(&["memory", "export", "m.hfy", "-"]).code, 2);
    folder.write("wide.csv", "1,2\n");
    folder.ok(&["memory", "build", "w.hfy", "wide.csv"]);
    let error = folder.fails(&["memory", "merge", "m.hfy", "w.hfy"], 1);
    assert_eq!(error, "patterns has shape [1, 2], expected [1, 4]");
}

#[test]
#[cfg(unix)]
fn programs_that_add_at_once_lose_nothing() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv"]);
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            folder.write(&format!("a{writer}.csv"), format!("{writer},1,1,1\n"));
            let mut command = folder.command(&["memory", "add", "m.hfy", &format!("a{writer}.csv"), "--json"]);
            command.stdout(std::process::Stdio::piped()).spawn().expect("the program runs")
        })
        .collect();
    let mut ids: Vec<u64> = writers
        .into_iter()
        .map(|writer| {
            let output = writer.wait_with_output().expect("the program ends");
            assert!(output.status.success());
            let added: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
            added["first_id"].as_u64().expect("an id")
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (3..11).collect::<Vec<_>>());
    let info = folder.json(&["memory", "info", "m.hfy", "--verify"]);
    assert_eq!(info["patterns"], 11);
}
