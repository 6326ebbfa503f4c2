//! `hfy certify`: what is guaranteed for a stored set.

mod document;
mod text;

pub(crate) use text::quoted;

use std::io::Write as _;

use clap::Args;
use hfy::certify::{Certificate, StructuredCertifier};
use hfy::structure::{Named, SparseMap};
use hfy::{Certifier, Convex, Map, Margin, Post};
use ndarray::Array2;

use crate::cli::{Common, Pair, Reading, positive};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{Blame as _, Format, Output, check_finite, distinct};
use crate::number::{Number, with_float};
use crate::patterns::{Chosen, Patterns};
use crate::terminal::{Style, Watch};
use document::{AssociationOut, Document, GuaranteeOut, PatternOut, Share, StructuredOut};

const EXAMPLES: &str = "\
Examples:
  hfy certify letters.hfy --beta 0.1
  hfy certify digits.hfy --map entmax:1.5 --share 0.95 --at 0.01,0.1,1 --out certificates.csv
  hfy certify letters.hfy --beta 0.1 --queries damaged.png
  hfy certify letters.hfy --map subsets:2 --beta 0.1 --association 3,7
  hfy certify letters.hfy --map sequence:2:t=0.5 --association 3,4";

/// Certify which patterns come back exactly, and from how far away
///
/// For a map with a margin (entmax above 1, sparsemax, normmax, k-subsets) a stored pattern x is a fixed point if and
/// only if it is separated enough, and every query within its radius returns it exactly in one step. With a
/// post-transformation Ψ what one step returns, and what is certified, is the state c = Ψ(x): the radius is measured
/// from c, another one from x, and "moved" is the distance of c from x, zero where the stored pattern itself comes
/// back. Patterns are compared in tiles, so that tens of thousands need no matrix of all pairs. Ctrl-C stops without
/// leaving a file half-written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A memory, or rows of any other file
    #[arg(value_name = "MEMORY")]
    memory: String,
    #[command(flatten)]
    pair: Pair,
    /// Find the smallest beta at which this share of the patterns are fixed points; may be repeated
    #[arg(long, value_name = "SHARE", value_delimiter = ',', allow_negative_numbers = true)]
    share: Vec<f64>,
    /// Find the share of fixed points at these inverse temperatures
    #[arg(long, value_name = "BETA", value_delimiter = ',', value_parser = positive, allow_negative_numbers = true)]
    at: Vec<f64>,
    /// Capacity: queries are perturbed by at most this
    #[arg(long, default_value = "0", allow_negative_numbers = true)]
    epsilon: f64,
    /// Capacity: the probability of failure that random placement is allowed
    #[arg(long, default_value = "0.01", allow_negative_numbers = true)]
    failure: f64,
    /// Say which pattern one step is certain to return for each of these queries
    #[arg(long, value_name = "FILE")]
    queries: Vec<String>,
    /// With subsets:K or a map over structures, certify the association of these ids; may be repeated
    #[arg(long, value_name = "ID,ID,...", value_parser = ids)]
    association: Vec<Ids>,
    /// Write the table of all patterns to this file: csv, tsv, npy, npz or safetensors
    #[arg(long, short, value_name = "FILE")]
    out: Option<String>,
    /// Print so many patterns, the least certain first; all with --print 0
    #[arg(long, value_name = "N", default_value = "10")]
    print: usize,
    /// Leave the list of patterns out
    #[arg(long)]
    summary: bool,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    reading: Reading,
}

/// The members of an association.
#[derive(Debug, Clone)]
struct Ids(Vec<u64>);

