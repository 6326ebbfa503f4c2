//! Figure 11: how many memories a network holds.

use hfy_draw::chart::Axis;
use serde_json::{Value, json};

use super::masked::overview::{self, BETAS};
use super::masked::{self, Curves, Method, Model, TABLE_SIZES, Trial, beta_name};
use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Drawing, Experiment, Mode, Outcome, Pictures, Quartiles, Reading, Results, Setting, TableCell,
};

/// Figure 11.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fig11;

/// Powers of two up to the largest of a set.
pub(super) fn sizes(pictures: Pictures, quick: bool) -> Vec<usize> {
    let largest = match (pictures, quick) {
        (_, true) => 7,
        (Pictures::Mnist, false) => 12,
        (_, false) => 10,
    };
    (1..=largest).filter(|power| !quick || power % 2 == 1).map(|power| 1 << power).collect()
}

/// Trials without noise.
pub(super) fn trials(pictures: Pictures, quick: bool) -> Vec<Trial> {
    sizes(pictures, quick).into_iter().map(|memories| Trial { memories, noise: 0.0 }).collect()
}

/// The axis of sizes.
pub(super) fn size_axis(pictures: Pictures, quick: bool) -> Axis {
    let sizes = sizes(pictures, quick);
    let most = *sizes.last().unwrap_or(&2) as f64;
    let ticks = sizes.iter().step_by(if quick { 1 } else { 2 }).map(|size| (*size as f64, size.to_string()));
    Axis::log2("stored memories").within(1.7, most * 1.18).ticked(ticks)
}

impl Experiment for Fig11 {
    fn id(&self) -> &'static str {
        "fig11"
    }

    fn title(&self) -> &'static str {
        "Memory capacity of nine networks on three sets of pictures"
    }

    fn about(&self) -> &'static str {
        "Every stored picture is shown with the lower half of its rows hidden. After five updates it counts as retrieved if its \
         cosine with the stored picture is above 0.9. The curves are medians over the seeds with the quarters as bands. Look \
         at which curves leave the top, and where: the family that ends in a hyperbolic tangent leaves it at once, and the \
         l2-normalised sparsemax last. On colour pictures no state of ±1 is near most of the memories, whatever the dynamics: \
         the last table has the share that it could reach."
    }

    fn readings(&self) -> Vec<Reading> {
        masked_readings()
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        overview::work(setting, |pictures| trials(pictures, setting.quick))
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let rates = masked::compute(&cell.key()?, bench)?;
        serde_json::to_value(rates).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let curves = Curves::new(setting, results, false)?;
        let figure = overview::figure(&curves, "Memory capacity", |pictures| size_axis(pictures, setting.quick));
        let caption = "Share of half-hidden pictures that are retrieved, against the number of stored ones: medians and quarters \
                       over the seeds. Colours are families: grey ends in a tangent, blue is entmax, orange is normmax, wine and \
                       green are 2-entmax with a normalisation. Above β = 1, below β = 0.1.";
        Ok(Outcome {
            parameters: json!({
                "sizes": Pictures::MEMORIES.map(|pictures| (pictures.name(), sizes(pictures, setting.quick))),
                "beta": BETAS, "updates": 5, "hidden": "lower half of the rows, set to 0", "success": "cosine > 0.9",
                "models": models(setting.mode),
            }),
            cells: if setting.quick { Vec::new() } else { tables(&curves, setting.mode) },
            series: overview::series(&curves),
            claims: if setting.quick { Vec::new() } else { overview::claims(&curves, "numbers of memories") },
            values: Value::Null,
            drawings: vec![Drawing { name: "fig11".to_owned(), caption: caption.to_owned(), figure }],
        })
    }
}

/// What stands behind each name, on MNIST at β = 1.
pub(super) fn models(mode: Mode) -> Vec<(String, Model)> {
    Method::ALL.iter().map(|method| (method.name(), method.model(mode, Pictures::Mnist, 1.0))).collect()
}

/// How the published code and the paper differ where pictures are retrieved by these methods.
pub(super) fn masked_readings() -> Vec<Reading> {
    vec![
        Reading::new(
            "inverse temperature of the l2-normalised network",
            "20, whatever the figure says",
            "the β of the figure",
            "Patterns of length 1 have scores below 1, so that β = 1 tells nothing apart: the states are blends of nearly all \
             memories and the curve collapses. The 20 makes it the best one.",
        ),
        Reading::new(
            "polynomial memory",
            "tenth power of the scores, an even one, which loses their sign",
            "r = 10: signed power r - 1 = 9",
            "Little: on these pictures nearly all scores that count are positive.",
        ),
        Reading::new(
            "exponential memory",
            "exp(b X q), b = 0.05 on MNIST and 0.01 on colour pictures, which the paper does not mention",
            "exp(X q)",
            "Much: without b the weights are as good as one-hot, and the exponential memory is as ideal on MNIST as softmax is.",
        ),
        Reading::new(
            "numbers beyond single precision",
            "become infinite, then NaN, and the cue is lost",
            "weights are kept with their common factor apart, so that nothing is lost",
            "Scores of more than 7131 have no tenth power in single precision, and those of more than 8872 no exp(0.01 x): on \
             Tiny ImageNet saturated states reach such scores with some of the memories.",
        ),
        Reading::new(
            "ε of the layer normalisation",
            "1e-5",
            "1e-8",
            "None to be seen: variances are thousands of times larger.",
        ),
    ]
}

