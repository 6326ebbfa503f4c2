//! Landscapes and basins side by side.

use hfy_draw::chart::{Axis, Contours, Curve, Field, Grid, Mark, Panel, Style};
use hfy_draw::{Colour, Figure, Marker, palette};

use super::basins::{Basin, UPDATES};
use super::contours::Contour;
use super::sets::{Frame, Psi};
use super::{MAPS, SETS, Seen, basin_beta};
use crate::experiment::{Drawing, Mode};

/// One colour a pattern, from dark to light in even steps, so that they differ without hue as well. White is for none.
const PATTERNS: [Colour; 5] = [[58, 30, 120], [175, 50, 75], [20, 145, 125], [238, 155, 60], [150, 215, 245]];
/// The trajectory.
const PATH: Colour = [200, 60, 0];
const PANEL: f64 = 92.0;
/// From the left half to the right one.
const BETWEEN: f64 = 14.0;
const LEVELS: usize = 11;

/// Both halves of the figure.
pub(in super::super) fn drawing(id: &str, psi: Psi, mode: Mode, seen: &Seen) -> Drawing {
    let (left, right) = (contours(psi, seen), basins(psi, mode, seen));
    let size = (left.width() + BETWEEN + right.width(), left.height().max(right.height()));
    let mut figure = Figure::new("Energies with trajectories, and basins of attraction", size.0, size.1);
    figure.place(&left, (0.0, 0.0));
    figure.place(&right, (left.width() + BETWEEN, 0.0));
    let (lines, white) = match psi {
        Psi::Identity => (" with lines closer in energy near the minimum", ""),
        _ => ("", " White is infinite energy."),
    };
    let tolerance = match mode {
        Mode::Printed => "0.001",
        Mode::Defined => "0.001 (0.01 for 1-entmax)",
    };
    let axes = match psi {
        Psi::Identity | Psi::L2 => "Ticks at -1, 0 and 1.",
        Psi::LayerNorm | Psi::LayerNormBiased => {
            "Axes: the first two of three coordinates that sum to zero; ticks at -1, 0 and 1."
        }
    };
    let caption = format!(
        "Left: energy at β = 1, dark where it is low, each panel on its own scale{lines}, and the trajectory of one query from \
         ring to disc; squares are patterns.{white} Right: each point in the colour of the pattern that it is within {tolerance} \
         of after {UPDATES} updates at β = {}; white where there is none. The strip along the diagonal of set 0 is no fault: \
         between two patterns that pull alike, the third wins. {axes}",
        basin_beta(mode)
    );
    Drawing { name: id.to_owned(), caption, figure }
}

fn contours(psi: Psi, seen: &Seen) -> Figure {
    let mut panels = panels(|set, map| contour_panel(psi, &seen.contours[map][set], title(set, map)));
    let sign = |marker| Style { marker: Some(marker), ..Style::line(PATH, 0.0) };
    let patterns = Style { marker: Some(Marker::OpenSquare), ..Style::line(palette::INK, 0.0) };
    panels[0].curves.extend([
        Curve::new("start", sign(Marker::Ring), Vec::new()),
        Curve::new("updates", Style::line(PATH, 1.8), Vec::new()),
        Curve::new("end", sign(Marker::Circle), Vec::new()),
        Curve::new("pattern", patterns, Vec::new()),
    ]);
    grid("Energy and trajectory, β = 1", panels)
}

fn basins(psi: Psi, mode: Mode, seen: &Seen) -> Figure {
    let mut panels = panels(|set, map| basin_panel(psi, &seen.group(0)[map][set], title(set, map)));
    let swatch =
        |(k, colour): (usize, &Colour)| Curve::new(format!("pattern {}", k + 1), Style::line(*colour, 0.0), Vec::new());
    panels[0].curves.extend(PATTERNS.iter().enumerate().map(swatch));
    let none = Style { marker: Some(Marker::OpenSquare), ..Style::line(palette::FAINT, 0.0) };
    panels[0].curves.push(Curve::new("none of them", none, Vec::new()));
    grid(&format!("Basins of attraction, β = {}", basin_beta(mode)), panels)
}

fn panels(panel: impl Fn(usize, usize) -> Panel) -> Vec<Panel> {
    super::places().map(|(set, map)| panel(set, map)).collect()
}

/// Maps are named above the first row alone.
fn title(set: usize, map: usize) -> &'static str {
    if set == 0 { MAPS[map].1 } else { "" }
}

fn grid(title: &str, panels: Vec<Panel>) -> Figure {
    let mut grid = Grid::new(title, MAPS.len(), panels);
    grid.panel_size = (PANEL, PANEL);
    grid.row_labels = SETS.iter().map(|set| format!("set {set}")).collect();
    grid.figure()
}

fn plain(frame: &Frame, title: &str) -> Panel {
    let axis = |(low, high)| {
        let ticks = [-1.0, 0.0, 1.0].into_iter().filter(|tick| (low..=high).contains(tick));
        Axis::linear("").within(low, high).ticked(ticks.map(|tick| (tick, "")))
    };
    let mut panel = Panel::new(title, axis(frame.x), axis(frame.y));
    panel.equal = true;
    panel
}

