//! Which instances the heads of a pooling look at, where it is known which ones matter.

use hfy_nn::layers::AssociationReport;
use hfy_nn::mil::{BagClassifier, Bags, explain};
use serde::{Deserialize, Serialize};

use super::brief;
use crate::error::Result;

/// Means over positive bags and heads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Looks {
    /// The share of the weight that lies on instances that matter.
    pub(super) on_target: f64,
    /// The share of the instances that matter.
    pub(super) by_chance: f64,
    /// How many instances have weight.
    pub(super) support: f64,
    /// How many instances there are.
    pub(super) size: f64,
    /// The share of the instances with weight that matter.
    #[serde(default)]
    pub(super) precision: f64,
    /// The share of the instances that matter that have weight.
    #[serde(default)]
    pub(super) recall: f64,
}

/// What was looked at in a bag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Shown {
    /// The instances.
    pub(super) members: Vec<usize>,
    /// The weights of each head, in thousandths of the head's sum.
    pub(super) weights: Vec<Vec<u16>>,
}

/// Means over all positive bags, and the first of them one by one.
pub(super) fn of(
    module: &BagClassifier,
    bags: &Bags<'_>,
    matters: impl Fn(usize) -> bool,
    shown: usize,
) -> Result<(Looks, Vec<Shown>)> {
    let positive: Vec<usize> = (0..bags.len()).filter(|&bag| bags.positive()[bag]).collect();
    let (mut sums, mut first) = (Looks::default(), Vec::new());
    for &bag in &positive {
        let one = bags.select(&[bag]);
        let (_, report): (_, AssociationReport) = explain(module, &one)?;
        let members = one.members(0);
        let targets = members.iter().filter(|&&member| matters(member)).count();
        sums.by_chance += targets as f64 / members.len() as f64;
        sums.size += members.len() as f64;
        let heads = report.heads() as f64;
        for head in 0..report.heads() {
            let weights = report.weights(0, head, 0);
            let whole: f32 = weights.iter().sum();
            let on: f32 = weights.iter().zip(members).filter(|(_, member)| matters(**member)).map(|(w, _)| w).sum();
            sums.on_target += f64::from(on / whole) / heads;
            let support = report.support(0, head, 0);
            let seen = support.iter().filter(|&&place| matters(members[place])).count() as f64;
            sums.support += support.len() as f64 / heads;
            sums.precision += seen / support.len().max(1) as f64 / heads;
            sums.recall += seen / targets.max(1) as f64 / heads;
        }
        if first.len() < shown {
            let of_head = |head: usize| {
                let weights = report.weights(0, head, 0);
                let whole: f32 = weights.iter().sum();
                weights.iter().map(|weight| (1000.0 * weight / whole).round() as u16).collect()
            };
            first.push(Shown { members: members.to_vec(), weights: (0..report.heads()).map(of_head).collect() });
        }
    }
    let mean = |sum: f64| brief(sum / positive.len().max(1) as f64);
    let means = Looks {
        on_target: mean(sums.on_target),
        by_chance: mean(sums.by_chance),
        support: mean(sums.support),
        size: mean(sums.size),
        precision: mean(sums.precision),
        recall: mean(sums.recall),
    };
    Ok((means, first))
}
