//! What a large memory costs: opening it, adding one pattern, reading all, each beside what the disk and a plain array
//! take.
//!
//!     cargo bench -p hfy-store [-- FOLDER]        HFY_BENCH_PATTERNS=10000000 for the full size
//!
//! One JSON line a measurement. FOLDER is where the memory is made, and has to have room for twice 512 bytes a pattern.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hfy_store::{Dtype, Memory, Texts};
use memmap2::Mmap;
use ndarray::{Array2, ArrayView2};

const DIM: usize = 128;
/// Patterns that are added at a time: segments too large to be merged by themselves.
const PART: usize = 500_000;
const ROUNDS: usize = 30;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn report(what: &str, value: f64, unit: &str) {
    println!("{{\"what\": \"{what}\", \"value\": {value:.4}, \"unit\": \"{unit}\"}}");
}

fn milliseconds(what: &str, time: Duration) {
    report(what, time.as_secs_f64() * 1e3, "ms");
}

/// Rows that are not all alike, cheaply.
fn part(first: usize, rows: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, DIM), |(row, column)| ((first + row) * 31 + column * 17) as f32 % 97.0 - 48.0)
}

/// The fsyncs of one addition, with nothing around them: a new file and its folder, and a page at the end of a log.
fn plain_fsyncs(folder: &Path, round: usize, log: &mut File) {
    let mut file = File::create(folder.join(format!("file{round}"))).unwrap();
    file.write_all(&[1; 4 * DIM]).unwrap();
    file.sync_all().unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
    log.write_all(&[1; 4096 * 4]).unwrap();
    log.sync_data().unwrap();
}

/// A pass over a matrix that is limited by reading it.
fn scan(rows: ArrayView2<'_, f32>) -> f32 {
    let values = rows.as_slice().expect("rows lie one after the other");
    let mut sums = [0f32; 64];
    for chunk in values.chunks_exact(64) {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum()
}

fn scan_memory(memory: &Memory) -> f32 {
    let now = memory.snapshot().unwrap();
    now.parts::<f32>().unwrap().map(|part| scan(part.unwrap().1)).sum()
}

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let scratch = match folder {
        Some(folder) => tempfile::tempdir_in(folder).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    let patterns: usize = std::env::var("HFY_BENCH_PATTERNS").map_or(1_000_000, |count| count.parse().unwrap());
    let path = scratch.path().join("m.hfy");
    let plain: PathBuf = scratch.path().join("plain.f32");
    report("patterns of 128 in f32", patterns as f64, "");

    let begun = Instant::now();
    Memory::create_with(&path, Dtype::F32, DIM, false, |memory| {
        for first in (0..patterns).step_by(PART) {
            memory.add(part(first, PART.min(patterns - first)).view(), &Texts::default())?;
        }
        Ok::<_, hfy_store::Error>(())
    })
    .unwrap();
    report("build", begun.elapsed().as_secs_f64(), "s");
    let begun = Instant::now();
    let mut file = File::create(&plain).unwrap();
    for first in (0..patterns).step_by(PART) {
        let part = part(first, PART.min(patterns - first));
        file.write_all(bytemuck::cast_slice(part.as_slice().unwrap())).unwrap();
    }
    file.sync_all().unwrap();
    report("build a plain file", begun.elapsed().as_secs_f64(), "s");

    milliseconds(
        "open, and take a snapshot",
        median((0..ROUNDS).map(|_| timed(|| drop(Memory::open(&path).unwrap().snapshot().unwrap()))).collect()),
    );

    // In turns, so that both meet the same cache of the system. A map that is new has to be faulted in, page by page.
    let plain_map = || {
        let file = File::open(&plain).unwrap();
        // SAFETY: nobody else knows this file, which lies in a folder of our own, and nothing writes to it from here
        // on.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.unwrap();
        map
    };
    let array = |map: &Mmap| scan(ArrayView2::from_shape((patterns, DIM), bytemuck::cast_slice(map)).unwrap());
    let (mut times, mut sums) = ([const { Vec::new() }; 4], vec![array(&plain_map())]);
    for _ in 0..9 {
        let map = plain_map();
        times[0].push(timed(|| sums.push(array(&map))));
        times[1].push(timed(|| sums.push(array(&map))));
        drop(map);
        let memory = Memory::open(&path).unwrap();
        times[2].push(timed(|| sums.push(scan_memory(&memory))));
        times[3].push(timed(|| sums.push(scan_memory(&memory))));
    }
    std::hint::black_box(sums);
    let [map_first, map_later, first, later] = times.map(median);
    report("segments", Memory::open(&path).unwrap().snapshot().unwrap().segments() as f64, "");
    milliseconds("scan of a contiguous map, first", map_first);
    milliseconds("scan of a contiguous map, again", map_later);
    milliseconds("scan of the memory, first, checksums included", first);
    milliseconds("scan of the memory, again", later);
    report("ratio first, checksums included", first.as_secs_f64() / map_first.as_secs_f64(), "");
    report("ratio again", later.as_secs_f64() / map_later.as_secs_f64(), "");

    let memory = Memory::open(&path).unwrap();
    let fsyncs = scratch.path().join("fsyncs");
    fs::create_dir(&fsyncs).unwrap();
    let mut log = File::create(fsyncs.join("log")).unwrap();
    let (mut add, mut plain) = (vec![], vec![]);
    for round in 0..ROUNDS {
        let one = part(round, 1);
        add.push(timed(|| assert!(!memory.add(one.view(), &Texts::default()).unwrap().is_empty())));
        plain.push(timed(|| plain_fsyncs(&fsyncs, round, &mut log)));
    }
    let (add, slowest, plain) = (median(add.clone()), add.into_iter().max().unwrap(), median(plain));
    milliseconds("add one pattern", add);
    milliseconds("add one pattern, the slowest of 30", slowest);
    milliseconds("its fsyncs alone", plain);
    milliseconds("add one pattern, above its fsyncs", add.saturating_sub(plain));
}
