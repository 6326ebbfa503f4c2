//! Small problems of every structure, with all of their vertices.

use hfy::structure::{
    Arborescence, Assignment, AtMost, LabelSequence, Listed, Matching, Projective, Sequence, SpanningTree, Spans,
    Structure,
};

use crate::common::random::Random;
use crate::enumerate::{self, Dense, plain};

/// What scores look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Normal, of this size.
    Normal(f64),
    /// Small integers, with many ties.
    Tied,
    Equal,
    /// 1e8 beside 1.
    Large,
}

/// Scores of a kind, of which about a fifth are masked where `masked`.
pub(crate) fn scores(kind: Kind, masked: bool, n: usize, random: &mut Random) -> Vec<f64> {
    let one = |random: &mut Random| match kind {
        _ if masked && random.below(5) == 0 => f64::NEG_INFINITY,
        Kind::Normal(size) => size * random.normal(),
        Kind::Tied => random.below(5) as f64 - 2.0,
        Kind::Equal => 0.75,
        Kind::Large => [random.normal(), random.normal(), 1e8 + random.normal(), -1e8][random.below(4)],
    };
    (0..n).map(|_| one(random)).collect()
}

/// A structure with its own scores, and all vertices.
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) structure: Box<dyn Structure>,
    pub(crate) vertices: Vec<Dense>,
    /// The same structure with other scores of the higher-order parts, where one number stands for several of them.
    pub(crate) shared: bool,
}

impl Problem {
    fn new(name: String, structure: impl Structure + 'static, vertices: Vec<Dense>) -> Self {
        Problem { name, structure: Box::new(structure), vertices, shared: false }
    }

    pub(crate) fn variables(&self) -> usize {
        self.vertices[0].0.len()
    }

    pub(crate) fn higher(&self) -> Vec<f64> {
        self.structure.higher(self.variables()).expect("it fits").into_owned()
    }
}

pub(crate) fn on(sizes: std::ops::RangeInclusive<usize>, random: &mut Random) -> usize {
    sizes.start() + random.below(sizes.end() - sizes.start() + 1)
}

/// A kind of problem, drawn at random.
pub(crate) type Draw = fn(Kind, bool, &mut Random) -> Problem;

pub(crate) const FAMILIES: [(&str, Draw); 12] = [
    ("at most", at_most),
    ("spans", spans),
    ("sequences with one transition score", shared),
    ("sequences with a score an edge", edges),
    ("sequences with tables", tables),
    ("label sequences", labels),
    ("arborescences", arborescences),
    ("projective trees", projective),
    ("assignments", assignments),
    ("matchings", matchings),
    ("spanning trees", spanning_trees),
    ("lists", lists),
];

pub(crate) fn at_most(_: Kind, _: bool, random: &mut Random) -> Problem {
    let (n, k) = (on(1..=6, random), on(1..=7, random));
    Problem::new(format!("atmost {k} of {n}"), AtMost::new(k).expect("sound"), plain(enumerate::at_most(n, k)))
}

pub(crate) fn spans(_: Kind, _: bool, random: &mut Random) -> Problem {
    let n = on(1..=8, random);
    let k = on(1..=n, random);
    let (spans, (shortest, longest)) = [
        (Spans::any(), (1, n)),
        (Spans::of_length(k).expect("sound"), (k, k)),
        (Spans::up_to(k).expect("sound"), (1, k)),
    ][random.below(3)];
    let mut vertices = enumerate::spans(n, shortest, longest);
    let none = random.below(2) == 0;
    if none {
        vertices.push(vec![0.0; n]);
    }
    Problem::new(
        format!("spans {shortest}..={longest} of {n}, none: {none}"),
        if none { spans.or_none() } else { spans },
        plain(vertices),
    )
}

fn sizes(random: &mut Random) -> (usize, usize) {
    let n = on(1..=8, random);
    (n, on(1..=n, random))
}

pub(crate) fn shared(kind: Kind, _: bool, random: &mut Random) -> Problem {
    let (n, k) = sizes(random);
    let t = if random.below(20) == 0 { f64::NEG_INFINITY } else { scores(kind, false, 1, random)[0] };
    let structure = Sequence::new(k).and_then(|sequence| sequence.transition(t)).expect("sound");
    Problem {
        shared: true,
        ..Problem::new(format!("sequence {k} of {n}, t = {t:e}"), structure, enumerate::sequences(n, k, false))
    }
}

pub(crate) fn edges(kind: Kind, masked: bool, random: &mut Random) -> Problem {
    let (n, k) = sizes(random);
    let t = scores(kind, masked, n - 1, random);
    let name = format!("sequence {k} of {n}, t = {t:?}");
    Problem::new(name, Sequence::new(k).and_then(|s| s.edges(t)).expect("sound"), enumerate::sequences(n, k, false))
}

