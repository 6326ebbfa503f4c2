//! Fenchel-Young losses over batches: targets, reductions, ignored rows, masks, gradients.

use crate::common::describe::{cap, every_map, label, mass};
use crate::common::differences::{agree, gradient};
use crate::common::random::Random;
use crate::common::{reference, says};
use half::{bf16, f16};
use hfy::{Convex, Element, Entmax, FenchelYoung, Map, Mask, Real, Reduction, Subsets, Targets};
use ndarray::{Array2, ArrayView2, array};

const ROWS: usize = 4;
const N: usize = 6;

fn scores(seed: u64) -> Array2<f64> {
    let mut random = Random::new(seed);
    Array2::from_shape_fn((ROWS, N), |_| random.normal() * 0.8)
}

/// Random points of the domain, one a row.
fn dense(map: &Map, seed: u64) -> Array2<f64> {
    let mut random = Random::new(seed);
    let rows: Vec<f64> = (0..ROWS).flat_map(|_| reference::solve(map, &random.normals::<f64>(N, 1.0))).collect();
    Array2::from_shape_vec((ROWS, N), rows).unwrap()
}

/// Every kind of target that the map can take, each with the same points written out.
fn targets(map: &Map) -> Vec<(Targets<'static, f64>, Array2<f64>)> {
    const CLASSES: [i64; ROWS] = [0, 5, 2, 2];
    static SETS: std::sync::LazyLock<Vec<Vec<usize>>> =
        std::sync::LazyLock::new(|| vec![vec![0, 1], vec![5, 2], vec![3, 4], vec![1, 3]]);
    let whole = mass(map).unwrap_or(1.0);
    let one_hot = Array2::from_shape_fn((ROWS, N), |(i, j)| f64::from(j as i64 == CLASSES[i]));
    let share = mass(map).map_or(1.0, |mass| mass / 2.0);
    let pairs = Array2::from_shape_fn((ROWS, N), |(i, j)| if SETS[i].contains(&j) { share } else { 0.0 });
    let mut kinds = vec![(Targets::OneHot(&CLASSES), one_hot), (Targets::KHot(&SETS), pairs)];
    // One unit on one entry is a point of the domain only where the mass is one and the bounds allow it.
    kinds.retain(|(kind, points)| {
        let fits = |((_, j), y): ((usize, usize), &f64)| *y <= cap(map, j);
        (whole == 1.0 || matches!(kind, Targets::KHot(_))) && points.indexed_iter().all(fits)
    });
    kinds
}

#[track_caller]
fn check(map: &Map, kind: &Targets<'_, f64>, points: ArrayView2<'_, f64>, seen: &mut usize) {
    let theta = scores(3);
    let name = label(map);
    let row = |i: usize| map.loss(&theta.row(i).to_vec(), &points.row(i).to_vec()).unwrap();
    let each: Vec<f64> = (0..ROWS).map(row).collect();
    assert!(each.iter().all(|l| *l >= 0.0), "{name}: a loss is negative in {each:?}");
    for (reduction, expected) in [
        (Reduction::Mean, each.iter().sum::<f64>() / ROWS as f64),
        (Reduction::Sum, each.iter().sum()),
        (Reduction::None, each.iter().sum()),
    ] {
        let loss = FenchelYoung::new(map).reduction(reduction);
        let losses = loss.evaluate(theta.view(), kind).unwrap();
        assert_eq!((&losses.rows, losses.counted), (&each, ROWS), "{name}");
        assert!((losses.value - expected).abs() <= 1e-15 * (1.0 + expected), "{name}: {}", losses.value);
        let got = loss.gradient(theta.view(), kind).unwrap();
        let flat = theta.as_slice().unwrap();
        let value = |flat: &[f64]| loss.evaluate(ArrayView2::from_shape((ROWS, N), flat).unwrap(), kind).unwrap().value;
        // The loss has a continuous gradient, but kinks in it cost the difference two orders.
        agree(&name, got.as_slice().unwrap(), &gradient(value, flat, 1e-6), 1e-6);
        let scale = if reduction == Reduction::Mean { 1.0 / ROWS as f64 } else { 1.0 };
        for i in 0..ROWS {
            let mut exact = theta.row(i).to_vec();
            map.loss_gradient(&mut exact, &points.row(i).to_vec()).unwrap();
            exact.iter_mut().for_each(|g| *g *= scale);
            agree(&name, &got.row(i).to_vec(), &exact, 1e-15);
        }
    }
    *seen += 1;
}