fn ids(text: &str) -> std::result::Result<Ids, String> {
    let ids = text.split(',').map(|id| id.trim().parse().map_err(|_| format!("'{id}' is not an id")));
    ids.collect::<std::result::Result<_, _>>().map(Ids)
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = arguments.out.as_ref().map(|path| Output::for_matrix(path, arguments.force)).transpose()?;
    if common.json && output.as_ref().is_some_and(Output::is_stdout) {
        return Err(Error::Usage("only one of --json and --out - can have the standard output".to_owned()));
    }
    if let Some(share) = arguments.share.iter().find(|share| !(**share > 0.0 && **share <= 1.0)) {
        return Err(Error::Usage(format!("--share {share}: a share of the patterns must lie in (0, 1]")));
    }
    arguments.reading.files.rows_need(!arguments.queries.is_empty(), "--queries")?;
    let path = output.as_ref().map(Output::path);
    distinct::check(&[("--out", path)], &[std::slice::from_ref(&arguments.memory), &arguments.queries])?;
    let patterns = Patterns::open(&arguments.memory, arguments.reading.options(), &arguments.chosen)?;
    let document = with_float!(patterns.float(), T => certify::<T>(arguments, common, &patterns)?);
    if let Some(output) = &output {
        write_table(output, &document.certificates)?;
        if output.is_stdout() {
            return Ok(());
        }
    }
    if common.json {
        return print_json(&document.trimmed(arguments.summary));
    }
    let rows = if arguments.print == 0 { usize::MAX } else { arguments.print };
    let mut text = document.text(Style::of_stdout(), if arguments.summary { 0 } else { rows });
    if let Some(output) = &output {
        text += &format!("certificates written to {}\n", output.path().display());
    }
    print_bytes(text.as_bytes())
}

fn certify<T: Number>(arguments: &Arguments, common: Common, patterns: &Patterns) -> Result<Document> {
    let (map, post, beta) = arguments.pair.resolve(patterns.info(), &patterns.file)?;
    if let Map::Structured(structured) = &map {
        return certify_structures::<T>(arguments, patterns, structured, (&post, beta));
    }
    let margin = margin_of::<T>(&map)?;
    let matrix = patterns.matrix::<T>()?;
    let mut certifier = Certifier::new(matrix.view(), &map, beta).map_err(Error::in_file(&patterns.file))?;
    if !Convex::<T>::is_identity(&post) {
        certifier = certifier.post(&post);
    }
    let mut document = Document::new(&map, &post, beta, margin.lead().wide(), matrix.dim());
    if margin.size() == 1 {
        if !arguments.association.is_empty() {
            return Err(Error::Usage(format!("--association needs a map of k-subsets or of structures, not {map}")));
        }
        let watch = Watch::new("certifying", common.quiet).of("patterns");
        let certificates = certifier.certificates_with(&|done, total| watch.hear(done, total))?;
        drop(watch);
        let summary = certifier.summary(&certificates, arguments.epsilon, arguments.failure)?;
        let curve = certifier.curve(&certificates);
        for &beta in &arguments.at {
            document.share_at.push(Share { beta: Some(beta), share: curve.share(beta)? });
        }
        for &share in &arguments.share {
            document.smallest_beta.push(Share { beta: curve.smallest_beta(share)?, share });
        }
        document.summary = Some(summary);
        document.certificates =
            certificates.iter().map(|certificate| described(certificate, patterns)).collect::<Result<_>>()?;
    } else if arguments.association.is_empty() && arguments.queries.is_empty() {
        return Err(Error::Usage(format!("{map} recalls associations: name one with --association ID,ID,...")));
    }
    for Ids(members) in &arguments.association {
        let rows = members.iter().map(|&id| patterns.row(id)).collect::<Result<Vec<_>>>()?;
        let association = certifier.association(&rows).map_err(|error| not_associated(members, &error))?;
        document.associations.push(AssociationOut::new(&association, |row| patterns.id(row)));
    }
    if !arguments.queries.is_empty() {
        let queries = patterns.read_like(&arguments.queries)?;
        check_finite(&queries, "a query")?;
        for (row, query) in queries.matrix::<T>().rows().into_iter().enumerate() {
            let guarantee = certifier.guarantee(&query.to_vec());
            let guarantee = guarantee.map_err(|error| queries.wrong_query(error.in_row(row)))?;
            let label = guarantee.pattern().map(|pattern| patterns.label(pattern)).transpose()?.flatten();
            document.guarantees.push(GuaranteeOut::new(queries.first + row, &guarantee, label, |row| patterns.id(row)));
        }
    }
    Ok(document)
}

