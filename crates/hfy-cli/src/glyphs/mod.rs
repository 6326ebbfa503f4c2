//! The pictures that ship with the program, drawn here: letters, digits and things, 28 x 28.

mod drawings;
mod path;
mod raster;

use drawings::DRAWINGS;
use raster::Canvas;

/// Height and width.
pub(crate) const SIDE: usize = 28;

/// A picture with its name.
#[derive(Debug, Clone)]
pub(crate) struct Glyph {
    pub(crate) name: &'static str,
    /// Row after row, from -1 for paper to 1 for ink.
    pub(crate) greys: Vec<f64>,
}

/// All of them, drawn anew.
pub(crate) fn all() -> Vec<Glyph> {
    DRAWINGS
        .iter()
        .map(|(name, layers)| {
            let mut canvas = Canvas::new(SIDE);
            layers.iter().for_each(|(tool, path)| canvas.draw(*tool, &path::parse(path)));
            Glyph { name, greys: canvas.greys() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_have_ink_paper_and_a_margin() {
        let glyphs = all();
        assert!(glyphs.len() >= 24);
        for glyph in &glyphs {
            assert_eq!(glyph.greys.len(), SIDE * SIDE);
            assert!(glyph.greys.iter().all(|grey| (-1.0..=1.0).contains(grey)), "{}", glyph.name);
            let ink = glyph.greys.iter().filter(|grey| **grey > 0.0).count();
            assert!((50..450).contains(&ink), "{} has {ink} pixels of ink", glyph.name);
        }
    }

    #[test]
    fn glyphs_are_distinct() {
        let glyphs = all();
        for (i, a) in glyphs.iter().enumerate() {
            for b in &glyphs[..i] {
                let apart = a.greys.iter().zip(&b.greys).filter(|(a, b)| (*a > &0.0) != (*b > &0.0)).count();
                assert!(apart >= 30, "{} and {} differ in {apart} pixels", a.name, b.name);
                assert_ne!(a.name, b.name);
            }
        }
    }
}
