//! One self-contained page over all results in a folder.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use hfy_draw::html::escaped;

use super::{Record, write};
use crate::error::Result;
use crate::experiment::{Claim, Mode, Reading, TableCell, Verdict};
use crate::experiments;

const STYLE: &str = include_str!("page.css");

/// Writes `index.html` over every result under the folder.
pub(super) fn write_over(out: &Path) -> Result<()> {
    let mut ids: Vec<String> = Mode::ALL.into_iter().flat_map(|mode| Record::ids(out, mode)).collect();
    // In the order of the paper; others after them.
    let place = |id: &str| experiments::ALL.iter().position(|experiment| experiment.id() == id);
    ids.sort_by_key(|id| (place(id).unwrap_or(usize::MAX), id.clone()));
    ids.dedup();
    let of = |id: &str| Mode::ALL.into_iter().filter_map(|mode| Record::read(out, mode, id)).collect::<Vec<_>>();
    let chapters: Vec<(&str, Vec<Record>)> =
        ids.iter().map(|id| (id.as_str(), of(id))).filter(|(_, records)| !records.is_empty()).collect();
    write(&out.join("index.html"), html(&chapters, out).as_bytes())
}

fn html(chapters: &[(&str, Vec<Record>)], out: &Path) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Hopfield-Fenchel-Young networks: the paper's tables and figures, made again</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>Hopfield-Fenchel-Young networks</h1>\n\
         <p>Tables and figures of the paper, computed again from raw data, beside what was \
         published. <em>Printed</em> is how the published code runs; <em>defined</em> is what the mathematics says.</p>\n\
         </header>\n<main>\n"
    );
    page += &overview(chapters);
    for (id, records) in chapters {
        let first = &records[0];
        let _ = write!(
            page,
            "<section id=\"{id}\">\n<h2><a href=\"#{id}\">{}</a> {}</h2>\n<p>{}</p>\n",
            label(id),
            escaped(&first.title),
            escaped(&first.about)
        );
        page += &readings(&first.readings);
        // Where the readings are the same, one is enough to look at.
        let shown = if first.readings.is_empty() { 1 } else { records.len() };
        records[..shown].iter().for_each(|record| page += &reading(record, out));
        page += "</section>\n";
    }
    page + "</main>\n</body>\n</html>\n"
}

/// `fig4` as people write it.
fn label(id: &str) -> String {
    let split = id.find(|letter: char| letter.is_ascii_digit()).unwrap_or(id.len());
    let (word, number) = id.split_at(split);
    let word = match word {
        "fig" => "Figure",
        "table" => "Table",
        "theory" => "Theory",
        "bags" => "Bags",
        other => other,
    };
    format!("{word} {number}").trim_end().to_owned()
}

fn overview(chapters: &[(&str, Vec<Record>)]) -> String {
    let mut rows = String::new();
    for (id, records) in chapters {
        let of = |mode| records.iter().find(|record| record.setting.mode == mode);
        let cell = |mode| match of(mode) {
            Some(record) => format!("<td>{}</td><td class=\"n\">{}</td>", badge(record.verdict), time(record.seconds)),
            None => "<td>not run</td><td></td>".to_owned(),
        };
        let _ = writeln!(
            rows,
            "<tr><th><a href=\"#{id}\">{}</a></th><td>{}</td>{}{}</tr>",
            label(id),
            escaped(&records[0].title),
            cell(Mode::Printed),
            cell(Mode::Defined)
        );
    }
    format!(
        "<div class=\"wide\"><table class=\"overview\">\n<tr><th></th><th></th><th colspan=\"2\">as printed</th>\
         <th colspan=\"2\">as defined</th></tr>\n{rows}</table></div>\n"
    )
}

fn badge(verdict: Verdict) -> String {
    let class = if verdict.is_whole() { "good" } else { "bad" };
    match verdict.total {
        0 => "<span class=\"none\">nothing to compare</span>".to_owned(),
        total => format!("<span class=\"{class}\">{} of {total} agree</span>", verdict.agree),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.95 => format!("{s:.2} s"),
        s if s < 99.5 => format!("{s:.1} s"),
        s => format!("{:.1} min", s / 60.0),
    }
}

fn reading(record: &Record, out: &Path) -> String {
    let setting = record.setting;
    let quick = if setting.quick { ", the quick version" } else { "" };
    let mut text = format!(
        "<article>\n<h3>As {} {}</h3>\n<p class=\"small\">{} of computation on one core{quick}.</p>\n",
        setting.mode.name(),
        badge(record.verdict),
        time(record.seconds)
    );
    for figure in &record.figures {
        let path = Record::folder(out, setting.mode, &record.id).join(format!("{}.svg", figure.name));
        // A drawing that someone has removed is left out: the numbers are what counts.
        let Ok(svg) = std::fs::read_to_string(path) else { continue };
        let caption = escaped(&figure.caption);
        let _ = writeln!(text, "<figure>{svg}<figcaption>{caption}</figcaption></figure>");
    }
    text += &claims(&record.claims);
    text += &tables(&record.cells);
    let parameters = serde_json::to_string_pretty(&record.parameters).unwrap_or_default();
    let _ = writeln!(
        text,
        "<details><summary>Parameters</summary><pre>{}</pre></details>\n</article>",
        escaped(&parameters)
    );
    text
}

