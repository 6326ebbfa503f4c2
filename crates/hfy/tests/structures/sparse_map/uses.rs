//! Batches, losses, networks and retrievers take maps over structures as any other map.

use half::f16;
use hfy::retrieval::{Retriever, Settings, Status, Stop};
use hfy::structure::{Named, Regulariser, SparseMap};
use hfy::{Batch, Convex, FenchelYoung, Mask, Network, Post, Reduction, Scaled, Separation, Targets};
use ndarray::{Array2, Array3, ArrayView2, Axis};

use crate::common::differences::agree;
use crate::common::random::Random;
use crate::common::{dot, pulled, solved};

const TEXTS: [&str; 9] = [
    "sequence:2",
    "sequence:2:t=0.8:reg=on",
    "sequence:3:t=-1",
    "windows:2",
    "spans",
    "atmost:2",
    "labels:3x2:t=0.5",
    "assignment:2x3",
    "trees:4",
];

fn map(text: &str) -> SparseMap<Named> {
    text.parse().expect("a structure")
}

fn normals(shape: (usize, usize), scale: f64, seed: u64) -> Array2<f64> {
    let mut random = Random::new(seed);
    Array2::from_shape_simple_fn(shape, || scale * random.normal())
}

#[test]
fn batches() {
    let mut random = Random::new(41);
    for text in TEXTS {
        let map = map(text);
        let scores = Array3::from_shape_simple_fn((7, 6, 5), || random.normal());
        let upstream = scores.mapv(|x: f64| (3.0 * x).sin());
        let parallel = Batch::new(&map).axis(Axis(1));
        let (weights, report) = parallel.map(scores.view()).expect("sound");
        assert_eq!((report.rows, report.empty.len()), (35, 0));
        assert_eq!(weights, Batch::new(&map).axis(Axis(1)).serial().map(scores.view()).expect("sound").0);
        let mut gradient = upstream.clone();
        parallel.vjp(scores.view(), weights.view(), gradient.view_mut()).expect("sound");
        let mut back = upstream.clone();
        parallel.pullback(weights.view(), back.view_mut()).expect("sound");
        for (row, (theta, y)) in scores.lanes(Axis(1)).into_iter().zip(weights.lanes(Axis(1))).enumerate() {
            let theta = theta.to_vec();
            assert_eq!(y.to_vec(), solved(&map, &theta), "{text}");
            let lane = |array: &Array3<f64>| array.lanes(Axis(1)).into_iter().nth(row).expect("a row").to_vec();
            let expected = pulled(&map, &theta, &lane(&upstream));
            assert_eq!(lane(&gradient), expected, "{text}");
            agree(text, &lane(&back), &expected, 1e-9);
        }
        let half = scores.mapv(f16::from_f64);
        let (narrow, _) = parallel.map(half.view()).expect("sound");
        for (h, w) in narrow.iter().zip(&parallel.map(half.mapv(f64::from).view()).expect("sound").0) {
            assert!((f64::from(*h) - w).abs() <= 1e-3, "{text}: {h} and {w}");
        }
    }
}

#[test]
fn masked_batches() {
    let map = map("sequence:2:t=0.5");
    let scores = normals((4, 6), 1.0, 42);
    let lengths = [6, 2, 0, 4];
    let batch = Batch::new(&map).mask(Mask::lengths(&lengths));
    let (weights, report) = batch.map(scores.view()).expect("sound");
    assert_eq!(report.empty, [2]);
    for (row, &length) in lengths.iter().enumerate() {
        assert!(weights.row(row).iter().skip(length).all(|w| *w == 0.0));
        if length > 0 {
            let short = solved(&map, &scores.row(row).to_vec()[..length]);
            let padded = &weights.row(row).to_vec()[..length];
            assert!(short.iter().zip(padded).all(|(a, b)| (a - b).abs() <= 1e-15), "{short:?} {padded:?}");
        }
    }
    // One variable cannot be two: the row that has too few is named.
    let too_few = [6, 1, 6, 6];
    let error = Batch::new(&map).mask(Mask::lengths(&too_few)).map(scores.view()).expect_err("no structure is left");
    assert!(error.to_string().contains("masked"), "{error}");
}

