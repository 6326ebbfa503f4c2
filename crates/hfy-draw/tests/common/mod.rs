//! What figures say and show, read back from their files.
#![allow(dead_code)] // each suite uses its part

use hfy_draw::{Colour, Figure, Point, text_width};
use roxmltree::{Document, Node};

/// The pixels of a PNG.
pub(crate) struct Sheet {
    pub(crate) width: usize,
    pub(crate) height: usize,
    bytes: Vec<u8>,
}

impl Sheet {
    pub(crate) fn of(figure: &Figure) -> Self {
        let png = figure.png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let frame = reader.next_frame(&mut bytes).expect("whole");
        assert_eq!(frame.color_type, png::ColorType::Rgb);
        Sheet { width: frame.width as usize, height: frame.height as usize, bytes }
    }

    /// The colour at a point of the figure, at two pixels a unit.
    pub(crate) fn at(&self, (x, y): Point) -> Colour {
        self.pixel((2.0 * x) as usize, (2.0 * y) as usize)
    }

    pub(crate) fn pixel(&self, x: usize, y: usize) -> Colour {
        let at = 3 * (y * self.width + x);
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// The smallest rectangle, in units of the figure, that holds all pixels which are not white.
    pub(crate) fn inked(&self) -> Rectangle {
        let places = (0..self.width * self.height).map(|k| (k % self.width, k / self.width));
        let inked: Vec<(usize, usize)> = places.filter(|(x, y)| self.pixel(*x, *y) != [255; 3]).collect();
        let low = (inked.iter().map(|p| p.0).min(), inked.iter().map(|p| p.1).min());
        let high = (inked.iter().map(|p| p.0).max(), inked.iter().map(|p| p.1).max());
        let unit = |place: Option<usize>| place.expect("ink") as f64 / 2.0;
        Rectangle { left: unit(low.0), top: unit(low.1), right: unit(high.0) + 0.5, bottom: unit(high.1) + 0.5 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Rectangle {
    pub(crate) fn overlaps(&self, other: &Rectangle) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    pub(crate) fn contains(&self, (x, y): Point, slack: f64) -> bool {
        (self.left - slack..=self.right + slack).contains(&x) && (self.top - slack..=self.bottom + slack).contains(&y)
    }
}

/// A number of an element.
pub(crate) fn number(node: &Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no number {name} in {node:?}"))
}

/// The points of a polygon or polyline.
pub(crate) fn points(node: &Node<'_, '_>) -> Vec<Point> {
    let pair = |text: &str| {
        let (x, y) = text.split_once(',').expect("two numbers");
        (x.parse().expect("x"), y.parse().expect("y"))
    };
    node.attribute("points").expect("points").split(' ').map(pair).collect()
}

/// Every text with the rectangle of its capitals. Bold letters are wider, so theirs is a little too narrow.
pub(crate) fn texts(document: &Document<'_>) -> Vec<(String, Rectangle)> {
    let of = |node: Node<'_, '_>| {
        let (text, size) = (node.text().unwrap_or_default().to_owned(), number(&node, "font-size"));
        let (x, y, width, high) = (number(&node, "x"), number(&node, "y"), text_width(&text, size), 0.729 * size);
        let back = match node.attribute("text-anchor") {
            None => 0.0,
            Some("middle") => width / 2.0,
            Some("end") => width,
            Some(other) => panic!("{other}"),
        };
        let rectangle = if node.attribute("transform").is_some() {
            Rectangle { left: x - high, right: x, top: y + back - width, bottom: y + back }
        } else {
            Rectangle { left: x - back, right: x - back + width, top: y - high, bottom: y }
        };
        (text, rectangle)
    };
    document.descendants().filter(|node| node.has_tag_name("text")).map(of).collect()
}

/// The frames of plots.
pub(crate) fn frames(document: &Document<'_>) -> Vec<Rectangle> {
    let frame = |node: &Node<'_, '_>| node.has_tag_name("polygon") && node.attribute("fill") == Some("none");
    let rectangle = |node: Node<'_, '_>| {
        let corners = points(&node);
        Rectangle { left: corners[0].0, top: corners[0].1, right: corners[2].0, bottom: corners[2].1 }
    };
    document.descendants().filter(frame).map(rectangle).collect()
}

/// An SVG that a parser reads.
pub(crate) fn parsed(svg: &str) -> Document<'_> {
    Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"))
}
