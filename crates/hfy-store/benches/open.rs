//! What it costs to open a memory: one JSON line a case.
//!
//! `cargo bench -p hfy-store --bench open` takes a million patterns of 128 in f32 (0.5 GB), `-- --full` ten million
//! (5.2 GB), `-- --rows N` any number; `--labels` gives each a label. The file lies in `HFY_BENCH_DIR`, or in the
//! target folder, and is deleted at the end. Each case runs in a process of its own, so that its memory is its own;
//! `cold` is after the file was dropped from the page cache (by `dd iflag=nocache`).

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use hfy_store::{Dtype, Memory};
use ndarray::Array2;

type Outcome<V = ()> = Result<V, Box<dyn std::error::Error>>;

const DIM: usize = 128;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| arguments.iter().position(|a| a == flag).and_then(|at| arguments.get(at + 1));
    if let (Some(case), Some(path)) = (after("--case"), after("--path")) {
        return run(case, Path::new(path), after("--cache").map_or("", String::as_str));
    }
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    let rows = match after("--rows") {
        Some(rows) => rows.parse()?,
        None if has("--full") => 10_000_000,
        None => 1_000_000,
    };
    let folder =
        std::env::var_os("HFY_BENCH_DIR").map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    // Deleted when dropped, however this ends.
    let folder = tempfile::tempdir_in(folder)?;
    let path = folder.path().join("bench.hfy");
    build(&path, rows, has("--labels"))?;
    for case in ["open", "row", "add", "product", "copy", "verify"] {
        for cache in ["cold", "warm"] {
            if cache == "cold" && !drop_cache(&path) {
                continue;
            }
            let mut child = Command::new(std::env::current_exe()?);
            child.args(["--case", case, "--cache", cache, "--path"]).arg(&path);
            if !child.status()?.success() {
                return Err(format!("case {case} failed").into());
            }
        }
    }
    Ok(())
}

fn build(path: &Path, rows: usize, labels: bool) -> Outcome {
    let mut memory = Memory::new(Dtype::F32, DIM)?;
    let mut state = 1u64;
    let mut number = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    };
    let mut left = rows;
    while left > 0 {
        let block = left.min(100_000);
        let ids = memory.add_batch(Array2::from_shape_simple_fn((block, DIM), &mut number).view())?;
        if labels {
            ids.into_iter().try_for_each(|id| memory.set_label(id, Some(&format!("pattern {id}"))))?;
        }
        left -= block;
    }
    let begun = Instant::now();
    memory.save_as(path)?;
    let seconds = begun.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(path)?.len();
    let case = r#""bench":"store/open","case":"save""#;
    println!(r#"{{{case},"rows":{rows},"dim":{DIM},"labels":{labels},"bytes":{bytes},"seconds":{seconds:.3}}}"#);
    Ok(())
}

fn drop_cache(path: &Path) -> bool {
    let mut input = std::ffi::OsString::from("if=");
    input.push(path);
    let dd = Command::new("dd").arg(input).args(["iflag=nocache", "count=0", "status=none"]).status();
    dd.is_ok_and(|status| status.success())
}

/// Resident memory in MiB: the process's own, and pages of files.
fn resident() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let mebibytes = |name| field(name).map_or(f64::NAN, |kibibytes| kibibytes / 1024.0);
    (mebibytes("RssAnon:"), mebibytes("RssFile:"))
}

fn run(case: &str, path: &Path, cache: &str) -> Outcome {
    let before = resident();
    let begun = Instant::now();
    let mut memory = Memory::open(path)?;
    let opened = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut copy = None;
    match case {
        "row" => {
            let id = memory.next_id() / 2;
            black_box(memory.get(id)?.pattern::<f32>()?.sum());
        }
        "add" => {
            let ids = memory.add_batch(Array2::<f32>::ones((1000, DIM)).view())?;
            memory.remove(&[ids.start, 0, 77, memory.next_id() / 2])?;
            memory.update(5, ndarray::Array1::<f32>::ones(DIM).view())?;
            black_box(memory.row_of(ids.end - 1));
        }
        "product" => {
            let query = ndarray::Array1::<f32>::ones(DIM);
            for (_, patterns) in memory.stretches::<f32>()? {
                black_box(patterns.dot(&query));
            }
        }
        "copy" => copy = Some(memory.patterns::<f32>()?.to_owned()),
        "verify" => memory.verify()?,
        _ => {}
    }
    let work = begun.elapsed().as_secs_f64();
    let after = resident();
    drop(black_box(copy));
    let (rows, view) = (memory.len(), memory.patterns::<f32>().is_ok_and(|p| case != "add" && p.is_view()));
    println!(
        r#"{{"bench":"store/open","case":"{case}","cache":"{cache}","rows":{rows},"open_seconds":{opened:.6},"work_seconds":{work:.6},"own_mib_before":{:.1},"own_mib_after":{:.1},"file_mib_before":{:.1},"file_mib_after":{:.1},"in_place":{view}}}"#,
        before.0, after.0, before.1, after.1
    );
    Ok(())
}
