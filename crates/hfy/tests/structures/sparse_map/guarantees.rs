//! Guarantees for associations, against all structures and against the map itself.

use hfy::certify::StructuredCertifier;
use hfy::structure::{Named, Regulariser, Sequence, SparseMap, Structure};
use hfy::{Ball, Certifier, Convex, LayerNorm, Post, Real, Scaled, Subsets};
use ndarray::{Array2, ArrayView2};

use crate::common::random::Random;
use crate::common::{dot, says};
use crate::enumerate::{self, Dense, plain};
use crate::sparse_map::brute::slope;

/// Small structures by name, over so many patterns, and their vertices.
fn named() -> Vec<(String, usize, Vec<Dense>)> {
    let mut all = Vec::new();
    for reg in ["", ":reg=on", ":reg=both"] {
        for t in ["", ":t=0.7", ":t=-0.9", ":t=4", ":t=-3"] {
            all.push((format!("sequence:2{t}{reg}"), 5, enumerate::sequences(5, 2, false)));
        }
        all.push((format!("sequence:3:t=1,0,-2,0.5,1{reg}"), 6, enumerate::sequences(6, 3, false)));
        all.push((format!("windows:2{reg}"), 5, plain(enumerate::spans(5, 2, 2))));
        all.push((format!("spans{reg}"), 4, plain(enumerate::spans(4, 1, 4))));
        all.push((format!("spans:2{reg}"), 5, plain(enumerate::spans(5, 1, 2))));
        all.push((format!("atmost:2{reg}"), 4, plain(enumerate::at_most(4, 2))));
        all.push((format!("atmost:3{reg}"), 3, plain(enumerate::at_most(3, 3))));
        all.push((format!("assignment:2x3{reg}"), 6, plain(enumerate::assignments(2, 3))));
        all.push((format!("matching:2x2{reg}"), 4, plain(enumerate::matchings(2, 2))));
        all.push((format!("trees:4{reg}"), 6, plain(enumerate::spanning_trees(4, &enumerate::pairs(4)))));
        all.push((format!("labels:3x2{reg}"), 6, enumerate::label_sequences(3, 2)));
        all.push((format!("arborescence:2{reg}"), 4, plain(enumerate::arborescences(2, false))));
    }
    all
}

fn patterns<T: Real>(random: &mut Random, n: usize, d: usize) -> Array2<T> {
    let (size, shift) = (0.6 + 2.0 * random.unit(), [0.0, 1.0][random.below(2)]);
    Array2::from_shape_simple_fn((n, d), || T::of(size * (shift + random.normal())))
}

fn members((unary, _): &Dense) -> Vec<usize> {
    (0..unary.len()).filter(|&i| unary[i] == 1.0).collect()
}

fn state<T: Real>(patterns: ArrayView2<'_, T>, members: &[usize], post: Option<&Post>) -> Vec<T> {
    let mut sum = vec![T::zero(); patterns.ncols()];
    members.iter().for_each(|&i| sum.iter_mut().zip(patterns.row(i)).for_each(|(s, &x)| *s += x));
    if let Some(post) = post {
        post.argmax(&mut sum).expect("sound");
    }
    sum
}

fn wide_scores<T: Real>(patterns: ArrayView2<'_, T>, state: &[T]) -> Vec<f64> {
    let product = |x: ndarray::ArrayView1<'_, T>| x.iter().zip(state).map(|(x, s)| x.wide() * s.wide()).sum();
    patterns.rows().into_iter().map(product).collect()
}

/// Whether one step from a query has exactly the weights of a structure, with scores of the type, forwards and
/// backwards.
fn returns<T: Real>(
    patterns: ArrayView2<'_, T>,
    map: &SparseMap<Named>,
    beta: f64,
    query: &[T],
    members: &[usize],
) -> bool {
    let map = Scaled::with_beta(map.clone(), beta).expect("sound");
    [false, true].into_iter().all(|backwards| {
        let score = |x: ndarray::ArrayView1<'_, T>| {
            let mut terms: Vec<T> = x.iter().zip(query).map(|(&a, &b)| a * b).collect();
            if backwards {
                terms.reverse();
            }
            terms.into_iter().sum::<T>()
        };
        let mut y: Vec<T> = patterns.rows().into_iter().map(score).collect();
        map.argmax(&mut y).expect("sound");
        y.iter().enumerate().all(|(i, &y)| y == if members.contains(&i) { T::one() } else { T::zero() })
    })
}

fn apart(a: f64, b: f64) -> bool {
    !(a == b || (a - b).abs() <= 1e-10 * (1.0 + b.abs()))
}

