//! Instances in the order of a file, and how they become bags.

use ndarray::Array2;

use super::group::group;
use super::labels::{Names, canonical, positives};
use super::{Bags, LabelRule, Missing, Options, listed};
use crate::text::visible;
use crate::{Error, Result};

/// Instances as a file has them, of any bag each.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) file: String,
    /// Row after row; what is missing is NaN.
    pub(super) values: Vec<f32>,
    pub(super) features: Vec<String>,
    /// The column of each feature in the file, from 1.
    pub(super) columns: Vec<usize>,
    /// The line of each row in the file, from 1.
    pub(super) lines: Vec<usize>,
    /// The bag of each row, as a number among the names.
    pub(super) bags: Vec<usize>,
    pub(super) names: Names,
    pub(super) labels: Labels,
    pub(super) notes: Vec<String>,
}

/// The labels of a file.
#[derive(Debug, Default)]
pub(super) struct Labels {
    kinds: Names,
    /// The label of each row as a number among the kinds; `None` where it is missing.
    of_rows: Vec<Option<usize>>,
    /// The column of the labels in the file, from 1, where they are in one.
    column: Option<usize>,
}

impl Labels {
    /// No labels yet, for a column of the file, from 1.
    pub(super) fn in_column(column: Option<usize>) -> Self {
        Labels { column, ..Labels::default() }
    }

    /// The text of a label as it is compared, empty where it is missing.
    fn text(&self, row: usize) -> &str {
        self.of_rows[row].map_or("", |kind| &self.kinds.texts()[kind])
    }

    /// Appends the label of a row.
    pub(super) fn push(&mut self, text: &str) {
        let label = if is_missing(text) { None } else { Some(self.kinds.number(&canonical(text))) };
        self.of_rows.push(label);
    }
}

