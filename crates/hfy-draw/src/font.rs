//! DejaVu Sans: how wide texts are, and the outlines of their letters.

use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::{TextStyle, Weight};

/// The families that a browser looks for, the one of the measures first. Verdana is about as wide.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";
/// How high capitals and digits are, and how far letters reach below their line, for a size of 1.
pub(crate) const CAP_HEIGHT: f64 = 0.729;
pub(crate) const DESCENT: f64 = 0.236;

/// How wide a text is in upright letters of a size, as a browser would set it: with kerning, without ligatures.
pub fn text_width(text: &str, size: f64) -> f64 {
    width(text, &TextStyle::new(size, [0; 3]))
}

/// How wide a text is in a style.
pub(crate) fn width(text: &str, style: &TextStyle) -> f64 {
    let mut line = Line::new(style);
    text.chars().for_each(|letter| {
        line.next(letter);
    });
    line.at * style.size
}

/// Draws the outlines of a text that begins at the origin, with its line on the x axis and y going up.
pub(crate) fn outline(text: &str, style: &TextStyle, to: &mut dyn OutlineBuilder) {
    let mut line = Line::new(style);
    for letter in text.chars() {
        if let Some((face, glyph, at)) = line.next(letter) {
            let scale = style.size / f64::from(face.units_per_em());
            face.outline_glyph(glyph, &mut Moved { to, scale: scale as f32, by: (at * style.size) as f32 });
        }
    }
}

/// Letters in a row. Lengths are for a size of 1.
struct Line {
    faces: [Option<&'static Face<'static>>; 2],
    at: f64,
    before: Option<(*const Face<'static>, GlyphId)>,
}

impl Line {
    fn new(style: &TextStyle) -> Self {
        let bold = style.weight == Weight::Bold;
        // What a leaning or heavy face lacks is taken from the plain one.
        Line { faces: [face(bold, style.italic), face(false, false)], at: 0.0, before: None }
    }

    /// The face and the glyph of a letter and where it begins. What no face has is a box.
    fn next(&mut self, letter: char) -> Option<(&'static Face<'static>, GlyphId, f64)> {
        let found = self.faces.iter().flatten().find_map(|face| Some((*face, face.glyph_index(letter)?)));
        let (face, glyph) = found.or_else(|| Some((self.faces[1]?, GlyphId(0))))?;
        let em = f64::from(face.units_per_em());
        if let Some((_, before)) = self.before.filter(|(of, _)| std::ptr::eq(*of, face)) {
            self.at += kerning(face, before, glyph) / em;
        }
        let place = self.at;
        self.at += f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / em;
        self.before = Some((face, glyph));
        Some((face, glyph, place))
    }
}

fn kerning(face: &Face<'_>, left: GlyphId, right: GlyphId) -> f64 {
    let tables = face.tables().kern.into_iter().flat_map(|kern| kern.subtables);
    let plain = |table: &ttf_parser::kern::Subtable<'_>| table.horizontal && !table.variable && !table.has_cross_stream;
    tables.filter(plain).find_map(|table| table.glyphs_kerning(left, right)).map_or(0.0, f64::from)
}

/// A face, read once. The fonts are part of the program.
fn face(bold: bool, leaning: bool) -> Option<&'static Face<'static>> {
    static FACES: [OnceLock<Option<Face<'static>>>; 4] = [const { OnceLock::new() }; 4];
    let (place, bytes): (usize, fn() -> &'static [u8]) = match (bold, leaning) {
        (false, false) => (0, dejavu::sans::regular),
        (true, false) => (1, dejavu::sans::bold),
        (false, true) => (2, dejavu::sans::oblique),
        (true, true) => (3, dejavu::sans::bold_oblique),
    };
    FACES[place].get_or_init(|| Face::parse(bytes(), 0).ok()).as_ref()
}

/// Outlines of another size at another place.
struct Moved<'a> {
    to: &'a mut dyn OutlineBuilder,
    scale: f32,
    by: f32,
}

impl OutlineBuilder for Moved<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.to.move_to(self.by + x * self.scale, y * self.scale);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.to.line_to(self.by + x * self.scale, y * self.scale);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (by, scale) = (self.by, self.scale);
        self.to.quad_to(by + x1 * scale, y1 * scale, by + x * scale, y * scale);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (by, scale) = (self.by, self.scale);
        self.to.curve_to(by + x1 * scale, y1 * scale, by + x2 * scale, y2 * scale, by + x * scale, y * scale);
    }

    fn close(&mut self) {
        self.to.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // Advances of DejaVu Sans 2.37 in units of 1/2048.
        for (text, units) in [("", 0), ("0", 1303), ("a", 1255), (" ", 651), ("m", 1995), ("00", 2606), ("Ω", 1565)] {
            assert_eq!(text_width(text, 2048.0), f64::from(units), "{text}");
        }
        assert!((text_width("aa", 11.0) - 11.0 * 2510.0 / 2048.0).abs() < 1e-9);
        // A and V stand closer than side by side.
        assert!(text_width("AV", 10.0) < text_width("A", 10.0) + text_width("V", 10.0));
    }

    #[test]
    fn all_four_faces_and_all_letters_of_formulas_are_there() {
        for (bold, leaning) in [(false, false), (true, false), (false, true), (true, true)] {
            assert!(face(bold, leaning).is_some_and(|face| face.glyph_index('β').is_some()));
        }
        let plain = face(false, false).unwrap();
        for letter in "αβγδεθλμσφψωΩΨΣΔ²³⁻¹⁰⁴⁵⁶⁷⁸⁹₀₁₂∞≤≥≈×·−±→∈‖∇∂√½ᵏᵀ…".chars()
        {
            assert!(plain.glyph_index(letter).is_some(), "{letter}");
        }
        assert!(text_width("\u{10ffff}", 10.0) > 0.0);
    }
}