#[test]
fn every_map_takes_every_target_of_its_domain() {
    let mut seen = 0;
    for map in every_map(N) {
        for (kind, points) in targets(&map) {
            check(&map, &kind, points.view(), &mut seen);
        }
        let points = dense(&map, 5);
        check(&map, &Targets::Dense(points.view()), points.view(), &mut seen);
    }
    assert!(seen > 70, "only {seen} combinations");
}

#[test]
fn a_loss_vanishes_exactly_where_the_target_is_the_map() {
    for map in every_map(N) {
        let theta = scores(7);
        let mut own = theta.clone();
        own.rows_mut().into_iter().for_each(|mut row| {
            map.argmax(row.as_slice_mut().unwrap()).unwrap();
        });
        let losses = FenchelYoung::new(&map).evaluate(theta.view(), &Targets::Dense(own.view())).unwrap();
        assert!(losses.rows.iter().all(|l| *l <= 1e-15 * 8.0), "{}: {:?} at the map", label(&map), losses.rows);
        let other = dense(&map, 8);
        let losses = FenchelYoung::new(&map).evaluate(theta.view(), &Targets::Dense(other.view())).unwrap();
        for (i, loss) in losses.rows.iter().enumerate() {
            let apart = other.row(i).iter().zip(own.row(i)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let vanishes = *loss <= 1e-14;
            assert!(
                if apart > 1e-6 { !vanishes } else { apart > 1e-14 || vanishes },
                "{}: loss {loss:e} at a distance of {apart:e}",
                label(&map)
            );
        }
    }
}

#[test]
fn ignored_and_empty_rows_do_not_count() {
    let mut theta = scores(9);
    theta.row_mut(3).fill(f64::NEG_INFINITY);
    for map in [Entmax::SOFTMAX, Entmax::ENTMAX15, Entmax::SPARSEMAX] {
        let all = FenchelYoung::new(&map).reduction(Reduction::None);
        let plain = all.evaluate(theta.view(), &Targets::OneHot(&[1, 2, 3, 0])).unwrap();
        assert_eq!((plain.counted, plain.rows[3]), (3, 0.0));
        let loss = FenchelYoung::new(&map).ignore_index(-100).ignore_rows(&[false, true, false, false]);
        let classes = Targets::OneHot(&[1, 2, -100, 0]);
        let losses = loss.evaluate(theta.view(), &classes).unwrap();
        assert_eq!(
            (losses.counted, losses.value, &losses.rows),
            (1, plain.rows[0], &vec![plain.rows[0], 0.0, 0.0, 0.0])
        );
        let gradient = loss.gradient(theta.view(), &classes).unwrap();
        assert!(gradient.row(0).iter().any(|g| *g != 0.0) && gradient.iter().all(|g| g.is_finite()));
        assert!((1..ROWS).all(|i| gradient.row(i).iter().all(|g| *g == 0.0)));
        // No row left: zero, not 0/0. Nor is a bad score looked at in a row that does not count.
        theta[[0, 0]] = f64::NAN;
        let none = FenchelYoung::new(&map).ignore_rows(&[true; ROWS]);
        let losses = none.evaluate(theta.view(), &classes).unwrap();
        assert_eq!((losses.counted, losses.value), (0, 0.0));
        assert_eq!(none.gradient(theta.view(), &classes).unwrap(), Array2::<f64>::zeros((ROWS, N)));
        theta[[0, 0]] = 0.0;
    }
}

/// Where a peer multiplies a zero weight with minus infinity and gets NaN.
#[test]
fn masked_scores_give_the_loss_of_the_shorter_row() {
    let theta = array![[0.3, -0.2, 0.9, 0.1], [0.5, 1.5, -0.5, 0.0]];
    let hidden = array![false, true, false, true];
    let short = array![[0.3, 0.9], [0.5, -0.5]];
    for name in [
        "softmax",
        "sparsemax",
        "entmax:1.5",
        "entmax:1.2",
        "entmax:3",
        "normmax:2",
        "normmax:inf",
        "subsets:1",
        "exponential",
        "quadratic",
    ] {
        let map: Map = name.parse().unwrap();
        let masked = FenchelYoung::new(&map).mask(Mask::hiding(hidden.view()));
        let (long_targets, short_targets) = (Targets::OneHot(&[0, 2]), Targets::OneHot(&[0, 1]));
        let got = masked.evaluate(theta.view(), &long_targets).unwrap();
        let want = FenchelYoung::new(&map).evaluate(short.view(), &short_targets).unwrap();
        agree(name, &got.rows, &want.rows, 1e-15);
        let got = masked.gradient(theta.view(), &long_targets).unwrap();
        let want = FenchelYoung::new(&map).gradient(short.view(), &short_targets).unwrap();
        for i in 0..2 {
            agree(name, &got.row(i).to_vec(), &[want[[i, 0]], 0.0, want[[i, 1]], 0.0], 1e-15);
        }
        // A target on a hidden entry cannot be met; the loss says so, and no NaN comes of it.
        let lost = masked.evaluate(theta.view(), &Targets::OneHot(&[1, 3])).unwrap();
        let infinite = name != "quadratic";
        assert!(lost.rows.iter().all(|l| l.is_infinite() == infinite && !l.is_nan()), "{name}: {:?}", lost.rows);
    }
}

#[test]
fn half_types_are_computed_in_single_precision() {
    fn check<E: Element<Compute = f32>>(unit: f64) {
        let wide = scores(11);
        let theta = wide.mapv(|x| E::store(x as f32));
        let exact = theta.mapv(|x| f64::from(x.load()));
        // Weights rounded to a half type no longer sum to one as closely as single precision could check.
        let points = dense(&Map::Entmax(Entmax::SOFTMAX), 12);
        let stored = points.mapv(|x| E::store(x as f32));
        let map = Entmax::ENTMAX15;
        let got = FenchelYoung::new(&map).evaluate(theta.view(), &Targets::Dense(stored.view())).unwrap();
        let want = FenchelYoung::new(&map).evaluate(exact.view(), &Targets::Dense(points.view())).unwrap();
        for (got, want) in got.rows.iter().zip(&want.rows) {
            // What the rounding of the target is worth: its scores and marginals are of order one.
            assert!((got.wide() - want).abs() <= 8.0 * unit, "{got} and {want}");
        }
        let classes = Targets::OneHot(&[0, 1, 2, 3]);
        let got = FenchelYoung::new(&map).evaluate(theta.view(), &classes).unwrap();
        let want = FenchelYoung::new(&map).evaluate(exact.view(), &Targets::OneHot(&[0, 1, 2, 3])).unwrap();
        assert!((got.value.wide() - want.value).abs() <= 8.0 * f64::from(f32::EPSILON), "{} {}", got.value, want.value);
        let got = FenchelYoung::new(&map).gradient(theta.view(), &classes).unwrap();
        let want = FenchelYoung::new(&map).gradient(exact.view(), &Targets::OneHot(&[0, 1, 2, 3])).unwrap();
        // One rounding of the difference and one of the mean.
        assert!(got.iter().zip(&want).all(|(g, w)| (g.load().wide() - w).abs() <= 2.0 * unit * w.abs() + 1e-7));
    }
    check::<f16>(2f64.powi(-11));
    check::<bf16>(2f64.powi(-8));
}

#[test]
fn threads_and_layout_change_nothing() {
    let mut random = Random::new(13);
    let theta = Array2::from_shape_fn((90, 700), |_| random.normal());
    let classes: Vec<i64> = (0..90).map(|i| (i * 7) % 700).collect();
    let loss = FenchelYoung::new(&Entmax::ENTMAX15);
    let turned = theta.t().as_standard_layout().into_owned();
    let [a, b] = [theta.view(), turned.t()].map(|view| loss.evaluate(view, &Targets::OneHot(&classes)).unwrap());
    assert_eq!(a, b);
    let each = |i: usize| {
        let mut target = vec![0.0; 700];
        target[classes[i] as usize] = 1.0;
        Entmax::ENTMAX15.loss(&theta.row(i).to_vec(), &target).unwrap()
    };
    assert_eq!(a.rows, (0..90).map(each).collect::<Vec<f64>>());
}

#[test]
fn misuse_is_named() {
    let theta = scores(14);
    let loss = FenchelYoung::new(&Entmax::SPARSEMAX);
    let one_hot = |classes: &[i64]| loss.evaluate(theta.view(), &Targets::OneHot(classes));
    says(one_hot(&[0, 1, 2]), &["targets", "[3]", "[4]"]);
    says(one_hot(&[0, 1, 6, 2]), &["targets", "= 6", "row 2", "index into the row"]);
    says(one_hot(&[0, -100, 1, 2]), &["targets", "= -100", "row 1", "index"]);
    says(loss.gradient(theta.view(), &Targets::OneHot(&[0, 1, 2, 9])), &["targets", "= 9", "row 3"]);
    let sets = |sets: &[Vec<usize>]| loss.evaluate(theta.view(), &Targets::KHot(sets));
    says(sets(&[vec![0]]), &["targets", "[1]", "[4]"]);
    says(sets(&[vec![0], vec![1, 6], vec![2], vec![3]]), &["targets", "= 6", "row 1"]);
    says(sets(&[vec![0], vec![], vec![2], vec![3]]), &["targets", "row 1", "domain"]);
    says(sets(&[vec![0], vec![3, 3], vec![2], vec![3]]), &["targets", "row 1", "domain"]);
    let wrong = Array2::<f64>::zeros((ROWS, N - 1));
    says(loss.evaluate(theta.view(), &Targets::Dense(wrong.view())), &["targets", "[4, 5]", "[4, 6]"]);
    let mut points = dense(&Map::Entmax(Entmax::SPARSEMAX), 1);
    points[[2, 0]] += 0.01;
    says(loss.evaluate(theta.view(), &Targets::Dense(points.view())), &["targets", "row 2", "domain"]);
    says(loss.gradient(theta.view(), &Targets::Dense(points.view())), &["targets", "row 2", "domain"]);
    points[[2, 0]] = f64::NAN;
    says(loss.evaluate(theta.view(), &Targets::Dense(points.view())), &["targets", "row 2", "domain"]);
    let pair = Subsets::new(2.0).unwrap();
    let classes = Targets::OneHot(&[0, 1, 2, 3]);
    says(FenchelYoung::new(&pair).evaluate(theta.view(), &classes), &["targets", "row 0", "domain"]);
    says(loss.clone().ignore_rows(&[true]).evaluate(theta.view(), &classes), &["ignore_rows", "[1]", "[4]"]);
    let flags = array![true, false];
    says(loss.clone().mask(Mask::hiding(flags.view())).evaluate(theta.view(), &classes), &["mask", "[2]", "[4, 6]"]);
    let mut bad = theta.clone();
    bad[[3, 4]] = f64::INFINITY;
    says(loss.evaluate(bad.view(), &classes), &["scores[4] = inf in row 3", "finite"]);
    says(loss.gradient(bad.view(), &classes), &["scores[4] = inf in row 3"]);
}

#[test]
fn losses_and_gradients_in_one_pass() {
    let theta = scores(8);
    let classes = Targets::OneHot(&[0, 5, -1, 2]);
    for map in [Map::from(Entmax::SPARSEMAX), Map::from(Entmax::SOFTMAX)] {
        for reduction in [Reduction::Mean, Reduction::Sum, Reduction::None] {
            let loss = FenchelYoung::new(&map).reduction(reduction).ignore_index(-1);
            let (losses, gradient) = loss.with_gradient(theta.view(), &classes).unwrap();
            assert_eq!(losses, loss.evaluate(theta.view(), &classes).unwrap());
            assert_eq!(gradient, loss.gradient(theta.view(), &classes).unwrap());
        }
    }
}

#[test]
fn a_map_for_each_row() {
    let theta = scores(9);
    let maps = [1.0, 1.5, 2.0, 3.0].map(|alpha| Entmax::new(alpha).unwrap());
    let each: Vec<&Entmax> = maps.iter().collect();
    let classes = [0, 5, 2, 2];
    let losses = FenchelYoung::each(&each).evaluate(theta.view(), &Targets::OneHot(&classes)).unwrap();
    for (row, map) in maps.iter().enumerate() {
        let one = theta.row(row).insert_axis(ndarray::Axis(0));
        let alone = FenchelYoung::new(map).evaluate(one, &Targets::OneHot(&classes[row..=row])).unwrap();
        assert_eq!(losses.rows[row], alone.value);
    }
    says(
        FenchelYoung::each(&each[1..]).evaluate(theta.view(), &Targets::OneHot(&classes)).map(|_| ()),
        &["maps has shape [3], expected [4]"],
    );
}
