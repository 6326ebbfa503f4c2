//! A table of shares as shaded fields with their numbers.

use hfy_draw::{Anchor, Colour, Figure, Stroke, TextStyle, palette};

/// Shares in percent by size: 0 to 10, and more.
pub(super) type Shares = [f64; 12];

const FIELD: (f64, f64) = (44.0, 22.0);
const MARGIN: f64 = 12.0;
/// Between groups of columns, and between blocks.
const GAP: f64 = 6.0;
const WIDE_GAP: f64 = 22.0;
/// From the top to the fields: the title, then three lines of names.
const HEAD: f64 = 96.0;
/// At the left: the names of rows and what they are.
const LEFT: f64 = 62.0;
const FULL: Colour = [8, 48, 107];

/// Blocks side by side, each with the same columns in named groups.
pub(super) struct SizeMap<'a> {
    pub(super) title: &'a str,
    pub(super) rows: &'a [String],
    /// The name of each group and how many columns it has.
    pub(super) groups: &'a [(&'a str, usize)],
    /// The names of the columns of a block.
    pub(super) names: &'a [&'a str],
    /// The name of each block and its columns.
    pub(super) blocks: Vec<(String, Vec<Shares>)>,
}

/// White for nothing, dark for all; the square root lets small shares show.
fn shade(percent: f64) -> Colour {
    palette::tint(FULL, (percent / 100.0).max(0.0).sqrt())
}

/// One decimal; nothing where there is nothing.
fn number(percent: f64) -> String {
    match percent {
        0.0 => String::new(),
        p if p < 0.05 => "< 0.1".to_owned(),
        p => format!("{p:.1}"),
    }
}

impl SizeMap<'_> {
    fn block_width(&self) -> f64 {
        self.names.len() as f64 * FIELD.0 + (self.groups.len() as f64 - 1.0) * GAP
    }

    /// Where a column begins in its block.
    fn column(&self, column: usize) -> f64 {
        let ends = self.groups.iter().scan(0, |end, group| {
            *end += group.1;
            Some(*end)
        });
        column as f64 * FIELD.0 + ends.filter(|&end| end <= column).count() as f64 * GAP
    }

    pub(super) fn figure(&self) -> Figure {
        let count = self.blocks.len() as f64;
        let body = count * self.block_width() + (count - 1.0).max(0.0) * WIDE_GAP;
        let height = self.rows.len() as f64 * FIELD.1;
        let mut figure = Figure::new(self.title, LEFT + body + MARGIN, HEAD + height + 52.0);
        let plain = TextStyle::new(11.0, palette::INK);
        figure.text((LEFT + body / 2.0, 22.0), Anchor::Middle, TextStyle::new(14.0, palette::INK).bold(), self.title);
        for (row, name) in self.rows.iter().enumerate() {
            let y = HEAD + (row as f64 + 0.5) * FIELD.1 + 4.0;
            figure.text((LEFT - 8.0, y), Anchor::End, plain, name.clone());
        }
        figure.text((18.0, HEAD + height / 2.0), Anchor::Middle, TextStyle::new(12.0, palette::INK).turned(), "size");
        for (place, (name, columns)) in self.blocks.iter().enumerate() {
            let left = LEFT + place as f64 * (self.block_width() + WIDE_GAP);
            self.heads(name, left, &mut figure);
            for (column, shares) in columns.iter().enumerate() {
                self.draw_column(shares, left + self.column(column), &mut figure);
            }
        }
        draw_scale((LEFT, HEAD + height + 16.0), &mut figure);
        figure
    }

    fn heads(&self, block: &str, left: f64, figure: &mut Figure) {
        let (bold, plain) = (TextStyle::new(12.0, palette::INK).bold(), TextStyle::new(11.0, palette::INK));
        figure.text((left + self.block_width() / 2.0, 46.0), Anchor::Middle, bold, block);
        let mut first = 0;
        for &(name, size) in self.groups {
            let (from, to) = (left + self.column(first), left + self.column(first + size - 1) + FIELD.0);
            figure.text(((from + to) / 2.0, 66.0), Anchor::Middle, plain, name);
            figure.line(vec![(from + 3.0, 72.0), (to - 3.0, 72.0)], Stroke::new(0.8, palette::AXIS));
            first += size;
        }
        for (column, name) in self.names.iter().enumerate() {
            let x = left + self.column(column) + FIELD.0 / 2.0;
            figure.text((x, 88.0), Anchor::Middle, plain, *name);
        }
    }

    fn draw_column(&self, shares: &Shares, left: f64, figure: &mut Figure) {
        for (row, &share) in shares.iter().enumerate() {
            let top = HEAD + row as f64 * FIELD.1;
            figure.rectangle((left, top), FIELD, shade(share), 1.0);
            figure.frame((left, top), FIELD, Stroke::new(0.6, palette::GRID));
            let ink = if share > 35.0 { palette::PAPER } else { palette::INK };
            let at = (left + FIELD.0 / 2.0, top + FIELD.1 / 2.0 + 4.0);
            figure.text(at, Anchor::Middle, TextStyle::new(11.0, ink), number(share));
        }
    }
}

/// Which shade is which share.
fn draw_scale((left, top): (f64, f64), figure: &mut Figure) {
    const SIZE: (f64, f64) = (240.0, 10.0);
    const STEPS: usize = 120;
    let plain = TextStyle::new(11.0, palette::INK);
    let place = |percent: f64| left + (percent / 100.0).sqrt() * SIZE.0;
    for step in 0..STEPS {
        let share = |step: f64| 100.0 * (step / STEPS as f64).powi(2);
        let x = place(share(step as f64));
        let width = (place(share(step as f64 + 1.0)) + 0.4).min(left + SIZE.0) - x;
        figure.rectangle((x, top), (width, SIZE.1), shade(share(step as f64 + 0.5)), 1.0);
    }
    figure.frame((left, top), SIZE, Stroke::new(0.8, palette::AXIS));
    for percent in [0.0, 1.0, 5.0, 20.0, 50.0, 100.0] {
        let x = place(percent);
        figure.line(vec![(x, top + SIZE.1), (x, top + SIZE.1 + 3.5)], Stroke::new(0.8, palette::AXIS));
        figure.text((x, top + SIZE.1 + 16.0), Anchor::Middle, plain, format!("{percent}"));
    }
    figure.text((left + SIZE.0 + 12.0, top + 9.0), Anchor::Start, plain, "% of the queries");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_darken_and_numbers_say_when_there_is_little() {
        let light = |colour: Colour| colour.iter().map(|&part| u32::from(part)).sum::<u32>();
        let shades: Vec<u32> = [0.0, 0.5, 5.0, 50.0, 100.0].map(|share| light(shade(share))).to_vec();
        assert!(shades.windows(2).all(|pair| pair[0] > pair[1]), "{shades:?}");
        assert_eq!([0.0, 0.01, 0.05, 71.84].map(number), ["", "< 0.1", "0.1", "71.8"]);
    }
}
