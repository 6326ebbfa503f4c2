//! All structures of a few variables: sets of k, alone or in a row whose neighbours interact.

/// A set of k variables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Set {
    pub(super) on: Vec<bool>,
}

impl Set {
    /// All sets of `k` of `count` variables.
    pub(super) fn all(count: usize, k: usize) -> Vec<Set> {
        let bits = (0_u32..1 << count).filter(|bits| bits.count_ones() as usize == k);
        bits.map(|bits| Set { on: (0..count).map(|i| bits >> i & 1 == 1).collect() }).collect()
    }

    pub(super) fn members(&self) -> Vec<usize> {
        (0..self.on.len()).filter(|&i| self.on[i]).collect()
    }

    /// As weights.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.on.iter().map(|&on| f64::from(u8::from(on))).collect()
    }

    /// How many neighbours are both on.
    pub(super) fn pairs(&self) -> usize {
        self.on.windows(2).filter(|pair| pair[0] && pair[1]).count()
    }

    /// In how many variables two sets differ.
    pub(super) fn apart(&self, other: &Set) -> usize {
        self.on.iter().zip(&other.on).filter(|(a, b)| a != b).count()
    }

    /// The squared distance of the bit vectors of the factor graph: two bits a variable, and four a pair of neighbours,
    /// of each of which one is set.
    pub(super) fn bits_apart(&self, other: &Set) -> usize {
        let edges = self.on.windows(2).zip(other.on.windows(2)).filter(|(a, b)| a != b).count();
        2 * self.apart(other) + 2 * edges
    }

    /// The squared length of that bit vector.
    pub(super) fn bits(&self) -> usize {
        2 * self.on.len() - 1
    }

    /// `θ · (y - y')`.
    pub(super) fn lead(&self, other: &Set, theta: &[f64]) -> f64 {
        let gain = |set: &Set| set.on.iter().zip(theta).filter(|(on, _)| **on).map(|(_, t)| t).sum::<f64>();
        gain(self) - gain(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_by_hand() {
        let sets = Set::all(4, 2);
        assert_eq!(sets.len(), 6);
        let (a, b) = (Set { on: vec![true, true, false, false] }, Set { on: vec![false, false, true, true] });
        assert!(sets.contains(&a) && a.pairs() == 1 && a.apart(&b) == 4);
        // Four variables of two bits each; the pairs on-on, on-off, off-off become off-off, off-on, on-on.
        assert_eq!((a.bits_apart(&b), a.bits()), (8 + 6, 7));
        assert_eq!(a.lead(&b, &[1.0, 2.0, 0.5, 0.25]), 2.25);
    }

    #[test]
    fn eight_in_a_row() {
        // The largest distance of two pairs among eight variables, which the bound 12k puts at 24.
        let sets = Set::all(8, 2);
        let largest = sets.iter().flat_map(|a| sets.iter().map(|b| a.bits_apart(b))).max();
        assert_eq!(largest, Some(22));
    }
}
