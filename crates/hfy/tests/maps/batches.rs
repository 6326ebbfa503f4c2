//! Batches: axes, layouts, threads, half types, masks.

use crate::common::describe::{bounded, entmax, every_map, label, normmax, power, subsets};
use crate::common::pulled;
use crate::common::random::Random;
use half::{bf16, f16};
use hfy::{Batch, Bounded, Convex, Element, Entmax, Map, Mask, Outcome, Quadratic, Real, Scaled, Separation};
use ndarray::{Array, Array1, Array2, ArrayD, ArrayView, Axis, Dimension, IxDyn, RemoveAxis, Slice, array};

fn normals(shape: &[usize], seed: u64) -> ArrayD<f64> {
    let mut random = Random::new(seed);
    ArrayD::from_shape_fn(IxDyn(shape), |_| random.normal() * 1.5)
}

fn batch_maps() -> Vec<Map> {
    ["softmax", "sparsemax", "entmax:1.3", "entmax:3", "normmax:2", "subsets:1", "quadratic", "exponential"]
        .map(|name| name.parse().expect("the name is known"))
        .to_vec()
}

/// A row loop without any of the machinery: what a batch must reproduce to the last bit.
fn row_by_row<D: Dimension>(map: &Map, scores: ArrayView<'_, f64, D>, axis: Axis) -> Array<f64, D> {
    let mut out = scores.to_owned();
    for mut lane in out.lanes_mut(axis) {
        let mut row = lane.to_vec();
        map.argmax(&mut row).expect("sound");
        lane.assign(&Array1::from(row));
    }
    out
}

/// Every way to run a batch along every axis of a view.
fn check_view<D: Dimension + RemoveAxis>(scores: ArrayView<'_, f64, D>) {
    for map in batch_maps() {
        for axis in (0..scores.ndim()).map(Axis) {
            let batch = Batch::new(&map).axis(axis);
            let expected = row_by_row(&map, scores.view(), axis);
            let (fresh, report) = batch.map(scores.view()).expect("sound");
            assert_eq!(fresh, expected, "{map} along {axis:?} of {:?}", scores.shape());
            assert_eq!((report.rows, report.empty.len()), (scores.lanes(axis).into_iter().count(), 0));
            // Into a buffer whose rows lie apart, and in place in such a buffer.
            for update in [false, true] {
                let mut wide = ArrayD::from_elem(scores.shape().iter().map(|n| 2 * n).collect::<Vec<_>>(), f64::NAN);
                let mut apart = wide.view_mut();
                (0..scores.ndim()).for_each(|a| apart.slice_axis_inplace(Axis(a), Slice::new(0, None, -2)));
                let mut apart = apart.into_dimensionality::<D>().expect("the same number of axes");
                if update {
                    apart.assign(&scores);
                    batch.map_in_place(apart.view_mut()).expect("sound");
                } else {
                    batch.map_into(scores.view(), apart.view_mut()).expect("sound");
                }
                assert_eq!(apart, expected, "{map} along {axis:?}, in place: {update}");
            }
            let upstream = scores.mapv(|x| (3.0 * x).sin());
            let mut gradient = upstream.clone();
            batch.vjp(scores.view(), expected.view(), gradient.view_mut()).expect("sound");
            let lanes = scores.lanes(axis).into_iter().zip(upstream.lanes(axis)).zip(gradient.lanes(axis));
            for ((theta, g), got) in lanes {
                assert_eq!(got.to_vec(), pulled(&map, &theta.to_vec(), &g.to_vec()), "vjp of {map} along {axis:?}");
            }
            let mut back = upstream;
            batch.pullback(expected.view(), back.view_mut()).expect("sound");
            assert!(
                back.iter().zip(&gradient).all(|(a, b)| (a - b).abs() <= 1e-14 * (1.0 + b.abs())),
                "pullback of {map}"
            );
            let conjugates = batch.conjugate(scores.view()).expect("sound");
            let each = scores.lanes(axis).into_iter().map(|row| map.conjugate(&row.to_vec()).expect("sound"));
            assert!(conjugates.iter().copied().eq(each), "conjugates of {map} along {axis:?}");
        }
    }
}

