//! Exact reference values: every family of the golden folder that the separation maps cover.
//!
//! `HFY_GOLDEN_DIR` names another folder of the same schema.

use crate::common::golden::{Case, agree, agree_derivative, agree_row, family};
use hfy::{Bounded, Convex, Entmax, Map, Normmax, Outcome, Real, Scaled, Separation, Subsets, Support};
use serde_json::Value;

/// How closely a type is held to the reference.
struct Precision {
    /// Tolerance of a case whose golden tolerance is given.
    values: fn(f64) -> f64,
    /// Likewise for derivatives.
    derivatives: fn(f64) -> f64,
    /// Cases whose numbers the type cannot hold are passed over.
    holds: fn(&Case) -> bool,
}

const DOUBLE: Precision = Precision { values: |tol| tol, derivatives: |tol| tol, holds: |_| true };

/// Single precision rounds its inputs: what is checked is that the map is right for scores that are nearly the same.
/// Scores and gaps that f32 cannot tell apart, and weights that are high powers of such gaps, are left to f64.
const SINGLE: Precision = Precision {
    values: |tol| tol.max(3e-5),
    derivatives: |tol| tol.max(3e-3),
    holds: |case| {
        let scores: Vec<f64> = case.need("theta");
        let finite: Vec<f64> = scores.iter().copied().filter(|s| s.is_finite()).collect();
        let exact = finite.iter().all(|&s| f64::from(s as f32) == s);
        let modest = finite.iter().all(|s| s.abs() < 1e3 && (*s == 0.0 || s.abs() > 1e-30));
        let parameter = case.optional("alpha").or(case.optional("gamma")).unwrap_or(1.0);
        modest && (exact || parameter <= 3.0) && case.number("tol") <= 1e-9
    },
};

/// What every family has: map, support, conjugate, and the derivative where it exists.
fn check_map<T: Real>(map: &impl Separation<T>, case: &Case, precision: &Precision, sparse: bool) -> Vec<T> {
    let id = case.id();
    let theta: Vec<T> = case.need("theta");
    let tolerance = (precision.values)(case.number("tol"));
    let slack = (precision.derivatives)(case.optional("vjp_tol").unwrap_or(100.0 * case.number("tol")));
    let golden: Vec<f64> = case.need("y");

    let mut y = theta.clone();
    assert_eq!(map.argmax(&mut y).expect(id), Outcome::Solved, "{id}");
    agree_row(id, "y", &y, &golden, tolerance);
    let boundary = case.row::<f64>("vjp").is_none() && T::epsilon().wide() > 1e-10;
    if sparse && !case.ill_conditioned() && !boundary {
        for (i, (&y, &golden)) in y.iter().zip(&golden).enumerate() {
            assert!(golden != 0.0 || y == T::zero(), "{id}: y[{i}] = {y:e} is outside the golden support");
        }
    }
    let mut support = Support::default();
    map.support(&theta, &mut support).expect(id);
    let nonzero: Vec<(usize, T)> = y.iter().copied().enumerate().filter(|(_, y)| *y != T::zero()).collect();
    assert_eq!(support.iter().map(|(i, _)| i).collect::<Vec<_>>(), nonzero.iter().map(|(i, _)| *i).collect::<Vec<_>>());
    for ((_, a), (_, b)) in support.iter().zip(&nonzero) {
        agree(id, "support weight", a, b.wide(), 4.0 * T::epsilon().wide(), 1.0);
    }

    let conjugate = case.number("conj");
    agree(id, "conj", map.conjugate(&theta).expect(id), conjugate, tolerance, conjugate.abs());
    if let (Some(v), Some(vjp)) = (case.row::<T>("v"), case.row::<f64>("vjp")) {
        let mut g = v.clone();
        map.pullback(&y, &mut g).expect(id);
        agree_derivative(id, "vjp", &g, &vjp, slack);
        let mut g = v;
        map.vjp(&theta, &y, &mut g).expect(id);
        agree_derivative(id, "vjp", &g, &vjp, slack);
    }
    y
}

fn check_loss<T: Real>(map: &impl Separation<T>, case: &Case, y: &[T], precision: &Precision) {
    let id = case.id();
    let tolerance = (precision.values)(case.number("tol"));
    let (theta, target): (Vec<T>, Vec<T>) = (case.need("theta"), case.need("target"));
    let loss = case.number("loss");
    agree(id, "loss", map.loss(&theta, &target).expect(id), loss, tolerance, loss.abs());
    let omega = case.number("omega");
    agree(id, "omega", map.value(y), omega, tolerance, omega.abs());
    if let Some(omega) = case.optional("omega_target") {
        agree(id, "omega_target", map.value(&target), omega, tolerance, omega.abs());
    }
}

fn entmax<T: Real>(precision: &Precision) {
    family("entmax", |case| {
        if !(precision.holds)(case) {
            return false;
        }
        let id = case.id();
        let map = Entmax::new(case.number("alpha")).expect(id);
        let y = check_map::<T>(&map, case, precision, map.alpha() > 1.0);
        check_loss(&map, case, &y, precision);
        if let Some(dalpha) = case.optional("dalpha") {
            let slack = (precision.derivatives)(case.optional("vjp_tol").unwrap_or(100.0 * case.number("tol")));
            let got = map.parameter_vjp(&y, &case.need::<T>("v")).expect(id).expect("entmax has a parameter");
            agree(id, "dalpha", got, dalpha, slack, dalpha.abs());
        }
        true
    });
}

