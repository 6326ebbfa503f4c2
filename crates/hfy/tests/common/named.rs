//! The functions that golden files name.

use hfy::post::Identity;
use hfy::{Ball, Entmax, Exponential, LayerNorm, Linear, Map, Normmax, Post, Power, Quadratic, Sign, Subsets, Tanh};
use ndarray::Array2;
use serde_json::Value;

/// The separation map of an `omega` without its temperature.
pub(crate) fn map(omega: &Value, id: &str) -> Map {
    let parameter = |field: &str| omega[field].as_f64().unwrap_or_else(|| panic!("{id}: omega has no {field}"));
    match omega["kind"].as_str().unwrap_or_else(|| panic!("{id}: omega has no kind")) {
        "quadratic" => Map::Quadratic(Quadratic),
        "power" => Map::Power(Power::new(parameter("r")).expect(id)),
        "exp" => Map::Exponential(Exponential),
        "entmax" => Map::Entmax(Entmax::new(parameter("alpha")).expect(id)),
        "normmax" => Map::Normmax(Normmax::new(parameter("gamma")).expect(id)),
        "ksubsets" => Map::Subsets(Subsets::new(parameter("k")).expect(id)),
        "seq_ksubsets" => {
            let reg = omega["reg"].as_str().unwrap_or_else(|| panic!("{id}: omega has no reg"));
            let text = format!("sequence:{}:t={}:reg={reg}", parameter("k"), parameter("t"));
            text.parse().expect(id)
        }
        other => panic!("{id}: unknown map {other}"),
    }
}

/// The post-transformation of a `psi`.
pub(crate) fn post(psi: &Value, id: &str) -> Post {
    let parameter = |field: &str| psi[field].as_f64().unwrap_or_else(|| panic!("{id}: psi has no {field}"));
    let row = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).expect(id) };
    match psi["kind"].as_str().unwrap_or_else(|| panic!("{id}: psi has no kind")) {
        "identity" => Identity.into(),
        "l2" => Ball::new(parameter("r")).expect(id).into(),
        "layernorm" => {
            let norm = LayerNorm::new(parameter("eta")).expect(id).with_epsilon(parameter("eps")).expect(id);
            norm.with_delta(row(&psi["delta"])).expect(id).into()
        }
        "tanh" => Tanh::new(parameter("beta")).expect(id).into(),
        "sign" => Sign.into(),
        "linear" => {
            let rows: Vec<Vec<f64>> = psi["A"].as_array().expect(id).iter().map(row).collect();
            let matrix = Array2::from_shape_vec((rows.len(), rows.len()), rows.concat()).expect(id);
            Linear::new(matrix.view()).expect(id).into()
        }
        other => panic!("{id}: unknown post-transformation {other}"),
    }
}
