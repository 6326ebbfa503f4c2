//! One network, all pictures, all damage: what came back.

use hfy::certify::Certificate;
use hfy::network::AnyNetwork;
use hfy::retrieval::{Retriever, Settings, Status, Stop};
use hfy::{Batch, Binary, Certifier, Convex, LayerNorm, Map, Network, Post, Scaled, Separation};
use ndarray::Array2;

use super::cues::Damage;
use super::lineup::{Entry, Run, Stored};
use crate::error::Result;
use crate::glyphs::Glyph;

/// A network over its stored pictures.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) entry: Entry,
    pub(crate) map: Map,
    pub(crate) post: Post,
    /// One pattern a row.
    pub(crate) stored: Array2<f64>,
}

/// What came of one cue.
#[derive(Debug, Clone)]
pub(crate) struct Recall {
    pub(crate) glyph: usize,
    /// The second picture, where two were asked for.
    pub(crate) partner: Option<usize>,
    pub(crate) cue: Vec<f64>,
    pub(crate) state: Vec<f64>,
    /// In words.
    pub(crate) result: String,
    /// Whether exactly what was stored came back.
    pub(crate) exact: bool,
    /// Whether what came back is nearest to what was stored.
    pub(crate) nearest: bool,
    pub(crate) steps: usize,
    /// The energies of the cue and of each state.
    pub(crate) energies: Vec<f64>,
    /// Whether one step was certain to return the right thing, known before it was taken; `None` for a map without a
    /// margin.
    pub(crate) certified: Option<bool>,
}

impl Session {
    pub(crate) fn new(entry: Entry, glyphs: &[Glyph]) -> Result<Self> {
        let (map, post): (Map, Post) = (entry.map.parse()?, entry.post.parse()?);
        let mut stored = Array2::zeros((glyphs.len(), glyphs[0].greys.len()));
        for (mut row, glyph) in stored.rows_mut().into_iter().zip(glyphs) {
            row.iter_mut().zip(&glyph.greys).for_each(|(to, &grey)| *to = grey);
        }
        match entry.stored {
            Stored::Greys => {}
            Stored::Signs => stored.mapv_inplace(|grey| if grey > 0.0 { 1.0 } else { -1.0 }),
            Stored::Transformed => stored = Batch::new(&post).map(stored.view())?.0,
            Stored::Standardised => stored = Batch::new(&LayerNorm::default()).map(stored.view())?.0,
        }
        Ok(Session { entry, map, post, stored })
    }