/// The part of an array from a start on, in steps that may go backwards, for each axis.
fn cut<'a, D: Dimension>(array: &'a Array<f64, D>, cuts: &[(isize, isize)]) -> ArrayView<'a, f64, D> {
    let mut view = array.view();
    cuts.iter()
        .enumerate()
        .for_each(|(a, &(from, step))| view.slice_axis_inplace(Axis(a), Slice::new(from, None, step)));
    view
}

#[test]
fn every_axis_of_every_layout() {
    check_view(normals(&[9], 1).into_dimensionality::<ndarray::Ix1>().unwrap().view());
    let plane = normals(&[5, 37], 2).into_dimensionality::<ndarray::Ix2>().unwrap();
    check_view(plane.view());
    check_view(plane.t());
    check_view(cut(&plane, &[(0, -1), (0, -1)]));
    check_view(cut(&plane, &[(1, 2), (3, 3)]));
    let cube = normals(&[3, 4, 6], 3).into_dimensionality::<ndarray::Ix3>().unwrap();
    check_view(cube.view());
    check_view(cube.view().permuted_axes([2, 0, 1]));
    check_view(cut(&cube, &[(0, 1), (0, -1), (1, 2)]));
    check_view(normals(&[2, 3, 2, 5], 4).into_dimensionality::<ndarray::Ix4>().unwrap().view());
    check_view(normals(&[2, 3, 4], 5).view());
    // Rows that all lie on the same memory.
    check_view(array![0.3, -1.0, 2.0, 0.1].broadcast((3, 4)).unwrap());
    check_view(array![[0.5], [1.0], [-2.0]].broadcast((3, 4)).unwrap());
}

#[test]
fn threads_change_nothing() {
    let scores = normals(&[300, 700], 6).into_dimensionality::<ndarray::Ix2>().unwrap();
    for map in every_map(700).into_iter().filter(|map| !matches!(map, Map::Bounded(_))) {
        let (parallel, report) = Batch::new(&map).map(scores.view()).expect("sound");
        let (serial, serial_report) = Batch::new(&map).serial().map(scores.view()).expect("sound");
        assert!(parallel == serial && report == serial_report, "{map}");
        let [mut a, mut b] = [scores.clone(), scores.clone()];
        Batch::new(&map).vjp(scores.view(), parallel.view(), a.view_mut()).expect("sound");
        Batch::new(&map).serial().vjp(scores.view(), parallel.view(), b.view_mut()).expect("sound");
        assert_eq!(a, b, "vjp of {map}");
    }
}

/// The result of a half type is that of f64 after one rounding to the half type, up to what f32 adds. The bits of each
/// row in a batch, in a batch of the same rows in another order, in one with other neighbours, and alone.
fn check_neighbours<T: Real + Element<Compute = T>>(rows: usize, width: usize, map: &Map) {
    let mut random = Random::new((rows * width) as u64);
    let scores = Array2::from_shape_fn((rows, width), |_| <T as Real>::of(random.normal() * 2.0));
    let weights = |scores: ArrayView<'_, T, ndarray::Ix2>| Batch::new(map).map(scores).expect("sound").0;
    let upstream = scores.mapv(|x| x * x);
    let pulled = |order: &[usize], weights: &Array2<T>| {
        let (weights, upstream) = (weights.select(Axis(0), order), upstream.select(Axis(0), order));
        Batch::new(map).pulled_back(weights.view(), upstream.view()).expect("sound")
    };
    let (plain, in_order): (_, Vec<usize>) = (weights(scores.view()), (0..rows).collect());
    let pulled_in_order = pulled(&in_order, &plain);
    let reversed: Vec<usize> = (0..rows).rev().collect();
    let some: Vec<usize> = (0..rows).filter(|row| row % 3 == 1).collect();
    for order in [reversed, some, vec![rows / 2]] {
        let (of_some, pulled_of_some) = (weights(scores.select(Axis(0), &order).view()), pulled(&order, &plain));
        for (place, &row) in order.iter().enumerate() {
            assert_eq!(of_some.row(place), plain.row(row), "{map}, {rows} x {width}, row {row}");
            assert_eq!(pulled_of_some.row(place), pulled_in_order.row(row), "{map}, {rows} x {width}, row {row}");
        }
    }
}

