//! Directions that leave faces.

use super::face::Face;

/// A product that is so much smaller than what it came from is rounding.
const ROUNDING: f64 = 1e-14;
/// Directions of different faces that cancel to this are the same.
const DEPENDENT: f64 = 1e-14;

/// How far it came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    /// What is left of the distance, over `size`.
    pub(super) residual: f64,
    pub(super) products: usize,
}

/// The nearest `x` that differs from the `outputs` of all factors in directions of their faces only, the outputs
/// written one factor after the other; and `steps`, what was subtracted for each factor, which leaves its face at a
/// right angle.
///
/// With `P_f` the projection onto the directions of a face, this is `x - Σ_f (I - P_f) c_f`, where `c` solves a
/// least-squares problem. Conjugate gradients do that (CGLS), with one product for every face an iteration.
pub(super) fn subtract(
    faces: &[&Face],
    x: &mut [f64],
    outputs: &[f64],
    steps: &mut [f64],
    (size, limit): (f64, usize),
) -> Reached {
    let mut near = Vec::new();
    let mut outside = |x: &[f64], out: &mut [f64]| {
        let mut at = 0;
        for face in faces {
            let end = at + face.variables.len();
            let (out, outputs) = (&mut out[at..end], &outputs[at..end]);
            for ((out, output), &v) in out.iter_mut().zip(outputs).zip(&face.variables) {
                *out = x[v] - output;
            }
            face.project(out, &mut near);
            out.iter_mut().zip(&near).for_each(|(out, near)| *out -= near);
            at = end;
        }
    };
    let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let mut normal = vec![0.0; outputs.len()];
    outside(x, &mut normal);
    let mut direction = normal.clone();
    let mut left = square(&normal);
    let mut image = vec![0.0; x.len()];
    let mut products = 1;
    while left > ROUNDING * ROUNDING * size * size && products < limit {
        image.fill(0.0);
        let variables = faces.iter().flat_map(|face| &face.variables);
        variables.zip(&direction).for_each(|(&v, d)| image[v] += d);
        let curvature = square(&image);
        // Faces that have no point in common: nothing that is subtracted brings them together.
        if !(curvature > DEPENDENT * square(&direction)) {
            break;
        }
        let length = left / curvature;
        steps.iter_mut().zip(&direction).for_each(|(s, d)| *s += length * d);
        x.iter_mut().zip(&image).for_each(|(x, i)| *x -= length * i);
        outside(x, &mut normal);
        let now = square(&normal);
        direction.iter_mut().zip(&normal).for_each(|(d, n)| *d = n + now / left * *d);
        left = now;
        products += 1;
    }
    Reached { residual: left.sqrt() / size.max(f64::MIN_POSITIVE), products }
}
