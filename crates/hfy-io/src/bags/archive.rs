//! Bags as arrays of NumPy.

use std::io::{Read, Seek};

use super::group::check_offsets;
use super::labels::Names;
use super::table::{Labels, Table};
use super::{Bags, Options};
use crate::array::rows_of;
use crate::{Array, Error, Float, Number, Result, npz};

/// Integers up to here are all in `f64`.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Reads an npz archive from a stream, which errors call `file`.
///
/// - `instances`: n x d numbers, or n pictures of height x width.
/// - `bags`: the bag of each instance, an integer; or `offsets`: where each bag begins, and n.
/// - `labels`: one for each bag, or one for each instance. Labels for bags follow the order of the offsets, or that of
///   the first instances of the bags in `bags`, whose numbers must rise in this order.
pub fn read_npz(mut from: impl Read + Seek, file: &str, options: &Options) -> Result<Bags> {
    let wrong = |what: String| Error::data(file, what);
    let names = npz::names(&mut from, file)?;
    let has = |name: &str| names.iter().any(|there| there == name);
    let instances = npz::read(&mut from, file, Some("instances"), None)?;
    let shape = match instances.shape[..] {
        [_, _] => None,
        [_, height, width] => Some((height, width)),
        _ => {
            let what = format!("instances have the shape {:?}: n x d numbers or n x height x width", instances.shape);
            return Err(wrong(what));
        }
    };
    let (rows, width) = rows_of(&instances.shape);
    if rows == 0 {
        return Err(wrong(format!("instances have the shape {:?}: at least one is needed", instances.shape)));
    }
    let (bags, names) = match (has("bags"), has("offsets")) {
        (true, true) => {
            return Err(wrong("holds both bags and offsets: one of them says what the bags are".to_owned()));
        }
        (false, false) => return Err(wrong("holds neither bags nor offsets: one says what the bags are".to_owned())),
        (true, false) => of_ids(&vector(&mut from, file, "bags")?, rows).map_err(wrong)?,
        (false, true) => of_offsets(&vector(&mut from, file, "offsets")?, rows).map_err(wrong)?,
    };
    let mut labels = Labels::default();
    if has("labels") {
        let found = vector(&mut from, file, "labels")?;
        let one_a_bag = match found.len() {
            count if count == rows => false,
            count if count == names.texts().len() => true,
            count => {
                let (bags, rule) = (names.texts().len(), "one for each bag or one for each instance is needed");
                return Err(wrong(format!("labels = {count} of them, for {bags} bags and {rows} instances: {rule}")));
            }
        };
        if one_a_bag && has("bags") && !rise(names.texts()) {
            let rule =
                "labels for bags need numbers of bags that rise with their first instances; give one for each instance";
            return Err(wrong(format!("the numbers in bags do not rise: {rule}")));
        }
        (0..rows).for_each(|row| labels.push(&found[if one_a_bag { bags[row] } else { row }].to_string()));
    } else if !options.unlabelled {
        return Err(wrong("holds no array 'labels', one for each bag or instance".to_owned()));
    }
    let features = match shape {
        None => (0..width).map(|column| column.to_string()).collect(),
        Some((_, across)) => (0..width).map(|place| format!("{},{}", place / across, place % across)).collect(),
    };
    let table = Table {
        file: file.to_owned(),
        values: values(&instances, file, (rows, width))?,
        features,
        columns: (1..=width).collect(),
        lines: (1..=rows).collect(),
        bags,
        names,
        labels,
        notes: instances.notes,
    };
    let found = table.gather(options)?;
    match shape {
        Some((height, width)) => found.with_shape(height, width),
        None => Ok(found),
    }
}

/// The numbers of the instances, which may be NaN but not infinite.
fn values(array: &Array, file: &str, dim: (usize, usize)) -> Result<Vec<f32>> {
    let exact = f64::matrix(&array.numbers, dim);
    if let Some(((row, column), value)) = exact.indexed_iter().find(|(_, value)| (**value as f32).is_infinite()) {
        let rule = if value.is_infinite() { "is not finite" } else { "is beyond the range of f32" };
        return Err(Error::at(&format!("{file}:instances"), row + 1, column + 1, format!("{value:e} {rule}")));
    }
    Ok(exact.iter().map(|&value| value as f32).collect())
}

/// An array with one axis, or with axes of length 1 beside it.
fn vector(from: impl Read + Seek, file: &str, name: &str) -> Result<Vec<f64>> {
    let array = npz::read(from, file, Some(name), Some(Float::F64))?;
    if array.shape.iter().filter(|&&length| length != 1).count() > 1 {
        let what = format!("has the shape {:?}: it must have one axis", array.shape);
        return Err(Error::data(&format!("{file}:{name}"), what));
    }
    Ok(f64::matrix(&array.numbers, (1, array.numbers.len())).iter().copied().collect())
}

fn integer(array: &str, place: usize, value: f64) -> std::result::Result<i64, String> {
    match value.fract() == 0.0 && value.abs() <= LARGEST {
        true => Ok(value as i64),
        false => Err(format!("{array}[{place}] = {value}: must be an integer of at most 2^53 in size")),
    }
}

/// The bag of each row, from a number for each.
fn of_ids(ids: &[f64], rows: usize) -> std::result::Result<(Vec<usize>, Names), String> {
    if ids.len() != rows {
        return Err(format!("bags has {} numbers, expected one for each of {rows} instances", ids.len()));
    }
    let mut names = Names::default();
    let bags = ids.iter().enumerate().map(|(row, &id)| Ok(names.number(&integer("bags", row, id)?.to_string())));
    let bags = bags.collect::<std::result::Result<_, String>>()?;
    Ok((bags, names))
}

/// The bag of each row, from where each bag begins.
fn of_offsets(offsets: &[f64], rows: usize) -> std::result::Result<(Vec<usize>, Names), String> {
    let whole = offsets.iter().enumerate().map(|(place, &offset)| {
        let offset = integer("offsets", place, offset)?;
        usize::try_from(offset).map_err(|_| format!("offsets[{place}] = {offset}: must not be negative"))
    });
    let offsets = whole.collect::<std::result::Result<Vec<usize>, String>>()?;
    check_offsets(&offsets, rows)?;
    let mut names = Names::default();
    let mut bags = Vec::with_capacity(rows);
    for (bag, pair) in offsets.windows(2).enumerate() {
        let number = names.number(&bag.to_string());
        bags.resize(pair[1], number);
    }
    Ok((bags, names))
}

/// Whether the names of bags, which are integers, rise.
fn rise(names: &[String]) -> bool {
    let numbers = || names.iter().map(|name| name.parse::<i64>().unwrap_or(i64::MIN));
    numbers().zip(numbers().skip(1)).all(|(one, next)| one < next)
}
