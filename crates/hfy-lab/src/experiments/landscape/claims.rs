//! What the paper says of these figures, held to the numbers.

use super::basins::Basin;
use super::contours::Contour;
use super::{MAPS, SETS, Seen};
use crate::experiment::Claim;

/// How near to a pattern a trajectory has to end to count as there.
const THERE: f64 = 1e-3;
/// Shares of the grid that differ by less look alike in a figure.
const ALIKE: f64 = 0.02;
/// What can be seen as more.
const MORE: f64 = 0.005;

impl Seen {
    /// Whether larger α ends at single patterns more often, in the trajectories.
    pub(in super::super) fn single_patterns(&self) -> Claim {
        let there = |map: usize| self.contours[map].iter().filter(|panel| panel.distance < THERE).count();
        let ends = [0, 1, 2].map(there);
        Claim::new(
            "As α grows, α-entmax converges more often to a single pattern.",
            ends[0] <= ends[1] && ends[1] <= ends[2] && ends[0] < ends[2],
            format!(
                "Trajectories that end at a pattern, of {} at β = 1: {}, {} and {} for α = 1, 1.5 and 2.",
                SETS.len(),
                ends[0],
                ends[1],
                ends[2]
            ),
        )
    }

    /// Whether larger α means fewer metastable states, in the basins.
    pub(in super::super) fn sparser_is_surer(&self) -> Claim {
        let shares = [0, 1, 2].map(|map| self.mean_share(0, map));
        Claim::new(
            "The larger α of entmax, the smaller the part of the plane that goes to a metastable state.",
            shares[0] < shares[1] && shares[1] < shares[2],
            format!(
                "Mean share of the grid that goes to a pattern, over the three random sets: {:.3}, {:.3} and {:.3} for \
                 α = 1, 1.5 and 2.",
                shares[0], shares[1], shares[2]
            ),
        )
    }

    /// Whether normmax ends in plain averages.
    pub(in super::super) fn even_averages(&self) -> Claim {
        let mean = |map: usize| {
            let spreads = || self.group(0)[map].iter().filter_map(|basin: &Basin| basin.spread);
            let points: usize = spreads().map(|spread| spread.points).sum();
            let sum: f64 = spreads().map(|spread| spread.evenness * spread.points as f64).sum();
            (points > 0).then(|| sum / points as f64)
        };
        let means: Vec<Option<f64>> = (0..MAPS.len()).map(mean).collect();
        let said: Vec<String> = MAPS
            .iter()
            .zip(&means)
            .map(|(map, mean)| mean.map_or(format!("{} none", map.1), |mean| format!("{} {mean:.3}", map.1)))
            .collect();
        Claim::new(
            "γ-normmax tends to converge towards an attractor that is a uniform average of some patterns.",
            // Two weights of 0.61 and 0.39 have an evenness of 0.95.
            means[3].is_none_or(|even| even > 0.95)
                && means[4].is_some_and(|even| even > 0.95)
                && self.mean_share(0, 4) < self.mean_share(0, 2),
            format!(
                "How even the weights of metastable states are, 1 for a plain average: {}. Mean share of the grid that ends in \
                 them, over the random sets: 2-normmax {:.3}, 5-normmax {:.3}, against {:.3} of 2-entmax.",
                said.join(", "),
                1.0 - self.mean_share(0, 3),
                1.0 - self.mean_share(0, 4),
                1.0 - self.mean_share(0, 2)
            ),
        )
    }

    /// Whether each update lowers the energy that is drawn.
    pub(in super::super) fn downhill(&self) -> Claim {
        let highest = |map: &Vec<Contour>| map.iter().map(|panel| panel.rise).fold(f64::NEG_INFINITY, f64::max);
        let rises: Vec<f64> = self.contours.iter().map(highest).collect();
        let worst = rises.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let said: Vec<String> = MAPS.iter().zip(&rises).map(|(map, rise)| format!("{} {rise:.1e}", map.1)).collect();
        Claim::new(
            "Every trajectory goes downhill on the energy that is drawn under it.",
            worst <= 1e-12,
            format!("Largest rise of the energy in one update: {}.", said.join(", ")),
        )
    }

    /// Whether states lie on the sphere, and energies are infinite beyond it.
    pub(in super::super) fn on_the_sphere(&self, sphere: &str) -> Claim {
        let worst = self.panels().map(|panel| panel.off_sphere).fold(0.0, f64::max);
        let misplaced: usize = self.panels().map(|panel| panel.misplaced).sum();
        let inside: usize = self.panels().map(|panel| panel.inside).sum();
        let all: usize = self.panels().map(|panel| panel.energies.len()).sum();
        Claim::new(
            format!("After the first update, states lie on {sphere}, outside of which the energy is infinite."),
            worst < 1e-6 && misplaced == 0,
            format!(
                "States of all trajectories are off by at most {worst:.1e}. Of {all} grid points {inside} are inside; {misplaced} \
                 have an energy that does not fit their side."
            ),
        )
    }

    /// Whether states lie in the plane of vanishing sum.
    pub(in super::super) fn in_the_plane(&self) -> Claim {
        let worst = self.panels().map(|panel| panel.off_plane).fold(0.0, f64::max);
        let says = "After the first update, the coordinates of every state sum to zero.";
        Claim::new(says, worst < 1e-12, format!("Largest sum in any trajectory: {worst:.1e}."))
    }

    /// Whether a figure has the same basins as the one it is compared with, but for softmax and 1.5-entmax, which have
    /// more.
    pub(in super::super) fn like_the_identity(&self) -> Vec<Claim> {
        let gap = |map: usize| {
            (0..SETS.len()).map(|set| (self.share(0, map, set) - self.share(1, map, set)).abs()).fold(0.0, f64::max)
        };
        let gaps: Vec<f64> = (2..MAPS.len()).map(gap).collect();
        let same = Claim::new(
            "For 2-entmax and normmax the basins closely resemble those without a post-transformation.",
            gaps.iter().all(|gap| *gap < ALIKE),
            format!(
                "Shares of the grid that go to a pattern differ in no set by more than {:.3} for 2-entmax, {:.3} for 2-normmax \
                 and {:.3} for 5-normmax.",
                gaps[0], gaps[1], gaps[2]
            ),
        );
        let more = |map: usize| {
            let mean = |group| (0..SETS.len()).map(|set| self.share(group, map, set)).sum::<f64>() / SETS.len() as f64;
            let (here, there): (f64, f64) = (mean(0), mean(1));
            Claim::new(
                format!("For {} there is more attraction than without a post-transformation.", MAPS[map].1),
                here > there + MORE,
                format!("Mean share of the grid that goes to a pattern, over all sets: {here:.4} against {there:.4}."),
            )
        };
        vec![same, more(0), more(1)]
    }

    /// Whether a figure has more attraction than the one it is compared with.
    pub(in super::super) fn more_attraction(&self) -> Claim {
        let reached = |group: usize| (0..MAPS.len()).map(|map| self.reached(group, map)).sum::<usize>();
        let share =
            |group: usize| (0..MAPS.len()).map(|map| self.mean_share(group, map)).sum::<f64>() / MAPS.len() as f64;
        Claim::new(
            "There are more areas of attraction than without a post-transformation.",
            reached(0) > reached(1) && share(0) > share(1),
            format!(
                "Patterns with a basin, over all panels: {} against {}. Mean share of the grid that goes to a pattern: {:.3} \
                 against {:.3}.",
                reached(0),
                reached(1),
                share(0),
                share(1)
            ),
        )
    }
}
