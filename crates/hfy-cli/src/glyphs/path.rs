//! Lines and curves from text.
//!
//! | text | draws |
//! |---|---|
//! | `M x y` | lifts the pen to a point |
//! | `L x y` | a line to a point |
//! | `Q a b x y` | a curve to a point, bent towards one other |
//! | `C a b c d x y` | a curve to a point, bent towards two others |
//! | `E x y r s from to` | lifts the pen; the arc of an ellipse around a point, in degrees from the right, clockwise |
//! | `Z` | a line to where the pen was last lifted to |

/// A point: to the right, and down.
pub(crate) type Point = (f64, f64);

/// Straight pieces for a curve.
const PIECES: usize = 24;

/// Lines through points, one for each time the pen was lifted. A text that is not understood ends the drawing.
pub(super) fn parse(text: &str) -> Vec<Vec<Point>> {
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let mut tokens = text.split_whitespace();
    while let Some(command) = tokens.next() {
        let mut number = || tokens.next().and_then(|token| token.parse::<f64>().ok());
        let mut point = || Some((number()?, number()?));
        let drawn = match command {
            "M" => point().map(|to| lines.push(vec![to])),
            "L" => point().and_then(|to| lines.last_mut().map(|line| line.push(to))),
            "Q" => point().zip(point()).and_then(|(bend, to)| {
                let line = lines.last_mut()?;
                let from = *line.last()?;
                let towards = |end: Point| mix(end, bend, 2.0 / 3.0);
                line.extend(cubic(from, towards(from), towards(to), to));
                Some(())
            }),
            "C" => point().zip(point()).zip(point()).and_then(|((a, b), to)| {
                let line = lines.last_mut()?;
                let from = *line.last()?;
                line.extend(cubic(from, a, b, to));
                Some(())
            }),
            "E" => {
                point().zip(point()).zip(point()).map(|((centre, radii), turn)| lines.push(arc(centre, radii, turn)))
            }
            "Z" => lines.last_mut().and_then(|line| {
                let first = *line.first()?;
                line.push(first);
                Some(())
            }),
            _ => None,
        };
        if drawn.is_none() {
            break;
        }
    }
    lines
}

fn mix(a: Point, b: Point, share: f64) -> Point {
    (a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1))
}

fn cubic(from: Point, a: Point, b: Point, to: Point) -> impl Iterator<Item = Point> {
    (1..=PIECES).map(move |piece| {
        let t = piece as f64 / PIECES as f64;
        let (first, middle, last) = (mix(from, a, t), mix(a, b, t), mix(b, to, t));
        mix(mix(first, middle, t), mix(middle, last, t), t)
    })
}

fn arc(centre: Point, radii: Point, turn: (f64, f64)) -> Vec<Point> {
    let at = |piece: usize| {
        let angle = (turn.0 + (turn.1 - turn.0) * piece as f64 / (2 * PIECES) as f64).to_radians();
        (centre.0 + radii.0 * angle.cos(), centre.1 + radii.1 * angle.sin())
    };
    (0..=2 * PIECES).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::super::drawings::DRAWINGS;
    use super::*;

    #[test]
    fn every_drawing_is_understood() {
        for (name, layers) in DRAWINGS {
            for (_, text) in *layers {
                let lifts = text.split_whitespace().filter(|token| matches!(*token, "M" | "E")).count();
                let with_end = format!("{text} M 1 2");
                let lines = parse(&with_end);
                assert_eq!(lines.len(), lifts + 1, "{name}: {text}");
                assert_eq!(lines[lifts], [(1.0, 2.0)], "{name}: {text}");
            }
        }
    }

    #[test]
    fn curves_end_where_they_should() {
        let lines = parse("M 0 0 C 0 1 1 1 1 0 Q 2 2 3 0 Z");
        assert_eq!((lines[0][0], lines[0][2 * PIECES], lines[0][2 * PIECES + 1]), ((0.0, 0.0), (3.0, 0.0), (0.0, 0.0)));
        assert!(parse("M 0 0 L 1").len() == 1 && parse("X 1").is_empty());
    }
}
