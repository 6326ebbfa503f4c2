//! Networks that end in a hyperbolic tangent, in single precision as the published code computes them.
//!
//! Weights that leave the range of the type are infinite; two of them with opposite signs at one pixel make it NaN,
//! which the next update spreads over the whole state. Such a cue is lost.

use std::collections::HashMap;

use hfy_kernel::Kernels;
use ndarray::{Array2, ArrayView2};

use super::STEPS;
use super::model::Weights;
use crate::error::Result;

/// States that are updated together.
const BLOCK: usize = 512;

/// The states that cues end in, at each of some inverse temperatures. `tell` hears the share that is done.
///
/// States that are equal are computed once, those of different temperatures too: a saturated tangent has forgotten its
/// own.
pub(super) fn retrieve(
    memories: ArrayView2<'_, f32>,
    cues: ArrayView2<'_, f32>,
    weights: Weights,
    betas: &[f64],
    tell: &dyn Fn(f64) -> Result<()>,
) -> Result<Vec<Array2<f32>>> {
    let (count, width) = memories.dim();
    let memories = memories.as_standard_layout();
    let rows = memories.as_slice().expect("rows lie one after the other");
    let columns: Vec<f32> = memories.t().iter().copied().collect();
    let mut ends = vec![Array2::from_elem(cues.dim(), f32::NAN); betas.len()];
    let mut states = Distinct::new(width);
    // Temperature, cue, and the place of its state among the distinct ones.
    let mut active: Vec<(usize, usize, usize)> = Vec::new();
    for (cue, state) in cues.rows().into_iter().enumerate() {
        let place = states.place(&state.to_vec());
        active.extend((0..betas.len()).map(|beta| (beta, cue, place)));
    }
    let mut scores = vec![0.0; BLOCK * count];
    let mut fields = vec![0.0; BLOCK * width];
    for step in 0..STEPS {
        let mut next = Distinct::new(width);
        // Where the state at a place goes at each temperature; it may return.
        let mut moves: Vec<Vec<Option<(usize, bool)>>> = vec![vec![None; betas.len()]; states.len()];
        active.iter().for_each(|&(beta, _, place)| moves[place][beta] = Some((0, false)));
        for (block, states) in states.all.chunks(BLOCK * width).enumerate() {
            tell((step as f64 + (block * BLOCK) as f64 / moves.len() as f64) / STEPS as f64)?;
            let size = states.len() / width;
            let (scores, fields) = (&mut scores[..size * count], &mut fields[..size * width]);
            f32::products(states, rows, width, scores);
            scores.iter_mut().for_each(|score| *score = weights.of(*score));
            f32::products(scores, &columns, count, fields);
            for (place, (state, field)) in states.chunks(width).zip(fields.chunks(width)).enumerate() {
                for (to, &beta) in moves[block * BLOCK + place].iter_mut().zip(betas) {
                    if to.is_some() {
                        let moved: Vec<f32> = field.iter().map(|&field| tangent(beta as f32 * field)).collect();
                        let returned = moved == state;
                        *to = Some((next.place(&moved), returned));
                    }
                }
            }
        }
        active = active
            .into_iter()
            .filter_map(|(beta, cue, place)| {
                let (place, returned) = moves[place][beta].expect("the states of active cues are moved");
                let over = returned || step + 1 == STEPS || next.at(place).iter().any(|v| v.is_nan());
                if over {
                    let end = next.at(place);
                    ends[beta].row_mut(cue).iter_mut().zip(end).for_each(|(to, from)| *to = *from);
                }
                (!over).then_some((beta, cue, place))
            })
            .collect();
        states = next.only(&mut active);
        if active.is_empty() {
            break;
        }
    }
    Ok(ends)
}

impl Weights {
    #[inline]
    fn of(self, score: f32) -> f32 {
        match self {
            Weights::Scores => score,
            Weights::TenthPower => score.powi(10),
            Weights::Exponential { rate } => (rate as f32 * score).exp(),
        }
    }
}

/// In single precision it is 1 from 9.02 on.
#[inline]
fn tangent(x: f32) -> f32 {
    if x.abs() > 10.0 { x.signum() } else { x.tanh() }
}

