//! The figures of the report.

use std::fmt::Write;

use hfy_draw::html::{data_uri, escaped};
use hfy_io::picture::Kind;

use super::chart::{Axis, Chart, Line};
use crate::demo::cues::Damage;
use crate::demo::lineup::{BETA, Entry, LINEUP, Run, Stored};
use crate::demo::page::{Outcome, Tally, named, shown, wanted};
use crate::demo::session::Session;
use crate::demo::studies;
use crate::error::Result;
use crate::glyphs::{Glyph, SIDE};
use crate::io::Form;
use crate::terminal::number;

/// The size of a small chart.
const PANEL: (f64, f64) = (190.0, 150.0);

/// A picture as a `data:` address.
fn address(greys: &[f64]) -> String {
    let mut png = Vec::new();
    // Writing to memory cannot fail.
    let _ = hfy_io::picture::write(&mut png, Kind::Png, &Form::grey(SIDE, SIDE), greys);
    data_uri(&png)
}

fn picture(greys: &[f64], alternative: &str) -> String {
    format!("<img class=\"g\" width=\"28\" height=\"28\" src=\"{}\" alt=\"{}\">", address(greys), escaped(alternative))
}

/// Everything that is stored.
pub(super) fn sheet(glyphs: &[Glyph]) -> String {
    let cell = |glyph: &Glyph| format!("<div>{}{}</div>", picture(&glyph.greys, glyph.name), glyph.name);
    format!("<div class=\"sheet\">{}</div>", glyphs.iter().map(cell).collect::<String>())
}

/// Cues above, and below them what each network made of them.
pub(super) fn grid(outcomes: &[Outcome], glyphs: &[Glyph]) -> String {
    const SHOWN: [&str; 4] = ["G", "5", "cat", "umbrella"];
    let columns: Vec<usize> =
        SHOWN.iter().filter_map(|name| glyphs.iter().position(|glyph| glyph.name == *name)).collect();
    let mut html = String::from("<div class=\"scroll\"><table class=\"grid\"><tr><th></th>");
    for damage in Damage::SHOWN {
        let _ = write!(html, "<th class=\"gap\"></th><th colspan=\"{}\">{}</th>", columns.len(), damage.name());
    }
    html += "</tr><tr><th class=\"row\">cue</th>";
    let plain = outcomes.iter().find(|outcome| outcome.session.entry.stored == Stored::Greys);
    for recalls in plain.iter().flat_map(|outcome| &outcome.recalls) {
        html += "<td class=\"gap\"></td>";
        for &glyph in &columns {
            let _ = write!(html, "<td><div class=\"cell\">{}</div></td>", picture(&recalls[glyph].cue, "cue"));
        }
    }
    html += "</tr>";
    for outcome in outcomes {
        let _ = write!(html, "<tr><th class=\"row\">{}</th>", outcome.session.entry.name);
        for recalls in &outcome.recalls {
            html += "<td class=\"gap\"></td>";
            for &glyph in &columns {
                let recall = &recalls[glyph];
                let class = if recall.exact {
                    "exact"
                } else if recall.nearest {
                    "near"
                } else {
                    "lost"
                };
                let what = format!("{}: {}", wanted(recall, glyphs), named(recall, glyphs));
                let state = shown(&outcome.session, &recall.state, true);
                let _ = write!(
                    html,
                    "<td title=\"{}\"><div class=\"cell {class}\">{}</div></td>",
                    escaped(&what),
                    picture(&state, &what)
                );
            }
        }
        html += "</tr>";
    }
    html + "</table></div>"
}

/// All recalls, counted.
pub(super) fn table(outcomes: &[Outcome]) -> String {
    let mut html = String::from(
        "<div class=\"scroll\"><table><tr><th>network</th><th>cue</th><th>exact</th><th class=\"n\">nearest</th>\
         <th class=\"n\">steps</th><th class=\"n\">energy, median</th><th class=\"n\">certified</th></tr>",
    );
    for outcome in outcomes {
        for (kind, recalls) in outcome.recalls.iter().enumerate() {
            let (tally, entry) = (Tally::of(recalls), &outcome.session.entry);
            let head = if kind == 0 {
                format!(
                    "<tr class=\"first\"><td rowspan=\"{}\">{}<small>Ω {}, Ψ {}, β {}</small></td>",
                    outcome.recalls.len(),
                    entry.name,
                    entry.map,
                    entry.post,
                    entry.beta
                )
            } else {
                "<tr>".to_owned()
            };
            let share = 100.0 * tally.exact as f64 / tally.total.max(1) as f64;
            let certified = tally.certified.map_or_else(|| "no margin".to_owned(), |count| count.to_string());
            let _ = write!(
                html,
                "{head}<td>{}</td><td><span class=\"bar\"><i style=\"width:{share:.0}%\"></i></span>{} of {}</td>\
                 <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} → {}</td><td class=\"n\">{certified}</td></tr>",
                Damage::SHOWN[kind].name(),
                tally.exact,
                tally.total,
                tally.nearest,
                tally.steps,
                number(tally.before),
                number(tally.after)
            );
        }
    }
    html + "</table></div>"
}

