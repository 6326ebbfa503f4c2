//! Two studies for the report: how much noise each network bears, and which beta certifies how many patterns.

use hfy::{Certifier, Map};

use super::cues::Damage;
use super::session::Session;
use crate::error::Result;
use crate::glyphs::Glyph;

/// Deviations of the noise.
pub(crate) const NOISE: [f64; 11] = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0];
/// Cues of each picture at each deviation.
const DRAWS: u64 = 4;

/// The share of exact recalls at each deviation of [`NOISE`].
pub(crate) fn noise_curve(session: &Session, glyphs: &[Glyph]) -> Result<Vec<(f64, f64)>> {
    let mut points = Vec::with_capacity(NOISE.len());
    for deviation in NOISE {
        let mut exact = 0;
        for draw in 0..DRAWS {
            let recalls = session.recall(glyphs, Damage::Noise(deviation), 100 + draw, false)?;
            exact += recalls.iter().filter(|recall| recall.exact).count();
        }
        points.push((deviation, exact as f64 / (DRAWS as usize * glyphs.len()) as f64));
    }
    Ok(points)
}

/// The steps of the share of patterns that are fixed points, as beta grows: a beta, and the share from there on.
pub(crate) fn certified_curve(session: &Session, map: &Map) -> Result<Vec<(f64, f64)>> {
    let certifier = Certifier::new(session.stored.view(), map, 1.0)?;
    let certificates = certifier.certificates()?;
    Ok(certifier.curve(&certificates).steps().collect())
}
