//! Draws one figure of each kind, as SVG and as PNG, into a folder: `gallery` or the one that is named.
//!
//! ```sh
//! cargo run -p hfy-draw --example gallery -- pictures
//! ```

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use hfy_draw::chart::{Axis, Bar, Bars, Contours, Curve, Field, Grid, Legend, Mark, Panel, Style};
use hfy_draw::{Anchor, Colour, Dash, Figure, Marker, Pixels, Point, Stroke, TextStyle, palette, text_width};

const METHODS: [&str; 9] = [
    "softmax",
    "1.5-entmax",
    "sparsemax",
    "1.5-normmax",
    "2-normmax",
    "5-normmax",
    "SparseMAP, k = 2",
    "SparseMAP, k = 4",
    "SparseMAP, sequential",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".to_owned()));
    fs::create_dir_all(&folder)?;
    write(&folder, "curves", &curves().figure())?;
    write(&folder, "landscape", &landscape().figure())?;
    write(&folder, "basins", &basins().figure())?;
    write(&folder, "bars", &bars().figure())?;
    write(&folder, "strip", &strip()?)?;
    println!("ten files in {}", folder.display());
    Ok(())
}

/// Each file under another name until it is whole.
fn write(folder: &Path, name: &str, figure: &Figure) -> std::io::Result<()> {
    for (ending, bytes) in [("svg", figure.svg().into_bytes()), ("png", figure.png())] {
        let (path, unfinished) = (folder.join(format!("{name}.{ending}")), folder.join(format!(".{name}.{ending}")));
        fs::write(&unfinished, bytes)?;
        fs::rename(unfinished, path)?;
    }
    Ok(())
}

/// Two rows of three panels with curves of nine methods, each with a band.
fn curves() -> Grid {
    let panel = |k: usize| {
        let (row, column) = (k / 3, k % 3);
        let beta = [0.1, 1.0, 5.0][column];
        let x = Axis::log2("number of stored patterns N");
        let y =
            Axis::linear(if row == 0 { "share of exact recalls" } else { "overlap with the pattern" }).within(0.0, 1.0);
        let mut panel = Panel::new(format!("β = {beta}"), x, y);
        for (method, name) in METHODS.iter().enumerate() {
            let value = |n: f64| {
                let half = 2f64.powf(3.0 + 0.75 * method as f64 + column as f64 * 0.8 + row as f64);
                1.0 / (1.0 + (n / half).powf(1.1 + 0.15 * method as f64))
            };
            let counts = (1..=13).map(|power| 2f64.powi(power));
            let points: Vec<Point> = counts.map(|n| (n, value(n))).collect();
            let spread = |y: f64| 0.16 * y * (1.0 - y) + 0.008;
            let band = points.iter().map(|(_, y)| (y - spread(*y), y + spread(*y))).collect();
            panel.curves.push(Curve::new(*name, Style::series(method), points).banded(band));
        }
        panel.note = (k == 0).then(|| "median of 5 seeds".to_owned());
        panel
    };
    let mut grid = Grid::new("Retrieval of damaged pictures", 3, (0..6).map(panel).collect());
    grid.row_labels = vec!["MNIST".into(), "CIFAR-10".into()];
    (grid.shared_x, grid.shared_y) = (true, true);
    grid
}

/// Three points that attract.
const ATTRACTORS: [(Point, &str); 3] = [((-1.1, -0.7), "x₁"), ((1.2, -0.5), "x₂"), ((0.1, 1.1), "x₃")];

fn energy(beta: f64, (x, y): Point) -> f64 {
    let scores = ATTRACTORS.map(|((a, b), _)| beta * (a * x + b * y - 0.5 * (a * a + b * b)));
    let most = scores.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
    0.5 * (x * x + y * y) - (most + sum.ln()) / beta
}

fn update(beta: f64, (x, y): Point) -> Point {
    let scores = ATTRACTORS.map(|((a, b), _)| beta * (a * x + b * y - 0.5 * (a * a + b * b)));
    let most = scores.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let weights = scores.map(|score| (score - most).exp());
    let sum: f64 = weights.iter().sum();
    let mix = |of: fn(&Point) -> f64| ATTRACTORS.iter().zip(weights).map(|((p, _), w)| w / sum * of(p)).sum();
    (mix(|p| p.0), mix(|p| p.1))
}

fn square(title: String) -> Panel {
    let mut panel = Panel::new(title, Axis::linear("q₁").within(-2.0, 2.0), Axis::linear("q₂").within(-2.0, 2.0));
    panel.equal = true;
    panel
}

fn memories() -> impl Iterator<Item = Mark> {
    ATTRACTORS.iter().map(|(at, name)| Mark::new(*at, Marker::Star, 10.0, palette::INK).named(*name))
}

/// Contours of an energy with the way of a query down.
fn landscape() -> Grid {
    let panel = |beta: f64, filled: bool| {
        let mut panel = square(format!("E(q), β = {beta}"));
        let mut contours = Contours::of((-2.0, 2.0), (-2.0, 2.0), 81, 81, 14, |q| energy(beta, q));
        if filled {
            contours.filled = Some(|value| palette::sequential(1.0 - (value + 0.2) / 4.0));
            (contours.colour, contours.width) = (palette::PAPER, 0.6);
        }
        panel.contours = Some(contours);
        let start = (-0.2, -1.8);
        let way: Vec<Point> = std::iter::successors(Some(start), |q| Some(update(beta, *q))).take(8).collect();
        panel.curves.push(Curve::new("updates", Style::line(palette::ALERT, 1.8), way.clone()));
        panel.curves[0].style.marker = Some(Marker::Ring);
        panel.marks.extend(memories());
        panel.marks.push(Mark::new(start, Marker::Circle, 8.0, palette::ALERT).named("query"));
        panel
    };
    let mut grid = Grid::new("", 3, vec![panel(1.0, false), panel(3.0, false), panel(3.0, true)]);
    grid.panel_size = (210.0, 210.0);
    grid.shared_y = true;
    grid
}

