//! Masked scores: zero weight, zero gradient, and the same result as without the entry.

use hfy::{Convex, Map, Outcome, Real, Separation, Support};

use crate::common::describe::{bounded, distance, every_map, label};
use crate::common::random::Random;
use crate::common::{pulled, solved, wide};

/// The map for the entries that are left.
fn restricted(map: &Map, left: &[usize]) -> Map {
    match map {
        Map::Bounded(map) => bounded(left.iter().map(|&i| map.upper()[i]).collect()),
        _ => map.clone(),
    }
}

fn masking_is_deleting<T: Real>() {
    for n in [2, 3, 6, 33, 64, 130, 700] {
        let mut random = Random::new(n as u64);
        for share in [0.1, 0.5, 0.9] {
            let mut theta: Vec<T> = random.normals(n, 1.0);
            theta.iter_mut().for_each(|x| *x = if random.unit() < share { T::neg_infinity() } else { *x });
            theta[random.below(n)] = T::of(0.25);
            let left: Vec<usize> = (0..n).filter(|&i| theta[i].is_finite()).collect();
            let short: Vec<T> = left.iter().map(|&i| theta[i]).collect();
            // What comes from upstream at a masked entry is nobody's business, be it NaN.
            let g: Vec<T> =
                (0..n).map(|i| if theta[i].is_finite() { T::of(random.normal()) } else { T::nan() }).collect();
            let short_g: Vec<T> = left.iter().map(|&i| g[i]).collect();
            for map in every_map(n) {
                let small = restricted(&map, &left);
                let mut y = theta.clone();
                if map.argmax(&mut y).is_err() {
                    let fits = small.argmax(&mut short.clone());
                    assert!(fits.is_err(), "{}: fails masked and not deleted", label(&map));
                    continue;
                }
                let allowed = T::epsilon().wide() * (8.0 + (n as f64).sqrt());
                let kept: Vec<f64> = left.iter().map(|&i| y[i].wide()).collect();
                let gap = distance(&small, &kept, &wide(&solved(&small, &short)));
                assert!(gap <= allowed, "{}, n = {n}: {gap:e} from the shorter row", label(&map));
                let size = |c: f64| 1.0 + c.abs();
                let [a, b] = [map.conjugate(&theta), small.conjugate(&short)].map(|c| c.expect("sound").wide());
                assert!((a - b).abs() <= allowed * size(b), "{}: conjugate {a:e}, shorter row {b:e}", label(&map));

                let slope = pulled(&map, &theta, &g);
                let expected = pulled(&small, &short, &short_g);
                let steep = expected.iter().fold(1.0, |m: f64, v| m.max(v.wide().abs()));
                let mut at = 0;
                for i in 0..n {
                    if theta[i].is_finite() {
                        // A weight at the edge has a slope that its rounding decides (α > 2, γ > 2): compared
                        // elsewhere.
                        let gentle = steep < 1e3;
                        let close = (slope[i] - expected[at]).wide().abs() <= 16.0 * allowed * steep;
                        assert!(!gentle || close, "{}: gradient {} and {}", label(&map), slope[i], expected[at]);
                        at += 1;
                    } else {
                        assert_eq!((y[i], slope[i]), (T::zero(), T::zero()), "{}: entry {i} is masked", label(&map));
                    }
                }
            }
        }
    }
}

fn fully_masked_rows_are_empty<T: Real>() {
    for n in [1, 2, 32, 33, 100] {
        for map in every_map(n) {
            let theta = vec![T::neg_infinity(); n];
            let mut y = theta.clone();
            assert_eq!(map.argmax(&mut y).expect("nothing is wrong"), Outcome::Empty, "{}", label(&map));
            assert_eq!(y, vec![T::zero(); n], "{}", label(&map));
            let mut support = Support::default();
            assert_eq!(map.support(&theta, &mut support).expect("nothing is wrong"), Outcome::Empty);
            assert!(support.is_empty());
            let mut g = vec![T::one(); n];
            map.vjp(&theta, &y, &mut g).expect("nothing is wrong");
            assert_eq!(g, vec![T::zero(); n], "{}: gradient", label(&map));
            let mut second = vec![T::one(); n];
            map.second_vjp(&theta, &y, &[T::one()].repeat(n), &[T::one()].repeat(n), &mut second)
                .expect("nothing is wrong");
            assert_eq!(second, vec![T::zero(); n], "{}: second derivative", label(&map));
            let parameter = map.parameter_vjp(&y, &[T::one()].repeat(n)).expect("nothing is wrong");
            assert_eq!(parameter.unwrap_or(T::zero()), T::zero(), "{}: derivative in the parameter", label(&map));
        }
    }
}

fn a_target_on_a_masked_entry_is_infinitely_wrong<T: Real>() {
    let theta = [T::zero(), T::neg_infinity(), T::of(0.5)];
    let target = [T::zero(), T::one(), T::zero()];
    for name in
        ["softmax", "sparsemax", "entmax:1.3", "entmax:3", "normmax:2", "normmax:inf", "subsets:1", "exponential"]
    {
        let map: Map = name.parse().expect("the name is known");
        assert_eq!(map.loss(&theta, &target).expect("sound"), T::infinity(), "{name}");
        let fine = map.loss(&theta, &[T::zero(), T::zero(), T::one()]).expect("sound");
        assert!(fine.is_finite() && fine >= T::zero(), "{name}: {fine}");
    }
}

crate::in_both_types!(masking_is_deleting, fully_masked_rows_are_empty, a_target_on_a_masked_entry_is_infinitely_wrong);
