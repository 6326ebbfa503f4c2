//! How files of bags are read.

use std::str::FromStr;

use crate::csv;

/// Which columns say what, and how labels and missing values are understood.
///
/// A column is named by its name, or, where no name is the same, by its number from 1. The columns apply to tables; an
/// npz archive names its arrays. Where no column is given, case, spaces, `_` and `-` in names do not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The column with the name of the bag; `bag`, `bag_id`, `bag_name` or `bags` unless it is given.
    pub bag: Option<String>,
    /// The column with the label; `label`, `bag_label`, `labels`, `class`, `target` or `y` unless it is given. Beside a
    /// column `x`, `y` is a feature.
    pub label: Option<String>,
    /// Columns that are no features.
    pub ignore: Vec<String>,
    /// The label that is positive. Unless it is given, labels are 0 and 1, -1 and 1, false and true, no and yes,
    /// negative and positive, or neg and pos.
    pub positive: Option<String>,
    /// What the label of a bag is, where its instances have labels.
    pub label_rule: LabelRule,
    /// What becomes of missing values.
    pub missing: Missing,
    /// Whether a file may be without labels, as files for prediction are.
    pub unlabelled: bool,
    /// How tables are taken apart.
    pub csv: csv::Options,
}

/// What the label of a bag is, where its instances have labels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelRule {
    /// The label that all its instances repeat; other files are refused.
    #[default]
    Same,
    /// Positive if any of its instances is.
    Any,
}

/// What becomes of missing values: empty cells, `NA`, `N/A`, `NaN`, `null`, `none` and `?`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// The file is refused.
    #[default]
    Refuse,
    /// They stay, as NaN, for a learner to put the mean of the instances that it is trained with in their place. A mean
    /// of the file would let bags that are set aside for tests have a part in what is trained.
    Mean,
}

impl LabelRule {
    /// The names that are read.
    pub const NAMES: [&str; 2] = ["same", "any"];
}

impl FromStr for LabelRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "same" => Ok(LabelRule::Same),
            "any" => Ok(LabelRule::Any),
            _ => Err("must be same or any".to_owned()),
        }
    }
}

impl Missing {
    /// The names that are read.
    pub const NAMES: [&str; 2] = ["refuse", "mean"];
}

impl FromStr for Missing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "refuse" => Ok(Missing::Refuse),
            "mean" => Ok(Missing::Mean),
            _ => Err("must be refuse or mean".to_owned()),
        }
    }
}
