//! What the paper says about sequential recall.

use super::{ALPHAS, LEAST_ORDERED, Moved, ORDER, UNIQUE, score};
use crate::experiment::{Claim, Mode, Pictures, Series, quantile};
use crate::experiments::recall::{Moves, map_name, right_run};

/// What the paper says about the figure.
pub(super) fn of(mode: Mode, all: &[Series], moves: &[Moved]) -> Vec<Claim> {
    vec![
        falls_with_size(mode, all),
        close_together(all),
        softmax_is_worst(all, UNIQUE),
        softmax_is_worst(all, ORDER),
        jumps_more(moves),
        blocks_are_straight(moves),
        blocks_go_forwards(moves),
    ]
}

fn falls_with_size(mode: Mode, all: &[Series]) -> Claim {
    let short = |one: &Series, at: usize| {
        let right = score(&right_run(one.x[at] as usize), mode, &one.measure);
        right - one.median[at]
    };
    let ends = all.iter().filter(|one| !one.x.is_empty()).map(|one| {
        let first = one.x.iter().position(|x| *x >= LEAST_ORDERED as f64).unwrap_or(0);
        (one, short(one, first), short(one, one.x.len() - 1))
    });
    let ends: Vec<(&Series, f64, f64)> = ends.collect();
    let text = |(one, first, last): &(&Series, f64, f64)| {
        let measure = if one.measure == UNIQUE { "ratio" } else { "coefficient" };
        format!("{} {} {measure} {first:.3} → {last:.3}", one.dataset, one.method)
    };
    let because: Vec<String> = ends.iter().map(text).collect();
    Claim::new(
        "Performance falls as the number of memories rises: from 8 to 1024, every median falls further below that of the right order.",
        ends.iter().all(|(_, first, last)| last > first),
        format!("How far below: {}.", because.join("; ")),
    )
}

/// The mean of a map's medians over data sets and sizes.
fn mean(all: &[Series], alpha: f64, measure: &str) -> f64 {
    let of_map = all.iter().filter(|one| one.method == map_name(alpha) && one.measure == measure);
    let medians: Vec<f64> = of_map.flat_map(|one| one.median.iter().copied()).collect();
    medians.iter().sum::<f64>() / medians.len() as f64
}

fn means(all: &[Series], measure: &str) -> ([f64; 3], String) {
    let means = ALPHAS.map(|alpha| mean(all, alpha, measure));
    let words: Vec<String> =
        ALPHAS.iter().zip(means).map(|(alpha, mean)| format!("{} {mean:.4}", map_name(*alpha))).collect();
    (means, format!("Means of the medians over data sets and sizes: {}.", words.join(", ")))
}

fn close_together(all: &[Series]) -> Claim {
    let (means, because) = means(all, UNIQUE);
    let apart = means.into_iter().fold(0.0, f64::max) - means.into_iter().fold(1.0, f64::min);
    let says = "The three maps compete: their mean unique memory ratios are no more than 0.05 apart.";
    Claim::new(says, apart <= 0.05, because)
}

fn softmax_is_worst(all: &[Series], measure: &str) -> Claim {
    let ([soft, others @ ..], because) = means(all, measure);
    let says = format!("Softmax tends to be worse than the other two in the {measure}.");
    Claim::new(says, others.iter().all(|other| soft < *other), because)
}

fn jumps_more(moves: &[Moved]) -> Claim {
    let mut holds = true;
    let mut because = Vec::new();
    for dataset in Pictures::MEMORIES {
        let at = |count: usize| {
            let found = moves.iter().find(|one| one.dataset == dataset && one.count == count);
            let shares: Vec<f64> = found.iter().flat_map(|one| &one.runs).map(Moves::jump_share).collect();
            quantile(&shares, 0.5)
        };
        let [few, some, many] = [8, 64, 1024].map(at);
        holds &= few < many;
        because.push(format!("{} {few:.3}, {some:.3}, {many:.3}", dataset.name()));
    }
    let says = "It tends to jump, and more so where memories are many: the median share of rounds that jump is larger at N = 1024 than at \
                N = 8.";
    Claim::new(says, holds, format!("At N = 8, 64, 1024: {}.", because.join("; ")))
}

/// The moves of each data set at all sizes.
fn by_dataset(moves: &[Moved]) -> [(Pictures, Moves); 3] {
    Pictures::MEMORIES.map(|dataset| {
        let of_set = moves.iter().filter(|one| one.dataset == dataset).map(Moved::total);
        (dataset, of_set.fold(Moves::default(), Moves::and))
    })
}

fn blocks_are_straight(moves: &[Moved]) -> Claim {
    let all = by_dataset(moves);
    let because = all.map(|(dataset, moves)| format!("{} {} of {}", dataset.name(), moves.on, moves.on + moves.back));
    Claim::new(
        "Within blocks the memories come in order: of the steps from neighbour to neighbour, nine of ten keep the direction.",
        all.iter().all(|(_, moves)| moves.straight_share() >= 0.9),
        format!("{}.", because.join("; ")),
    )
}

fn blocks_go_forwards(moves: &[Moved]) -> Claim {
    let all = by_dataset(moves);
    let because = all.map(|(dataset, moves)| {
        format!("{}: {} forwards, {} backwards", dataset.name(), moves.forward, moves.backward)
    });
    Claim::new(
        "And it is the right order: of the steps to a neighbour, nine of ten go forwards.",
        all.iter().all(|(_, moves)| moves.forward_share() >= 0.9),
        format!(
            "{}. Neighbours have no direction: where a jump leads, the way back is as near as the way on.",
            because.join("; ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::fig6::BETA;
    use crate::experiments::recall::{Which, series};

    #[test]
    fn statements_can_be_true_and_false() {
        let curves = |soft: f64, others: f64| -> Vec<Series> {
            let mut all = Vec::new();
            for (measure, alpha) in [UNIQUE, ORDER].into_iter().flat_map(|m| ALPHAS.map(|alpha| (m, alpha))) {
                let name = map_name(alpha);
                let which = Which { method: &name, dataset: Pictures::Mnist, beta: Some(BETA), measure };
                let last = if alpha == 1.0 { soft } else { others };
                all.push(series(which, [(8.0, vec![0.875]), (1024.0, vec![last])]));
            }
            all
        };
        let moves = |forward, backward, jump, back| Moves { forward, backward, jump, back, on: 30, stay: 0 };
        let all = |many: Moves| -> Vec<Moved> {
            let of = |dataset, count, run| Moved { dataset, count, runs: vec![run] };
            let few = moves(7, 0, 0, 0);
            Pictures::MEMORIES.into_iter().flat_map(|set| [of(set, 8, few), of(set, 1024, many)]).collect()
        };
        let verdicts = |soft, others, many| {
            let claims = of(Mode::Printed, &curves(soft, others), &all(many));
            claims.iter().map(|claim| claim.holds).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(0.5, 0.55, moves(90, 5, 10, 0)), [true; 7]);
        assert_eq!(verdicts(1.0, 0.5, moves(50, 50, 0, 9)), [false; 7]);
    }
}
