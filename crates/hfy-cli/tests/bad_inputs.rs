//! The table of bad inputs: whatever is typed or read, the program answers, with a code and a sentence.
//!
//! A line of a table is `SETUP | COMMAND | CODE | FRAGMENT`. SETUP names files to be there beside `p.csv`, `q.csv` and
//! the memory `m.hfy`: fixtures (`cut.npy`), `NAME=TEXT`, folders `NAME/`, links `NAME->FILE`, and the standard input
//! `<TEXT`. Files that the command names and that are fixtures need not be listed. In texts and commands, but not in
//! FRAGMENT, `\n`, `\t`, `\s` (a space) and `\xNN` are what they say. CODE may be two, as in `1/2`. FRAGMENT is part of
//! the standard error; of the standard output where CODE is 0. `*` stands for any fragment.

#[path = "bad_inputs/fixtures.rs"]
mod fixtures;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longer than any of these may take.
const PATIENCE: Duration = Duration::from_secs(10);

struct Case<'a> {
    line: usize,
    setup: &'a str,
    command: &'a str,
    codes: Vec<i32>,
    fragment: &'a str,
}

impl<'a> Case<'a> {
    fn parse(line: usize, text: &'a str) -> Self {
        let parts: Vec<&str> = text.split(" | ").map(str::trim).collect();
        let [setup, command, _, fragment] = parts[..] else { panic!("line {line} has not four parts: {text}") };
        let code = |code: &str| code.parse().unwrap_or_else(|_| panic!("line {line}: {code} is no code"));
        let codes = parts[2].split('/').map(code).collect();
        assert!(!fragment.is_empty(), "line {line}: every case says what is answered");
        Case { line, setup, command, codes, fragment }
    }

    /// What the program should not have done; `None` if it did what it should.
    fn fault(&self, memory: &Path) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder for the case");
        let input = self.set_up(folder.path(), memory);
        let (code, stdout, stderr) = match run(folder.path(), &self.arguments(), &input) {
            Ok(run) => run,
            Err(what) => return Some(what),
        };
        let said = if code == 0 { &stdout } else { &stderr };
        let fault = if stderr.contains("panicked") {
            "it panicked"
        } else if !self.codes.contains(&code) {
            "another code"
        } else if self.fragment != "*" && !said.contains(self.fragment) {
            "another message"
        } else if code != 0 && code != 3 && !stdout.is_empty() {
            "something on the standard output"
        } else if stderr.chars().any(|c| c.is_control() && c != '\n') {
            "control characters"
        } else {
            return None;
        };
        let what = format!("{fault}: code {code}, expected {:?} and {:?}", self.codes, self.fragment);
        Some(format!("{what}\n    {}", stderr.trim_end().replace('\n', "\n    ")))
    }

    fn arguments(&self) -> Vec<String> {
        self.command.split_whitespace().map(unescaped).collect()
    }

    /// Makes the files, and returns the standard input.
    fn set_up(&self, folder: &Path, memory: &Path) -> String {
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file of the case");
        let mut input = String::new();
        copy(memory, &folder.join("m.hfy"));
        let arguments = self.arguments();
        let named = arguments.iter().flat_map(|word| word.split([':', '@', '=', '/']));
        for name in BTreeSet::from_iter(named.chain(["p.csv", "q.csv"])) {
            if let Some(bytes) = fixtures::bytes(name) {
                write(name, &bytes);
            }
        }
        for item in self.setup.split_whitespace().filter(|item| *item != "-") {
            if let Some(text) = item.strip_prefix('<') {
                input = unescaped(text);
            } else if let Some((name, target)) = item.split_once("->") {
                link(target, &folder.join(name));
            } else if let Some((name, text)) = item.split_once('=') {
                write(name, unescaped(text).as_bytes());
            } else if let Some(name) = item.strip_suffix('/') {
                std::fs::create_dir_all(folder.join(name)).expect("a folder of the case");
            } else {
                let bytes = fixtures::bytes(item.rsplit('/').next().unwrap_or(item));
                write(item, &bytes.unwrap_or_else(|| panic!("line {}: there is no fixture {item}", self.line)));
            }
        }
        input
    }
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("a link of the case");
}

