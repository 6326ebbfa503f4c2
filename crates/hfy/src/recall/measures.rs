//! How good a recall was.

/// Distinct entries over entries: 1 where nothing was recalled twice.
///
/// ```
/// assert_eq!(hfy::recall::unique_ratio(&[2, 0, 2, 1]), 0.75);
/// ```
pub fn unique_ratio(recalled: &[usize]) -> f64 {
    let mut distinct = recalled.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    share(distinct.len(), recalled.len())
}

/// All of nothing is 1.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// `1 - d(recalled, [1, 2, .., n])/n`, for n entries: 1 where the patterns came in their order, from the second on.
///
/// The reference begins with the second pattern, because the first is the cue, and it ends with a pattern n that n
/// patterns do not have. So the best run of n rounds over n patterns comes to `1 - 1/n`, see [`levenshtein_ceiling`].
///
/// ```
/// use hfy::recall::{levenshtein_ceiling, levenshtein_coefficient};
///
/// assert_eq!(levenshtein_coefficient(&[1, 2, 3, 2]), 0.75);
/// assert_eq!(levenshtein_ceiling(4, 4), 0.75);
/// assert_eq!(levenshtein_coefficient(&[1, 2, 3]), 1.0);
/// assert_eq!(levenshtein_ceiling(4, 3), 1.0);
/// ```
pub fn levenshtein_coefficient(recalled: &[usize]) -> f64 {
    let n = recalled.len();
    let reference: Vec<usize> = (1..=n).collect();
    share(n - levenshtein_distance(recalled, &reference), n)
}

/// The best [`levenshtein_coefficient`] of so many rounds over so many patterns: `1 - 1/N` where there are as many.
///
/// Each entry of the reference beyond the last pattern costs an edit.
pub fn levenshtein_ceiling(patterns: usize, rounds: usize) -> f64 {
    let missing = (rounds + 1).saturating_sub(patterns).min(rounds);
    share(rounds - missing, rounds)
}

/// The least number of insertions, deletions and substitutions that make one list the other.
///
/// **Cost.** The product of the lengths; the memory of one list.
pub fn levenshtein_distance(a: &[usize], b: &[usize]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let other = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = other.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let letters = |text: &str| text.bytes().map(usize::from).collect::<Vec<_>>();
        for (a, b, d) in [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("ab", "ba", 2)]
        {
            assert_eq!(levenshtein_distance(&letters(a), &letters(b)), d, "{a} {b}");
        }
    }

    #[test]
    fn ceilings_are_reached_and_not_passed() {
        assert_eq!((levenshtein_ceiling(1, 1), levenshtein_ceiling(0, 0)), (0.0, 1.0));
        for n in 1..5_usize {
            for rounds in 1..6_usize {
                // All runs, as numbers with `rounds` digits of base n.
                let best = (0..n.pow(rounds as u32)).map(|run| {
                    let recalled: Vec<usize> = (0..rounds as u32).map(|digit| run / n.pow(digit) % n).collect();
                    levenshtein_coefficient(&recalled)
                });
                let best = best.fold(0.0, f64::max);
                assert_eq!(best, levenshtein_ceiling(n, rounds), "{n} patterns, {rounds} rounds");
            }
        }
    }
}
