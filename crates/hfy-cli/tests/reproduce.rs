//! `hfy reproduce`. The experiments here need no data sets.

mod common;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Folder, finish};
use serde_json::Value;

/// Everything in a result but the time that it took.
fn timeless(folder: &Folder, name: &str) -> Value {
    let mut result: Value = serde_json::from_slice(&folder.bytes(name)).expect("one document");
    assert!(result.as_object_mut().expect("an object").remove("seconds").is_some());
    result
}

/// The files of cells that are under their final names.
fn cells(out: &Path) -> Vec<std::path::PathBuf> {
    let folders = std::fs::read_dir(out.join("cells")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
}

#[test]
fn what_there_is_is_listed() {
    let folder = Folder::new();
    let list = folder.run(&["reproduce", "list"]);
    assert_eq!(list.code, 0);
    for id in ["fig1 ", "fig12", "fig14", "table3", "theory"] {
        assert!(list.stdout.lines().any(|line| line.trim_start().starts_with(id)), "{id}: {}", list.stdout);
    }
    let unknown = folder.run(&["reproduce", "fig15"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("experiment = fig15: must be one of fig1, fig2"), "{}", unknown.stderr);
    assert_eq!(folder.run(&["reproduce", "fig2", "--seeds", "0"]).code, 2);
    assert_eq!(folder.run(&["reproduce"]).code, 2);
}

#[test]
fn a_figure_is_computed_written_and_shown() {
    let folder = Folder::new();
    let run = folder.run(&["reproduce", "fig2", "fig3", "--mode", "both", "--out", "r", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).expect("one document");
    assert_eq!(document["results"].as_array().map(Vec::len), Some(4));
    let result = timeless(&folder, "r/defined/fig2/result.json");
    assert_eq!((&result["id"], &result["mode"]), (&Value::from("fig2"), &Value::from("defined")));
    assert_eq!(result["verdict"]["agree"], result["verdict"]["total"]);
    assert!(folder.read("r/printed/fig2/fig2.svg").contains("<text"));
    assert!(folder.bytes("r/printed/fig2/fig2.png").starts_with(b"\x89PNG"));
    let page = folder.read("r/index.html");
    assert!(page.contains("Figure 2") && page.contains("Figure 3") && page.contains("As defined"));
}

#[test]
fn data_that_are_not_there_are_named() {
    let folder = Folder::new();
    let mut command = folder.command(&["reproduce", "table3", "--quick", "--out", "r"]);
    let nowhere = folder.path("nowhere");
    command.env_remove("HFY_DATA_DIR").env("XDG_CACHE_HOME", &nowhere).env("HOME", &nowhere);
    let run = finish(command.env("LOCALAPPDATA", &nowhere));
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("the data set mnist is not there"), "{}", run.stderr);
}

/// Killed in the middle, a run leaves whole cells only, and the next one goes on from them to the same result.
#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let folder = Folder::new();
    let arguments =
        |out| ["reproduce", "fig8", "fig9", "--quick", "--quiet", "--jobs", "1", "--mode", "both", "--out", out];
    let mut child = folder.command(&arguments("killed")).stdout(Stdio::null()).spawn().expect("the program starts");
    let (out, start) = (folder.path("killed"), Instant::now());
    while cells(&out).len() < 3 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let kept = cells(&out);
    assert!(kept.len() >= 3, "three cells within a minute");
    let bytes: Vec<Vec<u8>> = kept.iter().map(|path| std::fs::read(path).expect("a cell")).collect();
    for bytes in &bytes {
        serde_json::from_slice::<Value>(bytes).expect("a whole cell");
    }

    assert_eq!(folder.run(&arguments("killed")).code, 0);
    assert_eq!(folder.run(&arguments("whole")).code, 0);
    for (path, before) in kept.iter().zip(&bytes) {
        assert_eq!(&std::fs::read(path).expect("a cell"), before, "what was kept is not computed again");
    }
    assert_eq!(cells(&out).len(), cells(&folder.path("whole")).len());
    for name in ["printed/fig8", "defined/fig8", "printed/fig9", "defined/fig9"] {
        let of = |out: &str| timeless(&folder, &format!("{out}/{name}/result.json"));
        assert_eq!(of("killed"), of("whole"), "{name}");
    }
}

/// Killed in the middle, a run leaves a file from which any other goes on, in any folder.
#[test]
fn a_file_of_cells_outlives_a_run_that_is_killed() {
    let folder = Folder::new();
    let arguments = ["reproduce", "fig8", "fig9", "--quick", "--jobs", "1", "--mode", "both", "--quiet"];
    let with = |more: &[&'static str]| [&arguments[..], more].concat();
    let piece = with(&["--cells", "a.jsonl", "--only-cells"]);
    let mut child = folder.command(&piece).stdout(Stdio::null()).spawn().expect("the program starts");
    let (file, start) = (folder.path("a.jsonl"), Instant::now());
    let lines = || std::fs::read_to_string(&file).unwrap_or_default().matches('\n').count();
    while lines() < 3 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let kept = lines();
    assert!(kept >= 3, "three cells within a minute");

    let rest = folder.run(&with(&["--cells", "a.jsonl", "--only-cells", "--json"]));
    let document: Value = serde_json::from_str(&rest.stdout).expect("one document");
    let (cells, total) = (&document["cells"], lines());
    assert_eq!((&cells["done"], &cells["total"]), (&Value::from(total), &Value::from(total)));
    assert_eq!(cells["computed"], total - kept);
    assert_eq!((&document["page"], &document["results"]), (&Value::Null, &Value::from(Vec::<Value>::new())));
    assert_eq!(document["sources"][0]["file"], "a.jsonl");
    assert!(!folder.path("hfy-reproduction").exists());

    assert_eq!(folder.run(&with(&["--with-cells", "a.jsonl", "--minutes", "0", "--out", "kept"])).code, 0);
    assert_eq!(folder.run(&with(&["--out", "whole"])).code, 0);
    for name in ["printed/fig8", "defined/fig8", "printed/fig9", "defined/fig9"] {
        let of = |out: &str| timeless(&folder, &format!("{out}/{name}/result.json"));
        assert_eq!(of("kept"), of("whole"), "{name}");
    }
}

#[test]
fn a_run_in_pieces_says_how_far_it_is() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| {
        let run = folder.run(&[&["reproduce", "fig8", "--quick"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        (run.stdout, run.stderr)
    };
    let go_on = "; run the same command again to go on\n";
    let none = run(&["--cells", "a.jsonl", "--only-cells", "--minutes", "0"]).0;
    assert_eq!(none, format!("0 of 10 cells are done (0 computed now){go_on}"));
    let none = run(&["--cells", "a.jsonl", "--minutes", "0"]).0;
    assert_eq!(none, format!("unfinished: fig8 printed\n0 of 10 cells are done (0 computed now){go_on}"));
    let all = run(&["--cells", "a.jsonl", "--only-cells", "--minutes", "1e9"]).0;
    assert_eq!(all, "10 of 10 cells are done (10 computed now)\n");

    let text = folder.read("a.jsonl");
    let (front, back) = text.split_at(text.len() - 40);
    folder.write("torn.jsonl", front.as_bytes());
    let (some, note) = run(&["--with-cells", "torn.jsonl", "--only-cells", "--minutes", "0", "--out", "nowhere"]);
    let says = format!("9 cells were taken from torn.jsonl\n9 of 10 cells are done (0 computed now){go_on}");
    assert_eq!(some, says);
    assert_eq!(note, "note: torn.jsonl: line 10 is torn; what is missing there is computed again\n");
    assert!(back.ends_with('\n') && !folder.path("nowhere").exists());
    let whole = run(&["--with-cells", "a.jsonl", "--out", "r"]).0;
    assert!(whole.contains("10 cells were taken from a.jsonl\n\n1 result in "), "{whole}");
}
