//! What the columns of a table are.

use super::{Options, listed};
use crate::names::{default, find, plain};
use crate::text::visible;
use crate::{Error, Result};

/// Names of the column with the bag, and of that with the label, the likeliest first, as [`plain`] writes them.
const BAG: [&str; 4] = ["bag", "bagid", "bagname", "bags"];
const LABEL: [&str; 6] = ["label", "baglabel", "labels", "class", "target", "y"];

/// How these names are shown in errors.
const BAG_SHOWN: &str = "bag, bag_id, bag_name or bags";
const LABEL_SHOWN: &str = "label, bag_label, labels, class, target or y";

/// Whether a line names the column of bags.
pub(super) fn names_bags(cells: &[String], options: &Options) -> bool {
    let is_name = |cell: &String| match &options.bag {
        Some(name) => cell == name && name.parse::<f64>().is_err(),
        None => BAG.contains(&&plain(cell)[..]),
    };
    cells.iter().any(is_name)
}

/// What the columns of a table are, counted from 0.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) bag: usize,
    pub(super) label: Option<usize>,
    pub(super) features: Vec<usize>,
    ignored: Vec<usize>,
}

impl Columns {
    /// Finds the columns by the options, in a table of `count` columns, which the header names if there is one.
    pub(super) fn find(file: &str, header: Option<&Vec<String>>, count: usize, options: &Options) -> Result<Self> {
        let wrong = |what: String| Error::data(file, what);
        let names = match header {
            Some(names) => names.clone(),
            None => (1..=count).map(|number| format!("column {number}")).collect(),
        };
        let there = || match header {
            Some(names) => format!("the columns are {}", listed(names.iter().map(String::as_str))),
            None => format!("the file names no columns, and has {count}"),
        };
        let named = |option: &str, wanted: &str| {
            find(header, count, wanted)
                .map_err(|what| wrong(format!("{option} = '{}': {what}; {}", visible(wanted), there())))
        };
        let default = |known: &[&str]| known.iter().find_map(|name| default(&names, name).transpose()).transpose();
        let bag = match &options.bag {
            Some(wanted) => named("bag", wanted)?,
            None => default(&BAG).map_err(wrong)?.ok_or_else(|| {
                let rule = "the option bag gives the name or the number of the column with the bag of each instance";
                wrong(format!("no column is called {BAG_SHOWN}: {rule}; {}", there()))
            })?,
        };
        let label = match &options.label {
            Some(wanted) if options.unlabelled => find(header, count, wanted).ok(),
            Some(wanted) => Some(named("label", wanted)?),
            None => default(&LABEL).map_err(wrong)?,
        };
        if label.is_none() && !options.unlabelled {
            let rule = "the option label gives the name or the number of the column with the label of each bag";
            return Err(wrong(format!("no column is called {LABEL_SHOWN}: {rule}; {}", there())));
        }
        if label == Some(bag) {
            return Err(wrong(format!("'{}' cannot be both the bag and the label", visible(&names[bag]))));
        }
        let mut ignored = options.ignore.iter().map(|name| named("ignore", name)).collect::<Result<Vec<usize>>>()?;
        if let Some(column) = ignored.iter().find(|&&column| column == bag || Some(column) == label) {
            let name = visible(&names[*column]);
            return Err(wrong(format!("ignore = '{name}': it is the column of the bag or of the label")));
        }
        if count > 0 && names[0].is_empty() && bag != 0 && label != Some(0) {
            ignored.push(0);
        }
        let mut features = Vec::new();
        for column in (0..count).filter(|column| *column != bag && Some(*column) != label && !ignored.contains(column))
        {
            let name = &names[column];
            if name.is_empty() {
                return Err(wrong(format!("column {} has no name: name it or ignore it", column + 1)));
            }
            features.push(column);
        }
        let mut sorted: Vec<usize> = features.clone();
        sorted.sort_by_key(|&column| &names[column]);
        if let Some(pair) = sorted.windows(2).find(|pair| names[pair[0]] == names[pair[1]]) {
            let (name, one, two) = (visible(&names[pair[0]]), pair[0] + 1, pair[1] + 1);
            return Err(wrong(format!(
                "columns {one} and {two} are both called '{name}': each needs a name of its own"
            )));
        }
        Ok(Columns { names, bag, label, features, ignored })
    }

    /// What was understood or left out.
    pub(super) fn notes(&self, file: &str) -> Vec<String> {
        let name = |column: usize| visible(&self.names[column]);
        let label = match self.label {
            Some(label) => format!("'{}' holds labels", name(label)),
            None => "no column holds labels".to_owned(),
        };
        let count = self.features.len();
        let mut notes = vec![format!("{file}: '{}' names bags, {label}; features: {count}", name(self.bag))];
        if self.ignored.contains(&0) && self.names[0].is_empty() {
            notes.push(format!("{file}: column 1 has no name and was left out, as an index of rows"));
        }
        notes
    }
}
