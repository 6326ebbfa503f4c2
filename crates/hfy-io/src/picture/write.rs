//! Pictures into files.

use std::io::Write;
use std::path::Path;

use image::codecs::bmp::BmpEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::tiff::TiffEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::Form;

/// The formats that pictures are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the formats")]
pub enum Kind {
    Png,
    Jpeg,
    Bmp,
    Webp,
    Tiff,
}

impl Kind {
    /// By the ending of the name.
    pub fn of_name(path: &Path) -> Option<Self> {
        Some(match &path.extension()?.to_str()?.to_ascii_lowercase()[..] {
            "png" => Kind::Png,
            "jpg" | "jpeg" => Kind::Jpeg,
            "bmp" => Kind::Bmp,
            "webp" => Kind::Webp,
            "tif" | "tiff" => Kind::Tiff,
            _ => return None,
        })
    }
}

/// Writes a picture of 8 bits a channel; what is beyond its scale is cut off. All formats but JPEG keep every pixel.
pub fn write(mut to: impl Write, kind: Kind, form: &Form, values: &[f64]) -> std::io::Result<()> {
    const QUALITY: u8 = 95;
    let side = |side: usize| {
        u32::try_from(side)
            .map_err(|_| std::io::Error::other(format!("{side} pixels are more than a picture can have")))
    };
    let (height, width) = (side(form.height)?, side(form.width)?);
    let mut bytes = form.bytes(values);
    let mut colour = if form.channels == 3 { ExtendedColorType::Rgb8 } else { ExtendedColorType::L8 };
    // WebP has no greys.
    if kind == Kind::Webp && form.channels == 1 {
        (bytes, colour) = (bytes.into_iter().flat_map(|grey| [grey; 3]).collect(), ExtendedColorType::Rgb8);
    }
    // An encoder that has to go back in its file gets one in memory.
    let mut file = std::io::Cursor::new(Vec::new());
    match kind {
        Kind::Png => PngEncoder::new(&mut file).write_image(&bytes, width, height, colour),
        Kind::Jpeg => JpegEncoder::new_with_quality(&mut file, QUALITY).write_image(&bytes, width, height, colour),
        Kind::Bmp => BmpEncoder::new(&mut file).write_image(&bytes, width, height, colour),
        Kind::Webp => WebPEncoder::new_lossless(&mut file).write_image(&bytes, width, height, colour),
        Kind::Tiff => TiffEncoder::new(&mut file).write_image(&bytes, width, height, colour),
    }
    .map_err(std::io::Error::other)?;
    to.write_all(file.get_ref())
}
