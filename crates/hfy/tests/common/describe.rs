//! The maps as mathematics: domain, function, optimality conditions. Written from the definitions alone.

use hfy::{Bounded, Entmax, Exponential, Map, Normmax, Power, Quadratic, Subsets};

use super::random::Random;

pub(crate) fn entmax(alpha: f64) -> Map {
    Map::Entmax(Entmax::new(alpha).expect("alpha is valid"))
}

pub(crate) fn normmax(gamma: f64) -> Map {
    Map::Normmax(Normmax::new(gamma).expect("gamma is valid"))
}

pub(crate) fn subsets(k: f64) -> Map {
    Map::Subsets(Subsets::new(k).expect("k is valid"))
}

pub(crate) fn power(r: f64) -> Map {
    Map::Power(Power::new(r).expect("r is valid"))
}

pub(crate) fn bounded(upper: Vec<f64>) -> Map {
    Map::Bounded(Bounded::new(upper).expect("the bounds are valid"))
}

/// Bounds that hold the mass with room to spare; some are zero, some infinite. Short rows get a larger share each.
pub(crate) fn random_bounds(n: usize, random: &mut Random) -> Vec<f64> {
    let mut upper: Vec<f64> = random.simplex(n).into_iter().map(|u| 2.5 * u).collect();
    if n > 3 {
        upper[random.below(n)] = 0.0;
        upper[random.below(n)] = f64::INFINITY;
    }
    if upper.iter().sum::<f64>() < 1.0 {
        upper[0] += 1.0;
    }
    upper
}

/// Every kind of map over its range of parameters, for rows of length `n`.
pub(crate) fn every_map(n: usize) -> Vec<Map> {
    let mut random = Random::new(n as u64);
    let alphas = [0.1, 0.5, 0.9, 1.0 - 1e-6, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.0 + 1e-6, 1.01, 1.25, 1.5, 1.75, 2.0];
    let sparser = [2.5, 4.0, 10.0, 50.0, f64::INFINITY];
    // At 1.042 the exponent of the equation is large, and that of the weights is not.
    let gammas = [1.0 + 1e-9, 1.01, 1.042, 1.25, 1.5, 2.0, 3.0, 5.0, 20.0, 1000.0, f64::INFINITY];
    let size = n as f64;
    let mut maps: Vec<Map> = alphas.into_iter().chain(sparser).map(entmax).collect();
    maps.extend(gammas.into_iter().map(normmax));
    maps.extend(
        [0.0, 0.5, 1.0, 2.0, 2.5, 17.25, 0.5 * size, size - 0.25, size].into_iter().filter(|k| *k <= size).map(subsets),
    );
    maps.push(bounded(random_bounds(n, &mut random)));
    maps.push(bounded(vec![1.5 / size; n]));
    maps.push(bounded(vec![1.0 / size; n]));
    maps.push(bounded(vec![f64::INFINITY; n]));
    maps.extend([1.5, 2.0, 3.0, 4.5].map(power));
    maps.extend([Map::Quadratic(Quadratic), Map::Exponential(Exponential)]);
    maps
}

/// The map's name, cut short where it lists a bound an entry.
pub(crate) fn label(map: &Map) -> String {
    let name = map.to_string();
    if name.len() > 60 { format!("{}...", &name[..60]) } else { name }
}

/// The largest weight that entry `i` may have.
pub(crate) fn cap(map: &Map, i: usize) -> f64 {
    match map {
        Map::Bounded(map) => map.upper()[i],
        Map::Subsets(_) => 1.0,
        _ => f64::INFINITY,
    }
}

/// What the weights sum to.
pub(crate) fn mass(map: &Map) -> Option<f64> {
    match map {
        Map::Subsets(map) => Some(map.k()),
        Map::Entmax(_) | Map::Normmax(_) | Map::Bounded(_) => Some(1.0),
        _ => None,
    }
}

/// Whether every score may move by the same amount without a change.
pub(crate) fn ignores_shifts(map: &Map) -> bool {
    mass(map).is_some()
}

/// Whether Ω has no gradient: argmax and infinite normmax.
pub(crate) fn is_kinked(map: &Map) -> bool {
    match map {
        Map::Entmax(map) => map.alpha().is_infinite(),
        Map::Normmax(map) => map.gamma().is_infinite(),
        _ => false,
    }
}

fn norm(y: &[f64], gamma: f64) -> f64 {
    let largest = y.iter().copied().fold(0.0, f64::max);
    if gamma.is_infinite() || largest == 0.0 {
        return largest;
    }
    largest * y.iter().map(|y| (y / largest).powf(gamma)).sum::<f64>().powf(1.0 / gamma)
}

/// Ω of a point of the domain, by its definition.
pub(crate) fn omega(map: &Map, y: &[f64]) -> f64 {
    let sum = |f: &dyn Fn(f64) -> f64| y.iter().map(|&y| if y == 0.0 { 0.0 } else { f(y) }).sum::<f64>();
    match map {
        Map::Entmax(map) if map.alpha() == 1.0 => sum(&|y| y * y.ln()),
        Map::Entmax(map) if map.alpha().is_infinite() => 0.0,
        Map::Entmax(map) => {
            let delta = map.alpha() - 1.0;
            sum(&|y| y * (delta * y.ln()).exp_m1()) / (delta * map.alpha())
        }
        Map::Normmax(map) => norm(y, map.gamma()) - 1.0,
        Map::Power(map) => {
            let s = map.r() / (map.r() - 1.0);
            sum(&|y| y.abs().powf(s)) / s
        }
        Map::Exponential(_) => sum(&|y| y * y.ln() - y),
        _ => sum(&|y| y * y) / 2.0,
    }
}

