//! The tables and figures of the paper, one a file, under the numbers that they have there.

mod evenness;
mod fig1;
mod fig10;
mod fig11;
mod fig12;
mod fig14;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod fig8;
mod fig9;
mod landscape;
#[cfg(feature = "learn")]
mod learned;
mod masked;
mod overview;
mod recall;
mod size_map;
mod table3;
mod theory;
mod two_classes;

use crate::error::{Error, Result};
use crate::experiment::Experiment;

/// All experiments, in the order of the paper.
pub const ALL: &[&dyn Experiment] = &[
    &fig1::Fig1,
    &fig2::Fig2,
    &fig3::Fig3,
    &fig4::Fig4,
    &fig5::Fig5,
    &fig6::Fig6,
    &fig7::Fig7,
    &table3::Table3,
    &fig8::Fig8,
    &fig9::Fig9,
    &fig10::Fig10,
    &fig11::Fig11,
    &fig12::Fig12,
    #[cfg(feature = "learn")]
    &learned::Fig13,
    &fig14::Fig14,
    #[cfg(feature = "learn")]
    &learned::Table4,
    #[cfg(feature = "learn")]
    &learned::Table5,
    #[cfg(feature = "learn")]
    &learned::Table6,
    #[cfg(feature = "learn")]
    &learned::BeyondBags,
    #[cfg(feature = "learn")]
    &learned::Rationales,
    &theory::Theory,
];

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