/// How the energy falls, from each half-masked cue.
pub(super) fn descent(outcomes: &[Outcome]) -> String {
    const STEPS: usize = 12;
    /// What is left to fall, relative to the whole, is drawn down to here.
    const LEAST: f64 = 1e-9;
    let mut html = String::from("<div class=\"panels\">");
    for outcome in outcomes {
        let lines = outcome.recalls[1].iter().map(|recall| {
            let (first, last) = (recall.energies[0], recall.energies[recall.energies.len() - 1]);
            // A cue that is a fixed point has nowhere to fall.
            let drop = if first > last { first - last } else { 1.0 };
            let at = |step: usize| ((recall.energies[step.min(recall.energies.len() - 1)] - last) / drop).max(LEAST);
            Line { class: "thin c1", points: (0..=STEPS).map(|step| (step as f64, at(step))).collect() }
        });
        let heights = [(1.0, "1"), (1e-3, "10⁻³"), (1e-6, "10⁻⁶"), (LEAST, "0")];
        let ticks = heights.map(|(height, text)| (height, text.to_owned())).to_vec();
        let chart = Chart {
            title: outcome.session.entry.name,
            size: PANEL,
            x: Axis::linear(0.0, STEPS as f64, &[0.0, 4.0, 8.0, 12.0], |step| step.to_string()),
            y: Axis { from: LEAST, to: 1.0, logarithmic: true, ticks },
            x_name: "step",
            lines: lines.collect(),
        };
        html += &chart.svg();
    }
    html + "</div>"
}

/// The picture, its damage and the inverse temperature of the figure of weights.
pub(super) const WEIGHED: (&str, Damage, f64) = ("P", Damage::SHOWN[2], BETA / 3.0);

/// Weights of one step from one cue, under maps that are more and less sparse.
pub(super) fn weights(glyphs: &[Glyph]) -> Result<String> {
    let (name, damage, beta) = WEIGHED;
    let glyph = glyphs.iter().find(|glyph| glyph.name == name).unwrap_or(&glyphs[0]);
    let cue = damage.apply(&glyph.greys, 1);
    let simplex = LINEUP.into_iter().filter(|entry| entry.post == "identity");
    let mut html = String::from("<div class=\"panels wide\">");
    for (place, entry) in simplex.enumerate() {
        let session = Session::new(Entry { beta, stored: Stored::Greys, run: Run::Loop, ..entry }, glyphs)?;
        let weights = session.weights(&cue)?;
        let count = weights.iter().filter(|weight| **weight > 0.0).count();
        let title = format!("{}: {count} of {} patterns have weight", entry.name, weights.len());
        html += &bars(&title, glyphs, &[Bars { class: COLOURS[place % 5], values: &weights }], 1.0, &["0", "1"]);
    }
    Ok(html + "</div>")
}

const COLOURS: [&str; 5] = ["f1", "f2", "f3", "f4", "f5"];

/// One bar for each picture.
struct Bars<'a> {
    class: &'static str,
    values: &'a [f64],
}

/// Bars over the pictures that they belong to; where a value is zero, an empty dot.
fn bars(title: &str, glyphs: &[Glyph], sets: &[Bars<'_>], full: f64, marks: &[&str; 2]) -> String {
    const LEFT: f64 = 24.0;
    const SLOT: f64 = 30.0;
    const HIGH: f64 = 66.0;
    const TOP: f64 = 22.0;
    let (width, floor) = (LEFT + SLOT * glyphs.len() as f64, TOP + HIGH);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {}\" role=\"img\" aria-label=\"{1}\"><text class=\"title\" x=\"0\" y=\"12\">{1}</text>\
         <line class=\"axis\" x1=\"{LEFT}\" x2=\"{width}\" y1=\"{floor}\" y2=\"{floor}\"/>\
         <line class=\"tick\" x1=\"{LEFT}\" x2=\"{width}\" y1=\"{TOP}\" y2=\"{TOP}\"/>\
         <text class=\"end\" x=\"{2}\" y=\"{3}\">{4}</text><text class=\"end\" x=\"{2}\" y=\"{5}\">{6}</text>",
        floor + 32.0,
        escaped(title),
        LEFT - 5.0,
        floor + 4.0,
        marks[0],
        TOP + 4.0,
        marks[1]
    );
    let wide = 18.0 / sets.len() as f64;
    for (place, glyph) in glyphs.iter().enumerate() {
        let left = LEFT + SLOT * place as f64;
        for (which, set) in sets.iter().enumerate() {
            let (x, value) = (left + 6.0 + wide * which as f64, set.values[place]);
            let high = (value / full).clamp(0.0, 1.0) * HIGH;
            let _ = if value > 0.0 {
                let high = high.max(1.0);
                let class = set.class;
                write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" rx=\"1\">\
                     <title>{}: {}</title></rect>",
                    floor - high,
                    wide - 1.0,
                    glyph.name,
                    number(value)
                )
            } else {
                write!(svg, "<circle class=\"zero\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/>", x + wide / 2.0, floor - 4.0)
            };
        }
        let _ = write!(
            svg,
            "<image x=\"{:.1}\" y=\"{:.1}\" width=\"24\" height=\"24\" href=\"{}\"/>",
            left + 3.0,
            floor + 6.0,
            address(&glyph.greys)
        );
    }
    svg + "</svg>"
}

