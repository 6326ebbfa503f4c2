//! Figure 8: landscapes and basins without a post-transformation.

use std::f64::consts::FRAC_1_SQRT_2;

use serde_json::Value;

use super::landscape::{self, Psi, SETS, Seen};
use crate::error::Result;
use crate::experiment::{Bench, Cell, Experiment, Mode, Outcome, Reading, Results, Setting};

/// Energies, trajectories and basins of attraction for `ŷ_Ψ(z) = z`.
#[derive(Debug)]
pub(super) struct Fig8;

impl Experiment for Fig8 {
    fn id(&self) -> &'static str {
        "fig8"
    }

    fn title(&self) -> &'static str {
        "Energy landscapes and basins of attraction, identity"
    }

    fn about(&self) -> &'static str {
        "Four sets of patterns of length 1 in the plane, under five maps and no post-transformation. Left: the energy at β = 1 \
         and the states of one query, which begins at what softmax retrieves for it. Right: the pattern that each point of the \
         plane goes to in 50 updates."
    }

    fn readings(&self) -> Vec<Reading> {
        landscape::shared_readings()
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        [landscape::contour_cells(Psi::Identity, setting), landscape::basin_cells(Psi::Identity, setting)].concat()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        landscape::compute(cell, bench)
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let seen = Seen::of(results)?;
        let known = |set: usize, map: usize| {
            if setting.quick { None } else { Some(known_shares(setting.mode, SETS[set])?[map]) }
        };
        const SHARES: &str = "Share of the grid that goes to a pattern";
        let mut cells = seen.share_table(0, SHARES, known);
        if setting.mode == Mode::Defined {
            // 1.5-entmax ends between the two tolerances of patterns 3 and 5 of the last set.
            cells.push(seen.wide_share(1, SETS.len() - 1).of(SHARES).beside_reference(1.0, 5e-4));
        }
        cells.extend(seen.end_tables(|set, map| Some(known_ends(SETS[set])?[map])));
        cells.extend(seen.evenness_table());
        Ok(Outcome {
            parameters: landscape::parameters(Psi::Identity, setting),
            cells,
            claims: vec![seen.single_patterns(), seen.sparser_is_surer(), seen.even_averages(), seen.downhill()],
            values: seen.values(),
            drawings: vec![landscape::drawing("fig8", Psi::Identity, setting.mode, &seen)],
            ..Outcome::default()
        })
    }
}

/// Shares of the grid that the published code retrieves, map by map.
fn known_shares(mode: Mode, set: usize) -> Option<[f64; 5]> {
    match (mode, set) {
        (Mode::Printed, 3) => Some([0.0, 0.0, 0.475, 0.270, 0.252]),
        (Mode::Printed, 9) => Some([0.0, 0.652, 0.657, 0.655, 0.355]),
        (Mode::Defined, 0) => Some([1.0; 5]),
        (Mode::Defined, 3) => Some([0.0, 0.491, 0.702, 0.686, 0.560]),
        (Mode::Defined, 8) => Some([0.470, 1.0, 1.0, 1.0, 0.876]),
        (Mode::Defined, 9) => Some([0.654, 0.657, 1.0, 1.0, 0.907]),
        _ => None,
    }
}

/// Where the trajectories of the published code end, map by map.
fn known_ends(set: usize) -> Option<[[f64; 2]; 5]> {
    match set {
        0 => Some([-0.30836, -0.3967, -FRAC_1_SQRT_2, -0.42131, -0.27086].map(|v| [v, v])),
        9 => Some([[0.18831, 0.1883], [0.84709, -0.00533], [0.93454, -0.1746], [0.93454, -0.1746], [0.7445, 0.15248]]),
        _ => None,
    }
}
