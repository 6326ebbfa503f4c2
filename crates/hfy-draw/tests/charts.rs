//! Charts: nothing overlaps, and points are where the axes say.

mod common;

use common::{Rectangle, Sheet, frames, number, parsed, points, texts};
use hfy_draw::chart::{Axis, Bars, Contours, Curve, Field, Grid, Legend, Mark, Panel, Style};
use hfy_draw::{Figure, Marker, palette};

const NAMES: [&str; 9] = [
    "softmax",
    "sparsemax, with a long name that takes much room",
    "Ω",
    "1.5-entmax",
    "normmax",
    "k-subsets",
    "a",
    "sequential k-subsets of a graph",
    "hop",
];

fn panel(k: usize, x: Axis, y: Axis) -> Panel {
    let mut panel = Panel::new(["Overlap", "A title that is much too long for the width of one panel"][k % 2], x, y);
    for (place, name) in NAMES.iter().enumerate().take(1 + k % 9) {
        let points = (0..12).map(|t| (2f64.powi(t), (t as f64 - 3.0 * place as f64) * 10f64.powi(k as i32 - 3)));
        panel.curves.push(Curve::new(*name, Style::series(place), points.collect()));
    }
    panel
}

/// Every kind of grid that a small program could ask for.
fn grids() -> Vec<Grid> {
    let mut grids = Vec::new();
    for count in 1..=7 {
        for columns in [1, 2, 3, 5] {
            for (place, legend) in [Legend::Below, Legend::Right, Legend::None].into_iter().enumerate() {
                let axis =
                    |k: usize| if k.is_multiple_of(2) { Axis::log2("patterns N") } else { Axis::linear("patterns N") };
                let value = || Axis::linear("the share of queries that end where they should, over all seeds");
                let panels = (0..count).map(|k| panel(k + place, axis(k + columns), value())).collect();
                let mut grid = Grid::new(if place == 0 { "" } else { "What comes back" }, columns, panels);
                grid.legend = legend;
                (grid.shared_x, grid.shared_y) = (count % 2 == 0, columns % 2 == 0);
                grid.row_labels = if place == 1 { vec!["MNIST".into(), "CIFAR-10".into()] } else { Vec::new() };
                grid.panel_size = [(260.0, 190.0), (120.0, 90.0), (180.0, 180.0)][place];
                grid.panels[0].equal = place == 2;
                grids.push(grid);
            }
        }
    }
    grids
}

#[test]
fn no_text_touches_another_or_a_plot_or_the_edge() {
    for grid in grids() {
        let figure = grid.figure();
        let svg = figure.svg();
        let document = parsed(&svg);
        let (texts, frames) = (texts(&document), frames(&document));
        assert_eq!(frames.len(), grid.panels.len());
        let paper = Rectangle { left: 0.0, top: 0.0, right: figure.width(), bottom: figure.height() };
        for (k, (text, at)) in texts.iter().enumerate() {
            assert!(
                paper.contains((at.left, at.top), 0.0) && paper.contains((at.right, at.bottom), 0.0),
                "{text} {at:?}"
            );
            for (other, there) in &texts[..k] {
                assert!(!at.overlaps(there), "{text:?} {at:?} and {other:?} {there:?} in {grid:?}");
            }
            for frame in &frames {
                assert!(!at.overlaps(frame), "{text:?} {at:?} in {frame:?}");
            }
        }
        // Words make the paper higher, not wider, if they can be broken.
        let right = frames.iter().map(|frame| frame.right).fold(0.0, f64::max);
        let widest = texts.iter().filter(|(text, _)| NAMES.contains(&text.as_str())).map(|(_, at)| at.right - at.left);
        let room = if grid.legend == Legend::Right { f64::INFINITY } else { 40.0 + widest.fold(0.0, f64::max) };
        assert!(figure.width() <= right + room, "{} {right}", figure.width());
        for (k, frame) in frames.iter().enumerate() {
            assert!(paper.contains((frame.left, frame.top), -5.0) && paper.contains((frame.right, frame.bottom), -5.0));
            assert!(frames[..k].iter().all(|other| !other.overlaps(frame)));
        }
    }
}

