//! Sizes at which recursion, or a sum that forgets, would show.

use hfy::structure::{
    Arborescence, Assignment, AtMost, LabelSequence, Listed, Matching, Projective, SpanningTree, Spans, Structure,
    Vertex,
};

use crate::common::random::Random;
use crate::common::total;

const LONG: usize = 100_000;

/// The best structure, sorted, and its score, which must be what its parts sum to.
fn solve(structure: &dyn Structure, unary: &[f64]) -> (f64, Vertex) {
    let mut vertex = Vertex::default();
    let higher = structure.higher(unary.len()).expect("it fits");
    let score = structure.maximise(unary, &higher, &mut vertex).expect("sound");
    vertex.sort();
    let terms = vertex.unary().iter().map(|(i, value)| value * unary[i]);
    let sum = total(terms.chain(vertex.higher().iter().map(|(i, value)| value * higher[i])));
    assert!((score - sum).abs() <= 1e-12 * (1.0 + sum.abs()), "the score is {score}, the sum {sum}");
    (score, vertex)
}

#[test]
fn long_rows() {
    let unary: Vec<f64> = Random::new(1).normals(LONG, 1.0);
    let (score, vertex) = solve(&AtMost::new(1000).expect("sound"), &unary);
    let mut sorted = unary.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(vertex.unary().len(), 1000);
    assert!((score - total(sorted[..1000].iter().copied())).abs() <= 1e-9);
    for spans in [Spans::any(), Spans::up_to(777).expect("sound"), Spans::of_length(777).expect("sound")] {
        let indices = solve(&spans, &unary).1.unary().indices().to_vec();
        assert!(indices.windows(2).all(|pair| pair[1] == pair[0] + 1), "one run");
    }
}

#[test]
fn a_score_that_all_windows_share_does_not_blur_them() {
    // All windows of 60 have the scores of the 20 in the middle, 1e8 each; the others are smaller than their rounding.
    let k = 60;
    let mut unary: Vec<f64> = Random::new(2).normals(100, 1e-9);
    let plain = unary.clone();
    unary[40..60].fill(1e8);
    let (_, vertex) = solve(&Spans::of_length(k).expect("sound"), &unary);
    let outside = |start: usize| total((start..start + k).filter(|i| !(40..60).contains(i)).map(|i| plain[i]));
    let best = (0..41).max_by(|&a, &b| outside(a).total_cmp(&outside(b))).expect("there are windows");
    assert_eq!(vertex.unary().indices()[0], best);
}

#[test]
fn a_large_score_is_forgotten_where_it_has_left_the_window() {
    let mut unary: Vec<f64> = Random::new(3).normals(LONG, 1e-3);
    let expected = solve(&Spans::of_length(50).expect("sound"), &unary[100..]).1.unary().indices()[0] + 100;
    unary[99] = -1e300;
    for spans in [Spans::of_length(50).expect("sound"), Spans::up_to(50).expect("sound")] {
        let (with, without) = (solve(&spans, &unary).1, solve(&spans, &unary[100..]).1);
        assert_eq!(with.unary().indices()[0], without.unary().indices()[0] + 100);
    }
    assert_eq!(solve(&Spans::of_length(50).expect("sound"), &unary).1.unary().indices()[0], expected);
}

#[test]
fn long_label_sequences() {
    let (positions, labels) = (20_000, 4);
    let mut random = Random::new(4);
    let mut unary: Vec<f64> = random.normals(positions * labels, 1.0);
    unary.iter_mut().step_by(3).for_each(|score| *score += 1e8);
    let transitions: Vec<f64> = random.normals(labels * labels, 1.0);
    let sequences = LabelSequence::new(positions, labels, &transitions).expect("sound");
    let (_, vertex) = solve(&sequences, &unary);
    assert_eq!((vertex.unary().len(), vertex.higher().len()), (positions, positions - 1));
    // No single change of label improves it.
    let label = |p: usize| vertex.unary().indices()[p] - p * labels;
    let step = |from: usize, to: usize| transitions[from * labels + to];
    for p in 1..positions - 1 {
        let local = |l: usize| [unary[p * labels + l], step(label(p - 1), l), step(l, label(p + 1))];
        assert!((0..labels).all(|l| total(local(l).into_iter().chain(local(label(p)).map(|x| -x))) <= 0.0), "at {p}");
    }
    solve(&LabelSequence::new(LONG, 2, &[0.5, -0.5, -0.5, 0.5]).expect("sound"), &random.normals(2 * LONG, 1.0));
}

