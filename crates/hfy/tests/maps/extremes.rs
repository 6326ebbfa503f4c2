//! Numbers at the ends of the range: huge, tiny, far apart, a huge common shift, one entry.

use hfy::{Convex, Entmax, Exponential, Map, Power, Real};

use super::optimality::check_row;
use crate::common::describe::{distance, every_map, ignores_shifts, label, mass};
use crate::common::random::Random;
use crate::common::{solved, wide};

/// A number near the upper end of the type, one near the lower end.
fn ends<T: Real>() -> (f64, f64) {
    if T::epsilon().wide() < 1e-10 { (1e300, 1e-310) } else { (1e37, 1e-40) }
}

fn simplex_maps(n: usize) -> Vec<Map> {
    every_map(n).into_iter().filter(ignores_shifts).collect()
}

fn huge_scores_are_solved<T: Real>() {
    let (huge, _) = ends::<T>();
    let rows: [&[f64]; 8] = [
        &[huge, -huge],
        &[huge, huge, -huge],
        &[-huge, -huge, -huge, -huge],
        &[huge, 0.5, 0.0, -0.25, -huge],
        &[0.5, -huge, 0.0, -huge, 1.0, -huge],
        &[huge, huge, huge, 1.0, 0.5, 0.0, -huge],
        &[huge, huge / 2.0, huge / 4.0, huge / 8.0],
        &[huge, 1e8, 1e8 - 1.0, 3.0, 2.5, -1e8, -huge],
    ];
    for row in rows {
        let theta: Vec<T> = row.iter().map(|&x| T::of(x)).collect();
        for map in simplex_maps(theta.len()) {
            check_row(&map, &format!("{row:?}"), &theta);
        }
    }
    // Enough of them to fill several blocks.
    for n in [40, 200] {
        let theta: Vec<T> = (0..n).map(|i| T::of([huge, -huge, 0.0, 1.0, huge][i % 5])).collect();
        for map in simplex_maps(n) {
            check_row(&map, "huge scores in every block", &theta);
        }
    }
}

fn tiny_scores_are_all_but_tied<T: Real>() {
    let (_, tiny) = ends::<T>();
    for n in [1, 2, 5, 33, 200] {
        let theta: Vec<T> = (0..n).map(|i| T::of([tiny, 0.0, -tiny, 2.0 * tiny][i % 4])).collect();
        let zeros = vec![T::zero(); n];
        for map in simplex_maps(n) {
            // Argmax alone can tell them apart, and steep maps that multiply them by more than the type can lose.
            let steep =
                matches!(&map, Map::Entmax(m) if m.alpha() > 2.0) || matches!(&map, Map::Normmax(m) if m.gamma() < 1.1);
            check_row(&map, "tiny scores", &theta);
            if !steep {
                let gap = distance(&map, &wide(&solved(&map, &theta)), &wide(&solved(&map, &zeros)));
                assert!(gap <= 4.0 * T::epsilon().wide(), "{}, n = {n}: {gap:e}", label(&map));
            }
        }
    }
}

fn a_huge_common_shift_keeps_what_the_type_can_hold<T: Real>() {
    for n in [3, 40, 150] {
        let mut random = Random::new(n as u64);
        // Quarters, shifted to where quarters are the last bit of the type.
        let base = 0.25 / T::epsilon().wide();
        let theta: Vec<T> = (0..n).map(|_| T::of((random.normal() * 4.0).round() / 4.0)).collect();
        for shift in [base, -base] {
            let moved: Vec<T> = theta.iter().map(|&x| x + T::of(shift)).collect();
            let exact: Vec<T> = moved.iter().map(|&x| x - T::of(shift)).collect();
            for map in simplex_maps(n) {
                check_row(&map, "a huge common shift", &moved);
                let gap = distance(&map, &wide(&solved(&map, &moved)), &wide(&solved(&map, &exact)));
                assert!(gap <= 8.0 * T::epsilon().wide(), "{}, n = {n}: {gap:e}", label(&map));
            }
        }
    }
}

