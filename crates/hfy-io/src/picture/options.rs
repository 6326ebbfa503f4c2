//! How pictures become rows.

use std::str::FromStr;

use image::imageops::FilterType;

/// Colours, size, and what to do with integers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep red, green and blue, three numbers a pixel.
    pub colour: bool,
    /// Resize picture files to this width and height.
    pub size: Option<(u32, u32)>,
    /// How to resize.
    pub filter: Filter,
    /// What to do with arrays of 8-bit or 16-bit unsigned integers with axes for height and width.
    pub integers: Integers,
}

/// What becomes of arrays of pictures in unsigned integers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Integers {
    /// They are scaled as picture files are: zero to -1, the largest value of the type to 1.
    #[default]
    Scale,
    /// They keep their numbers.
    Keep,
}

/// How pictures are resized.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the filters")]
pub enum Filter {
    Nearest,
    Triangle,
    CatmullRom,
    Gaussian,
    #[default]
    Lanczos3,
}

impl Filter {
    /// The names that are read.
    pub const NAMES: [&str; 5] = ["nearest", "triangle", "catmullrom", "gaussian", "lanczos3"];

    pub(super) fn of_image(self) -> FilterType {
        match self {
            Filter::Nearest => FilterType::Nearest,
            Filter::Triangle => FilterType::Triangle,
            Filter::CatmullRom => FilterType::CatmullRom,
            Filter::Gaussian => FilterType::Gaussian,
            Filter::Lanczos3 => FilterType::Lanczos3,
        }
    }
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let filters = [Filter::Nearest, Filter::Triangle, Filter::CatmullRom, Filter::Gaussian, Filter::Lanczos3];
        let found = Filter::NAMES.iter().position(|name| *name == text);
        found.map(|place| filters[place]).ok_or_else(|| format!("must be one of {}", Filter::NAMES.join(", ")))
    }
}

impl FromStr for Integers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "scale" => Ok(Integers::Scale),
            "keep" => Ok(Integers::Keep),
            _ => Err("must be scale or keep".to_owned()),
        }
    }
}

impl Options {
    /// A width and a height, as in `28x28`.
    pub fn size(text: &str) -> Result<(u32, u32), String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=4096).contains(side));
        let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
        sides.ok_or_else(|| "must be WIDTHxHEIGHT in pixels, each from 1 to 4096".to_owned())
    }
}
