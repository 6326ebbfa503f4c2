//! Figures: both files show the same.

mod common;

use common::{Rectangle, Sheet, number, parsed, points, texts};
use hfy_draw::{Anchor, Dash, Figure, Marker, Pixels, Stroke, TextStyle, text_width};

const RED: [u8; 3] = [200, 20, 20];
const INK: [u8; 3] = [0, 0, 0];

#[test]
fn a_circle_is_where_its_svg_says() {
    let mut figure = Figure::new("", 60.0, 40.0);
    figure.marker((21.3, 17.8), Marker::Circle, 9.0, RED);
    let svg = figure.svg();
    let document = parsed(&svg);
    let circle = document.descendants().find(|node| node.has_tag_name("circle")).unwrap();
    let (x, y, r) = (number(&circle, "cx"), number(&circle, "cy"), number(&circle, "r"));
    assert_eq!((x, y, r), (21.3, 17.8, 4.5));
    let sheet = Sheet::of(&figure);
    for (row, column) in (0..sheet.height).flat_map(|row| (0..sheet.width).map(move |column| (row, column))) {
        let away = (column as f64 / 2.0 + 0.25 - x).hypot(row as f64 / 2.0 + 0.25 - y);
        let pixel = sheet.pixel(column, row);
        assert!(away > r - 0.4 || pixel == RED, "{column} {row} {pixel:?}");
        assert!(away < r + 0.4 || pixel == [255; 3], "{column} {row} {pixel:?}");
    }
}

#[test]
fn every_marker_covers_what_its_svg_says() {
    for marker in [
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::Star,
        Marker::TriangleDown,
        Marker::OpenSquare,
        Marker::Ring,
        Marker::Cross,
        Marker::Plus,
    ] {
        let mut figure = Figure::new("", 60.0, 40.0);
        figure.marker((30.0, 20.0), marker, 12.0, RED);
        let inked = Sheet::of(&figure).inked();
        // All look about as large as a disc of the size.
        let (width, height) = (inked.right - inked.left, inked.bottom - inked.top);
        assert!((9.5..19.0).contains(&width) && (9.5..19.0).contains(&height), "{marker:?} {inked:?}");
        assert!((f64::midpoint(inked.left, inked.right) - 30.0).abs() < 0.6, "{marker:?} {inked:?}");
        let svg = figure.svg();
        let document = parsed(&svg);
        if let Some(polygon) = document.descendants().find(|node| node.has_tag_name("polygon")) {
            let half = polygon.attribute("stroke-width").map_or(0.0, |width| width.parse::<f64>().unwrap() / 2.0);
            let of = |fold: fn(f64, f64) -> f64, start: f64, x: bool| {
                points(&polygon).iter().map(|p| if x { p.0 } else { p.1 }).fold(start, fold)
            };
            let said = Rectangle {
                left: of(f64::min, 99.0, true) - half,
                right: of(f64::max, 0.0, true) + half,
                top: of(f64::min, 99.0, false) - half,
                bottom: of(f64::max, 0.0, false) + half,
            };
            for (a, b) in
                [(said.left, inked.left), (said.right, inked.right), (said.top, inked.top), (said.bottom, inked.bottom)]
            {
                assert!((a - b).abs() <= 0.8, "{marker:?} {said:?} {inked:?}");
            }
        }
    }
}

#[test]
fn letters_fill_the_width_that_is_measured() {
    for (anchor, left) in [(Anchor::Start, 100.0), (Anchor::Middle, 100.0 - 0.5), (Anchor::End, 100.0 - 1.0)] {
        let mut figure = Figure::new("", 220.0, 40.0);
        let (text, size) = ("HxβΩ HH", 14.0);
        figure.text((100.0, 30.0), anchor, TextStyle::new(size, INK), text);
        let inked = Sheet::of(&figure).inked();
        let width = text_width(text, size);
        let start = if anchor == Anchor::Start { left } else { 100.0 - width * (100.0 - left) };
        // H has 0.1 em of white at each side.
        assert!((inked.left - start - 0.098 * size).abs() < 0.6, "{anchor:?} {inked:?} {start}");
        assert!((inked.right - start - width + 0.098 * size).abs() < 0.6, "{anchor:?} {inked:?}");
        assert!((inked.top - (30.0 - 0.76 * size)).abs() < 1.0);
    }
}

#[test]
fn turned_text_reads_upwards() {
    let mut figure = Figure::new("", 60.0, 120.0);
    figure.text((40.0, 110.0), Anchor::Start, TextStyle::new(14.0, INK).turned(), "HHHH");
    let inked = Sheet::of(&figure).inked();
    assert!(inked.right <= 40.5 && inked.left >= 40.0 - 0.8 * 14.0, "{inked:?}");
    assert!(inked.bottom <= 110.0 && (110.0 - inked.top - text_width("HHHH", 14.0)).abs() < 2.5, "{inked:?}");
    assert!(figure.svg().contains("transform=\"rotate(-90 40 110)\""));
}

