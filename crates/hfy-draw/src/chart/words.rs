//! Texts of a chart: their sizes, and how they are broken into lines.

use crate::font::{self, CAP_HEIGHT};
use crate::palette::{FAINT, INK};
use crate::{Anchor, Figure, Point, TextStyle};

/// From line to line, for a size of 1.
pub(super) const LEADING: f64 = 1.25;

pub(super) fn heading() -> TextStyle {
    TextStyle::new(14.0, INK).bold()
}

pub(super) fn panel_title() -> TextStyle {
    TextStyle::new(12.0, INK).bold()
}

pub(super) fn axis_label() -> TextStyle {
    TextStyle::new(12.0, INK)
}

pub(super) fn tick_label() -> TextStyle {
    TextStyle::new(11.0, INK)
}

pub(super) fn note() -> TextStyle {
    TextStyle::new(10.5, FAINT)
}

/// A text in lines that are no wider than `width`, unless a word is. It is broken where it has a line break, too.
pub(super) fn lines(text: &str, style: &TextStyle, width: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.lines() {
        let mut line = String::new();
        for word in part.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if line.is_empty() || font::width(&longer, style) <= width {
                line = longer;
            } else {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

/// How wide the widest line is.
pub(super) fn width(lines: &[String], style: &TextStyle) -> f64 {
    lines.iter().map(|line| font::width(line, style)).fold(0.0, f64::max)
}

/// How high lines are, with what hangs below the last one.
pub(super) fn height(lines: &[String], style: &TextStyle) -> f64 {
    lines.len() as f64 * LEADING * style.size
}

/// Writes lines below a height, or to the right of it where they are turned.
pub(super) fn write(lines: &[String], style: TextStyle, anchor: Anchor, (x, y): Point, figure: &mut Figure) {
    for (place, line) in lines.iter().enumerate() {
        let down = (place as f64 + 0.5) * LEADING * style.size + CAP_HEIGHT * style.size / 2.0;
        let at = if style.turned { (x + down, y) } else { (x, y + down) };
        figure.text(at, anchor, style, line.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words() {
        let style = axis_label();
        let text = "the share of patterns that come back";
        let broken = lines(text, &style, 90.0);
        assert!(broken.len() > 2 && broken.join(" ") == text);
        assert!(broken.iter().all(|line| font::width(line, &style) <= 90.0));
        assert_eq!(lines("incomprehensibilities", &style, 10.0).len(), 1);
        assert_eq!(lines("a\nb", &style, 100.0), ["a", "b"]);
        assert!(lines(" ", &style, 100.0).is_empty());
    }
}
