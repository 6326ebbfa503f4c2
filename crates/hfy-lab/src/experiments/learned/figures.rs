//! What is drawn of runs of training.

use std::collections::BTreeMap;

use hfy_draw::chart::{Axis, Curve, Grid, Mark, Panel, Style};
use hfy_draw::palette::{ALERT, FAINT, GRID, INK, SERIES};
use hfy_draw::{Anchor, Figure, Marker, Pixels, Stroke, TextStyle};
use hfy_nn::train::Epoch;

use super::digits::ShownBags;
use super::looks::{Looks, Shown};
use super::{METHODS, mean};
use crate::data::BagSet;
use crate::error::{Error, Result};

const MARGIN: f64 = 14.0;
/// The side of a digit, and from digit to digit.
const SIDE: f64 = 28.0;
const PITCH: f64 = 32.0;
/// Left of the digits, for names of maps.
const NAMES: f64 = 104.0;
/// The row of bars of a map.
const BARS: f64 = 26.0;
/// Above a bag, for its name, and below it.
const ABOVE: f64 = 22.0;
const BELOW: f64 = 14.0;

/// The digits of positive bags, and below each the mean weight of all heads as a bar, in one row a map.
pub(super) fn looked_at<'a>(
    bags: &BTreeMap<usize, ShownBags>,
    shown: impl Fn(usize, &str) -> Option<&'a [Shown]>,
) -> Result<Figure> {
    let maps = |k: usize| ["softmax".to_owned(), "sparsemax".to_owned(), format!("subsets:{}", k.max(2))];
    let all = || bags.iter().flat_map(|(&k, of_k)| of_k.bags.iter().enumerate().map(move |(at, bag)| (k, at, bag)));
    let longest = all().map(|(_, _, bag)| bag.len()).max().unwrap_or(1) as f64;
    let height_of_bag = ABOVE + SIDE + 3.0 * BARS + BELOW;
    let (width, height) = (2.0 * MARGIN + NAMES + longest * PITCH, 2.0 * MARGIN + all().count() as f64 * height_of_bag);
    let mut figure = Figure::new("Digits that the heads look at", width, height);
    let mut top = MARGIN;
    for (k, at, bag) in all() {
        let targets = bag.iter().filter(|(_, _, target)| *target).count();
        let name = format!("K = {k}, {targets} of {} digits are nines", bag.len());
        figure.text((MARGIN + NAMES, top + 14.0), Anchor::Start, TextStyle::new(12.0, INK).bold(), name);
        let row = top + ABOVE;
        for (place, (_, ink, target)) in bag.iter().enumerate() {
            let corner = (MARGIN + NAMES + place as f64 * PITCH, row);
            let pixels = Pixels::grey(28, 28, bytes(ink)?).map_err(|error| Error::Cell(error.to_string()))?;
            figure.picture(corner, (SIDE, SIDE), pixels, false);
            let stroke = if *target { Stroke::new(2.2, ALERT) } else { Stroke::new(0.8, GRID) };
            figure.frame(corner, (SIDE, SIDE), stroke);
        }
        for (line, map) in maps(k).iter().enumerate() {
            let base = row + SIDE + (line + 1) as f64 * BARS;
            let name = METHODS.iter().find(|(text, _)| text == map).map_or("", |(_, name)| name);
            let name = name.split(" (").last().unwrap_or(name).trim_end_matches(')');
            figure.text((MARGIN + NAMES - 8.0, base - 4.0), Anchor::End, TextStyle::new(11.0, INK), name);
            let end = MARGIN + NAMES + bag.len() as f64 * PITCH - (PITCH - SIDE);
            figure.line(vec![(MARGIN + NAMES, base), (end, base)], Stroke::new(0.8, FAINT));
            let Some(shown) = shown(k, map).and_then(|shown| shown.get(at)) else { continue };
            let weights: Vec<f64> = (0..bag.len()).map(|place| weight(shown, place)).collect();
            let most = weights.iter().copied().fold(0.0, f64::max);
            for (place, (weight, (_, _, target))) in weights.iter().zip(bag).enumerate() {
                let (left, high) = (MARGIN + NAMES + place as f64 * PITCH + 4.0, (BARS - 6.0) * weight / most);
                let colour = if *target { ALERT } else { SERIES[0] };
                figure.rectangle((left, base - high), (SIDE - 8.0, high), colour, 0.9);
            }
        }
        top += height_of_bag;
    }
    Ok(figure)
}