    fn network(&self) -> Result<AnyNetwork<'_, f64>> {
        Ok(Network::new(Scaled::with_beta(self.map.clone(), self.entry.beta)?, self.post.clone(), self.stored.view())?)
    }

    /// Whether the map has a margin, and so certificates.
    pub(crate) fn has_margin(&self) -> bool {
        Separation::<f64>::margin(&self.map).is_some()
    }

    fn certifier(&self) -> Result<Certifier<'_, f64>> {
        let certifier = Certifier::new(self.stored.view(), &self.map, self.entry.beta)?;
        Ok(if Convex::<f64>::is_identity(&self.post) { certifier } else { certifier.post(&self.post) })
    }

    /// The certificates of all patterns, for a map that recalls one at a time and has a margin.
    pub(crate) fn certificates(&self) -> Result<Option<Vec<Certificate>>> {
        let single = Convex::<f64>::mass(&self.map) == Some(1.0);
        if !(self.has_margin() && single) {
            return Ok(None);
        }
        Ok(Some(self.certifier()?.certificates()?))
    }

    /// The weights of one step from a cue.
    pub(crate) fn weights(&self, cue: &[f64]) -> Result<Vec<f64>> {
        Ok(self.network()?.step(cue)?.weights)
    }

    /// The picture that goes with another where two are asked for.
    fn partner(&self, glyph: usize) -> Option<usize> {
        let count = self.stored.nrows();
        (self.entry.run == Run::Pair).then_some((glyph + count / 2) % count)
    }

    /// A cue as this network takes it.
    fn prepare(&self, mut cue: Vec<f64>) -> Result<Vec<f64>> {
        match (self.entry.stored, self.entry.run) {
            (Stored::Transformed, _) => drop(self.post.argmax(&mut cue)?),
            (Stored::Standardised, _) => drop(LayerNorm::default().argmax(&mut cue)?),
            (_, Run::Asynchronous) => cue.iter_mut().for_each(|grey| *grey = if *grey > 0.0 { 1.0 } else { -1.0 }),
            // The states of tanh and sign, and so the domain of the energy.
            (Stored::Signs, _) => cue.iter_mut().for_each(|grey| *grey = grey.clamp(-1.0, 1.0)),
            (Stored::Greys, _) => {}
        }
        Ok(cue)
    }

    /// Shows every picture, damaged; `seed` decides the damage. Without `details` there are neither energies along the
    /// way nor certificates.
    pub(crate) fn recall(&self, glyphs: &[Glyph], damage: Damage, seed: u64, details: bool) -> Result<Vec<Recall>> {
        let damaged = |glyph: usize| damage.apply(&glyphs[glyph].greys, seed.wrapping_mul(1009) + glyph as u64);
        let mut cues = Vec::with_capacity(glyphs.len());
        for glyph in 0..glyphs.len() {
            let mut cue = damaged(glyph);
            if let Some(partner) = self.partner(glyph) {
                cue.iter_mut().zip(damaged(partner)).for_each(|(a, b)| *a = f64::midpoint(*a, b));
            }
            cues.push(self.prepare(cue)?);
        }
        match self.entry.run {
            Run::Asynchronous => self.settle(cues),
            Run::Loop | Run::Pair => self.retrieve(cues, details),
        }
    }

    fn retrieve(&self, cues: Vec<Vec<f64>>, details: bool) -> Result<Vec<Recall>> {
        let network = self.network()?;
        let stop = Stop::Residual { tolerance: 1e-9, limit: 500 };
        let settings = Settings { stop, trace: details, ..Settings::default() };
        let width = self.stored.ncols();
        let queries = Array2::from_shape_fn((cues.len(), width), |(row, column)| cues[row][column]);
        let found = Retriever::new(&network)?.with_settings(settings)?.retrieve(queries.view())?;
        let certifier = if details && self.has_margin() { Some(self.certifier()?) } else { None };
        let mut recalls = Vec::with_capacity(cues.len());
        for (glyph, (cue, report)) in cues.into_iter().zip(found.reports).enumerate() {
            let mut wanted: Vec<usize> = [Some(glyph), self.partner(glyph)].into_iter().flatten().collect();
            wanted.sort_unstable();
            let exact = match &report.status {
                Status::Pattern(row) => wanted == [*row],
                Status::Association(rows) => *rows == wanted,
                _ => false,
            };
            let certified = match &certifier {
                Some(certifier) => {
                    let guarantee = certifier.guarantee(&cue)?;
                    Some(guarantee.exact && guarantee.best == wanted)
                }
                None => None,
            };
            let state = found.states.row(glyph).to_vec();
            recalls.push(Recall {
                glyph,
                partner: self.partner(glyph),
                // Weights that are no distribution do not blend.
                result: match &report.status {
                    Status::Blend { .. } if Convex::<f64>::mass(&self.map).is_none() => "another state".to_owned(),
                    status => status.to_string(),
                },
                exact,
                nearest: exact || (wanted.len() == 1 && self.nearest(&state) == glyph),
                steps: report.steps,
                energies: report.trace.unwrap_or_default(),
                certified,
                cue,
                state,
            });
        }
        Ok(recalls)
    }

    fn settle(&self, cues: Vec<Vec<f64>>) -> Result<Vec<Recall>> {
        const SWEEPS: usize = 100;
        let memory = Binary::new(self.stored.view())?;
        let mut recalls = Vec::with_capacity(cues.len());
        for (glyph, cue) in cues.into_iter().enumerate() {
            let mut state = cue.clone();
            let mut energies = vec![memory.energy(&state)?];
            let mut steps = 0;
            // One sweep at a time, to see the energy in between.
            while steps < SWEEPS {
                let settled = memory.settle(&mut state, 1, (glyph * SWEEPS + steps) as u64)?;
                steps += 1;
                energies.push(memory.energy(&state)?);
                if settled.is_some() {
                    break;
                }
            }
            let found = self.stored.rows().into_iter().position(|row| row.iter().eq(&state));
            recalls.push(Recall {
                glyph,
                partner: None,
                result: found.map_or_else(|| "another state".to_owned(), |row| format!("pattern {row}")),
                exact: found == Some(glyph),
                nearest: self.nearest(&state) == glyph,
                steps,
                energies,
                certified: None,
                cue,
                state,
            });
        }
        Ok(recalls)
    }

    /// The stored pattern nearest to a state.
    fn nearest(&self, state: &[f64]) -> usize {
        let distance =
            |row: usize| -> f64 { self.stored.row(row).iter().zip(state).map(|(x, s)| (x - s).powi(2)).sum() };
        let rows = 0..self.stored.nrows();
        rows.min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lineup::LINEUP;
    use super::*;

    #[test]
    fn energies_never_rise_and_certificates_are_kept() {
        let glyphs = crate::glyphs::all();
        for entry in LINEUP {
            let session = Session::new(entry, &glyphs).expect("a network");
            for (kind, damage) in Damage::SHOWN.into_iter().enumerate() {
                for recall in session.recall(&glyphs, damage, kind as u64, true).expect("recalls") {
                    let what = format!("{}, {}, {}", entry.name, damage.name(), glyphs[recall.glyph].name);
                    let rise = |pair: &[f64]| pair[1] - pair[0] > 1e-12 * pair[0].abs().max(1.0);
                    assert!(!recall.energies.windows(2).any(rise), "{what}: {:?}", recall.energies);
                    assert!(recall.certified != Some(true) || recall.exact, "{what}: certified and lost");
                }
            }
        }
    }
}
