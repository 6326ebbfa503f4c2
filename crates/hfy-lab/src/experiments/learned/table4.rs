//! Table 4: pooling by Hopfield layers with eight separation maps, on bags of digits and on three sets of pictures of
//! animals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{METHODS, benchmark, beside_paper, digits, figures, mean, paper, search};
use crate::data::BagSet;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Claim, Drawing, Experiment, Outcome, Reading, Results, Setting, TableCell};

/// How many digits of the target make a bag positive.
const KS: [usize; 4] = [1, 2, 3, 5];
/// The sets, in the order of the columns.
const SETS: [BagSet; 3] = [BagSet::Fox, BagSet::Tiger, BagSet::Elephant];
/// A claim about the best of a column needs no more than this behind it, in points.
const BEHIND: f64 = 2.5;

/// A piece of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    /// A run on bags of digits.
    Digits(digits::Key),
    /// Ten runs, one for each fold of a set.
    Benchmark(benchmark::Key),
    /// The bags that are shown.
    Shown { k: usize, pairs: usize },
}

impl Part {
    fn cell(&self) -> Cell {
        let like = match self {
            Part::Digits(key) => key.cell(),
            Part::Benchmark(key) => key.cell(),
            Part::Shown { k, .. } => digits::shown_cell(*k),
        };
        Cell { key: Cell::new(self, 0.0).key, ..like }
    }
}

/// See the module.
#[derive(Debug)]
pub(in crate::experiments) struct Table4;

/// Everything that was computed, sorted out.
struct Found {
    digits: Vec<(digits::Key, digits::Value)>,
    animals: Vec<(benchmark::Key, benchmark::Value)>,
    shown: BTreeMap<usize, digits::ShownBags>,
}

impl Found {
    fn of(results: &Results) -> Result<Self> {
        let mut found = Found { digits: Vec::new(), animals: Vec::new(), shown: BTreeMap::new() };
        let wrong = |error: serde_json::Error| Error::Cell(error.to_string());
        for (part, value) in results.all::<Part, Value>()? {
            match part {
                Part::Digits(key) => found.digits.push((key, serde_json::from_value(value).map_err(wrong)?)),
                Part::Benchmark(key) => found.animals.push((key, serde_json::from_value(value).map_err(wrong)?)),
                Part::Shown { k, .. } => drop(found.shown.insert(k, serde_json::from_value(value).map_err(wrong)?)),
            }
        }
        Ok(found)
    }

    /// Runs on digits, in the order of the seeds.
    fn on_digits(&self, k: usize, map: &str) -> Vec<&digits::Value> {
        self.digits.iter().filter(|(key, _)| key.k == k && key.map == map).map(|(_, value)| value).collect()
    }

    /// Mean areas of the repetitions on a set.
    fn on_set(&self, set: BagSet, map: &str) -> Vec<f64> {
        let fitting = self.animals.iter().filter(|(key, _)| key.set == set && key.map == map);
        fitting.map(|(_, value)| value.mean_auc()).collect()
    }
}

fn pairs() -> impl Iterator<Item = (usize, &'static str)> {
    KS.into_iter().flat_map(|k| METHODS.iter().map(move |&(map, _)| (k, map)))
}

fn sets() -> impl Iterator<Item = (BagSet, &'static str)> {
    SETS.into_iter().flat_map(|set| METHODS.iter().map(move |&(map, _)| (set, map)))
}

fn animal(set: BagSet, map: &str, seed: u64, hyper: super::Hyper, setting: &Setting) -> benchmark::Key {
    benchmark::Key::new(set, map, benchmark::Pooling::Full, seed, hyper, setting.mode, setting.quick)
}

