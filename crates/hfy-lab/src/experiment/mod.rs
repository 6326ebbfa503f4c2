//! What an experiment is: cells of work that are computed one by one and kept, and what is made of them.

mod bench;
mod outcome;
mod sample;
mod shared;
mod statistics;

pub use bench::{Bench, Pictures, Shelf};
pub use outcome::{Claim, Drawing, Outcome, Reading, Series, TableCell, Verdict};
pub use sample::{Random, memories};
pub use statistics::{Quartiles, quantile};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::BagSet;
#[cfg(feature = "learn")]
use crate::data::TextSet;
use crate::error::{Error, Result};

/// Which of the two readings of the paper is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// As the published code runs, which is what was printed.
    Printed,
    /// As the mathematics says.
    Defined,
}

impl Mode {
    /// Both, in the order in which they are shown.
    pub const ALL: [Mode; 2] = [Mode::Printed, Mode::Defined];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Printed => "printed",
            Mode::Defined => "defined",
        }
    }
}

/// How an experiment is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The reading.
    pub mode: Mode,
    /// How many random repetitions, where there are any: seeds 0, 1, ...
    pub seeds: u64,
    /// How many there are at most of runs that take minutes each: the training on digits of Table 4.
    #[serde(default = "long_seeds")]
    pub long_seeds: u64,
    /// Fewer and smaller cells, to see that everything works.
    pub quick: bool,
}

fn long_seeds() -> u64 {
    Setting::LONG_SEEDS
}

impl Setting {
    /// What [`Setting::long_seeds`] is unless something else is asked for.
    pub const LONG_SEEDS: u64 = 3;

    /// Repetitions of runs that take minutes.
    #[cfg(feature = "learn")]
    pub(crate) fn long_repetitions(&self) -> u64 {
        self.seeds.min(self.long_seeds)
    }
}

/// One piece of work. Its key is all that decides its value, besides the data and the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Parameters, as JSON. Readings of the paper that share a key share the work.
    pub key: Value,
    /// The pictures that it reads.
    pub pictures: Vec<Pictures>,
    /// The bags that it reads.
    pub bags: Vec<BagSet>,
    /// The texts that it reads.
    #[cfg(feature = "learn")]
    pub texts: Vec<TextSet>,
    /// About how many seconds it takes on one core, for the time that is left.
    pub cost: f64,
    /// Whether it trains: few of these are computed at a time by the threads of one process, which wait for one lock of
    /// Burn's.
    pub trains: bool,
    /// The experiment under whose name the value is kept, if that is not the one that asks: several need the same runs
    /// of training.
    pub kept_by: Option<&'static str>,
}

impl Cell {
    /// A piece of work that reads no data.
    pub fn new(key: &impl Serialize, cost: f64) -> Self {
        let key = serde_json::to_value(key).expect("keys are plain structures");
        Cell {
            key,
            pictures: Vec::new(),
            bags: Vec::new(),
            #[cfg(feature = "learn")]
            texts: Vec::new(),
            cost,
            trains: false,
            kept_by: None,
        }
    }

    /// The same, training.
    pub fn training(self) -> Self {
        Cell { trains: true, ..self }
    }

    /// The same, kept under the name of another experiment, which has a cell with this key.
    pub fn kept_by(self, experiment: &'static str) -> Self {
        Cell { kept_by: Some(experiment), ..self }
    }

    /// The same, reading pictures.
    pub fn with(mut self, pictures: impl IntoIterator<Item = Pictures>) -> Self {
        self.pictures.extend(pictures);
        self
    }

    /// The same, reading bags.
    pub fn with_bags(mut self, sets: impl IntoIterator<Item = BagSet>) -> Self {
        self.bags.extend(sets);
        self
    }

    /// The same, reading texts.
    #[cfg(feature = "learn")]
    pub fn with_texts(mut self, sets: impl IntoIterator<Item = TextSet>) -> Self {
        self.texts.extend(sets);
        self
    }

    /// The key as what it was made of.
    pub fn key<K: DeserializeOwned>(&self) -> Result<K> {
        parse(&self.key)
    }
}

/// The cells of one experiment with their values, and those of its search.
#[derive(Debug, Clone, Default)]
pub struct Results {
    pub(crate) cells: Vec<(Cell, Value)>,
    pub(crate) searched: Vec<(Cell, Value)>,
    /// Of the cells, and of those of the search.
    pub(crate) seconds: (f64, f64),
}

impl Results {
    /// The cells of the search, [`Experiment::search`], and their values.
    pub fn searched(&self) -> Results {
        Results { cells: self.searched.clone(), searched: Vec::new(), seconds: (self.seconds.1, 0.0) }
    }

    /// How many seconds of one core the cells took, where and whenever they were computed.
    pub fn seconds(&self) -> f64 {
        self.seconds.0
    }

    /// Keys and values as what they were made of, in the order of the cells; those of a search are in
    /// [`Results::searched`].
    pub fn all<K: DeserializeOwned, V: DeserializeOwned>(&self) -> Result<Vec<(K, V)>> {
        self.cells.iter().map(|(cell, value)| Ok((cell.key()?, parse(value)?))).collect()
    }
}

fn parse<V: DeserializeOwned>(value: &Value) -> Result<V> {
    serde_json::from_value(value.clone()).map_err(|error| Error::Cell(format!("{error} in {value}")))
}

/// A table or a figure of the paper, or a check of its theory.
pub trait Experiment: Sync {
    /// What it is called on the command line: `fig4`, `table3`, ...
    fn id(&self) -> &'static str;

    /// What it shows, in a line.
    fn title(&self) -> &'static str;

    /// What is done and what to look at, in a few sentences.
    fn about(&self) -> &'static str;

    /// How the two readings differ, and what that does.
    fn readings(&self) -> Vec<Reading>;

    /// Goes up whenever the computation changes, so that what was kept of an older one is not used.
    fn version(&self) -> u32 {
        1
    }

    /// The cells of a search whose values decide which cells there are, such as a search for hyper-parameters. They are
    /// computed before the others.
    fn search(&self, _setting: &Setting) -> Vec<Cell> {
        Vec::new()
    }

    /// The work. With a search, an estimate of what [`Experiment::chosen`] will give, for the time that is left.
    fn cells(&self, setting: &Setting) -> Vec<Cell>;

    /// The cells that follow from the values of the search, which are those of [`Results::all`] here.
    fn chosen(&self, setting: &Setting, _searched: &Results) -> Result<Vec<Cell>> {
        Ok(self.cells(setting))
    }

    /// The value of a cell, which nothing but its key, the pictures, the bags and the version decides.
    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value>;

    /// What the values come to: numbers, comparisons, drawings. The results hold the chosen cells, and those of the
    /// search in [`Results::searched`].
    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome>;
}
