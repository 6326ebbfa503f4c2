//! `hfy memory build`: a new memory from files.

use clap::Args;
use hfy_store::{Dtype, Info, Memory};
use serde::Serialize;

use super::texts::{Into, TextFiles, put_rows};
use crate::cli::{Common, Files, Pair};
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};
use crate::io::{self, Float, Kind, Output, distinct};
use crate::patterns::note_picture;
use crate::terminal::Unfinished;

const EXAMPLES: &str = "\
Examples:
  hfy memory build letters.hfy letters/                        every picture in a folder
  hfy memory build letters.hfy a.png b.png @more.txt           pictures, and a list of files, one a line
  hfy memory build digits.hfy digits.npz:train --labels digits.txt --dtype f16
  hfy memory build points.hfy points.csv --map entmax:1.5 --beta 4";

/// Build a memory from files of numbers or pictures
///
/// Each row of numbers, and each picture, is a pattern. Greys become numbers from -1 (black) to 1 (white); pictures
/// must be of one size. Ids are given out from 0 on. What --map, --post and --beta say is kept as what to use with this
/// memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The memory to write, usually NAME.hfy
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Files, folders of pictures, or @LIST of files
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    #[command(flatten)]
    texts: TextFiles,
    /// What the memory is called
    #[arg(long)]
    name: Option<String>,
    /// Store in this type: f32, f64, f16 or bf16 [default: that of the files]
    #[arg(long)]
    dtype: Option<Dtype>,
    #[command(flatten)]
    pair: Pair,
    #[command(flatten)]
    files: Files,
    /// Replace the memory if it exists
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    patterns: usize,
    dimension: usize,
    dtype: String,
    first_id: u64,
    next_id: u64,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = Output::memory(&arguments.memory, arguments.force)?;
    distinct::check(&[("the memory", Some(output.path()))], &[&arguments.sources])?;
    let float = arguments.dtype.map(|dtype| if dtype == Dtype::F64 { Float::F64 } else { Float::F32 });
    let rows = io::read_patterns(&arguments.sources, arguments.files.options(float))?;
    let dtype = arguments.dtype.unwrap_or(match (rows.kind, rows.float()) {
        (Kind::F16, _) => Dtype::F16,
        (Kind::Bf16, _) => Dtype::Bf16,
        (_, Float::F32) => Dtype::F32,
        (_, Float::F64) => Dtype::F64,
    });
    let mut info = Info {
        name: arguments.name.clone(),
        created_by: Some(concat!("hfy ", env!("CARGO_PKG_VERSION")).to_owned()),
        omega: arguments.pair.map.as_ref().map(ToString::to_string),
        psi: arguments.pair.post.as_ref().map(ToString::to_string),
        beta: arguments.pair.beta.map(|beta| beta.to_string()),
        ..Info::default()
    };
    if let Some(form) = &rows.picture {
        note_picture(&mut info, form);
    }
    let texts = arguments.texts.of_rows(&rows)?;
    let _unfinished = Unfinished::new(output.path());
    let ids = Memory::create_with(output.path(), dtype, rows.dim.1, arguments.force, |memory| {
        memory.set_info(info)?;
        put_rows(memory, &rows, &texts, Into::Add)
    })?;
    let document = Document {
        memory: arguments.memory.clone(),
        patterns: rows.dim.0,
        dimension: rows.dim.1,
        dtype: dtype.to_string(),
        first_id: ids.start,
        next_id: ids.end,
    };
    if common.json {
        return print_json(&document);
    }
    let text = format!(
        "{}: {} patterns of {} entries in {}, ids {} to {}\n",
        document.memory,
        document.patterns,
        document.dimension,
        document.dtype,
        ids.start,
        ids.end - 1
    );
    print_bytes(text.as_bytes())
}