#[test]
fn trees_of_a_hundred_words() {
    let n = 100;
    let mut scores: Vec<f64> = Random::new(5).normals(n * n, 1.0);
    (0..n).for_each(|m| scores[m * n + m] += 10.0);
    let arborescence = Arborescence::new(n).expect("sound");
    let projective = Projective::new(n).expect("sound");
    let roots = |vertex: &Vertex| vertex.unary().indices().iter().filter(|&&arc| arc / n == arc % n).count();
    let (any, vertex) = solve(&arborescence, &scores);
    let (single, single_vertex) = solve(&arborescence.single_root(), &scores);
    assert!(roots(&vertex) > 90 && roots(&single_vertex) == 1 && single <= any);
    // One root after the other, all others forbidden.
    let one_root = |root: usize| {
        let mut scores = scores.clone();
        (0..n).filter(|&m| m != root).for_each(|m| scores[m * n + m] = f64::NEG_INFINITY);
        solve(&arborescence, &scores).0
    };
    assert_eq!((0..n).map(one_root).fold(f64::NEG_INFINITY, f64::max), single);
    let (flat, vertex) = solve(&projective, &scores);
    let (flat_single, single_vertex) = solve(&projective.single_root(), &scores);
    assert_eq!((vertex.unary().len(), roots(&single_vertex)), (n, 1));
    assert!(flat <= any && flat_single <= single && flat_single <= flat);
    // A chain, the deepest tree there is.
    let chain: Vec<f64> = (0..n * n).map(|arc| if arc % n == arc / n + 1 || arc == 0 { 1.0 } else { 0.0 }).collect();
    assert_eq!((solve(&arborescence, &chain).0, solve(&projective, &chain).0), (100.0, 100.0));
}

#[test]
fn assignments_of_a_hundred_rows() {
    let (rows, columns) = (100, 120);
    let scores: Vec<f64> = Random::new(6).normals(rows * columns, 1.0);
    let (score, vertex) = solve(&Assignment::new(rows, columns).expect("sound"), &scores);
    assert_eq!(vertex.unary().len(), rows);
    // A matching may leave rows out, which pays only where scores are negative; raised, they are all there.
    let (partial, _) = solve(&Matching::new(rows, columns).expect("sound"), &scores);
    assert!(partial >= score);
    let raised: Vec<f64> = scores.iter().map(|score| score + 100.0).collect();
    let (partial, _) = solve(&Matching::new(rows, columns).expect("sound"), &raised);
    assert!((partial - 100.0 * rows as f64 - score).abs() <= 1e-9);
    let turned: Vec<f64> = (0..rows * columns).map(|i| raised[(i % rows) * columns + i / rows]).collect();
    let (transposed, _) = solve(&Matching::new(columns, rows).expect("sound"), &turned);
    assert!((transposed - partial).abs() <= 1e-9);
    // The best permutation is known where every row prefers another column by more than all the rest.
    let order = Random::new(7).permutation(columns);
    let mut planted: Vec<f64> = Random::new(8).normals(columns * columns, 1.0);
    order.iter().enumerate().for_each(|(row, &column)| planted[row * columns + column] += 1e6);
    let (_, vertex) = solve(&Assignment::new(columns, columns).expect("sound"), &planted);
    assert!(vertex.unary().indices().iter().zip(&order).all(|(pair, column)| pair % columns == *column));
}

#[test]
fn spanning_trees_of_many_nodes() {
    let nodes = 300;
    let scores: Vec<f64> = Random::new(9).normals(nodes * (nodes - 1) / 2, 1.0);
    assert_eq!(solve(&SpanningTree::complete(nodes).expect("sound"), &scores).1.unary().len(), nodes - 1);
    let path: Vec<(usize, usize)> = (1..LONG).map(|node| (node - 1, node)).collect();
    let (score, _) = solve(&SpanningTree::of(LONG, &path).expect("connected"), &vec![1.0; LONG - 1]);
    assert_eq!(score, (LONG - 1) as f64);
}

#[test]
fn sums_that_overflow_are_never_nan() {
    let mut random = Random::new(10);
    let draw = |n: usize, random: &mut Random| -> Vec<f64> {
        (0..n).map(|_| [f64::MAX, f64::MIN, 1.0, f64::NEG_INFINITY][random.below(4)]).collect()
    };
    for _ in 0..200 {
        let transitions = draw(9, &mut random);
        let structures: [(Box<dyn Structure>, usize); 12] = [
            (Box::new(AtMost::new(3).expect("sound")), 9),
            (Box::new(Spans::any()), 9),
            (Box::new(Spans::of_length(3).expect("sound")), 9),
            (Box::new(Spans::up_to(3).expect("sound")), 9),
            (Box::new(LabelSequence::new(4, 3, &transitions).expect("sound")), 12),
            (Box::new(Arborescence::new(4).expect("sound")), 16),
            (Box::new(Arborescence::new(4).expect("sound").single_root()), 16),
            (Box::new(Projective::new(4).expect("sound")), 16),
            (Box::new(Assignment::new(3, 4).expect("sound")), 12),
            (Box::new(Matching::new(4, 3).expect("sound")), 12),
            (Box::new(SpanningTree::complete(5).expect("sound")), 10),
            (Box::new(Listed::new(&[[2.0, -1.0], [1.0, 1.0]]).expect("sound")), 2),
        ];
        for (structure, n) in structures {
            let higher = structure.higher(n).expect("it fits");
            let unary = draw(n, &mut random);
            let score = structure.maximise(&unary, &higher, &mut Vertex::default()).expect("sound");
            assert!(!score.is_nan(), "{unary:?}");
        }
    }
}