/// The mean weight of all heads.
fn weight(shown: &Shown, place: usize) -> f64 {
    let of_heads = shown.weights.iter().map(|weights| f64::from(weights.get(place).copied().unwrap_or(0)));
    mean(&of_heads.collect::<Vec<_>>())
}

fn bytes(hexadecimal: &str) -> Result<Vec<u8>> {
    let pair = |at: usize| hexadecimal.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..hexadecimal.len()).step_by(2).map(pair).collect();
    bytes.filter(|bytes| bytes.len() == 28 * 28).ok_or_else(|| Error::Cell("a digit has 784 pixels".into()))
}

/// Scores on validation bags by epoch, in a panel for each K.
pub(super) fn learning_curves<'a>(ks: &[usize], epochs: impl Fn(usize, &str) -> Vec<&'a [Epoch]>) -> Figure {
    let panels = ks.iter().map(|&k| {
        let mut panel = Panel::new(format!("K = {k}"), Axis::linear("epoch"), Axis::linear("area under the curve"));
        for (at, (map, name)) in METHODS.iter().enumerate() {
            let runs = epochs(k, map);
            let Some(first) = runs.first() else { continue };
            let points = first.iter().enumerate();
            let points = points.filter_map(|(epoch, one)| Some((epoch as f64 + 1.0, one.validation?.score))).collect();
            panel.curves.push(Curve::new(*name, Style::series(at), points).marked_every(at % 4, 4));
        }
        panel
    });
    let grid = Grid::new("Learning curves on bags of digits", 2, panels.collect());
    grid.figure()
}

/// The share of the weight on nines, the share of nines among the digits with weight, and how many these are, by K.
pub(super) fn evidence<'a>(ks: &[usize], looks: impl Fn(usize, &str) -> Vec<&'a Looks>) -> Figure {
    let ticks = || ks.iter().enumerate().map(|(at, k)| (at as f64, k.to_string()));
    let axis = || Axis::linear("K").ticked(ticks()).within(-0.4, ks.len() as f64 - 0.6);
    let mut share = Panel::new("Weight on nines", axis(), Axis::linear("share").within(0.5, 1.0));
    let mut precision = Panel::new("Nines among digits with weight", axis(), Axis::linear("share").within(0.5, 1.0));
    let mut support = Panel::new("Digits with weight", axis(), Axis::linear("digits"));
    let curve = |name: &str, style: Style, value: &dyn Fn(usize) -> Option<f64>| {
        let points = ks.iter().enumerate().filter_map(|(at, &k)| Some((at as f64, value(k)?))).collect();
        Curve::new(name, style, points)
    };
    let of = |k: usize, map: &str, value: &dyn Fn(&Looks) -> f64| {
        let values: Vec<f64> = looks(k, map).into_iter().map(value).collect();
        (!values.is_empty()).then(|| mean(&values))
    };
    let chance = |k: usize| of(k, METHODS[0].0, &|looks| looks.by_chance);
    share.curves.push(curve("share of nines", Style::line(FAINT, 2.4), &chance));
    precision.curves.push(curve("share of nines", Style::line(FAINT, 2.4), &chance));
    let size = |k: usize| of(k, METHODS[0].0, &|looks| looks.size);
    support.curves.push(curve("digits in a bag", Style::line(FAINT, 2.4), &size));
    for (at, (map, name)) in METHODS.iter().enumerate() {
        share.curves.push(curve(name, Style::series(at), &|k| of(k, map, &|looks| looks.on_target)));
        precision.curves.push(curve(name, Style::series(at), &|k| of(k, map, &|looks| looks.precision)));
        support.curves.push(curve(name, Style::series(at), &|k| of(k, map, &|looks| looks.support)));
    }
    Grid::new("What the heads look at in positive bags", 3, vec![share, precision, support]).figure()
}

