//! Round numbers along an axis, and how they are written.

use super::axis::Scale;
use super::span::Span;

/// At most `most` round numbers of a span, with their labels.
pub(super) fn ticks(span: &Span, most: usize) -> Vec<(f64, String)> {
    let most = most.max(2);
    match span.scale {
        Scale::Linear => linear(span, most),
        Scale::Log2 => powers(span, most, 2).unwrap_or_else(|| linear(span, most)),
        Scale::Log10 => {
            powers(span, most, 10).or_else(|| within_decades(span, most)).unwrap_or_else(|| linear(span, most))
        }
    }
}

/// Places between the ticks of a logarithmic axis that has every power of 10.
pub(super) fn minor(span: &Span, ticks: &[(f64, String)]) -> Vec<f64> {
    let decades = ticks.windows(2).all(|pair| (pair[1].0 / pair[0].0 - 10.0).abs() < 1e-6);
    if span.scale != Scale::Log10 || ticks.len() < 2 || ticks.len() > 5 || !decades {
        return Vec::new();
    }
    let low = span.low.log10().floor() as i32;
    let high = span.high.log10().ceil() as i32;
    let all = (low..high).flat_map(|power| (2..10).map(move |digit| f64::from(digit) * 10f64.powi(power)));
    all.filter(|value| (span.low..=span.high).contains(value)).collect()
}

/// Multiples of 1, 2, 2.5 or 5 times a power of 10.
fn linear(span: &Span, most: usize) -> Vec<(f64, String)> {
    if !span.length().is_finite() {
        return Vec::new();
    }
    let first = (span.length() / most as f64).log10().floor() as i32;
    let steps = (first..).flat_map(|power| [(10, power - 1), (20, power - 1), (25, power - 1), (50, power - 1)]);
    for (digits, power) in steps.take(20) {
        let step = f64::from(digits) * 10f64.powi(power);
        let slack = 1e-9 * span.length() / step;
        let (from, to) = ((span.low / step - slack).ceil(), (span.high / step + slack).floor());
        if to - from < most as f64 && (to - from).is_finite() {
            let decimals = if digits == 25 { -power } else { -power - 1 };
            let largest = span.low.abs().max(span.high.abs());
            let count = (to - from).max(-1.0) as usize;
            let value = |k: usize| (from + k as f64) * step;
            return (0..=count).map(value).map(|value| (value, decimal(value, decimals, largest))).collect();
        }
    }
    Vec::new()
}

/// Powers of the base, all of them or every k-th, of which there have to be two.
fn powers(span: &Span, most: usize, base: i32) -> Option<Vec<(f64, String)>> {
    let logarithm = |value: f64| value.ln() / f64::from(base).ln();
    let (low, high) = ((logarithm(span.low) - 1e-9).ceil() as i32, (logarithm(span.high) + 1e-9).floor() as i32);
    // Where to begin is chosen for most ticks (2, 8, 32 rather than 4, 16), and for multiples of the step otherwise.
    let every = |step: i32, first: i32| -> Vec<i32> {
        (low..=high).filter(|power| (power - first).rem_euclid(step) == 0).collect()
    };
    let best = |step: i32| (0..step).rev().map(|first| every(step, first)).max_by_key(Vec::len);
    let steps = [1, 2, 4, 5, 10, 20, 50, 100, 200].into_iter().filter_map(best);
    let powers = steps.into_iter().find(|powers| powers.len() <= most).filter(|powers| powers.len() > 1)?;
    let plain = powers.iter().all(|power| if base == 2 { (-3..=13).contains(power) } else { (-3..=4).contains(power) });
    let label = |power: &i32| {
        let value = f64::from(base).powi(*power);
        (value, if plain { value.to_string() } else { format!("{base}{}", raised(*power)) })
    };
    Some(powers.iter().map(label).collect())
}

/// 1, 2 and 5 times powers of 10, where a span holds less than two powers.
fn within_decades(span: &Span, most: usize) -> Option<Vec<(f64, String)>> {
    let power = span.low.log10().floor() as i32;
    let all = (power..power + 3).flat_map(|power| [1, 2, 5].map(|digit| (digit, power)));
    let value = |(digit, power): (i32, i32)| f64::from(digit) * 10f64.powi(power);
    let inside = |pair: &(i32, i32)| (span.low * (1.0 - 1e-9)..=span.high * (1.0 + 1e-9)).contains(&value(*pair));
    let found: Vec<(i32, i32)> = all.filter(inside).collect();
    let label = |pair: &(i32, i32)| (value(*pair), decimal(value(*pair), -pair.1, value(*pair)));
    (2..=most).contains(&found.len()).then(|| found.iter().map(label).collect())
}