#[test]
fn losses() {
    for (text, sets) in [
        ("sequence:2:t=0.8", [vec![0, 1], vec![4, 2], vec![3, 5]]),
        ("windows:2:reg=both", [vec![0, 1], vec![2, 3], vec![4, 5]]),
        ("atmost:3", [vec![0], vec![], vec![5, 1, 2]]),
        ("assignment:2x3", [vec![0, 4], vec![2, 3], vec![1, 5]]),
    ] {
        let map = map(text);
        let scores = normals((3, 6), 0.7, 43);
        let loss = FenchelYoung::new(&map).reduction(Reduction::Sum);
        let targets = Targets::KHot(&sets);
        let losses = loss.evaluate(scores.view(), &targets).expect("sound");
        let gradient = loss.gradient(scores.view(), &targets).expect("sound");
        for (row, set) in sets.iter().enumerate() {
            let theta = scores.row(row).to_vec();
            let target: Vec<f64> = (0..6).map(|i| f64::from(set.contains(&i))).collect();
            let expected = map.loss(&theta, &target).expect("sound");
            assert!((losses.rows[row] - expected).abs() <= 1e-12 && expected >= 0.0, "{text}");
            let y = solved(&map, &theta);
            for i in 0..6 {
                assert!((gradient[[row, i]] - (y[i] - target[i])).abs() <= 1e-14, "{text}");
            }
        }
        let flat = scores.as_slice().expect("in order");
        let value = |flat: &[f64]| {
            let scores = ArrayView2::from_shape((3, 6), flat).expect("the same size");
            loss.evaluate(scores, &targets).expect("sound").value
        };
        let want = crate::common::differences::gradient(value, flat, 1e-5);
        agree(text, gradient.as_slice().expect("in order"), &want, 1e-7);
    }
}

#[test]
fn energies_never_increase() {
    let mut random = Random::new(44);
    for text in TEXTS {
        for (round, post) in ["identity", "l2:1.5", "layernorm:eps=0.1", "tanh:0.6"].into_iter().enumerate() {
            let post: Post = post.parse().expect("known");
            let beta = [0.3, 1.0, 4.0][random.below(3)];
            let omega = Scaled::with_beta(map(text), beta).expect("sound");
            let network = Network::new(omega, &post, normals((6, 4), 1.0, 50 + round as u64)).expect("sound");
            for _ in 0..5 {
                let query: Vec<f64> = random.normals(4, 1.0);
                let path = network.trajectory(&query, 12).expect("sound");
                let energies = path.energies.expect("a network that remembers its own patterns");
                // The query itself may lie where Ψ is infinite.
                let fell = energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9 * (1.0 + pair[0].abs()));
                assert!(fell, "{text}: {energies:?}");
                assert!(energies[1..].iter().all(|energy| energy.is_finite()), "{text}: {energies:?}");
            }
        }
    }
}