impl Experiment for Table4 {
    fn id(&self) -> &'static str {
        "table4"
    }

    fn title(&self) -> &'static str {
        "Multiple-instance learning with Hopfield pooling"
    }

    fn about(&self) -> &'static str {
        "A bag of instances has one label. A network embeds the instances, a Hopfield layer pools them with a learned query, \
         and a linear layer decides. Left: bags of MNIST digits that are positive if they hold at least K nines; the accuracy \
         on 500 bags, in percent. Right: bags of picture segments with or without an animal; the area under the curve in \
         nested cross-validation, in percent. Beside each number is its deviation over repetitions, and what the paper \
         prints; a number is marked if both are further apart than twice both deviations together."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "epoch that counts, animals",
                "the last of fifty: the published early stopping compares with a maximum that it never updates",
                "the best by the validation fold, with patience 5, as the text says",
                "Fifty epochs learn the training bags by heart; the last epoch is not chosen by anything.",
            ),
            Reading::new(
                "first weights, animals",
                "the same in all runs",
                "of the seed of the repetition",
                "The deviation includes the chance of the first weights.",
            ),
            Reading::new(
                "first weights, digits",
                "of the seed of the repetition, where the published code has the same in all runs",
                "of the seed of the repetition",
                "The two readings share these runs, which take hours; the deviations include the chance of the first weights.",
            ),
            Reading::new(
                "search, digits",
                "three of the 192 points of the grid, each with one run of six epochs for K = 3; all K take over the choice",
                "the same",
                "The paper chooses for each K among runs of up to fifty epochs.",
            ),
            Reading::new(
                "search, animals",
                "four of the 96 points of the grid, by the area under the curve on the validation folds of seed 0",
                "the same",
                "Seed 0 counts among the repetitions, as in the paper.",
            ),
        ]
    }

    fn search(&self, setting: &Setting) -> Vec<Cell> {
        let mut parts = Vec::new();
        for hyper in search::digit_grid() {
            parts.extend(METHODS.iter().map(|(map, _)| {
                let key = digits::Key::new(search::DIGIT_K, map, 0, hyper, setting.quick);
                Part::Digits(digits::Key { epochs: key.epochs.min(search::DIGIT_EPOCHS), ..key })
            }));
        }
        for hyper in search::animal_grid() {
            parts.extend(sets().map(|(set, map)| Part::Benchmark(animal(set, map, 0, hyper, setting))));
        }
        if setting.quick {
            // One point of each grid for each cell of the table.
            let mut seen = std::collections::HashSet::new();
            parts.retain(|part| match part {
                Part::Digits(key) => key.hyper == search::digit_grid()[0],
                Part::Benchmark(key) => {
                    key.hyper == search::animal_grid()[0] && seen.insert((key.set, key.map.clone()))
                }
                Part::Shown { .. } => true,
            });
        }
        parts.iter().map(Part::cell).collect()
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let (digit, other) = (search::digit_grid()[0], search::animal_grid()[0]);
        chosen(setting, |_| Ok(digit), |_| Ok(other)).expect("nothing is looked up").iter().map(Part::cell).collect()
    }

    fn chosen(&self, setting: &Setting, searched: &Results) -> Result<Vec<Cell>> {
        let tried = Found::of(searched)?;
        let digit = |map: &str| search::best_for_digits(&tried.digits, map);
        let other = |like: &benchmark::Key| search::best_for_animals(&tried.animals, like);
        Ok(chosen(setting, digit, other)?.iter().map(Part::cell).collect())
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let json = match cell.key::<Part>()? {
            Part::Digits(key) => serde_json::to_value(key.compute(bench)?),
            Part::Benchmark(key) => serde_json::to_value(key.compute(bench)?),
            Part::Shown { k, pairs } => serde_json::to_value(digits::shown_bags(k, pairs, bench)?),
        };
        json.map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let (found, tried) = (Found::of(results)?, Found::of(&results.searched())?);
        let mut drawings = vec![Drawing {
            name: "table4".into(),
            caption:
                "Which digits the heads look at in two positive bags for each K: the mean weight of all heads, as the \
                      height of a bar under each digit. Nines, which decide, are framed."
                    .into(),
            figure: figures::looked_at(&found.shown, |k, map| {
                found.on_digits(k, map).first().map(|value| &value.shown[..])
            })?,
        }];
        let curves = |k: usize, map: &str| found.on_digits(k, map).iter().map(|value| &value.epochs[..]).collect();
        drawings.push(Drawing {
            name: "table4-learning".into(),
            caption:
                "The area under the curve on 500 validation bags of digits, by epoch, up to the epoch that is kept and \
                      five more; the first repetition."
                    .into(),
            figure: figures::learning_curves(&KS, curves),
        });
        drawings.push(Drawing {
            name: "table4-evidence".into(),
            caption:
                "Left: the share of the weight that lies on nines, in the mean over positive test bags, heads and \
                      repetitions; the line is the share of nines in these bags. Middle: the share of nines among the digits \
                      that have weight at all. Right: how many these are."
                    .into(),
            figure: figures::evidence(&KS, |k, map| found.on_digits(k, map).iter().map(|value| &value.looks).collect()),
        });
        Ok(Outcome {
            parameters: parameters(setting, &found, &tried, results.searched().seconds()),
            cells: table(setting, &found),
            claims: claims(&found),
            values: json!({
                "chosen for digits": found.digits.iter().filter(|(key, _)| key.seed == 0).map(|(key, _)| key).collect::<Vec<_>>(),
                "chosen for animals": found.animals.iter().filter(|(key, _)| key.seed == 0).map(|(key, _)| key).collect::<Vec<_>>(),
            }),
            drawings,
            ..Outcome::default()
        })
    }
}

