//! `hfy mil`: multiple-instance learning, where a bag of instances has one label.

mod evaluate;
mod evidence;
mod explain;
mod kept;
mod network;
mod page;
mod predict;
mod source;
mod train;

use clap::Subcommand;

use crate::cli::Common;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  hfy mil train bags.csv -o model.safetensors       learn from bags with labels
  hfy mil predict model.safetensors new.csv         what it says of others
  hfy mil explain model.safetensors new.csv -o page.html
                                                    which instances it looked at
  hfy mil evaluate bags.csv --omega sparsemax       how good that is on bags it has not seen

A table has an instance a line, with a column that names its bag, and one for the label of the bag;
the rest are features. An npz archive has the arrays instances, bags or offsets, and labels.
elephant, fox, tiger, musk1, musk2, ucsb_breast_cancer and birds_brown_creeper are known by name.";

/// Learn to decide about bags of instances, and see which instances decided
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub(crate) enum Command {
    Train(Box<train::Arguments>),
    Predict(Box<predict::Arguments>),
    Explain(Box<explain::Arguments>),
    Evaluate(Box<evaluate::Arguments>),
}

pub(crate) fn run(command: &Command, common: Common) -> Result<()> {
    match command {
        Command::Train(arguments) => train::run(arguments, common),
        Command::Predict(arguments) => predict::run(arguments, common),
        Command::Explain(arguments) => explain::run(arguments, common),
        Command::Evaluate(arguments) => evaluate::run(arguments, common),
    }
}
