//! A structure chosen at run time, by name.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::{
    Arborescence, Assignment, AtMost, LabelSequence, Matching, Projective, Regulariser, Sequence, SpanningTree, Spans,
    SparseMap, Structure, Vertex,
};
use crate::error::{Error, Result};

/// Any structure that has a name, read from text and printed back.
///
/// | text | structures |
/// |---|---|
/// | `sequence:2`, `sequence:2:t=0.5`, `sequence:2:t=0.5,1,0` | [`Sequence`]: k of the variables, and what neighbours score that are both on, all alike or each pair |
/// | `windows:3` (or `sequence:3:t=inf`) | [`Spans::of_length`]: k neighbours |
/// | `spans`, `spans:3` | [`Spans`]: neighbours, as many as one likes or at most k |
/// | `atmost:3` | [`AtMost`]: at most k of the variables |
/// | `labels:6x3`, `labels:6x3:t=0.5` | [`LabelSequence`]: positions x labels, and what a label scores that stays |
/// | `assignment:3x4`, `matching:3x4` | [`Assignment`], [`Matching`]: rows x columns |
/// | `trees:4` | [`SpanningTree`] of the complete graph |
/// | `arborescence:5`, `projective:5`, `projective:5:root=single` | [`Arborescence`], [`Projective`]: words |
///
/// `reg=on` or `reg=both` at the end chooses the [`Regulariser`]: both states for sequences, as in the paper, one state
/// for all others, unless it is said.
///
/// ```
/// use hfy::Convex;
/// use hfy::structure::{Named, SparseMap};
///
/// let map: SparseMap<Named> = "sequence:2:t=1:reg=on".parse()?;
/// assert_eq!(map.apply(&[0.0, 3.0, 0.0, 1.5, 4.0])?, [0.0, 0.75, 0.0, 0.25, 1.0]);
/// assert_eq!(map.to_string(), "sequence:2:t=1:reg=on");
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Sequence(Sequence),
    Spans(Spans),
    AtMost(AtMost),
    Labels(LabelSequence),
    Assignment(Assignment),
    Matching(Matching),
    SpanningTree(SpanningTree),
    Arborescence(Arborescence),
    Projective(Projective),
}

impl Named {
    /// The structures.
    fn structure(&self) -> &dyn Structure {
        match &self.kind {
            Kind::Sequence(structure) => structure,
            Kind::Spans(structure) => structure,
            Kind::AtMost(structure) => structure,
            Kind::Labels(structure) => structure,
            Kind::Assignment(structure) => structure,
            Kind::Matching(structure) => structure,
            Kind::SpanningTree(structure) => structure,
            Kind::Arborescence(structure) => structure,
            Kind::Projective(structure) => structure,
        }
    }

    fn usual(&self) -> Regulariser {
        if matches!(self.kind, Kind::Sequence(_)) { Regulariser::Both } else { Regulariser::On }
    }

    /// Whether a map of this name is one over structures.
    pub(crate) fn knows(name: &str) -> bool {
        KNOWN.contains(&name)
    }
}

const KNOWN: [&str; 10] = [
    "sequence",
    "windows",
    "spans",
    "atmost",
    "labels",
    "assignment",
    "matching",
    "trees",
    "arborescence",
    "projective",
];

impl Structure for Named {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        self.structure().higher(variables)
    }
    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        self.structure().maximise(unary, higher, vertex)
    }
    fn mass(&self) -> Option<f64> {
        self.structure().mass()
    }
}

impl fmt::Display for SparseMap<Named> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.structure().text)?;
        match self.which() {
            usual if usual == self.structure().usual() => Ok(()),
            Regulariser::On => f.write_str(":reg=on"),
            Regulariser::Both => f.write_str(":reg=both"),
        }
    }
}

/// The parts of a text: a name, perhaps a size, and settings by name.
struct Read<'t> {
    text: &'t str,
    name: &'t str,
    size: Option<&'t str>,
    settings: Vec<(&'t str, &'t str)>,
}

impl<'t> Read<'t> {
    fn new(text: &'t str) -> Result<Self> {
        let mut parts = text.trim().split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut read = Read { text, name, size: None, settings: Vec::new() };
        for (number, part) in parts.enumerate() {
            match part.split_once('=') {
                Some((key, value)) => read.settings.push((key.trim(), value.trim())),
                None if number == 0 => read.size = Some(part),
                None => return Err(read.wrong("after the size come settings, as in sequence:2:t=0.5")),
            }
        }
        Ok(read)
    }

    fn wrong(&self, rule: &str) -> Error {
        Error::Parse { text: self.text.to_owned(), rule: rule.to_owned() }
    }

