//! Reading the golden files and comparing with them.
//!
//! `HFY_GOLDEN_DIR` names another folder of the same schema.

use std::path::PathBuf;

use hfy::Real;
use serde_json::Value;

/// One case with the accessors that the comparison needs.
pub(crate) struct Case<'a>(pub(crate) &'a Value);

impl Case<'_> {
    pub(crate) fn id(&self) -> &str {
        self.0["id"].as_str().expect("every case has an id")
    }

    pub(crate) fn number(&self, field: &str) -> f64 {
        self.0[field].as_f64().unwrap_or_else(|| panic!("{}: {field} is not a number", self.id()))
    }

    pub(crate) fn optional(&self, field: &str) -> Option<f64> {
        self.0[field].as_f64()
    }

    /// An array; `null` inside stands for minus infinity.
    pub(crate) fn row<T: Real>(&self, field: &str) -> Option<Vec<T>> {
        let entries = self.0[field].as_array()?;
        Some(entries.iter().map(|v| T::of(v.as_f64().unwrap_or(f64::NEG_INFINITY))).collect())
    }

    pub(crate) fn need<T: Real>(&self, field: &str) -> Vec<T> {
        self.row(field).unwrap_or_else(|| panic!("{}: {field} is missing", self.id()))
    }

    pub(crate) fn ill_conditioned(&self) -> bool {
        self.0["ill_conditioned"].as_bool().unwrap_or(false)
    }
}

fn folder() -> PathBuf {
    match std::env::var_os("HFY_GOLDEN_DIR") {
        Some(folder) => folder.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden"),
    }
}

/// Runs `check` on every case of a family and says how many there were.
pub(crate) fn family(name: &str, check: impl Fn(&Case) -> bool) {
    let path = folder().join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(file["schema"], "hfy-golden/1", "{}: unknown schema", path.display());
    let cases = file["cases"].as_array().expect("cases is an array");
    let checked = cases.iter().filter(|case| check(&Case(case))).count();
    println!("golden {name}: {checked} of {} cases checked", cases.len());
    assert!(checked > 0, "no case of {name} in {}", path.display());
}

#[track_caller]
pub(crate) fn agree<T: Real>(id: &str, what: &str, got: T, want: f64, tolerance: f64, scale: f64) {
    let got = got.wide();
    assert!((got - want).abs() <= tolerance * scale.max(1.0), "{id}: {what} = {got:e}, golden {want:e}");
}

#[track_caller]
pub(crate) fn agree_row<T: Real>(id: &str, what: &str, got: &[T], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{id}: length of {what}");
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        agree(id, &format!("{what}[{i}]"), g, w, tolerance, w.abs());
    }
}

#[track_caller]
pub(crate) fn agree_derivative<T: Real>(id: &str, what: &str, got: &[T], want: &[f64], tolerance: f64) {
    let scale = want.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        agree(id, &format!("{what}[{i}]"), g, w, tolerance, scale);
    }
}
