//! Multiple-instance learning: bags of feature vectors, of which only the bag has a label.

use std::path::{Path, PathBuf};

use ndarray::{Array2, ArrayView2, Axis};

use super::{Found, Place, bytes, matlab};
use crate::error::{Error, Result};

const MOST: u64 = 1 << 30;

/// A set of the benchmark of Andrews, Tsochantaridis and Hofmann: segments of pictures, with an animal or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Animal {
    /// 1,391 segments.
    Elephant,
    /// 1,320 segments.
    Fox,
    /// 1,220 segments.
    Tiger,
}

impl Animal {
    /// The name of its files.
    pub fn name(self) -> &'static str {
        match self {
            Animal::Elephant => "elephant",
            Animal::Fox => "fox",
            Animal::Tiger => "tiger",
        }
    }
}

/// Bags of instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Bags {
    instances: Array2<f64>,
    /// Where each bag begins, and the end.
    starts: Vec<usize>,
    positive: Vec<bool>,
}

impl Bags {
    /// How many bags there are.
    pub fn len(&self) -> usize {
        self.positive.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positive.is_empty()
    }

    /// All instances, bag after bag.
    pub fn instances(&self) -> ArrayView2<'_, f64> {
        self.instances.view()
    }

    /// The instances of a bag.
    pub fn bag(&self, index: usize) -> ArrayView2<'_, f64> {
        self.instances.slice_axis(Axis(0), (self.starts[index]..self.starts[index + 1]).into())
    }

    /// Whether a bag is positive.
    pub fn is_positive(&self, index: usize) -> bool {
        self.positive[index]
    }

    /// Gathers instances by the bags that they say they are in, in the order of the bags' numbers.
    fn gather(path: &Path, features: Array2<f64>, ids: &[f64], labels: &[f64]) -> Result<Self> {
        let wrong = |what: String| Error::format(path, what);
        if features.nrows() != ids.len() || ids.len() != labels.len() {
            let counts = (features.nrows(), ids.len(), labels.len());
            return Err(wrong(format!("has features, bags and labels of {counts:?} instances")));
        }
        if let Some((row, value)) = features.indexed_iter().find(|(_, v)| !v.is_finite()).map(|((row, _), v)| (row, v))
        {
            return Err(wrong(format!("instance {row} has the feature {value}: features must be finite")));
        }
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by(|&a, &b| ids[a].total_cmp(&ids[b]));
        let (mut starts, mut positive) = (Vec::new(), Vec::new());
        for (place, &row) in order.iter().enumerate() {
            let label = match labels[row] {
                1.0 => true,
                -1.0 | 0.0 => false,
                other => return Err(wrong(format!("instance {row} has the label {other}: labels are 1 and -1"))),
            };
            if place == 0 || ids[order[place - 1]] != ids[row] {
                starts.push(place);
                positive.push(label);
            } else if positive.last() != Some(&label) {
                return Err(wrong(format!("bag {} has instances with both labels", ids[row])));
            }
        }
        starts.push(order.len());
        Ok(Bags { instances: features.select(Axis(0), &order), starts, positive })
    }
}

/// Reads a set from its MATLAB file, or from the same numbers as csv.gz.
pub fn load(place: &Place, animal: Animal) -> Result<Bags> {
    let path = file(place, animal)?;
    if path.extension().is_some_and(|extension| extension == "mat") { read_matlab(&path) } else { read_csv(&path) }
}

/// The files of all three animals.
pub(super) fn find(place: &Place) -> Result<Found> {
    let animals = [Animal::Elephant, Animal::Fox, Animal::Tiger];
    Ok(Found::whole(animals.into_iter().map(|animal| file(place, animal)).collect::<Result<_>>()?))
}

fn file(place: &Place, animal: Animal) -> Result<PathBuf> {
    let (matrix, text) = (format!("{}_100x100.mat", animal.name()), format!("{}.csv.gz", animal.name()));
    place.file("mil", &[&matrix, &text])
}

/// Reads `features`, `labels` and `bag_ids` from a MATLAB 5 file.
pub fn read_matlab(path: &Path) -> Result<Bags> {
    let mut found = matlab::read(path)?;
    let mut take = |name: &str| found.remove(name).ok_or_else(|| Error::format(path, format!("has no matrix {name}")));
    let (features, labels, ids) = (take("features")?, take("labels")?, take("bag_ids")?);
    let row = |matrix: Array2<f64>| matrix.iter().copied().collect::<Vec<f64>>();
    Bags::gather(path, features, &row(ids), &row(labels))
}

/// Reads lines of `bag_id,label,f0,f1,...` under a header, gzipped or plain.
pub fn read_csv(path: &Path) -> Result<Bags> {
    let bytes = bytes(path, MOST)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Error::format(path, "is no text"))?;
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or(Vec::new(), |(_, line)| line.split(',').collect());
    if header.len() < 3 || header[..2] != ["bag_id", "label"] {
        return Err(Error::format(path, "its first line must name bag_id, label and features"));
    }
    let (mut ids, mut labels, mut features) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != header.len() {
            let what = format!("line {} has {} fields, expected {}", number + 1, fields.len(), header.len());
            return Err(Error::format(path, what));
        }
        for (column, field) in fields.iter().enumerate() {
            let value: f64 = field.trim().parse().map_err(|_| {
                Error::format(path, format!("line {}, {}: {field:?} is not a number", number + 1, header[column]))
            })?;
            match column {
                0 => ids.push(value),
                1 => labels.push(value),
                _ => features.push(value),
            }
        }
    }
    let shape = (ids.len(), header.len() - 2);
    let features = Array2::from_shape_vec(shape, features).expect("every line has all fields");
    Bags::gather(path, features, &ids, &labels)
}
