//! Queries at, inside and outside of the certified radius, put through the map.

use crate::common::draw::Draw;
use hfy::certify::Sphere;
use hfy::{Ball, Batch, Certificate, Certifier, Convex, Entmax, LayerNorm, Map, Post, Real, Scaled};
use ndarray::{Array2, ArrayView2};

const MAPS: [&str; 9] = [
    "sparsemax",
    "entmax:1.5",
    "entmax:1.3",
    "entmax:3",
    "entmax:2.4",
    "argmax",
    "normmax:2",
    "normmax:5",
    "subsets:1",
];

/// Scores summed in three orders.
fn scores<T: Real>(patterns: ArrayView2<T>, query: &[T]) -> [Vec<T>; 3] {
    let mut product = vec![T::zero(); patterns.nrows()];
    T::products(query, patterns.as_slice().unwrap(), query.len(), &mut product);
    let sum = |backwards: bool| {
        let one = |x: &[T]| {
            let mut terms: Vec<T> = x.iter().zip(query).map(|(&a, &b)| a * b).collect();
            if backwards {
                terms.reverse();
            }
            terms.into_iter().sum::<T>()
        };
        patterns.rows().into_iter().map(|x| one(x.as_slice().unwrap())).collect()
    };
    [product, sum(false), sum(true)]
}

/// Whether the map puts exactly all weight on the members, for scores in every order.
fn returns<T: Real>(patterns: ArrayView2<T>, map: &Map, beta: f64, query: &[T], members: &[usize]) -> bool {
    let map = Scaled::with_beta(map.clone(), beta).unwrap();
    scores(patterns, query).into_iter().all(|mut y| {
        map.argmax(&mut y).unwrap();
        y.iter().enumerate().all(|(j, &y)| y == if members.contains(&j) { T::one() } else { T::zero() })
    })
}

/// `centre + r direction`, rounded to the type.
fn at<T: Real>(centre: &[T], r: f64, direction: &[f64]) -> Vec<T> {
    centre.iter().zip(direction).map(|(c, d)| T::of(c.wide() + r * d)).collect()
}

/// From `i` to `j`.
fn towards<T: Real>(patterns: ArrayView2<T>, i: usize, j: usize) -> Vec<f64> {
    let d: Vec<f64> = patterns.row(i).iter().zip(patterns.row(j)).map(|(a, b)| b.wide() - a.wide()).collect();
    let length = d.iter().map(|d| d * d).sum::<f64>().sqrt();
    d.iter().map(|v| v / length).collect()
}

/// Beyond what rounding took from the radius, twice.
fn outside<T: Real>(certifier: &Certifier<T>, c: &[T], xi: &[T], xj: &[T]) -> f64 {
    let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(a, b)| a.wide() * b.wide()).sum::<f64>();
    let difference: Vec<f64> = xi.iter().zip(xj).map(|(a, b)| a.wide() - b.wide()).collect();
    let along: f64 = c.iter().zip(&difference).map(|(c, d)| c.wide() * d).sum();
    let distance = difference.iter().map(|d| d * d).sum::<f64>().sqrt();
    let radius = (along - certifier.lead()) / distance;
    let both = dot(xi, xi).sqrt() + dot(xj, xj).sqrt();
    let off = 4.0 * (c.len() + 8) as f64 * T::epsilon().wide() * both * (dot(c, c).sqrt() + radius);
    radius + (off + 1e-9 * certifier.lead()) / distance
}

fn radii<T: Real>(seed: u64) -> (usize, usize) {
    let (mut draw, mut held, mut failed) = (Draw(seed), 0, 0);
    for round in 0..180 {
        let map: Map = MAPS[round % MAPS.len()].parse().unwrap();
        let (n, d) = (2 + draw.below(20), [1, 2, 3, 7, 33][draw.below(5)]);
        let patterns = draw.patterns::<T>(n, d);
        let patterns = patterns.view();
        let beta = (3.0 * draw.normal()).exp();
        let certifier = Certifier::new(patterns, &map, beta).unwrap();
        for Certificate { pattern: i, fixed_point, radius_paper, radius_sharp: r, boundary, .. } in
            certifier.certificates().unwrap()
        {
            assert!(radius_paper <= r && (r == 0.0 || fixed_point));
            if r == 0.0 {
                continue;
            }
            let row = patterns.row(i);
            let x = row.as_slice().unwrap();
            let nearest = towards(patterns, i, boundary.expect("a finite radius has a boundary"));
            let mut directions: Vec<Vec<f64>> = (0..8).map(|_| draw.direction(d)).collect();
            directions.extend((0..n).filter(|&j| j != i).map(|j| towards(patterns, i, j)));
            directions.extend([nearest.clone(), nearest.iter().map(|v| -v).collect()]);
            for direction in &directions {
                for share in [1.0, 1.0 - 1e-7, 0.5, 0.0] {
                    let query = at(x, share * r, direction);
                    assert!(returns(patterns, &map, beta, &query, &[i]), "{map} beta {beta} pattern {i} of {patterns}");
                    assert_eq!(certifier.guarantee(&query).unwrap().pattern(), Some(i));
                    held += 1;
                }
            }
            let rival = patterns.row(boundary.unwrap());
            let beyond = at(x, outside(&certifier, x, x, rival.as_slice().unwrap()), &nearest);
            assert!(!returns(patterns, &map, beta, &beyond, &[i]), "{map} beta {beta} pattern {i}: not sharp");
            assert_ne!(certifier.guarantee(&beyond).unwrap().pattern(), Some(i));
            failed += 1;
        }
    }
    (held, failed)
}

