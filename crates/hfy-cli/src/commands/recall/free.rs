//! `hfy recall free`.

use clap::{Args, ValueEnum};
use hfy::recall::Penalty;
use hfy::{FreeRecall, Map};

use super::document::Parameters;
use super::{Procedure, Shared, entmax, usage};
use crate::error::{Error, Result};

const EXAMPLES: &str = "\
Examples:
  hfy recall free letters.hfy
  hfy recall free letters.hfy --cue damaged.png --picture recalled.svg
  hfy recall free digits.npy --method penalised --map entmax:1.5 --out rounds.csv";

/// Recall every pattern once, in any order
///
/// With constrained sparsemax a pattern that was given weight can be given that much less later. With penalised entmax
/// the scores of patterns that had their turn are lowered, by an average that forgets. The defaults are the paper's.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) shared: Shared,
    /// What keeps patterns from coming again
    #[arg(long, value_enum, default_value = "constrained", help_heading = "Procedure")]
    method: Method,
    /// Penalised: softmax, sparsemax, argmax or entmax:ALPHA [default: sparsemax]
    #[arg(long, short, conflicts_with = "alpha", help_heading = "Procedure")]
    map: Option<Map>,
    /// Penalised: entmax with this alpha [default: 2, which is sparsemax]
    #[arg(long, allow_negative_numbers = true, help_heading = "Procedure")]
    alpha: Option<f64>,
    /// Penalised: the penalty on the average [default: 1e9]
    #[arg(long, allow_negative_numbers = true, help_heading = "Procedure")]
    lambda: Option<f64>,
    /// Penalised: the rate at which the average forgets [default: 0.001]
    #[arg(long, allow_negative_numbers = true, help_heading = "Procedure")]
    tau: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Upper bounds on weights
    Constrained,
    /// Lower scores
    Penalised,
}

impl Arguments {
    pub(super) fn procedure(&self, beta: f64) -> Result<(Procedure, Parameters)> {
        let steps = self.shared.steps;
        let mut parameters = Parameters { procedure: "free", beta, steps, ..Parameters::default() };
        let free = match self.method {
            Method::Constrained => {
                if self.map.is_some() || [self.alpha, self.lambda, self.tau].iter().any(Option::is_some) {
                    let what = "--map, --alpha, --lambda and --tau belong to --method penalised";
                    return Err(Error::Usage(what.to_owned()));
                }
                parameters.method = Some("constrained");
                FreeRecall::constrained(beta, steps).map_err(usage)?
            }
            Method::Penalised => {
                let usual = Penalty::default();
                let (lambda, tau) = (self.lambda.unwrap_or(usual.lambda()), self.tau.unwrap_or(usual.tau()));
                let map = entmax(self.map.as_ref(), self.alpha)?;
                parameters.method = Some("penalised");
                parameters.map = Some(Map::Entmax(map).to_string());
                (parameters.lambda, parameters.tau) = (Some(lambda), Some(tau));
                let penalty = Penalty::new(lambda, tau).map_err(usage)?;
                FreeRecall::penalised(map, penalty, beta, steps).map_err(usage)?
            }
        };
        let free = match self.shared.rounds {
            Some(rounds) => free.rounds(rounds).map_err(usage)?,
            None => free,
        };
        Ok((Procedure::Free(free), parameters))
    }
}