#[test]
fn rows_do_not_depend_on_their_neighbours() {
    let shapes =
        [(40, 8), (35, 19), (33, 64), (20, 256), (17, 512), (9, 513), (7, 2048), (5, 9000), (4, 20_000), (3, 50_000)];
    let alphas = [1.01, 1.05, 1.1, 1.2, 1.25, 1.3, 1.5, 1.7, 2.0, 2.5, 4.0];
    let maps = alphas.map(|alpha| format!("entmax:{alpha}")).into_iter();
    for name in maps.chain(["softmax", "normmax:2", "normmax:5", "subsets:3", "subsets:5.5"].map(String::from)) {
        let map: Map = name.parse().expect("the name of a map");
        for (rows, width) in shapes {
            check_neighbours::<f32>(rows, width, &map);
            check_neighbours::<f64>(rows, width, &map);
        }
    }
}

fn check_half<E: Element<Compute = f32>>(unit: f64, least: f64) {
    let scores = normals(&[40, 90], 7).mapv(|x| E::store(x as f32)).into_dimensionality::<ndarray::Ix2>().unwrap();
    let wide = scores.mapv(|x| f64::from(x.load()));
    let mut maps: Vec<Map> = [1.0, 1.1, 1.5, 1.8, 2.0, 2.5, 3.0, f64::INFINITY].map(entmax).to_vec();
    maps.extend([1.1, 1.5, 2.0, 5.0, f64::INFINITY].map(normmax));
    maps.extend([1.0, 4.0, 7.5].map(subsets));
    maps.extend([bounded(vec![0.2; 90]), power(1.5), power(3.0)]);
    maps.extend(["quadratic", "exponential"].map(|name| name.parse().expect("the name is known")));
    for map in maps {
        let close = |got: E, want: f64, size: f64, what: &str| {
            let (got, allowed) =
                (f64::from(got.load()), unit * want.abs() + least + 64.0 * f64::from(f32::EPSILON) * size);
            assert!((got - want).abs() <= allowed, "{what} of {map}: {got} and {want}");
        };
        let (got, _) = Batch::new(&map).map(scores.view()).expect("sound");
        let (want, _) = Batch::new(&map).map(wide.view()).expect("sound");
        got.iter().zip(&want).for_each(|(&got, &want)| close(got, want, 1.0, "weight"));
        // From the stored weights, so that only the derivative's own rounding counts.
        let stored = got.mapv(|y| f64::from(y.load()));
        let mut gradient = scores.clone();
        Batch::new(&map).pullback(got.view(), gradient.view_mut()).expect("sound");
        let mut exact = wide.clone();
        Batch::new(&map).pullback(stored.view(), exact.view_mut()).expect("sound");
        gradient.iter().zip(&exact).for_each(|(&got, &want)| close(got, want, 8.0, "gradient"));
        let conjugates = Batch::new(&map).conjugate(scores.view()).expect("sound");
        for (&got, &want) in conjugates.iter().zip(&Batch::new(&map).conjugate(wide.view()).expect("sound")) {
            // The conjugate comes in the type of the computation: no half rounding at all.
            assert!((f64::from(got) - want).abs() <= 32.0 * f64::from(f32::EPSILON) * (1.0 + want.abs()), "{map}");
        }
    }
}

#[test]
fn half_types_round_once() {
    check_half::<f16>(2f64.powi(-11), 2f64.powi(-25));
    check_half::<bf16>(2f64.powi(-8), 0.0);
    // Scores at the ends of the half range.
    let far = array![f16::MAX, f16::MIN, f16::from_f32(65000.0), f16::NEG_INFINITY];
    let (y, _) = Batch::new(&Entmax::SPARSEMAX).map(far.view()).expect("sound");
    assert_eq!(y.mapv(f16::to_f32), array![1.0, 0.0, 0.0, 0.0]);
}