#[test]
fn all_structures_agree() {
    let mut random = Random::new(31);
    let (mut kept, mut lost, mut sufficient) = (0, 0, [0, 0]);
    let posts: [Option<Post>; 3] =
        [None, Some(Ball::new(2.0).expect("sound").into()), Some(LayerNorm::new(1.5).expect("sound").into())];
    for (text, n, vertices) in named() {
        let map: SparseMap<Named> = text.parse().expect("a structure");
        let higher = map.structure().higher(n).expect("it fits").into_owned();
        let states = if map.which() == Regulariser::Both { 2.0 } else { 1.0 };
        for round in 0..24 {
            let post = posts[round % 3].as_ref();
            let d = [2, 3, 6][random.below(3)];
            let patterns: Array2<f64> = patterns(&mut random, n, d);
            let beta = (1.2 * random.normal()).exp();
            let mut certifier = StructuredCertifier::new(patterns.view(), &map, beta).expect("sound");
            if let Some(post) = post {
                certifier = certifier.post(post);
            }
            for vertex in &vertices {
                let set = members(vertex);
                let found = certifier.association(&set).expect("a structure");
                let what = format!("{text}, beta {beta}, {set:?} of {patterns}: {found:?}");
                let state = state(patterns.view(), &set, post);
                let theta: Vec<f64> = wide_scores(patterns.view(), &state).iter().map(|s| beta * s).collect();
                let others: Vec<&Dense> = vertices.iter().filter(|other| *other != vertex).collect();
                let change = |other: &Dense, at: &dyn Fn(usize) -> f64| -> f64 {
                    let unary: f64 = (0..n).map(|i| at(i) * (vertex.0[i] - other.0[i])).sum();
                    unary + higher.iter().enumerate().map(|(i, h)| h * (vertex.1[i] - other.1[i])).sum::<f64>()
                };
                let gradient = |i: usize| theta[i] - slope(map.which(), vertex.0[i]);
                let slack = others.iter().map(|other| change(other, &gradient)).fold(f64::INFINITY, f64::min);
                let separation = others.iter().map(|other| change(other, &|i| theta[i])).fold(f64::INFINITY, f64::min);
                let square = |other: &Dense| {
                    dot(&vertex.0, &vertex.0) + dot(&other.0, &other.0) - 2.0 * dot(&vertex.0, &other.0)
                };
                let distance = others.iter().map(|other| states * square(other)).fold(0.0, f64::max);
                assert!(!apart(found.slack, slack), "slack {slack}: {what}");
                assert!(!apart(found.separation, separation / beta), "separation {}: {what}", separation / beta);
                assert_eq!(found.distance_squared, distance, "{what}");
                assert_eq!(found.members, set);
                if let Some(rival) = &found.rival {
                    let rival = others.iter().find(|other| members(other) == *rival).expect("a structure");
                    assert!(!apart(change(rival, &gradient), slack), "the rival: {what}");
                }
                assert!(
                    found.sufficient_printed <= found.sufficient && found.sufficient <= found.fixed_point,
                    "{what}"
                );
                assert!(found.radius_printed <= found.radius && (found.radius == 0.0 || found.fixed_point), "{what}");
                if slack.abs() > 1e-9 {
                    assert_eq!(found.fixed_point, returns(patterns.view(), &map, beta, &state, &set), "{what}");
                    let guarantee = certifier.guarantee(&state).expect("sound");
                    assert_eq!(found.fixed_point, guarantee.exact && guarantee.best == set, "{what}");
                }
                sufficient[0] += usize::from(found.sufficient);
                sufficient[1] += usize::from(found.sufficient_printed);
                *(if found.fixed_point { &mut kept } else { &mut lost }) += 1;
            }
        }
    }
    println!("{kept} kept, {lost} lost, {sufficient:?} by the sufficient conditions");
    assert!(kept > 200 && lost > 200 && sufficient[1] > 50);
}

/// Queries on the sphere of the radius, in random directions and in those that help others most.
fn radii<T: Real>(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut tried = 0;
    let posts: [Option<Post>; 3] =
        [None, Some(Ball::new(4.0).expect("sound").into()), Some("tanh:2".parse().expect("known"))];
    for (text, n, vertices) in named() {
        let map: SparseMap<Named> = text.parse().expect("a structure");
        for post in &posts {
            let d = [3, 6, 12][random.below(3)];
            let patterns: Array2<T> = patterns(&mut random, n, d);
            let beta = (1.0 + 0.5 * random.normal()).exp();
            let mut certifier = StructuredCertifier::new(patterns.view(), &map, beta).expect("sound");
            if let Some(post) = post {
                certifier = certifier.post(post);
            }
            for vertex in &vertices {
                let set = members(vertex);
                let found = certifier.association(&set).expect("a structure");
                if found.radius == 0.0 {
                    continue;
                }
                assert!(found.radius.is_finite() || vertices.len() == 1);
                let centre = state(patterns.view(), &set, post.as_ref());
                let mut directions: Vec<Vec<f64>> = (0..2).map(|_| random.normals(d, 1.0)).collect();
                for other in vertices.iter().filter(|other| *other != vertex) {
                    let towards = |j: usize| (0..n).map(|i| patterns[[i, j]].wide() * (other.0[i] - vertex.0[i])).sum();
                    directions.push((0..d).map(towards).collect());
                }
                for direction in directions {
                    let length = dot(&direction, &direction).sqrt();
                    if length == 0.0 {
                        continue;
                    }
                    let at = |r: f64| -> Vec<T> {
                        centre.iter().zip(&direction).map(|(c, v)| T::of(c.wide() + r * v / length)).collect()
                    };
                    let query = at(found.radius);
                    assert!(
                        returns(patterns.view(), &map, beta, &query, &set),
                        "{text}, beta {beta}, {set:?}: {found:?}"
                    );
                    let guarantee = certifier.guarantee(&query).expect("sound");
                    assert!(guarantee.exact && guarantee.best == set, "{text}: {guarantee:?}");
                    tried += 1;
                }
            }
        }
    }
    tried
}

