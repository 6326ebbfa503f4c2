//! What `hfy certify` finds, for reading.

use std::fmt::Write;

use hfy::certify::{Placement, Quantiles, Summary};

use super::document::{Document, PatternOut};
use crate::terminal::Align::{Left, Right};
use crate::terminal::{Style, Table, number};

impl Document {
    /// The summary, what else was asked for, and the least certain `rows` patterns.
    pub(super) fn text(&self, style: Style, rows: usize) -> String {
        let mut text = format!(
            "{}\n",
            style.bold(&format!(
                "{} patterns of {} entries; map {} (margin {}), post {}, beta {}",
                self.patterns,
                self.dimension,
                self.map,
                number(self.margin),
                self.post,
                self.beta
            ))
        );
        text += &format!("{}\n", style.dim(&self.definition));
        if let Some(summary) = &self.summary {
            text += &summary_text(summary, self.moves(), style);
        }
        for share in &self.share_at {
            let beta = share.beta.map_or_else(|| "no beta".to_owned(), number);
            let _ = writeln!(text, "at beta {beta} {:.2} % are fixed points", 100.0 * share.share);
        }
        for share in &self.smallest_beta {
            let _ = match share.beta {
                Some(beta) => {
                    writeln!(text, "{} % are fixed points from beta {} on", 100.0 * share.share, number(beta))
                }
                None => writeln!(text, "{} % are fixed points at no beta", 100.0 * share.share),
            };
        }
        for association in &self.associations {
            let _ = writeln!(
                text,
                "association {:?}: {}, lead {}, radius {} (the paper's {})",
                association.members,
                if association.fixed_point { "a fixed point" } else { "not a fixed point" },
                number(association.lead),
                number(association.radius_sharp),
                number(association.radius_paper)
            );
        }
        for association in &self.structured {
            let rival = association.rival.as_ref().map(|ids| format!(" against {ids:?}")).unwrap_or_default();
            let _ = writeln!(
                text,
                "association {:?}: {}, slack {}{rival}, radius {} (the paper's {})",
                association.members,
                if association.fixed_point { "a fixed point" } else { "not a fixed point" },
                number(association.slack),
                number(association.radius),
                number(association.radius_printed)
            );
        }
        if !self.guarantees.is_empty() {
            text += &self.guarantee_table().render(style);
        }
        if rows > 0 && !self.certificates.is_empty() {
            text += &self.pattern_table(rows).render(style);
            if self.certificates.len() > rows {
                let _ = writeln!(text, "{}", style.dim(&format!("... and {} more", self.certificates.len() - rows)));
            }
        }
        text
    }

    /// Whether there is a post-transformation.
    fn moves(&self) -> bool {
        self.post != "identity"
    }

    fn guarantee_table(&self) -> Table {
        let columns = [("row", Right), ("one step returns", Left), ("label", Left), ("lead", Right), ("slack", Right)];
        let mut table = Table::new(columns);
        for g in &self.guarantees {
            let best = g.best.iter().map(u64::to_string).collect::<Vec<_>>().join("+");
            let certain = match (g.exact, self.moves()) {
                (true, true) => format!("exactly Ψ of {best}"),
                (true, false) => format!("exactly {best}"),
                (false, _) => format!("a blend, {best} leads"),
            };
            let label = g.label.clone().unwrap_or_default();
            let lead = g.lead.map(number).unwrap_or_default();
            table.row([g.row.to_string(), certain, label, lead, number(g.slack)]);
        }
        table
    }

    fn pattern_table(&self, rows: usize) -> Table {
        let mut columns = vec![
            ("id", Right),
            ("label", Left),
            ("separation", Right),
            ("rival", Right),
            ("fixed point", Left),
            ("radius", Right),
            ("paper's", Right),
        ];
        if self.moves() {
            columns.extend([("from x", Right), ("moved", Right)]);
        }
        let mut table = Table::new(columns);
        let mut order: Vec<&PatternOut> = self.certificates.iter().collect();
        order.sort_by(|a, b| {
            a.radius_sharp.total_cmp(&b.radius_sharp).then(a.separation.total_cmp(&b.separation)).then(a.id.cmp(&b.id))
        });
        for c in order.into_iter().take(rows) {
            let mut row = vec![
                c.id.to_string(),
                c.label.clone().unwrap_or_default(),
                number(c.separation),
                c.rival.map(|rival| rival.to_string()).unwrap_or_default(),
                if c.fixed_point { "yes" } else { "no" }.to_owned(),
                number(c.radius_sharp),
                number(c.radius_paper),
            ];
            if self.moves() {
                row.extend([number(c.radius_pattern), number(c.moved)]);
            }
            table.row(row);
        }
        table
    }
}

