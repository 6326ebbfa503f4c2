//! The demonstration in the terminal.

use std::fmt::Write;

use super::cues::Damage;
use super::lineup::{Run, Stored};
use super::session::{Recall, Session};
use crate::glyphs::{Glyph, SIDE};
use crate::terminal::Align::{Left, Right};
use crate::terminal::{Style, Table, Thumb, number, side_by_side};

/// A network with its recalls, one list for each of [`Damage::SHOWN`].
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) session: Session,
    pub(crate) recalls: Vec<Vec<Recall>>,
}

/// Greys as they are shown: sums of several pictures as their mean, and every network's own scale brought to [-1, 1].
pub(crate) fn shown(session: &Session, state: &[f64], recalled: bool) -> Vec<f64> {
    let scale = match session.entry.run {
        Run::Pair if recalled => 0.5,
        _ => 1.0,
    };
    // What a transformed picture calls paper and ink differs from picture to picture, so each is stretched.
    if matches!(session.entry.stored, Stored::Transformed | Stored::Standardised) {
        let (low, high) = state.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        let half = ((high - low) / 2.0).max(f64::MIN_POSITIVE);
        return state.iter().map(|grey| (grey - low) / half - 1.0).collect();
    }
    state.iter().map(|grey| grey * scale).collect()
}

/// The names of what was asked for.
pub(crate) fn wanted(recall: &Recall, glyphs: &[Glyph]) -> String {
    let names = [Some(recall.glyph), recall.partner].into_iter().flatten().map(|glyph| glyphs[glyph].name);
    names.collect::<Vec<_>>().join(" + ")
}

/// What came back, with names in the place of numbers.
pub(crate) fn named(recall: &Recall, glyphs: &[Glyph]) -> String {
    if recall.exact {
        return format!("exactly {}", wanted(recall, glyphs));
    }
    let name = |number: &str| number.parse::<usize>().ok().and_then(|row| Some(glyphs.get(row)?.name));
    match recall.result.strip_prefix("pattern ").and_then(name) {
        Some(other) => format!("{other}, another one"),
        None => match recall.result.strip_prefix("association of ") {
            Some(rows) => rows.split(' ').filter_map(name).collect::<Vec<_>>().join(" + "),
            None => recall.result.clone(),
        },
    }
}

/// For each network a picture of a cue, one of what came back, and what there is to say.
pub(crate) fn pictures(outcomes: &[Outcome], glyphs: &[Glyph], style: Style) -> String {
    // A thing, a letter and a digit, so that each kind of damage is seen on each.
    const SHOWN: [&str; 3] = ["cat", "G", "5"];
    let mut text = String::new();
    for (place, outcome) in outcomes.iter().enumerate() {
        let kind = place % Damage::SHOWN.len();
        let name = SHOWN[(place / SHOWN.len() + place) % SHOWN.len()];
        let glyph = glyphs.iter().position(|glyph| glyph.name == name).unwrap_or(0);
        let recall = &outcome.recalls[kind][glyph];
        let size = (SIDE, SIDE);
        let (cue, state) = (shown(&outcome.session, &recall.cue, false), shown(&outcome.session, &recall.state, true));
        let thumbs = [
            Thumb { caption: format!("{}, {}", wanted(recall, glyphs), Damage::SHOWN[kind].name()), size, greys: &cue },
            Thumb { caption: named(recall, glyphs), size, greys: &state },
        ];
        let facts = facts(outcome, recall, style);
        for (line, pictures) in side_by_side(&thumbs, 3).into_iter().enumerate() {
            let fact = facts.get(line).map(String::as_str).unwrap_or_default();
            let _ = writeln!(text, "{}", format!("{pictures:<62} {fact}").trim_end());
        }
        text.push('\n');
    }
    text
}

fn facts(outcome: &Outcome, recall: &Recall, style: Style) -> Vec<String> {
    let entry = &outcome.session.entry;
    let verdict = if recall.exact {
        style.good("exact: every pixel as it was stored")
    } else if recall.nearest {
        "nearest to the right one".to_owned()
    } else {
        style.bad("lost")
    };
    let energy = |place: Option<&f64>| place.map_or_else(|| "none".to_owned(), |&energy| number(energy));
    let mut lines = vec![
        style.bold(entry.name),
        style.dim(&format!("Ω {}, Ψ {}, β {}", entry.map, entry.post, entry.beta)),
        String::new(),
        verdict,
        format!("steps   {}", recall.steps),
        format!("energy  {} → {}", energy(recall.energies.first()), energy(recall.energies.last())),
        format!("certified {}", certainty(recall)),
        String::new(),
    ];
    lines.extend(wrapped(entry.note, 36).into_iter().map(|line| style.dim(&line)));
    lines
}

fn certainty(recall: &Recall) -> &'static str {
    match recall.certified {
        Some(true) => "yes, before the first step",
        Some(false) => "no: the lead is too small",
        None => "never: no margin",
    }
}

/// Lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// All pictures, all networks.
pub(crate) fn table(outcomes: &[Outcome], style: Style) -> String {
    let mut table = Table::new([
        ("network", Left),
        ("cue", Left),
        ("exact", Right),
        ("nearest", Right),
        ("steps", Right),
        ("energy, median", Right),
        ("certified", Left),
    ]);
    for outcome in outcomes {
        for (kind, recalls) in outcome.recalls.iter().enumerate() {
            let row = Tally::of(recalls);
            table.row([
                if kind == 0 { outcome.session.entry.name.to_owned() } else { String::new() },
                Damage::SHOWN[kind].name(),
                format!("{}/{}", row.exact, row.total),
                format!("{}/{}", row.nearest, row.total),
                row.steps,
                format!("{} → {}", number(row.before), number(row.after)),
                row.certified.map_or_else(|| "no margin".to_owned(), |count| format!("{count}/{}", row.total)),
            ]);
        }
    }
    table.render(style)
}

/// The recalls of one kind of damage, summed up.
pub(crate) struct Tally {
    pub(crate) total: usize,
    pub(crate) exact: usize,
    pub(crate) nearest: usize,
    pub(crate) steps: String,
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) certified: Option<usize>,
}

impl Tally {
    pub(crate) fn of(recalls: &[Recall]) -> Self {
        let count = |keep: &dyn Fn(&Recall) -> bool| recalls.iter().filter(|recall| keep(recall)).count();
        let steps = |recall: &Recall| recall.steps;
        let (least, most) =
            (recalls.iter().map(steps).min().unwrap_or(0), recalls.iter().map(steps).max().unwrap_or(0));
        Tally {
            total: recalls.len(),
            exact: count(&|recall| recall.exact),
            nearest: count(&|recall| recall.nearest),
            steps: if least == most { least.to_string() } else { format!("{least}-{most}") },
            before: median(recalls.iter().filter_map(|recall| recall.energies.first().copied())),
            after: median(recalls.iter().filter_map(|recall| recall.energies.last().copied())),
            certified: recalls
                .iter()
                .any(|recall| recall.certified.is_some())
                .then(|| count(&|recall| recall.certified == Some(true))),
        }
    }
}

/// The lower median.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}