#[cfg(not(unix))]
fn link(target: &str, path: &Path) {
    std::fs::copy(path.with_file_name(target), path).expect("a copy in the place of a link");
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out += &rest[..at];
        rest = &rest[at + 1..];
        let (character, length) = match rest.as_bytes() {
            [b'n', ..] => ('\n', 1),
            [b't', ..] => ('\t', 1),
            [b's', ..] => (' ', 1),
            [b'x', _, _, ..] => (char::from(u8::from_str_radix(&rest[1..3], 16).expect("two digits")), 3),
            _ => ('\\', 0),
        };
        out.push(character);
        rest = &rest[length..];
    }
    out + rest
}

/// Runs the program to its end, which has to come in time and must not be a signal.
fn run(folder: &Path, arguments: &[String], input: &str) -> Result<(i32, String, String), String> {
    let file = |name: &str| std::fs::File::create(folder.join(name)).expect("a file for the output");
    std::fs::write(folder.join(".in"), input).expect("the standard input");
    let mut child = Command::new(env!("CARGO_BIN_EXE_hfy"))
        .current_dir(folder)
        .args(arguments)
        .env("HFY_DATA_DIR", folder.join(".data"))
        .stdin(std::fs::File::open(folder.join(".in")).expect("the standard input"))
        .stdout(Stdio::from(file(".out")))
        .stderr(Stdio::from(file(".err")))
        .spawn()
        .expect("the program runs");
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            child.kill().expect("a child that runs");
            child.wait().expect("a child that was killed");
            return Err(format!("it took longer than {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text =
        |name: &str| String::from_utf8_lossy(&std::fs::read(folder.join(name)).expect("its output")).into_owned();
    match status.code() {
        Some(code) => Ok((code, text(".out"), text(".err"))),
        None => Err(format!("it was ended by a signal: {status}\n    {}", text(".err"))),
    }
}

/// A folder with a memory `m.hfy` over the three patterns.
fn memory() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.csv"), fixtures::bytes("p.csv").expect("a fixture")).expect("patterns");
    let arguments = ["memory", "build", "m.hfy", "p.csv"].map(str::to_owned);
    let (code, _, stderr) = run(folder.path(), &arguments, "").expect("the program ends");
    assert_eq!(code, 0, "{stderr}");
    folder
}

/// Copies a folder and all in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("a folder of the case");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name();
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(name)),
            false => drop(std::fs::copy(entry.path(), to.join(name)).expect("a copy")),
        }
    }
}

/// Runs all cases of a table on two threads; returns how many there are.
fn check(name: &str, table: &str) -> usize {
    let lines = table.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let cases: Vec<Case<'_>> = lines.map(|(place, line)| Case::parse(place + 1, line)).collect();
    let (folder, next) = (memory(), AtomicUsize::new(0));
    let memory = folder.path().join("m.hfy");
    let work = || {
        let mut faults = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(fault) = case.fault(&memory) {
                faults.push((case.line, format!("{name}:{}: hfy {}\n    {fault}", case.line, case.command)));
            }
        }
        faults
    };
    let mut faults = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect::<Vec<_>>()
    });
    faults.sort();
    let texts: Vec<&str> = faults.iter().map(|(_, text)| text.as_str()).collect();
    assert!(texts.is_empty(), "{} of {} cases:\n{}", texts.len(), cases.len(), texts.join("\n"));
    cases.len()
}

#[test]
fn bad_inputs_are_answered() {
    assert!(check("table.txt", include_str!("bad_inputs/table.txt")) >= 300);
}

#[test]
fn bad_inputs_of_memories_are_answered() {
    assert!(check("table_memory.txt", include_str!("bad_inputs/table_memory.txt")) >= 30);
}

/// Texts of maps over structures whose sizes are beyond all memory.
#[test]
fn sizes_in_texts_of_maps_are_checked() {
    assert!(check("table_sizes.txt", include_str!("bad_inputs/table_sizes.txt")) >= 4);
}

#[cfg(feature = "learn")]
#[test]
fn bad_inputs_of_mil_are_answered() {
    assert!(check("table_mil.txt", include_str!("bad_inputs/table_mil.txt")) >= 40);
}

#[cfg(feature = "learn")]
#[test]
fn bad_inputs_of_text_are_answered() {
    assert!(check("table_text.txt", include_str!("bad_inputs/table_text.txt")) >= 30);
}
