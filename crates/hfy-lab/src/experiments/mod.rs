//! The tables and figures of the paper, one a file, under the numbers that they have there.

mod fig11;
mod fig12;
mod fig14;
mod masked;

pub use fig11::Fig11;
pub use fig12::Fig12;
pub use fig14::Fig14;

use crate::error::{Error, Result};
use crate::experiment::Experiment;

/// All experiments, in the order of the paper.
pub const ALL: &[&dyn Experiment] = &[&Fig11, &Fig12, &Fig14];

/// The experiments of these names; `all` is all of them. Each comes once, in the order of the paper.
pub fn named<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static dyn Experiment>> {
    let known = || ALL.iter().map(|experiment| experiment.id());
    let asked = |id: &str| names.iter().any(|name| name.as_ref() == id || name.as_ref() == "all");
    if let Some(unknown) = names.iter().find(|name| name.as_ref() != "all" && !known().any(|id| id == name.as_ref())) {
        let asked = unknown.as_ref().to_owned();
        return Err(Error::Unknown { asked, known: known().chain(["all"]).collect() });
    }
    Ok(ALL.iter().copied().filter(|experiment| asked(experiment.id())).collect())
}
