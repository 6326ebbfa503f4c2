//! Pictures: bytes in rows and columns.

use crate::{Colour, Error, Result};

/// A picture of bytes, row after row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    rows: usize,
    columns: usize,
    /// Bytes of a pixel: one for grey, three for red, green and blue.
    channels: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// Greys from 0, black, to 255, white: `rows * columns` bytes.
    pub fn grey(rows: usize, columns: usize, bytes: Vec<u8>) -> Result<Self> {
        Pixels::new(rows, columns, 1, bytes)
    }

    /// Red, green and blue of each pixel: `3 * rows * columns` bytes.
    pub fn rgb(rows: usize, columns: usize, bytes: Vec<u8>) -> Result<Self> {
        Pixels::new(rows, columns, 3, bytes)
    }

    /// One colour a pixel.
    pub fn colours(rows: usize, columns: usize, colours: &[Colour]) -> Result<Self> {
        Pixels::new(rows, columns, 3, colours.concat())
    }

    /// Greys of numbers: `black` and what is beyond it is black, `white` and what is beyond it is white. NaN is black.
    pub fn greys(rows: usize, columns: usize, values: &[f64], black: f64, white: f64) -> Result<Self> {
        if !(black.is_finite() && white.is_finite() && black != white) {
            let value = format!("{black} and {white}");
            return Err(Error::argument("black and white", value, "they must be finite and apart"));
        }
        // The cast keeps what is outside at the ends and takes NaN to 0.
        let grey = |value: &f64| (255.0 * (value - black) / (white - black)).round() as u8;
        Pixels::new(rows, columns, 1, values.iter().map(grey).collect())
    }

    fn new(rows: usize, columns: usize, channels: usize, bytes: Vec<u8>) -> Result<Self> {
        /// PNG has 31 bits for a side; more than this is no picture.
        const LONGEST_SIDE: usize = 1 << 20;
        if rows == 0 || columns == 0 || rows > LONGEST_SIDE || columns > LONGEST_SIDE {
            let rule = format!("sides from 1 to {LONGEST_SIDE} can be drawn");
            return Err(Error::argument("the size of a picture", format!("{rows} x {columns}"), rule));
        }
        if rows * columns * channels != bytes.len() {
            let rule = format!("a picture of {rows} x {columns} needs {}", rows * columns * channels);
            return Err(Error::argument("the number of bytes of a picture", bytes.len(), rule));
        }
        Ok(Pixels { rows, columns, channels, bytes })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many pixels a row has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The colour of a pixel.
    pub(crate) fn colour(&self, row: usize, column: usize) -> Colour {
        let at = (row * self.columns + column) * self.channels;
        if self.channels == 1 { [self.bytes[at]; 3] } else { [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]] }
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        crate::png::encoded(self.columns, self.rows, self.channels == 1, &self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        let error = Pixels::rgb(2, 3, vec![0; 17]).unwrap_err().to_string();
        assert_eq!(error, "the number of bytes of a picture is 17: a picture of 2 x 3 needs 18");
        let error = Pixels::grey(0, 3, vec![]).unwrap_err().to_string();
        assert_eq!(error, "the size of a picture is 0 x 3: sides from 1 to 1048576 can be drawn");
        assert!(Pixels::greys(1, 1, &[0.0], 1.0, 1.0).is_err());
    }

    #[test]
    fn numbers_become_greys() {
        let pixels = Pixels::greys(1, 5, &[-3.0, -1.0, 0.0, 1.0, f64::NAN], -1.0, 1.0).unwrap();
        assert_eq!(pixels.bytes, [0, 0, 128, 255, 0]);
        let inverse = Pixels::greys(1, 2, &[0.0, 1.0], 1.0, 0.0).unwrap();
        assert_eq!((inverse.colour(0, 0), inverse.colour(0, 1)), ([255; 3], [0; 3]));
    }
}
