//! A figure as PNG, with smooth edges and letters of pixels.

use std::io::Write;

use super::font::{self, ADVANCE};
use super::{Anchor, Colour, Figure, Shape};
use crate::glyphs::{Point, Tool, cover_of};

/// Lengths of dashes and of the gaps between them.
pub(super) const DASH: Point = (6.0, 4.0);
/// Pixels that a figure may have before it is drawn at half of the resolution.
const MOST_PIXELS: f64 = 64e6;

/// Writes at two pixels a unit, so that it is sharp on the screens of today.
pub(super) fn write(figure: &Figure, to: impl Write) -> std::io::Result<()> {
    let scale = if 4.0 * figure.width * figure.height <= MOST_PIXELS { 2.0 } else { 1.0 };
    let side = |length: f64| (length * scale).ceil().max(1.0) as usize;
    let mut sheet = Sheet::new(side(figure.width), side(figure.height), scale);
    figure.shapes.iter().for_each(|shape| sheet.draw(shape));
    let mut encoder = png::Encoder::new(to, sheet.width as u32, sheet.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&sheet.pixels)?;
    Ok(writer.finish()?)
}

struct Sheet {
    width: usize,
    height: usize,
    scale: f64,
    pixels: Vec<u8>,
}

impl Sheet {
    fn new(width: usize, height: usize, scale: f64) -> Self {
        Sheet { width, height, scale, pixels: vec![255; 3 * width * height] }
    }

    fn draw(&mut self, shape: &Shape) {
        let scale = self.scale;
        let place = |(x, y): Point| (x * scale, y * scale);
        match shape {
            Shape::Surface { points, colour } => {
                let mut line: Vec<Point> = points.iter().copied().map(place).collect();
                line.extend(line.first().copied());
                self.ink(Tool::Fill, line, *colour);
            }
            Shape::Line { points, width, colour, dashed } => {
                let pieces = if *dashed { dashes(points) } else { points.windows(2).map(<[Point]>::to_vec).collect() };
                let width = width * scale;
                for piece in pieces {
                    let piece = piece.into_iter().map(place).collect();
                    self.ink(Tool::Pen(width), piece, *colour);
                }
            }
            Shape::Disc { centre, radius, colour } => {
                self.ink(Tool::Pen(2.0 * radius * scale), vec![place(*centre)], *colour);
            }
            Shape::Text { at, anchor, size, colour, text } => self.write(place(*at), *anchor, *size, *colour, text),
            Shape::Picture { corner, size, pixels, greys } => self.paste(place(*corner), place(*size), *pixels, greys),
        }
    }

    /// Draws within the rectangle that the tool can reach.
    fn ink(&mut self, tool: Tool, line: Vec<Point>, colour: Colour) {
        let reach = 1.0 + if let Tool::Pen(width) = tool { width / 2.0 } else { 0.0 };
        let span = |of: fn(&Point) -> f64, most: usize| {
            let low = line.iter().map(of).fold(f64::INFINITY, f64::min) - reach;
            let high = line.iter().map(of).fold(f64::NEG_INFINITY, f64::max) + reach;
            (low.max(0.0) as usize)..(high.ceil().max(0.0) as usize).min(most)
        };
        let (columns, rows) = (span(|p| p.0, self.width), span(|p| p.1, self.height));
        let line = [line];
        for y in rows {
            for x in columns.clone() {
                let cover = cover_of(tool, &line, (x as f64 + 0.5, y as f64 + 0.5));
                if cover > 0.0 {
                    self.blend(x, y, colour, cover);
                }
            }
        }
    }

    fn blend(&mut self, x: usize, y: usize, colour: Colour, cover: f64) {
        let at = 3 * (y * self.width + x);
        for (pixel, ink) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            *pixel = (f64::from(*pixel) * (1.0 - cover) + f64::from(ink) * cover).round() as u8;
        }
    }

    fn write(&mut self, (x, y): Point, anchor: Anchor, size: f64, colour: Colour, text: &str) {
        // Capitals are about seven tenths of the size, and seven pixels of the font.
        let cell = (size * self.scale / 10.0).round().max(1.0) as usize;
        let width = (text.chars().count() * ADVANCE * cell) as f64;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let (mut left, top) = (left.round() as isize, y.round() as isize - (7 * cell) as isize);
        for character in text.chars() {
            for (column, row) in font::dots(character) {
                for (dx, dy) in (0..cell).flat_map(|dx| (0..cell).map(move |dy| (dx, dy))) {
                    let (x, y) = (left + (column * cell + dx) as isize, top + (row * cell + dy) as isize);
                    if (0..self.width as isize).contains(&x) && (0..self.height as isize).contains(&y) {
                        self.blend(x as usize, y as usize, colour, 1.0);
                    }
                }
            }
            left += (ADVANCE * cell) as isize;
        }
    }

    /// Each pixel of the sheet is the mean of those that it covers, which is one of them where it is enlarged.
    fn paste(&mut self, (left, top): Point, (width, height): Point, (rows, columns): (usize, usize), greys: &[f64]) {
        let (x0, y0) = (left.round() as usize, top.round() as usize);
        let (w, h) = (width.round().max(1.0) as usize, height.round().max(1.0) as usize);
        let range = |at: usize, of: usize, count: usize| {
            let from = at * count / of;
            from..((at + 1) * count / of).max(from + 1)
        };
        for y in 0..h.min(self.height.saturating_sub(y0)) {
            for x in 0..w.min(self.width.saturating_sub(x0)) {
                let (lines, cells) = (range(y, h, rows), range(x, w, columns));
                let count = lines.len() * cells.len();
                let sum: f64 = lines.map(|line| greys[line * columns..][cells.clone()].iter().sum::<f64>()).sum();
                let grey = ((sum / count as f64).clamp(-1.0, 1.0) + 1.0) * 127.5;
                self.blend(x0 + x, y0 + y, [grey.round() as u8; 3], 1.0);
            }
        }
    }
}

/// The dashes of a line through points.
fn dashes(points: &[Point]) -> Vec<Vec<Point>> {
    let mut pieces = Vec::new();
    let (mut phase, period) = (0.0, DASH.0 + DASH.1);
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let at = |along: f64| {
            let share = (along / length).clamp(0.0, 1.0);
            (a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1))
        };
        let mut start = -phase;
        while start < length && length > 0.0 {
            if start + DASH.0 > 0.0 {
                pieces.push(vec![at(start), at(start + DASH.0)]);
            }
            start += period;
        }
        phase = (phase + length) % period;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let pieces = dashes(&[(0.0, 0.0), (13.0, 0.0), (13.0, 20.0)]);
        assert_eq!(pieces[0], [(0.0, 0.0), (6.0, 0.0)]);
        assert_eq!(pieces[1], [(10.0, 0.0), (13.0, 0.0)]);
        assert_eq!(pieces[2], [(13.0, 0.0), (13.0, 3.0)]);
        assert_eq!(pieces[3], [(13.0, 7.0), (13.0, 13.0)]);
    }

    #[test]
    fn pictures_are_enlarged_and_reduced() {
        let mut sheet = Sheet::new(4, 4, 1.0);
        sheet.paste((0.0, 0.0), (4.0, 2.0), (1, 2), &[-1.0, 1.0]);
        assert_eq!([0, 1, 2, 3].map(|x| sheet.pixels[3 * x]), [0, 0, 255, 255]);
        sheet.paste((0.0, 3.0), (1.0, 1.0), (2, 2), &[-1.0, -1.0, 1.0, 1.0]);
        assert_eq!(sheet.pixels[3 * 12], 128);
    }
}
