//! The drawings.

use hfy_draw::chart::{Axis, Curve, Grid, Panel, Style};
use hfy_draw::{Dash, Figure, Marker, palette};

use super::looseness::{BETAS, CONDITIONS, Counts, beta};
use super::tally::Tally;

/// Where no miss at all is drawn.
const NOTHING: f64 = 1e-18;

/// The worst miss of each statement.
pub(super) fn misses(statements: &[(&str, &Tally)]) -> Figure {
    let rows = statements.len();
    let height = |place: usize| (rows - place) as f64;
    let names = statements.iter().enumerate().map(|(place, (name, _))| (height(place), *name));
    let exponents = [-15, -12, -9, -6, -3, 0];
    let powers = exponents.map(|power| (10_f64.powi(power), format!("10{}", superscript(power))));
    let x = Axis::log10("worst miss, relative").within(NOTHING / 3.0, 10.0);
    let x = x.ticked([(NOTHING, "0".to_owned())].into_iter().chain(powers));
    let mut panel = Panel::new("", x, Axis::linear("").within(0.2, rows as f64 + 0.8).ticked(names));
    let style = |colour, marker| Style { colour, dash: Dash::Solid, marker: Some(marker), width: 0.0 };
    let points = |wanted: bool| {
        let chosen = statements.iter().enumerate().filter(move |(_, (_, tally))| tally.holds() == wanted);
        chosen.map(|(place, (_, tally))| (tally.worst().max(NOTHING), height(place))).collect::<Vec<_>>()
    };
    panel.curves.push(Curve::new("holds", style(palette::SERIES[0], Marker::Circle), points(true)));
    let wrong = points(false);
    if !wrong.is_empty() {
        panel.curves.push(Curve::new("does not hold", style(palette::ALERT, Marker::Cross), wrong));
    }
    let mut grid = Grid::new("Propositions on random cases", 1, vec![panel]);
    grid.panel_size = (340.0, 19.0 * rows as f64 + 12.0);
    grid.figure()
}

/// The share of associations that come back, and of those that conditions promise.
pub(super) fn conditions(counts: &Counts) -> Figure {
    let mut panels: Vec<Panel> = Vec::new();
    for (condition, (structure, name)) in CONDITIONS.iter().enumerate() {
        if panels.last().is_none_or(|panel| panel.title != *structure) {
            let share = Axis::linear("share of the associations").within(0.0, 1.0);
            panels.push(Panel::new(*structure, Axis::log2("β"), share));
        }
        let points = (0..BETAS).map(|place| (beta(place), counts.share(condition, place))).collect();
        let first = CONDITIONS.iter().position(|(_, other)| other == name).unwrap_or(condition);
        let curve = Curve::new(*name, Style::series(first), points);
        panels.last_mut().expect("one was just made").curves.push(curve);
    }
    let mut grid = Grid::new("What conditions promise of associations, k = 2", 2, panels);
    grid.shared_y = true;
    grid.figure()
}

/// A power as people write it.
fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = power.unsigned_abs().to_string();
    let sign = if power < 0 { "⁻" } else { "" };
    sign.chars().chain(digits.bytes().map(|digit| DIGITS[usize::from(digit - b'0')])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers() {
        assert_eq!([-12, 0, 3].map(superscript), ["⁻¹²", "⁰", "³"]);
    }
}
