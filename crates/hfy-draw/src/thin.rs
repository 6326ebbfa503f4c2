//! Lines with fewer points.

use crate::Point;

/// The points that a line needs so that it is nowhere off by more than `tolerance`, by Douglas and Peucker.
pub(crate) fn thinned(points: &[Point], tolerance: f64) -> Vec<Point> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut kept = vec![false; points.len()];
    (kept[0], kept[points.len() - 1]) = (true, true);
    let mut open = vec![(0, points.len() - 1)];
    while let Some((from, to)) = open.pop() {
        let away = |k: usize| distance(points[k], points[from], points[to]);
        let Some(farthest) = (from + 1..to).max_by(|a, b| away(*a).total_cmp(&away(*b))) else { continue };
        if away(farthest) > tolerance {
            kept[farthest] = true;
            open.extend([(from, farthest), (farthest, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// How far a point is from the line between two others.
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (along, off) = ((b.0 - a.0, b.1 - a.1), (p.0 - a.0, p.1 - a.1));
    let length = along.0 * along.0 + along.1 * along.1;
    let share = if length > 0.0 { ((off.0 * along.0 + off.1 * along.1) / length).clamp(0.0, 1.0) } else { 0.0 };
    (off.0 - share * along.0).hypot(off.1 - share * along.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_near_what_was_there() {
        let circle: Vec<Point> = (0..=1000).map(|k| (f64::from(k) * 0.00628).sin_cos()).collect();
        let few = thinned(&circle, 0.001);
        assert!((20..200).contains(&few.len()), "{}", few.len());
        let off = |p: &Point| few.windows(2).map(|ends| distance(*p, ends[0], ends[1])).fold(f64::INFINITY, f64::min);
        assert!(circle.iter().all(|point| off(point) <= 0.001));
        assert_eq!(
            thinned(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0)], 0.01),
            [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0)]
        );
    }
}
