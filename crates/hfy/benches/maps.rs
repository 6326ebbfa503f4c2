//! The separation maps on batches: forward, forward and backward, one and two threads.
//!
//! The number of threads is that of `RAYON_NUM_THREADS`. Prints one JSON line a case, with the fields of the peers'
//! script, so that both can be read together. Arguments that are not flags select cases by substring.
//!
//! New arrays come from `mimalloc`, which keeps large pieces of memory for a while. The system's allocator hands them
//! back to the kernel, and most of what is timed then is the kernel clearing pages.

mod timing;

use hfy::{Batch, Map, Separation, Support};
use ndarray::{Array2, ArrayView2};
use timing::{Times, normal, time};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SHAPES: [(usize, usize); 3] = [(10_000, 1_000), (1_000, 10_000), (128, 60_000)];
/// Rows of attention and of bags.
const SHORT: [(usize, usize); 9] = [
    (262_144, 4),
    (131_072, 8),
    (65_536, 16),
    (32_768, 32),
    (16_384, 64),
    (16_384, 128),
    (8_192, 256),
    (4_096, 512),
    (4_096, 1_024),
];
const MAPS: [&str; 15] = [
    "softmax",
    "sparsemax",
    "entmax:1.5",
    "entmax:1.25",
    "entmax:1.1",
    "entmax:1.13",
    "entmax:1.05",
    "entmax:1.03",
    "entmax:3",
    "normmax:2",
    "normmax:5",
    "subsets:4",
    "subsets:8",
    "subsets:100",
    "argmax",
];

struct Case<'a> {
    bench: &'a str,
    map: &'a str,
    shape: (usize, usize),
    scale: f32,
    threads: usize,
    buffer: &'a str,
    support: f64,
}

impl Case<'_> {
    fn wanted(&self, filters: &[String]) -> bool {
        let name = format!(
            "{}/{}/{}x{}/x{}/{}t/{}",
            self.bench, self.map, self.shape.0, self.shape.1, self.scale, self.threads, self.buffer
        );
        filters.iter().all(|f| name.contains(f.as_str()))
    }

    fn print(&self, times: &Times) {
        let (rows, columns) = self.shape;
        println!(
            "{{\"bench\":\"{}\",\"impl\":\"hfy {}\",\"shape\":[{rows},{columns}],\"scale\":{},\"threads\":{},\
             \"buffer\":\"{}\",\"median_s\":{:.3e},\"min_s\":{:.3e},\"runs\":{},\"ns_per_elem\":{:.4},\
             \"mean_support\":{:.1}}}",
            self.bench,
            self.map,
            self.scale,
            self.threads,
            self.buffer,
            times.median,
            times.least,
            times.runs,
            1e9 * times.median / (rows * columns) as f64,
            self.support
        );
    }
}

fn mean_support(map: &Map, scores: ArrayView2<'_, f32>) -> f64 {
    let mut support = Support::default();
    let rows = scores.rows().into_iter().take(64);
    let sizes = rows.map(|row| {
        map.support(row.as_slice().expect("rows are contiguous"), &mut support).expect("scores are finite");
        support.len() as f64
    });
    sizes.sum::<f64>() / scores.nrows().min(64) as f64
}

fn main() {
    let filters: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    for shape in SHAPES.into_iter().chain(SHORT) {
        let scales: &[f32] = if SHORT.contains(&shape) { &[1.0] } else { &[1.0, 5.0] };
        for &scale in scales {
            let values = normal(shape.0 * shape.1, 1).into_iter().map(|v| v * scale).collect();
            let scores = Array2::from_shape_vec(shape, values).expect("the shape fits");
            let upstream = Array2::from_shape_vec(shape, normal(shape.0 * shape.1, 2)).expect("the shape fits");
            let fits = |name: &&str| {
                name.strip_prefix("subsets:").is_none_or(|k| k.parse::<usize>().is_ok_and(|k| k < shape.1))
            };
            for name in MAPS.into_iter().filter(fits) {
                let map: Map = name.parse().expect("the name of a map");
                let support = mean_support(&map, scores.view());
                let threads = rayon::current_num_threads();
                let case = |bench, buffer| Case { bench, map: name, shape, scale, threads, buffer, support };
                measure(&map, &scores, &upstream, case, &filters);
            }
        }
    }
}

fn measure<'a>(
    map: &Map,
    scores: &Array2<f32>,
    upstream: &Array2<f32>,
    case: impl Fn(&'a str, &'a str) -> Case<'a>,
    filters: &[String],
) {
    let batch = Batch::new(map);
    let run = |case: Case<'_>, work: &mut dyn FnMut()| {
        if case.wanted(filters) {
            case.print(&time(work));
        }
    };
    let mut weights = Array2::zeros(scores.raw_dim());
    let mut gradient = Array2::zeros(scores.raw_dim());
    run(case("map/fwd", "reused"), &mut || {
        batch.map_into(scores.view(), weights.view_mut()).expect("scores are finite");
    });
    run(case("map/fwd", "fresh"), &mut || {
        std::hint::black_box(batch.map(scores.view()).expect("scores are finite"));
    });
    run(case("map/fwd+bwd", "reused"), &mut || {
        batch.map_into(scores.view(), weights.view_mut()).expect("scores are finite");
        batch.pullback_into(weights.view(), upstream.view(), gradient.view_mut()).expect("gradients are finite");
    });
    // As in training, and in the peers' script: a gradient lives until the next call begins.
    let mut gradient = None;
    run(case("map/fwd+bwd", "fresh"), &mut || {
        drop(gradient.take());
        let (weights, _) = batch.map(scores.view()).expect("scores are finite");
        gradient = Some(batch.pulled_back(weights.view(), upstream.view()).expect("gradients are finite"));
    });
}
