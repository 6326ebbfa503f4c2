//! Sizes at which vertices cannot be listed: the oracle itself, asked at the gradient, finds nothing better.

use hfy::structure::{
    Arborescence, Assignment, AtMost, LabelSequence, Projective, Regulariser, Sequence, Solution, SpanningTree, Spans,
    SparseMap, Status, Structure, Vertex,
};
use hfy::{Convex, Entmax, Subsets};

use crate::common::random::Random;
use crate::common::{solved, total};
use crate::sparse_map::brute::{BOTH, size, slope};

/// By how much `a` leads `b` at the gradient; what both have cancels, and nothing else is rounded to speak of.
fn lead(a: &Vertex, b: &Vertex, (theta, higher): (&[f64], &[f64]), regulariser: Regulariser, y: &[f64]) -> f64 {
    let unary = |vertex: &Vertex, sign: f64| -> Vec<f64> {
        let terms = |(i, v): (usize, f64)| [sign * v * theta[i], -sign * v * slope(regulariser, y[i])];
        vertex.unary().iter().flat_map(terms).collect()
    };
    let pairs = |vertex: &Vertex, sign: f64| -> Vec<f64> {
        vertex.higher().iter().map(|(i, v)| sign * v * higher[i]).collect()
    };
    total([unary(a, 1.0), unary(b, -1.0), pairs(a, 1.0), pairs(b, -1.0)].concat())
}

