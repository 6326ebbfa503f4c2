//! The map that selects words.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, ensure};

/// A separation map at a temperature T: scores and transitions are divided by T, so that a low temperature selects
/// sharply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selector {
    /// The map by its text: `softmax`, `entmax:1.5`, `subsets:20%`, `sequence:20%:t=0.001`, `atmost:20%`, `spans:20%`,
    /// ...
    pub omega: String,
    /// The temperature.
    pub temperature: f64,
}

impl Selector {
    /// The text of the map with its transitions divided by the temperature.
    ///
    /// ```
    /// use hfy_nn::text::Selector;
    ///
    /// let selector = Selector { omega: "sequence:20%:t=0.001".into(), temperature: 0.1 };
    /// assert_eq!(selector.map()?, "sequence:20%:t=0.01");
    /// # Ok::<(), hfy_nn::Error>(())
    /// ```
    pub fn map(&self) -> Result<String> {
        let temperature = self.temperature;
        ensure(temperature > 0.0 && temperature.is_finite(), || {
            Error::argument("temperature", temperature, "it must be a finite number above 0")
        })?;
        let divided = |list: &str| {
            let numbers = list.split(',').map(|number| number.trim().parse::<f64>());
            let divided = numbers.map(|number| number.map(|number| (number / temperature).to_string()));
            divided.collect::<std::result::Result<Vec<_>, _>>().map(|numbers| numbers.join(","))
        };
        let parts = self.omega.split(':').map(|part| match part.trim().strip_prefix("t=") {
            // A text that is not a number is left for the map to refuse.
            Some(list) => divided(list).map_or(part.to_owned(), |list| format!("t={list}")),
            None => part.to_owned(),
        });
        Ok(parts.collect::<Vec<_>>().join(":"))
    }
}
