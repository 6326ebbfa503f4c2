//! A figure as SVG, with text as text and pictures inside.

use std::fmt::Write;

use crate::font::FAMILY;
use crate::html::{data_uri, escaped};
use crate::marker::Outline;
use crate::shape::Shape;
use crate::{Anchor, Colour, Figure, Marker, Pixels, Point, Stroke, TextStyle, Weight};

pub(crate) fn of(figure: &Figure) -> String {
    let (width, height) = (short(figure.width()), short(figure.height()));
    // The PNG is set with kerning and without ligatures, so this has to be.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"{FAMILY}\" style=\"font-kerning:normal;font-variant-ligatures:none\" \
         stroke-linejoin=\"round\">\n<title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        escaped(&figure.title)
    );
    for shape in &figure.shapes {
        svg += &element(shape);
        svg.push('\n');
    }
    svg + "</svg>\n"
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, closed, stroke } => {
            let (name, points) = (if *closed { "polygon" } else { "polyline" }, list(points));
            format!("<{name} points=\"{points}\" fill=\"none\"{}/>", stroked(stroke))
        }
        Shape::Surface { rings, colour, opacity } => {
            let fill = format!("fill=\"{}\"{}", hex(*colour), share(" fill-opacity", *opacity));
            match rings.as_slice() {
                [ring] => format!("<polygon points=\"{}\" {fill}/>", list(ring)),
                rings => {
                    let path: String = rings.iter().map(|ring| format!("M{}Z", list(ring))).collect();
                    format!("<path d=\"{path}\" {fill} fill-rule=\"evenodd\"/>")
                }
            }
        }
        Shape::Marker { at, marker, size, colour } => sign(*at, *marker, *size, *colour),
        Shape::Text { at, anchor, style, text } => label(*at, *anchor, style, text),
        Shape::Picture { corner, size, pixels, smooth } => image(*corner, *size, pixels, *smooth),
    }
}

fn stroked(stroke: &Stroke) -> String {
    let lengths: Vec<String> = stroke.dash.lengths(stroke.width).into_iter().map(short).collect();
    let dashes =
        if lengths.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", lengths.join(" ")) };
    let opacity = share(" stroke-opacity", stroke.opacity);
    format!(" stroke=\"{}\" stroke-width=\"{}\"{dashes}{opacity}", hex(stroke.colour), short(stroke.width))
}

fn sign(at: Point, marker: Marker, size: f64, colour: Colour) -> String {
    let (x, y) = (short(at.0), short(at.1));
    let here = |points: &[Point]| points.iter().map(|p| (p.0 + at.0, p.1 + at.1)).collect::<Vec<Point>>();
    match marker.outline(size) {
        Outline::Disc(radius) => {
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{}\"/>", short(radius), hex(colour))
        }
        Outline::Ring(radius, line) => format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"#fff\"{}/>",
            short(radius),
            stroked(&Stroke::new(line, colour))
        ),
        Outline::Filled(points) => format!("<polygon points=\"{}\" fill=\"{}\"/>", list(&here(&points)), hex(colour)),
        Outline::Open(points, line) => {
            let stroke = stroked(&Stroke::new(line, colour));
            format!("<polygon points=\"{}\" fill=\"#fff\"{stroke}/>", list(&here(&points)))
        }
        Outline::Lines(lines, line) => {
            let path: String = lines.iter().map(|ends| format!("M{}", list(&here(ends)))).collect();
            format!("<path d=\"{path}\" fill=\"none\"{}/>", stroked(&Stroke::new(line, colour)))
        }
    }
}

fn label(at: Point, anchor: Anchor, style: &TextStyle, text: &str) -> String {
    let (x, y) = (short(at.0), short(at.1));
    let mut svg =
        format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"", short(style.size), hex(style.colour));
    match anchor {
        Anchor::Start => {}
        Anchor::Middle => svg += " text-anchor=\"middle\"",
        Anchor::End => svg += " text-anchor=\"end\"",
    }
    if style.weight == Weight::Bold {
        svg += " font-weight=\"bold\"";
    }
    if style.italic {
        svg += " font-style=\"oblique\"";
    }
    if style.turned {
        let _ = write!(svg, " transform=\"rotate(-90 {x} {y})\"");
    }
    if let Some(halo) = style.halo {
        let _ = write!(svg, "{} paint-order=\"stroke\"", stroked(&Stroke::new(style.seam(), halo)));
    }
    svg + ">" + &escaped(text) + "</text>"
}

fn image((x, y): Point, (width, height): Point, pixels: &Pixels, smooth: bool) -> String {
    let rendering = if smooth { "" } else { " style=\"image-rendering:pixelated\"" };
    format!(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\"{rendering} href=\"{}\"/>",
        short(x),
        short(y),
        short(width),
        short(height),
        data_uri(&pixels.png())
    )
}

fn share(name: &str, opacity: f64) -> String {
    if opacity < 1.0 { format!("{name}=\"{}\"", short(opacity.max(0.0))) } else { String::new() }
}

fn list(points: &[Point]) -> String {
    points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect::<Vec<_>>().join(" ")
}

/// A number with at most two decimals.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, -0.001, 1.0, 2.5, 10.0, -2.71428, 100.0];
        assert_eq!(numbers.map(short), ["0", "0", "1", "2.5", "10", "-2.71", "100"]);
    }
}