/// All that a mask does is done by scores of minus infinity.
fn check_mask(scores: &Array2<f64>, mask: Mask<'_>, hidden: &Array2<bool>, axis: Axis) {
    let mut marked = scores.clone();
    marked.iter_mut().zip(hidden).filter(|(_, h)| **h).for_each(|(s, _)| *s = f64::NEG_INFINITY);
    for map in batch_maps() {
        let plain = Batch::new(&map).axis(axis);
        let masked = Batch::new(&map).axis(axis).mask(mask.clone());
        let (expected, report) = plain.map(marked.view()).expect("sound");
        assert_eq!(masked.map(scores.view()).expect("sound"), (expected.clone(), report.clone()), "{map}");
        let empty = marked.lanes(axis).into_iter().enumerate().filter(|(_, row)| row.iter().all(|s| s.is_infinite()));
        assert_eq!(report.empty, empty.map(|(row, _)| row).collect::<Vec<_>>());
        let mut in_place = scores.clone();
        masked.map_in_place(in_place.view_mut()).expect("sound");
        assert_eq!(in_place, expected, "{map} in place");
        let (mut a, mut b) = (scores.mapv(f64::cos), scores.mapv(f64::cos));
        masked.vjp(scores.view(), expected.view(), a.view_mut()).expect("sound");
        plain.vjp(marked.view(), expected.view(), b.view_mut()).expect("sound");
        assert_eq!(a, b, "vjp of {map}");
        let mut c = scores.mapv(f64::cos);
        masked.pullback(expected.view(), c.view_mut()).expect("sound");
        assert!(a.iter().chain(&c).zip(hidden.iter().chain(hidden)).all(|(g, h)| !h || *g == 0.0), "{map}");
        assert_eq!(
            masked.conjugate(scores.view()).expect("sound"),
            plain.conjugate(marked.view()).expect("sound"),
            "{map}"
        );
    }
}

#[test]
fn masks_hide() {
    let scores = normals(&[4, 9], 8).into_dimensionality::<ndarray::Ix2>().unwrap();
    let mut random = Random::new(9);
    let mut hidden = Array2::from_shape_fn((4, 9), |_| random.unit() < 0.4);
    hidden.row_mut(2).fill(true);
    hidden.column_mut(5).fill(true);
    for axis in [Axis(0), Axis(1)] {
        check_mask(&scores, Mask::hiding(hidden.view()), &hidden, axis);
        let kept = hidden.mapv(|h| !h);
        check_mask(&scores, Mask::keeping(kept.view()), &hidden, axis);
        // A row for all rows, a column for all columns.
        let row = hidden.row(0);
        check_mask(&scores, Mask::hiding(row), &row.broadcast((4, 9)).unwrap().to_owned(), axis);
        let column = hidden.column(0).insert_axis(Axis(1));
        check_mask(&scores, Mask::hiding(column), &column.broadcast((4, 9)).unwrap().to_owned(), axis);
    }
    let lengths = [9, 0, 4, 1];
    let padding = Array2::from_shape_fn((4, 9), |(i, j)| j >= lengths[i]);
    check_mask(&scores, Mask::lengths(&lengths), &padding, Axis(1));
    let heights = [4, 0, 1, 2, 3, 4, 4, 2, 1];
    let padding = Array2::from_shape_fn((4, 9), |(i, j)| i >= heights[j]);
    check_mask(&scores, Mask::lengths(&heights), &padding, Axis(0));
}

#[test]
fn hidden_scores_are_not_looked_at() {
    let scores = array![[f64::NAN, 1.0, f64::INFINITY, 0.5]];
    let hidden = array![true, false, true, false];
    let (y, _) = Batch::new(&Entmax::SPARSEMAX).mask(Mask::hiding(hidden.view())).map(scores.view()).expect("sound");
    assert_eq!(y, array![[0.0, 0.75, 0.0, 0.25]]);
}

