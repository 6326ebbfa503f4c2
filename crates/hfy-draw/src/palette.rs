//! Colours that survive greyscale and colour blindness.

use crate::Colour;

/// Lines and letters.
pub const INK: Colour = [34, 34, 34];
/// Letters and lines of less weight.
pub const FAINT: Colour = [107, 107, 107];
/// Frames of plots.
pub const AXIS: Colour = [90, 90, 90];
/// Lines that help to read values.
pub const GRID: Colour = [226, 226, 226];
/// The paper.
pub const PAPER: Colour = [255, 255, 255];
/// What must not be overlooked.
pub const ALERT: Colour = [178, 24, 43];

/// Colours of series, without a yellow, which is lost on white. Neighbours differ in lightness.
///
/// Seven are of Okabe and Ito (Color Universal Design, 2008); the wine is of Tol.
pub const SERIES: [Colour; 8] = [
    [0, 114, 178],   // blue
    [230, 159, 0],   // orange
    [213, 94, 0],    // vermilion
    [86, 180, 233],  // sky
    [136, 34, 85],   // wine
    [0, 158, 115],   // green
    [0, 0, 0],       // black
    [204, 121, 167], // purple
];

/// Colours from dark to light for shares from 0 to 1, in equal steps to the eye (viridis, van der Walt and Smith,
/// 2015).
///
/// Shares outside are cut off; NaN is the first colour.
pub fn sequential(share: f64) -> Colour {
    const STOPS: [Colour; 9] = [
        [68, 1, 84],
        [71, 45, 123],
        [59, 82, 139],
        [44, 114, 142],
        [33, 145, 140],
        [40, 174, 128],
        [94, 201, 98],
        [173, 220, 48],
        [253, 231, 37],
    ];
    between(&STOPS, share)
}

/// Colours from blue through white to red, for shares from 0 to 1. NaN is blue.
pub fn diverging(share: f64) -> Colour {
    const STOPS: [Colour; 5] = [[33, 82, 148], [134, 178, 214], [247, 247, 247], [232, 155, 120], [165, 38, 44]];
    between(&STOPS, share)
}

/// A colour mixed with white: all of it for a share of 1, white for 0.
pub fn tint(colour: Colour, share: f64) -> Colour {
    between(&[PAPER, colour], share)
}

fn between(stops: &[Colour], share: f64) -> Colour {
    let last = stops.len() - 1;
    let at = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) } * last as f64;
    let low = (at as usize).min(last.saturating_sub(1));
    let part = at - low as f64;
    let (a, b) = (stops[low], stops[last.min(low + 1)]);
    std::array::from_fn(|c| (f64::from(a[c]) * (1.0 - part) + f64::from(b[c]) * part).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue as amounts of light.
    fn light(colour: Colour) -> [f64; 3] {
        colour.map(|byte| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// CIE L*a*b* under D65, in which equal distances look about equal.
    fn lab(light: [f64; 3]) -> [f64; 3] {
        let [r, g, b] = light;
        let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
        let y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
        let z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
        (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn series_can_be_told_apart_by_every_eye() {
        // Machado, Oliveira and Fernandes (2009): no red cones, no green cones, no blue cones.
        const EYES: [[[f64; 3]; 3]; 4] = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
        ];
        for eye in EYES {
            let seen = |colour: Colour| {
                let light = light(colour);
                lab(eye.map(|row| (0..3).map(|c| row[c] * light[c]).sum::<f64>().clamp(0.0, 1.0)))
            };
            for (k, a) in SERIES.iter().enumerate() {
                assert!(seen(*a)[0] < 80.0, "{a:?} is lost on white");
                for b in &SERIES[..k] {
                    assert!(apart(seen(*a), seen(*b)) > 9.0, "{a:?} {b:?} {}", apart(seen(*a), seen(*b)));
                }
            }
        }
        // Neighbours, in grey.
        for pair in SERIES.windows(2) {
            let grey = pair.iter().map(|colour| lab(light(*colour))[0]).collect::<Vec<f64>>();
            assert!((grey[0] - grey[1]).abs() > 12.0, "{pair:?} {grey:?}");
        }
    }

    #[test]
    fn sequential_colours_grow_evenly_lighter() {
        let lightness = |k: u32| lab(light(sequential(f64::from(k) / 50.0)))[0];
        let steps: Vec<f64> = (0..50).map(|k| lightness(k + 1) - lightness(k)).collect();
        assert!(steps.iter().all(|step| (0.7..2.4).contains(step)), "{steps:?}");
        assert_eq!(
            (sequential(-1.0), sequential(f64::NAN), sequential(9.0)),
            ([68, 1, 84], [68, 1, 84], [253, 231, 37])
        );
        assert_eq!((diverging(0.5), tint([0, 0, 0], 0.0), tint([9, 9, 9], 1.0)), ([247; 3], PAPER, [9; 3]));
    }
}
