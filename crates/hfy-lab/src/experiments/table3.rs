//! Table 3: how many patterns the final weights mix, for every digit of the test set against all that were memorised.

use hfy::retrieval::{Index, Retriever, Settings, Stop};
use hfy::{Map, Network, Scaled, post::Identity};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::size_map::{Shares, SizeMap};
use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Pictures, Reading, Results, Setting, TableCell,
};

/// The maps of the columns, and how they are written.
const MAPS: [(&str, &str); 8] = [
    ("softmax", "1-entmax"),
    ("entmax:1.5", "1.5-entmax"),
    ("sparsemax", "2-entmax"),
    ("normmax:2", "2-normmax"),
    ("normmax:5", "5-normmax"),
    ("subsets:2", "2-subsets"),
    ("subsets:4", "4-subsets"),
    ("subsets:8", "8-subsets"),
];
const BETAS: [f64; 2] = [0.1, 1.0];
/// Updates of a query.
const STEPS: usize = 5;
/// Weights of softmax at or below this do not count.
const FLOOR: f64 = 0.01;
/// Sizes that have a row of their own: 0 to this.
const LARGEST: usize = 10;
/// Digits to memorise and to ask with.
const MEMORIES: usize = 60_000;
const QUERIES: usize = 10_000;
/// Directions of the index, which decide how fast it is and nothing else.
const DIRECTIONS: usize = 128;
/// How far a share may be from the printed one, in points.
const TOLERANCE: f64 = 0.6;
/// An update that moves a state by less than this, where a digit has a length of 27, leaves it at rest.
const REST: f64 = 0.01;

/// The printed shares in percent: for each inverse temperature and map those of sizes 1 to 10, and the rest.
const PAPER: [[[f64; 11]; 8]; 2] = [
    [
        [3.5, 2.1, 1.6, 1.2, 1.2, 0.9, 1.1, 0.8, 1.0, 1.1, 85.5],
        [69.2, 8.6, 3.9, 2.3, 1.6, 0.9, 0.6, 0.6, 0.3, 0.1, 11.9],
        [88.1, 5.2, 2.6, 1.6, 1.1, 0.8, 0.4, 0.1, 0.0, 0.0, 0.1],
        [81.4, 6.7, 1.9, 1.0, 0.9, 0.5, 0.4, 0.8, 0.5, 0.5, 5.4],
        [51.4, 31.4, 7.0, 2.1, 1.5, 1.5, 1.3, 1.0, 0.8, 0.6, 1.4],
        [0.0, 87.3, 6.1, 2.5, 2.0, 1.1, 0.6, 0.2, 0.1, 0.0, 0.1],
        [0.0, 0.0, 0.0, 80.0, 11.9, 4.4, 2.1, 1.0, 0.4, 0.1, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 60.0, 26.0, 9.2, 4.8],
    ],
    [
        [97.8, 0.9, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
        [99.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [99.8, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 99.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 99.3, 0.7, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 95.0, 4.7, 0.2, 0.1],
    ],
];

/// Some queries of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Key {
    map: String,
    beta: f64,
    steps: usize,
    floor: f64,
    memories: usize,
    /// The first query, how many there are, and how far apart.
    first: usize,
    count: usize,
    every: usize,
}

/// What came of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    /// How many queries ended in a mixture of 0, 1, ... patterns; the last of more than ten.
    sizes: [u64; LARGEST + 2],
    /// How many states the last update did not move.
    resting: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.sizes.iter_mut().zip(other.sizes).for_each(|(all, some)| *all += some);
        self.resting += other.resting;
    }

    fn queries(&self) -> u64 {
        self.sizes.iter().sum()
    }

    fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.queries().max(1) as f64
    }

    /// Shares of the sizes in percent.
    fn shares(&self) -> Shares {
        self.sizes.map(|count| self.percent(count))
    }
}

