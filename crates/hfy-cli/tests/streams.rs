//! `hfy map` on more rows than one block holds, from files and from the standard input.

mod common;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Folder, finish, rows};

/// Rows of four scores, more than are read at a time.
const ROWS: usize = 150_000;

fn text(rows: std::ops::Range<usize>) -> String {
    rows.map(|row| format!("{},{},0,-1\n", row % 7, (row % 11) as f64 / 4.0)).collect()
}

#[test]
fn blocks_make_no_difference() {
    let folder = Folder::new();
    folder.write("s.csv", text(0..ROWS));
    let whole = rows(&folder.ok(&["map", "sparsemax", "s.csv"]));
    assert_eq!(whole.len(), ROWS);
    for row in [0, 63, 64, 65_535, 65_536, ROWS - 1] {
        folder.write("one.csv", text(row..row + 1));
        assert_eq!(rows(&folder.ok(&["map", "sparsemax", "one.csv"]))[0], whole[row], "row {row}");
    }
    // From csv to npy, whose header counts the rows, and from npy to everything else.
    folder.ok(&["map", "quadratic", "s.csv", "--out", "s.npy"]);
    assert_eq!(folder.bytes("s.npy").len(), 128 + ROWS * 4 * 8);
    for ending in ["csv", "npy", "npz", "safetensors", "tsv"] {
        let out = format!("w.{ending}");
        folder.ok(&["map", "sparsemax", "s.npy", "--out", &out]);
        assert!(rows(&folder.ok(&["map", "quadratic", &out])) == whole, "{ending}");
    }
    let run = finish(folder.command(&["map", "sparsemax", "-"]).stdin(file(&folder, "s.npy")));
    assert!(run.code == 0 && rows(&run.stdout) == whole, "{}", run.stderr);
}

fn file(folder: &Folder, name: &str) -> Stdio {
    Stdio::from(std::fs::File::open(folder.path(name)).expect("a file"))
}

#[test]
fn rows_can_be_chosen_and_keep_their_numbers() {
    let folder = Folder::new();
    folder.write("s.csv", text(0..ROWS));
    folder.ok(&["map", "quadratic", "s.csv", "--out", "s.npy"]);
    let whole = rows(&folder.ok(&["map", "sparsemax", "s.csv"]));
    for source in ["s.csv", "s.npy"] {
        for (range, expected) in [
            ("70000..70003", 70_000..70_003),
            ("..2", 0..2),
            ("149999..", 149_999..ROWS),
            ("65530..65540", 65_530..65_540),
        ] {
            let found = rows(&folder.ok(&["map", "sparsemax", source, "--rows", range]));
            assert_eq!(found, whole[expected], "{source}, {range}");
        }
        let support = folder.ok(&["map", "argmax", source, "--rows", "70000..70002", "--support"]);
        let numbers: Vec<&str> = support.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
        assert!(numbers.contains(&"70000") && numbers.contains(&"70001"), "{support}");
    }
    // An error in a later block names the line of the file.
    folder.write("bad.csv", text(0..ROWS) + "1,2,3,x\n");
    let run = folder.run(&["map", "sparsemax", "bad.csv", "--out", "w.npy"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, "error: bad.csv, row 150001, column 4: 'x' is not a number\n"));
    assert!(!folder.names().iter().any(|name| name.contains("w.npy")), "{:?}", folder.names());
}

/// The most memory that a process had, in kilobytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Folder, arguments: &[&str]) -> usize {
    let mut child = folder.command(arguments).stdout(Stdio::null()).spawn().expect("the program runs");
    let mut most = 0;
    loop {
        // The line is gone once the process has ended, and the last value stays.
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kilobytes.unwrap_or(0));
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{arguments:?}");
            return most;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_rows() {
    let folder = Folder::new();
    let peaks = [200_000usize, 2_000_000].map(|count| {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 16), }}");
        let header = format!("{header:<117}\n");
        let start = [b"\x93NUMPY\x01\x00", &118u16.to_le_bytes()[..], header.as_bytes()].concat();
        folder.write("s.npy", [start, vec![0; count * 16 * 4]].concat());
        peak(&folder, &["map", "sparsemax", "s.npy", "--out", "w.npy", "--force", "--threads", "2"])
    });
    // The files have 13 and 128 MB.
    assert!(peaks[0] > 1000 && peaks[1] < peaks[0] + 20_000, "{peaks:?} kB");
}

#[cfg(unix)]
#[test]
fn waiting_for_input_ends_within_a_second() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["map", "softmax", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let input = child.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let output = child.wait_with_output().expect("an end");
    drop(input);
    assert!(asked.elapsed() < Duration::from_millis(1200), "{:?}", asked.elapsed());
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).trim()),
        (Some(130), "error: interrupted")
    );
}
