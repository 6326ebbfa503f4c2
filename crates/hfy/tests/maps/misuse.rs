//! Bad input: an error that names the argument, its value and the rule. And what looks bad but is not.

use crate::common::describe::{every_map, label};
use crate::common::random::Random;
use crate::common::{says, solved, total};
use half::f16;
use hfy::{Batch, Bounded, Convex, Entmax, Map, Mask, Normmax, Outcome, Power, Scaled, Separation, Subsets, Support};
use ndarray::{Array0, Array2, Array3, Axis, array};

#[test]
fn parameters_outside_their_domain() {
    for alpha in [0.0, -0.0, -3.0, f64::NAN, f64::NEG_INFINITY] {
        says(Entmax::new(alpha), &[&format!("alpha = {alpha}"), "(0, inf]"]);
    }
    for gamma in [1.0, 0.5, -1.0, f64::NAN] {
        says(Normmax::new(gamma), &[&format!("gamma = {gamma}"), "(1, inf]"]);
    }
    for k in [-1.0, -1e-300, f64::NAN, f64::INFINITY] {
        says(Subsets::new(k), &[&format!("k = {k}"), "not negative"]);
    }
    for r in [1.0, 0.0, f64::NAN, f64::INFINITY] {
        says(Power::new(r), &[&format!("r = {r}"), "between 1 and infinity"]);
    }
    says(Bounded::new(vec![0.5, -0.25, 1.0]), &["upper[1] = -0.25", "negative"]);
    says(Bounded::new(vec![f64::NAN]), &["upper[0] = NaN", "negative"]);
}

#[test]
fn scores_that_are_no_numbers() {
    for n in [1, 5, 32, 33, 100, 1000] {
        for map in every_map(n) {
            for (value, text) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
                let at = n / 2;
                let mut row = vec![0.5; n];
                row[at] = value;
                let parts = [format!("scores[{at}] = {text}"), "finite".into()];
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                says(map.argmax(&mut row.clone()), &parts);
                says(map.conjugate(&row), &parts);
                says(map.support(&row, &mut Support::default()), &parts);
                let mut batch = Array2::from_elem((3, n), 0.25);
                batch.row_mut(2).assign(&ndarray::Array1::from(row.clone()));
                says(Batch::new(&map).map(batch.view()), &[parts[0], "in row 2"]);
                says(Batch::new(&map).conjugate(batch.view()), &[parts[0], "in row 2"]);
                let single: Vec<f32> = row.iter().map(|&x| x as f32).collect();
                says(map.argmax(&mut single.clone()), &parts);
                // A masked entry elsewhere must not hide it, nor NaN pass for smaller than everything.
                row[0] = if at == 0 { value } else { f64::NEG_INFINITY };
                says(map.argmax(&mut row), &parts);
            }
        }
    }
    says(Batch::new(&Entmax::SOFTMAX).map(array![[f16::NAN]].view()), &["scores[0] = NaN in row 0"]);
}

#[test]
fn the_first_row_at_fault_is_named() {
    let mut scores = Array2::from_elem((200, 500), 0.5);
    scores[[150, 7]] = f64::NAN;
    scores[[90, 3]] = f64::INFINITY;
    for batch in [Batch::new(&Entmax::SPARSEMAX), Batch::new(&Entmax::SPARSEMAX).serial()] {
        says(batch.map(scores.view()), &["scores[3] = inf in row 90"]);
    }
}

#[test]
fn subsets_larger_than_the_row() {
    let map = Subsets::new(3.5).unwrap();
    says(map.argmax(&mut [1.0, 2.0, 3.0]), &["k = 3.5", "number of entries"]);
    says(map.argmax(&mut [1.0, f64::NEG_INFINITY, 3.0, 2.0]), &["k = 3.5", "unmasked"]);
    assert_eq!(solved(&map, &[1.0, 1.0, 1.0, 1.0]), [0.875; 4]);
    // The same in rows of many blocks, most of them masked.
    let mut row = vec![f64::NEG_INFINITY; 1000];
    row[3] = 1.0;
    row[700] = 0.0;
    says(map.argmax(&mut row.clone()), &["k = 3.5", "unmasked"]);
    assert_eq!(Subsets::new(2.0).unwrap().argmax(&mut row).unwrap(), Outcome::Solved);
    assert_eq!((row[3], row[700], total(row.iter().copied())), (1.0, 1.0, 2.0));
}