fn claims(claims: &[Claim]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let item = |claim: &Claim| {
        let (class, sign) = if claim.holds { ("good", "yes") } else { ("bad", "no") };
        let (says, because) = (escaped(&claim.says), escaped(&claim.because));
        format!("<li><span class=\"{class}\">{sign}</span> {says} <small>{because}</small></li>\n")
    };
    format!("<ul class=\"claims\">\n{}</ul>\n", claims.iter().map(item).collect::<String>())
}

/// The names in the order in which they first come.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

fn tables(cells: &[TableCell]) -> String {
    let mut text = String::new();
    for name in distinct(cells.iter().map(|cell| cell.table.as_str())) {
        let within: Vec<&TableCell> = cells.iter().filter(|cell| cell.table == name).collect();
        let columns = distinct(within.iter().map(|cell| cell.col.as_str()));
        let heads: String = columns.iter().map(|column| format!("<th>{}</th>", escaped(column))).collect();
        let _ = writeln!(text, "<div class=\"wide\"><table>");
        if !name.is_empty() {
            let _ = writeln!(text, "<caption>{}</caption>", escaped(name));
        }
        let _ = writeln!(text, "<tr><th></th>{heads}</tr>");
        for row in distinct(within.iter().map(|cell| cell.row.as_str())) {
            let at = |column: &&str| within.iter().find(|cell| cell.row == row && cell.col == **column);
            let entries: String =
                columns.iter().map(|column| at(column).map_or("<td></td>".into(), |c| entry(c))).collect();
            let _ = writeln!(text, "<tr><th>{}</th>{entries}</tr>", escaped(row));
        }
        text += "</table></div>\n";
    }
    text
}

fn entry(cell: &TableCell) -> String {
    let beside = match (cell.paper, cell.reference) {
        (Some(paper), _) => format!("<small>paper {}{}</small>", number(paper), spread(cell.paper_deviation)),
        (None, Some(reference)) => format!("<small>code {}</small>", number(reference)),
        _ => String::new(),
    };
    let class = if cell.ok == Some(false) { "n off" } else { "n" };
    format!("<td class=\"{class}\">{}{}{beside}</td>", number(cell.value), spread(cell.deviation))
}

/// What follows a mean over repetitions.
fn spread(deviation: Option<f64>) -> String {
    deviation.map_or(String::new(), |deviation| format!(" ± {}", number(deviation)))
}

/// Four decimals at most.
fn number(value: f64) -> String {
    match value {
        v if v != 0.0 && v.abs() < 5e-4 => format!("{v:.1e}"),
        v => {
            let text = format!("{v:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

fn readings(readings: &[Reading]) -> String {
    if readings.is_empty() {
        return "<p class=\"small\">The two readings are the same here.</p>\n".to_owned();
    }
    let row = |reading: &Reading| {
        let cells = [&reading.point, &reading.printed, &reading.defined, &reading.effect];
        let cells: String = cells.iter().map(|text| format!("<td>{}</td>", escaped(text))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    format!(
        "<div class=\"wide\"><table class=\"readings\">\n<tr><th></th><th>as printed</th><th>as defined</th>\
         <th>what that does</th></tr>\n{}</table></div>\n",
        readings.iter().map(row).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        assert_eq!(["fig11", "table3", "theory"].map(label), ["Figure 11", "Table 3", "Theory"]);
        assert_eq!([0.0, 87.3, 1.0, 0.12345, 3e-9].map(number), ["0", "87.3", "1", "0.1235", "3.0e-9"]);
        assert_eq!([0.5, 12.0, 150.0].map(time), ["0.50 s", "12.0 s", "2.5 min"]);
    }

    #[test]
    fn means_have_their_deviations_beside_them() {
        let cell = TableCell::plain("1", "a", 66.5).spread(0.5).beside_mean(66.25, 2.0);
        assert_eq!(entry(&cell), "<td class=\"n\">66.5 ± 0.5<small>paper 66.25 ± 2</small></td>");
    }

    #[test]
    fn a_table_has_its_rows_and_columns_and_marks_what_is_off() {
        let cells = [
            TableCell::plain("1", "a<b", 1.0).beside_paper(1.05, 0.1),
            TableCell::plain("2", "a<b", 2.0).beside_paper(3.0, 0.1),
            TableCell::plain("2", "c", 7.0),
        ];
        let text = tables(&cells);
        assert!(text.contains("<th>a&lt;b</th><th>c</th>"), "{text}");
        assert!(
            text.contains("<th>2</th><td class=\"n off\">2<small>paper 3</small></td><td class=\"n\">7</td>"),
            "{text}"
        );
        assert_eq!(Verdict::of(&cells, &[]), Verdict { agree: 1, total: 2 });
    }
}
