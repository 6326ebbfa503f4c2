//! GMRES, restarted: `A x = b` from products with `A` alone.

/// `|x|`.
pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

/// Solves until the residual is `tolerance |b|` or `products` are spent. Returns the solution and its relative
/// residual, computed anew and not by the recurrence.
pub(super) fn gmres(
    apply: &mut impl FnMut(&[f64]) -> Vec<f64>,
    b: &[f64],
    tolerance: f64,
    products: usize,
) -> (Vec<f64>, f64) {
    const RESTART: usize = 64;
    let size = norm(b);
    let mut x = vec![0.0; b.len()];
    if size == 0.0 {
        return (x, 0.0);
    }
    let mut residual = b.to_vec();
    let (mut best, mut spent) = (1.0, 0);
    while best > tolerance && spent < products {
        let room = (products - spent).min(RESTART).min(b.len());
        let (step, used) = cycle(apply, &residual, tolerance * size, room);
        spent += used + 1;
        let mut next = x.clone();
        add(&mut next, 1.0, &step);
        let image = apply(&next);
        let gap: Vec<f64> = b.iter().zip(&image).map(|(b, i)| b - i).collect();
        let reached = norm(&gap) / size;
        // Without progress it is rounding, or a singular system.
        let progress = reached < 0.5 * best;
        if reached < best {
            (x, residual, best) = (next, gap, reached);
        }
        if !progress {
            break;
        }
    }
    (x, best)
}

/// One cycle from a zero guess: the correction and the number of products.
fn cycle(apply: &mut impl FnMut(&[f64]) -> Vec<f64>, r: &[f64], target: f64, room: usize) -> (Vec<f64>, usize) {
    let size = norm(r);
    let mut basis = vec![r.iter().map(|v| v / size).collect::<Vec<f64>>()];
    // Columns of the triangular factor, the rotations that made it, and the rotated right-hand side.
    let (mut columns, mut rotations): (Vec<Vec<f64>>, Vec<(f64, f64)>) = (Vec::new(), Vec::new());
    let mut rhs = vec![size];
    while columns.len() < room {
        let mut w = apply(&basis[columns.len()]);
        let mut column = vec![0.0; basis.len()];
        // Twice is enough.
        for _ in 0..2 {
            for (h, v) in column.iter_mut().zip(&basis) {
                let along = dot(&w, v);
                *h += along;
                add(&mut w, -along, v);
            }
        }
        let below = norm(&w);
        for (i, &(c, s)) in rotations.iter().enumerate() {
            (column[i], column[i + 1]) = (c * column[i] + s * column[i + 1], c * column[i + 1] - s * column[i]);
        }
        let last = column.len() - 1;
        let length = column[last].hypot(below);
        if length == 0.0 || length.is_nan() {
            break;
        }
        let (c, s) = (column[last] / length, below / length);
        column[last] = length;
        rotations.push((c, s));
        columns.push(column);
        let tail = rhs[last];
        rhs[last] = c * tail;
        rhs.push(-s * tail);
        if (s * tail).abs() <= 0.5 * target || below <= f64::EPSILON * length {
            break;
        }
        w.iter_mut().for_each(|v| *v /= below);
        basis.push(w);
    }
    let mut y = rhs[..columns.len()].to_vec();
    for i in (0..y.len()).rev() {
        let known: f64 = (i + 1..y.len()).map(|j| columns[j][i] * y[j]).sum();
        y[i] = (y[i] - known) / columns[i][i];
    }
    let mut step = vec![0.0; r.len()];
    y.iter().zip(&basis).for_each(|(&y, v)| add(&mut step, y, v));
    (step, columns.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_is_not_symmetric() {
        let n = 90;
        let entry = |i: usize, j: usize| if i == j { 2.0 } else { ((i * 7 + j * 3) % 11) as f64 / 200.0 - 0.02 };
        let mut apply = |x: &[f64]| (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect::<Vec<f64>>();
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let b = apply(&x);
        let (got, residual) = gmres(&mut apply, &b, 1e-13, 300);
        assert!(residual <= 1e-13);
        assert!(got.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-11));
    }

    #[test]
    fn says_that_a_singular_system_has_no_solution() {
        let mut apply = |x: &[f64]| vec![x[0] + x[1], x[0] + x[1]];
        assert!(gmres(&mut apply, &[1.0, -1.0], 1e-10, 50).1 > 0.5);
        assert_eq!(gmres(&mut apply, &[0.0, 0.0], 1e-10, 50), (vec![0.0, 0.0], 0.0));
    }
}
