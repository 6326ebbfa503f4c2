//! What an axis shows.

use crate::{Error, Result};

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm, with ticks at powers of 2. What is not positive is left out.
    Log2,
    /// By their logarithm, with ticks at powers of 10. What is not positive is left out.
    Log10,
}

impl Scale {
    /// A value on an even scale; NaN where it has no place.
    pub(super) fn even(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log2 | Scale::Log10 if value > 0.0 => value.ln(),
            Scale::Log2 | Scale::Log10 => f64::NAN,
        }
    }

    /// The value at a place of the even scale.
    pub(super) fn value(self, even: f64) -> f64 {
        if self == Scale::Linear { even } else { even.exp() }
    }
}

/// An axis of a panel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What it counts.
    pub label: String,
    /// How values lie along it.
    pub scale: Scale,
    /// From where to where it goes; as far as the data do, and a little further, otherwise.
    pub range: Option<(f64, f64)>,
    /// Where there are ticks and what is written there; at round numbers otherwise.
    pub ticks: Option<Vec<(f64, String)>>,
}

impl Axis {
    /// An axis on which values lie evenly.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A logarithmic axis with ticks at powers of 2.
    pub fn log2(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Log2, ..Axis::default() }
    }

    /// A logarithmic axis with ticks at powers of 10.
    pub fn log10(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Log10, ..Axis::default() }
    }

    /// The same, from `low` to `high`.
    pub fn within(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }

    /// The same with these ticks.
    pub fn ticked<S: Into<String>>(self, ticks: impl IntoIterator<Item = (f64, S)>) -> Self {
        Axis { ticks: Some(ticks.into_iter().map(|(at, text)| (at, text.into())).collect()), ..self }
    }

    /// Whether its range can be drawn.
    pub(super) fn check(&self) -> Result<()> {
        let Some((low, high)) = self.range else { return Ok(()) };
        let even = (self.scale.even(low), self.scale.even(high));
        if even.0.is_finite() && even.1.is_finite() && even.0 < even.1 {
            return Ok(());
        }
        let positive = if self.scale == Scale::Linear { "" } else { ", and positive on a logarithmic axis" };
        let rule = format!("its ends must be finite, the lower one first{positive}");
        Err(Error::argument("the range of an axis", format!("{low} to {high}"), rule))
    }
}
