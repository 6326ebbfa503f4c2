//! The result of an experiment, as it is written and read.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{json, write};
use crate::error::{Error, Result};
use crate::experiment::{Claim, Experiment, Mode, Outcome, Reading, Series, Setting, TableCell, Verdict};

/// `result.json`: parameters, seeds, every number, and what they are compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The experiment.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// What is done and what to look at.
    pub about: String,
    /// The reading, the number of seeds, and whether it was the quick version.
    #[serde(flatten)]
    pub setting: Setting,
    /// How many comparisons came out as expected.
    pub verdict: Verdict,
    /// How long its cells took, each on one core.
    pub seconds: f64,
    /// The version of this program.
    pub version: String,
    /// What it was run with.
    pub parameters: Value,
    /// How the two readings differ.
    pub readings: Vec<Reading>,
    /// Numbers in tables.
    #[serde(default)]
    pub cells: Vec<TableCell>,
    /// Curves.
    #[serde(default)]
    pub series: Vec<Series>,
    /// Statements.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Everything else.
    #[serde(default)]
    pub values: Value,
    /// The drawings.
    pub figures: Vec<FigureFile>,
}

/// A drawing, as SVG and PNG under one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureFile {
    /// The name without an ending.
    pub name: String,
    /// What is to be seen.
    pub caption: String,
}

impl Record {
    pub(super) fn new(experiment: &dyn Experiment, setting: Setting, outcome: &Outcome, seconds: f64) -> Self {
        let figure = |drawing: &crate::experiment::Drawing| FigureFile {
            name: drawing.name.clone(),
            caption: drawing.caption.clone(),
        };
        Record {
            id: experiment.id().to_owned(),
            title: experiment.title().to_owned(),
            about: experiment.about().to_owned(),
            setting,
            verdict: Verdict::of(&outcome.cells, &outcome.claims),
            seconds,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parameters: outcome.parameters.clone(),
            readings: experiment.readings(),
            cells: outcome.cells.clone(),
            series: outcome.series.clone(),
            claims: outcome.claims.clone(),
            values: outcome.values.clone(),
            figures: outcome.drawings.iter().map(figure).collect(),
        }
    }

    /// Where the result of an experiment lies.
    pub fn folder(out: &Path, mode: Mode, id: &str) -> PathBuf {
        out.join(mode.name()).join(id)
    }

    pub(super) fn write(&self, out: &Path, outcome: &Outcome) -> Result<()> {
        let folder = Self::folder(out, self.setting.mode, &self.id);
        for drawing in &outcome.drawings {
            write(&folder.join(format!("{}.svg", drawing.name)), drawing.figure.svg().as_bytes())?;
            write(&folder.join(format!("{}.png", drawing.name)), &drawing.figure.png())?;
        }
        // Last, so that where there is a result there are its figures.
        let bytes = json::lines(self).map_err(|error| Error::Cell(error.to_string()))?;
        write(&folder.join("result.json"), &bytes)
    }

    /// The experiments that have a folder here, in no order.
    pub(super) fn ids(out: &Path, mode: Mode) -> Vec<String> {
        let entries = std::fs::read_dir(out.join(mode.name())).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// The result of an experiment, if it is there.
    pub fn read(out: &Path, mode: Mode, id: &str) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(Self::folder(out, mode, id).join("result.json")).ok()?).ok()
    }
}
