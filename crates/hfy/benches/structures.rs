//! SparseMAP: one problem at a time, and batches of problems on every thread.
//!
//! Prints one JSON line a case. `per_cell_ns` is the time over iterations, variables and k: what dynamic programming
//! costs if nothing else does. Arguments select cases by substring.

mod timing;

use hfy::structure::{Regulariser, Sequence, SparseMap};
use hfy::{Batch, Convex, Subsets};
use ndarray::Array2;
use timing::{normal, time};

/// Scores as the peers are timed with: far above zero, so that at most k and exactly k are the same.
fn scores(count: usize) -> Vec<f64> {
    normal(count, 6).iter().map(|&s| f64::from(s) + 20.0).collect()
}

fn wanted(case: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|a| !a.starts_with("--")).peekable();
    filters.peek().is_none() || filters.any(|filter| case.contains(&filter))
}

fn main() {
    for n in [1000, 10000] {
        let case = format!("subsets/{n}/k=10");
        if wanted(&case) {
            let (map, scores) = (Subsets::new(10.0).expect("valid"), scores(n));
            let mut row = scores.clone();
            let times = time(|| {
                row.copy_from_slice(&scores);
                map.argmax(&mut row).expect("solved")
            });
            println!(
                r#"{{"case":"{case}","median_us":{:.2},"least_us":{:.2}}}"#,
                times.median * 1e6,
                times.least * 1e6
            );
        }
    }
    for (n, k, t) in [(128, 2, 1.0), (128, 2, 1e4), (1000, 10, 0.5), (10000, 10, 0.5), (1000, 100, 0.5)] {
        let case = format!("sequence/{n}/k={k}/t={t}");
        if wanted(&case) {
            let structure = Sequence::new(k).and_then(|s| s.transition(t)).expect("valid");
            let (map, scores) = (SparseMap::new(structure).regulariser(Regulariser::Both), scores(n));
            let solution = map.solve(&scores).expect("solved");
            let mut row = scores.clone();
            let times = time(|| {
                row.copy_from_slice(&scores);
                map.argmax(&mut row).expect("solved")
            });
            let whole = time(|| map.solve(&scores).expect("solved"));
            let g = normal(n, 7).into_iter().map(f64::from).collect::<Vec<_>>();
            let derivative = time(|| solution.vjp(&g, &[]).expect("solved"));
            let cells = solution.iterations as f64 * n as f64 * k as f64;
            println!(
                r#"{{"case":"{case}","median_us":{:.1},"least_us":{:.1},"solve_us":{:.1},"vjp_us":{:.1},"iterations":{},"active":{},"gap":{:.1e},"per_cell_ns":{:.2}}}"#,
                times.median * 1e6,
                times.least * 1e6,
                whole.median * 1e6,
                derivative.median * 1e6,
                solution.iterations,
                solution.active().len(),
                solution.gap,
                times.median * 1e9 / cells
            );
        }
    }
    let case = "batch/1000x128/k=2/t=1";
    if wanted(case) {
        let structure = Sequence::new(2).and_then(|s| s.transition(1.0)).expect("valid");
        let map = SparseMap::new(structure).regulariser(Regulariser::Both);
        let scores = Array2::from_shape_vec((1000, 128), scores(128_000)).expect("the sizes fit");
        let threads = rayon::current_num_threads();
        let times = time(|| Batch::new(&map).map(scores.view()).expect("solved"));
        println!(
            r#"{{"case":"{case}","threads":{threads},"median_ms":{:.2},"least_ms":{:.2}}}"#,
            times.median * 1e3,
            times.least * 1e3
        );
    }
}
