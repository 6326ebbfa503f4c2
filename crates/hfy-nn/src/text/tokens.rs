//! The words of a text.

use std::ops::Range;

/// Where the words of a text are, in bytes.
///
/// Letters and digits make a word; a mark makes one by itself, but for runs of the same mark (`...`, `!!`). English
/// contractions are taken apart as the Penn Treebank does, and word vectors have them: `do` and `n't`, `it` and `'s`.
/// Line breaks of HTML, `<br />`, are no words.
///
/// ```
/// let text = "It's a 7.5% ale...<br />I don't mind";
/// let words: Vec<&str> = hfy_nn::text::tokens(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(words, ["It", "'s", "a", "7.5", "%", "ale", "...", "I", "do", "n't", "mind"]);
/// ```
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if next.is_whitespace() {
            at += next.len_utf8();
        } else if let Some(length) = line_break(&text[at..]) {
            at += length;
        } else if next.is_alphanumeric() {
            let end = at + word(&text[at..]);
            split(text, at..end, &mut found);
            at = end;
        } else {
            let end = at + mark(&text[at..], next);
            found.push(at..end);
            at = end;
        }
    }
    found
}

/// The length of `<br />`, in any of its forms.
fn line_break(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.len() < 4 || !bytes[..3].eq_ignore_ascii_case(b"<br") {
        return None;
    }
    let rest = text[3..].find('>')?;
    text[3..3 + rest].chars().all(|c| c == ' ' || c == '/').then_some(3 + rest + 1)
}

/// The length of the word at the beginning. An apostrophe, a hyphen or a point between letters or digits is a part of
/// it.
fn word(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut before = None;
    while let Some((at, character)) = characters.next() {
        let inside = |next: Option<&(usize, char)>| match (character, before, next) {
            ('\'' | '’' | '-', Some(before), Some((_, next))) => {
                char::is_alphanumeric(before) && next.is_alphanumeric()
            }
            ('.' | ',', Some(before), Some((_, next))) => char::is_numeric(before) && next.is_numeric(),
            _ => false,
        };
        if !character.is_alphanumeric() && !inside(characters.peek()) {
            return at;
        }
        before = Some(character);
    }
    text.len()
}

/// The length of a mark: the same character as often as it comes, but for brackets and quotes, or with `'` the letters
/// of a contraction that stands by itself.
fn mark(text: &str, first: char) -> usize {
    let repeats = if ".!?-*=_~".contains(first) { usize::MAX } else { 1 };
    text.chars().take(repeats).take_while(|character| *character == first).count() * first.len_utf8()
}

const ENDINGS: [&str; 7] = ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"];

/// A word, in two where it is a contraction.
fn split(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let whole = &text[range.clone()];
    let plain = |character: char| if character == '’' { '\'' } else { character.to_ascii_lowercase() };
    for ending in ENDINGS {
        let letters = ending.chars().count();
        let Some((at, _)) = whole.char_indices().rev().nth(letters - 1).filter(|(at, _)| *at > 0) else { continue };
        if whole[at..].chars().map(plain).eq(ending.chars()) {
            found.push(range.start..range.start + at);
            found.push(range.start + at..range.end);
            return;
        }
    }
    found.push(range);
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn words_marks_and_contractions() {
        assert_eq!(words("Don’t stop!!! (really)"), ["Do", "n’t", "stop", "!!!", "(", "really", ")"]);
        assert_eq!(
            words("well-made, 1,000 they'll 'quoted'"),
            ["well-made", ",", "1,000", "they", "'ll", "'", "quoted", "'"]
        );
        assert_eq!(words("a<br />b<BR>c <b>"), ["a", "b", "c", "<", "b", ">"]);
        assert_eq!(words("end. Of"), ["end", ".", "Of"]);
        assert_eq!(words("naïve İ's 日本"), ["naïve", "İ", "'s", "日本"]);
        assert!(words(" \n\t").is_empty());
    }

    #[test]
    fn no_text_panics_or_loses_letters() {
        let pieces = ["'", "’", "n't", "İ", "ß", "-", ".", "<br", "/>", ">", " ", "a", "7", "…", "\u{301}"];
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let text = format!("{one}{two}{three}a");
                    let found = tokens(&text);
                    assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "{text:?}");
                    assert!(found.iter().all(|range| !range.is_empty()), "{text:?}");
                    assert!(found.last().is_some_and(|range| range.end == text.len()), "{text:?}");
                }
            }
        }
    }
}
