//! What the paper says about free recall.

use super::{BETA, COUNT, MEASURE};
use crate::experiment::{Claim, Pictures, Series, Setting};
use crate::experiments::recall::{Method, Which, find};

/// What the paper says about the figure.
pub(super) fn of(setting: &Setting, all: &[Series]) -> Vec<Claim> {
    let constrained = Method::Constrained.name();
    let lowest = all
        .iter()
        .filter(|one| one.method == constrained)
        .flat_map(|one| one.x.iter().zip(&one.median).map(move |(x, median)| (*median, place(one, *x))));
    let lowest = lowest.min_by(|a, b| a.0.total_cmp(&b.0));
    let mut claims: Vec<Claim> = lowest
        .map(|(median, place)| {
            let because = format!("The lowest of its medians is {median:.4} ({place}).");
            Claim::new(
                "Constrained sparsemax is near-optimal for every number of memories and every β: all medians are at least 0.99.",
                median >= 0.99,
                because,
            )
        })
        .into_iter()
        .collect();
    if !setting.quick {
        claims.extend([fewer_with_size(all), softmax_falls_most(all), sparse_beats_softmax(all), more_with_beta(all)]);
        claims.push(effective_when_small(all));
    }
    claims
}

fn place(series: &Series, x: f64) -> String {
    match series.beta {
        Some(_) => format!("{}, N = {x}", series.dataset),
        None => format!("{}, β = {x}", series.dataset),
    }
}

/// The curves of the penalised methods: against sizes or against temperatures.
fn penalised(all: &[Series], by_beta: bool) -> impl Iterator<Item = &Series> {
    let constrained = Method::Constrained.name();
    all.iter().filter(move |one| one.method != constrained && one.beta.is_none() == by_beta)
}

fn first_and_last(series: &Series) -> (f64, f64) {
    let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
    (end(series.median.first()), end(series.median.last()))
}

fn short(method: &str) -> &str {
    method.trim_start_matches("penalised ")
}

fn fewer_with_size(all: &[Series]) -> Claim {
    let ends: Vec<String> = penalised(all, false)
        .map(|one| {
            let (first, last) = first_and_last(one);
            format!("{} {} {first:.2} → {last:.2}", one.dataset, short(&one.method))
        })
        .collect();
    let holds = penalised(all, false).map(first_and_last).all(|(first, last)| last < first);
    let says = "The performance of every penalised method falls as the number of memories rises, from 2 to 1024.";
    Claim::new(says, holds, format!("{}.", ends.join("; ")))
}

fn softmax_falls_most(all: &[Series]) -> Claim {
    let mut holds = true;
    let mut because = Vec::new();
    for dataset in Pictures::MEMORIES {
        let last = |one: &&Series| one.dataset == dataset.name();
        let of: Vec<(&str, f64)> =
            penalised(all, false).filter(last).map(|one| (short(&one.method), first_and_last(one).1)).collect();
        let soft = of.iter().find(|(name, _)| *name == "softmax").map_or(f64::NAN, |one| one.1);
        holds &= of.iter().all(|(name, last)| *name == "softmax" || soft < *last);
        let numbers: Vec<String> = of.iter().map(|(name, last)| format!("{name} {last:.3}")).collect();
        because.push(format!("{}: {}", dataset.name(), numbers.join(", ")));
    }
    let says = "Softmax falls most: at 1024 memories it has the lowest ratio on every data set.";
    Claim::new(says, holds, format!("{}.", because.join("; ")))
}

fn sparse_beats_softmax(all: &[Series]) -> Claim {
    let [_, soft, sparse @ ..] = Method::all();
    let (mut points, mut against) = (0, Vec::new());
    for dataset in Pictures::MEMORIES {
        let of =
            |method: Method| find(all, Which { method: &method.name(), dataset, beta: Some(BETA), measure: MEASURE });
        let Some(dense) = of(soft) else { continue };
        for sparse in sparse.into_iter().filter_map(of) {
            for ((x, low), high) in dense.x.iter().zip(&dense.median).zip(&sparse.median) {
                points += 1;
                if high < low {
                    against.push(format!(
                        "{}: {} {high:.3}, softmax {low:.3}",
                        place(sparse, *x),
                        short(&sparse.method)
                    ));
                }
            }
        }
    }
    let because = match against.as_slice() {
        [] => format!("All {points} pairs of medians."),
        some => format!("Not at {} of {points} pairs of medians: {}.", some.len(), some.join("; ")),
    };
    let says = "1.5-entmax and sparsemax do at least as well as softmax for every number of memories.";
    Claim::new(says, against.is_empty(), because)
}

