//! Figure 9: landscapes and basins with l2 normalisation.

use serde_json::Value;

use super::landscape::{self, Psi, SETS, Seen};
use crate::error::Result;
use crate::experiment::{Bench, Cell, Experiment, Mode, Outcome, Reading, Results, Setting};

/// Energies, trajectories and basins of attraction for `ŷ_Ψ(z) = z/|z|`.
#[derive(Debug)]
pub(super) struct Fig9;

impl Experiment for Fig9 {
    fn id(&self) -> &'static str {
        "fig9"
    }

    fn title(&self) -> &'static str {
        "Energy landscapes and basins of attraction, l2 normalisation"
    }

    fn about(&self) -> &'static str {
        "The sets of Figure 8, with every state brought to length 1. Ψ is the indicator of the disc of radius 1: the energy is \
         infinite outside of it, and states move along its rim. The basins of Figure 8 are computed as well, to compare."
    }

    fn readings(&self) -> Vec<Reading> {
        let mut readings = landscape::shared_readings();
        readings.push(Reading::new(
            "length in the basins",
            "z / (|z| + 1e-6), and z itself where it is shorter than 1e-6",
            "z / |z|",
            "States fall short of the circle by a millionth. At β = 4 that moves 35 points beside the diagonal of set 0 under \
             1.5-entmax from one pattern to another, and none elsewhere.",
        ));
        readings
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let basins = [Psi::L2, Psi::Identity].map(|psi| landscape::basin_cells(psi, setting)).concat();
        [landscape::contour_cells(Psi::L2, setting), basins].concat()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        landscape::compute(cell, bench)
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let seen = Seen::of(results)?;
        let known = |set: usize, map: usize| {
            if setting.quick { None } else { Some(known_shares(setting.mode, SETS[set])?[map]) }
        };
        let mut cells = seen.share_table(0, "Share of the grid that goes to a pattern", known);
        cells.extend(seen.share_table(1, "The same without a post-transformation", |_, _| None));
        cells.extend(seen.end_tables(|_, _| None));
        let mut claims = vec![seen.on_the_sphere("the circle of radius 1"), seen.sparser_is_surer()];
        claims.extend(seen.like_the_identity());
        claims.push(seen.downhill());
        Ok(Outcome {
            parameters: landscape::parameters(Psi::L2, setting),
            cells,
            claims,
            values: seen.values(),
            drawings: vec![landscape::drawing("fig9", Psi::L2, setting.mode, &seen)],
            ..Outcome::default()
        })
    }
}

/// Shares of the grid that the published code retrieves at the β of the caption, map by map.
fn known_shares(mode: Mode, set: usize) -> Option<[f64; 5]> {
    match (mode, set) {
        (Mode::Defined, 3) => Some([0.0, 0.491, 0.702, 0.694, 0.563]),
        (Mode::Defined, 8) => Some([0.470, 1.0, 1.0, 1.0, 0.886]),
        (Mode::Defined, 9) => Some([0.655, 1.0, 1.0, 1.0, 0.908]),
        _ => None,
    }
}
