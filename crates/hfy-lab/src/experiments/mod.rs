//! The tables and figures of the paper, one a file, under the numbers that they have there.

mod evenness;
mod fig1;
mod fig10;
mod fig2;
mod fig3;
mod fig8;
mod fig9;
mod landscape;
mod overview;
mod two_classes;

pub use fig1::Fig1;
pub use fig2::Fig2;
pub use fig3::Fig3;
pub use fig8::Fig8;
pub use fig9::Fig9;
pub use fig10::Fig10;

use crate::error::{Error, Result};
use crate::experiment::Experiment;

/// All experiments, in the order of the paper.
pub const ALL: &[&dyn Experiment] = &[&Fig1, &Fig2, &Fig3, &Fig8, &Fig9, &Fig10];

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
