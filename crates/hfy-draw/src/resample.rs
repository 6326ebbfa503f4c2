//! A picture in another number of pixels.

use crate::Pixels;

/// Red, green and blue for `height` rows of `width` pixels.
///
/// Where the picture becomes smaller, a pixel is the mean of what it covers. Where it becomes larger, it is the nearest
/// one, or lies on a line between two where it is `smooth`.
pub(crate) fn resampled(pixels: &Pixels, width: usize, height: usize, smooth: bool) -> Vec<[f32; 3]> {
    let across = weights(pixels.columns(), width, smooth);
    let down = weights(pixels.rows(), height, smooth);
    let mut narrow = Vec::with_capacity(pixels.rows() * width);
    for row in 0..pixels.rows() {
        narrow.extend(across.iter().map(|parts| mean(parts, |column| pixels.colour(row, column).map(f32::from))));
    }
    let pixel = |parts: &[(usize, f32)], x: usize| mean(parts, |row| narrow[row * width + x]);
    down.iter().flat_map(|parts| (0..width).map(move |x| pixel(parts, x))).collect()
}

fn mean(parts: &[(usize, f32)], of: impl Fn(usize) -> [f32; 3]) -> [f32; 3] {
    let mut sum = [0.0; 3];
    for (place, weight) in parts {
        sum.iter_mut().zip(of(*place)).for_each(|(sum, value)| *sum += weight * value);
    }
    sum
}

/// For each of `count` pixels the places among `from`, with weights that sum to 1.
fn weights(from: usize, count: usize, smooth: bool) -> Vec<Vec<(usize, f32)>> {
    let step = from as f64 / count as f64;
    let last = from - 1;
    let of = |pixel: usize| {
        let (low, high) = (pixel as f64 * step, (pixel + 1) as f64 * step);
        if step > 1.0 {
            let cover = |place: usize| ((place + 1) as f64).min(high) - (place as f64).max(low);
            let places = low as usize..=(high.ceil() as usize - 1).min(last);
            return places.map(|place| (place, (cover(place) / step) as f32)).collect();
        }
        let centre = f64::midpoint(low, high);
        if !smooth {
            return vec![((centre as usize).min(last), 1.0)];
        }
        let at = (centre - 0.5).clamp(0.0, last as f64);
        let (place, part) = (at as usize, at.fract() as f32);
        vec![(place, 1.0 - part), ((place + 1).min(last), part)]
    };
    (0..count).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reds(pixels: &Pixels, width: usize, smooth: bool) -> Vec<f32> {
        resampled(pixels, width, 1, smooth).into_iter().map(|pixel| pixel[0]).collect()
    }

    #[test]
    fn pictures_are_enlarged_and_reduced() {
        let pixels = Pixels::grey(1, 2, vec![0, 200]).unwrap();
        assert_eq!(reds(&pixels, 4, false), [0.0, 0.0, 200.0, 200.0]);
        assert_eq!(reds(&pixels, 4, true), [0.0, 50.0, 150.0, 200.0]);
        assert_eq!(reds(&pixels, 1, true), [100.0]);
        let pixels = Pixels::grey(2, 3, vec![0, 30, 60, 90, 120, 150]).unwrap();
        assert_eq!(reds(&pixels, 2, false), [55.0, 95.0]);
    }

    #[test]
    fn weights_sum_to_one() {
        for (from, count) in [(1, 1), (7, 3), (3, 7), (1000, 999), (5, 5), (1, 9)] {
            for smooth in [false, true] {
                for parts in weights(from, count, smooth) {
                    let sum: f32 = parts.iter().map(|part| part.1).sum();
                    assert!((sum - 1.0).abs() < 1e-5 && parts.iter().all(|part| part.0 < from));
                }
            }
        }
    }
}
