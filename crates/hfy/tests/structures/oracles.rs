//! Every oracle finds the best of all vertices: random scores, ties, masks, 1e8 beside 1, nothing left.

use hfy::structure::{
    Arborescence, Assignment, AtMost, BudgetedLabels, LabelSequence, Listed, Matching, Projective, Sequence,
    SpanningTree, Spans, Structure, Vertex,
};
use proptest::prelude::*;

use crate::check::{Kind, agrees, holds, scores, units};
use crate::common::random::Random;
use crate::enumerate::{self, Dense, plain};

fn on(sizes: std::ops::RangeInclusive<usize>, random: &mut Random) -> usize {
    sizes.start() + random.below(sizes.end() - sizes.start() + 1)
}

/// Draws scores for a structure without higher-order parts, and compares.
fn run(
    structure: &dyn Structure,
    vertices: Vec<Vec<f64>>,
    (kind, masked, random): (Kind, bool, &mut Random),
) -> Result<(), TestCaseError> {
    let n = vertices[0].len();
    assert!(structure.higher(n).expect("it fits").is_empty());
    agrees(structure, &scores(kind, masked, n, random), &[], &plain(vertices))
}

#[test]
fn at_most() {
    holds(|kind, masked, random| {
        let (n, k) = (on(1..=7, random), on(1..=8, random));
        run(&AtMost::new(k).expect("sound"), enumerate::at_most(n, k), (kind, masked, random))
    });
}

#[test]
fn spans() {
    holds(|kind, masked, random| {
        let n = on(1..=9, random);
        let k = on(1..=n, random);
        let sets = [
            (Spans::any(), (1, n)),
            (Spans::of_length(k).expect("sound"), (k, k)),
            (Spans::up_to(k).expect("sound"), (1, k)),
            (Spans::up_to(k + n).expect("sound"), (1, n)),
        ];
        for (spans, (shortest, longest)) in sets {
            let vertices = enumerate::spans(n, shortest, longest);
            let empty = [vertices.clone(), vec![vec![0.0; n]]].concat();
            let row = scores(kind, masked, n, random);
            agrees(&spans, &row, &[], &plain(vertices))?;
            agrees(&spans.or_none(), &row, &[], &plain(empty))?;
        }
        Ok(())
    });
}

#[test]
fn sequences() {
    holds(|kind, masked, random| {
        let n = on(1..=8, random);
        let k = on(1..=n, random);
        let unary = scores(kind, masked, n, random);
        let shared = scores(kind, masked, 1, random)[0];
        let tables: Vec<[f64; 4]> = (1..n).map(|_| scores(kind, masked, 4, random).try_into().expect("four")).collect();
        let sequence = || Sequence::new(k).expect("sound");
        let (one, each, states) = (
            sequence().transition(shared).expect("sound"),
            sequence().edges(scores(kind, masked, n - 1, random)).expect("sound"),
            sequence().tables(&tables).expect("sound"),
        );
        for (sequence, tables) in [(one, false), (each, false), (states, true)] {
            let higher = sequence.higher(n).expect("it fits");
            agrees(&sequence, &unary, &higher, &enumerate::sequences(n, k, tables))?;
        }
        Ok(())
    });
}

#[test]
fn label_sequences() {
    holds(|kind, masked, random| {
        let (positions, labels) = (on(1..=4, random), on(1..=3, random));
        let tables = if random.below(2) == 0 { 1 } else { positions - 1 };
        let transitions = scores(kind, masked, tables * labels * labels, random);
        let sequences = LabelSequence::new(positions, labels, &transitions).expect("sound");
        let higher = sequences.higher(positions * labels).expect("it fits");
        prop_assert_eq!(&higher[..], &transitions.repeat(if tables == 1 { positions - 1 } else { 1 })[..]);
        let unary = scores(kind, masked, positions * labels, random);
        agrees(&sequences, &unary, &higher, &enumerate::label_sequences(positions, labels))
    });
}

#[test]
fn budgeted_labels() {
    holds(|kind, masked, random| {
        let (positions, labels) = (on(1..=4, random), on(2..=3, random));
        let k = on(0..=positions, random);
        let tables = scores(kind, masked, (positions - 1) * labels * labels, random);
        let sequences = LabelSequence::new(positions, labels, &tables).expect("sound");
        let unary = scores(kind, masked, positions * labels, random);
        let zeros = |vertex: &Dense| vertex.0.iter().step_by(labels).sum::<f64>() as usize;
        let (few, exact): (Vec<_>, Vec<_>) = (
            enumerate::label_sequences(positions, labels).into_iter().filter(|v| zeros(v) <= k).collect(),
            enumerate::label_sequences(positions, labels).into_iter().filter(|v| zeros(v) == k).collect(),
        );
        agrees(&BudgetedLabels::at_most(sequences.clone(), k).expect("sound"), &unary, &tables, &few)?;
        agrees(&BudgetedLabels::exactly(sequences, k).expect("sound"), &unary, &tables, &exact)
    });
}

#[test]
fn arborescences() {
    for n in 1..=5 {
        let (any, single) = (enumerate::arborescences(n, false), enumerate::arborescences(n, true));
        assert_eq!((any.len(), single.len()), ((n + 1).pow(n as u32 - 1), n.pow(n as u32 - 1)), "Cayley's formula");
    }
    let all: Vec<_> = (1..=6).map(|n| [false, true].map(|single| plain(enumerate::arborescences(n, single)))).collect();
    holds(|kind, masked, random| {
        let n = on(1..=6, random);
        let (trees, row) = (Arborescence::new(n).expect("sound"), scores(kind, masked, n * n, random));
        agrees(&trees, &row, &[], &all[n - 1][0])?;
        agrees(&trees.single_root(), &row, &[], &all[n - 1][1])
    });
}

