//! Texts with the words that a model chose, and those that people marked.

use hfy_draw::palette::{ALERT, INK};
use hfy_draw::{Anchor, Figure, Point, TextStyle};

/// A word, whether the model chose it, and whether people marked it; `None` where that is not clear.
pub(super) type Word = (String, bool, Option<bool>);

/// A text under a heading.
pub(super) struct Passage {
    pub(super) heading: String,
    pub(super) words: Vec<Word>,
}

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 18.0;
const SIZE: f64 = 13.0;
const LINE: f64 = 21.0;
const YELLOW: [u8; 3] = [255, 226, 92];

/// Chosen words are highlighted, those that people marked are in bold italics, and where the two differ the word is
/// red.
pub(super) fn drawn(title: &str, passages: &[Passage]) -> Figure {
    let laid: Vec<Vec<Vec<Word>>> = passages.iter().map(|passage| lines(&passage.words)).collect();
    let height = 2.0 * MARGIN + laid.iter().map(|lines| (lines.len() as f64 + 1.8) * LINE).sum::<f64>();
    let mut figure = Figure::new(title, WIDTH, height);
    let mut y = MARGIN;
    for (passage, lines) in passages.iter().zip(&laid) {
        let heading = TextStyle::new(SIZE, INK).bold();
        figure.text((MARGIN, y + SIZE), Anchor::Start, heading, &passage.heading);
        y += 1.2 * LINE;
        for line in lines {
            draw_line(&mut figure, (MARGIN, y), line);
            y += LINE;
        }
        y += 0.6 * LINE;
    }
    figure
}

fn style((_, chosen, marked): &Word) -> TextStyle {
    let differs = marked.is_some_and(|marked| marked != *chosen);
    let style = TextStyle::new(SIZE, if differs { ALERT } else { INK });
    if *marked == Some(true) { style.bold().italic() } else { style }
}

fn space() -> f64 {
    TextStyle::new(SIZE, INK).width(" ").max(0.3 * SIZE)
}

/// Words in lines that fit.
fn lines(words: &[Word]) -> Vec<Vec<Word>> {
    let (mut lines, mut at): (Vec<Vec<Word>>, f64) = (vec![Vec::new()], 0.0);
    for word in words {
        let width = style(word).width(&word.0) + space();
        if at + width > WIDTH - 2.0 * MARGIN && at > 0.0 {
            lines.push(Vec::new());
            at = 0.0;
        }
        at += width;
        lines.last_mut().expect("there is a line").push(word.clone());
    }
    lines
}

fn draw_line(figure: &mut Figure, (left, top): Point, words: &[Word]) {
    let mut x = left;
    let mut places = Vec::new();
    for word in words {
        let width = style(word).width(&word.0);
        places.push((x, width));
        x += width + space();
    }
    for (at, (x, width)) in places.iter().enumerate() {
        if words[at].1 {
            // Up to the next word where that is chosen too, so that a run is one stroke of the pen.
            let joined = words.get(at + 1).is_some_and(|next| next.1);
            let width = if joined { width + space() } else { *width };
            figure.rectangle((x - 1.5, top), (width + 3.0, LINE - 3.5), YELLOW, 1.0);
        }
    }
    for (word, (x, _)) in words.iter().zip(&places) {
        figure.text((*x, top + SIZE), Anchor::Start, style(word), &word.0);
    }
}
