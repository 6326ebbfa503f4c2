//! Sequential recall of digits, one by one.

use serde_json::{Value, json};

use super::recall::{Moves, Recalled, SequentialRun, Strip, Taken, drawn, jumps, scored, seeds};
use crate::error::Result;
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Quartiles, Reading, Results, Setting, TableCell,
};

const COUNT: usize = 128;
const QUICK_COUNT: usize = 32;

/// Figure 7.
#[derive(Debug)]
pub(super) struct Fig7;

impl Experiment for Fig7 {
    fn id(&self) -> &'static str {
        "fig7"
    }

    fn title(&self) -> &'static str {
        "Sequential recall of digits, one by one"
    }

    fn about(&self) -> &'static str {
        "128 digits are stored and recalled in their order from the first of them, with sparsemax in the inner loop (Algorithm 3), at \
         β = 0.1. Below each digit stands its place in the memory: a right recall counts 1, 2, 3 and so on, and has nowhere to go from \
         the last one. A jump leads to a digit that is neither the one before nor next to it. No code for this figure is published, \
         and the paper does not say how many digits it shows, or which. Here 128 digits of the first seed are shown, and those of \
         the seed that jumps most."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "parameters",
                "as the caption says: t = 10⁵, T = 100",
                "as in the experiments of the section: t = 10⁸, T = 20",
                "A little: the run that jumps recalls one digit more or less. Both scores outweigh everything but the penalties, \
                 which are of the size of 10⁵. T alone changes nothing.",
            ),
            Reading::new(
                "regulariser of the association",
                "counts both states of a memory, on and off",
                "counts the state on alone, so that without transition scores it is k-subsets",
                "The run that jumps does so 8 times, and not 42 times. Counting both states halves all scores, so that more pairs \
                 share the association.",
            ),
            Reading::new(
                "precision",
                "patterns and states in single precision",
                "patterns and states in double precision",
                "Nothing: all five runs are the same.",
            ),
            Reading::new(
                "measures",
                "over 128 rounds, the last of which has nothing left to recall: at most 1 - 1/128",
                "over the 127 rounds in which a digit is left: at most 1",
                "The right order has 1, and not 0.9922.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        Recalled::cells(seeds(setting), &[run(setting)])
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        Recalled::<SequentialRun>::compute(cell, bench)
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let recalled = Recalled::<SequentialRun>::gathered(results)?;
        let run = run(setting);
        let moves: Vec<(u64, Moves)> = recalled.taken.iter().map(|one| (one.seed, Moves::of(&one.recalled))).collect();
        let mut strips = Vec::new();
        for seed in drawn_seeds(&moves) {
            let (list, digits) = recalled.of_seed(&run, seed)?;
            let (name, marked) = (format!("sequential recall, seed {seed}"), jumps(list));
            strips.push(Strip {
                name,
                words: words(list, &marked, setting.mode),
                recalled: list.to_vec(),
                marked,
                digits,
            });
        }
        let figure = drawn("Digits in the order of sequential recall", &strips, "a jump")?;
        let caption = format!(
            "Digits in the order in which they come, row by row, after the cue at the left; below each its place among the {} that \
             are stored, counted from 0. A red frame with a full corner: a jump to a digit that is not next to the one before. \
             t = {:e}, T = {}, λ = {:e}, τ = {}, ω = {}, β = {}.",
            run.count, run.transition, run.steps, run.lambda, run.tau, run.omega, run.beta
        );
        Ok(Outcome {
            parameters: json!({ "pictures": "MNIST", "seeds": seeds(setting), "cue": "memory 0", "run": run }),
            cells: table(&recalled.taken, setting.mode),
            claims: if setting.quick { Vec::new() } else { claims(&moves) },
            values: json!({ "moves_of_seeds": moves }),
            drawings: vec![Drawing { name: "fig7".to_owned(), caption, figure }],
            series: Vec::new(),
        })
    }
}