#[test]
fn a_long_number_at_the_end_of_an_axis_is_on_the_paper() {
    let ticks = [(0.0, "from the very beginning"), (1.0, "to the bitter end")];
    let panel = Panel::new("", Axis::linear("").within(0.0, 1.0).ticked(ticks), Axis::linear("").within(0.0, 1.0));
    let figure = Grid::new("", 2, vec![panel.clone(), panel]).figure();
    let svg = figure.svg();
    let texts = texts(&parsed(&svg));
    for (k, (text, at)) in texts.iter().enumerate() {
        assert!(at.left > 5.0 && at.right < figure.width() - 5.0, "{text} {at:?}");
        assert!(texts[..k].iter().all(|(_, other)| !other.overlaps(at)), "{text}");
    }
}

#[test]
fn each_name_is_in_the_legend_once() {
    for grid in grids() {
        let svg = grid.figure().svg();
        for name in NAMES {
            let used = grid.panels.iter().flat_map(|panel| &panel.curves).any(|curve| curve.name == name);
            let said = texts(&parsed(&svg)).iter().filter(|(text, _)| text == name).count();
            assert_eq!(said, usize::from(used && grid.legend != Legend::None), "{name}");
        }
    }
}

#[test]
fn a_name_with_two_styles_shows_both() {
    let curve = |k: usize| Curve::new("both", Style::series(k), vec![(0.0, 0.0), (1.0, 1.0)]);
    let mut panels = vec![Panel::new("", Axis::linear("x"), Axis::linear("y")); 2];
    panels[0].curves.push(curve(0));
    panels[1].curves.push(curve(1));
    let svg = Grid::new("", 2, panels).figure().svg();
    let document = parsed(&svg);
    let bottom = frames(&document)[0].bottom;
    let samples = document.descendants().filter(|node| node.has_tag_name("polyline") && points(node).len() == 2);
    let samples: Vec<&str> = samples
        .filter(|node| points(node)[0].1 > bottom + 30.0)
        .map(|node| node.attribute("stroke").unwrap())
        .collect();
    assert_eq!(samples, ["#0072b2", "#e69f00"]);
}

fn only(panel: Panel) -> (Figure, Rectangle) {
    let figure = Grid { legend: Legend::None, ..Grid::new("", 1, vec![panel]) }.figure();
    let svg = figure.svg();
    let frame = frames(&parsed(&svg))[0];
    (figure, frame)
}

fn curve_lines(figure: &Figure) -> Vec<Vec<(f64, f64)>> {
    let svg = figure.svg();
    let document = parsed(&svg);
    let lines = document.descendants().filter(|node| node.attribute("stroke") == Some("#0072b2"));
    lines.filter(|node| node.has_tag_name("polyline")).map(|node| points(&node)).collect()
}

#[test]
fn points_are_where_the_axes_say() {
    let mut panel = Panel::new("", Axis::log10("").within(0.01, 100.0), Axis::linear("").within(0.0, 2.0));
    panel.curves.push(Curve::new("", Style::series(0).bare(), vec![(0.01, 0.0), (1.0, 0.5), (100.0, 2.0)]));
    let (figure, frame) = only(panel);
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    assert_eq!((width.round(), height.round()), (260.0, 190.0));
    let expected =
        [(frame.left, frame.bottom), (frame.left + width / 2.0, frame.bottom - height / 4.0), (frame.right, frame.top)];
    for (found, expected) in curve_lines(&figure)[0].iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 0.02 && (found.1 - expected.1).abs() < 0.02, "{found:?} {expected:?}");
    }
}

