//! Beer reviews that we wrote, with what we would mark about the look between braces. They can be shown to anyone.

/// The reviews.
pub(super) const REVIEWS: [&str; 3] = [
    "poured from a brown bottle into a tulip glass . {deep mahogany with ruby edges , and a thick tan head that leaves \
     rings of lace all the way down .} smells of bread crust , dates and a little cocoa . the taste follows , roasted \
     and only slightly sweet . medium body , soft bubbles . i would gladly have another .",
    "smell is faint , wet cardboard and some grain . {the look is dull : pale straw yellow , hardly any foam , gone in \
     seconds .} taste is thin and watery with a metallic end . nothing here makes me want a second glass .",
    "{a hazy golden orange body under two fingers of dense white foam .} grapefruit and pine jump out of the glass . \
     juicy , bitter and dry on the tongue , with a clean finish . {even the last sip wears a cap of foam .} easy to \
     drink and well made .",
];

/// A review without its braces.
pub(super) fn plain(review: &str) -> String {
    review.replace(['{', '}'], "")
}

/// The words of a review, and whether each is marked.
pub(super) fn marked(review: &str) -> Vec<(String, bool)> {
    let text = plain(review);
    // Which bytes of the plain text lie between braces.
    let (mut within, mut inside) = (Vec::with_capacity(text.len()), false);
    for byte in review.bytes() {
        match byte {
            b'{' | b'}' => inside = byte == b'{',
            _ => within.push(inside),
        }
    }
    let words = hfy_nn::text::tokens(&text).into_iter();
    words.map(|place| (text[place.clone()].to_owned(), within[place.start])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_between_braces() {
        let words = marked("one {two , three} four");
        let marks: Vec<bool> = words.iter().map(|(_, mark)| *mark).collect();
        assert_eq!(marks, [false, true, true, true, false]);
        assert!(REVIEWS.iter().all(|review| marked(review).iter().any(|(_, mark)| *mark)));
    }
}