/// Which attractor a query comes to.
fn basins() -> Grid {
    let panel = |beta: f64| {
        let mut panel = square(format!("β = {beta}"));
        let colours: [Colour; 3] = [0, 1, 5].map(|k| palette::tint(palette::SERIES[k], 0.45));
        panel.field = Some(Field::of((-2.0, 2.0), (-2.0, 2.0), 160, 160, |q| {
            let end = (0..60).fold(q, |q, _| update(beta, q));
            let away = |k: &usize| (ATTRACTORS[*k].0.0 - end.0).hypot(ATTRACTORS[*k].0.1 - end.1);
            let nearest = (0..3).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0);
            if away(&nearest) < 0.25 { colours[nearest] } else { [235; 3] }
        }));
        panel.marks.extend(memories());
        for (k, (_, name)) in ATTRACTORS.iter().enumerate() {
            panel.curves.push(Curve::new(format!("ends at {name}"), Style::line(colours[k], 0.0), Vec::new()));
        }
        panel.curves.push(Curve::new("ends between them", Style::line([235; 3], 0.0), Vec::new()));
        panel
    };
    let mut grid = Grid::new("Basins of attraction", 3, [1.5, 3.0, 12.0].map(panel).into());
    grid.panel_size = (190.0, 190.0);
    grid.shared_y = true;
    grid
}

/// Stacked bars with names instead of numbers, and a distribution on a logarithmic axis; the legend at the right.
fn bars() -> Grid {
    let names = ["softmax", "entmax", "sparsemax", "normmax"];
    let mut stacked = Panel::new(
        "Where queries end",
        Axis::linear("").ticked(names.iter().enumerate().map(|(k, name)| (k as f64, *name))),
        Axis::linear("share of queries").within(0.0, 1.0),
    );
    let shares = [[0.05, 0.55, 0.8, 0.86], [0.35, 0.3, 0.15, 0.12], [0.6, 0.15, 0.05, 0.02]];
    let mut from = [0.0; 4];
    for (kind, name) in ["one pattern", "a few patterns", "all patterns"].iter().enumerate() {
        let bar = |k: usize| Bar { x: k as f64, low: from[k], high: from[k] + shares[kind][k] };
        let bars = (0..4).map(bar).collect();
        (0..4).for_each(|k| from[k] += shares[kind][k]);
        stacked.bars.push(Bars {
            name: (*name).into(),
            colour: palette::sequential(0.15 + 0.37 * kind as f64),
            width: 0.66,
            bars,
        });
    }
    let mut decay = Panel::new("Distance to the fixed point", Axis::linear("step"), Axis::log10("‖q⁽ᵗ⁺¹⁾ − q⁽ᵗ⁾‖"));
    for (k, name) in names.iter().enumerate() {
        let points =
            (0..30).map(|step| (f64::from(step), (-0.25 * f64::from(step) * (k as f64 + 0.6)).exp())).collect();
        decay.curves.push(Curve::new(*name, Style::series(k), points));
    }
    decay.y.range = Some((1e-8, 2.0));
    let mut grid = Grid::new("", 2, vec![stacked, decay]);
    grid.legend = Legend::Right;
    grid
}

/// A number in [0, 1) for each place, the same on every machine (splitmix64).
fn scattered(place: u64) -> f64 {
    let mut bits = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Pictures with what became of them.
fn strip() -> hfy_draw::Result<Figure> {
    const SIDE: usize = 28;
    let picture = |k: usize, noise: f64| {
        let value = |place: usize| {
            let (x, y) = ((place % SIDE) as f64 - 13.5, (place / SIDE) as f64 - 13.5);
            let petals = (TAU * (k as f64 + 2.0) * y.atan2(x) / TAU).cos();
            let ink = if x.hypot(y) < 8.0 + 3.5 * petals { 1.0 } else { -1.0 };
            let random = scattered((place + SIDE * SIDE * k) as u64);
            if random < noise { -ink } else { ink }
        };
        Pixels::greys(SIDE, SIDE, &(0..SIDE * SIDE).map(value).collect::<Vec<f64>>(), 1.0, -1.0)
    };
    let (side, gap, top) = (56.0, 10.0, 44.0);
    let rows = [("cue", 0.3), ("softmax", 0.08), ("sparsemax", 0.0)];
    let left = 26.0 + rows.iter().map(|(name, _)| text_width(name, 12.0)).fold(0.0, f64::max);
    let mut figure =
        Figure::new("Pictures, damaged and recalled", left + 8.0 * (side + gap) + 4.0, top + 3.0 * (side + gap) + 6.0);
    let label = TextStyle::new(12.0, palette::INK);
    figure.text(
        (12.0, 22.0),
        Anchor::Start,
        TextStyle::new(14.0, palette::INK).bold(),
        "Pictures, damaged and recalled",
    );
    for (row, (name, noise)) in rows.into_iter().enumerate() {
        let y = top + row as f64 * (side + gap);
        figure.text((left - 10.0, y + side / 2.0 + 4.0), Anchor::End, label, name);
        for k in 0..8 {
            let corner = (left + k as f64 * (side + gap), y);
            figure.picture(corner, (side, side), picture(k, noise)?, false);
            let exact = row == 2;
            let stroke = if exact { Stroke::new(1.6, palette::SERIES[5]) } else { Stroke::new(0.8, palette::GRID) };
            figure.frame(corner, (side, side), if row == 1 { stroke.dashed(Dash::Dashed) } else { stroke });
        }
    }
    Ok(figure)
}