fn contour_panel(psi: Psi, contour: &Contour, title: &str) -> Panel {
    let mut panel = plain(&contour.frame, title);
    let side = (contour.energies.len() as f64).sqrt().round() as usize;
    let inside: Vec<bool> = contour.frame.points(side, 2).map(|q| psi.is_inside((q[0], q[1]))).collect();
    let finite = || contour.energies.iter().zip(&inside).filter(|(_, inside)| **inside).map(|(energy, _)| *energy);
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let share = |k: usize| {
        let share = ((contour.energies[k] - low) / (high - low)).clamp(0.0, 1.0);
        // With the identity energies are flat where they are low, which is where one looks: the root brings lines
        // there.
        if psi == Psi::Identity { share.sqrt() } else { share }
    };
    let values = (0..inside.len()).map(|k| if touches(&inside, side, k) { share(k) } else { f64::INFINITY });
    panel.contours = Some(Contours {
        x: contour.frame.x,
        y: contour.frame.y,
        rows: side,
        columns: side,
        values: values.collect(),
        levels: (1..=LEVELS).map(|k| k as f64 / (LEVELS + 1) as f64).collect(),
        colour: [120, 140, 165],
        width: 0.5,
        filled: Some(height),
    });
    if psi != Psi::Identity {
        // White over what the grid reaches beyond the border: less than two of its steps.
        let step = (contour.frame.x.1 - contour.frame.x.0) / (side - 1) as f64;
        let longest = (contour.frame.x.1 - contour.frame.x.0).max(contour.frame.y.1 - contour.frame.y.0);
        let cover = Style::line(palette::PAPER, 3.0 * step * PANEL / longest);
        panel.curves.push(Curve::new("", cover, psi.border(1.5 * step)));
        panel.curves.push(Curve::new("", Style::line(palette::FAINT, 0.8), psi.border(0.0)));
    }
    let points: Vec<(f64, f64)> = contour.path.iter().map(|q| (q[0], q[1])).collect();
    let (start, end) = (points[0], points[points.len() - 1]);
    panel.marks.extend(contour.patterns.iter().map(|x| Mark::new((x[0], x[1]), Marker::OpenSquare, 6.5, palette::INK)));
    panel.curves.push(Curve::new("", Style::line(PATH, 1.8), points));
    panel.marks.push(Mark::new(start, Marker::Ring, 7.5, PATH));
    panel.marks.push(Mark::new(end, Marker::Circle, 6.0, PATH));
    panel
}

/// Whether a point of a grid or one beside it is inside.
fn touches(inside: &[bool], side: usize, k: usize) -> bool {
    let (row, column) = (k / side, k % side);
    let rows = row.saturating_sub(1)..=(row + 1).min(side - 1);
    rows.into_iter().any(|row| (column.saturating_sub(1)..=(column + 1).min(side - 1)).any(|c| inside[row * side + c]))
}

/// Blues from dark, for low energies, to light, but never to white.
fn height(share: f64) -> Colour {
    palette::tint([44, 104, 160], 0.8 - 0.7 * share)
}

fn basin_panel(psi: Psi, basin: &Basin, title: &str) -> Panel {
    let Frame { x, y } = basin.frame;
    let labels = basin.labels[0].as_bytes();
    let side = (labels.len() as f64).sqrt().round() as usize;
    let colour = |label: &u8| match label.checked_sub(b'1') {
        Some(k) => PATTERNS[usize::from(k) % PATTERNS.len()],
        None => palette::PAPER,
    };
    // Points are the middles of cells, so that the field reaches half a cell beyond the grid.
    let wider = |(low, high): (f64, f64)| {
        let half = (high - low) / (side - 1) as f64 / 2.0;
        (low - half, high + half)
    };
    let frame = Frame { x: wider(x), y: wider(y) };
    let mut panel = plain(&frame, title);
    panel.field =
        Some(Field { x: frame.x, y: frame.y, rows: side, columns: side, colours: labels.iter().map(colour).collect() });
    if psi != Psi::Identity {
        panel.curves.push(Curve::new("", Style::line(palette::FAINT, 0.8), psi.border(0.0)));
    }
    for (k, pattern) in basin.patterns.iter().enumerate() {
        let at = (pattern[0], pattern[1]);
        panel.marks.push(Mark::new(at, Marker::Square, 9.5, palette::INK));
        panel.marks.push(Mark::new(at, Marker::Square, 4.8, PATTERNS[k % PATTERNS.len()]));
    }
    panel
}

impl Psi {
    /// The radius outside of which the energy is infinite, and the number of coordinates.
    fn ball(self) -> (f64, usize) {
        match self {
            Psi::Identity => (f64::INFINITY, 2),
            Psi::L2 => (1.0, 2),
            Psi::LayerNorm => (2.0_f64.sqrt(), 3),
            Psi::LayerNormBiased => (3.0_f64.sqrt(), 3),
        }
    }

    /// Whether a state with these first two coordinates has a finite energy.
    fn is_inside(self, (x, y): (f64, f64)) -> bool {
        let (radius, width) = self.ball();
        let third = if width == 3 { -x - y } else { 0.0 };
        x * x + y * y + third * third <= radius * radius
    }

    /// The border of what has a finite energy, further out by `more`: a circle, or what a sphere leaves of the plane of
    /// vanishing sum, seen in two of three coordinates.
    fn border(self, more: f64) -> Vec<(f64, f64)> {
        let (radius, width) = self.ball();
        let point = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            let (x, y) = if width == 3 {
                // An orthonormal basis of the plane.
                let (a, b) = (cos / 2.0_f64.sqrt(), sin / 6.0_f64.sqrt());
                (radius * (a + b), radius * (b - a))
            } else {
                (radius * cos, radius * sin)
            };
            // The gradient of the form that is constant on the border points outwards.
            let out = if width == 3 { (2.0 * x + y, 2.0 * y + x) } else { (x, y) };
            let length = out.0.hypot(out.1);
            (x + more * out.0 / length, y + more * out.1 / length)
        };
        (0..=240).map(|k| point(std::f64::consts::TAU * f64::from(k) / 240.0)).collect()
    }
}
