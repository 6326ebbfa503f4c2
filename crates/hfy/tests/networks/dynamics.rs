//! Exact reference values of networks: trajectories, intermediates, energies and derivatives of one update.
//!
//! `HFY_GOLDEN_DIR` names another folder of the same schema.

use crate::common::golden::{Case, agree, agree_derivative, agree_row, family};
use crate::common::named;
use hfy::network::Step;
use hfy::{Convex, InfimalConvolution, Map, Network, Post, Real, Scaled};
use ndarray::Array2;
use serde_json::Value;

/// How closely a type is held to the reference.
struct Precision {
    values: fn(f64) -> f64,
    derivatives: fn(f64) -> f64,
    /// Whether updates run on from the type's own states, or each from the reference's.
    runs_on: bool,
}

const DOUBLE: Precision = Precision { values: |tol| tol, derivatives: |tol| tol, runs_on: true };

/// Single precision rounds the patterns, and some of these networks amplify that from one update to the next.
const SINGLE: Precision = Precision { values: |tol| tol.max(1e-4), derivatives: |tol| tol.max(1e-3), runs_on: false };

type Any<'a, T> = Network<'a, T, Box<dyn Convex<T>>, Post>;

fn matrix<T: Real>(value: &Value) -> Array2<T> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).expect("a matrix");
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| T::of(rows[i][j]))
}

fn scaled(omega: &Value, id: &str) -> Scaled<Map> {
    Scaled::with_beta(named::map(omega, id), omega["beta"].as_f64().unwrap_or(1.0)).expect(id)
}

fn separation<T: Real>(omega: &Value, id: &str) -> Box<dyn Convex<T>> {
    match omega["terms"].as_array() {
        None => Box::new(scaled(omega, id)),
        Some(terms) => {
            let terms = terms.iter().map(|term| scaled(term, id)).collect();
            Box::new(InfimalConvolution::new(terms).expect(id))
        }
    }
}

fn check_state<T: Real>(network: &Any<'_, T>, case: &Case, number: usize, q: &[T], tolerance: f64) {
    let (id, golden) = (case.id(), &case.0["steps"][number]);
    let want = golden["e_raw"].as_f64().expect(id);
    let parts = network.energy_parts(q).expect(id);
    agree(id, &format!("e_raw[{number}]"), parts.total(), want, tolerance, want.abs());
    assert_eq!(network.energy(q).expect(id), parts.concave + parts.convex, "{id}");
    let losses = network.energy_losses(q).expect(id);
    assert!(losses.concave <= T::zero() && losses.convex >= T::zero(), "{id}: a loss is negative");
    if let Some(want) = golden["e_fy"].as_f64() {
        agree(id, &format!("e_fy[{number}]"), losses.total(), want, tolerance, want.abs());
    }
    if let Some(want) = golden["e_paper"].as_f64() {
        agree(id, &format!("e_paper[{number}]"), network.normalised_energy(q).expect(id), want, tolerance, want.abs());
    }
}

fn check_step<T: Real>(case: &Case, number: usize, step: &Step<T>, tolerance: f64) {
    let (id, golden) = (case.id(), Case(&case.0["steps"][number]));
    // Only powers of scores near 1e-10, in single precision, have a common factor here.
    let plain = |values: &[T]| values.iter().map(|&v| v * step.log_scale.exp()).collect::<Vec<T>>();
    assert!(step.log_scale == T::zero() || T::epsilon().wide() > 1e-10, "{id}: {:e}", step.log_scale);
    agree_row(id, &format!("y[{number}]"), &plain(&step.weights), &golden.need::<f64>("y"), tolerance);
    agree_row(id, &format!("z[{number}]"), &plain(&step.projection), &golden.need::<f64>("z"), tolerance);
    let next = Case(&case.0["steps"][number + 1]);
    agree_row(id, &format!("q[{}]", number + 1), &step.state, &next.need::<f64>("q"), tolerance);
}

fn check_bounds<T: Real>(case: &Case, patterns: &Array2<T>, tolerance: f64) {
    let Some(upper) = case.optional("e_paper_upper") else { return };
    let (id, psi) = (case.id(), named::post(&case.0["psi"], case.id()));
    let network = Network::new(scaled(&case.0["omega"], id), psi, patterns).expect(id);
    let bounds = network.energy_bounds().expect(id);
    assert_eq!(bounds.lower, T::zero(), "{id}");
    agree(id, "e_paper_upper", bounds.upper, upper, tolerance, upper.abs());
    let first = usize::from(!case.0["q0_in_hull"].as_bool().expect(id));
    for step in &case.0["steps"].as_array().expect(id)[first..] {
        let energy = network.normalised_energy(&Case(step).need::<T>("q")).expect(id).wide();
        let slack = tolerance * upper.max(1.0);
        assert!(energy >= -slack && energy <= upper + slack, "{id}: {energy} is outside of its bounds");
    }
}

fn check_derivatives<T: Real>(network: &Any<'_, T>, case: &Case, slack: f64) {
    let Some(golden) = case.0["step_vjp"].as_object() else { return };
    let (id, vjp) = (case.id(), Case(&case.0["step_vjp"]));
    let q: Vec<T> = case.need("q0");
    let got = network.step_vjp(&q, &network.step(&q).expect(id), &vjp.need::<T>("v")).expect(id);
    agree_derivative(id, "dq0", &got.query, &vjp.need::<f64>("q0"), slack);
    let keys: Array2<f64> = matrix(&golden["X"]);
    agree_derivative(id, "dX", got.keys.as_slice().expect(id), keys.as_slice().expect(id), slack);
    if let Some(want) = vjp.optional("beta") {
        agree(id, "dbeta", got.beta.expect("a scaled map"), want, slack, want.abs());
    }
}

fn golden<T: Real>(precision: &Precision) {
    family("dynamics", |case| {
        let id = case.id();
        let patterns: Array2<T> = matrix(&case.0["X"]);
        let psi = named::post(&case.0["psi"], id);
        let network = Network::new(separation::<T>(&case.0["omega"], id), psi, &patterns).expect(id);
        let tolerance = (precision.values)(case.number("tol"));
        let count = case.0["steps"].as_array().expect(id).len() - 1;
        let mut q: Vec<T> = case.need("q0");
        let path = network.trajectory(&q, count).expect(id);
        let energies = path.energies.expect("an energy");
        for number in 0..count {
            check_state(&network, case, number, &q, tolerance);
            let step = network.step(&q).expect(id);
            check_step(case, number, &step, tolerance);
            if precision.runs_on {
                assert_eq!(step, path.steps[number], "{id}");
                assert_eq!(energies[number], network.energy(&q).expect(id), "{id}");
                q = step.state;
            } else {
                q = Case(&case.0["steps"][number + 1]).need("q");
            }
        }
        check_state(&network, case, count, &q, tolerance);
        check_bounds(case, &patterns, tolerance);
        check_derivatives(&network, case, (precision.derivatives)(100.0 * case.number("tol")));
        true
    });
}

#[test]
fn double() {
    golden::<f64>(&DOUBLE);
}

#[test]
fn single() {
    golden::<f32>(&SINGLE);
}