fn far_scores_do_not_blur_near_ones<T: Real>() {
    for n in [4, 70, 300] {
        let mut random = Random::new(n as u64);
        let near: Vec<T> = random.normals(n, 0.5);
        let mut theta = near.clone();
        // A third of the row lies far below; what is left solves as if it were alone.
        theta.iter_mut().step_by(3).for_each(|x| *x = T::of(-1e30));
        let mut masked = near;
        masked.iter_mut().step_by(3).for_each(|x| *x = T::neg_infinity());
        let left = (0..n).filter(|i| i % 3 != 0).count() as f64;
        for map in simplex_maps(n).iter().filter(|map| mass(map).is_some_and(|mass| mass < left)) {
            let mut expected = masked.clone();
            if map.argmax(&mut expected).is_err() {
                continue; // bounds that cannot do without the entries far below
            }
            let gap = distance(map, &wide(&solved(map, &theta)), &wide(&expected));
            assert!(gap <= 8.0 * T::epsilon().wide(), "{}, n = {n}: {gap:e}", label(map));
        }
    }
}

fn a_single_entry_takes_all<T: Real>() {
    let (huge, tiny) = ends::<T>();
    // Exponents of every kind, and every way in which powers are computed.
    let others = [1.0001, 1.003, 1.02, 1.03, 1.06, 1.13, 1.17, 1.23];
    let others = others.map(|alpha| Map::from(Entmax::new(alpha).expect("valid")));
    for score in [0.0, 1.0, -3.0, huge, -huge, tiny, -tiny] {
        for map in simplex_maps(1).into_iter().chain(others.clone()) {
            let mass = mass(&map).expect("the mass is fixed");
            let y = solved(&map, &[T::of(score)]);
            assert_eq!(y, [T::of(mass)], "{} at {score:e}", label(&map));
            let mut g = [T::of(2.0)];
            map.vjp(&[T::of(score)], &y, &mut g).expect("sound");
            // Below its bound the weight is still fixed by the mass.
            assert_eq!(g, [T::zero()], "{} at {score:e}", label(&map));
        }
    }
}

/// Where the maps without a threshold would overflow they stop at the largest number, so that no NaN comes of it.
fn overflow_saturates<T: Real>() {
    let (huge, _) = ends::<T>();
    let theta = [T::of(huge), T::of(-huge), T::zero(), T::neg_infinity()];
    let most = T::max_value();
    assert_eq!(solved(&Exponential, &theta), [most, T::zero(), T::one(), T::zero()]);
    assert_eq!(solved(&Power::new(9.0).expect("valid"), &theta), [most, -most, T::zero(), T::zero()]);
    let mut relative = [T::of(huge), T::of(huge), T::of(-huge)];
    let log = Exponential::scaled(&mut relative).expect("sound");
    assert_eq!((relative, log), ([T::one(), T::one(), T::zero()], T::of(huge)));
    assert_eq!(Exponential::log_conjugate(&[T::of(huge), T::zero()]).expect("sound"), T::of(huge));
    for map in [Map::Exponential(Exponential), Map::Power(Power::new(9.0).expect("valid"))] {
        let y = solved(&map, &theta);
        let mut g = [T::one(), T::zero(), T::one(), T::one()];
        map.vjp(&theta, &y, &mut g).expect("sound");
        assert!(g.iter().all(|g| !g.is_nan()) && g[1] == T::zero() && g[3] == T::zero(), "{map}: {g:?}");
    }
}

crate::in_both_types!(
    huge_scores_are_solved,
    tiny_scores_are_all_but_tied,
    a_huge_common_shift_keeps_what_the_type_can_hold,
    far_scores_do_not_blur_near_ones,
    a_single_entry_takes_all,
    overflow_saturates,
);
