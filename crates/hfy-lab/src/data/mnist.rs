//! MNIST: 28 x 28 greys of handwritten digits.

use super::{Images, Place, idx};
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

fn read(place: &Place, part: &str) -> Result<Images> {
    let file = |name: String| place.file("mnist", &[&name, &format!("{name}.gz")]);
    let (pixels, labels) = (file(format!("{part}-images-idx3-ubyte"))?, file(format!("{part}-labels-idx1-ubyte"))?);
    let (images, classes) = (idx::read(&pixels, 3)?, idx::read(&labels, 1)?);
    let shape = (1, images.shape[1], images.shape[2]);
    Images::new(shape, CLASSES, images.entries, classes.entries).map_err(|what| Error::format(&labels, what))
}