    fn take(&mut self, key: &str) -> Option<&'t str> {
        let at = self.settings.iter().position(|(name, _)| *name == key)?;
        Some(self.settings.remove(at).1)
    }

    fn count(&self, rule: &str) -> Result<usize> {
        self.size.and_then(|size| size.parse().ok()).ok_or_else(|| self.wrong(rule))
    }

    fn pair(&self, rule: &str) -> Result<(usize, usize)> {
        let pair = self.size.and_then(|size| size.split_once('x'));
        let read = pair.and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
        read.ok_or_else(|| self.wrong(rule))
    }

    fn numbers(&mut self, key: &str) -> Result<Option<Vec<f64>>> {
        let Some(list) = self.take(key) else { return Ok(None) };
        let numbers = list.split(',').map(|number| number.trim().parse().ok()).collect::<Option<Vec<f64>>>();
        numbers.map(Some).ok_or_else(|| self.wrong("t takes numbers, as in t=0.5 or t=0.5,1,0"))
    }

    fn single_root(&mut self) -> Result<bool> {
        match self.take("root") {
            None | Some("any") => Ok(false),
            Some("single") => Ok(true),
            Some(_) => Err(self.wrong("root takes any or single")),
        }
    }

    fn named(&mut self) -> Result<Named> {
        let (name, size) = (self.name, self.size.unwrap_or_default());
        let plain = if self.size.is_some() { format!("{name}:{size}") } else { name.to_owned() };
        let (kind, text) = match name {
            "sequence" => {
                let k = self.count("sequence takes k, as in sequence:2:t=0.5")?;
                match self.numbers("t")?.as_deref() {
                    None | Some([0.0]) => (Kind::Sequence(Sequence::new(k)?), plain),
                    Some([t]) if *t == f64::INFINITY => (Kind::Spans(Spans::of_length(k)?), format!("windows:{k}")),
                    Some([t]) => (Kind::Sequence(Sequence::new(k)?.transition(*t)?), format!("{plain}:t={t}")),
                    Some(edges) => {
                        let list: Vec<String> = edges.iter().map(f64::to_string).collect();
                        let text = format!("{plain}:t={}", list.join(","));
                        (Kind::Sequence(Sequence::new(k)?.edges(edges.to_vec())?), text)
                    }
                }
            }
            "windows" => (Kind::Spans(Spans::of_length(self.count("windows takes k, as in windows:3")?)?), plain),
            "spans" if self.size.is_none() => (Kind::Spans(Spans::any()), plain),
            "spans" => {
                (Kind::Spans(Spans::up_to(self.count("spans takes the most variables, as in spans:3")?)?), plain)
            }
            "atmost" => (Kind::AtMost(AtMost::new(self.count("atmost takes k, as in atmost:3")?)?), plain),
            "labels" => {
                let (positions, labels) = self.pair("labels takes positions x labels, as in labels:6x3:t=0.5")?;
                let stay = match self.numbers("t")?.as_deref() {
                    None => 0.0,
                    Some([t]) => *t,
                    Some(_) => return Err(self.wrong("t of labels is what a label scores that stays, one number")),
                };
                let text = if stay == 0.0 { plain } else { format!("{plain}:t={stay}") };
                (Kind::Labels(LabelSequence::staying(positions, labels, stay)?), text)
            }
            "assignment" => {
                let (rows, columns) = self.pair("assignment takes rows x columns, as in assignment:3x4")?;
                (Kind::Assignment(Assignment::new(rows, columns)?), plain)
            }
            "matching" => {
                let (rows, columns) = self.pair("matching takes rows x columns, as in matching:3x4")?;
                (Kind::Matching(Matching::new(rows, columns)?), plain)
            }
            "trees" => {
                let nodes = self.count("trees takes the number of nodes, as in trees:4")?;
                (Kind::SpanningTree(SpanningTree::complete(nodes)?), plain)
            }
            "arborescence" | "projective" => {
                let words = self.count("trees over words take their number, as in projective:5:root=single")?;
                let single = self.single_root()?;
                let text = if single { format!("{plain}:root=single") } else { plain };
                let kind = match (name, single) {
                    ("projective", false) => Kind::Projective(Projective::new(words)?),
                    ("projective", true) => Kind::Projective(Projective::new(words)?.single_root()),
                    (_, false) => Kind::Arborescence(Arborescence::new(words)?),
                    (_, true) => Kind::Arborescence(Arborescence::new(words)?.single_root()),
                };
                (kind, text)
            }
            _ => return Err(self.wrong(&format!("known structures are {}", KNOWN.join(", ")))),
        };
        Ok(Named { text, kind })
    }
}

impl FromStr for SparseMap<Named> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut read = Read::new(text)?;
        let regulariser = match read.take("reg") {
            None => None,
            Some("on") => Some(Regulariser::On),
            Some("both") => Some(Regulariser::Both),
            Some(_) => return Err(read.wrong("reg takes on or both")),
        };
        // Windows are what sequences become, so they keep the regulariser of those.
        let limit = read.name == "sequence";
        let named = read.named()?;
        if let Some((key, _)) = read.settings.first() {
            return Err(read.wrong(&format!("{} has no setting {key:?}", read.name)));
        }
        let usual = if limit { Regulariser::Both } else { named.usual() };
        Ok(SparseMap::new(named).regulariser(regulariser.unwrap_or(usual)))
    }
}
