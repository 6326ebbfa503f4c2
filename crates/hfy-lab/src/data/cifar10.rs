//! CIFAR-10: 32 x 32 colour pictures of ten kinds of things.

use std::path::{Path, PathBuf};

use super::{Found, Images, Place, bytes};
use crate::error::{Error, Result};

/// The names of the classes.
pub const CLASSES: [&str; 10] =
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

const SIDE: usize = 32;
const PIXELS: usize = 3 * SIDE * SIDE;
const MOST: u64 = 1 << 29;

/// The pictures to train with: the five published batches, or the first 5,000.
pub fn train(place: &Place) -> Result<Images> {
    read(&train_files(place)?.files)
}

/// The pictures to test with: the published batch, or its first 2,000.
pub fn test(place: &Place) -> Result<Images> {
    read(&[test_file(place)?])
}

/// The files of both parts.
pub(super) fn find(place: &Place) -> Result<Found> {
    let mut found = train_files(place)?;
    found.files.push(test_file(place)?);
    Ok(found)
}

fn train_files(place: &Place) -> Result<Found> {
    let batches: Result<Vec<PathBuf>> = (1..=5)
        .map(|number| {
            let name = format!("data_batch_{number}.bin");
            place.file("cifar10", &[&name, &format!("cifar-10-batches-bin/{name}")])
        })
        .collect();
    match batches {
        Ok(batches) => Ok(Found::whole(batches)),
        Err(missing) => {
            let first = place.file("cifar10", &["train_5000.bin"]).map_err(|_| missing)?;
            Ok(Found { files: vec![first], part: Some("the first 5,000 to train with") })
        }
    }
}

fn test_file(place: &Place) -> Result<PathBuf> {
    place.file("cifar10", &["test_batch.bin", "cifar-10-batches-bin/test_batch.bin", "test_2000.bin"])
}

/// Reads binary records: a label, then 1,024 bytes each of red, green and blue.
pub fn read(files: &[impl AsRef<Path>]) -> Result<Images> {
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    let mut last = Path::new("");
    for path in files.iter().map(AsRef::as_ref) {
        let bytes = bytes(path, MOST)?;
        if bytes.is_empty() || bytes.len() % (PIXELS + 1) != 0 {
            let what = format!("has {} bytes, no whole number of records of {}", bytes.len(), PIXELS + 1);
            return Err(Error::format(path, what));
        }
        for record in bytes.chunks(PIXELS + 1) {
            labels.push(record[0]);
            pixels.extend_from_slice(&record[1..]);
        }
        last = path;
    }
    Images::new((3, SIDE, SIDE), CLASSES.len(), pixels, labels).map_err(|what| Error::format(last, what))
}