fn more_with_beta(all: &[Series]) -> Claim {
    let mut fall = (0.0, String::new());
    let mut ends = Vec::new();
    let mut better = true;
    for one in penalised(all, true) {
        for (pair, x) in one.median.windows(2).zip(&one.x[1..]) {
            if pair[0] - pair[1] > fall.0 {
                fall = (pair[0] - pair[1], format!(" ({} {})", short(&one.method), place(one, *x)));
            }
        }
        let (first, last) = first_and_last(one);
        better &= last >= first;
        ends.push(format!("{} {} {first:.2} → {last:.2}", one.dataset, short(&one.method)));
    }
    let says = "The performance of penalised methods rises with β, from 1/32 to 8: no step down by more than two memories of 128.";
    let because = format!("{}. The largest step down is {:.4}{}.", ends.join("; "), fall.0, fall.1);
    Claim::new(says, better && fall.0 <= 2.0 / COUNT as f64, because)
}

fn effective_when_small(all: &[Series]) -> Claim {
    const SMALL: f64 = 16.0;
    let missing = penalised(all, false).flat_map(|one| {
        let small = one.x.iter().zip(&one.median).filter(|(x, _)| **x <= SMALL);
        small.map(move |(x, median)| (x * (1.0 - median), format!("{}, {}", short(&one.method), place(one, *x))))
    });
    let (most, place) = missing.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, String::new()));
    let says = "Penalised methods work well for few memories: up to 16, no median misses more than one memory.";
    Claim::new(says, most <= 1.0 + 1e-9, format!("The most that are missing is {most:.0} ({place})."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Mode;
    use crate::experiments::fig4::BETAS;
    use crate::experiments::recall::{COUNTS, series};

    const SETTING: Setting = Setting { mode: Mode::Printed, seeds: 5, long_seeds: 3, quick: false };

    /// Curves that fall from 1 with the size and rise to 1 with β, softmax the most.
    fn curves() -> Vec<Series> {
        let mut all = Vec::new();
        for dataset in Pictures::MEMORIES {
            for (method, loss) in Method::all().into_iter().zip([0.0, 0.03, 0.02, 0.01]) {
                let name = method.name();
                let which = |beta| Which { method: &name, dataset, beta, measure: MEASURE };
                let steps = |count: usize| (0..count).map(move |k| k as f64);
                let sizes =
                    COUNTS.iter().zip(steps(10)).map(|(n, k)| (*n as f64, vec![1.0 - (k - 4.0).max(0.0) * loss]));
                let betas = BETAS.iter().zip(steps(9)).map(|(beta, k)| (*beta, vec![1.0 - (8.0 - k) * loss]));
                all.extend([series(which(Some(BETA)), sizes), series(which(None), betas)]);
            }
        }
        all
    }

    fn verdicts(all: &[Series]) -> Vec<bool> {
        of(&SETTING, all).iter().map(|claim| claim.holds).collect()
    }

    #[test]
    fn statements_can_be_true_and_false() {
        let good = curves();
        assert_eq!(verdicts(&good), [true; 6]);
        // Each change to a point of a curve makes its statement false.
        let changes = [
            (0, (0, 7), 0.98),
            (1, (4, 9), 1.0),
            (2, (2, 9), 0.99),
            (3, (6, 6), 0.1),
            (4, (7, 3), 1.0),
            (5, (2, 3), 13.9 / 16.0),
        ];
        for (statement, (curve, point), median) in changes {
            let mut bad = good.clone();
            bad[curve].median[point] = median;
            assert!(!verdicts(&bad)[statement], "{statement}: {:?}", bad[curve]);
        }
    }
}
