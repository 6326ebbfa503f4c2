//! The threshold for exponents below one.

use crate::real::Real;

/// The root for `p < 1` (alpha above 2): the smallest score in the support and its weight.
///
/// Near the root the sum has unbounded slope in `τ`, so the unknown is the smallest weight `v = (z_r - τ)^p` instead.
/// With `d_i = z_i - z_r`, `Σ (d_i + v^(1/p))^p` is a sum of (1/p)-norms of `(d_i^p, v)`: convex in `v` with slope
/// between 1 and the number of entries, so Newton's method from the right converges without safeguards.
pub(crate) fn concave<T: Real>(z: &mut [T], p: T) -> (T, T) {
    // The support: halve the range of scores that could be its smallest.
    let mut lowest = T::zero();
    let (mut start, mut end) = (0, z.len());
    while start < end {
        let middle = start + (end - start) / 2;
        let (_, &mut pivot, _) =
            z[start..end].select_nth_unstable_by(middle - start, |a, b| b.partial_cmp(a).expect("scores are numbers"));
        let mass = sum(&z[..middle], |z| if z > pivot { (z - pivot).powf(p) } else { T::zero() });
        if mass < T::one() {
            lowest = pivot;
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    let support = &z[..start];
    let inverse = T::one() / p;
    let mut v = T::one() / T::of(support.len() as f64);
    for _ in 0..200 {
        let root = v.powf(inverse);
        let weight = |z: T| if z == lowest { v } else { ((z - lowest) + root).powf(p) };
        let mass = sum(support, weight);
        // The slope (root/(d + root))^(1-p) in terms that do not underflow before they must.
        let slope = sum(support, |z| weight(z) / v * if z == lowest { T::one() } else { root / ((z - lowest) + root) });
        let next = (v - (mass - T::one()) / slope).max(T::zero());
        if !((next - v).abs() > T::epsilon() * T::of(0.5) * v) {
            return (lowest, next);
        }
        v = next;
        if v == T::zero() {
            break;
        }
    }
    (lowest, v)
}

/// `Σ f(z)`, in parts whose sums add up with little rounding.
fn sum<T: Real>(values: &[T], f: impl Fn(T) -> T) -> T {
    let mut terms = [T::zero(); 64];
    let parts = values.chunks(terms.len()).map(|part| {
        terms.iter_mut().zip(part).for_each(|(term, &z)| *term = f(z));
        T::total(&terms[..part.len()])
    });
    T::of(parts.sum())
}
