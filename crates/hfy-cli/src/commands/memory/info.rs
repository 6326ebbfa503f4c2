//! `hfy memory info`: what is in a memory.

use std::collections::BTreeMap;

use clap::Args;
use hfy_io::visible;
use hfy_store::{Memory, Record};
use serde::Serialize;
use serde_json::Value;

use crate::cli::Common;
use crate::error::Result;
use crate::io::Form;
use crate::io::output::{print_bytes, print_json};
use crate::patterns::{Chosen, picture_of};
use crate::terminal::{Align, Style, Table, Watch};

const EXAMPLES: &str = "\
Examples:
  hfy memory info letters.hfy
  hfy memory info letters.hfy --list --verify --json
  hfy memory info news.hfy --list --where 'lang = \"de\" and year > 2020'";

/// Show what is in a memory
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The memory
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// List ids, labels and metadata
    #[arg(long)]
    list: bool,
    /// Read everything and compare checksums
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    /// A folder, or one file, which is only read.
    form: &'static str,
    /// Of the patterns.
    bytes: u64,
    segments: usize,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    chosen_by: Option<String>,
    patterns: usize,
    dimension: usize,
    dtype: String,
    next_id: u64,
    labels: usize,
    name: Option<String>,
    created_by: Option<String>,
    map: Option<String>,
    post: Option<String>,
    beta: Option<String>,
    /// Height and width.
    picture: Option<(usize, usize)>,
    extra: BTreeMap<String, String>,
    verified: bool,
    #[serde(skip)]
    pictures: Option<Form>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Vec<Item>>,
}

#[derive(Serialize)]
struct Item {
    id: u64,
    label: Option<String>,
    metadata: Option<Value>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let memory = Memory::open(&arguments.memory)?;
    if arguments.verify {
        let watch = Watch::of_patterns("verifying");
        memory.snapshot()?.verify_with(&|done, total| watch.hear_bytes(done, total))?;
    }
    let now = arguments.chosen.snapshot(&memory)?;
    let mut list = arguments.list.then(Vec::new);
    if let Some(list) = &mut list {
        for record in now.records()? {
            let Record { id, label, metadata, .. } = record?;
            list.push(Item { id, label, metadata });
        }
    }
    let info = now.info().clone();
    let picture = picture_of(&info);
    let document = Document {
        memory: arguments.memory.clone(),
        form: if memory.is_read_only() { "file" } else { "folder" },
        bytes: now.bytes(),
        segments: now.segments(),
        chosen_by: arguments.chosen.filter.as_ref().map(ToString::to_string),
        patterns: now.len(),
        dimension: now.dim(),
        dtype: now.dtype().to_string(),
        next_id: now.next_id(),
        labels: now.labelled()?,
        picture: picture.map(|form| form.size()),
        name: info.name,
        created_by: info.created_by,
        map: info.omega,
        post: info.psi,
        beta: info.beta,
        extra: info.extra,
        verified: arguments.verify,
        pictures: picture,
        list,
    };
    if common.json { print_json(&document) } else { print_bytes(document.text(Style::of_stdout()).as_bytes()) }
}

impl Document {
    fn segments_text(&self) -> String {
        format!("{} segment{}", self.segments, if self.segments == 1 { "" } else { "s" })
    }

    fn verified_text(&self) -> &'static str {
        if self.verified { ", verified" } else { "" }
    }

    fn text(&self, style: Style) -> String {
        let mut lines = vec![
            ("patterns", format!("{} of {} entries, {}", self.patterns, self.dimension, self.dtype)),
            (self.form, format!("{} bytes in {}{}", self.bytes, self.segments_text(), self.verified_text())),
            ("next id", self.next_id.to_string()),
            ("labels", self.labels.to_string()),
        ];
        lines.extend(self.chosen_by.as_ref().map(|filter| ("where", filter.clone())));
        lines.extend(self.pictures.map(|form| {
            let scale = form.scale.map(|scale| format!(", from {scale}")).unwrap_or_default();
            ("pictures", format!("{form}{scale}"))
        }));
        let said = [("name", &self.name), ("map", &self.map), ("post", &self.post), ("beta", &self.beta)];
        let said = said.into_iter().chain([("written by", &self.created_by)]);
        lines.extend(said.filter_map(|(what, text)| Some((what, text.clone()?))));
        let mut text = format!("{}\n", style.bold(&visible(&self.memory)));
        for (what, value) in lines {
            text += &format!("  {}{}\n", style.dim(&format!("{what:<12}")), visible(&value));
        }
        if let Some(list) = &self.list {
            let mut table = Table::new([("id", Align::Right), ("label", Align::Left), ("metadata", Align::Left)]);
            for item in list {
                let metadata = item.metadata.as_ref().map(Value::to_string).unwrap_or_default();
                table.row([item.id.to_string(), item.label.clone().unwrap_or_default(), metadata]);
            }
            text += &table.render(style);
        }
        text
    }
}