/// A number with so many decimals; with a power of 10 where the largest of its kind is long.
fn decimal(value: f64, decimals: i32, largest: f64) -> String {
    let zero = value.abs() < 0.5 * 10f64.powi(-decimals);
    let text = if zero {
        "0".to_owned()
    } else if largest >= 99_999.5 || decimals > 4 {
        let power = value.abs().log10().floor() as i32;
        let mantissa = value / 10f64.powi(power);
        let digits = format!("{mantissa:.*}", (decimals + power).clamp(0, 15) as usize);
        // One form for 1, 10 and 100: without digits that say nothing.
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
        format!("{digits}×10{}", raised(power))
    } else {
        format!("{value:.*}", decimals.max(0) as usize)
    };
    text.replace('-', "−")
}

/// A whole number as an exponent.
fn raised(power: i32) -> String {
    let digit = |letter: char| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => char::from_u32('⁰' as u32 + other as u32 - '0' as u32).unwrap_or(other),
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64, most: usize) -> Vec<String> {
        ticks(&Span { scale, low, high }, most).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn known_ranges() {
        assert_eq!(labels(Scale::Linear, 0.0, 1.0, 6), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::Linear, 0.0, 1.0, 5), ["0", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(labels(Scale::Linear, -3.2, 3.1, 5), ["−2", "0", "2"]);
        assert_eq!(labels(Scale::Linear, 0.0, 60_000.0, 5), ["0", "20000", "40000", "60000"]);
        assert_eq!(labels(Scale::Linear, 0.0, 4e6, 5), ["0", "1×10⁶", "2×10⁶", "3×10⁶", "4×10⁶"]);
        assert_eq!(labels(Scale::Linear, 0.0, 2.5e-6, 4), ["0", "1×10⁻⁶", "2×10⁻⁶"]);
        assert_eq!(labels(Scale::Log2, 1.0, 64.0, 8), ["1", "2", "4", "8", "16", "32", "64"]);
        assert_eq!(labels(Scale::Log2, 1.0, 64.0, 5), ["1", "4", "16", "64"]);
        assert_eq!(labels(Scale::Log2, 2f64.powi(-8), 256.0, 5), ["2⁻⁸", "2⁻⁴", "2⁰", "2⁴", "2⁸"]);
        assert_eq!(labels(Scale::Log10, 0.01, 100.0, 8), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(Scale::Log10, 1e-9, 1.0, 5), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]);
        assert_eq!(labels(Scale::Log2, 2.0, 32.0, 3), ["2", "8", "32"]);
        assert_eq!(labels(Scale::Log10, 0.15, 0.9, 5), ["0.2", "0.5"]);
        assert_eq!(labels(Scale::Log2, 1.1, 1.9, 4), ["1.2", "1.4", "1.6", "1.8"]);
    }

    #[test]
    fn ticks_of_any_range_are_few_ordered_inside_and_read_back() {
        for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
            for start in 0..40 {
                for length in 0..60 {
                    let low =
                        1.37f64.powi(start - 20) * if scale == Scale::Linear { f64::from(start % 3 - 1) } else { 1.0 };
                    let span = Span { scale, low, high: low + 1.93f64.powi(length - 20) * 1.37f64.powi(start - 20) };
                    for most in 4..9 {
                        let found = ticks(&span, most);
                        assert!((2..=most).contains(&found.len()), "{span:?} {most} {found:?}");
                        assert!(
                            found.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1),
                            "{span:?} {found:?}"
                        );
                        let slack = 1e-8 * span.length();
                        assert!(found.iter().all(|tick| tick.0 >= span.low - slack && tick.0 <= span.high + slack));
                        for (value, label) in found {
                            let read = read_back(&label);
                            assert!((read - value).abs() <= 1e-9 * value.abs().max(slack), "{value} {label} {read}");
                        }
                    }
                }
            }
        }
    }

    fn read_back(label: &str) -> f64 {
        let lowered = |text: &str| -> i32 {
            let digit = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|d| d == c).map_or('-', |d| char::from(b'0' + d as u8));
            text.chars().map(digit).collect::<String>().parse().unwrap()
        };
        let label = label.replace('−', "-");
        let superscript = label.find(|c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹⁻".contains(c));
        match (label.split_once("×10"), superscript) {
            (Some((mantissa, power)), _) => mantissa.parse::<f64>().unwrap() * 10f64.powi(lowered(power)),
            (None, Some(at)) => label[..at].parse::<f64>().unwrap().powi(lowered(&label[at..])),
            (None, None) => label.parse().unwrap(),
        }
    }
}
