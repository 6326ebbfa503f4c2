//! Size, channels and scale of pictures, and how a memory notes them.

use std::collections::BTreeMap;

use super::luminance;

/// The numbers of black and of white.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The number of black.
    pub black: f64,
    /// The number of white.
    pub white: f64,
}

impl Scale {
    /// From -1 to 1, as picture files are read.
    pub const SIGNED: Scale = Scale { black: -1.0, white: 1.0 };

    /// The most usual scale that holds all numbers from `low` to `high`; these themselves if none does.
    pub fn of_range((low, high): (f64, f64)) -> Self {
        let usual = [(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)].map(|(black, white)| Scale { black, white });
        let holds = |scale: &Scale| low >= scale.black && high <= scale.white;
        // One colour everywhere is shown as black.
        let own = Scale { black: low, white: if high > low { high } else { low + 1.0 } };
        usual.into_iter().find(holds).unwrap_or(own)
    }

    /// Where a number lies between black, 0, and white, 1.
    fn light(self, value: f64) -> f64 {
        ((value - self.black) / (self.white - self.black)).clamp(0.0, 1.0)
    }

    /// The number of this scale that is as bright as one of another.
    pub fn convert(self, value: f64, from: Scale) -> f64 {
        self.black + (value - from.black) / (from.white - from.black) * (self.white - self.black)
    }
}

impl std::fmt::Display for Scale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (black) to {} (white)", self.black, self.white)
    }
}

/// What a row of numbers is as a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    /// Pixels from top to bottom.
    pub height: usize,
    /// Pixels from left to right.
    pub width: usize,
    /// One, or three: red, green and blue of each pixel.
    pub channels: usize,
    /// What black and white are, where that is known.
    pub scale: Option<Scale>,
}

/// Names in a memory's notes.
const HEIGHT: &str = "picture.height";
const WIDTH: &str = "picture.width";
const CHANNELS: &str = "picture.channels";
const BLACK: &str = "picture.black";
const WHITE: &str = "picture.white";

impl Form {
    /// Greys from -1 to 1.
    pub fn grey(height: usize, width: usize) -> Self {
        Form { height, width, channels: 1, scale: Some(Scale::SIGNED) }
    }

    /// Height and width.
    pub fn size(&self) -> (usize, usize) {
        (self.height, self.width)
    }

    /// How many numbers a picture has.
    pub fn numbers(&self) -> Option<usize> {
        self.height.checked_mul(self.width)?.checked_mul(self.channels)
    }

    /// Whether two pictures can be compared number by number.
    pub fn fits(&self, other: &Form) -> bool {
        (self.size(), self.channels) == (other.size(), other.channels)
    }

    /// As texts, which a memory keeps.
    pub fn notes(&self) -> Vec<(String, String)> {
        let scale = self.scale.unwrap_or(Scale::SIGNED);
        let mut notes = vec![(HEIGHT, self.height.to_string()), (WIDTH, self.width.to_string())];
        if self.channels != 1 {
            notes.push((CHANNELS, self.channels.to_string()));
        }
        notes.extend([(BLACK, scale.black.to_string()), (WHITE, scale.white.to_string())]);
        notes.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    }

    /// From the texts in a memory. Those that say no scale are from -1 to 1.
    pub fn from_notes(notes: &BTreeMap<String, String>) -> Option<Self> {
        let side = |name: &str| notes.get(name)?.parse().ok();
        let number = |name: &str, usual: f64| match notes.get(name) {
            None => Some(usual),
            Some(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        let channels = notes.get(CHANNELS).map_or(Some(1), |text| text.parse().ok().filter(|n| *n == 1 || *n == 3))?;
        let scale = Scale { black: number(BLACK, -1.0)?, white: number(WHITE, 1.0)? };
        let form = Form { height: side(HEIGHT)?, width: side(WIDTH)?, channels, scale: Some(scale) };
        (scale.black != scale.white && form.numbers()? > 0).then_some(form)
    }

    /// Bytes from 0, black, to 255, white; numbers beyond the scale are cut off.
    pub fn bytes(&self, values: &[f64]) -> Vec<u8> {
        let scale = self.scale.unwrap_or(Scale::SIGNED);
        values.iter().map(|&value| (scale.light(value) * 255.0).round() as u8).collect()
    }

    /// One grey a pixel from -1 to 1, to be shown.
    pub fn greys(&self, values: &[f64]) -> Vec<f64> {
        let scale = self.scale.unwrap_or(Scale::SIGNED);
        let signed = |light: f64| 2.0 * light - 1.0;
        match self.channels {
            3 => {
                let pixels = values.as_chunks::<3>().0.iter();
                pixels.map(|rgb| signed(luminance(rgb.map(|v| scale.light(v) as f32)).into())).collect()
            }
            _ => values.iter().map(|&value| signed(scale.light(value))).collect(),
        }
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let colour = if self.channels == 3 { " in colour" } else { "" };
        write!(f, "{} x {} pixels{colour}", self.width, self.height)
    }
}
