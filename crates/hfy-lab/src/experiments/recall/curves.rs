//! Medians over seeds as curves of a chart.

use hfy_draw::chart::{Curve, Style};

use crate::experiment::{Pictures, Quartiles, Series};

/// Where a curve is and what it shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Which<'a> {
    pub(crate) method: &'a str,
    pub(crate) dataset: Pictures,
    /// `None` where it is the x axis.
    pub(crate) beta: Option<f64>,
    pub(crate) measure: &'a str,
}

/// The curve through the quartiles of values at each place.
pub(crate) fn series(what: Which<'_>, points: impl IntoIterator<Item = (f64, Vec<f64>)>) -> Series {
    let (x, quartiles): (Vec<f64>, Vec<Quartiles>) =
        points.into_iter().map(|(x, values)| (x, Quartiles::of(&values))).unzip();
    Series {
        method: what.method.to_owned(),
        dataset: what.dataset.name().to_owned(),
        beta: what.beta,
        measure: what.measure.to_owned(),
        x,
        median: quartiles.iter().map(|q| q.median).collect(),
        q25: quartiles.iter().map(|q| q.q25).collect(),
        q75: quartiles.iter().map(|q| q.q75).collect(),
    }
}

/// A curve of several.
pub(crate) fn find<'a>(all: &'a [Series], what: Which<'_>) -> Option<&'a Series> {
    all.iter().find(|one| {
        one.method == what.method
            && one.dataset == what.dataset.name()
            && one.beta.is_some() == what.beta.is_some()
            && one.measure == what.measure
    })
}

/// A curve with its band, the k-th of so many in a panel with a logarithmic x axis: each a little to the side of the
/// others, so that those that coincide can be told apart.
pub(crate) fn drawn_curve(series: &Series, k: usize, of: usize, style: Style) -> Curve {
    const OCTAVES_APART: f64 = 0.13;
    let aside = (OCTAVES_APART * (k as f64 - (of as f64 - 1.0) / 2.0)).exp2();
    let points = series.x.iter().map(|x| aside * x).zip(series.median.iter().copied()).collect();
    let band = series.q25.iter().copied().zip(series.q75.iter().copied()).collect();
    Curve::new(series.method.clone(), style, points).banded(band)
}
