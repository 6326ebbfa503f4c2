//! Free recall of digits, one by one.

use serde_json::{Value, json};

use super::recall::{FreeRun, Method, PENALTY, Recalled, STEPS, Strip, drawn, repeats, seeds};
use crate::error::Result;
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Quartiles, Reading, Results, Setting, TableCell,
};

const BETA: f64 = 0.1;
/// The size at which figure 4 varies the temperature.
const COUNT: usize = 128;
const QUICK_COUNT: usize = 32;

/// Figure 5.
#[derive(Debug)]
pub(super) struct Fig5;

impl Experiment for Fig5 {
    fn id(&self) -> &'static str {
        "fig5"
    }

    fn title(&self) -> &'static str {
        "Free recall of digits, one by one"
    }

    fn about(&self) -> &'static str {
        "128 digits are stored and recalled from the first of them in 128 rounds, with constrained sparsemax (Algorithm 1) and with \
         penalised sparsemax (Algorithm 2) at β = 0.1. Below each digit stands its place in the memory. No code for this figure is \
         published, and the paper does not say how many digits it shows, or which: 128 is the size of figure 4, and the digits are those \
         of the first seed."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "parameters",
                "as the caption says: T = 5, λ = 10⁸",
                "as in the experiments of the section: T = 20, λ = 10⁹",
                "Next to nothing: of the five seeds one has 4 repeats as printed and 3 as defined.",
            ),
            Reading::new(
                "precision",
                "patterns and states in single precision",
                "patterns and states in double precision",
                "At λ = 10⁸ two of the five runs take another order; the number of repeats stays.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        Recalled::cells(seeds(setting), &runs(setting))
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        Recalled::<FreeRun>::compute(cell, bench)
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let recalled = Recalled::<FreeRun>::gathered(results)?;
        let (steps, lambda) = parameters(setting.mode);
        let (mut cells, mut all, mut strips) = (Vec::new(), Vec::new(), Vec::new());
        for run in runs(setting) {
            let name = run.method.name();
            let of_run = recalled.taken.iter().filter(|one| one.run == run);
            let repeated: Vec<usize> = of_run.map(|one| number_of(&repeats(&one.recalled))).collect();
            cells.extend(row(&name, &repeated, run.count));
            let (list, digits) = recalled.of_seed(&run, 0)?;
            let marked = repeats(list);
            let words = format!("{} of {} digits", list.len() - number_of(&marked), list.len());
            strips.push(Strip { name: name.clone(), words, recalled: list.to_vec(), marked, digits });
            all.push((name, repeated));
        }
        let figure = drawn("Digits in the order of free recall", &strips, "recalled before")?;
        let caption = format!(
            "Digits in the order in which they come, row by row, after the cue at the left; below each its place among the {} that \
             are stored, counted from 0. A red frame with a full corner: recalled before. T = {steps}, λ = {lambda:e}, τ = {}, β = {BETA}.",
            count(setting),
            PENALTY.1
        );
        Ok(Outcome {
            parameters: json!({
                "pictures": "MNIST", "memories": count(setting), "beta": BETA, "steps": steps, "lambda": lambda,
                "tau": PENALTY.1, "seeds": seeds(setting), "seed_drawn": 0, "cue": "memory 0",
            }),
            cells,
            claims: claims(setting, &all),
            values: json!({ "repeats_of_seeds": all }),
            drawings: vec![Drawing { name: "fig5".to_owned(), caption, figure }],
            series: Vec::new(),
        })
    }
}

fn count(setting: &Setting) -> usize {
    if setting.quick { QUICK_COUNT } else { COUNT }
}

/// T and λ.
fn parameters(mode: Mode) -> (usize, f64) {
    match mode {
        Mode::Printed => (5, 1e8),
        Mode::Defined => (STEPS, PENALTY.0),
    }
}

fn runs(setting: &Setting) -> [FreeRun; 2] {
    let (steps, lambda) = parameters(setting.mode);
    let methods = [Method::Constrained, Method::penalised(2.0, (lambda, PENALTY.1))];
    methods.map(|method| FreeRun { method, count: count(setting), beta: BETA, steps, precision: setting.mode.into() })
}

fn number_of(marks: &[bool]) -> usize {
    marks.iter().filter(|mark| **mark).count()
}

/// Quartiles of the unique memory ratio.
fn row(method: &str, repeated: &[usize], count: usize) -> [TableCell; 3] {
    let ratios: Vec<f64> = repeated.iter().map(|repeats| 1.0 - *repeats as f64 / count as f64).collect();
    let Quartiles { q25, median, q75 } = Quartiles::of(&ratios);
    let table = format!("Unique memory ratio of {} seeds", repeated.len());
    [("lower quarter", q25), ("median", median), ("upper quarter", q75)]
        .map(|(col, value)| TableCell::plain(method, col, value).of(table.clone()))
}

/// What the paper says about the figure.
fn claims(setting: &Setting, all: &[(String, Vec<usize>)]) -> Vec<Claim> {
    let [(_, constrained), (_, penalised)] = all else { return Vec::new() };
    let of = |repeated: &[usize]| format!("Repeats of each seed in {} rounds: {repeated:?}.", count(setting));
    let mut claims = vec![Claim::new(
        "Constrained sparsemax is perfect: every digit comes once.",
        constrained.iter().all(|repeats| *repeats == 0),
        of(constrained),
    )];
    if !setting.quick {
        let total: usize = penalised.iter().sum();
        let few = penalised.iter().all(|repeats| *repeats <= COUNT / 10);
        claims.push(Claim::new(
            "Penalised sparsemax repeats itself, but briefly: there are repeats, and in no run more than a tenth.",
            total > 0 && few,
            of(penalised),
        ));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_decide() {
        let setting = Setting { mode: Mode::Printed, seeds: 2, long_seeds: 3, quick: false };
        let holds = |constrained: &[usize], penalised: &[usize]| {
            let all = [(String::new(), constrained.to_vec()), (String::new(), penalised.to_vec())];
            claims(&setting, &all).iter().map(|claim| claim.holds).collect::<Vec<_>>()
        };
        assert_eq!(holds(&[0, 0], &[0, 3]), [true, true]);
        assert_eq!(holds(&[0, 1], &[0, 0]), [false, false], "a repeat of the one, none of the other");
        assert_eq!(holds(&[0, 0], &[0, 13]), [true, false], "more than a tenth of 128");
    }

    #[test]
    fn ratios_of_repeats() {
        let values = row("", &[0, 4, 2], 8).map(|cell| cell.value);
        assert_eq!(values, [0.625, 0.75, 0.875]);
    }
}
