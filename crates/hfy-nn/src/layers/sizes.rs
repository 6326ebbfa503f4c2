//! The depths that follow from the settings, and what the settings must satisfy.

use super::config::{HopfieldConfig, Scaling};
use crate::error::{Error, Result, ensure};

/// Depths that follow from the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) heads: usize,
    pub(crate) input: usize,
    pub(crate) stored: usize,
    pub(crate) projection: usize,
    /// Depth of a head's queries and keys.
    pub(crate) hidden: usize,
    /// Depth of a head's values.
    pub(crate) pattern: usize,
    pub(crate) output: usize,
    pub(crate) without_weights: bool,
}

impl HopfieldConfig {
    /// Nothing is projected, and nothing normalised in the Hopfield space.
    fn is_without_weights(&self) -> bool {
        let all_static =
            self.state_pattern_as_static && self.stored_pattern_as_static && self.pattern_projection_as_static;
        all_static
            && !self.pattern_projection_as_connected
            && self.disable_out_projection
            && self.normalize_hopfield_space.is_none()
    }

    /// The sizes that follow, checked.
    pub(crate) fn sizes(&self) -> Result<Sizes> {
        let heads = self.num_heads;
        let given = [
            ("input_size", Some(self.input_size)),
            ("hidden_size", self.hidden_size),
            ("output_size", self.output_size),
            ("pattern_size", self.pattern_size),
            ("num_heads", Some(heads)),
            ("stored_pattern_size", self.stored_pattern_size),
            ("pattern_projection_size", self.pattern_projection_size),
            ("update_steps_limit", Some(self.update_steps_limit)),
        ];
        if let Some((argument, _)) = given.into_iter().find(|(_, size)| *size == Some(0)) {
            return Err(Error::argument(argument, 0, "it must be at least 1"));
        }
        ensure((0.0..=1.0).contains(&self.dropout), || {
            Error::argument("dropout", self.dropout, "it must lie in [0, 1]")
        })?;
        let input = self.input_size;
        let without_weights = self.is_without_weights();
        let hidden = match self.hidden_size {
            Some(hidden) => hidden,
            None if without_weights => input,
            None => {
                ensure(input.is_multiple_of(heads), || {
                    let rule = format!("without hidden_size it must be divisible by num_heads = {heads}");
                    Error::argument("input_size", input, rule)
                })?;
                input / heads
            }
        };
        let sizes = Sizes {
            heads,
            input,
            hidden,
            stored: self.stored_pattern_size.unwrap_or(input),
            projection: self.pattern_projection_size.unwrap_or(input),
            pattern: self.pattern_size.unwrap_or(hidden),
            output: self.output_size.unwrap_or(input),
            without_weights,
        };
        self.check(sizes)?;
        Ok(sizes)
    }

    fn check(&self, sizes: Sizes) -> Result<()> {
        self.check_depths(sizes)?;
        self.check_updates()?;
        self.check_norms()?;
        let is_static = self.stored_pattern_as_static || self.pattern_projection_as_static;
        ensure(!self.concat_bias_pattern || !is_static, || {
            let rule = "it adds to stored patterns and projections that are not static";
            Error::argument("concat_bias_pattern", true, rule)
        })
    }

    fn check_depths(&self, sizes: Sizes) -> Result<()> {
        let fits = |argument, size: usize, needed: usize, is_static: bool| {
            ensure(!is_static || size == needed, || {
                Error::argument(argument, size, format!("a static input enters a head, whose depth is {needed}"))
            })
        };
        fits("input_size", sizes.input, sizes.hidden, self.state_pattern_as_static)?;
        fits("stored_pattern_size", sizes.stored, sizes.hidden, self.stored_pattern_as_static)?;
        let as_is = self.pattern_projection_as_static && !self.pattern_projection_as_connected;
        fits("pattern_projection_size", sizes.projection, sizes.pattern, as_is)?;
        let same = sizes.stored == sizes.projection && sizes.pattern == sizes.hidden;
        ensure(!self.pattern_projection_as_connected || same, || {
            let rule = "connected values need the depths of the keys: stored_pattern_size and hidden_size";
            Error::argument("pattern_projection_as_connected", true, rule)
        })
    }

    fn check_updates(&self) -> Result<()> {
        self.check_per_head("update_steps_max", self.update_steps_max.len())?;
        self.check_per_head("update_steps_eps", self.update_steps_eps.len())?;
        if let Some(eps) = self.update_steps_eps.iter().find(|eps| !(**eps > 0.0)) {
            return Err(Error::argument("update_steps_eps", eps, "it must be above 0"));
        }
        let unlimited = self.update_steps_max.iter().all(Option::is_none);
        ensure(!self.implicit || unlimited, || {
            let rule = "the gradient of a fixed point needs update_steps_max of None: until converged";
            Error::argument("implicit", true, rule)
        })
    }

    fn check_norms(&self) -> Result<()> {
        let norms = [
            ("eps of normalize_stored_pattern", self.normalize_stored_pattern),
            ("eps of normalize_state_pattern", self.normalize_state_pattern),
            ("eps of normalize_pattern_projection", self.normalize_pattern_projection),
            ("eps of normalize_hopfield_space", self.normalize_hopfield_space),
        ];
        for (argument, eps) in norms.into_iter().filter_map(|(argument, norm)| Some((argument, norm?.eps))) {
            ensure(eps >= 0.0 && eps.is_finite(), || {
                Error::argument(argument, eps, "it must be a finite number of at least 0")
            })?;
        }
        Ok(())
    }

    /// One entry, or one for each head.
    fn check_per_head(&self, argument: &'static str, count: usize) -> Result<()> {
        ensure(count == 1 || count == self.num_heads, || {
            let rule = format!("there must be one, or one for each of num_heads = {}", self.num_heads);
            Error::argument(argument, format!("{count} entries"), rule)
        })
    }

    /// β as layers compute with it, one number or one for each head.
    pub(crate) fn betas(&self, sizes: Sizes) -> Result<Vec<f32>> {
        let usual = [if sizes.without_weights { 1.0 } else { 1.0 / (sizes.hidden as f64).sqrt() }];
        let betas: &[f64] = match &self.scaling {
            None => &usual,
            Some(Scaling::Fixed(betas) | Scaling::Learned(betas)) => betas,
        };
        self.check_per_head("scaling", betas.len())?;
        let single = |&beta: &f64| {
            ensure(is_beta(beta as f32), || Error::argument("scaling", beta, BETA_RULE))?;
            Ok(beta as f32)
        };
        betas.iter().map(single).collect()
    }
}

/// What β must be, when it is given and when it is used.
pub(crate) const BETA_RULE: &str = "it must be a finite number above 0 in single precision";

/// Whether a number can be β.
pub(crate) fn is_beta(beta: f32) -> bool {
    beta > 0.0 && beta.is_finite()
}
