//! For every Ψ: queries within the certified radii, put through whole steps of a network, and some just outside.

use crate::common::draw::Draw;
use hfy::certify::StructuredCertifier;
use hfy::retrieval::{Retriever, Settings, Status, Stop, Stopped};
use hfy::structure::{Sequence, SparseMap};
use hfy::{AnyNetwork, Certificate, Certifier, Convex, LayerNorm, Linear, Map, Network, Post, Real, Scaled};
use ndarray::{Array2, ArrayView2};

/// Queries that are put through a step, at the least, for each Ψ, type and centre.
const QUERIES: usize = 1000;
const WIDTH: usize = 6;

fn posts(draw: &mut Draw) -> Vec<Post> {
    let delta = (0..WIDTH).map(|_| draw.normal()).collect();
    let factor = Array2::from_shape_fn((WIDTH, WIDTH), |_| draw.normal());
    let mut matrix = factor.dot(&factor.t());
    matrix.diag_mut().mapv_inplace(|v| v + 0.5);
    let texts = ["identity", "l2:3", "l2:0.2", "layernorm", "layernorm:eps=0.1,variance=unbiased", "tanh", "tanh:0.3"];
    let mut posts: Vec<Post> = texts.into_iter().chain(["sign"]).map(|text| text.parse().expect("sound")).collect();
    posts.push(LayerNorm::new(2.0).and_then(|norm| norm.with_delta(delta)).expect("sound").into());
    posts.push(Linear::new(matrix.view()).expect("positive definite").into());
    posts
}

/// `centre + r direction`, rounded to the type.
fn at<T: Real>(centre: &[T], r: f64, direction: &[f64]) -> Vec<T> {
    centre.iter().zip(direction).map(|(c, d)| T::of(c.wide() + r * d)).collect()
}

fn matrix<T: Real>(rows: &[Vec<T>]) -> Array2<T> {
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

fn network<'a, T: Real>(map: &Map, post: &Post, beta: f64, patterns: ArrayView2<'a, T>) -> AnyNetwork<'a, T> {
    Network::new(Scaled::with_beta(map.clone(), beta).unwrap(), post.clone(), patterns).unwrap()
}

/// States and statuses after one step of each query, in a batch.
fn stepped<T: Real>(network: &AnyNetwork<'_, T>, queries: &[Vec<T>]) -> (Array2<T>, Vec<Status>) {
    let settings = Settings { stop: Stop::Steps(1), ..Settings::default() };
    let retriever = Retriever::new(network).unwrap().with_settings(settings).unwrap();
    let found = retriever.retrieve(matrix(queries).view()).unwrap();
    (found.states, found.reports.into_iter().map(|report| report.status).collect())
}

/// Demands that one step of every query, alone and in a batch, gives `state` in every entry.
fn demand<T: Real>(network: &AnyNetwork<'_, T>, queries: &[Vec<T>], state: &[T], status: &Status) {
    let (states, statuses) = stepped(network, queries);
    for ((query, found), reached) in queries.iter().zip(states.rows()).zip(statuses) {
        assert_eq!(found.as_slice().unwrap(), state, "{network:?} from {query:?}");
        assert_eq!(reached, *status);
    }
    let alone = network.step(&queries[0]).unwrap();
    assert_eq!(alone.state, state);
}

/// The distance from `centre` at which the plane of the nearest rival is passed beyond doubt, and the direction.
fn beyond<T: Real>(centre: &[T], patterns: ArrayView2<T>, i: usize, lead: f64) -> (f64, Vec<f64>) {
    let wide = |j: usize| patterns.row(j).iter().map(|v| v.wide()).collect::<Vec<f64>>();
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let x = wide(i);
    let plane = |j: usize| {
        let apart: Vec<f64> = x.iter().zip(wide(j)).map(|(a, b)| a - b).collect();
        let along: f64 = apart.iter().zip(centre).map(|(d, c)| d * c.wide()).sum();
        let length = norm(&apart);
        let distance = (along - lead) / length;
        let size = norm(&centre.iter().map(|v| v.wide()).collect::<Vec<_>>()) + distance;
        let off = 4.0 * (WIDTH + 8) as f64 * T::epsilon().wide() * (norm(&x) + norm(&wide(j))) * size;
        let far = distance + (off + 1e-9 * lead) / length;
        (distance, far, apart.iter().map(|d| -d / length).collect::<Vec<f64>>())
    };
    let nearest = (0..patterns.nrows()).filter(|&j| j != i).map(plane).min_by(|a, b| a.0.total_cmp(&b.0));
    let (_, far, direction) = nearest.expect("there are rivals");
    (far, direction)
}

