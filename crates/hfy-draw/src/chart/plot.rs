//! What is drawn between the axes of a panel.

use super::area::Area;
use super::{Bars, Curve, Mark, Panel, Style, ticks};
use crate::clip::Window;
use crate::figure::rectangle;
use crate::palette::{AXIS, GRID, PAPER};
use crate::{Colour, Figure, Marker, Point, Stroke};

/// The markers of a curve with more points than this stand at some of them, so that they do not run together.
const ALL_MARKED: usize = 18;
/// How far they are apart then.
const BETWEEN_MARKERS: f64 = 15.0;
/// How large the markers of curves are.
const MARKER: f64 = 6.0;
/// How much of a band covers what is below.
const BAND: f64 = 0.18;

/// Draws a panel, all but its words.
pub(super) fn draw(
    panel: &Panel,
    area: &Area,
    x_ticks: &[(f64, String)],
    y_ticks: &[(f64, String)],
    figure: &mut Figure,
) {
    if let Some(field) = panel.field.as_ref().filter(|field| field.check().is_ok()) {
        field.draw(area, figure);
    }
    let contours = panel.contours.as_ref().filter(|contours| contours.check().is_ok());
    if let Some(contours) = contours {
        contours.fill(area, figure);
    }
    if panel.field.is_none() && panel.contours.as_ref().is_none_or(|contours| contours.filled.is_none()) {
        draw_grid(area, x_ticks, y_ticks, figure);
    }
    if let Some(contours) = contours {
        contours.draw(area, figure);
    }
    panel.bars.iter().for_each(|bars| draw_bars(bars, area, figure));
    panel.curves.iter().for_each(|curve| draw_band(curve, area, figure));
    panel.curves.iter().for_each(|curve| draw_curve(curve, area, figure));
    draw_frame(area, x_ticks, y_ticks, figure);
    for mark in &panel.marks {
        let at = area.place(mark.at);
        if area.window.contains(at) {
            if !matches!(mark.marker, Marker::Ring | Marker::OpenSquare) {
                draw_seam(at, mark, figure);
            }
            figure.marker(at, mark.marker, mark.size, mark.colour);
        }
    }
}

/// White around a mark, which keeps it apart from what it lies on.
fn draw_seam(at: Point, mark: &Mark, figure: &mut Figure) {
    figure.marker(at, mark.marker, mark.size + 2.4, PAPER);
}

fn draw_grid(area: &Area, x_ticks: &[(f64, String)], y_ticks: &[(f64, String)], figure: &mut Figure) {
    let Window { low, high } = area.window;
    for (value, _) in x_ticks {
        let x = area.place((*value, area.y.low)).0;
        if x > low.0 + 0.5 && x < high.0 - 0.5 {
            figure.line(vec![(x, low.1), (x, high.1)], Stroke::new(0.7, GRID));
        }
    }
    for (value, _) in y_ticks {
        let y = area.place((area.x.low, *value)).1;
        if y > low.1 + 0.5 && y < high.1 - 0.5 {
            figure.line(vec![(low.0, y), (high.0, y)], Stroke::new(0.7, GRID));
        }
    }
}

/// The frame with short lines at ticks.
fn draw_frame(area: &Area, x_ticks: &[(f64, String)], y_ticks: &[(f64, String)], figure: &mut Figure) {
    const TICK: f64 = 3.5;
    const SMALL_TICK: f64 = 2.0;
    let Window { low, high } = area.window;
    let stroke = Stroke::new(0.8, AXIS);
    figure.frame(low, area.size(), stroke);
    let small = |ticks: Vec<f64>| ticks.into_iter().map(|value| (value, SMALL_TICK));
    let large = |ticks: &[(f64, String)]| ticks.iter().map(|tick| (tick.0, TICK)).collect::<Vec<_>>();
    for (value, length) in large(x_ticks).into_iter().chain(small(ticks::minor(&area.x, x_ticks))) {
        let x = area.place((value, area.y.low)).0;
        if area.window.contains((x, high.1)) {
            figure.line(vec![(x, high.1), (x, high.1 + length)], stroke);
        }
    }
    for (value, length) in large(y_ticks).into_iter().chain(small(ticks::minor(&area.y, y_ticks))) {
        let y = area.place((area.x.low, value)).1;
        if area.window.contains((low.0, y)) {
            figure.line(vec![(low.0, y), (low.0 - length, y)], stroke);
        }
    }
}

