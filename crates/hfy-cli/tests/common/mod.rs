//! Runs the program and looks at what it says.
#![allow(dead_code)] // every test file uses some of it

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder of its own for a test, and the program running in it.
pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Folder { folder: tempfile::tempdir().expect("a folder for the test") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file of the test");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("a text")
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Every name in the folder, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hfy"));
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments).stdin(Stdio::null()))
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let path = self.write(".input", input);
        let run = finish(self.command(arguments).stdin(std::fs::File::open(&path).expect("the input")));
        std::fs::remove_file(path).expect("the input");
        run
    }

    /// Runs, demands success, and returns the standard output.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr, "", "{arguments:?}");
        run.stdout
    }

    /// Runs with `--json`, demands success and exactly one document.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.ok(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error} in {text}"))
    }

    /// Runs, demands this exit code and nothing on the standard output, and returns the error without `error: ` and the
    /// notes before it.
    pub(crate) fn fails(&self, arguments: &[&str], code: i32) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{arguments:?}: {}", run.stderr);
        let notes: usize =
            run.stderr.split_inclusive('\n').take_while(|line| line.starts_with("note: ")).map(str::len).sum();
        run.stderr[notes..]
            .strip_prefix("error: ")
            .unwrap_or_else(|| panic!("{arguments:?}: {}", run.stderr))
            .trim_end()
            .to_owned()
    }
}

/// The message of an error in JSON, which has to be all that there is.
pub(crate) fn json_error(text: &str) -> String {
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    document["error"]["message"].as_str().unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Run {
    let output = command.output().expect("the program runs");
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// A file that NumPy or Pillow wrote.
pub(crate) fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    path.to_str().expect("a path").to_owned()
}

/// Rows of numbers in csv.
pub(crate) fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Three patterns at right angles, and queries near the first two.
pub(crate) const PATTERNS: &str = "3,0,0,0\n0,3,0,0\n0,0,3,0\n";
pub(crate) const QUERIES: &str = "2.5,0.2,0,0\n0.1,2.8,0.3,-0.2\n";