fn patterns_of<T: Real>(post: &Post, seed: u64) {
    let mut draw = Draw(seed);
    let (mut around_states, mut around_patterns, mut lost, mut other, mut moved) = (0, 0, 0, 0, 0);
    for round in 0..10_000 {
        if around_states >= QUERIES && around_patterns >= QUERIES {
            break;
        }
        let n = 2 + draw.below(7);
        let patterns = draw.patterns::<T>(n, WIDTH);
        let map: Map = ["sparsemax", "entmax:1.5", "entmax:2.4", "normmax:5", "subsets:1"][round % 5].parse().unwrap();
        let beta = (1.0 + 2.0 * draw.normal()).exp();
        let network = network(&map, post, beta, patterns.view());
        let certifier = Certifier::new(patterns.view(), &map, beta).unwrap().post(post);
        for certificate in certifier.certificates().unwrap() {
            let Certificate { pattern: i, radius_sharp, radius_pattern, .. } = certificate;
            let x = patterns.row(i).to_vec();
            let mut state = x.clone();
            post.argmax(&mut state).unwrap();
            assert_eq!(certifier.state(i).unwrap(), state);
            assert_eq!(certificate.moved == 0.0, state == x, "{post}");
            moved += usize::from(certificate.moved > 0.0);
            let about = Status::Pattern(i);
            for (centre, radius, count) in
                [(&state, radius_sharp, &mut around_states), (&x, radius_pattern, &mut around_patterns)]
            {
                if !(radius > 0.0 && radius.is_finite()) {
                    continue;
                }
                let (far, nearest) = beyond(centre, patterns.view(), i, certifier.lead());
                let mut queries: Vec<Vec<T>> = (0..16)
                    .map(|k| at(centre, radius * [1.0, 1.0, 1.0 - 1e-7, 0.5][k % 4], &draw.direction(WIDTH)))
                    .collect();
                queries.extend([at(centre, radius, &nearest), centre.clone()]);
                demand(&network, &queries, &state, &about);
                *count += queries.len();
                // Sharp: just outside, some weight is on another pattern, though it may be too small to change the
                // state.
                let outside = at(centre, far, &nearest);
                let weights = network.step(&outside).unwrap().weights;
                let all = (0..n).all(|j| weights[j] == if i == j { T::one() } else { T::zero() });
                assert!(!all, "{post}, {map} at {beta}: {patterns:?} {outside:?} {certificate:?}");
                let (states, statuses) = stepped(&network, std::slice::from_ref(&outside));
                assert_ne!(statuses[0], about);
                other += usize::from(states.row(0).as_slice().unwrap() != state);
                lost += 1;
            }
            if radius_sharp > 0.0 {
                // A fixed point of the whole update: it is reached, and every further step returns it.
                assert!(certificate.fixed_point);
                let settings = Settings { stop: Stop::FixedPoint { limit: 3 }, ..Settings::default() };
                let retriever = Retriever::new(&network).unwrap().with_settings(settings).unwrap();
                let found = retriever.retrieve(matrix(std::slice::from_ref(&state)).view()).unwrap();
                assert_eq!((found.reports[0].stopped, found.reports[0].steps), (Stopped::FixedPoint, 1));
                assert_eq!(found.states.row(0).as_slice().unwrap(), state);
            }
            assert!(certificate.recalled || radius_pattern == 0.0);
        }
    }
    println!(
        "{post}: {around_states} around states, {around_patterns} around patterns, {lost} outside, {other} other states"
    );
    assert!(around_states >= QUERIES && around_patterns >= QUERIES && lost >= 100, "{post}");
    assert!(other >= 25 || matches!(post, Post::Sign(_)), "{post}: {other} of {lost} states differ just outside");
    assert_eq!(moved > 0, !Convex::<T>::is_identity(post), "{post}");
}

#[test]
fn what_is_certified_is_what_a_step_returns() {
    for (seed, post) in posts(&mut Draw(11)).iter().enumerate() {
        patterns_of::<f64>(post, 20 + seed as u64);
        patterns_of::<f32>(post, 40 + seed as u64);
    }
}

