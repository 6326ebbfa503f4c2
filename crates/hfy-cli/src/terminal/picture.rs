//! Pictures in a terminal: two pixels a character, one above the other.

use hfy_io::visible;

/// A picture with its caption.
#[derive(Debug, Clone)]
pub(crate) struct Thumb<'a> {
    pub(crate) caption: String,
    pub(crate) size: (usize, usize),
    /// From -1, the background, to 1, ink.
    pub(crate) greys: &'a [f64],
}

/// Pictures beside each other, captions above. `true` ink is decided at the middle of the greys; what lies near the
/// middle is shaded, so that a blend or a masked half can be told from ink and from paper without colours.
pub(crate) fn side_by_side(thumbs: &[Thumb<'_>], gap: usize) -> Vec<String> {
    let mut lines = vec![row(thumbs, gap, |thumb| fit(&visible(&thumb.caption), thumb.size.1))];
    let height = thumbs.iter().map(|thumb| thumb.size.0.div_ceil(2)).max().unwrap_or(0);
    lines.extend((0..height).map(|line| row(thumbs, gap, |thumb| thumb.line(line))));
    lines
}

fn row<'t, 'a: 't>(thumbs: &'t [Thumb<'a>], gap: usize, cell: impl Fn(&'t Thumb<'a>) -> String) -> String {
    thumbs.iter().map(cell).collect::<Vec<_>>().join(&" ".repeat(gap)).trim_end().to_owned()
}

fn fit(text: &str, width: usize) -> String {
    let cut: String = text.chars().take(width).collect();
    format!("{cut:<width$}")
}

impl Thumb<'_> {
    fn line(&self, line: usize) -> String {
        let (height, width) = self.size;
        let at = |row: usize, column: usize| if row < height { self.greys[row * width + column] } else { -1.0 };
        (0..width).map(|column| character(at(2 * line, column), at(2 * line + 1, column))).collect()
    }
}

/// The character for an upper and a lower pixel.
fn character(upper: f64, lower: f64) -> char {
    const GREY: f64 = 0.35;
    let both = f64::midpoint(upper, lower);
    if (upper - lower).abs() < 2.0 * GREY {
        return match both {
            v if v < -GREY => ' ',
            v if v < -GREY / 3.0 => '░',
            v if v < GREY => '▒',
            v if v < 2.0 * GREY => '▓',
            _ => '█',
        };
    }
    if upper > lower { '▀' } else { '▄' }
}
