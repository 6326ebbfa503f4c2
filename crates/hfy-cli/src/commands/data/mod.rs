//! `hfy data`: the data sets of experiments, and where they are.

mod get;
#[cfg(feature = "download")]
mod getting;
mod list;
mod whereabouts;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use hfy_lab::data::catalogue::SETS;

use crate::cli::Common;
use crate::error::Result;

/// List, find and get the data sets of experiments
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::Arguments),
    Where(whereabouts::Arguments),
    // What this build cannot do is not in its help, and says why when it is asked for.
    #[cfg_attr(not(feature = "download"), command(hide = true))]
    Get(get::Arguments),
}

pub(crate) fn run(command: &Command, common: Common) -> Result<()> {
    match command {
        Command::List(arguments) => list::run(arguments, common),
        Command::Where(arguments) => whereabouts::run(arguments, common),
        Command::Get(arguments) => get::run(arguments, common),
    }
}

/// The names of the sets, and `more`.
fn names(more: &'static [&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(SETS.iter().map(|set| set.name).chain(more.iter().copied()))
}

/// Bytes for reading: `11 MB`, in powers of ten as disks are sold.
fn size(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit > 0 && value < 9.95 { format!("{value:.1} {}", units[unit]) } else { format!("{value:.0} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        let expected = [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB")];
        let larger =
            [(999_499, "999 kB"), (999_500, "1.0 MB"), (248_100_043, "248 MB"), (5_000_000_000_000, "5000 GB")];
        for (bytes, text) in expected.into_iter().chain(larger) {
            assert_eq!(size(bytes), text);
        }
    }
}
