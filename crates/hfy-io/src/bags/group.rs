//! Rows of any bag each, brought together by bag.

/// Where each bag begins among the rows brought together, and which row comes where. Bags are in the order of their
/// numbers, which are below `count`, and the rows of a bag keep their order.
pub(super) fn group(bags: &[usize], count: usize) -> (Vec<usize>, Vec<usize>) {
    let mut offsets = vec![0; count + 1];
    bags.iter().for_each(|&bag| offsets[bag + 1] += 1);
    (0..count).for_each(|bag| offsets[bag + 1] += offsets[bag]);
    let mut next = offsets.clone();
    let mut order = vec![0; bags.len()];
    for (row, &bag) in bags.iter().enumerate() {
        order[next[bag]] = row;
        next[bag] += 1;
    }
    (offsets, order)
}

/// The rule that offsets break, if they break one: bag `i` has the rows `offsets[i]..offsets[i + 1]` of `rows`.
pub(super) fn check_offsets(offsets: &[usize], rows: usize) -> Result<(), String> {
    let (Some((&first, _)), Some((&last, _))) = (offsets.split_first(), offsets.split_last()) else {
        return Err("offsets = []: they hold where each bag begins, and the number of instances".to_owned());
    };
    if first != 0 {
        return Err(format!("offsets[0] = {first}: the first must be 0"));
    }
    for (bag, pair) in offsets.windows(2).enumerate() {
        let (begin, end) = (pair[0], pair[1]);
        if begin >= end {
            let rule = if begin == end { "a bag holds at least one instance" } else { "offsets must not fall" };
            return Err(format!("offsets = {begin}, {end} at bag {bag}: {rule}"));
        }
    }
    if last != rows || offsets.len() < 2 {
        let place = offsets.len() - 1;
        return Err(format!("offsets[{place}] = {last}: the last must be {rows}, the number of instances"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_bag_keep_their_order() {
        assert_eq!(group(&[1, 0, 1, 2, 0], 3), (vec![0, 2, 4, 5], vec![1, 4, 0, 2, 3]));
        assert_eq!(group(&[0, 0], 1), (vec![0, 2], vec![0, 1]));
    }

    #[test]
    fn offsets_that_break_a_rule() {
        assert_eq!(check_offsets(&[0, 2, 3], 3), Ok(()));
        for (offsets, said) in [
            (&[][..], "offsets = []: they hold where each bag begins"),
            (&[1, 3], "offsets[0] = 1: the first must be 0"),
            (&[0], "offsets[0] = 0: the last must be 3, the number of instances"),
            (&[0, 2], "offsets[1] = 2: the last must be 3"),
            (&[0, 9, 3], "offsets = 9, 3 at bag 1: offsets must not fall"),
            (&[0, 2, 2, 3], "offsets = 2, 2 at bag 1: a bag holds at least one instance"),
        ] {
            let error = check_offsets(offsets, 3).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