#[test]
fn queries_within_the_radius_return() {
    for (name, tried) in [("f64", radii::<f64>(32)), ("f32", radii::<f32>(33))] {
        println!("{name}: {tried} queries returned");
        assert!(tried > 3000, "{tried}");
    }
}

#[test]
fn sets_without_interactions_are_subsets() {
    let mut random = Random::new(34);
    let mut seen = 0;
    for _ in 0..150 {
        let (n, d) = (3 + random.below(8), 2 + random.below(8));
        let k = 1 + random.below(n - 1);
        let patterns: Array2<f64> = patterns(&mut random, n, d);
        let beta = random.normal().exp();
        let plain = Subsets::new(k as f64).expect("sound");
        let known = Certifier::new(patterns.view(), &plain, beta).expect("sound");
        let map: SparseMap<Named> = format!("sequence:{k}:reg=on").parse().expect("a structure");
        let certifier = StructuredCertifier::new(patterns.view(), &map, beta).expect("sound");
        let order = random.permutation(n);
        let best = known.guarantee(&random.normals(d, 1.0)).expect("sound").best;
        for members in [&order[..k], &best[..]] {
            let (known, found) =
                (known.association(members).expect("sound"), certifier.association(members).expect("sound"));
            assert_eq!(
                (known.members.clone(), known.distance_squared),
                (found.members.clone(), found.distance_squared)
            );
            assert!(!apart(known.separation, found.separation), "{known:?} {found:?}");
            if (known.lead - 1.0 / beta).abs() > 1e-9 {
                assert_eq!(known.fixed_point, found.fixed_point, "{known:?} {found:?}");
            }
            if (known.separation - known.distance_squared / (2.0 * beta)).abs() > 1e-9 {
                assert_eq!(known.sufficient, found.sufficient, "{known:?} {found:?}");
            }
            if known.fixed_point && known.rival.is_some() {
                assert!(!apart(beta * known.lead - 1.0, found.slack), "{known:?} {found:?}");
                seen += 1;
            }
            assert!(found.radius <= known.radius_sharp * (1.0 + 1e-9) + 1e-12, "{known:?} {found:?}");
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Facts, 6.1, item 11: the printed condition leaves transitions out.
#[test]
fn a_large_transition_breaks_what_the_printed_condition_promises() {
    let patterns: Array2<f64> = Array2::from_diag_elem(5, 4.0);
    let without: SparseMap<Named> = "sequence:2".parse().expect("a structure");
    let printed =
        StructuredCertifier::new(patterns.view(), &without, 1.0).expect("sound").association(&[0, 2]).expect("a set");
    assert!(printed.sufficient_printed && printed.fixed_point && printed.radius > 0.0);
    let map: SparseMap<Named> = "sequence:2:t=40".parse().expect("a structure");
    let certifier = StructuredCertifier::new(patterns.view(), &map, 1.0).expect("sound");
    let broken = certifier.association(&[0, 2]).expect("a set");
    assert!(!broken.fixed_point && !broken.sufficient && !broken.sufficient_printed && broken.radius == 0.0);
    let state = state(patterns.view(), &[0, 2], None);
    assert!(!returns(patterns.view(), &map, 1.0, &state, &[0, 2]));
    assert!(certifier.association(&[1, 2]).expect("a set").fixed_point);
}

#[test]
fn what_is_no_structure_is_refused() {
    let patterns: Array2<f64> = Array2::from_diag_elem(5, 1.0);
    let map = SparseMap::new(Sequence::new(2).expect("sound"));
    let certifier = StructuredCertifier::new(patterns.view(), &map, 1.0).expect("sound");
    for members in [&[0][..], &[0, 0], &[0, 5], &[0, 1, 2], &[]] {
        says(certifier.association(members), &["members", "structure"]);
    }
    let windows: SparseMap<Named> = "windows:2".parse().expect("a structure");
    let certifier = StructuredCertifier::new(patterns.view(), &windows, 1.0).expect("sound");
    says(certifier.association(&[0, 2]), &["members", "structure"]);
    says(certifier.guarantee(&[1.0]), &["query"]);
    says(certifier.guarantee(&[f64::NAN; 5]), &["query", "finite"]);
}
