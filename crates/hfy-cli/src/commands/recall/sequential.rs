//! `hfy recall sequential`.

use clap::{Args, ValueEnum};
use hfy::recall::Penalty;
use hfy::structure::Regulariser;
use hfy::{Map, SequentialRecall};

use super::document::Parameters;
use super::{Procedure, Shared, entmax, usage};
use crate::cli::positive;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  hfy recall sequential letters.hfy
  hfy recall sequential letters.hfy --cue damaged.png --picture sequence.png
  hfy recall sequential digits.npy --transition inf --omega 1.2 --rounds 50 --out rounds.csv";

/// Recall patterns in the order in which they are stored
///
/// A round associates the state with a neighbour (sequential 2-subsets), takes the state away, and lets the rest
/// settle. From the first pattern it goes forward; neighbours have no direction, so that from elsewhere it may go back.
/// The defaults are the paper's.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) shared: Shared,
    /// Inner updates: softmax, sparsemax, argmax or entmax:ALPHA [default: sparsemax]
    #[arg(long, short, conflicts_with = "alpha", help_heading = "Procedure")]
    map: Option<Map>,
    /// Inner updates: entmax with this alpha [default: 2, which is sparsemax]
    #[arg(long, allow_negative_numbers = true, help_heading = "Procedure")]
    alpha: Option<f64>,
    /// Inner updates: inverse temperature
    #[arg(long, value_name = "BETA", default_value = "1", value_parser = positive, allow_negative_numbers = true, help_heading = "Procedure")]
    inner_beta: f64,
    /// The penalty on the average
    #[arg(long, default_value = "1e9", allow_negative_numbers = true, help_heading = "Procedure")]
    lambda: f64,
    /// The rate at which the average forgets
    #[arg(long, default_value = "0.001", allow_negative_numbers = true, help_heading = "Procedure")]
    tau: f64,
    /// The weight of what was recalled in the average; above 1 it is favoured in the next round
    #[arg(long, default_value = "1.1", allow_negative_numbers = true, help_heading = "Procedure")]
    omega: f64,
    /// The score of neighbours; with inf only neighbours are associated
    #[arg(
        long,
        value_name = "SCORE",
        default_value = "1e8",
        allow_negative_numbers = true,
        help_heading = "Procedure"
    )]
    transition: f64,
    /// Which states of a pattern are regularised: both, as in the paper, or on
    #[arg(long, value_enum, default_value = "both", help_heading = "Procedure")]
    regulariser: Which,
    /// How many patterns an association has
    #[arg(long, value_name = "K", default_value = "2", help_heading = "Procedure")]
    k: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Both,
    On,
}

impl Arguments {
    pub(super) fn procedure(&self, beta: f64) -> Result<(Procedure, Parameters)> {
        let map = entmax(self.map.as_ref(), self.alpha)?;
        let regulariser = match self.regulariser {
            Which::Both => Regulariser::Both,
            Which::On => Regulariser::On,
        };
        let build = || {
            let recall = SequentialRecall::new(beta, self.shared.steps)?.map(map).regulariser(regulariser);
            let recall = recall.penalty(Penalty::new(self.lambda, self.tau)?).inner_beta(self.inner_beta)?;
            let recall = recall.omega(self.omega)?.transition(self.transition)?.k(self.k)?;
            self.shared.rounds.map_or(Ok(recall), |rounds| recall.rounds(rounds))
        };
        let parameters = Parameters {
            procedure: "sequential",
            method: None,
            beta,
            steps: self.shared.steps,
            map: Some(Map::Entmax(map).to_string()),
            lambda: Some(self.lambda),
            tau: Some(self.tau),
            inner_beta: Some(self.inner_beta),
            omega: Some(self.omega),
            transition: Some(self.transition),
            regulariser: Some(if regulariser == Regulariser::On { "on" } else { "both" }),
            k: Some(self.k),
        };
        Ok((Procedure::Sequential(build().map_err(usage)?), parameters))
    }
}