/// What the cells share.
struct Memory {
    patterns: Array2<f32>,
    index: Index<f32>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Table3;

impl Table3 {
    fn columns() -> impl Iterator<Item = (usize, usize)> {
        (0..BETAS.len()).flat_map(|beta| (0..MAPS.len()).map(move |map| (beta, map)))
    }
}

/// The name of a column.
fn column(beta: usize, map: usize) -> String {
    format!("{}, β = {}", MAPS[map].1, BETAS[beta])
}

/// About how many seconds a query takes.
fn cost(map: &str, beta: f64) -> f64 {
    match map {
        "softmax" if beta < 0.5 => 0.02,
        "softmax" => 0.006,
        "subsets:8" => 0.004,
        _ => 0.001,
    }
}

impl Experiment for Table3 {
    fn id(&self) -> &'static str {
        "table3"
    }

    fn title(&self) -> &'static str {
        "Sizes of metastable states on MNIST"
    }

    fn about(&self) -> &'static str {
        "All 60,000 training digits are memorised and each of the 10,000 test digits is a query. After five updates the \
         weights that are not zero are counted: one is a single pattern, more are a mixture. Softmax gives weight to every \
         pattern, so there only weights above 0.01 count. The table has the share of the queries, in percent, by size. No \
         number here is random: the whole sets are used."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "last row",
                "\"10+\" is what rows 1 to 10 leave of 100 percent",
                "sizes above 10 and size 0 have a row each",
                "Only softmax has a size of 0: its weights can all be 0.01 or less. At β = 0.1 that is most of what is \
                 printed as 10+, so these are states over very many patterns, not over a few more than ten.",
            ),
            Reading::new(
                "threshold of softmax",
                "weights above 0.01 count",
                "no weight of softmax is zero, so by definition every state mixes all 60,000 patterns; the same threshold \
                 is kept here, as the sizes would say nothing without it",
                "None on the numbers: the threshold is a choice that the other maps do not need.",
            ),
            Reading::new(
                "end of the iteration",
                "five updates",
                "a metastable state is a fixed point; the same five updates are taken, and a second table says how many \
                 states they leave at rest",
                "Sizes of states that still move may change later.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let (queries, every) = if setting.quick { (100, QUERIES / 100) } else { (QUERIES, 1) };
        let mut cells = Vec::new();
        for (beta, map) in Self::columns() {
            let (map, beta) = (MAPS[map].0, BETAS[beta]);
            // An update of all queries of a softmax cell takes a second or two, after which a run can be stopped.
            let chunk = if map == "softmax" { 250 } else { 1000 };
            for first in (0..queries).step_by(chunk) {
                let count = chunk.min(queries - first);
                let (steps, floor, memories) = (STEPS, FLOOR, MEMORIES);
                let key = Key { map: map.into(), beta, steps, floor, memories, first: first * every, count, every };
                let cost = 0.1 + count as f64 * cost(map, beta);
                cells.push(Cell::new(&key, cost).with([Pictures::Mnist, Pictures::MnistTest]));
            }
        }
        cells
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let key: Key = cell.key()?;
        let memory = bench.shared(&format!("table3, first {}", key.memories), || {
            let patterns = bench.images(Pictures::Mnist)?.patterns(&(0..key.memories).collect::<Vec<_>>());
            let index = Index::build(patterns.view(), DIRECTIONS)?;
            Ok(Memory { patterns, index })
        })?;
        let chosen: Vec<usize> = (0..key.count).map(|place| key.first + place * key.every).collect();
        let queries = bench.images(Pictures::MnistTest)?.patterns(&chosen);
        let counts = count_sizes(&key, &memory, &queries, bench)?;
        serde_json::to_value(counts).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let mut table = vec![vec![Counts::default(); MAPS.len()]; BETAS.len()];
        for (key, counts) in results.all::<Key, Counts>()? {
            for (beta, map) in Self::columns().filter(|&(b, m)| (BETAS[b], MAPS[m].0) == (key.beta, &key.map)) {
                table[beta][map].add(&counts);
            }
        }
        let queries = table[0][0].queries();
        let shares: Vec<Vec<Shares>> = table.iter().map(|row| row.iter().map(Counts::shares).collect()).collect();
        let drawing = Drawing { name: self.id().into(), caption: caption(queries), figure: draw(&shares) };
        Ok(Outcome {
            parameters: json!({
                "memories": MEMORIES, "queries": queries, "updates": STEPS, "betas": BETAS, "softmax floor": FLOOR,
                "maps": MAPS.map(|(map, _)| map), "precision": "single",
            }),
            cells: table_cells(setting, &table),
            claims: claims(&shares),
            values: json!({ "counts": table }),
            drawings: vec![drawing],
            ..Outcome::default()
        })
    }
}

