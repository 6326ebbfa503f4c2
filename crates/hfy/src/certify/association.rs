//! Associations of k patterns.

use super::Certifier;
use super::guarantee::check_size;
use super::rounding::{apart, dot};
use crate::error::{Error, Result, check_len};
use crate::real::{Real, vectorised};

/// What is guaranteed for an association: a set `S` of k stored patterns, retrieved together by k-subsets.
///
/// The state is `c = Σ_S x_i`, or `ŷ_Ψ` of it, and its scores are `θ = X c`. A vertex `a` of the polytope of k-subsets
/// maximises `β θ·y - |y|²/2` if and only if the gradient there, `β θ - a`, makes no other vertex better; those that
/// exchange one pattern say `β (θ_i - θ_j) ≥ 1` for `i` in `S` and `j` not, and imply the rest. So an association is
/// retrieved exactly **if and only if** each of its scores leads every other by `1/β`. The paper's condition
/// `Δ ≥ D²/(2β)` is sufficient. Neither needs the vertices to be listed.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Association {
    /// The patterns of the set, ascending.
    pub members: Vec<usize>,
    /// The member with the least score.
    pub weakest: usize,
    /// The best pattern outside of the set.
    pub rival: Option<usize>,
    /// By how much the weakest leads the rival.
    pub lead: f64,
    /// The paper's `Δ = min θ·(a - a')` over all other sets `a'` of k: the lead itself where that is not negative,
    /// otherwise the sum of all negative differences between members in rising and others in falling order.
    pub separation: f64,
    /// The paper's `D² = max |a - a'|² = 2 min(k, N - k)`.
    pub distance_squared: f64,
    /// Whether the paper's sufficient condition holds: `Δ ≥ m D²/(2β)`.
    pub sufficient: bool,
    /// Whether one step from the state returns it: `lead ≥ m/β`.
    pub fixed_point: bool,
    /// `(Δ - m D²/(2β)) / (M D²)`, the paper's radius by the largest norm `M`. (Its other form, with the largest
    /// singular value of the patterns in place of `M D`, is not computed.) Zero where there is no room.
    pub radius_paper: f64,
    /// The largest radius around the state `c` within which every query returns `c` in one step:
    /// `min (c·(x_i - x_j) - m/β) / |x_i - x_j|` over members `i` and others `j`, by the same proof as for
    /// [single patterns](super::Certificate::radius_sharp).
    pub radius_sharp: f64,
    /// The member and the other pattern whose plane is nearest.
    pub boundary: Option<(usize, usize)>,
}

impl<T: Real> Certifier<'_, T> {
    /// The certificate of an association of as many patterns as the map selects.
    ///
    /// ```
    /// use hfy::{Certifier, Subsets};
    /// use ndarray::array;
    ///
    /// let patterns = array![[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    /// let pair = Certifier::new(patterns.view(), &Subsets::new(2.0)?, 1.0)?.association(&[0, 2])?;
    /// assert_eq!((pair.fixed_point, pair.lead, pair.rival), (true, 4.0, Some(1)));
    /// assert!((pair.radius_sharp - 3.0 / 8f64.sqrt()).abs() < 1e-12);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn association(&self, members: &[usize]) -> Result<Association> {
        let n = self.patterns.len();
        check_size(self.margin().size(), n)?;
        check_len("members", members.len(), self.margin().size())?;
        let mut members = members.to_vec();
        members.sort_unstable();
        let doubled = members.windows(2).position(|pair| pair[0] == pair[1]).map(|at| members[at]);
        if let Some(wrong) = doubled.or(members.last().copied().filter(|&last| last >= n)) {
            return Err(Error::parameter("member", wrong, "members must be different patterns of the stored set"));
        }
        let state = self.blend(&members)?;
        let theta: Vec<f64> = vectorised(
            #[inline(always)]
            || (0..n).map(|j| dot(&state, self.patterns.row(j))).collect(),
        );
        let mut inside: Vec<usize> = members.clone();
        let mut outside: Vec<usize> = (0..n).filter(|j| members.binary_search(j).is_err()).collect();
        inside.sort_by(|&a, &b| theta[a].total_cmp(&theta[b]));
        outside.sort_by(|&a, &b| theta[b].total_cmp(&theta[a]));
        let (weakest, rival) = (inside[0], outside.first().copied());
        let lead = rival.map_or(f64::INFINITY, |j| theta[weakest] - theta[j]);
        let losses = inside.iter().zip(&outside).map(|(&i, &j)| theta[i] - theta[j]).take_while(|d| *d < 0.0);
        let separation = if lead < 0.0 { losses.sum() } else { lead };

        let distance_squared = 2.0 * inside.len().min(outside.len()) as f64;
        let (radius_sharp, boundary) = self.nearest_plane(&state, &theta, &inside, &outside);
        let needed = self.lead() * distance_squared / 2.0;
        let paper = (separation - needed) / (self.patterns.largest_norm() * distance_squared);
        Ok(Association {
            weakest,
            rival,
            lead,
            separation,
            distance_squared,
            sufficient: separation >= needed,
            fixed_point: lead >= self.lead(),
            radius_paper: if paper > 0.0 { paper.min(radius_sharp) } else { 0.0 },
            radius_sharp,
            boundary,
            members,
        })
    }

    /// `Σ x_i`, or `ŷ_Ψ` of it.
    fn blend(&self, members: &[usize]) -> Result<Vec<T>> {
        let mut state = vec![T::zero(); self.patterns.width()];
        for &i in members {
            state.iter_mut().zip(self.patterns.row(i)).for_each(|(s, &x)| *s += x);
        }
        if let Some(post) = self.post {
            post.argmax(&mut state)?;
        }
        Ok(state)
    }

    fn nearest_plane(
        &self,
        state: &[T],
        theta: &[f64],
        inside: &[usize],
        outside: &[usize],
    ) -> (f64, Option<(usize, usize)>) {
        let (norms, size) = (self.patterns.norms(), dot(state, state).sqrt());
        let (mut radius, mut boundary) = (f64::INFINITY, None);
        for &i in inside {
            for &j in outside {
                // The planes of a pair are nowhere farther apart than the two norms allow.
                let both = norms[i] + norms[j];
                let off = 2.0 * (self.rounding().relative * both * size + self.rounding().absolute);
                if theta[i] - theta[j] - self.lead() - off > radius * both * (1.0 + self.rounding().relative) {
                    continue;
                }
                let (along, square) = vectorised(
                    #[inline(always)]
                    || apart(state, self.patterns.row(i), self.patterns.row(j)),
                );
                let here = self.rounding().radius(along - self.lead(), square, both, size);
                if here < radius {
                    (radius, boundary) = (here, (here > 0.0).then_some((i, j)));
                }
                if radius == 0.0 {
                    return (radius, None);
                }
            }
        }
        (radius, boundary)
    }
}