#[test]
fn bounds_that_cannot_hold_the_mass() {
    let map = Bounded::new(vec![0.25, 0.25, 0.25]).unwrap();
    says(map.argmax(&mut [1.0, 2.0, 3.0]), &["upper sums to 0.75", "mass 1"]);
    says(map.conjugate(&[1.0, 2.0, 3.0]), &["upper sums to 0.75"]);
    let map = Bounded::new(vec![0.75, 0.75]).unwrap();
    says(map.argmax(&mut [1.0, f64::NEG_INFINITY]), &["0.75", "unmasked"]);
    says(Batch::new(&map).map(array![[1.0, 2.0], [f64::NEG_INFINITY, 0.0]].view()), &["0.75", "of row 1"]);
    says(map.argmax(&mut [1.0, 2.0, 3.0]), &["scores", "[3]", "[2]"]);
    says(Bounded::new(vec![0.999_99, 0.0]).unwrap().argmax(&mut [0.0, 0.0]), &["0.99999"]);
}

/// Free recall: mass is taken from the bounds until exactly one unit is left, up to rounding.
#[test]
fn bounds_short_of_the_mass_by_rounding_are_taken() {
    let mut short = 0;
    for (n, seed) in (2..200).map(|n| (n, n as u64)) {
        let mut random = Random::new(seed);
        let mut upper = vec![1.0; n];
        for _ in 1..n {
            // A point under the bounds: constrained sparsemax of random scores, as recall takes it.
            let p = solved(&Bounded::new(upper.as_slice()).unwrap(), &random.normals::<f64>(n, 1.0));
            upper.iter_mut().zip(p).for_each(|(u, p)| *u = (*u - p).max(0.0));
        }
        let left: f64 = upper.iter().sum();
        assert!((left - 1.0).abs() < 1e-12, "n = {n}: {left}");
        short += usize::from(left < 1.0);
        let map = Bounded::new(upper.as_slice()).unwrap();
        let y = solved(&map, &random.normals::<f64>(n, 1.0));
        assert!((total(y.iter().copied()) - 1.0).abs() < 1e-12 && y.iter().zip(&upper).all(|(y, u)| y <= u), "n = {n}");
        let single = solved(&map, &random.normals::<f32>(n, 1.0));
        assert!((total(single.iter().map(|&y| f64::from(y))) - 1.0).abs() < 1e-6, "n = {n}");
        assert!(map.loss(&random.normals::<f64>(n, 1.0), &y).unwrap().is_finite());
    }
    assert!(short > 20, "the sum must have fallen short often enough to mean something: {short}");
    // And nearly even points of the simplex, n - 1 of them from n bounds of one.
    for n in [50, 500, 3000] {
        let mut random = Random::new(n as u64);
        let mut upper = vec![1.0; n];
        for _ in 1..n {
            let p = random.simplex(n).into_iter().map(|p| 0.999 / n as f64 + 0.001 * p);
            upper.iter_mut().zip(p).for_each(|(u, p)| *u -= p);
        }
        assert!((upper.iter().sum::<f64>() - 1.0).abs() < 1e-9, "n = {n}");
        let y = solved(&Bounded::new(upper).unwrap(), &random.normals::<f64>(n, 1.0));
        assert!((total(y) - 1.0).abs() < 1e-9, "n = {n}");
    }
}

#[test]
fn shapes_that_do_not_fit() {
    let map = &Entmax::SPARSEMAX;
    let scores = Array2::<f64>::zeros((3, 4));
    let mut other = Array2::<f64>::zeros((4, 3));
    says(Batch::new(map).map_into(scores.view(), other.view_mut()), &["out", "[4, 3]", "[3, 4]"]);
    let wrong = other.clone();
    says(Batch::new(map).vjp(scores.view(), wrong.view(), scores.clone().view_mut()), &["weights", "[4, 3]"]);
    says(Batch::new(map).vjp(scores.view(), scores.view(), other.view_mut()), &["gradient", "[4, 3]"]);
    says(Batch::new(map).pullback(scores.view(), other.view_mut()), &["gradient", "[4, 3]", "[3, 4]"]);
    says(Batch::new(map).axis(Axis(2)).map(scores.view()), &["axis = 2", "one of the array's"]);
    says(Batch::new(map).map(Array0::<f64>::zeros(()).view().into_dyn()), &["scores", "[]"]);
    let flags = Array3::from_elem((2, 3, 4), false);
    says(Batch::new(map).mask(Mask::hiding(flags.view())).map(scores.view()), &["mask", "[2, 3, 4]", "[3, 4]"]);
    let flags = array![true, false, true];
    says(Batch::new(map).mask(Mask::keeping(flags.view())).map(scores.view()), &["mask", "[3]", "[3, 4]"]);
    says(Batch::new(map).mask(Mask::lengths(&[1, 2])).map(scores.view()), &["lengths", "[2]", "[3]"]);
    says(Batch::new(map).mask(Mask::lengths(&[1, 5, 2])).map(scores.view()), &["lengths[1] = 5", "not exceed"]);

    let n = 4;
    for map in every_map(n) {
        let row = [0.1, 0.2, 0.3, 0.4];
        let y = solved(&map, &row);
        let name = label(&map);
        assert!(map.vjp(&row, &y, &mut [1.0; 3]).is_err() && map.pullback(&y, &mut [1.0; 5]).is_err(), "{name}");
        assert!(map.loss(&row, &y[..3]).is_err() && map.loss_gradient(&mut row.clone(), &y[1..]).is_err(), "{name}");
        says(map.second_vjp(&row, &y, &[1.0; 3], &[1.0; 4], &mut [0.0; 4]), &["u", "[3]", "[4]"]);
        says(map.second_vjp(&row, &y, &[1.0; 4], &[1.0; 3], &mut [0.0; 4]), &["w", "[3]", "[4]"]);
        says(map.second_vjp(&row, &y, &[1.0; 4], &[1.0; 4], &mut [0.0; 5]), &["out", "[5]", "[4]"]);
    }
    let bounds = Bounded::new(vec![0.5; 4]).unwrap();
    says(bounds.upper_vjp(&[0.0; 4], &[0.25; 4], &[1.0; 3], &mut [0.0; 4]), &["gradient", "[3]", "[4]"]);
    says(bounds.upper_vjp(&[0.0; 3], &[0.25; 3], &[1.0; 3], &mut [0.0; 3]), &["output", "[3]", "[4]"]);
}

