//! A guarantee from scores and the map itself agree, number by number around the boundary.

use crate::common::draw::Draw;
use hfy::{Certifier, Convex, Map, Margin, Real, Scaled};
use ndarray::Array2;

/// Counts of rows that were certified, and that were not though the map was exact.
fn around<T: Real>(name: &str, seed: u64) -> (usize, usize) {
    let (mut draw, mut certified, mut unclaimed) = (Draw(seed), 0, 0);
    let map: Map = name.parse().unwrap();
    let margin = Margin::<T>::of(&map).unwrap();
    for _ in 0..3000 {
        let most = if draw.uniform() < 0.3 { 300 } else { 10 };
        let n = margin.size() + 1 + draw.below(most);
        let beta = T::of((2.0 * draw.normal()).exp());
        let patterns = Array2::from_elem((n, 1), T::one());
        let certifier = Certifier::new(patterns.view(), &map, beta.wide()).unwrap();
        let lead = margin.lead() / beta;
        let top = lead * T::of(5.0 * draw.normal());
        // A few ulps on either side of the needed lead, and everything else further down.
        let nudge = (draw.below(17) as f64 - 8.0) * 0.5 * T::epsilon().wide();
        let next = top - lead * T::of(1.0 + nudge);
        let mut scores: Vec<T> = (0..n).map(|_| next - lead * T::of(2.0 * draw.uniform())).collect();
        scores.iter_mut().take(margin.size()).for_each(|s| *s = top + lead * T::of(draw.uniform()));
        scores[0] = top;
        scores[margin.size()] = next;
        let turn = draw.below(n);
        scores.rotate_left(turn);
        let guarantee = certifier.guarantee_of(&scores).unwrap();
        let mut y = scores.clone();
        Scaled::with_beta(map.clone(), beta.wide()).unwrap().argmax(&mut y).unwrap();
        let hot: Vec<usize> = (0..n).filter(|&i| y[i] == T::one()).collect();
        let exact = hot == guarantee.best && y.iter().filter(|y| **y != T::zero()).count() == hot.len();
        assert!(exact || !guarantee.exact, "{name} claimed for {scores:?} at beta {beta}: {guarantee:?} but {y:?}");
        certified += usize::from(guarantee.exact);
        unclaimed += usize::from(exact && !guarantee.exact);
        // A hundred ulps short, the map blends too.
        if guarantee.slack < -100.0 * T::epsilon().wide() * top.abs().wide().max(certifier.lead()) {
            assert!(!exact, "{name}: {scores:?} at beta {beta}");
        }
    }
    (certified, unclaimed)
}

#[test]
fn guarantees_agree_with_the_map() {
    let one_hot =
        ["sparsemax", "entmax:1.5", "entmax:3", "entmax:1.3", "entmax:2.7", "normmax:2", "normmax:5", "normmax:inf"];
    for name in one_hot.into_iter().chain(["subsets:1", "subsets:2", "subsets:7"]) {
        let (single, double) = (around::<f32>(name, 1), around::<f64>(name, 2));
        println!("{name}: (certified, exact beyond that) {single:?} in f32, {double:?} in f64, of 3000");
        assert!(single.0 > 500 && double.0 > 500);
    }
}
