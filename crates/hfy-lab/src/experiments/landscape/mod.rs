//! Energy landscapes and basins of attraction of networks with a few patterns in the plane: what Figures 8 to 10 share.

mod basins;
mod claims;
mod contours;
mod drawing;
mod sets;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Mode, Reading, Results, Setting, TableCell};
use basins::Basin;
use contours::{Contour, Energy};
pub(super) use drawing::drawing;
pub(super) use sets::{Psi, SETS};

/// The maps, with the names that the paper gives them.
pub(super) const MAPS: [(&str, &str); 5] = [
    ("softmax", "1-entmax"),
    ("entmax:1.5", "1.5-entmax"),
    ("sparsemax", "2-entmax"),
    ("normmax:2", "2-normmax"),
    ("normmax:5", "5-normmax"),
];

/// Grid points a side, and in the quick version.
const SIDE: usize = 100;
const QUICK_SIDE: usize = 26;
/// Updates of a trajectory.
const UPDATES: usize = 1000;
/// What the published code adds to a length before it divides by it.
const SHORTFALL: f64 = 1e-6;
/// How far a value may be from one that was printed with three decimals: half of the last one, and one point of the
/// grid that lies on a border.
const SHARE_TOLERANCE: f64 = 5e-4 + 1e-4;
/// Half of the last of five decimals, and what the solvers differ by.
const END_TOLERANCE: f64 = 5e-5;

/// A piece of work: one map in all sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "kebab-case")]
enum Part {
    Contours(contours::Terms),
    Basins(basins::Terms),
}

/// What comes of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Panels {
    Contours(Vec<Contour>),
    Basins(Vec<Basin>),
}

/// The inverse temperature of the basins.
pub(super) fn basin_beta(mode: Mode) -> f64 {
    match mode {
        Mode::Printed => 4.0,
        Mode::Defined => 10.0,
    }
}

/// The cells of the contours, map by map.
pub(super) fn contour_cells(psi: Psi, setting: &Setting) -> Vec<Cell> {
    let post = psi.post(setting.mode);
    let cell = |(map, _): &(&str, &str)| {
        let wrong = setting.mode == Mode::Printed && *map == "normmax:5";
        let energy = if wrong { Energy::TwoNorm } else { Energy::Own };
        let (post, map, side) = (post.to_owned(), (*map).to_owned(), side(setting));
        let terms = contours::Terms { post, map, energy, beta: 1.0, side, updates: UPDATES };
        Cell::new(&Part::Contours(terms), SETS.len() as f64 * 6e-6 * (side * side) as f64)
    };
    MAPS.iter().map(cell).collect()
}

/// The cells of the basins, map by map.
pub(super) fn basin_cells(psi: Psi, setting: &Setting) -> Vec<Cell> {
    let post = psi.post(setting.mode);
    let shortfall = (setting.mode == Mode::Printed && psi == Psi::L2).then_some(SHORTFALL);
    let cell = |(map, _): &(&str, &str)| {
        // The first one counts. The paper is more generous to softmax, which never gets there.
        let wide = setting.mode == Mode::Defined && *map == "softmax";
        let tolerances = if wide { vec![0.01, 0.001] } else { vec![0.001, 0.01] };
        let (post, map, side) = (post.to_owned(), (*map).to_owned(), side(setting));
        let terms = basins::Terms { post, shortfall, map, beta: basin_beta(setting.mode), tolerances, side };
        Cell::new(&Part::Basins(terms), SETS.len() as f64 * 4e-5 * (side * side) as f64)
    };
    MAPS.iter().map(cell).collect()
}

fn side(setting: &Setting) -> usize {
    if setting.quick { QUICK_SIDE } else { SIDE }
}

/// The value of a cell.
pub(super) fn compute(cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
    let panels = match cell.key()? {
        Part::Contours(terms) => Panels::Contours(terms.compute(bench)?),
        Part::Basins(terms) => Panels::Basins(terms.compute(bench)?),
    };
    serde_json::to_value(panels).map_err(|error| Error::Cell(error.to_string()))
}

/// All panels of a figure: by map, then by set.
#[derive(Debug, Default)]
pub(super) struct Seen {
    contours: Vec<Vec<Contour>>,
    /// The basins of the figure first, then those that it is compared with.
    basins: Vec<Vec<Basin>>,
}

impl Seen {
    /// What cells came to, in their order.
    pub(super) fn of(results: &Results) -> Result<Self> {
        let mut seen = Seen::default();
        for (_, panels) in results.all::<Part, Panels>()? {
            match panels {
                Panels::Contours(panels) => seen.contours.push(panels),
                Panels::Basins(panels) => seen.basins.push(panels),
            }
        }
        Ok(seen)
    }

    /// The panels of trajectories and energies of all maps and sets.
    fn panels(&self) -> impl Iterator<Item = &Contour> {
        self.contours.iter().flatten()
    }

    /// The basins of the figure, or of the `group`-th figure that it is compared with.
    fn group(&self, group: usize) -> &[Vec<Basin>] {
        &self.basins[group * MAPS.len()..(group + 1) * MAPS.len()]
    }

    /// The share of the grid that goes to a pattern, for a map and a set.
    pub(super) fn share(&self, group: usize, map: usize, set: usize) -> f64 {
        self.group(group)[map][set].retrieved(0)
    }

