//! Beyond the paper: further sets of bags, learned parameters, decisions by energies, and unit tests of what a pooling
//! can learn.

use hfy_nn::OmegaParameter;
use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{BagLoss, ClassifierConfig, TrainConfig};
use hfy_nn::train::{FitConfig, Keep};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::assumption::{self, Test};
use super::{benchmark, beside_paper, brief, figures, mean};
use crate::data::BagSet;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Claim, Drawing, Experiment, Outcome, Reading, Results, Setting, TableCell};

const SETS: [BagSet; 4] = [BagSet::Musk1, BagSet::Musk2, BagSet::UcsbBreastCancer, BagSet::BirdsBrownCreeper];

/// How a bag is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// A linear layer on what is pooled.
    Pooled,
    /// The same, with an alpha for each head that is learned from 1.5 on.
    Learned,
    /// The energy of the scores.
    Energy,
}

/// The poolings, and how they are written.
const POOLINGS: [(Way, &str, &str); 9] = [
    (Way::Pooled, "softmax", "softmax"),
    (Way::Pooled, "entmax:1.5", "1.5-entmax"),
    (Way::Pooled, "sparsemax", "sparsemax"),
    (Way::Pooled, "subsets:2", "2-subsets"),
    (Way::Learned, "entmax", "entmax, alpha learned"),
    (Way::Energy, "softmax", "energy, softmax"),
    (Way::Energy, "entmax:1.5", "energy, 1.5-entmax"),
    (Way::Energy, "sparsemax", "energy, sparsemax"),
    (Way::Energy, "argmax", "energy, argmax"),
];

/// A piece of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    /// Ten runs, one for each fold of a set.
    Set { set: BagSet, way: Way, map: String, seed: u64, epochs: usize, folds: usize },
    /// A unit test from some seeds.
    Test { test: Test, way: Way, map: String, seeds: u64, epochs: usize, bags: (usize, usize) },
}

impl Part {
    fn cell(&self) -> Cell {
        match self {
            Part::Set { set, epochs, folds, .. } => {
                Cell::new(self, 0.004 * (epochs * folds) as f64).with_bags([*set]).training()
            }
            Part::Test { seeds, epochs, bags, .. } => {
                Cell::new(self, 2e-4 * (*seeds as usize * epochs * bags.0) as f64).training()
            }
        }
    }
}

/// What `hfy mil` does unless it is told otherwise.
fn config(features: usize, way: Way, map: &str, seed: u64, epochs: usize, patience: Option<usize>) -> TrainConfig {
    const HEADS: usize = 4;
    let beta = if way == Way::Energy { 1.0 } else { 0.25 };
    TrainConfig {
        model: ClassifierConfig {
            features,
            picture: None,
            embedding: vec![64, 64],
            pooling: HopfieldConfig {
                num_heads: HEADS,
                hidden_size: Some(16),
                scaling: Some(beta.into()),
                omega: map.to_owned(),
                omega_parameter: (way == Way::Learned).then(|| OmegaParameter::Learned(vec![1.5; HEADS])),
                ..HopfieldConfig::new(64)
            },
            rectified: true,
            scaled: true,
            energy: way == Way::Energy,
        },
        rate: 1e-3,
        decay: 0.98,
        weight_decay: 1e-4,
        clip: Some(1.0),
        loss: BagLoss::default(),
        fit: FitConfig { epochs, batch: 1, patience, keep: Keep::BestLoss, seed },
    }
}

/// See the module.
#[derive(Debug)]
pub(in crate::experiments) struct BeyondBags;

/// Everything that was computed, sorted out.
struct Found {
    sets: Vec<(BagSet, Way, String, benchmark::Value)>,
    tests: Vec<(Test, Way, String, assumption::Value)>,
}

impl Found {
    fn of(results: &Results) -> Result<Self> {
        let mut found = Found { sets: Vec::new(), tests: Vec::new() };
        let wrong = |error: serde_json::Error| Error::Cell(error.to_string());
        for (part, value) in results.all::<Part, Value>()? {
            match part {
                Part::Set { set, way, map, .. } => {
                    found.sets.push((set, way, map, serde_json::from_value(value).map_err(wrong)?));
                }
                Part::Test { test, way, map, .. } => {
                    found.tests.push((test, way, map, serde_json::from_value(value).map_err(wrong)?));
                }
            }
        }
        Ok(found)
    }

