//! Landscapes and basins side by side.

use hfy_draw::chart::{Axis, Contours, Curve, Field, Grid, Mark, Panel, Style};
use hfy_draw::{Colour, Figure, Marker, palette};

use super::basins::Basin;
use super::contours::Contour;
use super::sets::{Frame, Psi};
use super::{MAPS, SETS, Seen, basin_beta};
use crate::experiment::{Drawing, Mode};

/// One colour a pattern, from dark to light in even steps, so that they differ without hue as well. White is for none.
const PATTERNS: [Colour; 5] = [[58, 30, 120], [175, 50, 75], [20, 145, 125], [238, 155, 60], [150, 215, 245]];
/// The trajectory.
const PATH: Colour = [200, 60, 0];
const PANEL: f64 = 92.0;
const LEVELS: usize = 11;

/// The figure, and its two halves in a size at which details can be seen.
pub(in super::super) fn drawings(id: &str, psi: Psi, mode: Mode, seen: &Seen) -> Vec<Drawing> {
    let (left, right) = (contours(psi, seen, PANEL), basins(psi, mode, seen, PANEL));
    const BETWEEN: f64 = 14.0;
    let size = (left.width() + BETWEEN + right.width(), left.height().max(right.height()));
    let mut both = Figure::new("Energies with trajectories, and basins of attraction", size.0, size.1);
    both.place(&left, (0.0, 0.0));
    both.place(&right, (left.width() + BETWEEN, 0.0));
    let white = if psi == Psi::Identity { "" } else { " White is infinite energy." };
    let tolerance = match mode {
        Mode::Printed => "0.001",
        Mode::Defined => "0.001 (0.01 for 1-entmax)",
    };
    let left_caption = format!(
        "Energy at β = 1, dark where it is low, each panel on its own scale, with the trajectory of one query from ring to \
         disc; squares are patterns.{white}"
    );
    let right_caption = format!(
        "Each point in the colour of the pattern that it is within {tolerance} of after 50 updates at β = {}; white where \
         there is none.",
        basin_beta(mode)
    );
    let axes = match psi {
        Psi::LayerNorm | Psi::LayerNormBiased => {
            "Axes: the first two of three coordinates that sum to zero; ticks at -1, 0, 1."
        }
        _ => "Ticks at -1, 0 and 1.",
    };
    let drawing = |name: String, caption: String, figure| Drawing { name, caption, figure };
    vec![
        drawing(id.to_owned(), format!("Left: {} Right: {} {axes}", lower(&left_caption), lower(&right_caption)), both),
        drawing(format!("{id}-contours"), format!("{left_caption} {axes}"), contours(psi, seen, 150.0)),
        drawing(format!("{id}-basins"), format!("{right_caption} {axes}"), basins(psi, mode, seen, 150.0)),
    ]
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

fn contours(psi: Psi, seen: &Seen, size: f64) -> Figure {
    let mut panels = panels(|set, map| contour_panel(psi, &seen.contours[map][set], title(set, map)));
    let sign = |marker| Style { marker: Some(marker), ..Style::line(PATH, 0.0) };
    let patterns = Style { marker: Some(Marker::OpenSquare), ..Style::line(palette::INK, 0.0) };
    panels[0].curves.extend([
        Curve::new("start", sign(Marker::Ring), Vec::new()),
        Curve::new("updates", Style::line(PATH, 1.8), Vec::new()),
        Curve::new("end", sign(Marker::Circle), Vec::new()),
        Curve::new("pattern", patterns, Vec::new()),
    ]);
    grid("Energy and trajectory, β = 1", panels, size)
}

fn basins(psi: Psi, mode: Mode, seen: &Seen, size: f64) -> Figure {
    let mut panels = panels(|set, map| basin_panel(psi, &seen.group(0)[map][set], title(set, map)));
    let swatch =
        |(k, colour): (usize, &Colour)| Curve::new(format!("pattern {}", k + 1), Style::line(*colour, 0.0), Vec::new());
    panels[0].curves.extend(PATTERNS.iter().enumerate().map(swatch));
    grid(&format!("Basins of attraction, β = {}", basin_beta(mode)), panels, size)
}

fn panels(panel: impl Fn(usize, usize) -> Panel) -> Vec<Panel> {
    super::places().map(|(set, map)| panel(set, map)).collect()
}

/// Maps are named above the first row alone.
fn title(set: usize, map: usize) -> &'static str {
    if set == 0 { MAPS[map].1 } else { "" }
}