fn count_sizes(key: &Key, memory: &Memory, queries: &Array2<f32>, bench: &Bench<'_>) -> Result<Counts> {
    let map: Map = key.map.parse()?;
    let network = Network::new(Scaled::with_beta(map, key.beta)?, Identity, &memory.patterns)?;
    let settings = Settings { stop: Stop::Steps(key.steps), blend_floor: key.floor, ..Settings::default() };
    let mut retriever = Retriever::new(&network)?.with_settings(settings)?.without_energy();
    if key.map != "softmax" {
        retriever = retriever.with_built_index(memory.index.clone())?;
    }
    let retrieval = retriever.retrieve_with(queries.view(), &|done, total| bench.hear(done, total))?;
    let mut counts = Counts::default();
    for report in &retrieval.reports {
        counts.sizes[report.support.len().min(LARGEST + 1)] += 1;
        counts.resting += u64::from(f64::from(report.residual) <= REST);
    }
    Ok(counts)
}

/// The table as the reading has it, beside the printed one unless there are too few queries for that.
fn table_cells(setting: &Setting, table: &[Vec<Counts>]) -> Vec<TableCell> {
    let beside = |cell: TableCell, paper: f64| if setting.quick { cell } else { cell.beside_paper(paper, TOLERANCE) };
    let mut cells = Vec::new();
    let mut put = |name: &str, row: String, value: &dyn Fn(&Counts) -> f64, paper: Option<usize>| {
        for (beta, map) in Table3::columns() {
            let cell = TableCell::plain(row.clone(), column(beta, map), value(&table[beta][map])).of(name);
            cells.push(paper.map_or(cell.clone(), |row| beside(cell, PAPER[beta][map][row])));
        }
    };
    let shares = "Queries whose final weights have this size, in percent";
    if setting.mode == Mode::Defined {
        put(shares, "0".into(), &|counts| counts.shares()[0], None);
    }
    for size in 1..=LARGEST {
        put(shares, size.to_string(), &|counts| counts.shares()[size], Some(size - 1));
    }
    if setting.mode == Mode::Defined {
        put(shares, "more than 10".into(), &|counts| counts.shares()[LARGEST + 1], None);
    }
    let rest = if setting.mode == Mode::Defined { "0 or more than 10" } else { "10+" };
    put(shares, rest.into(), &|counts| counts.percent(counts.sizes[0] + counts.sizes[LARGEST + 1]), Some(LARGEST));
    if setting.mode == Mode::Printed {
        let apart = "What the last row is made of, in percent";
        put(apart, "no weight counts".into(), &|counts| counts.shares()[0], None);
        put(apart, "more than 10 count".into(), &|counts| counts.shares()[LARGEST + 1], None);
    }
    let name = "States that the last update moved by at most 0.01, in percent";
    put(name, "at rest".into(), &|counts| counts.percent(counts.resting), None);
    cells
}