fn run(setting: &Setting) -> SequentialRun {
    let count = if setting.quick { QUICK_COUNT } else { COUNT };
    let paper = SequentialRun::of_paper(2.0, count, setting.mode);
    match setting.mode {
        Mode::Printed => SequentialRun { transition: 1e5, steps: 100, ..paper },
        Mode::Defined => paper,
    }
}

/// The first seed, and the one that jumps most, if it is another that does.
fn drawn_seeds(moves: &[(u64, Moves)]) -> Vec<u64> {
    let most = moves.iter().map(|(_, moves)| moves.jump).max().filter(|most| *most > 0);
    let wildest = most.and_then(|most| moves.iter().find(|(_, moves)| moves.jump == most));
    let mut seeds = vec![0];
    seeds.extend(wildest.map(|(seed, _)| *seed).filter(|seed| *seed != 0));
    seeds
}

fn words(recalled: &[usize], marked: &[bool], mode: Mode) -> String {
    let (unique, order) = scored(recalled, mode);
    let jumps = match marked.iter().filter(|jump| **jump).count() {
        0 => "no jump".to_owned(),
        1 => "1 jump".to_owned(),
        jumps => format!("{jumps} jumps"),
    };
    format!("{jumps}; unique memory ratio {unique:.3}, Levenshtein coefficient {order:.3}")
}

/// Quartiles of the measures.
fn table(taken: &[Taken<SequentialRun>], mode: Mode) -> Vec<TableCell> {
    let (unique, order): (Vec<f64>, Vec<f64>) = taken.iter().map(|one| scored(&one.recalled, mode)).unzip();
    let rows = [("unique memory ratio", unique), ("Levenshtein coefficient", order)];
    let row = |(name, values): (&'static str, Vec<f64>)| {
        let Quartiles { q25, median, q75 } = Quartiles::of(&values);
        [("lower quarter", q25), ("median", median), ("upper quarter", q75)]
            .map(|(col, value)| TableCell::plain(name, col, value).of(format!("Measures of {} seeds", taken.len())))
    };
    rows.into_iter().flat_map(row).collect()
}

/// What the paper says about the figure.
fn claims(moves: &[(u64, Moves)]) -> Vec<Claim> {
    let jumps: Vec<usize> = moves.iter().map(|(_, moves)| moves.jump).collect();
    let of = |keep: &dyn Fn(&Moves) -> bool| {
        let some = moves.iter().map(|(_, moves)| *moves).filter(|moves| keep(moves));
        some.fold(Moves::default(), Moves::and)
    };
    let wild = of(&|moves| moves.jump > 0);
    vec![
        Claim::new(
            "The recall jumps between positions in memory: some run has jumps.",
            wild.jump > 0,
            format!("Jumps of each seed: {jumps:?}."),
        ),
        Claim::new(
            "Between jumps the digits come in the right order: of the steps to a neighbour in runs that jump, nine of ten go forwards.",
            wild.forward_share() >= 0.9,
            format!(
                "{} steps forwards, {} backwards. A neighbour may be the next memory or the one before; where a jump has led into the \
                 middle, nothing tells them apart.",
                wild.forward, wild.backward
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(jump: usize) -> Moves {
        Moves { forward: 9, backward: 1, jump, ..Moves::default() }
    }

    #[test]
    fn the_first_seed_is_drawn_and_the_wildest() {
        assert_eq!(drawn_seeds(&[(0, moves(0)), (1, moves(0))]), [0]);
        assert_eq!(drawn_seeds(&[(0, moves(2)), (1, moves(0))]), [0]);
        assert_eq!(drawn_seeds(&[(0, moves(2)), (1, moves(3)), (2, moves(3))]), [0, 1]);
    }

    #[test]
    fn order_is_judged_on_runs_that_jump() {
        let backwards = Moves { backward: 50, ..Moves::default() };
        let holds = |all: &[(u64, Moves)]| claims(all).iter().map(|claim| claim.holds).collect::<Vec<_>>();
        assert_eq!(holds(&[(0, backwards), (1, moves(4))]), [true, true]);
        assert_eq!(holds(&[(0, moves(0))]), [false, true]);
        assert_eq!(holds(&[(0, Moves { jump: 1, ..backwards })]), [true, false]);
    }
}
