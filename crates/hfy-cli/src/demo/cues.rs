//! Damage: what is left of a picture when it is shown to a memory.

use super::random::Random;

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Damage {
    /// Normal noise of this deviation on every pixel.
    Noise(f64),
    /// The lower half is grey.
    HalfMasked,
    /// This share of the pixels changes sign.
    Flipped(f64),
}

impl Damage {
    /// The three of the demonstration.
    pub(crate) const SHOWN: [Damage; 3] = [Damage::Noise(1.2), Damage::HalfMasked, Damage::Flipped(0.25)];

    pub(crate) fn name(self) -> String {
        match self {
            Damage::Noise(deviation) => format!("noise {deviation}"),
            Damage::HalfMasked => "half masked".to_owned(),
            Damage::Flipped(share) => format!("{:.0} % flipped", 100.0 * share),
        }
    }

    /// The damaged picture. The seed decides everything that is random.
    pub(crate) fn apply(self, greys: &[f64], seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let half = greys.len() / 2;
        let pixel = |(place, &grey): (usize, &f64)| match self {
            Damage::Noise(deviation) => grey + deviation * random.normal(),
            Damage::HalfMasked if place >= half => 0.0,
            Damage::HalfMasked => grey,
            Damage::Flipped(share) if random.uniform() < share => -grey,
            Damage::Flipped(_) => grey,
        };
        greys.iter().enumerate().map(pixel).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_does_what_it_says() {
        let greys = [1.0; 10_000];
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let noise = Damage::Noise(2.0).apply(&greys, 1);
        let spread = noise.iter().map(|grey| (grey - 1.0).powi(2)).sum::<f64>() / 1e4;
        assert!((mean(&noise) - 1.0).abs() < 0.1 && (spread - 4.0).abs() < 0.3, "{spread}");
        assert_eq!(mean(&Damage::HalfMasked.apply(&greys, 1)), 0.5);
        assert!((mean(&Damage::Flipped(0.25).apply(&greys, 1)) - 0.5).abs() < 0.05);
        assert_eq!(noise, Damage::Noise(2.0).apply(&greys, 1));
        assert_ne!(noise, Damage::Noise(2.0).apply(&greys, 2));
    }
}
