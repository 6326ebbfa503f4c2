//! All nine methods on all pictures at both temperatures: Figures 11 and 12 differ in what lies along the x axis alone.

use hfy_draw::Figure;
use hfy_draw::chart::{Axis, Grid, Panel};

use super::{Curves, Method, Model, Trial, beta_name, cells};
use crate::experiment::{Cell, Claim, Pictures, Series, Setting};

/// The inverse temperatures, as they stand in the figures from above to below.
pub(crate) const BETAS: [f64; 2] = [1.0, 0.1];

/// Methods that end in a hyperbolic tangent.
const SATURATED: [Method; 3] = [Method::Classic, Method::Polynomial, Method::Exponential];
/// Entmax and normmax without a post-transformation.
const PLAIN: [Method; 4] = [Method::Sparse(0, 0), Method::Sparse(1, 0), Method::Sparse(2, 0), Method::Sparse(3, 0)];
const NORM: Method = Method::Sparse(1, 1);
const LNORM: Method = Method::Sparse(1, 2);

/// The work: all methods over trials that may depend on the pictures.
pub(crate) fn work(setting: &Setting, trials: impl Fn(Pictures) -> Vec<Trial>) -> Vec<Cell> {
    let seeds = if setting.quick { setting.seeds.min(2) } else { setting.seeds };
    let of = |pictures: Pictures| {
        let methods =
            Method::ALL.iter().flat_map(|method| BETAS.map(|beta| method.model(setting.mode, pictures, beta)));
        cells(pictures, seeds, &trials(pictures), methods.chain([Model::Rounded]).collect())
    };
    Pictures::MEMORIES.into_iter().flat_map(of).collect()
}

/// Every curve.
pub(crate) fn series(curves: &Curves) -> Vec<Series> {
    let mut all = Vec::new();
    for beta in BETAS {
        for pictures in Pictures::MEMORIES {
            all.extend(Method::ALL.map(|method| curves.series(method, pictures, beta)));
        }
    }
    all.extend(Pictures::MEMORIES.map(|pictures| rounded(curves, pictures)));
    all
}

fn rounded(curves: &Curves, pictures: Pictures) -> Series {
    curves.series_of("memory rounded to ±1".to_owned(), &Model::Rounded, pictures, None)
}

/// The figure: pictures from left to right, temperatures from above to below.
pub(crate) fn figure(curves: &Curves, title: &str, x: impl Fn(Pictures) -> Axis) -> Figure {
    let mut panels = Vec::new();
    for (row, beta) in BETAS.into_iter().enumerate() {
        for pictures in Pictures::MEMORIES {
            let name = if row == 0 { pictures.name() } else { "" };
            let mut panel = Panel::new(name, x(pictures), Axis::linear("share retrieved").within(-0.03, 1.03));
            let curve = |method: &Method| method.curve(&curves.series(*method, pictures, beta));
            panel.curves = Method::ALL.iter().map(curve).collect();
            panels.push(panel);
        }
    }
    let mut grid = Grid::new(title, 3, panels);
    grid.row_labels = BETAS.map(beta_name).to_vec();
    (grid.shared_x, grid.shared_y) = (true, true);
    grid.figure()
}

/// What the paper says of both figures.
pub(crate) fn claims(curves: &Curves, what: &str) -> Vec<Claim> {
    vec![
        fail_early(curves, what),
        ideal(curves),
        degrade(curves, what),
        sharper(curves),
        norm_is_best(curves),
        layer_norm_is_between(curves),
        temperature_is_forgotten(curves),
    ]
}

fn three(value: f64) -> String {
    format!("{value:.3}")
}

/// A number for each set of pictures, in words.
fn each(number: impl Fn(Pictures) -> String) -> String {
    Pictures::MEMORIES.map(|pictures| format!("{} {}", pictures.name(), number(pictures))).join("; ")
}

fn extreme(values: impl IntoIterator<Item = f64>, more: fn(f64, f64) -> f64) -> f64 {
    values.into_iter().reduce(more).unwrap_or(f64::NAN)
}

fn fail_early(curves: &Curves, what: &str) -> Claim {
    let mean =
        |method: Method, pictures| BETAS.iter().map(|&beta| curves.area(method, pictures, beta)).sum::<f64>() / 2.0;
    let best_saturated = |pictures| extreme(SATURATED.map(|method| mean(method, pictures)), f64::max);
    let worst_plain = |pictures| extreme(PLAIN.map(|method| mean(method, pictures)), f64::min);
    let classic_is_last =
        |pictures| SATURATED.iter().all(|&method| mean(Method::Classic, pictures) <= mean(method, pictures));
    let holds = |pictures: &Pictures| best_saturated(*pictures) < worst_plain(*pictures) && classic_is_last(*pictures);
    Claim::new(
        format!(
            "The classic network and the dense associative memories struggle even at low {what}, the classic one the most: on \
             every set the best of the three is below the worst of entmax and normmax."
        ),
        Pictures::MEMORIES.iter().all(holds),
        each(|p| {
            let saturated = SATURATED.map(|method| three(mean(method, p))).join(", ");
            format!("classic, polynomial, exponential {saturated} against at least {}", three(worst_plain(p)))
        }) + " (rates averaged over both temperatures)",
    )
}