#[test]
fn what_is_outside_is_cut_off() {
    let mut panel = Panel::new("", Axis::linear("").within(0.0, 1.0), Axis::linear("").within(0.0, 1.0));
    let wave: Vec<(f64, f64)> =
        (0..200).map(|k| (f64::from(k) / 50.0 - 1.0, 3.0 * (f64::from(k) / 5.0).sin())).collect();
    let band = wave.iter().map(|(_, y)| (y - 2.0, y + 2.0)).collect();
    panel.curves.push(Curve::new("", Style::series(0), wave).banded(band));
    panel.bars.push(Bars::new("", [1, 2, 3], 0.8, &[(0.5, 7.0), (1.2, 0.5)]));
    panel.marks.push(Mark::new((0.5, 4.0), Marker::Circle, 9.0, palette::ALERT).named("gone"));
    panel.contours = Some(Contours {
        filled: Some(palette::sequential),
        ..Contours::of((-3.0, 3.0), (-3.0, 3.0), 30, 30, 5, |p| p.0 * p.1)
    });
    panel.field = Some(Field::of((-1.0, 2.0), (-5.0, 0.5), 9, 9, |_| [9, 9, 9]));
    let (figure, frame) = only(panel);
    let svg = figure.svg();
    let document = parsed(&svg);
    let mut shapes = 0;
    for node in document.descendants().filter(|node| node.is_element()) {
        let inside = match node.tag_name().name() {
            "polyline" if number(&node, "stroke-width") != 0.8 || node.attribute("stroke") != Some("#5a5a5a") => {
                points(&node)
            }
            "polygon" => points(&node),
            _ => continue,
        };
        // A marker at the edge may reach over it.
        assert!(inside.iter().all(|point| frame.contains(*point, 5.0)), "{node:?}");
        shapes += 1;
    }
    assert!(shapes > 10 && !svg.contains("gone"), "{shapes}");
    // There are no words at the right, so that all of it is paper.
    let sheet = Sheet::of(&figure);
    let beside = (0..sheet.height).map(|y| sheet.pixel((2.0 * (frame.right + 5.5)) as usize, y));
    assert!(beside.into_iter().take((2.0 * frame.bottom) as usize).all(|pixel| pixel == [255; 3]));
}

#[test]
fn a_point_that_is_not_there_breaks_a_curve() {
    let mut panel = Panel::new("", Axis::linear(""), Axis::log10(""));
    let points =
        vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 3.0), (4.0, 4.0), (5.0, 0.0), (6.0, 5.0), (7.0, -2.0)];
    panel.curves.push(Curve::new("", Style::series(0).bare(), points));
    let (figure, _) = only(panel);
    let lines = curve_lines(&figure);
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    // The point between two gaps is seen as a marker.
    let svg = figure.svg();
    assert_eq!(parsed(&svg).descendants().filter(|node| node.has_tag_name("circle")).count(), 1);
}

#[test]
fn markers_can_stand_at_some_points_alone() {
    let discs = |curve: Curve| {
        let mut panel = Panel::new("", Axis::linear("x"), Axis::linear("y"));
        panel.curves.push(curve);
        let svg = only(panel).0.svg();
        parsed(&svg).descendants().filter(|node| node.has_tag_name("circle")).count()
    };
    let curve = || Curve::new("", Style::series(0), (0..10).map(|t| (f64::from(t), 1.0)).collect());
    assert_eq!(discs(curve()), 10);
    assert_eq!(discs(curve().marked_every(3, 4)), 2); // the points 3 and 7
    assert_eq!(discs(curve().marked_every(3, 0)), 7);
}

#[test]
fn a_field_lies_with_its_first_row_below() {
    let mut panel = Panel::new("", Axis::linear(""), Axis::linear(""));
    let colours = vec![[255, 0, 0], [0, 255, 0], [0, 0, 255], [1, 1, 1]];
    panel.field = Some(Field { x: (0.0, 2.0), y: (0.0, 2.0), rows: 2, columns: 2, colours });
    let (figure, frame) = only(panel.clone());
    let sheet = Sheet::of(&figure);
    let at = |x: f64, y: f64, frame: &Rectangle| {
        (frame.left + x * (frame.right - frame.left), frame.bottom - y * (frame.bottom - frame.top))
    };
    assert_eq!(sheet.at(at(0.25, 0.25, &frame)), [255, 0, 0]);
    assert_eq!(sheet.at(at(0.75, 0.25, &frame)), [0, 255, 0]);
    assert_eq!(sheet.at(at(0.25, 0.75, &frame)), [0, 0, 255]);
    // The same field, cut by a smaller range.
    panel.x.range = Some((1.5, 3.5));
    let (figure, frame) = only(panel);
    let sheet = Sheet::of(&figure);
    assert_eq!([0.1, 0.2, 0.3].map(|x| sheet.at(at(x, 0.25, &frame))), [[0, 255, 0], [0, 255, 0], [255; 3]]);
}

