//! Figure 12: how much noise a network bears.

use hfy_draw::chart::Axis;
use serde_json::{Value, json};

use super::fig11::{masked_readings, models};
use super::masked::overview::{self, BETAS};
use super::masked::{self, Curves, Method, Trial, beta_name};
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Drawing, Experiment, Outcome, Pictures, Reading, Results, Setting, TableCell};

/// Figure 12.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fig12;

/// Stored pictures.
const MEMORIES: usize = 100;

/// Deviations of the noise.
fn noises(quick: bool) -> Vec<f64> {
    (0..=6).filter(|step| !quick || step % 3 == 0).map(|step| 2.5 * f64::from(step)).collect()
}

fn trials(quick: bool) -> Vec<Trial> {
    let memories = if quick { 20 } else { MEMORIES };
    noises(quick).into_iter().map(|noise| Trial { memories, noise }).collect()
}

impl Experiment for Fig12 {
    fn id(&self) -> &'static str {
        "fig12"
    }

    fn title(&self) -> &'static str {
        "Robustness of nine networks against noise"
    }

    fn about(&self) -> &'static str {
        "A hundred pictures are stored. Each is shown with Gaussian noise on all its pixels, cut off at -1 and 1, and then with \
         the lower half of its rows hidden, as in Figure 11. The pixels lie in [-1, 1], so that from the first step on most of \
         those that are seen are -1 or 1. Look at which networks still find their picture when little but the signs of the upper half is left."
    }

    fn readings(&self) -> Vec<Reading> {
        let mut readings = masked_readings();
        readings.push(Reading::new(
            "what is hidden",
            "the lower half of the rows, which the paper does not say of this figure",
            "the same: without it nothing would be left to retrieve",
            "None; both readings hide it, after the noise.",
        ));
        readings
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        overview::work(setting, |_| trials(setting.quick))
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let rates = masked::compute(&cell.key()?, bench)?;
        serde_json::to_value(rates).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let curves = Curves::new(setting, results, true)?;
        let axis = |_| {
            let ticks = [0.0, 5.0, 10.0, 15.0].map(|tick| (tick, tick.to_string()));
            Axis::linear("deviation of the noise (pixels lie in [-1, 1])").within(-0.5, 15.5).ticked(ticks)
        };
        let figure = overview::figure(&curves, "Robustness against noise", axis);
        let caption = "Share of half-hidden, noisy pictures that are retrieved among 100 stored ones, against the deviation of the \
                       noise: medians and quarters over the seeds. Colours are families as in Figure 11. Above β = 1, below \
                       β = 0.1.";
        Ok(Outcome {
            parameters: json!({
                "memories": trials(setting.quick)[0].memories, "noise": noises(setting.quick), "beta": BETAS, "updates": 5,
                "hidden": "lower half of the rows, set to 0 after the noise", "success": "cosine > 0.9",
                "models": models(setting.mode),
            }),
            cells: if setting.quick { Vec::new() } else { tables(&curves) },
            series: overview::series(&curves),
            claims: if setting.quick { Vec::new() } else { overview::claims(&curves, "levels of noise") },
            values: Value::Null,
            drawings: vec![Drawing { name: "fig12".to_owned(), caption: caption.to_owned(), figure }],
        })
    }
}

fn tables(curves: &Curves) -> Vec<TableCell> {
    let mut cells = Vec::new();
    for pictures in Pictures::MEMORIES {
        for beta in BETAS {
            for method in Method::ALL {
                for noise in [0.0, 5.0, 15.0] {
                    let column = format!("{}, deviation {noise}", beta_name(beta));
                    let median = curves.median(method, pictures, beta, noise);
                    cells.push(
                        TableCell::plain(method.name(), column, median).of(format!("{}: retrieved", pictures.name())),
                    );
                }
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_the_paper() {
        assert_eq!(noises(false), [0.0, 2.5, 5.0, 7.5, 10.0, 12.5, 15.0]);
        assert!(trials(false).iter().all(|trial| trial.memories == 100));
    }
}