#[test]
fn projective_trees() {
    let counts: Vec<usize> = (1..=5).map(|n| enumerate::projective(n, false).len()).collect();
    assert_eq!(counts, [1, 3, 12, 55, 273]); // binom(3 n, n) / (2 n + 1)
    let all: Vec<_> = (1..=6).map(|n| [false, true].map(|single| plain(enumerate::projective(n, single)))).collect();
    holds(|kind, masked, random| {
        let n = on(1..=6, random);
        let (trees, row) = (Projective::new(n).expect("sound"), scores(kind, masked, n * n, random));
        agrees(&trees, &row, &[], &all[n - 1][0])?;
        agrees(&trees.single_root(), &row, &[], &all[n - 1][1])
    });
}

#[test]
fn assignments() {
    holds(|kind, masked, random| {
        let rows = on(1..=3, random);
        let columns = on(rows..=4, random);
        let assignment = Assignment::new(rows, columns).expect("sound");
        run(&assignment, enumerate::assignments(rows, columns), (kind, masked, random))
    });
}

/// The best assignment by the set of columns that the rows so far have.
fn best_by_subsets(unary: &[f64], columns: usize) -> Option<i128> {
    let mut best: Vec<Option<i128>> = vec![None; 1 << columns];
    best[0] = Some(0);
    for row in unary.chunks(columns) {
        let mut next = vec![None; 1 << columns];
        for (set, score) in best.iter().enumerate() {
            for column in (0..columns).filter(|column| set & (1 << column) == 0) {
                let reached = score.zip(units(row[column])).map(|(score, own)| score + own);
                let with = &mut next[set | 1 << column];
                *with = reached.max(*with);
            }
        }
        best = next;
    }
    best.into_iter().flatten().max()
}

#[test]
fn assignments_of_more_rows() {
    holds(|kind, masked, random| {
        let rows = on(4..=7, random);
        let columns = on(rows..=8, random);
        let unary = scores(kind, masked, rows * columns, random);
        let mut vertex = Vertex::default();
        let score = Assignment::new(rows, columns).expect("sound").maximise(&unary, &[], &mut vertex).expect("sound");
        let Some(best) = best_by_subsets(&unary, columns) else {
            prop_assert_eq!(score, f64::NEG_INFINITY);
            return Ok(());
        };
        let pairs = vertex.unary().indices();
        let mut used: Vec<usize> = pairs.iter().map(|pair| pair % columns).collect();
        used.sort();
        prop_assert!(pairs.iter().map(|pair| pair / columns).eq(0..rows) && used.is_sorted_by(|a, b| a < b));
        prop_assert_eq!(pairs.iter().map(|&pair| units(unary[pair])).sum::<Option<i128>>(), Some(best));
        Ok(())
    });
}

#[test]
fn matchings() {
    holds(|kind, masked, random| {
        let (rows, columns) = [(1, 1), (1, 4), (2, 3), (3, 2), (3, 3), (4, 1)][random.below(6)];
        let matching = Matching::new(rows, columns).expect("sound");
        run(&matching, enumerate::matchings(rows, columns), (kind, masked, random))
    });
}

#[test]
fn spanning_trees() {
    assert_eq!(enumerate::spanning_trees(5, &enumerate::pairs(5)).len(), 125); // Cayley's formula
    holds(|kind, masked, random| {
        let nodes = on(2..=5, random);
        let pairs = enumerate::pairs(nodes);
        let complete = SpanningTree::complete(nodes).expect("sound");
        run(&complete, enumerate::spanning_trees(nodes, &pairs), (kind, masked, random))?;
        // A cycle through all nodes, turned around, and one of its edges twice.
        let mut edges: Vec<_> = (0..nodes).map(|a| ((a + 1) % nodes, a)).collect();
        edges.push(edges[0]);
        let cycle = SpanningTree::of(nodes, &edges).expect("connected");
        run(&cycle, enumerate::spanning_trees(nodes, &edges), (kind, masked, random))
    });
}

#[test]
fn lists() {
    holds(|kind, masked, random| {
        let (n, count) = (on(1..=4, random), on(1..=6, random));
        let entry = |random: &mut Random| [0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 2.0][random.below(7)];
        let mut vertices: Vec<Vec<f64>> = (0..count).map(|_| (0..n).map(|_| entry(random)).collect()).collect();
        vertices.push(vertices[0].clone());
        let list = Listed::new(&vertices).expect("sound");
        let unary = scores(kind, masked, n, random);
        agrees(&list, &unary, &[], &plain(vertices.clone()))?;
        let own = scores(kind, masked, count + 1, random);
        let list = list.scored(&own).expect("sound");
        let part = |v: usize| (0..count + 1).map(|other| if other == v { 1.0 } else { 0.0 }).collect();
        let scored: Vec<Dense> = vertices.into_iter().enumerate().map(|(v, vertex)| (vertex, part(v))).collect();
        prop_assert_eq!(&list.higher(n).expect("it fits")[..], &own[..]);
        agrees(&list, &unary, &own, &scored)
    });
}