#[test]
fn derivatives_of_a_step() {
    const STEP: f64 = 1e-6;
    let mut checked = 0;
    for (number, text) in TEXTS.into_iter().enumerate() {
        for seed in 0..6 {
            let mut random = Random::new(60 + 10 * number as u64 + seed);
            let post: Post = ["identity", "tanh:0.6"][random.below(2)].parse().expect("known");
            let (keys, query, v) =
                (normals((6, 4), 0.5, 90 + seed), random.normals::<f64>(4, 1.0), random.normals::<f64>(4, 1.0));
            let number = |query: &[f64], keys: &Array2<f64>, beta: f64| {
                let omega = Scaled::with_beta(map(text), beta).expect("sound");
                dot(&v, &Network::new(omega, &post, keys.view()).expect("sound").step(query).expect("sound").state)
            };
            let omega = Scaled::with_beta(map(text), 0.8).expect("sound");
            let network = Network::new(omega, &post, keys.view()).expect("sound");
            let gradients = network.step_vjp(&query, &network.step(&query).expect("sound"), &v).expect("sound");
            let mut pairs = Vec::new();
            for i in 0..4 {
                let moved = |step: f64| {
                    let mut query = query.clone();
                    query[i] += step;
                    number(&query, &keys, 0.8)
                };
                pairs.push((gradients.query[i], moved(STEP), moved(-STEP)));
            }
            for (index, &got) in gradients.keys.indexed_iter() {
                let moved = |step: f64| {
                    let mut keys = keys.clone();
                    keys[index] += step;
                    number(&query, &keys, 0.8)
                };
                pairs.push((got, moved(STEP), moved(-STEP)));
            }
            let moved = |step: f64| number(&query, &keys, 0.8 + step);
            pairs.push((gradients.beta.expect("one temperature"), moved(STEP), moved(-STEP)));
            let here = number(&query, &keys, 0.8);
            for (got, ahead, behind) in pairs {
                let (right, left) = ((ahead - here) / STEP, (here - behind) / STEP);
                if (right - left).abs() <= 1e-4 {
                    let want = (ahead - behind) / (2.0 * STEP);
                    assert!((got - want).abs() <= 1e-6 * (1.0 + want.abs()), "{text}: {got} and {want}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 1400, "{checked}");
}

#[test]
fn retrievers() {
    let (mut exact, mut blends) = (0, 0);
    for (number, text) in TEXTS.into_iter().enumerate() {
        for beta in [0.1, 0.5, 3.0] {
            let map = map(text);
            let omega = Scaled::with_beta(map.clone(), beta).expect("sound");
            let patterns = normals((6, 5), 1.2, 70 + number as u64);
            let post: Post = "identity".parse().expect("known");
            let network = Network::new(omega, post, patterns.view()).expect("sound");
            let settings = Settings { stop: Stop::Steps(1), ..Settings::default() };
            let retriever = Retriever::new(&network).and_then(|r| r.with_settings(settings)).expect("sound");
            let queries = normals((20, 5), 1.0, 80 + number as u64);
            let found = retriever.retrieve(queries.view()).expect("sound");
            for (query, (state, report)) in
                queries.rows().into_iter().zip(found.states.rows().into_iter().zip(&found.reports))
            {
                let step = network.step(&query.to_vec()).expect("sound");
                agree(text, &state.to_vec(), &step.state, 1e-12);
                let scores: Vec<f64> = step.scores.iter().map(|s| beta * s).collect();
                let solution = map.solve(&scores).expect("sound");
                let blend: Vec<f64> = (0..6)
                    .map(|i| report.structures.iter().filter(|s| s.members.contains(&i)).map(|s| s.probability).sum())
                    .collect();
                agree(text, &blend, &solution.marginals, 1e-9);
                let only = solution.exact().map(|vertex| vertex.unary().indices().to_vec());
                assert_eq!(report.structures.len() == 1, only.is_some(), "{text}: {report:?}");
                match (&report.status, only) {
                    (Status::Association(members), Some(only)) => {
                        assert_eq!((members, &report.structures[0].members), (&only, &only));
                        assert_eq!(report.structures[0].probability, 1.0);
                        exact += 1;
                    }
                    (Status::Pattern(index), Some(only)) => assert_eq!(vec![*index], only),
                    // The empty set is a structure too.
                    (Status::Blend { size: 0 }, Some(only)) => assert!(only.is_empty(), "{text}: {only:?}"),
                    (Status::Blend { .. }, None) => blends += 1,
                    other => panic!("{text}: {other:?}"),
                }
            }
        }
    }
    println!("{exact} associations, {blends} blends");
    assert!(exact > 100 && blends > 100);
}

#[test]
fn scales_and_names_keep_what_the_map_knows() {
    let map = map("sequence:2:t=0.5");
    assert_eq!(map.which(), Regulariser::Both);
    let scaled = Scaled::with_beta(map.clone(), 2.0).expect("sound");
    assert_eq!(Convex::<f64>::mass(&scaled), Some(2.0));
    let theta = [0.3, -0.2, 0.5, 0.1];
    let doubled: Vec<f64> = theta.iter().map(|s| 2.0 * s).collect();
    assert_eq!(solved(&scaled, &theta), solved(&map, &doubled));
    let y = solved(&scaled, &theta);
    let shares = Separation::<f64>::structures(&scaled, &y).expect("an output").expect("structures");
    assert!((shares.iter().map(|share| share.probability).sum::<f64>() - 1.0).abs() < 1e-12);
}