/// The runs that count: those on animals, which are short, and then on digits seed 0 of all methods and K, seed 1, ...
fn chosen(
    setting: &Setting,
    digit: impl Fn(&str) -> Result<super::Hyper>,
    other: impl Fn(&benchmark::Key) -> Result<super::Hyper>,
) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for seed in 0..setting.seeds {
        for (set, map) in sets() {
            let first = animal(set, map, 0, search::animal_grid()[0], setting);
            parts.push(Part::Benchmark(animal(set, map, seed, other(&first)?, setting)));
        }
    }
    let pairs_of_bags = digits::Key::new(1, "softmax", 0, search::digit_grid()[0], setting.quick).pairs;
    parts.extend(KS.map(|k| Part::Shown { k, pairs: pairs_of_bags }));
    for seed in 0..setting.long_repetitions() {
        for (k, map) in pairs() {
            parts.push(Part::Digits(digits::Key::new(k, map, seed, digit(map)?, setting.quick)));
        }
    }
    Ok(parts)
}

fn parameters(setting: &Setting, found: &Found, tried: &Found, seconds: f64) -> Value {
    json!({
        "repetitions, digits": setting.long_repetitions(),
        "repetitions, animals": setting.seeds,
        "grid for digits": search::digit_grid(),
        "epochs of a run of that search": search::DIGIT_EPOCHS,
        "K of that search": search::DIGIT_K,
        "grid for animals": search::animal_grid(),
        "runs of the search": { "digits": tried.digits.len(), "animals, ten folds each": tried.animals.len() },
        "runs that count": { "digits": found.digits.len(), "animals, ten folds each": found.animals.len() },
        "seconds of one core for the search": seconds.round(),
        "optimiser": "AdamW, weight decay 1e-4, gradient norm at most 1, one bag a step",
    })
}

fn table(setting: &Setting, found: &Found) -> Vec<TableCell> {
    let printed = |method: usize, column: usize| (!setting.quick).then(|| paper::TABLE4[method][column]);
    let name_of_table = format!(
        "Accuracy on digits ({} repetitions) and area under the curve on animals ({}), in percent",
        found.on_digits(KS[0], METHODS[0].0).len(),
        found.on_set(SETS[0], METHODS[0].0).len()
    );
    let mut cells = Vec::new();
    for (method, (map, name)) in METHODS.iter().enumerate() {
        for (column, k) in KS.iter().enumerate() {
            let values: Vec<f64> = found.on_digits(*k, map).iter().map(|value| value.accuracy).collect();
            let cell = beside_paper(name, &format!("K = {k}"), &values, printed(method, column));
            cells.push(cell.of(&name_of_table));
        }
        for (column, set) in SETS.iter().enumerate() {
            let values = found.on_set(*set, map);
            let cell = beside_paper(name, set.title(), &values, printed(method, KS.len() + column));
            cells.push(cell.of(&name_of_table));
        }
    }
    type Quantity = fn(&super::looks::Looks) -> f64;
    let quantities: [(&str, Quantity); 3] = [
        ("Share of the weight that lies on nines, in percent", |looks| looks.on_target),
        ("Share of nines among the digits with weight, in percent", |looks| looks.precision),
        ("Share of the nines that have weight, in percent", |looks| looks.recall),
    ];
    for (title, quantity) in quantities {
        for (map, name) in METHODS {
            for k in KS {
                let looks: Vec<f64> = found.on_digits(k, map).iter().map(|value| quantity(&value.looks)).collect();
                cells.push(beside_paper(name, &format!("K = {k}"), &looks, None).of(title));
            }
        }
    }
    for (map, name) in METHODS {
        for k in KS {
            let looks: Vec<f64> = found.on_digits(k, map).iter().map(|value| value.looks.support).collect();
            let cell = TableCell::plain(name, format!("K = {k}"), mean(&looks));
            cells.push(cell.of("Digits with weight, of a head in a positive bag"));
        }
    }
    cells
}