pub(crate) fn tables(kind: Kind, masked: bool, random: &mut Random) -> Problem {
    let (n, k) = sizes(random);
    let t: Vec<[f64; 4]> = (1..n).map(|_| scores(kind, masked, 4, random).try_into().expect("four")).collect();
    let name = format!("sequence {k} of {n}, tables {t:?}");
    Problem::new(name, Sequence::new(k).and_then(|s| s.tables(&t)).expect("sound"), enumerate::sequences(n, k, true))
}

pub(crate) fn labels(kind: Kind, masked: bool, random: &mut Random) -> Problem {
    let (positions, labels) = (on(1..=4, random), on(1..=3, random));
    let tables = if random.below(2) == 0 { 1 } else { positions - 1 };
    let transitions = scores(kind, masked, tables * labels * labels, random);
    let structure = LabelSequence::new(positions, labels, &transitions).expect("sound");
    let name = format!("{positions} labels of {labels}, transitions {transitions:?}");
    let vertices = enumerate::label_sequences(positions, labels);
    Problem { shared: tables == 1, ..Problem::new(name, structure, vertices) }
}

pub(crate) fn arborescences(_: Kind, _: bool, random: &mut Random) -> Problem {
    let (n, single) = (on(1..=4, random), random.below(2) == 0);
    let trees = Arborescence::new(n).expect("sound");
    let structure = if single { trees.single_root() } else { trees };
    let vertices = plain(enumerate::arborescences(n, single));
    Problem::new(format!("arborescence of {n}, single root: {single}"), structure, vertices)
}

pub(crate) fn projective(_: Kind, _: bool, random: &mut Random) -> Problem {
    let (n, single) = (on(1..=4, random), random.below(2) == 0);
    let trees = Projective::new(n).expect("sound");
    let structure = if single { trees.single_root() } else { trees };
    let vertices = plain(enumerate::projective(n, single));
    Problem::new(format!("projective of {n}, single root: {single}"), structure, vertices)
}

pub(crate) fn assignments(_: Kind, _: bool, random: &mut Random) -> Problem {
    let rows = on(1..=3, random);
    let columns = on(rows..=4, random);
    let structure = Assignment::new(rows, columns).expect("sound");
    Problem::new(format!("assignment {rows}x{columns}"), structure, plain(enumerate::assignments(rows, columns)))
}

pub(crate) fn matchings(_: Kind, _: bool, random: &mut Random) -> Problem {
    let (rows, columns) = [(1, 1), (1, 4), (2, 3), (3, 2), (3, 3)][random.below(5)];
    let structure = Matching::new(rows, columns).expect("sound");
    Problem::new(format!("matching {rows}x{columns}"), structure, plain(enumerate::matchings(rows, columns)))
}

pub(crate) fn spanning_trees(_: Kind, _: bool, random: &mut Random) -> Problem {
    let nodes = on(2..=5, random);
    let vertices = plain(enumerate::spanning_trees(nodes, &enumerate::pairs(nodes)));
    Problem::new(format!("trees of {nodes}"), SpanningTree::complete(nodes).expect("sound"), vertices)
}

pub(crate) fn lists(kind: Kind, masked: bool, random: &mut Random) -> Problem {
    let (n, count) = (on(1..=5, random), on(1..=8, random));
    let entry = |random: &mut Random| [0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 2.0][random.below(7)];
    let mut vertices: Vec<Vec<f64>> = (0..count).map(|_| (0..n).map(|_| entry(random)).collect()).collect();
    vertices.push(vertices[0].clone());
    let list = Listed::new(&vertices).expect("sound");
    if random.below(3) == 0 {
        return Problem::new(format!("list {vertices:?}"), list, plain(vertices));
    }
    let own = scores(kind, masked, count + 1, random);
    let name = format!("list {vertices:?} scored {own:?}");
    let part = |v: usize| (0..count + 1).map(|other| f64::from(other == v)).collect();
    let scored = vertices.into_iter().enumerate().map(|(v, vertex)| (vertex, part(v))).collect();
    Problem::new(name, list.scored(&own).expect("sound"), scored)
}

/// A test of each family of problems.
macro_rules! every_family {
    ($check:ident) => {
        $crate::sparse_map::problems::every_family!($check: at_most, spans, shared, edges, tables, labels,
            arborescences, projective, assignments, matchings, spanning_trees, lists);
    };
    ($check:ident: $($family:ident),*) => {
        $(#[test] fn $family() { $check($crate::sparse_map::problems::$family); })*
    };
}
pub(crate) use every_family;
