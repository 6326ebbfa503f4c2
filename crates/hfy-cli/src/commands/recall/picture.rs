//! What was recalled, drawn: pictures in their order, or a plot of patterns against rounds.

use hfy_draw::{Anchor, Colour, Dash, Figure, Marker, Pixels, Point, Stroke, TextStyle};
use ndarray::ArrayView2;

use super::document::{Document, RoundOut};
use crate::error::{Error, Result};
use crate::number::Number;
use crate::patterns::Patterns;
use crate::terminal::number;

const INK: Colour = [29, 29, 27];
const SOFT: Colour = [106, 104, 99];
const RULE: Colour = [217, 214, 207];
const LINK: Colour = [190, 187, 180];
const DENSE: Colour = [128, 126, 120];
const PAPER: Colour = [255, 255, 255];
/// Two colours that most eyes can tell apart, of which the first is also the darker.
const REPEAT: Colour = [178, 44, 28];
const JUMP: Colour = [38, 120, 190];
const MARGIN: f64 = 24.0;
/// Numbers, names and what the marks mean.
const SMALL: f64 = 11.0;
/// Below pictures.
const CAPTION: f64 = 10.0;

/// A strip of pictures where the patterns are some, a plot otherwise.
pub(super) fn of<T: Number>(
    document: &Document,
    patterns: &Patterns,
    (matrix, cue): (&ArrayView2<'_, T>, &[T]),
) -> Result<Figure> {
    match patterns.picture() {
        Some(form) => {
            let size = form.size();
            let greys = |row: &mut dyn Iterator<Item = &T>| form.greys(&row.map(|v| v.wide()).collect::<Vec<f64>>());
            let rows = document.rounds.iter().map(|round| greys(&mut matrix.row(round.row).iter())).collect();
            strip(document, size, greys(&mut cue.iter()), rows)
        }
        None => Ok(plot(document)),
    }
}

/// A figure with its title in two lines, at least as wide as they are.
fn titled(document: &Document, width: f64, height: f64) -> Figure {
    let p = &document.parameters;
    let what = match (p.method, &p.map) {
        (Some("constrained"), _) => "Free recall, constrained sparsemax".to_owned(),
        (Some(_), Some(map)) => format!("Free recall, penalised {map}"),
        (_, map) => format!("Sequential recall, {}", map.as_deref().unwrap_or_default()),
    };
    let title = format!("{what}: {} patterns, {} rounds", document.patterns, document.rounds.len());
    let mut measures = format!("unique ratio {}", number(document.unique_ratio));
    if let (Some(coefficient), Some(ceiling)) = (document.levenshtein, document.levenshtein_ceiling) {
        measures += &format!(", Levenshtein coefficient {} of at most {}", number(coefficient), number(ceiling));
    }
    let (large, small) = (TextStyle::new(14.0, INK).bold(), TextStyle::new(SMALL, SOFT));
    let width = width.max(2.0 * MARGIN + large.width(&title).max(small.width(&measures)));
    let mut figure = Figure::new(format!("{title}; {measures}"), width, height);
    figure.text((MARGIN, 30.0), Anchor::Start, large, title);
    figure.text((MARGIN, 49.0), Anchor::Start, small, measures);
    figure
}

/// A disc for what came again and a triangle for a jump, the former on the latter, each with white around it where
/// there is room.
fn mark(figure: &mut Figure, repeat_at: Option<Point>, jump_at: Option<Point>, radius: f64) {
    let ring = if radius > 3.0 { 1.5 } else { 0.0 };
    if let Some(at) = jump_at {
        let size = if repeat_at == Some(at) { 4.0 * radius } else { 2.0 * radius };
        if ring > 0.0 {
            figure.marker(at, Marker::Triangle, size + 3.0 * ring, PAPER);
        }
        figure.marker(at, Marker::Triangle, size, JUMP);
    }
    if let Some(at) = repeat_at {
        if ring > 0.0 {
            figure.marker(at, Marker::Circle, 2.0 * (radius + ring), PAPER);
        }
        figure.marker(at, Marker::Circle, 2.0 * radius, REPEAT);
    }
}

/// What the marks mean, and how often they occur.
fn legend(figure: &mut Figure, document: &Document, y: f64) {
    let (repeats, jumps) = document.counts();
    let (mut x, ordered) = (MARGIN + 6.0, document.levenshtein.is_some());
    let mut entries = vec![(true, format!("recalled before ({repeats})"))];
    if ordered {
        entries.push((false, format!("a jump in the order ({jumps})")));
    }
    for (repeat, text) in entries {
        let at = (x, y - 4.0);
        mark(figure, repeat.then_some(at), (!repeat).then_some(at), 4.5);
        let style = TextStyle::new(SMALL, INK);
        x += 12.0 + style.width(&text) + 28.0;
        figure.text((at.0 + 12.0, y), Anchor::Start, style, text);
    }
}

/// How large pictures are drawn, and whether there is room for words below them.
fn tile_side(count: usize) -> (f64, bool) {
    match count {
        0..=160 => (84.0, true),
        161..=640 => (56.0, true),
        _ => (32.0, false),
    }
}

/// Pictures in the order of recall, after the cue.
fn strip(document: &Document, pixels: (usize, usize), cue: Vec<f64>, rows: Vec<Vec<f64>>) -> Result<Figure> {
    let (side, words) = tile_side(rows.len());
    let longest = pixels.0.max(pixels.1) as f64;
    // Whole multiples keep pixels square.
    let scale = if longest <= side { (side / longest).floor() } else { side / longest };
    let (width, height) = (pixels.1 as f64 * scale, pixels.0 as f64 * scale);
    let cell = (width.max(if words { 56.0 } else { 0.0 }) + 14.0, height + if words { 32.0 } else { 14.0 });
    let count = rows.len() + 1;
    let fit = ((1.5 * count as f64 * cell.1 / cell.0).sqrt().ceil() as usize).clamp(8, 48);
    let lines = count.div_ceil(fit);
    let columns = count.div_ceil(lines); // so that no line is left with one
    let full = (columns as f64 * cell.0 + 2.0 * MARGIN - 14.0).max(520.0);
    let top = 68.0;
    let mut figure = titled(document, full, top + lines as f64 * cell.1 + 40.0);
    let place = |index: usize| {
        let (column, line) = (index % columns, index / columns);
        (MARGIN + column as f64 * cell.0 + (cell.0 - 14.0 - width) / 2.0, top + line as f64 * cell.1)
    };
    let caption = |figure: &mut Figure, (x, y): Point, text: &str, colour: Colour| {
        if words {
            let (style, at) = (TextStyle::new(CAPTION, colour), (x + width / 2.0, y + height + 15.0));
            figure.text(at, Anchor::Middle, style, cut(text, &style, cell.0 - 4.0));
        }
    };
    let put = |figure: &mut Figure, corner: Point, greys: &[f64]| -> Result<()> {
        let pixels = Pixels::greys(pixels.0, pixels.1, greys, -1.0, 1.0);
        figure.picture(corner, (width, height), pixels.map_err(|error| Error::Data(error.to_string()))?, false);
        Ok(())
    };
    let first = place(0);
    put(&mut figure, first, &cue)?;
    figure.frame((first.0 - 4.0, first.1 - 4.0), (width + 8.0, height + 8.0), Stroke::new(1.0, SOFT));
    caption(&mut figure, first, "cue", SOFT);
    for (round, greys) in document.rounds.iter().zip(rows) {
        let (x, y) = place(round.round);
        put(&mut figure, (x, y), &greys)?;
        if round.repeats.is_some() {
            figure.frame((x - 2.0, y - 2.0), (width + 4.0, height + 4.0), Stroke::new(4.0, REPEAT));
        }
        if round.jump {
            let inset = if round.repeats.is_some() { 3.0 } else { -2.0 };
            let size = (width - 2.0 * inset, height - 2.0 * inset);
            figure.frame((x + inset, y + inset), size, Stroke::new(3.0, JUMP).dashed(Dash::Dashed));
        }
        let (repeat_at, jump_at) =
            (round.repeats.map(|_| (x + width - 1.0, y + 1.0)), round.jump.then_some((x + 1.0, y + 1.0)));
        mark(&mut figure, repeat_at, jump_at, if words { 5.5 } else { 3.5 });
        let name = round.label.as_deref().filter(|label| !label.is_empty());
        let name = name.map_or_else(|| round.id.to_string(), str::to_owned);
        caption(&mut figure, (x, y), &format!("{}: {name}", round.round), INK);
    }
    let bottom = figure.height() - 20.0;
    legend(&mut figure, document, bottom);
    Ok(figure)
}

/// The beginning of a text that is too wide.
fn cut(text: &str, style: &TextStyle, width: f64) -> String {
    if style.width(text) <= width {
        return text.to_owned();
    }
    let mut letters: Vec<char> = text.chars().collect();
    while letters.pop().is_some() {
        let shorter: String = letters.iter().chain(&['…']).collect();
        if style.width(&shorter) <= width {
            return shorter;
        }
    }
    String::new()
}

/// The recalled patterns against the rounds.
fn plot(document: &Document) -> Figure {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 460.0;
    let (left, right, top, bottom) = (80.0, WIDTH - MARGIN, 76.0, HEIGHT - 84.0);
    let mut figure = titled(document, WIDTH, HEIGHT);
    let small = TextStyle::new(SMALL, SOFT);
    let (rounds, last) = (document.rounds.len() as f64, document.patterns.saturating_sub(1) as f64);
    let across = |round: f64| left + 14.0 + (round - 1.0) / (rounds - 1.0).max(1.0) * (right - left - 28.0);
    let down = |row: f64| bottom - 14.0 - row / last.max(1.0) * (bottom - top - 28.0);
    for row in ticks(last) {
        figure.line(vec![(left, down(row)), (right, down(row))], Stroke::new(1.0, RULE));
        figure.text((left - 8.0, down(row) + 4.0), Anchor::End, small, number(row));
    }
    figure.line(vec![(left, bottom), (right, bottom)], Stroke::new(1.0, SOFT));
    for round in ticks(rounds).into_iter().map(|tick| tick.max(1.0)) {
        figure.line(vec![(across(round), bottom), (across(round), bottom + 4.0)], Stroke::new(1.0, SOFT));
        figure.text((across(round), bottom + 17.0), Anchor::Middle, small, number(round));
    }
    figure.text((f64::midpoint(left, right), bottom + 36.0), Anchor::Middle, small, "round");
    figure.text((MARGIN + SMALL, f64::midpoint(top, bottom)), Anchor::Middle, small.turned(), "pattern");
    let at = |round: &RoundOut| (across(round.round as f64), down(round.row as f64));
    if document.levenshtein.is_some() {
        for pair in document.rounds.windows(2) {
            figure.line(vec![at(&pair[0]), at(&pair[1])], Stroke::new(1.2, LINK));
        }
    }
    let radius = (800.0 / rounds.max(1.0)).clamp(1.6, 4.5);
    // What is as it should be is light, so that marks stand out in grey, too: a ring, or a point where there are many.
    for centre in document.rounds.iter().map(at) {
        if radius > 3.0 {
            figure.marker(centre, Marker::Ring, 1.6 * radius, INK);
        } else {
            figure.marker(centre, Marker::Circle, 2.0 * radius, DENSE);
        }
    }
    for round in &document.rounds {
        mark(&mut figure, round.repeats.map(|_| at(round)), round.jump.then(|| at(round)), radius);
    }
    legend(&mut figure, document, HEIGHT - 18.0);
    figure
}

/// Whole numbers from 0 to `last`, about six of them.
fn ticks(last: f64) -> Vec<f64> {
    let rough = (last / 6.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    (0..).map(|tick| f64::from(tick) * step).take_while(|tick| *tick <= last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_whole_and_few() {
        assert_eq!(ticks(0.0), [0.0]);
        assert_eq!(ticks(7.0), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(ticks(127.0), [0.0, 50.0, 100.0]);
        assert!((0..5000).all(|last| (1..=8).contains(&ticks(f64::from(last)).len())));
    }

    #[test]
    fn long_texts_are_cut() {
        let style = TextStyle::new(CAPTION, INK);
        let (text, width) = ("12: umbrella", style.width("12: umbrella"));
        assert_eq!((cut(text, &style, width), cut("", &style, 0.0)), (text.into(), String::new()));
        let shorter = cut("12: umbrellas", &style, width);
        assert!(
            shorter.starts_with("12: umbre") && shorter.ends_with('…') && style.width(&shorter) <= width,
            "{shorter}"
        );
        assert_eq!(cut("12: umbrella", &style, 0.5), "");
    }
}
