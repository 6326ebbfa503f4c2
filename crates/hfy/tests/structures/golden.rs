//! The enumerators give the vertices of the golden file, and the oracles the best of them.

use std::collections::BTreeSet;

use hfy::structure::{Assignment, AtMost, LabelSequence, Listed, SpanningTree, Spans, Structure, Vertex};

use crate::common::dot;
use crate::common::golden::family;
use crate::enumerate;

type Set = (Box<dyn Structure>, Vec<Vec<f64>>);

/// The set that a tag names; none where only a list describes it.
fn set(tag: &str) -> Option<Set> {
    let assignment = |n| Assignment::new(n, n).expect("sound");
    let labels = |positions| LabelSequence::new(positions, 2, &[0.0; 4]).expect("sound");
    let sequences = |positions| enumerate::label_sequences(positions, 2).into_iter().map(|(unary, _)| unary).collect();
    Some(match tag {
        "matching_3x3" => (Box::new(assignment(3)), enumerate::assignments(3, 3)),
        "matching_4x4" => (Box::new(assignment(4)), enumerate::assignments(4, 4)),
        "spanning_tree_k4" => {
            let trees = SpanningTree::complete(4).expect("sound");
            (Box::new(trees), enumerate::spanning_trees(4, &enumerate::pairs(4)))
        }
        "at_most_2_of_5" => (Box::new(AtMost::new(2).expect("sound")), enumerate::at_most(5, 2)),
        "spans_of_3_in_8" => (Box::new(Spans::of_length(3).expect("sound")), enumerate::spans(8, 3, 3)),
        "all_spans_n5" => (Box::new(Spans::any()), enumerate::spans(5, 1, 5)),
        "hypercube_3" => (Box::new(AtMost::new(3).expect("sound")), enumerate::hypercube(3)),
        "pairwise_2state" => (Box::new(labels(2)), sequences(2)),
        "chain_3pos_2lab" => (Box::new(labels(3)), sequences(3)),
        "singletons_5" => (Box::new(Spans::of_length(1).expect("sound")), enumerate::spans(5, 1, 1)),
        _ => return None,
    })
}

fn sorted(vertices: &[Vec<f64>]) -> BTreeSet<Vec<i64>> {
    vertices.iter().map(|vertex| vertex.iter().map(|&entry| entry as i64).collect()).collect()
}

/// The best score of a structure.
fn best(structure: &dyn Structure, unary: &[f64]) -> f64 {
    let higher = structure.higher(unary.len()).expect("it fits");
    structure.maximise(unary, &higher, &mut Vertex::default()).expect("sound")
}

#[test]
fn structured() {
    family("structured", |case| {
        let vertices: Vec<Vec<f64>> = serde_json::from_value(case.0["vertices"].clone()).expect("rows of numbers");
        let theta: Vec<f64> = case.need("theta");
        let expected = vertices.iter().map(|vertex| dot(vertex, &theta)).fold(f64::NEG_INFINITY, f64::max);
        let list = Listed::new(&vertices).expect("sound");
        assert!((best(&list, &theta) - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{}", case.id());
        if let Some((structure, all)) = set(case.0["tag"].as_str().expect("every case has a tag")) {
            assert_eq!(sorted(&all), sorted(&vertices), "{}", case.id());
            assert!((best(&*structure, &theta) - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{}", case.id());
        }
        if let Some(scores) = case.row::<f64>("vertex_scores") {
            let terms = vertices.iter().zip(&scores).map(|(vertex, score)| dot(vertex, &theta) + score);
            let expected = terms.fold(f64::NEG_INFINITY, f64::max);
            let list = list.scored(&scores).expect("sound");
            assert!((best(&list, &theta) - expected).abs() <= 1e-14 * (1.0 + expected.abs()), "{}", case.id());
        }
        true
    });
}