fn normmax<T: Real>(precision: &Precision) {
    family("normmax", |case| {
        if !(precision.holds)(case) {
            return false;
        }
        let id = case.id();
        let map = Normmax::new(case.number("gamma")).expect(id);
        let y = check_map::<T>(&map, case, precision, true);
        check_loss(&map, case, &y, precision);
        true
    });
}

/// The map that a case names; `None` for structures beyond the separation maps.
fn named(map: &Value, id: &str) -> Option<Map> {
    let parameter = |field: &str| map[field].as_f64().unwrap_or_else(|| panic!("{id}: map has no {field}"));
    match map["kind"].as_str().unwrap_or_else(|| panic!("{id}: map has no kind")) {
        "entmax" => Some(Map::Entmax(Entmax::new(parameter("alpha")).expect(id))),
        "normmax" => Some(Map::Normmax(Normmax::new(parameter("gamma")).expect(id))),
        "ksubsets" => Some(Map::Subsets(Subsets::new(parameter("k")).expect(id))),
        "seq_ksubsets" => None,
        other => panic!("{id}: unknown map {other}"),
    }
}

/// Whether no finite score is infinite in the type.
fn in_range<T: Real>(case: &Case) -> bool {
    case.need::<f64>("theta").iter().all(|&score| score.is_infinite() || T::of(score).is_finite())
}

fn temperature<T: Real>(precision: &Precision) {
    family("temperature", |case| {
        if !in_range::<T>(case) {
            return false;
        }
        let Some(map) = named(&case.0["map"], case.id()) else { return false };
        let id = case.id();
        let map = Scaled::with_beta(map, case.number("beta")).expect(id);
        let (theta, tolerance) = (case.need::<T>("theta"), (precision.values)(case.number("tol")));
        let mut y = theta.clone();
        map.argmax(&mut y).expect(id);
        agree_row(id, "y", &y, &case.need::<f64>("y"), tolerance);
        let conjugate = case.number("conj");
        agree(id, "conj", map.conjugate(&theta).expect(id), conjugate, tolerance, conjugate.abs());
        if let Some(vjp) = case.row::<f64>("vjp") {
            let slack = (precision.derivatives)(100.0 * case.number("tol"));
            let mut g: Vec<T> = case.need("v");
            map.vjp(&theta, &y, &mut g).expect(id);
            agree_derivative(id, "vjp", &g, &vjp, slack);
            if let Some(dbeta) = case.optional("dbeta") {
                agree(id, "dbeta", map.d_beta(&theta, &g), dbeta, slack, dbeta.abs());
            }
        }
        true
    });
}

fn masked<T: Real>(precision: &Precision) {
    family("masked", |case| {
        if !in_range::<T>(case) {
            return false;
        }
        let Some(map) = named(&case.0["map"], case.id()) else { return false };
        if T::epsilon().wide() > 1e-10 && case.number("tol") > 1e-9 {
            return false;
        }
        let soft = map == Map::Entmax(Entmax::SOFTMAX);
        let y = check_map::<T>(&map, case, precision, !soft);
        for (theta, y) in case.need::<T>("theta").iter().zip(y) {
            assert!(*theta > T::neg_infinity() || y == T::zero(), "{}: a masked entry has weight", case.id());
        }
        true
    });
}

fn csparsemax<T: Real>(precision: &Precision) {
    family("csparsemax", |case| {
        if !(precision.holds)(case) {
            return false;
        }
        let id = case.id();
        let map = Bounded::new(case.need::<f64>("u")).expect(id);
        let y = check_map::<T>(&map, case, precision, true);
        let omega = case.number("omega");
        agree(id, "omega", map.value(&y), omega, (precision.values)(case.number("tol")), omega.abs());
        if let Some(golden) = case.row::<f64>("vjp_u") {
            let mut got = vec![T::zero(); y.len()];
            map.upper_vjp(&case.need::<T>("theta"), &y, &case.need::<T>("v"), &mut got).expect(id);
            agree_derivative(id, "vjp_u", &got, &golden, (precision.derivatives)(100.0 * case.number("tol")));
        }
        true
    });
}

fn ksubsets<T: Real>(precision: &Precision) {
    family("ksubsets", |case| {
        if !(precision.holds)(case) {
            return false;
        }
        let id = case.id();
        let map = Subsets::new(case.number("k")).expect(id);
        let y = check_map::<T>(&map, case, precision, true);
        check_loss(&map, case, &y, precision);
        true
    });
}

macro_rules! families {
    ($($family:ident),*) => {
        mod double {
            $(#[test] fn $family() { super::$family::<f64>(&super::DOUBLE); })*
        }
        mod single {
            $(#[test] fn $family() { super::$family::<f32>(&super::SINGLE); })*
        }
    };
}

families!(entmax, normmax, temperature, masked, csparsemax, ksubsets);