/// Solves, and asks the oracle at the gradient of the solution.
fn solve(structure: &dyn Structure, theta: &[f64], regulariser: Regulariser, what: &str) -> Solution {
    let solution = SparseMap::new(structure).regulariser(regulariser).solve(theta).expect("sound");
    let higher = structure.higher(theta.len()).expect("it fits");
    let y = &solution.marginals;
    let active = solution.active().len();
    assert_eq!(solution.status, Status::Optimal, "{what}: gap {:e}, {active} active", solution.gap);
    let gradient: Vec<f64> = theta.iter().zip(y).map(|(s, y)| s - slope(regulariser, *y)).collect();
    let mut rival = Vertex::default();
    structure.maximise(&gradient, &higher, &mut rival).expect("sound");
    rival.sort();
    let base = &solution.best;
    let ahead = |vertex: &Vertex| lead(vertex, base, (theta, &higher), regulariser, y);
    let each: Vec<(f64, f64)> = solution.active().iter().map(|(vertex, p)| (p, ahead(vertex))).collect();
    let mean = total(each.iter().map(|(p, lead)| p * lead));
    let parts = 1.0 + rival.unary().len().max(base.unary().len()) as f64;
    let tolerance = 1e-13 * parts * (1.0 + size((theta, &[])));
    assert!(ahead(&rival) - mean <= tolerance, "{what}: a rival leads by {:e}", ahead(&rival) - mean);
    // All active structures are equally good there.
    for (_, lead) in &each {
        assert!((lead - mean).abs() <= tolerance, "{what}: an active structure is {:e} off", lead - mean);
    }
    let whole = total(each.iter().map(|(p, _)| *p));
    assert!((whole - 1.0).abs() <= 1e-15 * active as f64 && each.iter().all(|(p, _)| *p > 0.0), "{what}");
    println!("{what}: {} calls, {active} active, gap {:e}", solution.iterations, solution.gap);
    // A structure that enters seldom leaves again.
    assert!(solution.iterations <= 4 * active + 100, "{what}: {} calls for {active} active", solution.iterations);
    solution
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

const SHARED: [f64; 7] = [-1.0, 0.0, 0.5, 3.0, 1e4, 1e8, 1e12];

fn sequences(n: usize, k: usize, transitions: &[f64]) {
    let theta: Vec<f64> = Random::new(n as u64).normals(n, 1.0);
    for regulariser in BOTH {
        let windows = SparseMap::new(Spans::of_length(k).expect("sound")).regulariser(regulariser);
        let windows = windows.solve(&theta).expect("sound");
        for &t in transitions {
            let sequence = Sequence::new(k).and_then(|s| s.transition(t)).expect("sound");
            let solution = solve(&sequence, &theta, regulariser, &format!("{k} of {n}, t = {t:e}, {regulariser:?}"));
            let off = apart(&solution.marginals, &windows.marginals);
            if t >= 1e4 {
                assert!(off <= 1e-9, "t = {t:e} is {off:e} from the windows");
            }
            if t == 0.0 && regulariser == Regulariser::On {
                let subsets = solved(&Subsets::new(k as f64).expect("sound"), &theta);
                let off = apart(&solution.marginals, &subsets);
                assert!(off <= 1e-12, "{off:e} from the subsets");
            }
        }
    }
}

#[test]
fn long_sequences() {
    sequences(2000, 10, &SHARED);
}

#[test]
fn wide_sequences() {
    sequences(500, 100, &SHARED);
}

#[test]
fn assignments() {
    for (seed, scale) in [(1, 1.0), (2, 0.1), (3, 5.0)] {
        let theta: Vec<f64> = Random::new(seed).normals(900, scale);
        solve(&Assignment::new(30, 30).expect("sound"), &theta, Regulariser::On, &format!("30x30 at {scale}"));
    }
}

#[test]
fn trees() {
    for scale in [0.3, 1.0, 4.0] {
        let theta: Vec<f64> = Random::new(4).normals(400, scale);
        let edges: Vec<f64> = Random::new(5).normals(190, scale);
        let words = Arborescence::new(20).expect("sound");
        solve(&words, &theta, Regulariser::On, &format!("arborescence at {scale}"));
        solve(&words.single_root(), &theta, Regulariser::Both, &format!("arborescence with one root at {scale}"));
        solve(&Projective::new(20).expect("sound"), &theta, Regulariser::On, &format!("projective at {scale}"));
        solve(&SpanningTree::complete(20).expect("sound"), &edges, Regulariser::On, &format!("trees at {scale}"));
    }
}

#[test]
fn labels() {
    let mut random = Random::new(6);
    let theta: Vec<f64> = random.normals(1500, 1.0);
    let transitions: Vec<f64> = random.normals(25, 1.0);
    let labels = LabelSequence::new(300, 5, &transitions).expect("sound");
    for regulariser in BOTH {
        solve(&labels, &theta, regulariser, &format!("labels, {regulariser:?}"));
    }
}

#[test]
fn spans() {
    let theta: Vec<f64> = Random::new(7).normals(2000, 1.0);
    for (name, spans) in [
        ("any", Spans::any()),
        ("or none", Spans::any().or_none()),
        ("of 50", Spans::of_length(50).expect("sound")),
        ("up to 20", Spans::up_to(20).expect("sound")),
    ] {
        for regulariser in BOTH {
            solve(&spans, &theta, regulariser, &format!("spans {name}, {regulariser:?}"));
        }
    }
}

#[test]
fn what_has_a_name_elsewhere() {
    for seed in 0..40 {
        let mut random = Random::new(100 + seed);
        let n = 1 + random.below(60);
        let k = 1 + random.below(n);
        let scale = [0.05, 1.0, 10.0][random.below(3)];
        let theta: Vec<f64> = random.normals(n, scale);
        let solved_by = |structure: &dyn Structure, theta: &[f64]| -> Vec<f64> {
            SparseMap::new(structure).solve(theta).expect("sound").marginals
        };
        let near = |what: &str, a: &[f64], b: &[f64]| {
            let off = apart(a, b);
            assert!(off <= 1e-13, "{what} of {k} in {n}: {off:e}");
        };
        let subsets = solved(&Subsets::new(k as f64).expect("sound"), &theta);
        near("sequences", &solved_by(&Sequence::new(k).expect("sound"), &theta), &subsets);
        // Far above zero nothing is left out.
        let raised: Vec<f64> = theta.iter().map(|s| s + 1000.0).collect();
        let subsets = solved(&Subsets::new(k as f64).expect("sound"), &raised);
        near("at most", &solved_by(&AtMost::new(k).expect("sound"), &raised), &subsets);
        let sparsemax = solved(&Entmax::SPARSEMAX, &theta);
        near("singletons", &solved_by(&Spans::of_length(1).expect("sound"), &theta), &sparsemax);
        near("sequences of one", &solved_by(&Sequence::new(1).expect("sound"), &theta), &sparsemax);
        let clipped: Vec<f64> = theta.iter().map(|s| s.clamp(0.0, 1.0)).collect();
        near("the hypercube", &solved_by(&AtMost::new(n).expect("sound"), &theta), &clipped);
    }
}

#[test]
fn both_states_are_one_at_half_the_scores() {
    for seed in 0..60 {
        let mut random = Random::new(200 + seed);
        let n = 1 + random.below(12);
        let k = 1 + random.below(n);
        let (theta, t): (Vec<f64>, Vec<f64>) = (random.normals(n, 2.0), random.normals(n - 1, 1.0));
        let half = |row: &[f64]| -> Vec<f64> { row.iter().map(|s| s / 2.0).collect() };
        let map = |t: Vec<f64>| SparseMap::new(Sequence::new(k).and_then(|s| s.edges(t)).expect("sound"));
        let both = map(t.clone()).regulariser(Regulariser::Both).solve(&theta).expect("sound");
        let on = map(half(&t)).solve(&half(&theta)).expect("sound");
        assert!(apart(&both.marginals, &on.marginals) <= 1e-14);
        let value = 2.0 * on.value + k as f64 - n as f64 / 2.0;
        assert!((both.value - value).abs() <= 1e-13 * (1.0 + value.abs()), "{} and {value}", both.value);
        let conjugate = map(t).regulariser(Regulariser::Both).conjugate(&theta).expect("sound");
        assert_eq!(conjugate, both.value);
    }
}

#[test]
fn ties() {
    let mut random = Random::new(8);
    let mut row =
        |n: usize, integers: usize| -> Vec<f64> { (0..n).map(|_| random.below(integers) as f64 / 2.0).collect() };
    for integers in [1, 2, 5] {
        let transition = |t: f64| Sequence::new(7).and_then(|s| s.transition(t)).expect("sound");
        let structures: [(&str, Box<dyn Structure>, usize); 11] = [
            ("sequence, t = -1", Box::new(transition(-1.0)), 120),
            ("sequence, t = 0", Box::new(transition(0.0)), 120),
            ("sequence, t = 1", Box::new(transition(1.0)), 120),
            ("windows", Box::new(Spans::of_length(7).expect("sound")), 120),
            ("spans", Box::new(Spans::any()), 120),
            ("at most", Box::new(AtMost::new(7).expect("sound")), 120),
            (
                "labels",
                Box::new(LabelSequence::new(40, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).expect("sound")),
                120,
            ),
            ("assignment", Box::new(Assignment::new(10, 12).expect("sound")), 120),
            ("arborescence", Box::new(Arborescence::new(11).expect("sound")), 121),
            ("projective", Box::new(Projective::new(11).expect("sound")), 121),
            ("trees", Box::new(SpanningTree::complete(16).expect("sound")), 120),
        ];
        for (name, structure, n) in structures {
            let theta = row(n, integers);
            for regulariser in BOTH {
                solve(&*structure, &theta, regulariser, &format!("{name} with {integers} scores, {regulariser:?}"));
            }
        }
    }
}