    /// The share for which the tolerance is the wider one.
    pub(super) fn wide_share(&self, map: usize, set: usize) -> TableCell {
        let share = self.group(0)[map][set].retrieved(1);
        TableCell::plain(format!("{}, within 0.01", set_name(set)), MAPS[map].1, share)
    }

    /// The same on the average of the sets that were drawn at random.
    pub(super) fn mean_share(&self, group: usize, map: usize) -> f64 {
        let sets = 1..SETS.len();
        sets.clone().map(|set| self.share(group, map, set)).sum::<f64>() / sets.len() as f64
    }

    /// How many patterns have a basin, over all sets.
    pub(super) fn reached(&self, group: usize, map: usize) -> usize {
        self.group(group)[map].iter().map(|basin| basin.reached(0)).sum()
    }

    /// Shares of the grid as a table, beside those that are known.
    pub(super) fn share_table(
        &self,
        group: usize,
        name: &str,
        known: impl Fn(usize, usize) -> Option<f64>,
    ) -> Vec<TableCell> {
        let cell = |(set, map): (usize, usize)| {
            let cell = TableCell::plain(set_name(set), MAPS[map].1, self.share(group, map, set)).of(name);
            match known(set, map) {
                Some(known) => cell.beside_reference(known, SHARE_TOLERANCE),
                None => cell,
            }
        };
        places().map(cell).collect()
    }

    /// The ends of trajectories as tables, beside those that are known.
    pub(super) fn end_tables(&self, known: impl Fn(usize, usize) -> Option<[f64; 2]>) -> Vec<TableCell> {
        let mut cells = Vec::new();
        for (coordinate, name) in ["first", "second"].into_iter().enumerate() {
            let table = format!("End of the trajectory, β = 1: the {name} coordinate");
            cells.extend(places().map(|(set, map)| {
                let value = self.contours[map][set].end[coordinate];
                let cell = TableCell::plain(set_name(set), MAPS[map].1, value).of(&table);
                match known(set, map) {
                    Some(known) => cell.beside_reference(known[coordinate], END_TOLERANCE),
                    None => cell,
                }
            }));
        }
        cells
    }

    /// How evenly the weights of metastable states are spread, as a table.
    pub(super) fn evenness_table(&self) -> Vec<TableCell> {
        let name = "Metastable states: 1/Σy² over the number of patterns with weight, 1 for a plain average";
        let cell = |(set, map): (usize, usize)| {
            let spread = self.group(0)[map][set].spread?;
            Some(TableCell::plain(set_name(set), MAPS[map].1, spread.evenness).of(name))
        };
        places().filter_map(cell).collect()
    }

    /// What else was computed.
    pub(super) fn values(&self) -> Value {
        let of = |map: usize| {
            let set = |set: usize| {
                let contour = &self.contours[map][set];
                let basin = &self.group(0)[map][set];
                json!({
                    "set": SETS[set],
                    "end": contour.end,
                    "weights": contour.weights,
                    "distance": contour.distance,
                    "updates": contour.path.len() - 1,
                    "retrieved": basin.retrieved(0),
                    "retrieved at the other tolerance": basin.retrieved(1),
                    "metastable": basin.spread,
                })
            };
            json!({ "map": MAPS[map].0, "sets": (0..SETS.len()).map(set).collect::<Vec<_>>() })
        };
        (0..MAPS.len()).map(of).collect()
    }
}

/// What it is run with, besides what is particular to a figure.
pub(super) fn parameters(psi: Psi, setting: &Setting) -> Value {
    json!({
        "post-transformation": psi.post(setting.mode),
        "maps": MAPS.map(|map| map.0),
        "sets": SETS,
        "grid": side(setting),
        "contours": { "beta": 1, "updates": UPDATES },
        "basins": {
            "beta": basin_beta(setting.mode),
            "updates": basins::UPDATES,
            "tolerance": 0.001,
            "tolerance of softmax": if setting.mode == Mode::Printed { 0.001 } else { 0.01 },
        },
    })
}

/// The points in which the readings of all three figures differ.
pub(super) fn shared_readings() -> Vec<Reading> {
    vec![
        Reading::new(
            "inverse temperature of the basins",
            "β = 4",
            "β = 10, as the captions say",
            "At 4 softmax and 1.5-entmax retrieve hardly anything and their panels stay white.",
        ),
        Reading::new(
            "when a pattern counts as reached",
            "distance below 0.001 for every map",
            "below 0.01 for softmax, 0.001 for the others",
            "Softmax ends near a pattern, never on it: it needs the wider tolerance to reach any.",
        ),
        Reading::new(
            "energy of 5-normmax",
            "with the 2-norm of the weights in place of the 5-norm",
            "with the norm that belongs to the map",
            "The printed contours are not those of an energy that the updates lower; trajectories and basins are the same.",
        ),
    ]
}

/// Rows and columns of the tables: sets, then maps.
fn places() -> impl Iterator<Item = (usize, usize)> {
    (0..SETS.len()).flat_map(|set| (0..MAPS.len()).map(move |map| (set, map)))
}

/// How the set at a place is called.
fn set_name(set: usize) -> String {
    format!("set {}", SETS[set])
}
