//! One retrieval step, and five, beside the matrix product of the same size.
//!
//! Random patterns show the cost where nothing can be skipped; MNIST (from `HFY_DATA_DIR`) shows what bounds spare.
//! Prints one JSON line a case; `ratio` is the time over that of one `faer` product in the same run.

mod timing;

use std::io::Read;
use std::path::PathBuf;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use hfy::Map;
use hfy::retrieval::{Engine, Index};
use ndarray::{Array2, ArrayView2, Axis};
use timing::{Times, normal, time};

const QUERIES: usize = 1000;

/// One product of patterns and queries, in tiles whose scores are thrown away.
fn product(patterns: ArrayView2<'_, f32>, queries: ArrayView2<'_, f32>) -> f32 {
    const TILE: usize = 2048;
    let (width, count) = (patterns.ncols(), queries.nrows());
    let queries = MatRef::from_column_major_slice(queries.to_slice().expect("contiguous"), width, count);
    let mut scores = vec![0f32; TILE * count];
    let mut check = 0.0;
    for rows in patterns.to_slice().expect("contiguous").chunks(TILE * width) {
        let tile = rows.len() / width;
        let out = MatMut::from_column_major_slice_mut(&mut scores[..tile * count], tile, count);
        matmul(out, Accum::Replace, MatRef::from_row_major_slice(rows, tile, width), queries, 1.0, Par::rayon(0));
        check += scores[0];
    }
    check
}

fn print(bench: &str, what: &str, shape: [usize; 3], times: &Times, base: f64, extra: &str) {
    println!(
        "{{\"bench\":\"{bench}\",\"impl\":\"hfy {what}\",\"shape\":{shape:?},\"median_s\":{:.4e},\"min_s\":{:.4e},\
         \"runs\":{},\"ratio\":{:.3}{extra}}}",
        times.median,
        times.least,
        times.runs,
        times.median / base
    );
}

fn idx(name: &str) -> Option<Array2<f32>> {
    let folder = PathBuf::from(std::env::var_os("HFY_DATA_DIR")?).join("mnist");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(folder.join(name)).ok()?).read_to_end(&mut bytes).ok()?;
    let count = u32::from_be_bytes(bytes[4..8].try_into().ok()?) as usize;
    let pixels = bytes[16..].iter().map(|&b| f32::from(b) / 127.5 - 1.0).collect();
    Array2::from_shape_vec((count, 784), pixels).ok()
}

fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("0");
    line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn steps(engine: &Engine<'_, f32>, map: &Map, beta: f64, queries: ArrayView2<'_, f32>, count: usize) -> usize {
    let mut state = queries.to_owned();
    let mut size = 0;
    for _ in 0..count {
        let supports = engine.supports(map, beta, state.view()).expect("finite");
        size = supports.iter().map(|s| s.len()).sum();
        for (mut row, support) in state.rows_mut().into_iter().zip(&supports) {
            row.fill(0.0);
            for (i, w) in support.iter() {
                row.scaled_add(w, &engine.patterns().row(i));
            }
        }
    }
    size
}

fn case(name: &str, patterns: ArrayView2<'_, f32>, queries: ArrayView2<'_, f32>, beta: f64, rank: usize) {
    let shape = [queries.nrows(), patterns.nrows(), patterns.ncols()];
    let before = peak_memory();
    let base = time(|| product(patterns, queries));
    print(name, "faer product", shape, &base, base.median, "");
    let engine = Engine::new(patterns).expect("finite patterns");
    for omega in ["sparsemax", "entmax:1.5"] {
        let map: Map = omega.parse().expect("a map");
        let size = steps(&engine, &map, beta, queries, 1);
        let times = time(|| steps(&engine, &map, beta, queries, 1));
        let extra = format!(
            ",\"mean_support\":{:.2},\"peak_mb\":{:.0},\"before_mb\":{before:.0}",
            size as f64 / shape[0] as f64,
            peak_memory()
        );
        print(name, &format!("{omega} step"), shape, &times, base.median, &extra);
    }
    let start = std::time::Instant::now();
    let index = Index::build(patterns, rank).expect("an index");
    let seconds = start.elapsed().as_secs_f64();
    print(
        name,
        &format!("index of {rank} directions"),
        shape,
        &Times { median: seconds, least: seconds, runs: 1 },
        base.median,
        "",
    );
    let engine = engine.with_index(index).expect("the index fits");
    for omega in ["sparsemax", "entmax:1.5"] {
        let map: Map = omega.parse().expect("a map");
        for count in [1, 5] {
            let times = time(|| steps(&engine, &map, beta, queries, count));
            print(name, &format!("{omega} {count} steps, indexed"), shape, &times, base.median, "");
        }
    }
}

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let wanted = |name: &str| filters.iter().all(|f| name.contains(f.as_str()));
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global().expect("a pool");
    if wanted("random") {
        let patterns = Array2::from_shape_vec((60_000, 784), normal(60_000 * 784, 3)).expect("the shape fits");
        let noise = Array2::from_shape_vec((QUERIES, 784), normal(QUERIES * 784, 4)).expect("the shape fits");
        let queries = &patterns.slice_axis(Axis(0), (..QUERIES).into()) + &(noise * 0.1);
        case("random", patterns.view(), queries.view(), 0.1, 128);
    }
    if wanted("mnist") {
        match (idx("train-images-idx3-ubyte.gz"), idx("t10k-images-idx3-ubyte.gz")) {
            (Some(train), Some(test)) => {
                let rank = std::env::var("RANK").ok().and_then(|r| r.parse().ok()).unwrap_or(128);
                case("mnist", train.view(), test.slice_axis(Axis(0), (..QUERIES).into()), 0.1, rank);
            }
            _ => println!("SKIPPED mnist: no MNIST files under HFY_DATA_DIR"),
        }
    }
}
