//! Line charts as SVG, coloured by the style sheet of the report.

use std::fmt::Write;

use hfy_draw::html::escaped;

/// How an axis is divided.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) logarithmic: bool,
    /// Where there is a line across, and what is written there.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    pub(super) fn linear(from: f64, to: f64, ticks: &[f64], text: impl Fn(f64) -> String) -> Self {
        Axis { from, to, logarithmic: false, ticks: ticks.iter().map(|&tick| (tick, text(tick))).collect() }
    }

    /// Shares from 0 to 1, in per cent.
    pub(super) fn shares() -> Self {
        Axis::linear(0.0, 1.0, &[0.0, 0.5, 1.0], |share| format!("{:.0} %", 100.0 * share))
    }

    fn place(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.ln() } else { value };
        ((scale(value) - scale(self.from)) / (scale(self.to) - scale(self.from))).clamp(0.0, 1.0)
    }
}

/// A line, with the classes of its colour and weight.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) class: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

/// A chart with a title.
#[derive(Debug)]
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) size: (f64, f64),
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_name: &'a str,
    pub(super) lines: Vec<Line>,
}

const LEFT: f64 = 38.0;
const BOTTOM: f64 = 34.0;
const TOP: f64 = 24.0;
const RIGHT: f64 = 8.0;

impl Chart<'_> {
    pub(super) fn svg(&self) -> String {
        let (width, height) = self.size;
        let across = |value: f64| LEFT + self.x.place(value) * (width - LEFT - RIGHT);
        let down = |value: f64| height - BOTTOM - self.y.place(value) * (height - BOTTOM - TOP);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}\"><text class=\"title\" x=\"0\" \
             y=\"12\">{0}</text>",
            escaped(self.title)
        );
        for (value, text) in &self.y.ticks {
            let y = down(*value);
            let _ = write!(
                svg,
                "<line class=\"tick\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"end\" \
                 x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
                width - RIGHT,
                LEFT - 5.0,
                y + 4.0
            );
        }
        let floor = height - BOTTOM;
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{floor:.1}\" y2=\"{floor:.1}\"/>",
            width - RIGHT
        );
        for (value, text) in &self.x.ticks {
            let _ = write!(
                svg,
                "<text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
                across(*value),
                floor + 14.0
            );
        }
        if !self.x_name.is_empty() {
            let (x, y) = (f64::midpoint(LEFT, width - RIGHT), floor + 29.0);
            let _ = write!(svg, "<text class=\"middle\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(self.x_name));
        }
        for line in &self.lines {
            let points: Vec<String> =
                line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", across(x), down(y))).collect();
            let _ = write!(svg, "<polyline class=\"line {}\" points=\"{}\"/>", line.class, points.join(" "));
        }
        svg + "</svg>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_land_where_the_axes_say() {
        let x = Axis { from: 0.01, to: 1.0, logarithmic: true, ticks: Vec::new() };
        assert!((x.place(0.1) - 0.5).abs() < 1e-12);
        let chart = Chart {
            title: "a < b",
            size: (246.0, 158.0),
            x: Axis::linear(0.0, 2.0, &[0.0, 2.0], |tick| tick.to_string()),
            y: Axis::shares(),
            x_name: "",
            lines: vec![Line { class: "c1", points: vec![(0.0, 0.0), (2.0, 1.0)] }],
        };
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b") && svg.contains("points=\"38.0,124.0 238.0,24.0\""), "{svg}");
    }
}