fn claims(found: &Found) -> Vec<Claim> {
    let percent = |values: Vec<f64>| 100.0 * mean(&values);
    let digits = |k: usize, map: &str| percent(found.on_digits(k, map).iter().map(|value| value.accuracy).collect());
    let animals = |set: BagSet, map: &str| percent(found.on_set(set, map));
    let best = |value: &dyn Fn(&str) -> f64| {
        let all = METHODS.map(|(map, name)| (value(map), map, name));
        all.into_iter().fold((f64::NEG_INFINITY, "", ""), |best, one| if one.0 > best.0 { one } else { best })
    };
    let mut claims = Vec::new();
    let (value, map, name) = best(&|map| digits(1, map));
    claims.push(Claim::new(
        "For K = 1 softmax outperforms the other maps.",
        map == "softmax",
        format!("best is {name} with {value:.1} %, softmax has {:.1} %", digits(1, "softmax")),
    ));
    for k in [2, 3, 5] {
        let (value, map, name) = best(&|map| digits(k, map));
        let own = format!("subsets:{k}");
        claims.push(Claim::new(
            format!("For K = {k} the {k}-subsets are best."),
            map == own,
            format!("best is {name} with {value:.1} %, {k}-subsets have {:.1} %", digits(k, &own)),
        ));
    }
    let behind: Vec<f64> = KS
        .iter()
        .map(|&k| best(&|map| digits(k, map)).0 - digits(k, "normmax:5"))
        .chain(SETS.iter().map(|&set| best(&|map| animals(set, map)).0 - animals(set, "normmax:5")))
        .collect();
    let furthest = behind.iter().copied().fold(0.0, f64::max);
    claims.push(Claim::new(
        "Normmax is consistent: 5-normmax is near the best in every column.",
        furthest <= BEHIND,
        format!("at most {furthest:.1} points behind the best, where {BEHIND} are allowed (2.2 in the printed table)"),
    ));
    let surpassed = SETS.iter().filter(|&&set| {
        let most = |maps: &[(&str, &str)]| maps.iter().map(|(map, _)| animals(set, map)).fold(f64::MIN, f64::max);
        most(&METHODS[5..]) > most(&METHODS[1..5])
    });
    let surpassed: Vec<&str> = surpassed.map(|set| set.title()).collect();
    claims.push(Claim::new(
        "k-subsets surpass the other sparse maps on two of the three sets of animals.",
        surpassed.len() >= 2,
        format!("on {}", if surpassed.is_empty() { "none".to_owned() } else { surpassed.join(", ") }),
    ));
    let on_target = |k: usize, map: &str| {
        mean(&found.on_digits(k, map).iter().map(|value| value.looks.on_target).collect::<Vec<_>>())
    };
    let better = [2, 3, 5].iter().filter(|&&k| on_target(k, &format!("subsets:{k}")) > on_target(k, "softmax")).count();
    claims.push(Claim::new(
        "Not in the paper: K-subsets put a larger share of their weight on nines than softmax, for K = 2, 3 and 5.",
        better == 3,
        format!("so it is for {better} of the 3"),
    ));
    claims
}
