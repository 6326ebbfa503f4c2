//! Experiments from Rust: `cargo run --release -p hfy-lab --example reproduce -- FOLDER [quick] [printed] [defined]
//! ID...`
//!
//! The program `hfy reproduce` does the same with more to choose from.

use std::ops::ControlFlow;

use hfy_lab::data::Place;
use hfy_lab::experiment::{Mode, Setting};
use hfy_lab::reproduce::{Observer, Record, Request, run};

struct Lines;

impl Observer for Lines {
    fn progress(&self, _done: f64, _total: f64, _experiment: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&self, record: &Record) {
        let (mode, verdict) = (record.setting.mode.name(), record.verdict);
        println!("{} as {mode}: {} of {} agree, {:.1} s", record.id, verdict.agree, verdict.total, record.seconds);
        for cell in record.cells.iter().filter(|cell| cell.ok == Some(false)) {
            println!("  off: {cell:?}");
        }
        for claim in record.claims.iter().filter(|claim| !claim.holds) {
            println!("  does not hold: {} ({})", claim.says, claim.because);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut said = |word: &str| {
        let before = words.len();
        words.retain(|other| other != word);
        words.len() < before
    };
    let quick = said("quick");
    let modes: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| said(mode.name())).collect();
    let modes = if modes.is_empty() { Mode::ALL.to_vec() } else { modes };
    let [out, names @ ..] = &words[..] else { return Err("name a folder for the results, then experiments".into()) };
    let settings = modes.into_iter().map(|mode| Setting { mode, seeds: 5, long_seeds: 3, quick }).collect();
    let request = Request { names: names.to_vec(), settings, out: out.into(), jobs: 2, place: Place::find(None)? };
    run(&request, &Lines)?;
    println!("{out}/index.html");
    Ok(())
}
