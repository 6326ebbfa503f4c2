//! PNG and JPEG pictures as rows of greys: black is -1, white is 1.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::error::{Error, Result};

/// Greys in [-1, 1], row after row from the top left.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) greys: Vec<f32>,
}

/// The larger side that is read.
const LONGEST_SIDE: usize = 1 << 14;

/// Reads a picture. Colours become their luminance; what is transparent keeps the colour that it has.
pub(crate) fn read(path: &Path, file: &str) -> Result<Picture> {
    let mut opened = BufReader::new(File::open(path).map_err(Error::io("open", path))?);
    let mut start = [0; 8];
    let got = opened.read(&mut start).map_err(Error::io("read", path))?;
    opened.rewind().map_err(Error::io("read", path))?;
    match start {
        [0x89, b'P', b'N', b'G', ..] => read_png(opened, file),
        [0xff, 0xd8, 0xff, ..] => read_jpeg(opened, path, file),
        _ => Err(Error::data(file, format!("is neither PNG nor JPEG: it begins with {:02x?}", &start[..got]))),
    }
}

fn read_png(from: BufReader<File>, file: &str) -> Result<Picture> {
    let wrong = |error: png::DecodingError| Error::data(file, format!("is not a whole PNG picture: {error}"));
    let mut decoder = png::Decoder::new(from);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let size = (reader.info().height as usize, reader.info().width as usize);
    check_size(size, file)?;
    let bytes = reader.output_buffer_size().ok_or_else(|| Error::data(file, "is larger than any memory"))?;
    let mut buffer = vec![0; bytes];
    let frame = reader.next_frame(&mut buffer).map_err(wrong)?;
    let samples: Vec<f32> = match frame.bit_depth {
        png::BitDepth::Sixteen => {
            buffer.as_chunks::<2>().0.iter().map(|&b| f32::from(u16::from_be_bytes(b)) / 65535.0).collect()
        }
        _ => buffer.iter().map(|&b| f32::from(b) / 255.0).collect(),
    };
    let grey = |pixel: &[f32]| match *pixel {
        [grey] | [grey, _] => grey,
        // Luminance by Rec. 709.
        [red, green, blue, ..] => 0.2126 * red + 0.7152 * green + 0.0722 * blue,
        [] => 0.0,
    };
    let greys = samples.chunks_exact(frame.color_type.samples()).map(|pixel| 2.0 * grey(pixel) - 1.0);
    Ok(Picture { height: size.0, width: size.1, greys: greys.collect() })
}

fn read_jpeg(mut from: BufReader<File>, path: &Path, file: &str) -> Result<Picture> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).map_err(Error::io("read", path))?;
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::Luma)
        .set_max_width(LONGEST_SIDE)
        .set_max_height(LONGEST_SIDE)
        .set_strict_mode(true);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(&bytes), options);
    let wrong = |error| Error::data(file, format!("is not a whole JPEG picture: {error}"));
    let greys = decoder.decode().map_err(wrong)?;
    let size = decoder.dimensions().map(|(width, height)| (height, width)).unwrap_or_default();
    check_size(size, file)?;
    if greys.len() != size.0 * size.1 {
        return Err(Error::data(file, "is a JPEG picture without luminance"));
    }
    let greys = greys.into_iter().map(|grey| f32::from(grey) / 127.5 - 1.0).collect();
    Ok(Picture { height: size.0, width: size.1, greys })
}

fn check_size((height, width): (usize, usize), file: &str) -> Result<()> {
    if height.max(width) <= LONGEST_SIDE && height.min(width) > 0 {
        return Ok(());
    }
    Err(Error::data(file, format!("is {width} x {height} pixels: sides from 1 to {LONGEST_SIDE} are read")))
}

/// Writes greys as a PNG picture of 8 bits; what is outside of [-1, 1] is cut off.
pub(crate) fn write_png(to: impl Write, (height, width): (usize, usize), greys: &[f64]) -> std::io::Result<()> {
    let mut encoder = png::Encoder::new(to, width as u32, height as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels(greys))?;
    Ok(writer.finish()?)
}

/// Writes greys as a JPEG picture of high quality; what is outside of [-1, 1] is cut off.
pub(crate) fn write_jpeg(to: impl Write, (height, width): (usize, usize), greys: &[f64]) -> std::io::Result<()> {
    const QUALITY: u8 = 95;
    let side = |side: usize| {
        u16::try_from(side)
            .map_err(|_| std::io::Error::other(format!("{side} pixels are more than JPEG can have a side")))
    };
    let (height, width) = (side(height)?, side(width)?);
    let encoder = jpeg_encoder::Encoder::new(to, QUALITY);
    encoder.encode(&pixels(greys), width, height, jpeg_encoder::ColorType::Luma).map_err(std::io::Error::other)
}

fn pixels(greys: &[f64]) -> Vec<u8> {
    greys.iter().map(|grey| ((grey.clamp(-1.0, 1.0) + 1.0) * 127.5).round() as u8).collect()
}
