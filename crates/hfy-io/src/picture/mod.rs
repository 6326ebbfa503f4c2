//! PNG, JPEG, BMP, WebP and TIFF pictures as rows of numbers.

mod form;
mod options;
mod write;

use std::io::Cursor;

use image::imageops;
use image::{DynamicImage, ImageBuffer, ImageError, ImageFormat, ImageReader, Limits, Luma, Pixel, Rgb};

pub use form::{Form, Scale};
pub use options::{Filter, Integers, Options};
pub use write::{Kind, write};

use crate::{Error, Result};

/// A picture in memory: greys, or red, green and blue, row after row from the top left, from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its sides, channels and scale.
    pub form: Form,
    /// Its numbers.
    pub values: Vec<f32>,
}

/// The longest side that is read, in pixels.
const LONGEST_SIDE: u32 = 1 << 14;
/// The most pixels that are read. A few kilobytes can unpack to gigabytes of one colour.
const MOST_PIXELS: u64 = 1 << 25;
/// What a decoder may allocate: eight bytes a pixel.
const MOST_BYTES: u64 = 8 * MOST_PIXELS;

/// Reads a picture. Colours become their luminance by Rec. 709, unless they are asked for; transparency is ignored.
pub fn read(bytes: &[u8], file: &str, options: &Options) -> Result<Picture> {
    let format = kind_of_bytes(bytes).ok_or_else(|| {
        let start = &bytes[..bytes.len().min(8)];
        Error::data(file, format!("is neither PNG, JPEG, BMP, WebP nor TIFF: it begins with {start:02x?}"))
    })?;
    let name = name_of(format);
    let wrong = |error: ImageError| match error {
        ImageError::Limits(_) => Error::data(file, format!("is too large: {}", too_large())),
        error => Error::data(file, format!("is not a whole {name} picture: {error}")),
    };
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    // The size comes first, before anything is allocated for pixels.
    let (width, height) = reader().into_dimensions().map_err(wrong)?;
    if width.min(height) == 0 {
        return Err(Error::data(file, format!("is {width} x {height} pixels: there is nothing in it")));
    }
    if width.max(height) > LONGEST_SIDE || u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Error::data(file, format!("is {width} x {height} pixels: {}", too_large())));
    }
    if format == ImageFormat::Jpeg && !is_whole_jpeg(bytes) {
        return Err(Error::data(file, "is not a whole JPEG picture: the mark of its end is missing"));
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MOST_BYTES);
    let mut reader = reader();
    reader.limits(limits);
    Ok(options.apply(&reader.decode().map_err(wrong)?))
}

fn too_large() -> String {
    format!("at most {LONGEST_SIDE} a side and {MOST_PIXELS} in all are read")
}

/// One of the formats that are read, by the first bytes.
pub(crate) fn kind_of_bytes(bytes: &[u8]) -> Option<ImageFormat> {
    image::guess_format(bytes).ok().filter(ImageFormat::reading_enabled)
}

fn name_of(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::Bmp => "BMP",
        ImageFormat::WebP => "WebP",
        _ => "TIFF",
    }
}

/// Decoders fill up a JPEG picture that was cut off, so the mark of its end is looked for: in the last kilobytes,
/// because some programs write more after it.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    const TAIL: usize = 4096;
    bytes[bytes.len().saturating_sub(TAIL)..].windows(2).any(|pair| pair == [0xff, 0xd9])
}

impl Options {
    /// A decoded picture as numbers, of the size and in the channels that are asked for.
    fn apply(&self, decoded: &DynamicImage) -> Picture {
        let (values, width, height) = if self.colour {
            let rgb: ImageBuffer<Rgb<f32>, Vec<f32>> = decoded.to_rgb32f();
            self.resized(rgb)
        } else {
            self.resized(greys(decoded))
        };
        let form = Form {
            height: height as usize,
            width: width as usize,
            channels: if self.colour { 3 } else { 1 },
            scale: Some(Scale::SIGNED),
        };
        Picture { form, values: values.into_iter().map(|light| 2.0 * light - 1.0).collect() }
    }

    fn resized<P: Pixel<Subpixel = f32> + 'static>(&self, picture: ImageBuffer<P, Vec<f32>>) -> (Vec<f32>, u32, u32) {
        let picture = match self.size {
            Some((width, height)) if (width, height) != picture.dimensions() => {
                imageops::resize(&picture, width, height, self.filter.of_image())
            }
            _ => picture,
        };
        let (width, height) = picture.dimensions();
        (picture.into_raw(), width, height)
    }
}

/// Luminance in [0, 1], exactly that of the file where it is grey.
fn greys(decoded: &DynamicImage) -> ImageBuffer<Luma<f32>, Vec<f32>> {
    let (width, height) = (decoded.width(), decoded.height());
    let light: Vec<f32> = match decoded {
        DynamicImage::ImageLuma8(grey) => grey.as_raw().iter().map(|&v| f32::from(v) / 255.0).collect(),
        DynamicImage::ImageLuma16(grey) => grey.as_raw().iter().map(|&v| f32::from(v) / 65535.0).collect(),
        DynamicImage::ImageLumaA8(grey) => grey.pixels().map(|pixel| f32::from(pixel.0[0]) / 255.0).collect(),
        DynamicImage::ImageLumaA16(grey) => grey.pixels().map(|pixel| f32::from(pixel.0[0]) / 65535.0).collect(),
        colour => colour.to_rgb32f().pixels().map(|pixel| luminance(pixel.0)).collect(),
    };
    ImageBuffer::from_raw(width, height, light).unwrap_or_default()
}

/// By Rec. 709. Three equal channels give exactly their value.
pub(crate) fn luminance([red, green, blue]: [f32; 3]) -> f32 {
    if red == green && green == blue { red } else { 0.2126 * red + 0.7152 * green + 0.0722 * blue }
}