/// Associations and queries under a map over structures.
fn certify_structures<T: Number>(
    arguments: &Arguments,
    patterns: &Patterns,
    map: &SparseMap<Named>,
    (post, beta): (&Post, f64),
) -> Result<Document> {
    if arguments.association.is_empty() && arguments.queries.is_empty() {
        return Err(Error::Usage(format!("{map} recalls associations: name one with --association ID,ID,...")));
    }
    let matrix = patterns.matrix::<T>()?;
    let mut certifier = StructuredCertifier::new(matrix.view(), map, beta).map_err(Error::in_file(&patterns.file))?;
    if !Convex::<T>::is_identity(post) {
        certifier = certifier.post(post);
    }
    let map = Map::from(map.clone());
    let mut document = Document::new(&map, post, beta, 1.0, matrix.dim());
    for Ids(members) in &arguments.association {
        let rows = members.iter().map(|&id| patterns.row(id)).collect::<Result<Vec<_>>>()?;
        let association = certifier.association(&rows).map_err(|error| not_associated(members, &error))?;
        document.structured.push(StructuredOut::new(&association, |row| patterns.id(row)));
    }
    if !arguments.queries.is_empty() {
        let queries = patterns.read_like(&arguments.queries)?;
        check_finite(&queries, "a query")?;
        for (row, query) in queries.matrix::<T>().rows().into_iter().enumerate() {
            let guarantee = certifier.guarantee(&query.to_vec());
            let guarantee = guarantee.map_err(|error| queries.wrong_query(error.in_row(row)))?;
            document.guarantees.push(GuaranteeOut::structured(queries.first + row, &guarantee, |row| patterns.id(row)));
        }
    }
    Ok(document)
}

fn not_associated(members: &[u64], error: &hfy::Error) -> Error {
    let listed: Vec<String> = members.iter().map(u64::to_string).collect();
    Error::Usage(format!("--association {}: {error}", listed.join(",")))
}

fn margin_of<T: Number>(map: &Map) -> Result<Margin<T>> {
    Margin::of(map).map_err(|error| match error {
        hfy::Error::Parameter { rule, .. } => Error::Usage(format!("--map {map}: {rule}")),
        other => Error::Usage(format!("--map {map}: {other}")),
    })
}

fn described(certificate: &Certificate, patterns: &Patterns) -> Result<PatternOut> {
    Ok(PatternOut {
        id: patterns.id(certificate.pattern),
        label: patterns.label(certificate.pattern)?,
        separation: certificate.separation,
        rival: certificate.rival.map(|row| patterns.id(row)),
        fixed_point: certificate.fixed_point,
        recalled: certificate.recalled,
        radius_paper: certificate.radius_paper,
        radius_sharp: certificate.radius_sharp,
        boundary: certificate.boundary.map(|row| patterns.id(row)),
        radius_pattern: certificate.radius_pattern,
        moved: certificate.moved,
    })
}

/// Texts in csv; in the other formats the same columns as numbers, without labels, -1 for none.
fn write_table(output: &Output, certificates: &[PatternOut]) -> Result<()> {
    match output.format() {
        Some(Format::Csv(_)) if output.is_stdout() => print_bytes(text::csv(certificates, ',').as_bytes()),
        Some(Format::Csv(_)) => {
            let delimiter = output.delimiter().unwrap_or(',');
            output.write(|to| to.write_all(text::csv(certificates, delimiter).as_bytes()))
        }
        _ => {
            let id = |id: Option<u64>| id.map_or(-1.0, |id| id as f64);
            let columns = certificates.iter().flat_map(|c| {
                let flag = |flag: bool| f64::from(u8::from(flag));
                let radii = [c.radius_paper, c.radius_sharp];
                let known = [c.id as f64, c.separation, id(c.rival), flag(c.fixed_point), radii[0], radii[1]];
                known.into_iter().chain([id(c.boundary), c.moved, flag(c.recalled), c.radius_pattern])
            });
            let matrix = Array2::from_shape_vec((certificates.len(), 10), columns.collect()).expect("ten columns");
            output.write_matrix("certificates", matrix.view())
        }
    }
}
