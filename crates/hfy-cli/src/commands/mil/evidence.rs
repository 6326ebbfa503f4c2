//! What the heads looked at in a bag, drawn.

use hfy_draw::palette::{FAINT, GRID, INK, sequential};
use hfy_draw::{Anchor, Figure, Pixels, Stroke, TextStyle};
use hfy_io::Bags;
use hfy_nn::mil::Evidence;

use crate::error::{Error, Result};

const MARGIN: f64 = 10.0;
/// Left of the columns, for the names of rows.
const NAMES: f64 = 86.0;
/// A column is so wide, and a head's row so high.
const COLUMN: f64 = 34.0;
const ROW: f64 = 15.0;
/// The bars of the shares.
const BARS: f64 = 46.0;
/// Above the drawing, for pictures and numbers of instances.
const NUMBERS: f64 = 16.0;
/// The most columns; of larger bags the instances with the largest shares are drawn.
const COLUMNS: usize = 40;

/// Instances in columns: their pictures where they are pictures, their share as a bar, and the weight of each head of
/// each of `members` classifiers as a colour.
pub(super) fn drawn(bags: &Bags, bag: usize, evidence: &Evidence, members: usize) -> Result<String> {
    let count = bags.bag(bag).nrows();
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|&a, &b| evidence.share(b).total_cmp(&evidence.share(a)));
    places.truncate(COLUMNS);
    places.sort_unstable();
    let pictures = if bags.shape().is_some() { COLUMN } else { 0.0 };
    let heads = evidence.heads.len();
    let width = 2.0 * MARGIN + NAMES + places.len() as f64 * COLUMN;
    let height = 2.0 * MARGIN + NUMBERS + pictures + BARS + heads as f64 * ROW + 6.0;
    let mut figure = Figure::new(format!("What the heads looked at in {}", bags.name(bag)), width, height);
    let small = TextStyle::new(9.5, FAINT);
    let name = |figure: &mut Figure, y: f64, text: String| {
        figure.text((MARGIN + NAMES - 8.0, y), Anchor::End, TextStyle::new(10.5, INK), text);
    };
    let (bars, grid) = (MARGIN + NUMBERS + pictures, MARGIN + NUMBERS + pictures + BARS + 6.0);
    name(&mut figure, bars + BARS - 3.0, "share".into());
    for at in 0..heads {
        let (seed, head) = (at / (heads / members), at % (heads / members));
        let text = if members == 1 { format!("head {head}") } else { format!("seed {seed}, head {head}") };
        name(&mut figure, grid + (at as f64 + 0.75) * ROW, text);
    }
    let most = places.iter().map(|&place| evidence.share(place)).fold(0.0, f64::max);
    for (column, &place) in places.iter().enumerate() {
        let left = MARGIN + NAMES + column as f64 * COLUMN;
        let row = bags.rows()[bags.offsets()[bag] + place];
        figure.text((left + COLUMN / 2.0, MARGIN + 10.0), Anchor::Middle, small, row.to_string());
        if let Some(shape) = bags.shape() {
            picture(&mut figure, (left + 2.0, MARGIN + NUMBERS), bags, bag, place, shape)?;
        }
        let high = (BARS - 8.0) * evidence.share(place) / most;
        figure.rectangle((left + 5.0, bars + BARS - high), (COLUMN - 10.0, high), INK, 0.85);
        for (head, weights) in evidence.heads.iter().enumerate() {
            let strongest = weights.iter().copied().fold(0.0, f32::max);
            let corner = (left + 1.0, grid + head as f64 * ROW + 1.0);
            let size = (COLUMN - 2.0, ROW - 2.0);
            if weights[place] > 0.0 {
                let share = f64::from(weights[place] / strongest);
                figure.rectangle(corner, size, sequential(1.0 - share), 1.0);
            } else {
                figure.frame(corner, size, Stroke::new(0.6, GRID));
            }
        }
    }
    figure.line(vec![(MARGIN + NAMES, bars + BARS), (width - MARGIN, bars + BARS)], Stroke::new(0.8, FAINT));
    Ok(figure.svg())
}

fn picture(
    figure: &mut Figure,
    corner: (f64, f64),
    bags: &Bags,
    bag: usize,
    place: usize,
    (rows, columns): (usize, usize),
) -> Result<()> {
    let all = bags.bag(bag);
    let (low, high) = all.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let values: Vec<f64> = all.row(place).iter().map(|&value| f64::from(value)).collect();
    let white = f64::from(high).max(f64::from(low) + f64::from(f32::MIN_POSITIVE));
    let pixels = Pixels::greys(rows, columns, &values, f64::from(low), white);
    let pixels = pixels.map_err(|error| Error::Data(error.to_string()))?;
    let side = COLUMN - 4.0;
    let scale = side / rows.max(columns) as f64;
    figure.picture(corner, (columns as f64 * scale, rows as f64 * scale), pixels, false);
    Ok(())
}
