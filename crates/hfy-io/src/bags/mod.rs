//! Bags of instances, of which the bag has a label: the data of multiple-instance learning.
//!
//! A table (csv, tsv, txt, perhaps gzipped) holds an instance a line, with a column that says which bag it belongs to,
//! and perhaps one for the label. An npz archive holds the arrays `instances`, `bags` or `offsets`, and perhaps
//! `labels`. [`Options`] say which columns these are, and how labels and missing values are understood.
//!
//! ```
//! use hfy_io::bags;
//!
//! let table = b"bag,label,size,weight\nA,1,0.5,2\nB,0,1.5,1\nA,1,2.5,4\n";
//! let bags = bags::read_bytes(table, "bags.csv", &bags::Options::default())?;
//! assert_eq!((bags.len(), bags.name(0), bags.label(0)), (2, "A", Some(true)));
//! assert_eq!(bags.bag(0), ndarray::array![[0.5, 2.0], [2.5, 4.0]]);
//! assert_eq!(bags.features(), ["size", "weight"]);
//! # Ok::<(), hfy_io::Error>(())
//! ```

mod archive;
mod columns;
mod group;
mod labels;
mod options;
mod read;
mod table;
mod text;

use ndarray::{Array2, ArrayView2, Axis};

pub use archive::read_npz;
pub use options::{LabelRule, Missing, Options};
pub use read::{read, read_bytes};
pub use text::read_csv;

use group::{check_offsets, group};
use labels::Names;

use crate::text::visible;
use crate::{Error, Result};

/// Bags of instances, with one binary label a bag where labels are known.
///
/// No bag is empty, and all values are finite, or NaN where they are missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Bags {
    instances: Array2<f32>,
    offsets: Vec<usize>,
    labels: Option<Vec<bool>>,
    names: Vec<String>,
    features: Vec<String>,
    shape: Option<(usize, usize)>,
    rows: Vec<usize>,
    notes: Vec<String>,
}

impl Bags {
    /// Bags of the instances of all bags one after the other. Bag `i` has the instances `offsets[i]..offsets[i + 1]`.
    ///
    /// Bags and features are named by their numbers, from 0, until they are named otherwise.
    ///
    /// ```
    /// use hfy_io::Bags;
    /// use ndarray::array;
    ///
    /// let bags = Bags::new(array![[1.0], [2.0], [3.0]], vec![0, 2, 3], Some(vec![true, false]))?;
    /// assert_eq!(bags.bag(1), array![[3.0]]);
    /// let refused = Bags::new(array![[1.0]], vec![0, 0, 1], None).unwrap_err();
    /// assert_eq!(refused.to_string(), "offsets = 0, 0 at bag 0: a bag holds at least one instance");
    /// # Ok::<(), hfy_io::Error>(())
    /// ```
    pub fn new(instances: Array2<f32>, offsets: Vec<usize>, labels: Option<Vec<bool>>) -> Result<Self> {
        let (count, width) = instances.dim();
        check_offsets(&offsets, count).map_err(Error::Usage)?;
        let bags = offsets.len() - 1;
        if width == 0 {
            return Err(Error::Usage("instances have no features: they need at least one".to_owned()));
        }
        if let Some(((row, column), value)) = instances.indexed_iter().find(|(_, value)| value.is_infinite()) {
            let what = format!("instances[{row}, {column}] = {value}: features must be finite");
            return Err(Error::Usage(what));
        }
        check_length("labels", labels.as_ref().map_or(bags, Vec::len), bags, "one for each bag is needed")?;
        let numbers = |count: usize| (0..count).map(|number| number.to_string()).collect();
        let (names, features, rows) = (numbers(bags), numbers(width), (0..count).collect());
        Ok(Bags { instances, offsets, labels, names, features, shape: None, rows, notes: Vec::new() })
    }