#[test]
fn bold_and_oblique_differ_and_a_halo_is_below() {
    let ink = |style: TextStyle| {
        let mut figure = Figure::new("", 80.0, 30.0);
        figure.rectangle((0.0, 0.0), (80.0, 30.0), RED, 1.0);
        figure.text((10.0, 20.0), Anchor::Start, style, "HHH");
        let sheet = Sheet::of(&figure);
        let count = |colour: [u8; 3]| (0..160 * 60).filter(|k| sheet.pixel(k % 160, k / 160) == colour).count();
        (count(INK), count([255; 3]))
    };
    let style = TextStyle::new(14.0, INK);
    assert!(ink(style.bold()).0 > ink(style).0 + 50);
    assert_ne!(ink(style.italic()), ink(style));
    assert!(ink(style).1 == 0 && ink(style.halo([255; 3])).1 > 50);
    assert!(ink(style.halo([255; 3])).0 >= ink(style).0);
}

#[test]
fn dashes_have_gaps_and_opacity_mixes() {
    let mut figure = Figure::new("", 100.0, 20.0);
    figure.line(vec![(0.0, 5.0), (100.0, 5.0)], Stroke::new(2.0, INK).dashed(Dash::Dashed));
    figure.line(vec![(0.0, 15.0), (100.0, 15.0)], Stroke::new(2.0, INK).faded(0.5));
    let sheet = Sheet::of(&figure);
    // Eight units of line and four of gap.
    for (x, colour) in [(4.0, [0; 3]), (10.0, [255; 3]), (16.0, [0; 3]), (22.0, [255; 3])] {
        assert_eq!(sheet.at((x, 5.0)), colour, "{x}");
    }
    assert!(figure.svg().contains("stroke-dasharray=\"8 4\""));
    assert!((126..=129).contains(&sheet.at((50.0, 15.0))[0]));
    assert!(figure.svg().contains("stroke-opacity=\"0.5\""));
}

#[test]
fn surfaces_have_holes() {
    let square = |low: f64, high: f64| vec![(low, low), (high, low), (high, high), (low, high)];
    let mut figure = Figure::new("", 40.0, 40.0);
    figure.surfaces(vec![square(5.0, 35.0), square(15.0, 25.0)], RED, 1.0);
    let sheet = Sheet::of(&figure);
    assert_eq!((sheet.at((10.0, 20.0)), sheet.at((20.0, 20.0))), (RED, [255; 3]));
    assert!(figure.svg().contains("fill-rule=\"evenodd\""));
}

#[test]
fn pictures_are_in_both_files() {
    let mut figure = Figure::new("", 40.0, 40.0);
    let pixels = Pixels::rgb(1, 2, [RED, INK].concat()).unwrap();
    figure.picture((10.0, 10.0), (20.0, 10.0), pixels.clone(), false);
    let sheet = Sheet::of(&figure);
    assert_eq!(
        [(12.0, 15.0), (19.0, 19.0), (21.0, 15.0), (31.0, 15.0)].map(|at| sheet.at(at)),
        [RED, RED, INK, [255; 3]]
    );
    let svg = figure.svg();
    let document = parsed(&svg);
    let image = document.descendants().find(|node| node.has_tag_name("image")).unwrap();
    assert_eq!((number(&image, "x"), number(&image, "width")), (10.0, 20.0));
    assert_eq!(image.attribute("href").unwrap(), hfy_draw::html::data_uri(&pixels.png()));
}

#[test]
fn figures_go_into_figures() {
    let mut inner = Figure::new("inner", 20.0, 20.0);
    inner.marker((10.0, 10.0), Marker::Square, 6.0, RED);
    inner.text((3.0, 18.0), Anchor::Start, TextStyle::default(), "a");
    let mut outer = Figure::new("outer", 60.0, 60.0);
    outer.place(&inner, (30.0, 20.0));
    assert_eq!(Sheet::of(&outer).at((40.0, 30.0)), RED);
    let svg = outer.svg();
    assert_eq!(texts(&parsed(&svg))[0].1.left, 33.0);
}

#[test]
fn what_has_no_place_is_left_out() {
    let mut figure = Figure::new("a < b & \"c\"", f64::NAN, -3.0);
    assert_eq!((figure.width(), figure.height()), (1.0, 1.0));
    figure.line(vec![(0.0, 0.0), (f64::NAN, 1.0), (1.0, 1.0)], Stroke::new(1.0, INK));
    figure.marker((f64::INFINITY, 0.0), Marker::Star, 5.0, INK);
    figure.surface(vec![(0.0, 0.0), (1.0, f64::NAN), (1.0, 1.0)], INK, 1.0);
    figure.text((f64::NAN, 0.0), Anchor::Start, TextStyle::default(), "x");
    figure.frame((0.0, f64::NAN), (1.0, 1.0), Stroke::new(1.0, INK));
    figure.picture((0.0, 0.0), (f64::INFINITY, 1.0), Pixels::grey(1, 1, vec![0]).unwrap(), true);
    let svg = figure.svg();
    let document = parsed(&svg);
    assert_eq!(document.root_element().children().filter(|node| node.is_element()).count(), 2);
    assert!(svg.contains("<title>a &lt; b &amp; &quot;c&quot;</title>"));
    assert_eq!((Sheet::of(&figure).width, Sheet::of(&figure).height), (2, 2));
}

#[test]
fn very_large_figures_have_fewer_pixels() {
    let figure = Figure::new("", 6000.0, 3000.0);
    assert_eq!((Sheet::of(&figure).width, Sheet::of(&figure).height), (6000, 3000));
}
