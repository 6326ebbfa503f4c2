//! A figure as PNG.

use tiny_skia::{FillRule, LineJoin, Mask, Paint, PathBuilder, Pixmap, StrokeDash, Transform};
use ttf_parser::OutlineBuilder;

use crate::marker::Outline;
use crate::palette::PAPER;
use crate::resample::resampled;
use crate::shape::Shape;
use crate::{Anchor, Colour, Figure, Marker, Pixels, Point, Stroke, TextStyle, font};

/// Pixels that a figure may have before it is drawn at a lower resolution.
const MOST_PIXELS: f64 = 64e6;
const NO_MASK: Option<&Mask> = None;

/// Drawn at two pixels a unit, so that it is sharp on the screens of today.
pub(crate) fn of(figure: &Figure) -> Vec<u8> {
    let area = figure.width() * figure.height();
    let scale = [2.0, 1.0].into_iter().find(|scale| scale * scale * area <= MOST_PIXELS);
    let scale = scale.unwrap_or_else(|| (MOST_PIXELS / area).sqrt());
    let side = |length: f64| (length * scale).ceil().max(1.0) as u32;
    let Some(mut sheet) = Sheet::new(side(figure.width()), side(figure.height()), scale) else {
        // Only a strip longer than any memory comes here: its paper is white.
        return encoded(1, 1, true, &[255]);
    };
    figure.shapes.iter().for_each(|shape| sheet.draw(shape));
    let (width, height) = (sheet.map.width() as usize, sheet.map.height() as usize);
    let bytes: Vec<u8> =
        sheet.map.data().as_chunks::<4>().0.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    encoded(width, height, false, &bytes)
}

/// Grey or coloured bytes as a PNG file.
pub(crate) fn encoded(width: usize, height: usize, grey: bool, bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(if grey { png::ColorType::Grayscale } else { png::ColorType::Rgb });
    encoder.set_compression(png::Compression::Balanced);
    // Lines and letters on paper are smaller without a filter, by a quarter.
    encoder.set_filter(png::Filter::NoFilter);
    // Writing to memory fails for sizes alone, and these have been checked.
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(bytes)?;
        writer.finish()
    });
    debug_assert!(written.is_ok(), "{written:?}");
    file
}

struct Sheet {
    map: Pixmap,
    scale: f64,
}