fn summary_text(summary: &Summary, moves: bool, style: Style) -> String {
    let mut lines = vec![
        ("fixed points", format!("{:.2} %", 100.0 * summary.fixed_points)),
        ("at no beta", format!("{} patterns", summary.inseparable)),
        ("separation", quantiles(&summary.separation)),
        ("radius", quantiles(&summary.radius_sharp)),
        ("paper's", quantiles(&summary.radius_paper)),
    ];
    if moves {
        lines[0].1 += " of the states c";
        lines.push(("radius from x", quantiles(&summary.radius_pattern)));
        lines.push(("recalled", format!("{:.2} % of c by one step from x", 100.0 * summary.recalled)));
        lines.push(("moved", format!("{}, 0 for {:.2} %", quantiles(&summary.moved), 100.0 * summary.unmoved)));
    }
    let betas = summary.smallest_beta.iter().map(|point| {
        let beta = point.beta.map_or_else(|| "none".to_owned(), number);
        format!("{beta} for {} %", 100.0 * point.share)
    });
    lines.push(("beta needed", betas.collect::<Vec<_>>().join(", ")));
    if let Some(capacity) = &summary.capacity {
        let sphere = if summary.on_sphere.holds { "" } else { " (the patterns do not lie on one sphere)" };
        let lower = "lower bounds of how many patterns a sphere through the largest holds";
        lines.push(("capacity", format!("{lower}, for perturbations up to {}{sphere}", number(capacity.epsilon))));
        let spread = placement(&capacity.optimal, "if placed at least 60° apart");
        lines.push(("  optimal", spread));
        let drawn = format!("if drawn at random, all of them with probability {}", 1.0 - capacity.failure);
        lines.push(("  random", placement(&capacity.random, &drawn)));
    }
    let line = |(what, value): &(&str, String)| format!("  {}{value}\n", style.dim(&format!("{what:<14}")));
    lines.iter().map(line).collect()
}

fn quantiles(q: &Quantiles) -> String {
    format!("median {}, from {} to {}", number(q.median), number(q.min), number(q.max))
}

/// The number of patterns, or the condition that does not hold.
fn placement(placement: &Placement, placed: &str) -> String {
    match placement.log_patterns {
        Some(log) => format!("at least about 10^{:.1} patterns {placed}", log / 10f64.ln()),
        None => {
            let failed = placement.conditions.iter().find(|condition| !condition.holds);
            failed.map_or_else(String::new, |c| {
                format!("not covered: {} fails with {} against {}", c.rule, number(c.value), number(c.bound))
            })
        }
    }
}

/// The table of all patterns as csv, in the order of ids.
pub(super) fn csv(certificates: &[PatternOut], delimiter: char) -> String {
    let names =
        ["id", "label", "separation", "rival", "fixed_point", "radius_paper", "radius_sharp", "boundary", "moved"];
    let names = [&names[..], &["recalled", "radius_pattern"]].concat();
    let mut text = names.join(&delimiter.to_string()) + "\n";
    let id = |id: Option<u64>| id.map(|id| id.to_string()).unwrap_or_default();
    for c in certificates {
        let cells = [
            c.id.to_string(),
            quoted(c.label.as_deref().unwrap_or_default(), delimiter),
            c.separation.to_string(),
            id(c.rival),
            c.fixed_point.to_string(),
            c.radius_paper.to_string(),
            c.radius_sharp.to_string(),
            id(c.boundary),
            c.moved.to_string(),
            c.recalled.to_string(),
            c.radius_pattern.to_string(),
        ];
        text += &(cells.join(&delimiter.to_string()) + "\n");
    }
    text
}

/// A text as a cell of csv.
pub(crate) fn quoted(text: &str, delimiter: char) -> String {
    let plain = !text.contains([delimiter, '"', '\n', '\r']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
