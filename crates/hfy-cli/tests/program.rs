//! The program as a whole: help, exit codes, colours, files that appear whole or not at all.

mod common;
use common::{Folder, PATTERNS, QUERIES};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("queries.csv", QUERIES);
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv"]);
    folder
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    let commands: [&[&str]; 20] = [
        &[],
        &["demo"],
        &["map"],
        &["memory"],
        &["memory", "build"],
        &["memory", "add"],
        &["memory", "remove"],
        &["memory", "info"],
        &["retrieve"],
        &["recall"],
        &["recall", "free"],
        &["recall", "sequential"],
        &["energy"],
        &["certify"],
        &["data"],
        &["data", "list"],
        &["data", "where"],
        &["data", "get"],
        &["completions"],
        &["man"],
    ];
    for command in commands {
        let help = folder.ok(&[command, &["--help"]].concat());
        assert!(help.contains("Usage: hfy"), "{command:?}: {help}");
        let group = ["memory", "recall", "data"].iter().any(|name| command == [*name]);
        assert!(help.contains("Examples:") || group, "{command:?}: {help}");
    }
    assert_eq!(folder.ok(&["--version"]), concat!("hfy ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn help_names_only_commands_that_there_are() {
    let folder = Folder::new();
    let mut pages = vec![folder.ok(&["--help"])];
    let listed = pages[0].lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<String> = listed.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    pages.extend(commands.iter().filter(|name| *name != "help").map(|name| folder.ok(&[name, "--help"])));
    for line in pages.iter().flat_map(|page| page.lines()) {
        let Some(name) = line.trim_start().strip_prefix("hfy ").and_then(|rest| rest.split_whitespace().next()) else {
            continue;
        };
        assert!(commands.iter().any(|command| command == name), "{line}");
    }
}

#[test]
fn usage_is_code_two() {
    let folder = folder();
    let wrong: [&[&str]; 6] = [
        &[],
        &["fly"],
        &["map"],
        &["map", "sharpmax", "queries.csv"],
        &["energy", "m.hfy"],
        &["certify", "m.hfy", "--beta", "x"],
    ];
    for arguments in wrong {
        assert_eq!(folder.run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    let folder = folder();
    let runs: [&[&str]; 7] = [
        &["map", "softmax", "queries.csv"],
        &["memory", "info", "m.hfy", "--list"],
        &["retrieve", "m.hfy", "queries.csv", "--trace"],
        &["recall", "sequential", "m.hfy"],
        &["energy", "m.hfy", "queries.csv"],
        &["certify", "m.hfy"],
        &["demo"],
    ];
    for arguments in runs {
        let run = folder.run(arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(!run.stdout.contains('\x1b') && run.stderr.is_empty(), "{arguments:?}: {}", run.stderr);
    }
    let run = folder.run(&["map", "softmax", "none.csv"]);
    assert!(!run.stderr.contains('\x1b'), "{}", run.stderr);
    assert!(!folder.run(&["--help"]).stdout.contains('\x1b'));
}

#[test]
fn files_are_not_replaced_unless_told() {
    let folder = folder();
    let runs: [&[&str]; 5] = [
        &["map", "softmax", "queries.csv", "--out", "out.csv"],
        &["retrieve", "m.hfy", "queries.csv", "--out", "out.csv"],
        &["recall", "free", "m.hfy", "--out", "out.csv"],
        &["energy", "m.hfy", "queries.csv", "--out", "out.csv"],
        &["certify", "m.hfy", "--out", "out.csv"],
    ];
    for arguments in runs {
        folder.write("out.csv", "precious\n");
        let error = folder.fails(arguments, 1);
        assert_eq!(error, "out.csv: exists already: name another file, or replace it with --force");
        assert_eq!(folder.read("out.csv"), "precious\n");
        folder.ok(&[arguments, &["--force"]].concat());
        assert_ne!(folder.read("out.csv"), "precious\n");
    }
    let error = folder.fails(&["map", "softmax", "queries.csv", "--out", "out.doc"], 2);
    assert_eq!(error, "out.doc: cannot be written: names end in npy, npz, csv, tsv, txt or safetensors, or are -");
    assert!(folder.names().iter().all(|name| !name.contains("part")), "{:?}", folder.names());
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = folder();
    let error = folder.fails(&["map", "softmax", "queries.csv", "--out", "none/out.csv"], 1);
    assert!(error.contains("none"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_is_no_failure() {
    use std::process::Stdio;
    let folder = Folder::new();
    folder.write("long.csv", "1,2,3,4,5,6,7,8\n".repeat(200_000));
    let mut child = folder
        .command(&["map", "softmax", "long.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupted_certification_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    // Half a minute of work, or more.
    let (rows, columns) = (60_000u32, 256u32);
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = format!("{{'descr': '|i1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    bytes.extend(format!("{header:<117}\n").into_bytes());
    let mut state = 1u32;
    bytes.extend((0..rows * columns).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    }));
    folder.write("many.npy", bytes);
    let child = folder
        .command(&["certify", "many.npy", "--dtype", "f64", "--out", "certificates.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    std::thread::sleep(Duration::from_secs(2));
    let asked = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let output = child.wait_with_output().expect("an end");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.starts_with("error: interrupted"), "{stderr}");
    assert!(output.stdout.is_empty() && asked.elapsed() < Duration::from_millis(1500), "{:?}", asked.elapsed());
    assert_eq!(folder.names(), ["many.npy"]);
}

#[test]
fn shells_and_manuals_know_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.ok(&["completions", shell]);
        assert!(script.contains("retrieve") && script.contains("delimiter"), "{shell}");
    }
    assert!(folder.ok(&["man"]).starts_with(".ie") && folder.ok(&["man"]).contains(".TH hfy 1"));
    let pages = folder.json(&["man", "--out", "man"])["pages"].clone();
    let pages: Vec<&str> = pages.as_array().expect("a list").iter().filter_map(|page| page.as_str()).collect();
    for page in ["man/hfy.1", "man/hfy-map.1", "man/hfy-memory-build.1", "man/hfy-recall-free.1"] {
        assert!(pages.contains(&page), "{pages:?}");
        assert!(folder.read(page).contains(".SH SYNOPSIS"), "{page}");
    }
    folder.ok(&["man", "--out", "man", "--force"]);
}

#[test]
fn errors_and_notes_are_json_where_that_is_asked_for() {
    let folder = folder();
    folder.write("named.csv", "a,b\n1,2\n3,x\n");
    let run = folder.run(&["map", "softmax", "named.csv", "--json"]);
    let lines: Vec<serde_json::Value> =
        run.stderr.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let error = serde_json::json!({"error": {
        "kind": "data", "file": "named.csv", "row": 3, "column": 2,
        "message": "named.csv, row 3, column 2: 'x' is not a number",
    }});
    assert_eq!((run.code, run.stdout.as_str(), lines.last()), (1, "", Some(&error)));
    folder.write("named.csv", "a,b\n1,2\n");
    let run = folder.run(&["map", "softmax", "named.csv", "--json"]);
    let note: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON");
    let message = "named.csv: line 1 was taken as a header: 'a', 'b'";
    assert_eq!(note, serde_json::json!({ "note": { "message": message } }));
    assert!(serde_json::from_str::<serde_json::Value>(&run.stdout).is_ok());
    let kinds: [(&[&str], &str, i32); 4] = [
        (&["fly", "--json"], "usage", 2),
        (&["map", "softmax", "none.csv", "--json"], "io", 1),
        (&["map", "--json"], "usage", 2),
        (&["retrieve", "m.hfy", "queries.csv", "--max-distance", "0", "--fail-on-no-match", "--json"], "no_match", 3),
    ];
    for (arguments, kind, code) in kinds {
        let run = folder.run(arguments);
        let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON");
        assert_eq!((run.code, error["error"]["kind"].as_str()), (code, Some(kind)), "{arguments:?}");
    }
}

#[test]
fn rows_and_threads_can_be_chosen() {
    let folder = folder();
    let all = folder.json(&["retrieve", "m.hfy", "queries.csv"]);
    let second = folder.json(&["retrieve", "m.hfy", "queries.csv", "--rows", "1..2", "--threads", "1"]);
    assert_eq!((second["reports"].as_array().map(Vec::len), &second["reports"][0]), (Some(1), &all["reports"][1]));
    let all = folder.json(&["energy", "m.hfy", "queries.csv"]);
    let second = folder.json(&["energy", "m.hfy", "queries.csv", "--rows", "1.."]);
    assert_eq!((second["energies"].as_array().map(Vec::len), &second["energies"][0]), (Some(1), &all["energies"][1]));
    let one = folder.json(&["memory", "build", "one.hfy", "patterns.csv", "--rows", "2..3"]);
    assert_eq!(one["patterns"], 1);
    let guarantees =
        folder.json(&["certify", "m.hfy", "--queries", "queries.csv", "--rows", "1.."])["guarantees"].clone();
    assert_eq!((guarantees.as_array().map(Vec::len), &guarantees[0]["row"]), (Some(1), &1.into()));
    folder.ok(&["recall", "free", "m.hfy", "--cue", "queries.csv", "--rows", "0..1"]);
}

#[test]
fn labels_do_not_speak_to_the_terminal() {
    let folder = Folder::new();
    folder.write("patterns.csv", PATTERNS);
    folder.write("queries.csv", QUERIES);
    folder.write("labels.txt", "a\u{1b}[31mred\nb\u{7}\u{202e}\nc\n");
    folder.ok(&["memory", "build", "m.hfy", "patterns.csv", "--labels", "labels.txt"]);
    let runs: [&[&str]; 4] = [
        &["memory", "info", "m.hfy", "--list"],
        &["retrieve", "m.hfy", "queries.csv", "--map", "argmax"],
        &["recall", "free", "m.hfy"],
        &["certify", "m.hfy"],
    ];
    for arguments in runs {
        let text = folder.ok(arguments);
        assert!(text.contains("a\\x1b[31mred") && text.contains("b\\x07\\u{202e}"), "{arguments:?}: {text}");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{arguments:?}");
    }
}