/// States without repetition, one after the other.
struct Distinct {
    all: Vec<f32>,
    width: usize,
    known: HashMap<u64, Vec<usize>>,
}

impl Distinct {
    fn new(width: usize) -> Self {
        Distinct { all: Vec::new(), width, known: HashMap::new() }
    }

    fn len(&self) -> usize {
        self.all.len() / self.width
    }

    fn at(&self, place: usize) -> &[f32] {
        &self.all[place * self.width..(place + 1) * self.width]
    }

    /// The place of a state, which is added if it is not there.
    fn place(&mut self, state: &[f32]) -> usize {
        let mix =
            |hash: u64, v: &f32| (hash ^ u64::from(v.to_bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        let alike = self.known.entry(state.iter().fold(0, mix)).or_default();
        let (all, width) = (&self.all, self.width);
        let same = |place: &&usize| all[**place * width..(**place + 1) * width] == *state;
        if let Some(place) = alike.iter().find(same) {
            return *place;
        }
        let place = all.len() / width;
        alike.push(place);
        self.all.extend_from_slice(state);
        place
    }

    /// Those states alone that are still active, whose places change.
    fn only(self, active: &mut [(usize, usize, usize)]) -> Self {
        let mut kept = Distinct::new(self.width);
        let mut places = vec![None; self.len()];
        for (_, _, place) in active {
            let new = places[*place].get_or_insert_with(|| {
                kept.all.extend_from_slice(self.at(*place));
                kept.len() - 1
            });
            *place = *new;
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Random;
    use hfy::retrieval::{Retriever, Settings, Stop};
    use hfy::{Network, Tanh};
    use ndarray::array;

    fn random(count: usize, width: usize, stream: u64) -> Array2<f32> {
        let mut random = Random::new(5, stream);
        Array2::from_shape_simple_fn((count, width), || random.normal() as f32)
    }

    #[test]
    fn within_its_range_it_is_what_the_library_computes() {
        let (memories, cues) = (random(6, 20, 0), random(600, 20, 1));
        let ends =
            retrieve(memories.view(), cues.view(), Weights::Exponential { rate: 0.3 }, &[0.2, 0.01], &|_| Ok(()))
                .unwrap();
        for (beta, ends) in [0.2, 0.01].into_iter().zip(ends) {
            let network = Network::exponential(0.3, Tanh::new(beta).unwrap(), &memories).unwrap();
            let settings = Settings { stop: Stop::Steps(STEPS), ..Settings::default() };
            let expected =
                Retriever::new(&network).unwrap().with_settings(settings).unwrap().retrieve(cues.view()).unwrap();
            for (end, expected) in ends.iter().zip(&expected.states) {
                assert!((end - expected).abs() < 2e-4, "{end} {expected}");
            }
        }
    }

    #[test]
    fn the_tenth_power_forgets_the_sign() {
        let memories = array![[1.0, 1.0, -1.0, 1.0]];
        let ends = retrieve(memories.view(), (-&memories).view(), Weights::TenthPower, &[9.0], &|_| Ok(())).unwrap();
        assert_eq!(ends[0], memories);
        let ends = retrieve(memories.view(), (-&memories).view(), Weights::Scores, &[9.0], &|_| Ok(())).unwrap();
        assert_eq!(ends[0], -&memories);
    }

    #[test]
    fn one_infinite_weight_is_a_sign_and_two_are_lost() {
        // Scores of 3e4 to the tenth are beyond single precision.
        let one = array![[100.0, -100.0, 100.0], [1.0, 1.0, 1.0]];
        let cue = array![[100.0, -100.0, 100.0]];
        let ends = retrieve(one.view(), cue.view(), Weights::TenthPower, &[1.0], &|_| Ok(())).unwrap();
        assert_eq!(ends[0], array![[1.0, -1.0, 1.0]]);
        let two = array![[100.0, -100.0, 100.0], [100.0, 90.0, 100.0]];
        let cue = array![[100.0, 1.0, 100.0]];
        let ends = retrieve(two.view(), cue.view(), Weights::TenthPower, &[1.0], &|_| Ok(())).unwrap();
        assert!(ends[0].iter().any(|v| v.is_nan()), "{ends:?}");
    }
}