#[test]
fn units_are_the_same_where_they_have_to_be() {
    let mut panel = Panel::new("", Axis::linear("").within(0.0, 4.0), Axis::linear("").within(0.0, 1.0));
    panel.equal = true;
    let (_, frame) = only(panel);
    assert!(((frame.right - frame.left) / 4.0 - (frame.bottom - frame.top)).abs() < 0.02, "{frame:?}");
}

#[test]
fn what_is_wrong_is_said_in_the_panel() {
    let mut panel = Panel::new("", Axis::linear("").within(1.0, f64::NAN), Axis::linear(""));
    assert_eq!(
        panel.check().unwrap_err().to_string(),
        "the range of an axis is 1 to NaN: its ends must be finite, the lower one first"
    );
    panel.x.range = None;
    panel.curves.push(Curve::new("c", Style::series(0), vec![(0.0, 0.0), (1.0, 1.0)]).banded(vec![(0.0, 0.0)]));
    let error = "the length of a band is 1: the curve \"c\" has 2 points, and each needs two ends";
    assert_eq!(panel.check().unwrap_err().to_string(), error);
    let (figure, _) = only(panel.clone());
    let svg = figure.svg();
    let said: Vec<String> = texts(&parsed(&svg)).into_iter().map(|text| text.0).collect();
    assert!(said.join(" ").contains("the length of a band is 1"), "{said:?}");
    panel.curves.clear();
    panel.field = Some(Field { x: (0.0, 1.0), y: (0.0, 1.0), rows: 3, columns: usize::MAX, colours: vec![[0; 3]; 5] });
    assert!(panel.check().unwrap_err().to_string().starts_with("the number of colours of a field is 5: "));
    only(panel.clone());
    panel.field = None;
    panel.contours = Some(Contours { rows: 1, ..Contours::of((0.0, 1.0), (0.0, 1.0), 2, 2, 3, |p| p.0) });
    assert!(panel.check().unwrap_err().to_string().starts_with("the number of values of contours is 4: "));
    only(panel);
}

#[test]
fn any_numbers_make_a_figure() {
    let odd = [0.0, -0.0, 1e-320, 1e300, -1e308, 1.7e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0];
    for x in [Axis::linear("x"), Axis::log2("x"), Axis::log10("x"), Axis::linear("x").within(-1e308, 1.7e308)] {
        for y in [Axis::linear("y"), Axis::log2("y"), Axis::log10("y").within(1e-320, 1e-310)] {
            let mut panel = Panel::new("", x.clone(), y.clone());
            let points: Vec<(f64, f64)> = odd.iter().flat_map(|a| odd.iter().map(|b| (*a, *b))).collect();
            let band = points.iter().map(|p| (p.1, p.0)).collect();
            panel.marks.extend(points.iter().map(|p| Mark::new(*p, Marker::Star, 5.0, [0; 3]).named("m")));
            panel.curves.push(Curve::new("odd", Style::series(0), points).banded(band));
            panel.bars.push(Bars::new("", [0; 3], f64::NAN, &[(1.0, f64::INFINITY)]));
            let values = odd.iter().chain(&odd).copied().collect();
            let contours = Contours::of((-1.0, 1e300), (0.0, 1.0), 2, 10, 3, |p| p.0);
            panel.contours = Some(Contours { values, levels: odd.to_vec(), filled: Some(|_| [0; 3]), ..contours });
            panel.note = Some("note".into());
            panel.equal = true;
            let figure = Grid::new("", 0, vec![panel.clone(), panel]).figure();
            let svg = figure.svg();
            parsed(&svg);
            Sheet::of(&figure);
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }
    let empty = Grid { panel_size: (f64::NAN, -1.0), ..Grid::new("", 3, Vec::new()) }.figure();
    parsed(&empty.svg());
}
