//! `hfy text`: texts with labels, and the words that a prediction rests on.

mod evaluate;
mod explain;
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
  hfy text train reviews.csv --text review --label stars -o model.safetensors
                                                    learn from texts with classes or numbers
  hfy text predict model.safetensors new.csv --text review
                                                    what it says of others
  hfy text explain model.safetensors new.csv --text review -o page.html
                                                    by which words
  hfy text evaluate model.safetensors marked.jsonl --rationales
                                                    how good that is, and whether people agree

A table (csv, tsv) has a text a record, a jsonl file an object a line. Words are read by their vectors:
hfy data get glove gets some for English; --vectors names another file of words and numbers.";

/// Learn to decide about texts, and see which words decided
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
