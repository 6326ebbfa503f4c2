//! Timing shared by the benchmarks: samples of at least a tenth of a second, one JSON line a case.

use std::hint::black_box;
use std::time::Instant;

/// Median and least time of a call, in seconds, and the mean time that all threads together were at work.
#[allow(dead_code)] // not every benchmark prints all of it
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) runs: usize,
    pub(crate) cpu: f64,
}

/// Seconds that this process has been at work, to a hundredth.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

impl Times {
    fn of(mut samples: Vec<f64>, cpu: f64) -> Self {
        samples.sort_by(f64::total_cmp);
        let runs = samples.len();
        Times { median: samples[runs / 2], least: samples[0], runs, cpu: cpu / runs as f64 }
    }
}

/// Calls `work` until `runs` samples are taken or the time for a case is spent.
#[allow(dead_code)] // one of the benchmarks compares instead
pub(crate) fn time<R>(mut work: impl FnMut() -> R) -> Times {
    const RUNS: usize = 5;
    const SAMPLE: f64 = 0.1;
    const CASE: f64 = 6.0;
    black_box(work());
    let start = Instant::now();
    black_box(work());
    let repeats = (SAMPLE / start.elapsed().as_secs_f64().max(1e-9)).max(1.0) as usize;
    let begun = Instant::now();
    let (mut samples, before) = (Vec::new(), cpu_seconds());
    while samples.len() < RUNS && (samples.len() < 3 || begun.elapsed().as_secs_f64() < CASE) {
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(work());
        }
        samples.push(start.elapsed().as_secs_f64() / repeats as f64);
    }
    Times::of(samples, (cpu_seconds() - before) / repeats as f64)
}

/// Standard normal numbers from a fixed seed.
pub(crate) fn normal(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let pairs = std::iter::from_fn(move || {
        let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), std::f64::consts::TAU * uniform());
        Some([(radius * angle.cos()) as f32, (radius * angle.sin()) as f32])
    });
    pairs.flatten().take(count).collect()
}

/// Times two pieces of work in turns, so that both meet the same machine.
#[allow(dead_code)] // one of the benchmarks compares
pub(crate) fn in_turns<R, B>(mut work: impl FnMut() -> R, mut base: impl FnMut() -> B) -> (Times, Times) {
    const RUNS: usize = 7;
    const CASE: f64 = 12.0;
    black_box((work(), base()));
    let begun = Instant::now();
    let (mut work_samples, mut base_samples) = (Vec::new(), Vec::new());
    let (mut work_cpu, mut base_cpu) = (0.0, 0.0);
    while work_samples.len() < RUNS && (work_samples.len() < 3 || begun.elapsed().as_secs_f64() < CASE) {
        let (start, before) = (Instant::now(), cpu_seconds());
        black_box(work());
        work_samples.push(start.elapsed().as_secs_f64());
        work_cpu += cpu_seconds() - before;
        let (start, before) = (Instant::now(), cpu_seconds());
        black_box(base());
        base_samples.push(start.elapsed().as_secs_f64());
        base_cpu += cpu_seconds() - before;
    }
    (Times::of(work_samples, work_cpu), Times::of(base_samples, base_cpu))
}
