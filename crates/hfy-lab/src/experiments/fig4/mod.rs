//! Free recall: how many distinct memories come.

mod claims;

use hfy::recall::unique_ratio;
use hfy_draw::chart::{Axis, Grid, Panel, Style};
use serde_json::{Value, json};

use super::recall::{
    Bundle, FreeRun, Method, PENALTY, STEPS, Taken, Which, bundles, counts, drawn_curve, find, lists, seeds, series,
    taken,
};
use crate::error::Result;
use crate::experiment::{
    Bench, Cell, Drawing, Experiment, Outcome, Pictures, Reading, Results, Series, Setting, TableCell, quantile,
};

const BETA: f64 = 0.1;
const BETAS: [f64; 9] = [1.0 / 32.0, 1.0 / 16.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const QUICK_BETAS: [f64; 3] = [0.125, 1.0, 8.0];
/// The size at which the temperature is varied.
const COUNT: usize = 128;
const QUICK_COUNT: usize = 32;
const MEASURE: &str = "unique memory ratio";

/// Figure 4.
#[derive(Debug)]
pub(super) struct Fig4;

impl Experiment for Fig4 {
    fn id(&self) -> &'static str {
        "fig4"
    }

    fn title(&self) -> &'static str {
        "Free recall: distinct memories by size and temperature"
    }

    fn about(&self) -> &'static str {
        "N pictures are stored, and recalled in N rounds from the first of them as the cue, with constrained sparsemax \
         (Algorithm 1) and with penalised softmax, 1.5-entmax and sparsemax (Algorithm 2). The unique memory ratio is the number of \
         distinct memories recalled, over N. Above: against N at β = 0.1. Below: against β at N = 128. A perfect recall \
         stays at 1."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "precision",
                "patterns and states in single precision",
                "patterns and states in double precision",
                "Little: medians of the sparse maps move by at most 0.002, and those of softmax, which sums over all memories, by at \
                 most 0.024, three memories of 128. All statements below come out the same.",
            ),
            Reading::new(
                "bounds of constrained sparsemax",
                "bounds below zero are moved up to zero after every round",
                "none is ever below zero, and nothing is moved",
                "Nothing. Single-precision weights may exceed their bound by a rounding error, which the published code \
                 repairs so. Here bounds and weights are computed in double precision in both readings, and no weight \
                 exceeds its bound.",
            ),
            Reading::new(
                "everything else",
                "T = 20, λ = 10⁹, τ = 0.001, cue = the first memory; the average takes the weights of the penalised \
                 update alone",
                "the same",
                "Nothing: the published code follows Algorithms 1 and 2.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let runs = [by_count(setting), by_beta(setting)].concat();
        bundles(&Pictures::MEMORIES, seeds(setting), &runs).iter().map(Bundle::cell).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        cell.key::<Bundle<FreeRun>>()?.compute(bench)
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let taken = taken::<FreeRun>(results)?;
        let series = all_series(setting, &taken);
        Ok(Outcome {
            parameters: json!({
                "beta_of_sizes": BETA, "sizes": counts(setting), "size_of_betas": count(setting), "betas": betas(setting),
                "steps": STEPS, "lambda": PENALTY.0, "tau": PENALTY.1, "seeds": seeds(setting), "cue": "memory 0",
            }),
            cells: table(setting, &taken),
            claims: claims::of(setting, &series),
            values: Value::Null,
            drawings: vec![drawing(setting, &series)],
            series,
        })
    }
}

fn betas(setting: &Setting) -> &'static [f64] {
    if setting.quick { &QUICK_BETAS } else { &BETAS }
}

fn count(setting: &Setting) -> usize {
    if setting.quick { QUICK_COUNT } else { COUNT }
}

fn run(setting: &Setting, method: Method, count: usize, beta: f64) -> FreeRun {
    FreeRun { method, count, beta, steps: STEPS, precision: setting.mode.into() }
}

fn by_count(setting: &Setting) -> Vec<FreeRun> {
    let of = |&count: &usize| Method::all().map(|method| run(setting, method, count, BETA));
    counts(setting).iter().flat_map(of).collect()
}

fn by_beta(setting: &Setting) -> Vec<FreeRun> {
    let of = |&beta: &f64| Method::all().map(|method| run(setting, method, count(setting), beta));
    betas(setting).iter().flat_map(of).collect()
}