    /// Bags of instances in any order, from the name of the bag of each instance and, where labels are known, the label
    /// of that bag at each instance. Bags are in the order of their first instances.
    ///
    /// ```
    /// use hfy_io::Bags;
    /// use ndarray::array;
    ///
    /// let names = ["A", "B", "A"].map(str::to_owned);
    /// let bags = Bags::from_rows(array![[1.0], [2.0], [3.0]], &names, Some(&[true, false, true]))?;
    /// assert_eq!((bags.bag(0), bags.labels()), (array![[1.0], [3.0]].view(), Some(&[true, false][..])));
    /// let refused = Bags::from_rows(array![[1.0], [2.0]], &names[..2], Some(&[true])).unwrap_err();
    /// assert_eq!(refused.to_string(), "labels = 1 of them, expected 2: one for each instance is needed");
    /// # Ok::<(), hfy_io::Error>(())
    /// ```
    pub fn from_rows(instances: Array2<f32>, bags: &[String], labels: Option<&[bool]>) -> Result<Self> {
        let count = instances.nrows();
        check_length("bags", bags.len(), count, "one for each instance is needed")?;
        check_length("labels", labels.map_or(count, <[bool]>::len), count, "one for each instance is needed")?;
        let mut names = Names::default();
        let numbers: Vec<usize> = bags.iter().map(|bag| names.number(bag)).collect();
        let (offsets, order) = group(&numbers, names.texts().len());
        let mut of_bags = Vec::new();
        for (bag, pair) in offsets.windows(2).enumerate() {
            let Some(labels) = labels else { break };
            let rows = &order[pair[0]..pair[1]];
            if let Some(other) = rows.iter().find(|&&row| labels[row] != labels[rows[0]]) {
                let name = visible(&names.texts()[bag]);
                let (first, one, two) = (rows[0], labels[rows[0]], labels[*other]);
                let rule = "all instances of a bag have its label";
                return Err(Error::Usage(format!(
                    "labels[{first}] = {one} and labels[{other}] = {two}, both in the bag '{name}': {rule}"
                )));
            }
            of_bags.push(labels[rows[0]]);
        }
        let found = Bags::new(instances.select(Axis(0), &order), offsets, labels.map(|_| of_bags))?;
        Ok(Bags { rows: order, ..found.with_names(names.into_texts())? })
    }

    /// The same with a name for each bag.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        check_length("names", names.len(), self.len(), "one for each bag is needed")?;
        self.names = names;
        Ok(self)
    }

    /// The same with a name for each feature.
    pub fn with_features(mut self, features: Vec<String>) -> Result<Self> {
        check_length("features", features.len(), self.instances.ncols(), "one for each column is needed")?;
        self.features = features;
        Ok(self)
    }

    /// The same, where an instance is a picture of this height and width, row after row.
    pub fn with_shape(mut self, height: usize, width: usize) -> Result<Self> {
        let width_now = self.instances.ncols();
        if height.checked_mul(width) != Some(width_now) {
            let what = format!("shape = {height} x {width}: an instance has {width_now} values");
            return Err(Error::Usage(what));
        }
        self.shape = Some((height, width));
        Ok(self)
    }

    /// The number of bags, at least 1 unless none were selected.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no bags.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The instances of all bags, bag after bag.
    pub fn instances(&self) -> ArrayView2<'_, f32> {
        self.instances.view()
    }

    /// Where each bag begins among the instances, and the number of instances.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The instances of a bag.
    ///
    /// # Panics
    ///
    /// If there is no such bag, as for every index of a bag here.
    pub fn bag(&self, index: usize) -> ArrayView2<'_, f32> {
        self.instances.slice_axis(Axis(0), (self.offsets[index]..self.offsets[index + 1]).into())
    }

    /// Whether a bag is positive; `None` where no labels are known.
    pub fn label(&self, index: usize) -> Option<bool> {
        self.labels.as_ref().map(|labels| labels[index])
    }

    /// Whether each bag is positive, where labels are known.
    pub fn labels(&self) -> Option<&[bool]> {
        self.labels.as_deref()
    }

    /// The name of a bag.
    pub fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The names of the features, one a column.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// Height and width of an instance, where instances are pictures.
    pub fn shape(&self) -> Option<(usize, usize)> {
        self.shape
    }

    /// The row of each instance in its file, from 0 and without the header: instances of one bag need not be beside
    /// each other there.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// What a reader interpreted or left out, for people to read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// These bags, in this order; a bag may be named twice. The notes stay behind.
    ///
    /// # Panics
    ///
    /// If there is no such bag, as for every index of a bag here.
    pub fn select(&self, bags: &[usize]) -> Self {
        let mut offsets = vec![0];
        let mut places = Vec::new();
        for &bag in bags {
            places.extend(self.offsets[bag]..self.offsets[bag + 1]);
            offsets.push(places.len());
        }
        Bags {
            instances: self.instances.select(Axis(0), &places),
            offsets,
            labels: self.labels.as_ref().map(|labels| bags.iter().map(|&bag| labels[bag]).collect()),
            names: bags.iter().map(|&bag| self.names[bag].clone()).collect(),
            features: self.features.clone(),
            shape: self.shape,
            rows: places.iter().map(|&place| self.rows[place]).collect(),
            notes: Vec::new(),
        }
    }
}

fn check_length(argument: &str, found: usize, expected: usize, rule: &str) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::Usage(format!("{argument} = {found} of them, expected {expected}: {rule}"))),
    }
}

/// The first names, quoted, for a message.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(SHOWN).map(|name| format!("'{}'", visible(name))).collect();
    shown.join(", ") + if names.next().is_some() { ", ..." } else { "" }
}
