//! A figure as SVG, with pictures inside.

use std::fmt::Write;

use super::inline::{data_uri, escaped};
use super::{Anchor, Colour, Figure, Shape};
use crate::glyphs::Point;

pub(super) fn of(figure: &Figure) -> String {
    let (width, height) = (figure.width, figure.height);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escaped(&figure.title)
    );
    for shape in &figure.shapes {
        let _ = writeln!(svg, "{}", element(shape));
    }
    svg + "</svg>\n"
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Surface { points, colour } => {
            format!("<polygon points=\"{}\" fill=\"{}\"/>", list(points), hex(*colour))
        }
        Shape::Line { points, width, colour, dashed } => {
            let dashes = if *dashed {
                format!(" stroke-dasharray=\"{} {}\"", super::png::DASH.0, super::png::DASH.1)
            } else {
                String::new()
            };
            format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dashes}/>",
                list(points),
                hex(*colour)
            )
        }
        Shape::Disc { centre, radius, colour } => {
            let (x, y) = centre;
            format!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\"/>", hex(*colour))
        }
        Shape::Text { at: (x, y), anchor, size, colour, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            format!(
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
                hex(*colour),
                escaped(text)
            )
        }
        Shape::Picture { corner: (x, y), size: (width, height), pixels, greys } => format!(
            "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"{}\"/>",
            data_uri(*pixels, greys)
        ),
    }
}

fn list(points: &[Point]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