fn associations_of<T: Real>(post: &Post, seed: u64) {
    let (mut draw, mut subsets, mut sequences) = (Draw(seed), 0, 0);
    for round in 0..20_000 {
        if subsets >= QUERIES && sequences >= QUERIES {
            break;
        }
        let n = 4 + draw.below(6);
        let patterns = draw.patterns::<T>(n, WIDTH);
        let (k, beta) = (2 + draw.below(2), (1.0 + 2.0 * draw.normal()).exp());
        let (members, radius, map, count) = if round % 2 == 0 {
            let map: Map = format!("subsets:{k}").parse().unwrap();
            let certifier = Certifier::new(patterns.view(), &map, beta).unwrap().post(post);
            let members = certifier.guarantee(&at(&[T::zero(); WIDTH], 3.0, &draw.direction(WIDTH))).unwrap().best;
            (members.clone(), certifier.association(&members).unwrap().radius_sharp, map, &mut subsets)
        } else {
            let structures = SparseMap::new(Sequence::new(k).unwrap().transition(1.0).unwrap());
            let certifier = StructuredCertifier::new(patterns.view(), &structures, beta).unwrap().post(post);
            let first = draw.below(n - k);
            let members: Vec<usize> = (first..first + k).collect();
            let radius = certifier.association(&members).unwrap().radius;
            (members, radius, format!("sequence:{k}:t=1:reg=on").parse().unwrap(), &mut sequences)
        };
        if !(radius > 0.0 && radius.is_finite()) {
            continue;
        }
        let mut state = vec![T::zero(); WIDTH];
        members.iter().for_each(|&i| state.iter_mut().zip(patterns.row(i)).for_each(|(s, &x)| *s += x));
        post.argmax(&mut state).unwrap();
        let mut queries: Vec<Vec<T>> = (0..40).map(|_| at(&state, radius, &draw.direction(WIDTH))).collect();
        queries.push(state.clone());
        let network = network(&map, post, beta, patterns.view());
        // In a batch, and by one alone, whose work threads share.
        demand(&network, &queries, &state, &Status::Association(members.clone()));
        demand(&network, &queries[..1], &state, &Status::Association(members));
        *count += queries.len();
    }
    println!("{post}: {subsets} around k-subsets, {sequences} around sequences");
    assert!(subsets >= QUERIES && sequences >= QUERIES, "{post}: {subsets} and {sequences}");
}

#[test]
fn associations_with_every_post_transformation() {
    for (seed, post) in posts(&mut Draw(11)).iter().enumerate() {
        associations_of::<f64>(post, 60 + seed as u64);
        associations_of::<f32>(post, 80 + seed as u64);
    }
}

/// Where Ψ is not defined by its argument alone: a pattern of zeros, a constant one, entries of zero.
#[test]
fn patterns_at_the_kinks_of_post_transformations() {
    let patterns = ndarray::array![[0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [3.0, 0.0, -1.0]];
    let map: Map = "sparsemax".parse().unwrap();
    for (text, state, fixed) in [
        ("l2", [0.0, 0.0, 0.0], [false, true, true]),
        ("layernorm", [0.0, 0.0, 0.0], [false, false, true]),
        ("layernorm:delta=0;3;0", [0.0, 3.0, 0.0], [false, true, false]),
        ("sign", [0.0, 0.0, 0.0], [false, true, true]),
    ] {
        let post: Post = text.parse().unwrap();
        let network = network(&map, &post, 10.0, patterns.view());
        let certifier = Certifier::new(patterns.view(), &map, 10.0).unwrap().post(&post);
        assert_eq!(certifier.state(0).unwrap(), state, "{text}");
        for certificate in certifier.certificates().unwrap() {
            let i = certificate.pattern;
            assert_eq!(certificate.fixed_point, fixed[i], "{text}: {certificate:?}");
            let centre = certifier.state(i).unwrap();
            if certificate.fixed_point {
                assert_eq!(network.step(&centre).unwrap().state, centre, "{text}: pattern {i}");
            } else {
                assert_eq!(certificate.radius_sharp, 0.0);
            }
        }
    }
    let certifier = Certifier::new(patterns.view(), &map, 1.0).unwrap();
    assert_eq!(certifier.state(3).unwrap_err().to_string(), "pattern = 3: must be one of the stored patterns");
}

/// Keys and separate values: certified are the keys, recalled is Ψ of the value.
#[test]
fn hetero_associations_recall_the_value() {
    let (mut draw, mut tried) = (Draw(91), 0);
    let post: Post = "l2:2".parse().unwrap();
    while tried < QUERIES {
        let (keys, values) = (draw.patterns::<f64>(5, WIDTH), draw.patterns::<f64>(5, 3));
        let map: Map = "entmax:1.5".parse().unwrap();
        let network = network(&map, &post, 2.0, keys.view()).with_values(values.view()).unwrap();
        for certificate in Certifier::new(keys.view(), &map, 2.0).unwrap().certificates().unwrap() {
            let mut recalled = values.row(certificate.pattern).to_vec();
            post.argmax(&mut recalled).unwrap();
            for _ in 0..if certificate.radius_sharp > 0.0 { 10 } else { 0 } {
                let key = keys.row(certificate.pattern).to_vec();
                let query = at(&key, certificate.radius_sharp, &draw.direction(WIDTH));
                assert_eq!(network.step(&query).unwrap().state, recalled);
                tried += 1;
            }
        }
    }
}
