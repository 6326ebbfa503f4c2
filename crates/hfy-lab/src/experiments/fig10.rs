//! Figure 10: landscapes and basins with layer normalisation.

use serde_json::Value;

use super::landscape::{self, Psi, SETS, Seen};
use crate::error::Result;
use crate::experiment::{Bench, Cell, Experiment, Mode, Outcome, Reading, Results, Setting};

/// Energies, trajectories and basins of attraction for layer normalisation.
#[derive(Debug)]
pub(super) struct Fig10;

impl Experiment for Fig10 {
    fn id(&self) -> &'static str {
        "fig10"
    }

    fn title(&self) -> &'static str {
        "Energy landscapes and basins of attraction, layer normalisation"
    }

    fn about(&self) -> &'static str {
        "The sets of Figure 8 with a third coordinate that makes the sum zero, centred and brought to an unbiased deviation of 1, \
         and every state as well. Ψ is the indicator of a disc: the plane of vanishing sum inside of the sphere of radius √2. In \
         two of three coordinates it is an ellipse. Patterns are longer than in Figure 8 by √2, which alone is worth a doubled β."
    }

    fn readings(&self) -> Vec<Reading> {
        let mut readings = landscape::shared_readings();
        readings.push(Reading::new(
            "under the root of layer normalisation",
            "variance + 1e-8",
            "the variance alone, so that Ψ is the indicator that the paper states",
            "States of the trajectories fall short of the sphere by up to 7e-8. At β = 4 no point of the basins changes.",
        ));
        readings.push(Reading::new(
            "variance",
            "unbiased: radius √(D-1)",
            "the same, as the caption says. The proposition has the biased one, radius √D, which is β times D/(D-1)",
            "The last table has the shares with the biased variance.",
        ));
        readings
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let mut figures = vec![Psi::LayerNorm, Psi::Identity];
        if setting.mode == Mode::Defined {
            figures.push(Psi::LayerNormBiased);
        }
        let basins = figures.into_iter().flat_map(|psi| landscape::basin_cells(psi, setting));
        landscape::contour_cells(Psi::LayerNorm, setting).into_iter().chain(basins).collect()
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
        if setting.mode == Mode::Defined {
            cells.extend(seen.share_table(2, "The same with the biased variance", |_, _| None));
        }
        cells.extend(seen.end_tables(|_, _| None));
        Ok(Outcome {
            parameters: landscape::parameters(Psi::LayerNorm, setting),
            cells,
            claims: vec![
                seen.in_the_plane(),
                seen.on_the_sphere("the sphere of radius √(D-1) = √2"),
                seen.more_attraction(),
                seen.sparser_is_surer(),
                seen.downhill(),
            ],
            values: seen.values(),
            drawings: vec![landscape::drawing("fig10", Psi::LayerNorm, setting.mode, &seen)],
            ..Outcome::default()
        })
    }
}

/// Shares of the grid that the published code retrieves at the β of the caption, map by map.
fn known_shares(mode: Mode, set: usize) -> Option<[f64; 5]> {
    match (mode, set) {
        (Mode::Defined, 3) => Some([0.713, 0.716, 1.0, 0.958, 0.947]),
        (Mode::Defined, 8) => Some([0.492, 1.0, 1.0, 1.0, 0.891]),
        (Mode::Defined, 9) => Some([0.857, 1.0, 1.0, 1.0, 0.998]),
        _ => None,
    }
}
