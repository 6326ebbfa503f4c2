//! MNIST: 28 x 28 greys of handwritten digits.

use std::path::PathBuf;

use super::{Found, Images, Place, idx};
use crate::error::{Error, Result};

const CLASSES: usize = 10;

/// The 60,000 digits to train with.
pub fn train(place: &Place) -> Result<Images> {
    read(place, "train")
}

/// The 10,000 digits to test with.
pub fn test(place: &Place) -> Result<Images> {
    read(place, "t10k")
}

/// The files of both parts.
pub(super) fn find(place: &Place) -> Result<Found> {
    Ok(Found::whole([files(place, "train")?, files(place, "t10k")?].concat()))
}

/// Pixels and labels.
fn files(place: &Place, part: &str) -> Result<[PathBuf; 2]> {
    let file = |name: String| place.file("mnist", &[&name, &format!("{name}.gz")]);
    Ok([file(format!("{part}-images-idx3-ubyte"))?, file(format!("{part}-labels-idx1-ubyte"))?])
}

fn read(place: &Place, part: &str) -> Result<Images> {
    let [pixels, labels] = files(place, part)?;
    let (images, classes) = (idx::read(&pixels, 3)?, idx::read(&labels, 1)?);
    let shape = (1, images.shape[1], images.shape[2]);
    Images::new(shape, CLASSES, images.entries, classes.entries).map_err(|what| Error::format(&labels, what))
}