fn draw_bars(bars: &Bars, area: &Area, figure: &mut Figure) {
    for bar in &bars.bars {
        // On a logarithmic axis a bar from 0 begins at the edge.
        let low = if area.y.scale.even(bar.low).is_nan() { area.y.low } else { bar.low };
        let (left, bottom) = area.place((bar.x - bars.width / 2.0, low));
        let (right, top) = area.place((bar.x + bars.width / 2.0, bar.high));
        let ring = rectangle((left, top), (right - left, bottom - top));
        if ring.iter().all(|point| point.0.is_finite() && point.1.is_finite()) {
            figure.surface(area.surface(&ring), bars.colour, 1.0);
        }
    }
}

fn draw_band(curve: &Curve, area: &Area, figure: &mut Figure) {
    let Some(band) = curve.band.as_ref().filter(|band| band.len() == curve.points.len()) else { return };
    // On a logarithmic axis a band that goes down to 0 ends at the edge.
    let floor = |low: f64| if area.y.scale.even(low).is_nan() && low <= 0.0 { area.y.low } else { low };
    let ends: Vec<(Point, Point)> = (curve.points.iter().zip(band))
        .map(|((x, _), (low, high))| (area.place((*x, floor(*low))), area.place((*x, *high))))
        .collect();
    let whole = |(low, high): &(Point, Point)| low.0.is_finite() && low.1.is_finite() && high.1.is_finite();
    for run in ends.split(|ends| !whole(ends)).filter(|run| run.len() > 1) {
        let ring: Vec<Point> = run.iter().map(|ends| ends.0).chain(run.iter().rev().map(|ends| ends.1)).collect();
        figure.surface(area.surface(&ring), curve.style.colour, BAND);
    }
}

fn draw_curve(curve: &Curve, area: &Area, figure: &mut Figure) {
    let points: Vec<Point> = curve.points.iter().map(|point| area.place(*point)).collect();
    for piece in area.line(&curve.points) {
        figure.line(piece, curve.style.stroke());
    }
    // Without a line every point needs its marker.
    let all = points.len() <= ALL_MARKED || curve.style.width <= 0.0;
    let numbered: Vec<(usize, Point)> = points.into_iter().enumerate().collect();
    for run in numbered.split(|(_, point)| !(point.0.is_finite() && point.1.is_finite())) {
        // A point alone has no line, so that it needs a marker.
        let alone = run.len() == 1;
        let marker = curve.style.marker.or(alone.then_some(Marker::Circle));
        let Some(marker) = marker else { continue };
        let mut last: Option<Point> = None;
        for (number, point) in run.iter().filter(|(_, point)| area.window.contains(*point)) {
            let far = |last: Point| (point.0 - last.0).hypot(point.1 - last.1) >= BETWEEN_MARKERS;
            if (alone || curve.is_marked(*number)) && (all || last.is_none_or(far)) {
                figure.marker(*point, marker, MARKER, curve.style.colour);
                last = Some(*point);
            }
        }
    }
}

/// A piece of a curve for the legend: its line, its band and its marker.
pub(super) fn draw_sample(style: &Style, band: bool, (x, y): Point, width: f64, figure: &mut Figure) {
    if band {
        figure.rectangle((x, y - 4.5), (width, 9.0), style.colour, BAND);
    }
    figure.line(vec![(x, y), (x + width, y)], style.stroke());
    if let Some(marker) = style.marker {
        figure.marker((x + width / 2.0, y), marker, MARKER, style.colour);
    } else if style.width <= 0.0 {
        draw_swatch(style.colour, (x, y), width, figure);
    }
}

/// A piece of a surface for the legend.
pub(super) fn draw_swatch(colour: Colour, (x, y): Point, width: f64, figure: &mut Figure) {
    figure.rectangle((x + width / 2.0 - 6.0, y - 5.0), (12.0, 10.0), colour, 1.0);
}