/// MNIST rates of the published code at [`TABLE_SIZES`], medians of five permutations of its own.
fn reference(method: Method, mode: Mode, beta: f64) -> [Option<f64>; 5] {
    const NONE: [Option<f64>; 5] = [None; 5];
    let all = |rates: [f64; 5]| rates.map(Some);
    match (method, mode) {
        // The tangent saturates: the same at both temperatures.
        (Method::Classic, _) => all([1.0, 0.0, 0.0, 0.04, 0.03]),
        (Method::Polynomial, Mode::Printed) => all([1.0, 1.0, 0.19, 0.07, 0.07]),
        (Method::Polynomial, Mode::Defined) => all([1.0, 1.0, 0.16, 0.06, 0.06]),
        (Method::Exponential, Mode::Printed) => all([1.0, 1.0, 1.0, 0.69, 0.15]),
        (Method::Exponential, Mode::Defined) => NONE,
        (Method::Sparse(_, 1), Mode::Printed) => all([1.0; 5]),
        (Method::Sparse(_, 1), Mode::Defined) if beta == 1.0 => all([1.0, 0.38, 0.22, 0.20, 0.32]),
        (Method::Sparse(_, 1), Mode::Defined) => all([1.0, 0.13, 0.06, 0.16, 0.16]),
        _ if beta == 1.0 => all([1.0; 5]),
        (Method::Sparse(0, 0), _) => [None, None, None, None, Some(0.94)],
        (Method::Sparse(_, 0), _) => all([1.0; 5]),
        _ => NONE,
    }
}

fn tables(curves: &Curves, mode: Mode) -> Vec<TableCell> {
    let mut cells = Vec::new();
    for beta in BETAS {
        for method in Method::ALL {
            let model = method.model(mode, Pictures::Mnist, beta);
            for (memories, reference) in TABLE_SIZES.into_iter().zip(reference(method, mode, beta)) {
                let rates = curves.at(Pictures::Mnist, &model, memories as f64);
                let median = Quartiles::of(&rates).median;
                let plain = || TableCell::plain(method.name(), memories.to_string(), median);
                let beside = reference.and_then(|reference| curves.beside(method, beta, memories, reference));
                cells.push(
                    beside
                        .unwrap_or_else(plain)
                        .of(format!("MNIST at {}: retrieved, by stored memories", beta_name(beta))),
                );
            }
        }
    }
    for pictures in Pictures::MEMORIES {
        let most = *sizes(pictures, false).last().unwrap_or(&0);
        let column = format!("{}, {most} stored", pictures.name());
        let rounded = Quartiles::of(&curves.at(pictures, &Model::Rounded, most as f64)).median;
        let table = "At the largest numbers of memories";
        for beta in BETAS {
            for method in Method::ALL {
                let row = format!("{}, {}", method.name(), beta_name(beta));
                cells
                    .push(TableCell::plain(row, &column, curves.median(method, pictures, beta, most as f64)).of(table));
            }
        }
        cells.push(TableCell::plain("the memory itself, rounded to ±1", &column, rounded).of(table));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_share_what_they_have_in_common() {
        let cells = |mode| Fig11.cells(&Setting { mode, seeds: 5, long_seeds: 3, quick: false });
        let (printed, defined) = (cells(Mode::Printed), cells(Mode::Defined));
        let shared = printed.iter().filter(|cell| defined.contains(cell)).count();
        // The classic network, everything without a post-transformation, and the rounded memories: three bundles.
        assert_eq!(shared, 3 * 3 * 5);
        // The tenth power, the exponential, l2 and layer normalisation beside them.
        assert_eq!(printed.len(), 7 * 3 * 5);
    }

    #[test]
    fn sizes_are_those_of_the_paper() {
        assert_eq!(sizes(Pictures::Mnist, false).last(), Some(&4096));
        assert_eq!(sizes(Pictures::TinyImagenet, false).len(), 10);
        assert!(TABLE_SIZES.iter().all(|size| sizes(Pictures::Mnist, false).contains(size)));
    }
}