    fn on_set(&self, set: BagSet, way: Way, map: &str) -> impl Iterator<Item = &benchmark::Value> {
        let fits =
            move |one: &&(BagSet, Way, String, benchmark::Value)| (one.0, one.1, one.2.as_str()) == (set, way, map);
        self.sets.iter().filter(fits).map(|one| &one.3)
    }

    fn aucs(&self, set: BagSet, way: Way, map: &str) -> Vec<f64> {
        self.on_set(set, way, map).map(benchmark::Value::mean_auc).collect()
    }

    fn test(&self, test: Test, way: Way, map: &str) -> Option<&assumption::Value> {
        self.tests.iter().find(|one| (one.0, one.1, one.2.as_str()) == (test, way, map)).map(|one| &one.3)
    }
}

impl Experiment for BeyondBags {
    fn id(&self) -> &'static str {
        "bags"
    }

    fn title(&self) -> &'static str {
        "Beyond the paper: more sets of bags, and what poolings can learn"
    }

    fn about(&self) -> &'static str {
        "Four more sets of bags in nested cross-validation with the settings that hfy mil has, none of them tuned: areas under \
         the curve in percent, with their deviation over repetitions. With decisions by energies the logit of a bag is the \
         conjugate of the map at the scores of its instances, which evidence can raise and never lower. The unit tests \
         train with bags that offer wrong evidence, and turn it around for the test: a pooling is misled if its area under \
         the curve then falls by more than 0.1 in the mean, and passes if it stays above 0.9 from every seed."
    }

    fn readings(&self) -> Vec<Reading> {
        Vec::new()
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let (epochs, folds, bags) = if setting.quick { (2, 2, (20, 20)) } else { (100, benchmark::FOLDS, (200, 400)) };
        let mut parts = Vec::new();
        for test in Test::ALL {
            for (way, map, _) in POOLINGS {
                let (map, seeds) = (map.to_owned(), setting.seeds);
                parts.push(Part::Test { test, way, map, seeds, epochs: epochs.min(20), bags });
            }
        }
        for seed in 0..setting.seeds {
            for set in SETS {
                parts.extend(POOLINGS.map(|(way, map, _)| Part::Set {
                    set,
                    way,
                    map: map.to_owned(),
                    seed,
                    epochs,
                    folds,
                }));
            }
        }
        parts.iter().map(Part::cell).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let json = match cell.key::<Part>()? {
            Part::Set { set, way, map, seed, epochs, folds } => {
                let config = |features| config(features, way, &map, seed, epochs, Some(15));
                serde_json::to_value(benchmark::cross_validate(set, config, seed, folds, bench)?)
            }
            Part::Test { test, way, map, seeds, epochs, bags } => {
                let config = config(assumption::FEATURES, way, &map, 0, epochs, None);
                serde_json::to_value(assumption::compute(test, &config, bags, seeds, bench)?)
            }
        };
        json.map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let found = Found::of(results)?;
        let names: Vec<&str> = POOLINGS.iter().map(|(_, _, name)| *name).collect();
        let drawing = Drawing {
            name: "bags".into(),
            caption: "Areas under the curve by pooling: each repetition as a small mark, the mean as a large one."
                .into(),
            figure: figures::by_pooling(&SETS, &names, &|set, at| found.aucs(set, POOLINGS[at].0, POOLINGS[at].1)),
        };
        Ok(Outcome {
            parameters: json!({ "repetitions": setting.seeds, "settings": config(0, Way::Pooled, "softmax", 0, 100, Some(15)) }),
            cells: table(&found),
            claims: claims(&found),
            drawings: vec![drawing],
            ..Outcome::default()
        })
    }
}

