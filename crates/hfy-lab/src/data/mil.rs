//! Multiple-instance learning: bags of feature vectors, of which only the bag has a label.
//!
//! | set | bags (+ / -) | instances | features |
//! |---|---|---|---|
//! | elephant | 200 (100 / 100) | 1,391 | 230 |
//! | fox | 200 (100 / 100) | 1,320 | 230 |
//! | tiger | 200 (100 / 100) | 1,220 | 230 |
//! | musk1 | 92 (47 / 45) | 476 | 166 |
//! | musk2 | 102 (39 / 63) | 6,598 | 166 |
//! | ucsb_breast_cancer | 58 (26 / 32) | 2,002 | 708 |
//! | birds_brown_creeper | 548 (197 / 351) | 10,232 | 38 |
//!
//! Elephant, fox and tiger: Andrews, Tsochantaridis, Hofmann, "Support vector machines for multiple-instance learning",
//! NIPS 2002. The others are those of multipleinstancelearning.com, as in the Python package `mil`. Features are not
//! normalised.

use std::path::{Path, PathBuf};

use hfy_io::{Bags, bags, csv};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Found, Place, matlab};
use crate::error::{Error, Result};

/// A set of bags that experiments run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BagSet {
    /// Segments of pictures with an elephant, or without.
    Elephant,
    /// Segments of pictures with a fox, or without.
    Fox,
    /// Segments of pictures with a tiger, or without.
    Tiger,
    /// Shapes of molecules, of which some smell of musk.
    Musk1,
    /// More molecules, with more shapes each.
    Musk2,
    /// Patches of tissue with breast cancer, or without.
    UcsbBreastCancer,
    /// Segments of recordings with the song of the brown creeper, or without.
    BirdsBrownCreeper,
}

impl BagSet {
    /// All sets, each in the place of its discriminant.
    pub const ALL: [BagSet; 7] = [
        BagSet::Elephant,
        BagSet::Fox,
        BagSet::Tiger,
        BagSet::Musk1,
        BagSet::Musk2,
        BagSet::UcsbBreastCancer,
        BagSet::BirdsBrownCreeper,
    ];

    /// The sets of Andrews, Tsochantaridis and Hofmann, which the catalogue has.
    pub const ANIMALS: [BagSet; 3] = [BagSet::Elephant, BagSet::Fox, BagSet::Tiger];

    /// The set of this name, which is that of its files.
    ///
    /// ```
    /// use hfy_lab::data::BagSet;
    ///
    /// assert_eq!(BagSet::named("musk2")?, BagSet::Musk2);
    /// assert!(BagSet::named("wolf").unwrap_err().to_string().starts_with("set = wolf: must be elephant, fox,"));
    /// # Ok::<(), hfy_lab::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self> {
        BagSet::ALL.into_iter().find(|set| set.name() == name).ok_or_else(|| Error::Setting {
            argument: "set",
            value: name.to_owned(),
            rule: "must be elephant, fox, tiger, musk1, musk2, ucsb_breast_cancer or birds_brown_creeper",
        })
    }

    /// The name of its files.
    pub fn name(self) -> &'static str {
        match self {
            BagSet::Elephant => "elephant",
            BagSet::Fox => "fox",
            BagSet::Tiger => "tiger",
            BagSet::Musk1 => "musk1",
            BagSet::Musk2 => "musk2",
            BagSet::UcsbBreastCancer => "ucsb_breast_cancer",
            BagSet::BirdsBrownCreeper => "birds_brown_creeper",
        }
    }

    /// The name in figures and tables.
    pub fn title(self) -> &'static str {
        match self {
            BagSet::Elephant => "Elephant",
            BagSet::Fox => "Fox",
            BagSet::Tiger => "Tiger",
            BagSet::Musk1 => "Musk 1",
            BagSet::Musk2 => "Musk 2",
            BagSet::UcsbBreastCancer => "UCSB breast cancer",
            BagSet::BirdsBrownCreeper => "Birds (brown creeper)",
        }
    }

    fn is_animal(self) -> bool {
        BagSet::ANIMALS.contains(&self)
    }
}

/// Reads a set: that of an animal from its MATLAB file, or from the same numbers as csv; another from csv.
pub fn load(place: &Place, set: BagSet) -> Result<Bags> {
    let path = file(place, set)?;
    if path.extension().is_some_and(|extension| extension == "mat") { read_matlab(&path) } else { read_csv(&path, set) }
}

/// The files of all three animals.
pub(super) fn find(place: &Place) -> Result<Found> {
    Ok(Found::whole(BagSet::ANIMALS.into_iter().map(|set| file(place, set)).collect::<Result<_>>()?))
}

fn file(place: &Place, set: BagSet) -> Result<PathBuf> {
    let name = set.name();
    let (matrix, packed, plain) = (format!("{name}_100x100.mat"), format!("{name}.csv.gz"), format!("{name}.csv"));
    if set.is_animal() {
        return place.file("mil", &[&matrix, &packed, &plain]);
    }
    place.file("mil", &[&packed, &plain]).map_err(|error| match error {
        Error::Missing { files, folders, .. } => {
            let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            Error::Data(format!(
                "the bags of {name} are not there: looked for {} in {}; the Python package mil holds them",
                files.join(", "),
                folders.join(", ")
            ))
        }
        error => error,
    })
}

/// Reads `features`, `labels` and `bag_ids` from a MATLAB 5 file.
pub fn read_matlab(path: &Path) -> Result<Bags> {
    let mut found = matlab::read(path)?;
    let mut take = |name: &str| found.remove(name).ok_or_else(|| Error::format(path, format!("has no matrix {name}")));
    let (features, labels, ids) = (take("features")?, take("labels")?, take("bag_ids")?);
    let positive = labels.iter().enumerate().map(|(row, &label)| match label {
        1.0 => Ok(true),
        -1.0 | 0.0 => Ok(false),
        other => Err(Error::format(path, format!("instance {row} has the label {other}: labels are 1 and -1"))),
    });
    let positive: Vec<bool> = positive.collect::<Result<_>>()?;
    let names: Vec<String> = ids.iter().map(f64::to_string).collect();
    let features: Array2<f32> = features.mapv(|value| value as f32);
    Bags::from_rows(features, &names, Some(&positive)).map_err(|error| Error::format(path, error.to_string()))
}

/// Reads a set from csv, gzipped or plain. Files of animals have a header, `bag_id,label,f0,f1,...`; the others have
/// none, and begin with the label and the bag.
pub fn read_csv(path: &Path, set: BagSet) -> Result<Bags> {
    let options = match set.is_animal() {
        true => bags::Options::default(),
        false => bags::Options {
            label: Some("1".to_owned()),
            bag: Some("2".to_owned()),
            csv: csv::Options { header: csv::Header::No, ..csv::Options::default() },
            ..bags::Options::default()
        },
    };
    bags::read(path, &options).map_err(|error| Error::Data(error.to_string()))
}
