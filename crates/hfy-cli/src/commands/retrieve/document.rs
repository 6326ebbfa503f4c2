//! What `hfy retrieve` finds: as JSON, as a table, as csv.

use std::collections::BTreeMap;

use hfy::retrieval::{Retrieval, Settings, Status, Stopped};
use serde::Serialize;

use crate::commands::certify::quoted;
use crate::error::Result;
use crate::io::Rows;
use crate::number::Number;
use crate::patterns::Patterns;
use crate::terminal::Align::{Left, Right};
use crate::terminal::{Style, Table, number};

#[derive(Debug, Serialize)]
pub(super) struct Document {
    map: String,
    post: String,
    beta: f64,
    stop: String,
    rule: Option<String>,
    queries: usize,
    /// How many queries came to each status.
    counts: BTreeMap<&'static str, usize>,
    pub(super) reports: Vec<ReportOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) pictures: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct ReportOut {
    pub(super) row: usize,
    /// The name of the picture that the query was.
    pub(super) name: Option<String>,
    /// `pattern`, `association`, `blend`, `step_limit` or `no_match`.
    status: &'static str,
    /// The pattern, or the patterns of an association.
    ids: Vec<u64>,
    labels: Vec<Option<String>>,
    /// How many weights count.
    size: usize,
    /// `fixed_point`, `residual`, `steps` or `limit`.
    stopped: &'static str,
    steps: usize,
    residual: f64,
    energy: Option<f64>,
    support: Vec<Weight>,
    /// The structures that the weights are a blend of, where the map has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    structures: Vec<StructureOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<f64>>,
}

#[derive(Debug, Serialize)]
struct Weight {
    id: u64,
    weight: f64,
}

#[derive(Debug, Serialize)]
struct StructureOut {
    ids: Vec<u64>,
    probability: f64,
}

impl Document {
    pub(super) fn new<T: Number>(
        (map, post, beta): (String, String, f64),
        settings: &Settings,
        found: &Retrieval<T>,
        queries: &Rows,
        patterns: &Patterns,
    ) -> Result<Self> {
        let mut reports = Vec::with_capacity(found.reports.len());
        let mut counts = BTreeMap::new();
        for (row, report) in found.reports.iter().enumerate() {
            let (status, rows) = match &report.status {
                Status::Pattern(row) => ("pattern", vec![*row]),
                Status::Association(rows) => ("association", rows.clone()),
                Status::StepLimit => ("step_limit", Vec::new()),
                Status::NoMatch => ("no_match", Vec::new()),
                _ => ("blend", Vec::new()),
            };
            let size = match &report.status {
                Status::Blend { size } => *size,
                _ => report.support.len(),
            };
            let stopped = match report.stopped {
                Stopped::FixedPoint => "fixed_point",
                Stopped::Residual => "residual",
                Stopped::Steps => "steps",
                _ => "limit",
            };
            *counts.entry(status).or_insert(0) += 1;
            reports.push(ReportOut {
                row: queries.first + row,
                name: queries.names.as_ref().and_then(|names| names.get(row).cloned()),
                status,
                ids: rows.iter().map(|&row| patterns.id(row)).collect(),
                labels: rows.iter().map(|&row| patterns.label(row)).collect::<Result<_>>()?,
                size,
                stopped,
                steps: report.steps,
                residual: report.residual.wide(),
                energy: report.energy.map(|energy| energy.wide()),
                support: report
                    .support
                    .iter()
                    .map(|(row, weight)| Weight { id: patterns.id(row), weight: weight.wide() })
                    .collect(),
                structures: report
                    .structures
                    .iter()
                    .map(|share| StructureOut {
                        ids: share.members.iter().map(|&row| patterns.id(row)).collect(),
                        probability: share.probability.wide(),
                    })
                    .collect(),
                trace: report.trace.as_ref().map(|trace| trace.iter().map(|energy| energy.wide()).collect()),
            });
        }
        Ok(Document {
            map,
            post,
            beta,
            stop: found.stop.to_string(),
            rule: settings.rule.map(|rule| rule.to_string()),
            queries: reports.len(),
            counts,
            reports,
            pictures: Vec::new(),
        })
    }