fn table(found: &Found) -> Vec<TableCell> {
    let mut cells = Vec::new();
    for (way, map, name) in POOLINGS {
        cells.extend(SETS.map(|set| beside_paper(name, set.title(), &found.aucs(set, way, map), None)));
    }
    for (way, map, name) in POOLINGS {
        for set in SETS {
            let support: Vec<f64> = found.on_set(set, way, map).map(|value| value.support).collect();
            let cell = TableCell::plain(name, set.title(), mean(&support));
            cells.push(cell.of("Instances with weight, of a head in a test bag"));
        }
    }
    for (way, map, name) in POOLINGS.iter().filter(|(way, ..)| *way == Way::Learned) {
        for set in SETS {
            let learned: Vec<f64> = found.on_set(set, *way, map).flat_map(|value| value.learned.clone()).collect();
            let (mean, deviation) = hfy_nn::mil::mean_and_deviation(&learned).unwrap_or((f64::NAN, f64::NAN));
            let cell = TableCell::plain(*name, set.title(), brief(mean)).spread(brief(deviation));
            cells.push(
                cell.of("Alpha that the heads have learned, from 1.5 on: mean and deviation over heads and runs"),
            );
        }
    }
    for (way, map, name) in POOLINGS {
        for test in Test::ALL {
            let Some(value) = found.test(test, way, map) else { continue };
            let (alike, turned) = (beside_paper(name, test.title(), &value.alike, None), &value.turned);
            cells.push(alike.of("Unit tests: area under the curve on bags as trained with, in percent"));
            let turned = beside_paper(name, test.title(), turned, None);
            cells.push(turned.of("Unit tests: area under the curve with the wrong evidence turned around, in percent"));
        }
    }
    cells
}

fn claims(found: &Found) -> Vec<Claim> {
    let which = |ways: &[Way], test: Test, is: &dyn Fn(&assumption::Value) -> bool| -> Vec<&str> {
        let of = POOLINGS.iter().filter(|(way, _, _)| ways.contains(way));
        of.filter(|(way, map, _)| found.test(test, *way, map).is_some_and(is)).map(|(_, _, name)| *name).collect()
    };
    let said = |what: &str, names: &[&str]| {
        format!("{what}: {}", if names.is_empty() { "none".to_owned() } else { names.join("; ") })
    };
    let linear = [Way::Pooled, Way::Learned];
    let mut claims = Vec::new();
    for test in Test::ALL {
        let misled = which(&[Way::Energy], test, &assumption::Value::is_misled);
        claims.push(Claim::new(
            format!("{}: no decision by energies is misled.", test.title()),
            misled.is_empty(),
            said("misled", &misled),
        ));
    }
    for test in [Test::Decoy, Test::Both] {
        let upright = which(&linear, test, &|value| !value.is_misled());
        claims.push(Claim::new(
            format!("{}: every linear layer on what is pooled is misled.", test.title()),
            upright.is_empty(),
            said("not misled", &upright),
        ));
    }
    for test in Test::ALL {
        let passing = which(&[linear.as_slice(), &[Way::Energy]].concat(), test, &assumption::Value::passes);
        claims.push(Claim::new(
            format!("{}: at least one pooling passes.", test.title()),
            !passing.is_empty(),
            said("passing", &passing),
        ));
    }
    let over_sets = |way: Way, map: &str| 100.0 * mean(&SETS.map(|set| mean(&found.aucs(set, way, map))));
    let best = |ways: &[Way]| {
        let of = POOLINGS.iter().filter(|(way, _, _)| ways.contains(way));
        let scored = of.map(|(way, map, name)| (over_sets(*way, map), *name));
        scored.fold((f64::NEG_INFINITY, ""), |best, one| if one.0 > best.0 { one } else { best })
    };
    let (pooled, energy) = (best(&[Way::Pooled, Way::Learned]), best(&[Way::Energy]));
    claims.push(Claim::new(
        "In the mean over the sets the best decision by energies is within a point of the best pooling.",
        energy.0 >= pooled.0 - 1.0,
        format!("{} {:.1}, {} {:.1}", energy.1, energy.0, pooled.1, pooled.0),
    ));
    let (learned, softmax) = (over_sets(Way::Learned, "entmax"), over_sets(Way::Pooled, "softmax"));
    claims.push(Claim::new(
        "In the mean over the sets a learned alpha is at least as good as softmax.",
        learned >= softmax,
        format!("{learned:.1} and {softmax:.1}"),
    ));
    claims
}
