//! Text rationales: runs of training, Table 6, Figure 13, and what goes beyond them.

mod beyond;
mod fig13;
mod highlights;
mod own;
mod paper;
mod run;
mod table6;

pub(in crate::experiments) use beyond::Rationales;
pub(in crate::experiments) use fig13::Fig13;
pub(in crate::experiments) use table6::Table6;

/// Mean, lowest and highest.
fn range(values: &[f64]) -> (f64, f64, f64) {
    let of = |better: fn(f64, f64) -> f64, from: f64| values.iter().copied().fold(from, better);
    (super::mean(values), of(f64::min, f64::INFINITY), of(f64::max, f64::NEG_INFINITY))
}
