//! Where bags come from.

use std::path::{Path, PathBuf};

use clap::Args;
use hfy_io::bags::{LabelRule, Missing, Options};
use hfy_io::{Bags, picture};
use hfy_lab::data::{BagSet, Place, mil};
use hfy_nn::mil::BagModel;

use crate::error::{Error, Result};
use crate::terminal;

/// Bags, and how they are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// Bags: a table (csv, tsv, txt, also gzipped), an npz archive, or the name of a known set
    #[arg(value_name = "BAGS")]
    pub(super) bags: PathBuf,
    /// The column that names the bag of an instance [default: bag, bag_id, ...]
    #[arg(long, value_name = "COLUMN", help_heading = "How bags are read")]
    bag: Option<String>,
    /// The column with the label [default: label, class, target, ...]
    #[arg(long, value_name = "COLUMN", help_heading = "How bags are read")]
    label: Option<String>,
    /// A column that is no feature; may be given again
    #[arg(long, value_name = "COLUMN", help_heading = "How bags are read")]
    ignore: Vec<String>,
    /// The label that is positive, where labels are not 0 and 1, yes and no, or the like
    #[arg(long, value_name = "LABEL", help_heading = "How bags are read")]
    positive: Option<String>,
    /// The label of a bag: the same of all its instances, or positive if any of them is
    #[arg(long, value_name = "RULE", default_value = "same", value_parser = str::parse::<LabelRule>, help_heading = "How bags are read")]
    label_rule: LabelRule,
    /// Missing values: refuse the file, or take the mean over the training instances for them
    #[arg(long, value_name = "WHAT", default_value = "refuse", value_parser = str::parse::<Missing>, help_heading = "How bags are read")]
    missing: Missing,
    /// An instance is a grey picture of this size, row after row [default: what an npz archive says]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = picture::Options::size, help_heading = "How bags are read")]
    picture: Option<(u32, u32)>,
    /// Look for known sets in this folder first
    #[arg(long, value_name = "DIR", help_heading = "How bags are read")]
    data: Option<PathBuf>,
}

impl Source {
    /// The bags; `labelled` says whether they must have labels.
    pub(super) fn read(&self, labelled: bool) -> Result<Bags> {
        let mut bags = match self.known() {
            Some(set) => {
                self.check_nothing_to_read(set)?;
                mil::load(&Place::find(self.data.as_deref())?, set)?
            }
            None => hfy_io::bags::read(&self.bags, &self.options(labelled))?,
        };
        if let Some((width, height)) = self.picture {
            bags = bags.with_shape(height as usize, width as usize)?;
        }
        bags.notes().iter().for_each(|note| terminal::note(note));
        Ok(bags)
    }

    pub(super) fn name(&self) -> String {
        self.bags.display().to_string()
    }

    /// A set that is meant by its name. A file of the same name comes first.
    fn known(&self) -> Option<BagSet> {
        let name = self.bags.to_str().filter(|_| !Path::new(&self.bags).exists())?;
        BagSet::named(name).ok()
    }

    /// How a known set is read is known, too.
    fn check_nothing_to_read(&self, set: BagSet) -> Result<()> {
        let given = [
            ("--bag", self.bag.is_some()),
            ("--label", self.label.is_some()),
            ("--ignore", !self.ignore.is_empty()),
            ("--positive", self.positive.is_some()),
            ("--label-rule", self.label_rule != LabelRule::default()),
            ("--missing", self.missing != Missing::default()),
            ("--picture", self.picture.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                let why = "goes with a file, and this is the name of a known set";
                Err(Error::Usage(format!("{option}: {why}: {}", set.name())))
            }
            None => Ok(()),
        }
    }

    fn options(&self, labelled: bool) -> Options {
        Options {
            bag: self.bag.clone(),
            label: self.label.clone(),
            ignore: self.ignore.clone(),
            positive: self.positive.clone(),
            label_rule: self.label_rule,
            missing: self.missing,
            unlabelled: !labelled,
            ..Options::default()
        }
    }
}

/// Bags as the network takes them. Where labels are not known they are all negative, and must not be asked for.
pub(super) fn as_input(bags: &Bags) -> Result<hfy_nn::mil::Bags<'_>> {
    let unknown = vec![false; bags.len()];
    Ok(hfy_nn::mil::Bags::consecutive(bags.instances(), bags.offsets(), bags.labels().unwrap_or(&unknown))?)
}

/// Bags as the model takes them: with the features that it learned from, and as pictures where these are pictures.
pub(super) fn fitted_to(model: &BagModel, bags: Bags, file: &str) -> Result<Bags> {
    check_features(model, &bags, file)?;
    check_missing(&bags, model.config().scaled, file)?;
    match (model.config().picture, bags.shape()) {
        (Some((rows, columns)), None) => Ok(bags.with_shape(rows, columns)?),
        (known, Some(found)) if known != Some(found) => {
            let (rows, columns) = found;
            let learned = known.map_or("none".to_owned(), |(rows, columns)| format!("pictures of {columns}x{rows}"));
            Err(Error::data(file, format!("has pictures of {columns}x{rows}, the model was trained with {learned}")))
        }
        _ => Ok(bags),
    }
}

/// Refuses missing values where features are not brought to a mean, which stands for them.
pub(super) fn check_missing(bags: &Bags, scaled: bool, file: &str) -> Result<()> {
    if scaled || !bags.instances().iter().any(|value| value.is_nan()) {
        return Ok(());
    }
    Err(Error::data(file, "has missing values, and features that are not scaled have no mean to take for them"))
}

fn check_features(model: &BagModel, bags: &Bags, file: &str) -> Result<()> {
    let (known, found) = (model.features(), bags.features());
    if known.len() != found.len() {
        let what = format!("has {} features, the model was trained with {}", found.len(), known.len());
        return Err(Error::data(file, what));
    }
    match known.iter().zip(found).position(|(known, found)| known != found) {
        Some(at) if !found.iter().all(|name| name.parse::<usize>().is_ok()) => {
            let what = format!("its feature {} is '{}', the model was trained with '{}'", at + 1, found[at], known[at]);
            Err(Error::data(file, what))
        }
        _ => Ok(()),
    }
}