/// What the text says of the table.
fn claims(shares: &[Vec<Shares>]) -> Vec<Claim> {
    let cold = &shares[0];
    let small = |map: usize| cold[map][2..=LARGEST].iter().sum::<f64>();
    let listed = |values: &[f64]| values.iter().map(|value| format!("{value:.1}")).collect::<Vec<_>>().join(", ");
    let single: Vec<f64> = (0..3).map(|map| cold[map][1]).collect();
    let largest = |shares: &Shares| (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
    let modes: Vec<usize> = (5..8).map(|map| largest(&cold[map])).collect();
    let wide: Vec<f64> = shares[1].iter().map(|column| column[0] + column[LARGEST + 1]).collect();
    let widest = wide.iter().copied().fold(0.0, f64::max);
    vec![
        Claim::new(
            "Entmax with a larger α retrieves single patterns more often.",
            single.windows(2).all(|pair| pair[0] < pair[1]),
            format!("at β = 0.1, α = 1, 1.5, 2: {} % of the queries", listed(&single)),
        ),
        Claim::new(
            "With a larger γ normmax stays more often in small mixtures.",
            small(4) > small(3) && cold[4][LARGEST + 1] < cold[3][LARGEST + 1],
            format!(
                "at β = 0.1, γ = 2, 5: {} % end in 2 to 10 patterns, {} % in more",
                listed(&[small(3), small(4)]),
                listed(&[cold[3][LARGEST + 1], cold[4][LARGEST + 1]])
            ),
        ),
        Claim::new(
            "k-subsets retrieves associations of k patterns.",
            modes == [2, 4, 8]
                && (5..8).zip([2, 4, 8]).all(|(map, k)| cold[map][..k].iter().all(|&share| share == 0.0)),
            format!(
                "at β = 0.1, k = 2, 4, 8: {} % have exactly k, none has fewer",
                listed(&[cold[5][2], cold[6][4], cold[7][8]])
            ),
        ),
        Claim::new(
            "At β = 1 every map gives sparse weights.",
            widest < 1.0,
            format!("of no map do more than {widest:.2} % of the queries end in 0 or more than 10 patterns"),
        ),
        Claim::new(
            "Most of what is printed as 10+ for softmax at β = 0.1 are queries without any weight above 0.01.",
            cold[0][0] > cold[0][LARGEST + 1],
            format!("{:.1} % have none, {:.1} % have more than 10", cold[0][0], cold[0][LARGEST + 1]),
        ),
    ]
}

fn caption(queries: u64) -> String {
    format!(
        "How many patterns the weights mix after five updates: the share, in percent, of {queries} test digits, against \
         60,000 memorised ones. Empty fields are zero. Darker is more, in even steps of the square root. Softmax is \
         counted above 0.01, and where no weight is larger its size is 0."
    )
}

fn draw(shares: &[Vec<Shares>]) -> hfy_draw::Figure {
    let rows: Vec<String> = (0..=LARGEST).map(|size| size.to_string()).chain(["> 10".into()]).collect();
    let groups = [("entmax, α", 3), ("normmax, γ", 2), ("k-subsets, k", 3)];
    let names = ["1", "1.5", "2", "2", "5", "2", "4", "8"];
    let blocks = BETAS.iter().zip(shares).map(|(beta, columns)| (format!("β = {beta}"), columns.clone())).collect();
    SizeMap { title: "Sizes of metastable states on MNIST", rows: &rows, groups: &groups, names: &names, blocks }
        .figure()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_columns_add_up() {
        for (beta, map) in Table3::columns() {
            let sum: f64 = PAPER[beta][map].iter().sum();
            // Eleven rounded numbers.
            assert!((sum - 100.0).abs() < 0.56, "{}: {sum}", column(beta, map));
        }
    }

    #[test]
    fn sizes_of_a_memory_that_is_seen_through() {
        // Far apart, so that sparse maps find one pattern each and k-subsets k of them; beside it a pair that is nearly
        // one.
        let patterns = ndarray::array![[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0], [0.1, 0.0, 9.0_f32]];
        let memory = Memory { index: Index::build(patterns.view(), 2).unwrap(), patterns };
        let place = crate::data::Place::find(Some(std::path::Path::new("."))).unwrap();
        let shelf = crate::experiment::Shelf::new(place);
        let bench = Bench::new(&shelf, &|_| std::ops::ControlFlow::Continue(()));
        let queries = ndarray::array![[8.0, 1.0, 0.0], [0.05, 0.0, 8.0]];
        let sizes = |map: &str, floor| {
            let key = Key { map: map.into(), beta: 1.0, steps: 5, floor, memories: 4, first: 0, count: 2, every: 1 };
            count_sizes(&key, &memory, &queries, &bench).unwrap()
        };
        assert_eq!(sizes("sparsemax", 0.01).sizes[..4], [0, 1, 1, 0]);
        assert_eq!(sizes("softmax", 0.01).sizes[..4], [0, 1, 1, 0]);
        assert_eq!(sizes("softmax", 0.9).sizes[..4], [1, 1, 0, 0], "no weight of an even pair is above 0.9");
        let pairs = sizes("subsets:2", 0.01);
        assert_eq!((pairs.sizes[0], pairs.sizes[1], pairs.queries()), (0, 0, 2));
    }
}
