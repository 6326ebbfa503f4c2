//! `hfy demo`: pictures in a memory, damaged, and recalled by every network.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::cli::Common;
use crate::demo::cues::Damage;
use crate::demo::lineup::LINEUP;
use crate::demo::page::{self, Outcome, Tally};
use crate::demo::report;
use crate::demo::session::Session;
use crate::error::{Error, Result};
use crate::glyphs::{self, Glyph, SIDE};
use crate::io::output::{print_bytes, print_json};
use crate::io::{Form, Output};
use crate::terminal::{Style, Watch, stop_here};

const EXAMPLES: &str = "\
Examples:
  hfy demo
  hfy demo --brief --glyphs glyphs --out report.html";

/// Store pictures, damage them, recall them with every network, and write a report
///
/// The pictures are letters, digits and things that the program draws itself. Everything that is random has a fixed
/// seed: two runs print the same.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The report, one self-contained HTML file
    #[arg(long, short, value_name = "FILE", default_value = "hfy-demo.html")]
    out: PathBuf,
    /// Write the pictures, whole and damaged, as PNG into FOLDER/whole and FOLDER/damaged
    #[arg(long, value_name = "FOLDER")]
    glyphs: Option<PathBuf>,
    /// Replace pictures that exist in that folder
    #[arg(long, requires = "glyphs")]
    force: bool,
    /// No pictures in the terminal, only the table
    #[arg(long)]
    brief: bool,
}

#[derive(Serialize)]
struct Document {
    report: String,
    pictures: usize,
    networks: Vec<NetworkOut>,
}

#[derive(Serialize)]
struct NetworkOut {
    name: &'static str,
    map: &'static str,
    post: &'static str,
    beta: f64,
    cues: Vec<CueOut>,
}

#[derive(Serialize)]
struct CueOut {
    cue: String,
    exact: usize,
    nearest: usize,
    certified: Option<usize>,
    energy_before: f64,
    energy_after: f64,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let glyphs = glyphs::all();
    // The report is the program's own: a new one takes its place.
    let report = Output::file("the report", &arguments.out, true)?;
    if let Some(folder) = &arguments.glyphs {
        write_glyphs(folder, &glyphs, arguments.force)?;
    }
    let watch = Watch::new("recalling", common.quiet).of("networks and figures");
    let mut outcomes = Vec::with_capacity(LINEUP.len());
    for (done, entry) in LINEUP.into_iter().enumerate() {
        let session = Session::new(entry, &glyphs)?;
        let kinds = Damage::SHOWN.into_iter().enumerate();
        let recalls =
            kinds.map(|(kind, damage)| session.recall(&glyphs, damage, kind as u64, true)).collect::<Result<_>>()?;
        outcomes.push(Outcome { session, recalls });
        stop_here(&watch, done + 1, 2 * LINEUP.len())?;
    }
    let html = report::html(&outcomes, &glyphs, |done| stop_here(&watch, LINEUP.len() + done, 2 * LINEUP.len()))?;
    drop(watch);
    report.write(|to| std::io::Write::write_all(to, html.as_bytes()))?;
    if common.json {
        return print_json(&document(&outcomes, glyphs.len(), arguments));
    }
    let style = Style::of_stdout();
    let mut text = format!(
        "\n{}\n\nDamaged, they are shown to {} networks. Left the cue, right where the network takes it.\n\n",
        style.bold(&format!("{} pictures in a memory", glyphs.len())),
        outcomes.len(),
    );
    if !arguments.brief {
        text += &page::pictures(&outcomes, &glyphs, style);
    }
    text += &page::table(&outcomes, style);
    text += "\nexact: every pixel as it was stored. nearest: the right picture is the nearest one. certified: known before the\n\
             first step that it returns the right picture exactly.\n";
    text += &format!("\nThe report with figures: {}\n", style.bold(&arguments.out.display().to_string()));
    print_bytes(text.as_bytes())
}

/// Writes all pictures, or none if one of them is there already.
fn write_glyphs(folder: &std::path::Path, glyphs: &[Glyph], force: bool) -> Result<()> {
    let (whole, damaged) = (folder.join("whole"), folder.join("damaged"));
    for folder in [&whole, &damaged] {
        std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    }
    let form = Form::grey(SIDE, SIDE);
    let files = |folder: &std::path::Path| {
        let file = |glyph: &Glyph| Output::file("a picture", folder.join(format!("{}.png", glyph.name)), force);
        glyphs.iter().map(file).collect::<Result<Vec<_>>>()
    };
    let (whole, damaged) = (files(&whole)?, files(&damaged)?);
    for (number, glyph) in glyphs.iter().enumerate() {
        whole[number].write_picture(&form, &glyph.greys)?;
        let (kind, damage) = (number % Damage::SHOWN.len(), Damage::SHOWN[number % Damage::SHOWN.len()]);
        let cue = damage.apply(&glyph.greys, (kind as u64).wrapping_mul(1009) + number as u64);
        damaged[number].write_picture(&form, &cue)?;
    }
    Ok(())
}

fn document(outcomes: &[Outcome], pictures: usize, arguments: &Arguments) -> Document {
    let cue = |(damage, recalls): (Damage, &Vec<_>)| {
        let tally = Tally::of(recalls);
        CueOut {
            cue: damage.name(),
            exact: tally.exact,
            nearest: tally.nearest,
            certified: tally.certified,
            energy_before: tally.before,
            energy_after: tally.after,
        }
    };
    let network = |outcome: &Outcome| NetworkOut {
        name: outcome.session.entry.name,
        map: outcome.session.entry.map,
        post: outcome.session.entry.post,
        beta: outcome.session.entry.beta,
        cues: Damage::SHOWN.into_iter().zip(&outcome.recalls).map(cue).collect(),
    };
    let report = arguments.out.display().to_string();
    Document { report, pictures, networks: outcomes.iter().map(network).collect() }
}