/// How far from each picture a cue may be.
pub(super) fn radii(outcomes: &[Outcome], glyphs: &[Glyph]) -> Result<String> {
    let mut html = String::from("<div class=\"panels wide\">");
    for name in ["sparsemax", "1.5-entmax"] {
        let Some(outcome) = outcomes.iter().find(|outcome| outcome.session.entry.name == name) else { continue };
        let Some(certificates) = outcome.session.certificates()? else { continue };
        let sharp: Vec<f64> = certificates.iter().map(|certificate| certificate.radius_sharp).collect();
        let paper: Vec<f64> = certificates.iter().map(|certificate| certificate.radius_paper).collect();
        let most = sharp.iter().copied().fold(0.0, f64::max).ceil();
        let sets = [Bars { class: "f1", values: &sharp }, Bars { class: "f2", values: &paper }];
        let title = format!("{name}, β = {BETA}: radius of exact return in one step");
        html += &bars(&title, glyphs, &sets, most, &["0", &number(most)]);
    }
    Ok(html + "</div>")
}

/// One panel a network: its share of exact recalls against noise, before those of all others.
pub(super) fn noise(
    outcomes: &[Outcome],
    glyphs: &[Glyph],
    mut done: impl FnMut(usize) -> Result<()>,
) -> Result<String> {
    let mut curves = Vec::with_capacity(outcomes.len());
    for (place, outcome) in outcomes.iter().enumerate() {
        curves.push(studies::noise_curve(&outcome.session, glyphs)?);
        done(place + 1)?;
    }
    let mut html = String::from("<div class=\"panels\">");
    for (outcome, curve) in outcomes.iter().zip(&curves) {
        let mut lines: Vec<Line> = curves.iter().map(|curve| Line { class: "ghost", points: curve.clone() }).collect();
        lines.push(Line { class: "c1", points: curve.clone() });
        let most = studies::NOISE[studies::NOISE.len() - 1];
        let chart = Chart {
            title: outcome.session.entry.name,
            size: PANEL,
            x: Axis::linear(0.0, most, &[0.0, 2.0, 4.0, 6.0, 8.0], |deviation| deviation.to_string()),
            y: Axis::shares(),
            x_name: "noise",
            lines,
        };
        html += &chart.svg();
    }
    Ok(html + "</div>")
}

/// The share of certified pictures against beta, for maps of several margins.
pub(super) fn certified(outcomes: &[Outcome]) -> Result<String> {
    const MAPS: [(&str, &str, &str); 4] = [
        ("entmax:1.25", "1.25-entmax, margin 4", "c4"),
        ("entmax:1.5", "1.5-entmax, margin 2", "c2"),
        ("sparsemax", "sparsemax and normmax, margin 1", "c1"),
        ("entmax:3", "3-entmax, margin 1/2", "c3"),
    ];
    let Some(outcome) = outcomes.iter().find(|outcome| outcome.session.entry.name == "sparsemax") else {
        return Ok(String::new());
    };
    let (from, to) = (0.001, 0.1);
    let mut lines = vec![Line { class: "ghost dash", points: vec![(BETA, 0.0), (BETA, 1.0)] }];
    let mut legend = String::from("<div class=\"legend\">");
    for (map, name, class) in MAPS {
        let mut points = vec![(from, 0.0)];
        let mut share = 0.0;
        for (beta, next) in studies::certified_curve(&outcome.session, &map.parse()?)? {
            points.extend([(beta, share), (beta, next)]);
            share = next;
        }
        points.push((to, share));
        lines.push(Line { class, points });
        let _ = write!(legend, "<i style=\"border-color:var(--{class})\"></i>{name}");
    }
    let ticks = [0.001, 0.003, 0.01, 0.03, 0.1];
    let x = Axis { logarithmic: true, ..Axis::linear(from, to, &ticks, |beta| beta.to_string()) };
    let chart = Chart {
        title: "Share of pictures that are fixed points",
        size: (970.0, 300.0),
        x,
        y: Axis::shares(),
        x_name: "inverse temperature β",
        lines,
    };
    Ok(format!("{legend}</div>{}", chart.svg()))
}