    /// The table of the first so many reports, and how many queries came to what.
    pub(super) fn text(&self, style: Style, rows: usize) -> String {
        let shown = &self.reports[..rows.min(self.reports.len())];
        let mut table = Table::new([
            ("query", Right),
            ("name", Left),
            ("result", Left),
            ("steps", Right),
            ("residual", Right),
            ("energy", Right),
            ("weights", Left),
        ]);
        for report in shown {
            table.row([
                report.row.to_string(),
                report.name.clone().unwrap_or_default(),
                report.result(),
                report.steps.to_string(),
                number(report.residual),
                report.energy.map(number).unwrap_or_default(),
                report.weights(),
            ]);
        }
        let rule = self.rule.as_ref().map(|rule| format!("; a match needs {rule}")).unwrap_or_default();
        let mut text =
            format!("map {}, post {}, beta {}; stopped {}{rule}\n", self.map, self.post, self.beta, self.stop);
        text += &table.render(style);
        if self.post != "identity" && shown.iter().any(|report| !report.ids.is_empty()) {
            text += &format!("the state of \"exactly i\" is Ψ = {} of pattern i\n", self.post);
        }
        for report in shown.iter().filter(|report| report.structures.len() > 1) {
            text += &format!("structures of query {}: {}\n", report.row, report.blend());
        }
        for report in shown {
            if let Some(trace) = &report.trace {
                let energies: Vec<String> = trace.iter().copied().map(number).collect();
                text += &format!("energy of query {}: {}\n", report.row, energies.join(" → "));
            }
        }
        if shown.len() < self.reports.len() {
            let counts: Vec<String> = self.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
            let more = format!("... and {} more; in all {}", self.reports.len() - shown.len(), counts.join(", "));
            text += &format!("{}\n", style.dim(&more));
        }
        if let (Some(first), Some(last)) = (self.pictures.first(), self.pictures.last()) {
            text += &format!("{} pictures written, {first} to {last}\n", self.pictures.len());
        }
        text
    }

    /// One line a query.
    pub(super) fn csv(&self, delimiter: char) -> String {
        let names = ["query", "name", "status", "ids", "labels", "size", "stopped", "steps", "residual", "energy"];
        let mut text = names.join(&delimiter.to_string()) + "\n";
        for report in &self.reports {
            let ids: Vec<String> = report.ids.iter().map(u64::to_string).collect();
            let labels: Vec<&str> = report.labels.iter().map(|label| label.as_deref().unwrap_or_default()).collect();
            let cells = [
                report.row.to_string(),
                quoted(report.name.as_deref().unwrap_or_default(), delimiter),
                report.status.to_owned(),
                ids.join(" "),
                quoted(&labels.join(" "), delimiter),
                report.size.to_string(),
                report.stopped.to_owned(),
                report.steps.to_string(),
                report.residual.to_string(),
                report.energy.map(|energy| energy.to_string()).unwrap_or_default(),
            ];
            text += &(cells.join(&delimiter.to_string()) + "\n");
        }
        text
    }
}

impl ReportOut {
    /// The structures, the most probable first.
    fn blend(&self) -> String {
        let mut order: Vec<&StructureOut> = self.structures.iter().collect();
        order.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        let joined = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join("+");
        let named = |share: &&StructureOut| format!("{} of {}", number(share.probability), joined(&share.ids));
        order.iter().map(named).collect::<Vec<_>>().join(", ")
    }

    /// What the query came to, in words.
    pub(super) fn result(&self) -> String {
        let named = |(id, label): (&u64, &Option<String>)| match label {
            Some(label) if !label.is_empty() => format!("{id} ({label})"),
            _ => id.to_string(),
        };
        let patterns: Vec<String> = self.ids.iter().zip(&self.labels).map(named).collect();
        match self.status {
            "pattern" => format!("exactly {}", patterns.join("")),
            "association" if patterns.is_empty() => "association of nothing".to_owned(),
            "association" => format!("association {}", patterns.join(" + ")),
            "blend" if self.structures.len() > 1 => format!("blend of {} structures", self.structures.len()),
            "blend" => format!("blend of {}", self.size),
            "step_limit" => "step limit".to_owned(),
            _ => "no match".to_owned(),
        }
    }

    /// The largest weights.
    fn weights(&self) -> String {
        let mut order: Vec<&Weight> = self.support.iter().collect();
        order.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        let mut text: Vec<String> =
            order.iter().take(3).map(|weight| format!("{}: {}", weight.id, number(weight.weight))).collect();
        if order.len() > 3 {
            text.push("...".to_owned());
        }
        text.join(", ")
    }
}
