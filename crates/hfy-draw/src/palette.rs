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
/// Seven are of Okabe and Ito (Color Universal Design, 2008); the third is the wine of Tol.
pub const SERIES: [Colour; 8] = [
    [0, 114, 178],
    [230, 159, 0],
    [136, 34, 85],
    [0, 158, 115],
    [213, 94, 0],
    [86, 180, 233],
    [0, 0, 0],
    [204, 121, 167],
];

/// Colours from dark to light for shares from 0 to 1, in equal steps to the eye (viridis, van der Walt and Smith, 2015).
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
    // `max` takes NaN to 0.
    let at = share.max(0.0).min(1.0) * last as f64;
    let low = (at as usize).min(last.saturating_sub(1));
    let part = at - low as f64;
    let (a, b) = (stops[low], stops[last.min(low + 1)]);
    std::array::from_fn(|c| (f64::from(a[c]) * (1.0 - part) + f64::from(b[c]) * part).round() as u8)
}
