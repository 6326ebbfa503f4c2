//! What an experiment comes to.

use hfy_draw::Figure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that is written and shown of an experiment.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What it was run with.
    pub parameters: Value,
    /// Numbers that have a place in a table, beside published ones where there are any.
    pub cells: Vec<TableCell>,
    /// Curves.
    pub series: Vec<Series>,
    /// What the paper says in words, and whether it is so.
    pub claims: Vec<Claim>,
    /// Everything else that was computed.
    pub values: Value,
    /// Drawings; the first is the figure.
    pub drawings: Vec<Drawing>,
}

/// A number in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableCell {
    /// The table, where there are several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub table: String,
    /// Its row.
    pub row: String,
    /// Its column.
    pub col: String,
    /// What came out here.
    pub value: f64,
    /// Its standard deviation over repetitions, where it is a mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// What the paper prints.
    pub paper: Option<f64>,
    /// The standard deviation that the paper prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_deviation: Option<f64>,
    /// What the published code gave where the paper prints no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
    /// How far they may be apart.
    pub tolerance: Option<f64>,
    /// Whether they are no further apart; `None` where there is nothing to compare with.
    pub ok: Option<bool>,
}

impl TableCell {
    /// A number with nothing to compare it with.
    pub fn plain(row: impl Into<String>, col: impl Into<String>, value: f64) -> Self {
        let (table, row, col) = (String::new(), row.into(), col.into());
        let (deviation, paper, paper_deviation, reference, tolerance) = (None, None, None, None, None);
        TableCell { table, row, col, value, deviation, paper, paper_deviation, reference, tolerance, ok: None }
    }

    /// The same as a mean over repetitions with this standard deviation.
    pub fn spread(self, deviation: f64) -> Self {
        TableCell { deviation: Some(deviation), ..self }
    }

    /// A mean beside a mean that the paper prints: they may be apart by twice both standard deviations together.
    pub fn beside_mean(self, paper: f64, deviation: f64) -> Self {
        let tolerance = 2.0 * (self.deviation.unwrap_or(0.0) + deviation);
        TableCell { paper_deviation: Some(deviation), ..self.beside_paper(paper, tolerance) }
    }

    /// The same in a table with this name.
    pub fn of(mut self, table: impl Into<String>) -> Self {
        self.table = table.into();
        self
    }

    /// The same beside what the paper prints.
    pub fn beside_paper(self, paper: f64, tolerance: f64) -> Self {
        let ok = Some((self.value - paper).abs() <= tolerance);
        TableCell { paper: Some(paper), tolerance: Some(tolerance), ok, ..self }
    }

    /// The same beside what the published code gave.
    pub fn beside_reference(self, reference: f64, tolerance: f64) -> Self {
        let ok = Some((self.value - reference).abs() <= tolerance);
        TableCell { reference: Some(reference), tolerance: Some(tolerance), ok, ..self }
    }
}

/// A curve: medians of repetitions with the quarters beside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What was run.
    pub method: String,
    /// On which data.
    pub dataset: String,
    /// At which inverse temperature; `None` where it is the x axis.
    pub beta: Option<f64>,
    /// What the curve shows, where an experiment shows several things.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measure: String,
    /// Where.
    pub x: Vec<f64>,
    /// Medians.
    pub median: Vec<f64>,
    /// Lower quarters.
    pub q25: Vec<f64>,
    /// Upper quarters.
    pub q75: Vec<f64>,
}

/// A statement that can be true or false.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What is said.
    pub says: String,
    /// Whether it is so.
    pub holds: bool,
    /// The numbers that decide.
    pub because: String,
}

impl Claim {
    /// A statement, whether it holds, and why.
    pub fn new(says: impl Into<String>, holds: bool, because: impl Into<String>) -> Self {
        Claim { says: says.into(), holds, because: because.into() }
    }
}

/// How the two readings of an experiment differ in one point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The point.
    pub point: String,
    /// As the published code runs.
    pub printed: String,
    /// As the mathematics says.
    pub defined: String,
    /// What that does to the result.
    pub effect: String,
}

impl Reading {
    /// A point in which the readings differ.
    pub fn new(point: &str, printed: &str, defined: &str, effect: &str) -> Self {
        let [point, printed, defined, effect] = [point, printed, defined, effect].map(str::to_owned);
        Reading { point, printed, defined, effect }
    }
}

/// A drawing with the name of its files and a caption.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// The name of the files, without an ending.
    pub name: String,
    /// What is to be seen.
    pub caption: String,
    /// The figure.
    pub figure: Figure,
}

/// How many comparisons and statements there were, and how many were as expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// Those that were as expected.
    pub agree: usize,
    /// All of them.
    pub total: usize,
}

impl Verdict {
    /// Of numbers and statements.
    pub fn of(cells: &[TableCell], claims: &[Claim]) -> Self {
        let compared = cells.iter().filter_map(|cell| cell.ok).chain(claims.iter().map(|claim| claim.holds));
        compared.fold(Verdict::default(), |verdict, ok| Verdict {
            agree: verdict.agree + usize::from(ok),
            total: verdict.total + 1,
        })
    }

    /// Whether everything was as expected.
    pub fn is_whole(&self) -> bool {
        self.agree == self.total
    }
}