impl Sheet {
    fn new(width: u32, height: u32, scale: f64) -> Option<Self> {
        let mut map = Pixmap::new(width, height)?;
        map.fill(tiny_skia::Color::WHITE);
        Some(Sheet { map, scale })
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, closed, stroke } => {
                let mut path = PathBuilder::new();
                polyline(&mut path, points, *closed);
                self.stroke(path, stroke, self.units());
            }
            Shape::Surface { rings, colour, opacity } => {
                let mut path = PathBuilder::new();
                rings.iter().for_each(|ring| polyline(&mut path, ring, true));
                self.fill(path, *colour, *opacity, self.units());
            }
            Shape::Marker { at, marker, size, colour } => self.mark(*at, *marker, *size, *colour),
            Shape::Text { at, anchor, style, text } => self.write(*at, *anchor, style, text),
            Shape::Picture { corner, size, pixels, smooth } => self.paste(*corner, *size, pixels, *smooth),
        }
    }

    /// From units to pixels.
    fn units(&self) -> Transform {
        Transform::from_scale(self.scale as f32, self.scale as f32)
    }

    fn fill(&mut self, path: PathBuilder, colour: Colour, opacity: f64, transform: Transform) {
        if let Some(path) = path.finish() {
            self.map.fill_path(&path, &paint(colour, opacity), FillRule::EvenOdd, transform, NO_MASK);
        }
    }

    fn stroke(&mut self, path: PathBuilder, stroke: &Stroke, transform: Transform) {
        let lengths = stroke.dash.lengths(stroke.width).into_iter().map(|length| length as f32).collect();
        let dash = StrokeDash::new(lengths, 0.0);
        let pen =
            tiny_skia::Stroke { width: stroke.width as f32, line_join: LineJoin::Round, dash, ..Default::default() };
        if let Some(path) = path.finish() {
            self.map.stroke_path(&path, &paint(stroke.colour, stroke.opacity), &pen, transform, NO_MASK);
        }
    }

    fn mark(&mut self, at: Point, marker: Marker, size: f64, colour: Colour) {
        let here = self.units().pre_translate(at.0 as f32, at.1 as f32);
        let circle = |radius: f64| {
            let mut path = PathBuilder::new();
            path.push_circle(0.0, 0.0, radius as f32);
            path
        };
        let ring = |points: &[Point]| {
            let mut path = PathBuilder::new();
            polyline(&mut path, points, true);
            path
        };
        match marker.outline(size) {
            Outline::Disc(radius) => self.fill(circle(radius), colour, 1.0, here),
            Outline::Ring(radius, line) => {
                self.fill(circle(radius), PAPER, 1.0, here);
                self.stroke(circle(radius), &Stroke::new(line, colour), here);
            }
            Outline::Filled(points) => self.fill(ring(&points), colour, 1.0, here),
            Outline::Open(points, line) => {
                self.fill(ring(&points), PAPER, 1.0, here);
                self.stroke(ring(&points), &Stroke::new(line, colour), here);
            }
            Outline::Lines(lines, line) => {
                let mut path = PathBuilder::new();
                lines.iter().for_each(|ends| polyline(&mut path, ends, false));
                self.stroke(path, &Stroke::new(line, colour), here);
            }
        }
    }

    fn write(&mut self, at: Point, anchor: Anchor, style: &TextStyle, text: &str) {
        let back = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => font::width(text, style) / 2.0,
            Anchor::End => font::width(text, style),
        };
        let turn = if style.turned { -90.0 } else { 0.0 };
        // Outlines of letters go up.
        let here = self.units().pre_translate(at.0 as f32, at.1 as f32).pre_rotate(turn);
        let here = here.pre_translate(-back as f32, 0.0).pre_scale(1.0, -1.0);
        let mut letters = Letters(PathBuilder::new());
        font::outline(text, style, &mut letters);
        let Some(path) = letters.0.finish() else { return };
        if let Some(halo) = style.halo {
            let pen =
                tiny_skia::Stroke { width: style.seam() as f32, line_join: LineJoin::Round, ..Default::default() };
            self.map.stroke_path(&path, &paint(halo, 1.0), &pen, here, NO_MASK);
        }
        self.map.fill_path(&path, &paint(style.colour, 1.0), FillRule::Winding, here, NO_MASK);
    }

    /// The edges of a picture are on whole pixels.
    fn paste(&mut self, corner: Point, size: Point, pixels: &Pixels, smooth: bool) {
        let span = |from: f64, length: f64| {
            let (low, high) = ((from * self.scale).round(), ((from + length) * self.scale).round());
            (low as i64, (high - low).max(1.0) as usize)
        };
        let ((left, width), (top, height)) = (span(corner.0, size.0), span(corner.1, size.1));
        if width as f64 * height as f64 > 4.0 * MOST_PIXELS {
            return; // far beyond the sheet
        }
        let (across, down) = (i64::from(self.map.width()), i64::from(self.map.height()));
        let new = resampled(pixels, width, height, smooth);
        let sheet = self.map.pixels_mut();
        for (place, colour) in new.into_iter().enumerate() {
            let (x, y) = (left + (place % width) as i64, top + (place / width) as i64);
            if (0..across).contains(&x) && (0..down).contains(&y) {
                let [red, green, blue] = colour.map(|value| value.round() as u8);
                let colour = tiny_skia::ColorU8::from_rgba(red, green, blue, 255);
                sheet[(y * across + x) as usize] = colour.premultiply();
            }
        }
    }
}

fn paint(colour: Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    let alpha = (255.0 * opacity).round() as u8;
    paint.set_color_rgba8(colour[0], colour[1], colour[2], alpha);
    paint.anti_alias = true;
    paint
}

fn polyline(path: &mut PathBuilder, points: &[Point], closed: bool) {
    for (place, (x, y)) in points.iter().enumerate() {
        if place == 0 { path.move_to(*x as f32, *y as f32) } else { path.line_to(*x as f32, *y as f32) }
    }
    if closed {
        path.close();
    }
}

/// Outlines of letters as a path.
struct Letters(PathBuilder);

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