fn grid(title: &str, panels: Vec<Panel>, size: f64) -> Figure {
    let mut grid = Grid::new(title, MAPS.len(), panels);
    grid.panel_size = (size, size);
    grid.row_labels = SETS.iter().map(|set| format!("set {set}")).collect();
    grid.figure()
}

fn plain(frame: &Frame, title: &str) -> Panel {
    let ticks = || [(-1.0, ""), (0.0, ""), (1.0, "")];
    let axis = |(low, high)| Axis::linear("").within(low, high).ticked(ticks());
    let mut panel = Panel::new(title, axis(frame.x), axis(frame.y));
    panel.equal = true;
    panel
}

fn contour_panel(psi: Psi, contour: &Contour, title: &str) -> Panel {
    let mut panel = plain(&contour.frame, title);
    let finite = || contour.energies.iter().flatten().copied();
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let side = (contour.energies.len() as f64).sqrt().round() as usize;
    let share = |energy: &Option<f64>| energy.map_or(f64::INFINITY, |energy| (energy - low) / (high - low));
    panel.contours = Some(Contours {
        x: contour.frame.x,
        y: contour.frame.y,
        rows: side,
        columns: side,
        values: contour.energies.iter().map(share).collect(),
        levels: (1..=LEVELS).map(|k| k as f64 / (LEVELS + 1) as f64).collect(),
        colour: [120, 140, 165],
        width: 0.5,
        filled: Some(height),
    });
    border(psi, &mut panel);
    let points: Vec<(f64, f64)> = contour.path.iter().map(|q| (q[0], q[1])).collect();
    let (start, end) = (points[0], points[points.len() - 1]);
    panel.marks.extend(contour.patterns.iter().map(|x| Mark::new((x[0], x[1]), Marker::OpenSquare, 6.5, palette::INK)));
    panel.curves.push(Curve::new("", Style::line(PATH, 1.8), points));
    panel.marks.push(Mark::new(start, Marker::Ring, 7.5, PATH));
    panel.marks.push(Mark::new(end, Marker::Circle, 6.0, PATH));
    panel
}

/// Blues from dark, for low energies, to light, but never to white.
fn height(share: f64) -> Colour {
    palette::tint([44, 104, 160], 0.92 - 0.8 * share)
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
    border(psi, &mut panel);
    for (k, pattern) in basin.patterns.iter().enumerate() {
        let at = (pattern[0], pattern[1]);
        panel.marks.push(Mark::new(at, Marker::Square, 9.0, palette::INK));
        panel.marks.push(Mark::new(at, Marker::Square, 6.5, PATTERNS[k % PATTERNS.len()]));
    }
    panel
}

/// The border of what has a finite energy: the circle of radius 1, or what the sphere of radius √2 leaves in the plane of
/// vanishing sum, in two of three coordinates.
fn border(psi: Psi, panel: &mut Panel) {
    let point = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        match psi {
            Psi::Identity | Psi::L2 => (cos, sin),
            // An orthonormal basis of the plane, times the radius.
            Psi::LayerNorm | Psi::LayerNormBiased => {
                let radius = if psi == Psi::LayerNorm { 2.0_f64.sqrt() } else { 3.0_f64.sqrt() };
                let (a, b) = (radius * cos / 2.0_f64.sqrt(), radius * sin / 6.0_f64.sqrt());
                (a + b, b - a)
            }
        }
    };
    if psi != Psi::Identity {
        let ring = (0..=240).map(|k| point(std::f64::consts::TAU * f64::from(k) / 240.0)).collect();
        panel.curves.push(Curve::new("", Style::line(palette::FAINT, 0.8), ring));
    }
}