#[test]
fn empty_arrays_are_no_trouble() {
    for map in batch_maps() {
        let (y, report) = Batch::new(&map).map(Array2::<f64>::zeros((0, 5)).view()).expect("sound");
        assert_eq!((y.dim(), report.rows), ((0, 5), 0), "{map}");
        assert_eq!(Batch::new(&map).conjugate(Array2::<f32>::zeros((0, 5)).view()).expect("sound").len(), 0);
        if map == subsets(1.0) {
            let error = Batch::new(&map).map(Array2::<f64>::zeros((3, 0)).view()).expect_err("nothing to choose from");
            assert!(error.to_string().contains("k = 1"), "{error}");
            continue;
        }
        let (y, report) = Batch::new(&map).map(Array2::<f64>::zeros((3, 0)).view()).expect("sound");
        assert_eq!((y.dim(), report.rows, report.empty), ((3, 0), 3, vec![0, 1, 2]), "{map}");
        let (_, report) = Batch::new(&map).axis(Axis(0)).map(Array2::<f64>::zeros((0, 5)).view()).expect("sound");
        assert_eq!((report.rows, report.empty), (5, vec![0, 1, 2, 3, 4]), "{map}");
        let mut g = Array2::<f64>::zeros((3, 0));
        Batch::new(&map).vjp(g.clone().view(), g.clone().view(), g.view_mut()).expect("sound");
        let mut nothing: [f64; 0] = [];
        assert_eq!(map.argmax(&mut nothing).expect("sound"), Outcome::Empty, "{}", label(&map));
    }
}

/// A number of the type has all the freedom of a batch of one.
#[test]
fn one_row_is_a_batch() {
    fn check<T: Real + Element<Compute = T>>() {
        let scores = Array1::from(vec![T::of(0.25), T::of(1.0)]);
        let (y, report) = Batch::new(&Entmax::SPARSEMAX).map(scores.view()).expect("sound");
        assert_eq!((y.to_vec(), report.rows), (vec![T::of(0.125), T::of(0.875)], 1));
        let conjugate = Batch::new(&Quadratic).conjugate(scores.view()).expect("sound");
        assert_eq!((conjugate.ndim(), conjugate.into_scalar()), (0, T::of(0.53125)));
    }
    check::<f32>();
    check::<f64>();
}

/// More than a group of rows: new arrays are made of several, masks and errors are told by the number of the row in the
/// whole.
#[test]
fn new_arrays_of_many_rows() {
    let (rows, columns) = (1300, 1000);
    let scores = normals(&[rows, columns], 9).into_dimensionality::<ndarray::Ix2>().expect("two axes");
    let upstream = scores.mapv(|x| (5.0 * x).cos());
    let mut random = Random::new(11);
    let hidden = Array2::from_shape_fn((rows, columns), |_| random.normal() > 1.0);
    for name in ["sparsemax", "entmax:1.13", "entmax:1.22", "normmax:2", "normmax:5", "subsets:3", "softmax"] {
        let map: Map = name.parse().expect("the name is known");
        let batch = Batch::new(&map).mask(Mask::hiding(hidden.view()));
        let mut weights = Array2::from_elem(scores.dim(), f64::NAN);
        batch.map_into(scores.view(), weights.view_mut()).expect("sound");
        assert_eq!(batch.map(scores.view()).expect("sound").0, weights, "{name}");
        let mut gradient = Array2::from_elem(scores.dim(), f64::NAN);
        batch.pullback_into(weights.view(), upstream.view(), gradient.view_mut()).expect("sound");
        assert_eq!(batch.pulled_back(weights.view(), upstream.view()).expect("sound"), gradient, "{name}");
        let flipped = batch.clone().axis(Axis(0)).pulled_back(weights.view(), upstream.view()).expect("sound");
        let mut in_place = upstream.clone();
        batch.clone().axis(Axis(0)).pullback(weights.view(), in_place.view_mut()).expect("sound");
        assert_eq!(flipped, in_place, "{name} along the first axis");
        assert!(batch.pulled_back(weights.view(), upstream.slice_axis(Axis(0), (..1).into())).is_err());
    }
    let mut unsound = scores.clone();
    unsound[[1201, 77]] = f64::NAN;
    let error = Batch::new(&Entmax::SPARSEMAX).map(unsound.view()).expect_err("a score is NaN");
    assert!(error.to_string().contains("1201") && error.to_string().contains("77"), "{error}");
}

