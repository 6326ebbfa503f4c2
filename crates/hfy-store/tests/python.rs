//! The file as Python's `safetensors` sees it, and the other way round.
//!
//! Uses the Python in `HFY_PYTHON`, or `python3` if it has the packages, or a virtual environment made for the test.
//! Where none can be had, the test says so on standard error and passes.

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use hfy_store::{Dtype, Info, Memory, Texts};
use ndarray::array;
use serde_json::json;

const PACKAGES: [&str; 3] = ["safetensors", "numpy", "xxhash"];

fn has_packages(python: &Path) -> bool {
    let run = Command::new(python).args(["-c", &format!("import {}", PACKAGES.join(", "))]).output();
    run.is_ok_and(|output| output.status.success())
}

fn python() -> Option<PathBuf> {
    let given = std::env::var_os("HFY_PYTHON").map(PathBuf::from);
    if let Some(found) = given.into_iter().chain([PathBuf::from("python3")]).find(|python| has_packages(python)) {
        return Some(found);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hfy-store-python");
    let python = folder.join("bin").join("python");
    if !has_packages(&python) {
        Command::new("python3").args(["-m", "venv"]).arg(&folder).output().ok()?;
        let install = ["-m", "pip", "install", "-q", "--timeout", "15", "--retries", "1"];
        Command::new(&python).args(install).args(PACKAGES).output().ok()?;
    }
    Some(python).filter(|python| has_packages(python))
}

#[test]
fn python_reads_what_we_write_and_we_read_what_python_writes() {
    let Some(python) = python() else {
        // Not through eprintln!, which the test harness keeps to itself.
        let _ = writeln!(std::io::stderr(), "\nSKIPPED tests/python.rs: no Python with {PACKAGES:?} could be had\n");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ours.hfy");
    let memory = Memory::temporary(Dtype::F32, 3).unwrap();
    let labels = vec![Some("\u{e9}t\u{e9}".into()), None, None];
    let texts = Texts { labels, metadata: vec![None, None, Some(json!({"a": [1, "b"]}))] };
    memory.add(array![[1.0f32, 2.0, 3.0], [0.0, 0.0, 0.0], [4.0, 5.0, 6.5]].view(), &texts).unwrap();
    memory.set_info(Info { omega: Some("entmax:1.5".into()), ..Info::default() }).unwrap();
    memory.remove(&[1]).unwrap();
    memory.snapshot().unwrap().export(&path).unwrap();

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/interchange.py");
    let output = Command::new(&python).arg(script).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let theirs = Memory::open(folder.path().join("theirs.hfy")).unwrap().snapshot().unwrap();
    theirs.verify().unwrap();
    assert_eq!(theirs.ids().unwrap(), [3, 5]);
    assert_eq!(theirs.next_id(), 8);
    assert_eq!(theirs.patterns::<f64>().unwrap(), array![[0.5, 1.5], [2.5, 3.5]]);
    assert_eq!(theirs.get(5).unwrap().label.as_deref(), Some("five"));
    assert_eq!(theirs.info().name.as_deref(), Some("from python"));
}
