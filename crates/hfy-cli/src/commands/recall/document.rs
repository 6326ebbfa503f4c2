//! What `hfy recall` brought: as JSON, as a table, as csv.

use hfy::recall::Recall;
use serde::Serialize;

use crate::commands::certify::quoted;
use crate::error::Result;
use crate::number::Number;
use crate::patterns::Patterns;
use crate::terminal::Align::{Left, Right};
use crate::terminal::{Style, Table, number};

/// The procedure with its settings; those that it does not have are left out.
#[derive(Debug, Default, Serialize)]
pub(super) struct Parameters {
    /// `free` or `sequential`.
    pub(super) procedure: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<&'static str>,
    pub(super) beta: f64,
    pub(super) steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) map: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lambda: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tau: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inner_beta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) omega: Option<f64>,
    /// Infinity is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transition: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) regulariser: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) k: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct Document {
    #[serde(flatten)]
    pub(super) parameters: Parameters,
    pub(super) patterns: usize,
    /// The pattern that was the cue, where it was one.
    pub(super) cue_id: Option<u64>,
    pub(super) cue_label: Option<String>,
    pub(super) unique_ratio: f64,
    /// Of a sequential recall; and the best that it can be.
    pub(super) levenshtein: Option<f64>,
    pub(super) levenshtein_ceiling: Option<f64>,
    pub(super) rounds: Vec<RoundOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) out: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) picture: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct RoundOut {
    /// From 1 on.
    pub(super) round: usize,
    pub(super) id: u64,
    pub(super) label: Option<String>,
    pub(super) gap: f64,
    /// The first round that brought the same pattern, where there is one before.
    pub(super) repeats: Option<usize>,
    /// Whether it is neither the pattern before nor next to it, in a sequential recall.
    pub(super) jump: bool,
    support: Vec<Weight>,
    #[serde(skip)]
    pub(super) row: usize,
}

#[derive(Debug, Serialize)]
struct Weight {
    id: u64,
    weight: f64,
}

impl Document {
    pub(super) fn new<T: Number>(
        parameters: Parameters,
        recall: &Recall<T>,
        patterns: &Patterns,
        ordered: bool,
    ) -> Result<Self> {
        let mut first = vec![None; recall.patterns];
        let mut rounds = Vec::with_capacity(recall.rounds.len());
        for (number, (round, jump)) in recall.rounds.iter().zip(recall.jumps()).enumerate() {
            let row = round.recalled;
            let weight = |(row, weight): (usize, T)| Weight { id: patterns.id(row), weight: weight.wide() };
            rounds.push(RoundOut {
                round: number + 1,
                id: patterns.id(row),
                label: patterns.label(row)?,
                gap: round.gap,
                repeats: first[row],
                jump: ordered && jump,
                support: round.weights.iter().map(weight).collect(),
                row,
            });
            first[row].get_or_insert(number + 1);
        }
        Ok(Document {
            parameters,
            patterns: recall.patterns,
            cue_id: recall.cue.map(|row| patterns.id(row)),
            cue_label: recall.cue.map(|row| patterns.label(row)).transpose()?.flatten(),
            unique_ratio: recall.unique_ratio(),
            levenshtein: ordered.then(|| recall.levenshtein()),
            levenshtein_ceiling: ordered.then(|| recall.ceiling()),
            rounds,
            out: None,
            picture: None,
        })
    }

    /// How many rounds brought something again, and how many jumped.
    pub(super) fn counts(&self) -> (usize, usize) {
        let repeats = self.rounds.iter().filter(|round| round.repeats.is_some()).count();
        (repeats, self.rounds.iter().filter(|round| round.jump).count())
    }

    /// The procedure in a line.
    fn head(&self) -> String {
        let p = &self.parameters;
        let mut text = match (p.method, &p.map) {
            (Some("constrained"), _) => "free recall with constrained sparsemax".to_owned(),
            (Some(_), Some(map)) => format!("free recall with penalised {map}"),
            (_, map) => format!("sequential recall with {}", map.as_deref().unwrap_or_default()),
        };
        text += &format!(", beta {}, {} steps a round", p.beta, p.steps);
        let settings = [
            ("lambda", p.lambda),
            ("tau", p.tau),
            ("omega", p.omega),
            ("transition", p.transition),
            ("inner beta", p.inner_beta),
        ];
        for (name, value) in settings {
            if let Some(value) = value {
                let value = if (1e-4..1e6).contains(&value) || !value.is_finite() {
                    format!("{value}")
                } else {
                    format!("{value:e}")
                };
                text += &format!(", {name} {value}");
            }
        }
        let cue = self.cue_id.map_or_else(|| "a cue of its own".to_owned(), |id| named(id, self.cue_label.as_deref()));
        format!("{text}; from {cue}")
    }

    /// The first so many rounds, and the measures.
    pub(super) fn text(&self, style: Style, rows: usize) -> String {
        let shown = &self.rounds[..rows.min(self.rounds.len())];
        let mut table = Table::new([("round", Right), ("id", Right), ("label", Left), ("gap", Right), ("", Left)]);
        for round in shown {
            table.row([
                round.round.to_string(),
                round.id.to_string(),
                round.label.clone().unwrap_or_default(),
                number(round.gap),
                round.marks().join(", "),
            ]);
        }
        let mut text = format!("{}\n{}", self.head(), table.render(style));
        if shown.len() < self.rounds.len() {
            let more = format!("... and {} more", self.rounds.len() - shown.len());
            text += &format!("{}\n", style.dim(&more));
        }
        text += &self.measures();
        for (what, path) in [("rounds", &self.out), ("a picture", &self.picture)] {
            if let Some(path) = path {
                text += &format!("{what} written to {path}\n");
            }
        }
        text
    }

    fn measures(&self) -> String {
        let (repeats, jumps) = self.counts();
        let (total, distinct) = (self.rounds.len(), self.rounds.len() - repeats);
        let mut text = format!(
            "unique ratio {}: {distinct} of {} patterns in {total} rounds\n",
            number(self.unique_ratio),
            self.patterns
        );
        if let (Some(coefficient), Some(ceiling)) = (self.levenshtein, self.levenshtein_ceiling) {
            let jumps = match jumps {
                0 => "no jumps".to_owned(),
                1 => "1 jump".to_owned(),
                _ => format!("{jumps} jumps"),
            };
            text += &format!(
                "Levenshtein coefficient {}, at most {} is possible; {jumps}\n",
                number(coefficient),
                number(ceiling)
            );
        }
        text
    }

    /// One line a round.
    pub(super) fn csv(&self, delimiter: char) -> String {
        let mut text = ["round", "id", "label", "gap", "repeats", "jump"].join(&delimiter.to_string()) + "\n";
        for round in &self.rounds {
            let cells = [
                round.round.to_string(),
                round.id.to_string(),
                quoted(round.label.as_deref().unwrap_or_default(), delimiter),
                round.gap.to_string(),
                round.repeats.map(|first| first.to_string()).unwrap_or_default(),
                round.jump.to_string(),
            ];
            text += &(cells.join(&delimiter.to_string()) + "\n");
        }
        text
    }
}

impl RoundOut {
    fn marks(&self) -> Vec<String> {
        let repeat = self.repeats.map(|first| format!("repeats round {first}"));
        repeat.into_iter().chain(self.jump.then(|| "jump".to_owned())).collect()
    }
}

/// An id with its label.
pub(super) fn named(id: u64, label: Option<&str>) -> String {
    match label {
        Some(label) if !label.is_empty() => format!("{id} ({})", hfy_io::visible(label)),
        _ => id.to_string(),
    }
}
