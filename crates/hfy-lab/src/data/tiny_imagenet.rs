//! Tiny ImageNet: 64 x 64 colour pictures of 200 kinds of things.

use std::fs;
use std::path::{Path, PathBuf};

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{Found, Images, Place, bytes, npy};
use crate::error::{Error, Result};

const CLASSES: usize = 200;
const SIDE: usize = 64;
const MOST: u64 = 1 << 24;

/// The pictures to train with: the published folder, or NumPy arrays of the first twelve of each class.
pub fn train(place: &Place) -> Result<Images> {
    match &find(place)?.files[..] {
        [pixels, labels] => read_arrays(pixels, labels),
        files => read_folder(&files[0]),
    }
}

/// The folder, or the two arrays.
pub(super) fn find(place: &Place) -> Result<Found> {
    let set = "tiny-imagenet";
    match place.file(set, &["tiny-imagenet-200/train", "train"]) {
        Ok(folder) => Ok(Found::whole(vec![folder])),
        Err(missing) => {
            let pixels = place.file(set, &["train_2400x64x64x3_uint8.npy"]).map_err(|_| missing)?;
            let labels = place.file(set, &["train_2400_labels_uint8.npy"])?;
            Ok(Found { files: vec![pixels, labels], part: Some("the first twelve of each class") })
        }
    }
}

/// Reads arrays of bytes: pictures by rows, columns and colours, and labels.
pub fn read_arrays(pixels: &Path, labels: &Path) -> Result<Images> {
    let (shape, entries) = npy::read(pixels)?;
    let [count, height, width, channels] = shape[..] else {
        return Err(Error::format(
            pixels,
            format!("has the shape {shape:?}, expected pictures x rows x columns x colours"),
        ));
    };
    let (axes, classes) = npy::read(labels)?;
    if axes != [count] {
        return Err(Error::format(labels, format!("has the shape {axes:?}, expected [{count}]")));
    }
    let size = height * width * channels;
    let planes = entries.chunks(size.max(1)).flat_map(|picture| {
        (0..channels).flat_map(move |colour| picture.iter().skip(colour).step_by(channels).copied())
    });
    Images::new((channels, height, width), CLASSES, planes.collect(), classes)
        .map_err(|what| Error::format(labels, what))
}

/// Reads the published folder, `n01443537/images/n01443537_0.JPEG` and so on: classes in the order of their names,
/// pictures in that of their numbers.
pub fn read_folder(folder: &Path) -> Result<Images> {
    let mut classes = entries(folder)?;
    classes.retain(|path| path.is_dir());
    if classes.is_empty() || classes.len() > CLASSES {
        let what = format!("has {} folders of classes, expected 1 to {CLASSES}", classes.len());
        return Err(Error::format(folder, what));
    }
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for (label, class) in classes.iter().enumerate() {
        let inner = class.join("images");
        let mut pictures = entries(if inner.is_dir() { &inner } else { class })?;
        pictures.retain(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jpeg")));
        pictures.sort_by_key(|path| number(path));
        for picture in &pictures {
            planes(picture, &mut pixels)?;
            labels.push(label as u8);
        }
    }
    Images::new((3, SIDE, SIDE), CLASSES, pixels, labels).map_err(|what| Error::format(folder, what))
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let mut paths: Vec<PathBuf> = listed
        .map(|entry| entry.map(|e| e.path()))
        .collect::<std::io::Result<_>>()
        .map_err(Error::io("read", folder))?;
    paths.sort();
    Ok(paths)
}

/// The number at the end of a picture's name.
fn number(path: &Path) -> (u64, PathBuf) {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    (stem.rsplit('_').next().and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX), path.to_owned())
}

/// Appends the three planes of a picture; one of greys has the same three times.
fn planes(path: &Path, pixels: &mut Vec<u8>) -> Result<()> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes(path, MOST)?), options);
    let decoded = decoder.decode().map_err(|error| Error::format(path, format!("is not a whole JPEG: {error:?}")))?;
    let size = decoder.dimensions();
    if size != Some((SIDE, SIDE)) || decoded.len() != 3 * SIDE * SIDE {
        return Err(Error::format(path, format!("has the size {size:?}, expected ({SIDE}, {SIDE})")));
    }
    for colour in 0..3 {
        pixels.extend(decoded.iter().skip(colour).step_by(3));
    }
    Ok(())
}