#[test]
fn queries_within_the_radius_return_and_beyond_it_are_lost() {
    for (name, (held, failed)) in [("f32", radii::<f32>(1)), ("f64", radii::<f64>(2))] {
        println!("{name}: {held} queries inside returned, {failed} outside were lost");
        assert!(held > 1000 && failed > 100);
    }
}

fn with_post<T: Real + hfy::Element<Compute = T>>(seed: u64) {
    let mut draw = Draw(seed);
    let posts: [Post; 4] = [
        Ball::new(3.0).unwrap().into(),
        LayerNorm::new(1.5).unwrap().into(),
        "tanh:2".parse().unwrap(),
        LayerNorm::default().with_epsilon(1e-5).unwrap().into(),
    ];
    let mut tried = 0;
    for round in 0..120 {
        let post = &posts[round % posts.len()];
        let (n, d) = (2 + draw.below(10), 2 + draw.below(9));
        let raw = draw.patterns::<T>(n, d);
        // Every other time the patterns are transformed before they are stored.
        let keys = if round % 8 < 4 { raw } else { Batch::new(post).map(raw.view()).unwrap().0 };
        let (map, beta): (Map, f64) = ("entmax:1.5".parse().unwrap(), 1.0 + 20.0 * draw.uniform());
        let certifier = Certifier::new(keys.view(), &map, beta).unwrap().post(post);
        for certificate in certifier.certificates().unwrap() {
            let i = certificate.pattern;
            let step = |z: &[T]| {
                let mut q = z.to_vec();
                post.argmax(&mut q).unwrap();
                q
            };
            let centre = step(keys.row(i).as_slice().unwrap());
            if round % 8 >= 4 && post.is_idempotent() {
                assert!(certificate.moved <= 40.0 * T::epsilon().wide());
            }
            if certificate.radius_sharp == 0.0 {
                continue;
            }
            for _ in 0..6 {
                let query = at(&centre, certificate.radius_sharp, &draw.direction(d));
                assert!(returns(keys.view(), &map, beta, &query, &[i]));
                // All weight on pattern i, so the next state is its transformation, and from there on nothing moves.
                assert!(returns(keys.view(), &map, beta, &centre, &[i]));
                tried += 1;
            }
            let j = certificate.boundary.unwrap();
            let (xi, xj) = (keys.row(i), keys.row(j));
            let far = outside(&certifier, &centre, xi.as_slice().unwrap(), xj.as_slice().unwrap());
            assert!(!returns(keys.view(), &map, beta, &at(&centre, far, &towards(keys.view(), i, j)), &[i]));
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn post_transformations() {
    with_post::<f32>(3);
    with_post::<f64>(4);
}

#[test]
fn associations() {
    let (mut draw, mut tried) = (Draw(5), 0);
    for _ in 0..300 {
        let (n, d) = (3 + draw.below(10), 2 + draw.below(12));
        let patterns = draw.patterns::<f64>(n, d);
        let k = 1 + draw.below(n - 1);
        let (map, beta) = (format!("subsets:{k}").parse::<Map>().unwrap(), (2.0 * draw.normal()).exp());
        let certifier = Certifier::new(patterns.view(), &map, beta).unwrap();
        // The k patterns that a random query likes best.
        let members = certifier.guarantee(&draw.direction(d)).unwrap().best;
        let found = certifier.association(&members).unwrap();
        assert!(found.radius_paper <= found.radius_sharp && found.sufficient <= found.fixed_point);
        let Some((i, j)) = found.boundary else { continue };
        let mut centre = vec![0.0; d];
        members.iter().for_each(|&i| centre.iter_mut().zip(patterns.row(i)).for_each(|(c, x)| *c += x));
        for _ in 0..20 {
            let query = at(&centre, found.radius_sharp, &draw.direction(d));
            assert!(returns(patterns.view(), &map, beta, &query, &members), "{map} beta {beta} {members:?}");
            assert_eq!(certifier.guarantee(&query).unwrap().best, members);
            tried += 1;
        }
        let worst = towards(patterns.view(), i, j);
        assert!(returns(patterns.view(), &map, beta, &at(&centre, found.radius_sharp, &worst), &members));
        let beyond = at(&centre, found.radius_sharp * (1.0 + 1e-6) + 1e-9, &worst);
        assert!(!returns(patterns.view(), &map, beta, &beyond, &members), "{map} beta {beta} {members:?}: not sharp");
    }
    assert!(tried > 300, "{tried}");
}

fn tiles<T: Real>(seed: u64) {
    let mut draw = Draw(seed);
    for post in [None, Some(Post::from(Ball::new(2.0).unwrap()))] {
        let patterns: Array2<T> = draw.patterns(257, 19);
        let certifier = |serial: bool, tile: (usize, usize)| {
            let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 3.0).unwrap();
            let certifier = certifier.tile(tile.0, tile.1);
            let certifier = if serial { certifier.serial() } else { certifier };
            match &post {
                Some(post) => certifier.post(post).certificates().unwrap(),
                None => certifier.certificates().unwrap(),
            }
        };
        let first = certifier(true, (128, 1024));
        for tile in [(1, 1), (3, 7), (64, 100), (300, 300)] {
            assert_eq!(first, certifier(false, tile), "{tile:?}");
        }
        // Against the definition, pair by pair; patterns laid out by columns are the same patterns.
        let mut columns = Array2::from_elem((19, 257), T::zero());
        columns.assign(&patterns.t());
        for c in first.iter().step_by(16) {
            let mut state = patterns.row(c.pattern).to_vec();
            if let Some(post) = &post {
                post.argmax(&mut state).unwrap();
            }
            let wide = |j: usize| patterns.row(j).iter().zip(&state).map(|(x, c)| x.wide() * c.wide()).sum::<f64>();
            let rivals = (0..257).filter(|&j| j != c.pattern).map(wide).fold(f64::NEG_INFINITY, f64::max);
            assert!((c.separation - (wide(c.pattern) - rivals)).abs() <= 1e-9 * wide(c.pattern).abs().max(1.0));
        }
        if post.is_none() {
            let other = Certifier::new(columns.t(), &Entmax::SPARSEMAX, 3.0).unwrap();
            assert_eq!(other.certificates().unwrap(), first);
        }
    }
}

#[test]
fn tiles_threads_and_layout_change_nothing() {
    tiles::<f32>(6);
    tiles::<f64>(7);
}

fn curves<T: Real>(seed: u64) {
    let mut draw = Draw(seed);
    for _ in 0..40 {
        let patterns = draw.patterns::<T>(60, 12);
        let map: Map = MAPS[draw.below(5)].parse().unwrap();
        let certifier = |beta| Certifier::new(patterns.view(), &map, beta).unwrap();
        let share =
            |beta| certifier(beta).certificates().unwrap().iter().filter(|c| c.fixed_point).count() as f64 / 60.0;
        let curve = certifier(1.0).curve(&certifier(1.0).certificates().unwrap());
        for wanted in [0.1, 0.5, 0.9, 1.0] {
            let Some(beta) = curve.smallest_beta(wanted).unwrap() else { continue };
            assert!(share(beta) >= wanted && curve.share(beta).unwrap() == share(beta));
            assert!(share(beta * (1.0 - 8.0 * T::epsilon().wide())) < wanted, "{beta} is not the smallest");
        }
        let steps: Vec<(f64, f64)> = curve.steps().collect();
        assert!(steps.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        for &(beta, reached) in steps.iter().step_by(7) {
            assert_eq!(curve.share(beta).unwrap(), reached);
        }
    }
}

#[test]
fn smallest_temperatures() {
    curves::<f32>(8);
    curves::<f64>(9);
}

/// Random placement keeps its promise: of sets of that size, no more than the allowed share fails.
#[test]
fn random_placement() {
    let (mut draw, d, norm, beta, epsilon, failure) = (Draw(10), 12, 2.0, 2.0, 0.05, 0.3);
    let capacity = Sphere::new(d, norm, 1.0, beta).unwrap().capacity(epsilon, failure).unwrap();
    let n = capacity.random.log_patterns.unwrap().exp().floor() as usize;
    assert!((5..500).contains(&n), "{n}");
    let failures = (0..200).filter(|_| {
        let rows: Vec<f64> = (0..n).flat_map(|_| draw.direction(d)).map(|v| norm * v).collect();
        let patterns = Array2::from_shape_vec((n, d), rows).unwrap();
        let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, beta).unwrap();
        !certifier.certificates().unwrap().iter().all(|c| c.radius_paper >= epsilon)
    });
    let failures = failures.count();
    println!("{n} patterns, {failures} of 200 sets failed");
    assert!(failures as f64 <= 1.3 * failure * 200.0);
}
