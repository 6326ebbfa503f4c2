//! Every vector tier that this machine has, and one number at a time, against the definition of every map.
//!
//! A program of its own: the tier holds for all threads.

#[path = "common/mod.rs"]
mod common;
#[allow(dead_code)]
#[path = "maps/optimality.rs"]
mod optimality;

use hfy::Real;
use hfy_kernel::{Tier, with_tier};

use common::describe::{entmax, every_map};
use common::random::Random;
use optimality::check_row;

/// Instantiates generic tests for both types.
macro_rules! in_both_types {
    ($($test:ident),* $(,)?) => {};
}
pub(crate) use in_both_types;

fn rows_meet_their_definition<T: Real>(seed: u64) {
    let mut random = Random::new(seed);
    for n in [1, 5, 16, 33, 300, 700, 3000] {
        let theta: Vec<T> = random.normals(n, 2.0);
        for map in every_map(n).into_iter().filter(common::describe::ignores_shifts) {
            check_row(&map, "normal scores", &theta);
        }
    }
    // Exponents of every kind, in rows long enough for samples.
    let theta: Vec<T> = random.normals(20_000, 1.0);
    for alpha in [0.7, 1.02, 1.05, 1.07, 1.13, 1.3, 1.7] {
        check_row(&entmax(alpha), "many normal scores", &theta);
    }
}

#[test]
fn every_tier_meets_the_definition() {
    let tiers = [Tier::Scalar, Tier::Avx2, Tier::Avx512, Tier::Best];
    let tried = tiers.into_iter().enumerate().filter(|&(seed, tier)| {
        let both = || {
            rows_meet_their_definition::<f64>(seed as u64);
            rows_meet_their_definition::<f32>(seed as u64);
        };
        with_tier(tier, both).is_some()
    });
    assert!(tried.count() >= 2, "one number at a time, and the best of the machine");
}