/// The partial derivative of Ω in each weight, for maps that are not kinked.
pub(crate) fn marginals(map: &Map, y: &[f64]) -> Vec<f64> {
    let each = |f: &dyn Fn(f64) -> f64| y.iter().map(|&y| f(y)).collect();
    match map {
        Map::Entmax(map) if map.alpha() == 1.0 => each(&|y| y.ln()),
        Map::Entmax(map) => {
            let delta = map.alpha() - 1.0;
            each(&|y| (delta * y.ln()).exp_m1() / delta)
        }
        Map::Normmax(map) => {
            let size = norm(y, map.gamma());
            each(&|y| (y / size).powf(map.gamma() - 1.0))
        }
        Map::Power(map) => each(&|y| y.signum() * y.abs().powf(1.0 / (map.r() - 1.0))),
        Map::Exponential(_) => each(&|y| y.ln()),
        _ => y.to_vec(),
    }
}

/// How far `y` is from solving the row, in units of the scores; masked entries are passed over. `epsilon` is that of
/// the type of the row: it says where the type underflows and how closely it can meet a bound.
///
/// At the maximum, what an entry gains per unit of mass, `θ_i - ∂Ω/∂y_i`, is no larger for any entry that could grow
/// than for any entry that could shrink.
pub(crate) fn kkt_residual(map: &Map, theta: &[f64], y: &[f64], epsilon: f64) -> f64 {
    let visible: Vec<usize> = (0..theta.len()).filter(|&i| theta[i].is_finite()).collect();
    if mass(map).is_none() {
        let marginals = marginals(map, y);
        return visible.iter().map(|&i| (theta[i] - marginals[i]).abs() / theta[i].abs().max(1.0)).fold(0.0, f64::max);
    }
    let max = visible.iter().map(|&i| theta[i]).fold(f64::NEG_INFINITY, f64::max);
    let (mut could_grow, mut could_shrink) = (f64::NEG_INFINITY, f64::INFINITY);
    match map {
        // The linear program: only the best scores weigh, all the same.
        Map::Entmax(map) if map.alpha().is_infinite() => {
            let ties = visible.iter().filter(|&&i| theta[i] == max).count() as f64;
            return visible
                .iter()
                .map(|&i| (y[i] - if theta[i] == max { 1.0 / ties } else { 0.0 }).abs())
                .fold(0.0, f64::max);
        }
        // The subgradients of the largest weight: any split of one unit over the entries that attain it, here all of
        // the support, so the scores above the threshold sum to one.
        Map::Normmax(map) if map.gamma().is_infinite() => {
            let support: Vec<usize> = visible.iter().copied().filter(|&i| y[i] > 0.0).collect();
            let share = 1.0 / support.len() as f64;
            let level = (support.iter().map(|&i| theta[i] - max).sum::<f64>() - 1.0) * share;
            let uneven = support.iter().map(|&i| (y[i] - share).abs()).fold(0.0, f64::max);
            let outside = |&i: &usize| if y[i] > 0.0 { level - (theta[i] - max) } else { (theta[i] - max) - level };
            return visible.iter().map(outside).fold(uneven, f64::max);
        }
        _ => {}
    }
    // The least number of the type, times the few units that an exponential may be off down there. A weight that is a
    // power counts as zero below the least normal number, up to a factor of two.
    let (least, normal) =
        if epsilon < 1e-10 { (5e-324, f64::MIN_POSITIVE) } else { (1.5e-45, f32::MIN_POSITIVE.into()) };
    let blur = 4.0 * least;
    let below = marginals(map, &y.iter().map(|y| (y - blur).max(0.0)).collect::<Vec<_>>());
    let above = marginals(map, &y.iter().map(|y| if *y == 0.0 { 2.0 * normal } else { y + blur }).collect::<Vec<_>>());
    for i in visible {
        if y[i] < cap(map, i) * (1.0 - epsilon) {
            could_grow = could_grow.max((theta[i] - max) - above[i]);
        }
        if y[i] > 0.0 {
            could_shrink = could_shrink.min((theta[i] - max) - below[i]);
        }
    }
    (could_grow - could_shrink).max(0.0)
}

/// The distance between two weights of entry `i` of two solutions, in weights or in scores, whichever is less: a weight
/// at the edge of the support may be a low power of a score, or the reverse, and then only one of the two is
/// determined.
pub(crate) fn distance(map: &Map, a: &[f64], b: &[f64]) -> f64 {
    let primal = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    if mass(map).is_none() || is_kinked(map) {
        return primal.fold(0.0, f64::max);
    }
    let dual = marginals(map, a).into_iter().zip(marginals(map, b)).map(|(a, b)| (a - b).abs());
    primal.zip(dual).map(|(p, d)| if d < p { d } else { p }).fold(0.0, f64::max)
}