/// Whether a cell says that there is no value.
pub(super) fn is_missing(cell: &str) -> bool {
    let missing = ["", "na", "n/a", "nan", "null", "none", "?"];
    cell.len() <= 4 && missing.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

impl Table {
    /// Gathers the instances of each bag. Bags are in the order of their first instances, and the instances of a bag
    /// keep their order.
    pub(super) fn gather(mut self, options: &Options) -> Result<Bags> {
        let (rows, width) = (self.bags.len(), self.features.len());
        if rows == 0 {
            return Err(Error::data(&self.file, "holds no instances"));
        }
        if width == 0 {
            return Err(Error::data(&self.file, "has no features: instances need at least one"));
        }
        self.check_missing(options.missing)?;
        self.note_constants();
        let labels = self.labels_of_bags(options)?;
        let (offsets, order) = group(&self.bags, self.names.texts().len());
        if !order.is_sorted() {
            let mut values = Vec::with_capacity(self.values.len());
            order.iter().for_each(|&row| values.extend_from_slice(&self.values[row * width..][..width]));
            self.values = values;
        }
        let wrong = |error: &dyn std::fmt::Display| Error::data(&self.file, error);
        let instances = Array2::from_shape_vec((rows, width), self.values).map_err(|error| wrong(&error))?;
        let found = Bags::new(instances, offsets, labels)
            .and_then(|found| found.with_names(self.names.into_texts()))
            .and_then(|found| found.with_features(self.features))
            .map_err(|error| wrong(&error))?;
        Ok(Bags { rows: order, notes: self.notes, ..found })
    }

    /// An error in a row, counted from 0, and in the column of the labels, where there is one.
    fn at_label(&self, row: usize, what: String) -> Error {
        match self.labels.column {
            Some(column) => Error::at(&self.file, self.lines[row], column, what),
            None => Error::in_row(&self.file, self.lines[row], what),
        }
    }

    /// Notes features that are the same in all instances.
    fn note_constants(&mut self) {
        let width = self.features.len();
        let Some((first, rest)) = self.values.split_at_checked(width).filter(|(_, rest)| !rest.is_empty()) else {
            return;
        };
        let mut constant: Vec<usize> = (0..width).collect();
        for row in rest.chunks_exact(width) {
            constant.retain(|&column| row[column] == first[column]);
        }
        if !constant.is_empty() {
            let names = listed(constant.iter().map(|&column| self.features[column].as_str()));
            let count = constant.len();
            self.notes.push(format!("{}: constant features, which were kept: {count} of {width}, {names}", self.file));
        }
    }

    /// Refuses or notes missing values.
    fn check_missing(&mut self, missing: Missing) -> Result<()> {
        let width = self.features.len();
        let Some(first) = self.values.iter().position(|value| value.is_nan()) else { return Ok(()) };
        let count = self.values.iter().filter(|value| value.is_nan()).count();
        if missing == Missing::Refuse {
            let (row, column) = (first / width, first % width);
            let name = visible(&self.features[column]);
            let many = first_of(count);
            let what = format!("the value of '{name}' is missing, {many}: the option missing = mean fills them in");
            return Err(Error::at(&self.file, self.lines[row], self.columns[column], what));
        }
        let is_gappy = |column: &usize| self.values.iter().skip(*column).step_by(width).any(|value| value.is_nan());
        let columns = (0..width).filter(is_gappy).count();
        self.notes.push(format!("{}: missing values: {count}, in {columns} columns", self.file));
        Ok(())
    }

    /// Whether each bag is positive; `None` where the file has no labels.
    fn labels_of_bags(&mut self, options: &Options) -> Result<Option<Vec<bool>>> {
        let labels = &self.labels;
        let missing = labels.of_rows.iter().filter(|label| label.is_none()).count();
        if missing == labels.of_rows.len() && options.unlabelled {
            return Ok(None);
        }
        if let Some(row) = labels.of_rows.iter().position(Option::is_none) {
            let what = format!("the label is missing, {}: every instance needs one", first_of(missing));
            return Err(self.at_label(row, what));
        }
        if let Some(row) = labels.of_rows.iter().position(|&label| label >= Some(2)) {
            let (all, text) = (labels.kinds.texts(), visible(labels.text(row)));
            let others = listed(all[..2].iter().map(String::as_str));
            let what = format!("the label '{text}' is beside {others}: labels are of two kinds, here {}", all.len());
            return Err(self.at_label(row, what));
        }
        let kinds = labels.kinds.texts();
        let positive = positives(kinds, options.positive.as_deref()).map_err(|what| Error::data(&self.file, what))?;
        if let (Some(named), [false]) = (&options.positive, &positive[..]) {
            let only = listed(kinds.iter().map(String::as_str));
            self.notes.push(format!("{}: no label is '{}', all are {only}", self.file, visible(named)));
        }
        // The first row of each bag, and its label or, with the rule any, that of all its rows.
        let mut found: Vec<Option<(usize, bool)>> = vec![None; self.names.texts().len()];
        for (row, (&bag, label)) in self.bags.iter().zip(&labels.of_rows).enumerate() {
            let label = label.is_some_and(|kind| positive[kind]);
            match &mut found[bag] {
                none @ None => *none = Some((row, label)),
                Some((_, before)) if options.label_rule == LabelRule::Any => *before |= label,
                Some((first, before)) if *before != label => {
                    let what = format!(
                        "the label '{}' differs from '{}' in row {}, both in the bag '{}': where labels are those of \
                         instances, the option label_rule = any makes a bag with a positive instance positive",
                        visible(labels.text(row)),
                        visible(labels.text(*first)),
                        self.lines[*first],
                        visible(&self.names.texts()[bag]),
                    );
                    return Err(self.at_label(row, what));
                }
                Some(_) => {}
            }
        }
        Ok(Some(found.into_iter().map(|bag| bag.is_some_and(|(_, label)| label)).collect()))
    }
}

fn first_of(count: usize) -> String {
    if count == 1 { "the only one".to_owned() } else { format!("the first of {count}") }
}