fn ideal(curves: &Curves) -> Claim {
    let lowest = |method: Method| {
        extreme(curves.medians(method, Pictures::Mnist, 1.0).into_iter().map(|(_, median)| median), f64::min)
    };
    let worst = extreme(PLAIN.map(lowest), f64::min);
    Claim::new(
        "At β = 1 entmax and normmax are ideal on MNIST.",
        worst >= 0.99,
        format!("the lowest median of all is {}", three(worst)),
    )
}

fn degrade(curves: &Curves, what: &str) -> Claim {
    let steps = |method: Method, pictures: Pictures, beta: f64| {
        let medians = curves.medians(method, pictures, beta);
        extreme(medians.windows(2).map(|pair| pair[0].1 - pair[1].1), f64::max)
    };
    let most = |pictures: Pictures| {
        extreme(PLAIN.iter().flat_map(|&method| BETAS.map(|beta| steps(method, pictures, beta))), f64::max)
    };
    let worst = extreme(Pictures::MEMORIES.map(most), f64::max);
    Claim::new(
        format!(
            "Entmax and normmax degrade gracefully as the {what} grow: no step along the axis costs a quarter of the cues."
        ),
        worst < 0.25,
        format!("the largest loss in one step: {}", each(|pictures| three(most(pictures)))),
    )
}

fn sharper(curves: &Curves) -> Claim {
    let area = |map: usize, pictures| curves.area(Method::Sparse(map, 0), pictures, 0.1);
    let holds = |&p: &Pictures| area(1, p) >= area(0, p) && area(2, p) >= area(3, p);
    Claim::new(
        "At β = 0.1 a larger α and a smaller γ are better.",
        Pictures::MEMORIES.iter().all(holds),
        each(|p| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|map| three(area(map, p)));
            format!("entmax α = 1, 2: {a}, {b}, normmax γ = 2, 5: {c}, {d}")
        }) + " (mean rates)",
    )
}

fn norm_is_best(curves: &Curves) -> Claim {
    // As the curves are drawn: rates that differ by less are one line.
    const WIDTH_OF_A_LINE: f64 = 0.005;
    let area = |method: Method, pictures| curves.area(method, pictures, 0.1);
    let others = |pictures| {
        let others = Method::ALL.into_iter().filter(|method| *method != NORM);
        extreme(others.map(|method| area(method, pictures)), f64::max)
    };
    Claim::new(
        "At β = 0.1 2-entmax with l2 normalisation is the best on all sets.",
        Pictures::MEMORIES.iter().all(|&p| area(NORM, p) >= others(p) - WIDTH_OF_A_LINE),
        each(|p| format!("{} against at most {}", three(area(NORM, p)), three(others(p)))) + " (mean rates)",
    )
}

fn layer_norm_is_between(curves: &Curves) -> Claim {
    let area = |method: Method, pictures| curves.area(method, pictures, 0.1);
    let plain = Method::Sparse(1, 0);
    let holds = |&p: &Pictures| area(plain, p) <= area(LNORM, p) && area(LNORM, p) <= area(NORM, p);
    Claim::new(
        "At β = 0.1 layer normalisation makes 2-entmax better, not as much as l2 normalisation.",
        Pictures::MEMORIES.iter().all(holds),
        each(|p| {
            format!("without, lnorm, norm {}", [plain, LNORM, NORM].map(|method| three(area(method, p))).join(", "))
        }) + " (mean rates)",
    )
}

fn temperature_is_forgotten(curves: &Curves) -> Claim {
    let apart = |pictures: Pictures| {
        let one = |method: Method| {
            let pairs =
                curves.medians(method, pictures, BETAS[0]).into_iter().zip(curves.medians(method, pictures, BETAS[1]));
            extreme(pairs.map(|(a, b)| (a.1 - b.1).abs()), f64::max)
        };
        extreme(SATURATED.map(one), f64::max)
    };
    Claim::new(
        "The classic network and the dense memories are the same at both temperatures: their tangent saturates.",
        Pictures::MEMORIES.iter().all(|&pictures| apart(pictures) < 0.02),
        format!("the medians differ by at most: {}", each(|pictures| three(apart(pictures)))),
    )
}