/// Every repetition as a mark, in a panel for each set: maps along the x axis, ŷ_Ψ beside each other.
pub(super) fn repetitions(
    sets: &[BagSet],
    maps: &[(&str, &str)],
    psis: &[(&str, &str)],
    values: &dyn Fn(usize, usize, usize) -> Vec<f64>,
) -> Figure {
    let ticks = || maps.iter().enumerate().map(|(at, (_, name))| (at as f64, short(name)));
    let panels = sets.iter().enumerate().map(|(set, name)| {
        let x = Axis::linear("").ticked(ticks()).within(-0.5, maps.len() as f64 - 0.5);
        let mut panel = Panel::new(name.title(), x, Axis::linear("area under the curve, %"));
        for (psi, (_, name)) in psis.iter().enumerate() {
            let style = Style::series(psi);
            let aside = 0.24 * (psi as f64 - (psis.len() as f64 - 1.0) / 2.0);
            let mut means = Vec::new();
            for map in 0..maps.len() {
                let all: Vec<f64> = values(map, psi, set).iter().map(|value| 100.0 * value).collect();
                let x = map as f64 + aside;
                for value in &all {
                    panel.marks.push(Mark::new((x, *value), Marker::Plus, 5.0, style.colour));
                }
                means.push((x, mean(&all)));
                let (paper, spread) = super::paper::TABLE5[map][psi][set];
                panel.marks.push(Mark::new((x + 0.06, paper), Marker::Ring, 6.0, FAINT));
                let ends = vec![(x + 0.06, paper - spread), (x + 0.06, paper + spread)];
                panel.curves.push(Curve::new("printed", Style::line(FAINT, 0.9), ends));
            }
            panel.curves.push(Curve::new(*name, Style { width: 0.0, ..style }, means));
        }
        panel
    });
    Grid::new("Post-transformations on sets of animals", 3, panels.collect()).figure()
}

/// Every repetition as a mark and their mean as a larger one, in a panel for each set, with poolings along the x axis
/// by number.
pub(super) fn by_pooling(sets: &[BagSet], names: &[&str], values: &dyn Fn(BagSet, usize) -> Vec<f64>) -> Figure {
    let ticks = || (0..names.len()).map(|at| (at as f64, (at + 1).to_string()));
    let panels = sets.iter().map(|&set| {
        let x = Axis::linear("").ticked(ticks()).within(-0.5, names.len() as f64 - 0.5);
        let mut panel = Panel::new(set.title(), x, Axis::linear("area under the curve, %"));
        for (at, name) in names.iter().enumerate() {
            let (all, colour) = (values(set, at), Style::series(at).colour);
            let percent = |value: f64| 100.0 * value;
            for value in &all {
                panel.marks.push(Mark::new((at as f64 + 0.22, percent(*value)), Marker::Plus, 4.5, colour));
            }
            let style = Style { width: 0.0, ..Style::series(at) };
            panel.curves.push(Curve::new(format!("{} {name}", at + 1), style, vec![(at as f64, percent(mean(&all)))]));
        }
        panel
    });
    Grid::new("Four more sets of bags", 2, panels.collect()).figure()
}

/// A map by its parameter, as there is little room below an axis: `1.5-entmax` is α = 1.5, `5-normmax` is γ = 5.
fn short(name: &str) -> String {
    let name = name.split(" (").next().unwrap_or(name);
    match name.split_once('-') {
        Some((alpha, "entmax")) => format!("α = {alpha}"),
        Some((gamma, "normmax")) => format!("γ = {gamma}"),
        _ => name.to_owned(),
    }
}
