//! Faces of factors that are solved in closed form.

/// How a literal may move on a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Not at all.
    Fixed,
    /// As it likes.
    Free,
    /// Together with the others that are bound, with this sign.
    Bound(f64),
}

/// What the bound literals of a face share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bond {
    /// Their changes, with their signs, sum to zero.
    Balanced,
    /// Their changes are one and the same.
    Tied,
}

/// A face whose directions are known one by one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flat {
    pub(super) parts: Vec<Part>,
    pub(super) bond: Bond,
}

impl Flat {
    /// `d ← P d`, the nearest direction of the face.
    pub(super) fn project(&self, d: &mut [f64]) {
        let (mut sum, mut count) = (0.0, 0.0);
        for (part, d) in self.parts.iter().zip(&*d) {
            if let Part::Bound(sign) = part {
                sum += sign * d;
                count += 1.0;
            }
        }
        let mean = sum / count;
        for (part, d) in self.parts.iter().zip(d) {
            *d = match (part, self.bond) {
                (Part::Fixed, _) => 0.0,
                (Part::Free, _) => *d,
                (Part::Bound(sign), Bond::Balanced) => *d - sign * mean,
                (Part::Bound(sign), Bond::Tied) => sign * mean,
            };
        }
    }
}

/// Strictly between zero and one.
pub(super) fn is_open(y: f64, tolerance: f64) -> bool {
    y > tolerance && y < 1.0 - tolerance
}
