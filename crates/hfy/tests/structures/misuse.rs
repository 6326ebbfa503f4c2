//! Errors name the argument, the value and the rule.

use hfy::structure::{
    Arborescence, Assignment, AtMost, BudgetedLabels, LabelSequence, Listed, Matching, Projective, SpanningTree, Spans,
    Structure, Vertex,
};
use hfy::{Error, Result};

use crate::common::says;

#[test]
fn sizes_of_zero() {
    says(AtMost::new(0), &["k = 0", "at least 1"]);
    says(Spans::of_length(0), &["k = 0", "at least one variable"]);
    says(Spans::up_to(0), &["k = 0", "at least one variable"]);
    says(LabelSequence::new(0, 2, &[0.0; 4]), &["positions = 0", "at least one position"]);
    says(LabelSequence::new(2, 0, &[]), &["labels = 0", "at least one label"]);
    says(Arborescence::new(0), &["words = 0", "at least one word"]);
    says(Projective::new(0), &["words = 0", "at least one word"]);
    says(Assignment::new(0, 2), &["rows = 0", "at least one row"]);
    says(Matching::new(0, 2), &["rows = 0", "at least one row"]);
    says(Matching::new(2, 0), &["columns = 0", "at least one column"]);
    says(SpanningTree::complete(1), &["nodes = 1", "at least two nodes"]);
    says(SpanningTree::of(0, &[]), &["nodes = 0", "at least two nodes"]);
    says(Listed::new::<[f64; 1]>(&[]), &["vertices = []", "at least one vertex"]);
    says(Listed::new(&[[0.0; 0]]), &["variables = 0", "at least one variable"]);
}

#[test]
fn shapes_and_values() {
    says(Assignment::new(3, 2), &["rows = 3", "no more rows than columns"]);
    says(LabelSequence::new(3, 2, &[0.0; 5]), &["transitions", "[5]", "[2, 2, 2]"]);
    says(LabelSequence::new(usize::MAX, usize::MAX, &[0.0; 5]), &["transitions", "[5]"]);
    says(LabelSequence::new(2, 1, &[f64::NAN]), &["transitions[0] = NaN", "finite"]);
    says(LabelSequence::new(2, 1, &[f64::INFINITY]), &["transitions[0] = inf", "finite"]);
    let labels = |count: usize| LabelSequence::new(3, count, &vec![0.0; count * count]).expect("sound");
    says(BudgetedLabels::exactly(labels(2), 4), &["k = 4", "no more positions"]);
    says(BudgetedLabels::at_most(labels(1), 2), &["k = 2", "one label"]);
    says(SpanningTree::of(3, &[(0, 1), (1, 3)]), &["edges = (1, 3)", "two of the nodes"]);
    says(SpanningTree::of(3, &[(0, 1), (1, 1)]), &["edges = (1, 1)", "different nodes"]);
    says(SpanningTree::of(4, &[(0, 1), (1, 0), (2, 3)]), &["edges = 3 edges over 4 nodes", "connected"]);
    says(SpanningTree::of(usize::MAX, &[(0, 1)]), &["edges", "connected"]);
    says(Listed::new(&[vec![1.0], vec![1.0, 2.0]]), &["vertices", "[2]", "[1]"]);
    says(Listed::new(&[[1.0, f64::NAN]]), &["vertices[1] = NaN", "finite"]);
    says(Listed::new(&[[f64::NEG_INFINITY, 1.0]]), &["vertices[0] = -inf", "finite"]);
    let list = || Listed::new(&[[1.0], [2.0]]);
    says(list().and_then(|list| list.scored(&[0.0])), &["scores", "[1]", "[2]"]);
    says(list().and_then(|list| list.scored(&[0.0, f64::NAN])), &["scores[1] = NaN", "finite"]);
    says(list().and_then(|list| list.scored(&[f64::INFINITY, 0.0])), &["scores[0] = inf", "finite"]);
}

#[test]
fn numbers_of_variables_that_do_not_fit() -> Result<()> {
    let structures: [(Box<dyn Structure>, usize); 9] = [
        (Box::new(Spans::any()), 0),
        (Box::new(Spans::of_length(3)?), 2),
        (Box::new(LabelSequence::new(2, 2, &[0.0; 4])?), 5),
        (Box::new(Arborescence::new(3)?), 8),
        (Box::new(Projective::new(3)?), 10),
        (Box::new(Assignment::new(2, 3)?), 5),
        (Box::new(Matching::new(usize::MAX, 3)?), 7),
        (Box::new(SpanningTree::complete(4)?), 5),
        (Box::new(Listed::new(&[[1.0, 2.0]])?), 3),
    ];
    for (structure, variables) in structures {
        let scores = vec![0.0; variables];
        assert!(matches!(structure.higher(variables), Err(Error::Shape { .. })));
        let answer = structure.maximise(&scores, &[], &mut Vertex::default());
        assert!(matches!(answer, Err(Error::Shape { .. })));
    }
    // Scores of parts that are not there.
    says(AtMost::new(1)?.maximise(&[1.0], &[1.0], &mut Vertex::default()), &["higher", "[1]", "[0]"]);
    let labels = LabelSequence::new(2, 1, &[0.0])?;
    says(labels.maximise(&[1.0, 1.0], &[], &mut Vertex::default()), &["higher", "[0]", "[1]"]);
    // The empty run is a run over no variables, and the empty set a subset.
    assert_eq!(Spans::of_length(3)?.or_none().maximise(&[1.0], &[], &mut Vertex::default())?, 0.0);
    assert_eq!(AtMost::new(3)?.maximise(&[], &[], &mut Vertex::default())?, 0.0);
    Ok(())
}

#[test]
fn masses() -> Result<()> {
    assert_eq!((AtMost::new(2)?.mass(), Spans::any().mass(), Spans::up_to(2)?.mass()), (None, None, None));
    assert_eq!((Spans::of_length(2)?.mass(), Spans::of_length(2)?.or_none().mass()), (Some(2.0), None));
    assert_eq!((Matching::new(2, 2)?.mass(), Assignment::new(2, 3)?.mass()), (None, Some(2.0)));
    assert_eq!((Arborescence::new(3)?.mass(), Projective::new(3)?.mass()), (Some(3.0), Some(3.0)));
    assert_eq!(SpanningTree::complete(4)?.mass(), Some(3.0));
    assert_eq!(LabelSequence::new(3, 2, &[0.0; 4])?.mass(), Some(3.0));
    assert_eq!(Listed::new(&[[1.0, 2.0], [3.0, 0.0]])?.mass(), Some(3.0));
    assert_eq!(Listed::new(&[[1.0, 2.0], [3.0, 1.0]])?.mass(), None);
    Ok(())
}
