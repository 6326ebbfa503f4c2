//! Rates of all repetitions, as medians with quarters.

use hfy_draw::chart::Curve;

use super::{Key, Method, Model, Rates, Trial};
use crate::error::{Error, Result};
use crate::experiment::{Pictures, Quartiles, Results, Series, Setting, TableCell};

/// The numbers of memories for which the published code was run.
pub(crate) const TABLE_SIZES: [usize; 5] = [2, 8, 32, 128, 512];

/// The rates of every model.
pub(crate) struct Curves {
    rates: Vec<(Pictures, Model, Trial, f64)>,
    setting: Setting,
    /// Whether trials differ in their noise, not in the number of memories.
    noisy: bool,
}

impl Curves {
    pub(crate) fn new(setting: &Setting, results: &Results, noisy: bool) -> Result<Self> {
        let mut all = Vec::new();
        for (key, rates) in results.all::<Key, Rates>()? {
            if rates.len() != key.models.len() || rates.iter().any(|row| row.len() != key.trials.len()) {
                return Err(Error::Cell(format!("there are rates of {} models for {}", rates.len(), key.models.len())));
            }
            for (model, rates) in key.models.iter().zip(rates) {
                let trials = key.trials.iter().zip(rates);
                all.extend(trials.map(|(trial, rate)| (key.pictures, model.clone(), *trial, rate)));
            }
        }
        Ok(Curves { rates: all, setting: *setting, noisy })
    }

    fn x(&self, trial: &Trial) -> f64 {
        if self.noisy { trial.noise } else { trial.memories as f64 }
    }

    /// The rates of all seeds of a model at a place of the x axis.
    pub(crate) fn at(&self, pictures: Pictures, model: &Model, x: f64) -> Vec<f64> {
        let rates = self.rates.iter();
        let chosen = rates.filter(|(p, m, trial, _)| *p == pictures && m == model && self.x(trial) == x);
        chosen.map(|(_, _, _, rate)| *rate).collect()
    }

    /// The places along the x axis at which a model was run.
    pub(crate) fn places(&self, pictures: Pictures, model: &Model) -> Vec<f64> {
        let mut places: Vec<f64> = self
            .rates
            .iter()
            .filter(|(p, m, ..)| *p == pictures && m == model)
            .map(|(_, _, trial, _)| self.x(trial))
            .collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }

    /// The medians of a method over its x axis.
    pub(crate) fn medians(&self, method: Method, pictures: Pictures, beta: f64) -> Vec<(f64, f64)> {
        let model = method.model(self.setting.mode, pictures, beta);
        let median = |x: f64| (x, Quartiles::of(&self.at(pictures, &model, x)).median);
        self.places(pictures, &model).into_iter().map(median).collect()
    }

    /// The mean over the x axis of the medians: the area under a curve whose places lie evenly.
    pub(crate) fn area(&self, method: Method, pictures: Pictures, beta: f64) -> f64 {
        let medians = self.medians(method, pictures, beta);
        medians.iter().map(|(_, median)| median).sum::<f64>() / medians.len() as f64
    }

    /// The median at one place.
    pub(crate) fn median(&self, method: Method, pictures: Pictures, beta: f64, x: f64) -> f64 {
        Quartiles::of(&self.at(pictures, &method.model(self.setting.mode, pictures, beta), x)).median
    }

    /// A method as a series.
    pub(crate) fn series(&self, method: Method, pictures: Pictures, beta: f64) -> Series {
        self.series_of(method.name(), &method.model(self.setting.mode, pictures, beta), pictures, Some(beta))
    }

    /// A model as a series under a name.
    pub(crate) fn series_of(&self, name: String, model: &Model, pictures: Pictures, beta: Option<f64>) -> Series {
        let x = self.places(pictures, model);
        let quartiles: Vec<Quartiles> = x.iter().map(|&x| Quartiles::of(&self.at(pictures, model, x))).collect();
        let take = |of: fn(&Quartiles) -> f64| quartiles.iter().map(of).collect();
        Series {
            method: name,
            dataset: pictures.name().to_owned(),
            beta,
            measure: String::new(),
            x,
            median: take(|q| q.median),
            q25: take(|q| q.q25),
            q75: take(|q| q.q75),
        }
    }

    /// A series as it is drawn.
    pub(crate) fn curve(series: &Series, name: String, style: hfy_draw::chart::Style) -> Curve {
        let points = series.x.iter().copied().zip(series.median.iter().copied()).collect();
        let band = series.q25.iter().copied().zip(series.q75.iter().copied()).collect();
        Curve::new(name, style, points).banded(band)
    }

    /// The median of a method beside that of the published code, with a tolerance for two medians of as many samples.
    pub(crate) fn beside(&self, method: Method, beta: f64, memories: usize, reference: f64) -> Option<TableCell> {
        let model = method.model(self.setting.mode, Pictures::Mnist, beta);
        let rates = self.at(Pictures::Mnist, &model, memories as f64);
        if rates.is_empty() {
            return None;
        }
        let value = Quartiles::of(&rates).median;
        let cell = TableCell::plain(method.name(), memories.to_string(), value);
        Some(cell.beside_reference(reference, tolerance(&rates, memories)))
    }
}

/// How far the medians of two samples of rates may be apart: three standard errors of their difference, and the
/// rounding of the published one to two digits. The deviation of a rate is the larger of what is seen among these and
/// what as many independent cues would have.
fn tolerance(rates: &[f64], cues: usize) -> f64 {
    const ROUNDING: f64 = 0.005;
    /// Of a median over that of a mean, for large normal samples.
    const MEDIAN: f64 = 1.2533;
    let count = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let seen = (rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0)).sqrt();
    // One success and one failure more, so that a rate of 0 or 1 is not taken for certain.
    let likely = (mean * count * cues as f64 + 1.0) / (count * cues as f64 + 2.0);
    let independent = (likely * (1.0 - likely) / cues as f64).sqrt();
    ROUNDING + 3.0 * MEDIAN * seen.max(independent) * (2.0 / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_come_from_the_spread_and_never_vanish() {
        let equal = tolerance(&[1.0; 5], 512);
        assert!(equal > 0.005 && equal < 0.01, "{equal}");
        // A deviation of 0.1: 3 · 1.2533 · 0.1 · √(2/5) and the rounding.
        let spread = tolerance(&[0.4, 0.4, 0.5, 0.6, 0.6], 100_000);
        assert!((spread - 0.2428).abs() < 1e-3, "{spread}");
        assert!(tolerance(&[0.5; 5], 2) > 0.5);
    }
}