/// Each row by a map of its own, in the order of the other axes, whatever the axis.
#[test]
fn a_map_for_each_row() {
    let scores = normals(&[3, 4, 6], 21);
    for axis in (0..3).map(Axis) {
        let rows = scores.len() / scores.len_of(axis);
        let maps: Vec<Map> =
            (0..rows).map(|row| Entmax::new(1.0 + row as f64 / 7.0).expect("alpha is at least one").into()).collect();
        let each: Vec<&dyn Separation<f64>> = maps.iter().map(|map| map as &dyn Separation<f64>).collect();
        let batch = Batch::each(&each).axis(axis);
        let (weights, _) = batch.map(scores.view()).expect("sound");
        let upstream = scores.mapv(|x| (3.0 * x).sin());
        let gradient = batch.pulled_back(weights.view(), upstream.view()).expect("sound");
        let parameters = batch.parameter_vjp(weights.view(), upstream.view()).expect("sound");
        let lanes = scores.lanes(axis).into_iter().zip(weights.lanes(axis)).zip(upstream.lanes(axis)).enumerate();
        for (row, ((scores, weights), upstream)) in lanes {
            let (mut y, mut g) = (scores.to_vec(), upstream.to_vec());
            maps[row].argmax(&mut y).expect("sound");
            assert_eq!(weights.to_vec(), y, "row {row} along {axis:?}");
            let parameter = maps[row].parameter_vjp(&y, &g).expect("sound");
            assert_eq!(parameters.iter().nth(row).copied(), parameter);
            maps[row].pullback(&y, &mut g).expect("sound");
            assert_eq!(gradient.lanes(axis).into_iter().nth(row).expect("as many rows").to_vec(), g);
        }
        let error = Batch::each(&each[1..]).axis(axis).map(scores.view()).expect_err("a map is missing");
        assert_eq!(error.to_string(), format!("maps has shape [{}], expected [{rows}]", rows - 1));
    }
}

#[test]
fn derivatives_in_beta_and_in_bounds() {
    let (scores, upstream) = (normals(&[4, 5], 22), normals(&[4, 5], 23));
    let beta = 0.7;
    let map = Scaled::with_beta(Entmax::ENTMAX15, beta).expect("beta is positive");
    let (weights, _) = Batch::new(&map).map(scores.view()).expect("sound");
    let pulled = Batch::new(&map).pulled_back(weights.view(), upstream.view()).expect("sound");
    let in_beta = Batch::new(&map).beta_vjp(scores.view(), pulled.view()).expect("sound");
    let step = 1e-6;
    let at = |beta: f64| {
        let map = Scaled::with_beta(Entmax::ENTMAX15, beta).expect("beta is positive");
        (Batch::new(&map).map(scores.view()).expect("sound").0 * &upstream).sum_axis(Axis(1))
    };
    for (got, want) in in_beta.iter().zip((at(beta + step) - at(beta - step)) / (2.0 * step)) {
        assert!((got - want).abs() < 1e-6, "{got} {want}");
    }
    let error = Batch::new(&Entmax::ENTMAX15).beta_vjp(scores.view(), pulled.view()).expect_err("it has none");
    assert_eq!(error.to_string(), "this map does not provide an inverse temperature");

    let bounds: Vec<Bounded<'_>> =
        (0..4).map(|row| Bounded::new(vec![0.3 + 0.05 * row as f64; 5]).expect("not negative")).collect();
    let each: Vec<&Bounded<'_>> = bounds.iter().collect();
    let (weights, _) = Batch::each(&each).map(scores.view()).expect("sound");
    let hidden = array![false, false, true, false, false];
    let batch = Batch::each(&each).mask(Mask::hiding(hidden.view()));
    let (masked, _) = batch.map(scores.view()).expect("sound");
    for (batch, weights) in [(Batch::each(&each), &weights), (batch, &masked)] {
        let in_bounds = batch.upper_vjp(scores.view(), weights.view(), upstream.view()).expect("sound");
        for (row, bound) in bounds.iter().enumerate() {
            let mut theta = scores.index_axis(Axis(0), row).to_owned();
            if *weights == masked {
                theta[2] = f64::NEG_INFINITY;
            }
            let mut want = vec![f64::NAN; 5];
            let (y, g) = (weights.index_axis(Axis(0), row).to_owned(), upstream.index_axis(Axis(0), row).to_owned());
            let [theta, y, g] = [theta, y, g].map(|row| row.iter().copied().collect::<Vec<f64>>());
            bound.upper_vjp(&theta, &y, &g, &mut want).expect("sound");
            assert_eq!(in_bounds.index_axis(Axis(0), row).iter().copied().collect::<Vec<f64>>(), want);
        }
    }
}
