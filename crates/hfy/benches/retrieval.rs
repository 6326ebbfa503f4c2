//! Retrieval beside the matrix product of the same size, through the `Retriever` that a user calls.
//!
//! Random patterns show the cost where nothing can be skipped; MNIST (from `HFY_DATA_DIR`) shows what bounds spare.
//! Prints one JSON line a case; `ratio` is the least time over the least time of one `faer` product, taken in turns
//! with it. Arguments select cases by substring.

mod timing;

use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use hfy::retrieval::{Retriever, Settings, Stop};
use hfy::{Map, Network, Scaled, post::Identity};
use ndarray::{Array2, ArrayView2, Axis};
use timing::{in_turns, normal};

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

fn idx(name: &str) -> Option<Array2<f32>> {
    let folder = PathBuf::from(std::env::var_os("HFY_DATA_DIR")?).join("mnist");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(folder.join(name)).ok()?).read_to_end(&mut bytes).ok()?;
    let count = u32::from_be_bytes(bytes[4..8].try_into().ok()?) as usize;
    let pixels = bytes[16..].iter().map(|&b| f32::from(b) / 127.5 - 1.0).collect();
    Array2::from_shape_vec((count, 784), pixels).ok()
}

/// Peak memory so far, in megabytes.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("0");
    line.split_whitespace().nth(1).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0 / 1e6
}

/// One set of patterns and queries, and the cases that are wanted.
struct Bench<'b> {
    name: &'b str,
    patterns: ArrayView2<'b, f32>,
    queries: ArrayView2<'b, f32>,
    beta: f64,
    filters: &'b [String],
}

impl<'b> Bench<'b> {
    fn new(filters: &'b [String], name: &'b str, patterns: ArrayView2<'b, f32>, queries: ArrayView2<'b, f32>) -> Self {
        Bench { name, patterns, queries, beta: 0.1, filters }
    }

    fn network(&self, map: &str) -> Network<'_, f32, Scaled<Map>, Identity> {
        let map = Scaled::with_beta(map.parse().expect("a map"), self.beta).expect("a temperature");
        Network::new(map, Identity, self.patterns).expect("finite patterns")
    }

    /// Times so many steps of a map, with an index of so many directions if any.
    fn steps(&self, map: &str, steps: usize, index: Option<usize>, energy: bool) {
        let with = if index.is_some() { ", indexed" } else { "" };
        let what = format!("{map}, {steps} steps{with}{}", if energy { ", energies" } else { "" });
        let full = format!("{} {what}", self.name);
        if !self.filters.iter().all(|f| full.contains(f.as_str())) {
            return;
        }
        let network = self.network(map);
        let settings = Settings { stop: Stop::Steps(steps), ..Settings::default() };
        let mut retriever = Retriever::new(&network).and_then(|r| r.with_settings(settings)).expect("sound settings");
        if !energy {
            retriever = retriever.without_energy();
        }
        let mut extra = String::new();
        if let Some(rank) = index {
            let start = Instant::now();
            retriever = retriever.with_index(rank).expect("an index");
            extra = format!(",\"directions\":{rank},\"index_s\":{:.3}", start.elapsed().as_secs_f64());
        }
        let found = retriever.retrieve(self.queries).expect("finite queries");
        let size: usize = found.reports.iter().map(|r| r.support.len()).sum();
        let memory = peak_memory() - (self.patterns.len() * 4) as f64 / 1e6;
        let (times, base) = in_turns(
            || retriever.retrieve(self.queries).expect("finite queries"),
            || product(self.patterns, self.queries),
        );
        let queries = self.queries.nrows();
        println!(
            "{{\"bench\":\"retrieval/{}\",\"impl\":\"hfy {what}\",\"shape\":[{queries},{},{}],\"median_s\":{:.4e},\
             \"min_s\":{:.4e},\"runs\":{},\"product_s\":{:.4e},\"ratio\":{:.3},\"cpu_s\":{:.3},\"product_cpu_s\":{:.3},\"read_gb_s\":{:.1},\
             \"mean_support\":{:.2},\"memory_beyond_patterns_mb\":{memory:.0}{extra}}}",
            self.name,
            self.patterns.nrows(),
            self.patterns.ncols(),
            times.median,
            times.least,
            times.runs,
            base.least,
            times.least / base.least,
            times.cpu,
            base.cpu,
            (self.patterns.len() * 4) as f64 / 1e9 / times.least,
            size as f64 / queries as f64,
        );
    }
}

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global().expect("a pool");
    let rank = std::env::var("RANK").ok().and_then(|r| r.parse().ok()).unwrap_or(128);
    let random = |rows: usize, width: usize, seed| {
        Array2::from_shape_vec((rows, width), normal(rows * width, seed)).expect("the shape fits")
    };
    let near = |patterns: &Array2<f32>, rows: usize| {
        &patterns.slice_axis(Axis(0), (..rows).into()) + &(random(rows, patterns.ncols(), 4) * 0.1)
    };
    {
        let patterns = random(60_000, 784, 3);
        let queries = near(&patterns, QUERIES);
        let bench = Bench::new(&filters, "random", patterns.view(), queries.view());
        for map in ["sparsemax", "entmax:1.5"] {
            bench.steps(map, 1, None, false);
            bench.steps(map, 1, None, true);
            bench.steps(map, 1, Some(rank), false);
        }
        bench.steps("softmax", 1, None, false);
        let bench =
            Bench::new(&filters, "random, one query", patterns.view(), queries.slice_axis(Axis(0), (..1).into()));
        for map in ["sparsemax", "softmax"] {
            bench.steps(map, 1, None, false);
        }
    }
    {
        let patterns = random(1000, 8192, 5);
        let queries = near(&patterns, QUERIES);
        let bench = Bench::new(&filters, "wide", patterns.view(), queries.view());
        bench.steps("sparsemax", 10, None, true);
        bench.steps("softmax", 10, None, true);
    }
    match (idx("train-images-idx3-ubyte.gz"), idx("t10k-images-idx3-ubyte.gz")) {
        (Some(train), Some(test)) => {
            let bench = Bench::new(&filters, "mnist", train.view(), test.slice_axis(Axis(0), (..QUERIES).into()));
            for map in ["sparsemax", "entmax:1.5"] {
                for steps in [1, 5] {
                    bench.steps(map, steps, Some(rank), false);
                }
                bench.steps(map, 1, None, false);
            }
            bench.steps("softmax", 1, None, false);
        }
        _ => println!("SKIPPED mnist: no MNIST files under HFY_DATA_DIR"),
    }
}
