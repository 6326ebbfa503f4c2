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
    let unknown = folder.run(&["reproduce", "fig13"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("experiment = fig13: must be one of fig1, fig2"), "{}", unknown.stderr);
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