#[test]
fn gradients_that_are_no_numbers() {
    for n in [2, 9, 40] {
        let row: Vec<f64> = (0..n).map(|i| 0.001 * i as f64 + 0.5).collect();
        for map in every_map(n) {
            let y = solved(&map, &row);
            // Where no entry is free to move, no gradient is looked at.
            let free = (0..n).find(|&i| y[i] != 0.0 && y[i] < crate::common::describe::cap(&map, i));
            let moves = !crate::common::describe::is_kinked(&map);
            let Some(at) = free.filter(|_| moves) else { continue };
            for bad in [f64::NAN, f64::INFINITY] {
                let mut g = vec![1.0; n];
                g[at] = bad;
                let parts = [format!("gradient[{at}] = {bad}"), "finite".into()];
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                says(map.vjp(&row, &y, &mut g.clone()), &parts);
                says(map.pullback(&y, &mut g.clone()), &parts);
                says(Scaled::with_beta(map.clone(), 1.0).unwrap().vjp(&row, &y, &mut g), &parts);
            }
        }
    }
}

#[test]
fn maps_are_read_and_printed() {
    for text in [
        "softmax",
        "sparsemax",
        "argmax",
        "entmax:1.5",
        "entmax:1.0000001",
        "normmax:5",
        "normmax:inf",
        "subsets:4",
        "subsets:0.5",
        "bounded:0.5,0.25,1",
        "bounded:inf,0",
        "quadratic",
        "power:3",
        "exponential",
    ] {
        let map: Map = text.parse().unwrap();
        assert_eq!(map.to_string(), text);
        assert_eq!(map.to_string().parse::<Map>().unwrap(), map);
    }
    for (text, same) in [
        ("entmax:1", "softmax"),
        ("entmax:2", "sparsemax"),
        ("entmax:inf", "argmax"),
        (" entmax : 1.5 ", "entmax:1.5"),
        ("identity", "quadratic"),
        ("exp", "exponential"),
        ("bounded: 1, 0.5", "bounded:1,0.5"),
        ("subsets:4.0", "subsets:4"),
    ] {
        assert_eq!(text.parse::<Map>().unwrap().to_string(), same);
    }
    for map in every_map(5) {
        assert_eq!(map.to_string().parse::<Map>().unwrap(), map, "{map}");
    }
    for (text, parts) in [
        ("softmin", vec!["softmin", "known are softmax"]),
        ("", vec!["\"\"", "known are"]),
        ("entmax", vec!["entmax takes alpha"]),
        ("entmax:", vec!["entmax takes alpha"]),
        ("entmax:two", vec!["entmax:two", "takes alpha"]),
        ("entmax:1,5", vec!["entmax:1,5", "takes alpha"]),
        ("softmax:2", vec!["softmax:2", "no parameter"]),
        ("normmax:x", vec!["normmax takes gamma"]),
        ("subsets", vec!["subsets takes k"]),
        ("power:", vec!["power takes r"]),
        ("bounded", vec!["bounded takes one upper bound"]),
        ("bounded:0.5,", vec!["bounded:0.5,", "one upper bound"]),
        ("entmax:-0.5", vec!["alpha = -0.5", "(0, inf]"]),
        ("entmax:NaN", vec!["alpha = NaN"]),
        ("normmax:1", vec!["gamma = 1"]),
        ("subsets:-1", vec!["k = -1"]),
        ("power:1", vec!["r = 1"]),
        ("bounded:1,-1", vec!["upper[1] = -1"]),
    ] {
        says(text.parse::<Map>(), &parts);
    }
}