/// The ratios of the seeds.
fn ratios(taken: &[Taken<FreeRun>], pictures: Pictures, run: FreeRun) -> Vec<f64> {
    lists(taken, pictures, &run).map(unique_ratio).collect()
}

fn all_series(setting: &Setting, taken: &[Taken<FreeRun>]) -> Vec<Series> {
    let mut all = Vec::new();
    for dataset in Pictures::MEMORIES {
        for method in Method::all() {
            let name = method.name();
            let which = |beta| Which { method: &name, dataset, beta, measure: MEASURE };
            let at = |count, beta| ratios(taken, dataset, run(setting, method, count, beta));
            all.push(series(which(Some(BETA)), counts(setting).iter().map(|&n| (n as f64, at(n, BETA)))));
            all.push(series(which(None), betas(setting).iter().map(|&beta| (beta, at(count(setting), beta)))));
        }
    }
    all
}

/// The medians at N = 128 and β = 0.1, on MNIST beside those of the published code.
fn table(setting: &Setting, taken: &[Taken<FreeRun>]) -> Vec<TableCell> {
    /// Medians of three seeds, and half of the last digit.
    const REFERENCE: [(f64, f64); 4] = [(1.0, 0.0), (0.93, 5e-3), (0.977, 5e-4), (0.992, 5e-4)];
    if !counts(setting).contains(&COUNT) {
        return Vec::new();
    }
    let mut cells = Vec::new();
    for dataset in Pictures::MEMORIES {
        for (method, (reference, digit)) in Method::all().into_iter().zip(REFERENCE) {
            let values = ratios(taken, dataset, run(setting, method, COUNT, BETA));
            let cell = TableCell::plain(method.name(), dataset.name(), quantile(&values, 0.5))
                .of(format!("Median {MEASURE} at N = {COUNT}, β = {BETA}"));
            cells.push(match dataset {
                Pictures::Mnist => cell.beside_reference(reference, sampling_error(&values, 3) + digit),
                _ => cell,
            });
        }
    }
    cells
}

/// How far the median of these values and that of `others` more may be apart by chance: two standard errors of the
/// difference, and one memory more or less.
fn sampling_error(values: &[f64], others: usize) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    // The median of a normal sample varies as sqrt(π/2) times its mean.
    let error = (std::f64::consts::FRAC_PI_2 * variance * (1.0 / n + 1.0 / others as f64)).sqrt();
    2.0 * error + 1.0 / COUNT as f64
}

fn drawing(setting: &Setting, all: &[Series]) -> Drawing {
    let ratio = || Axis::linear(MEASURE).within(0.0, 1.04);
    let mut panels = Vec::new();
    for beta in [Some(BETA), None] {
        for dataset in Pictures::MEMORIES {
            let (title, x) = match beta {
                Some(_) => (dataset.name(), Axis::log2("number of memories N")),
                None => ("", Axis::log2("inverse temperature β").ticked(fractions())),
            };
            let mut panel = Panel::new(title, x, ratio());
            for (k, method) in Method::all().into_iter().enumerate() {
                let which = Which { method: &method.name(), dataset, beta, measure: MEASURE };
                panel.curves.extend(find(all, which).map(|one| drawn_curve(one, k, 4, Style::series(k))));
            }
            panels.push(panel);
        }
    }
    let mut grid = Grid::new("", Pictures::MEMORIES.len(), panels);
    grid.shared_y = true;
    grid.row_labels = vec![format!("β = {BETA}"), format!("N = {}", count(setting))];
    let caption = format!(
        "Distinct memories recalled in N rounds, over N. Above: by the number of memories, at β = {BETA}. Below: by the inverse \
         temperature, for {} memories. Medians of {} choices of memories, the methods a little side by side; bands from \
         quarter to quarter.",
        count(setting),
        seeds(setting)
    );
    Drawing { name: "fig4".to_owned(), caption, figure: grid.figure() }
}

/// Ticks at odd powers of 2, written as they are said.
fn fractions() -> [(f64, &'static str); 5] {
    [(1.0 / 32.0, "1/32"), (0.125, "1/8"), (0.5, "1/2"), (2.0, "2"), (8.0, "8")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_runs_have_less_error() {
        let spread = [0.90, 0.92, 0.93, 0.94, 0.96];
        let few = sampling_error(&spread, 1);
        assert!(sampling_error(&spread, 100) < few && few < 0.1);
        assert_eq!(sampling_error(&[1.0; 5], 3), 1.0 / 128.0);
    }
}
