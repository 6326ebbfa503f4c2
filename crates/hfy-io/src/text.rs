//! Texts of others, shown without their power over a terminal.

/// The text with control characters, and those that turn the direction of writing, as escapes: `\x1b`, `\u{202e}`.
///
/// ```
/// assert_eq!(hfy_io::visible("a\x1b[31m\n"), "a\\x1b[31m\\n");
/// ```
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown += "\\n",
            '\r' => shown += "\\r",
            '\t' => shown += "\\t",
            c if c.is_ascii_control() => shown += &format!("\\x{:02x}", c as u32),
            c if c.is_control() || turns(c) => shown += &format!("\\u{{{:x}}}", c as u32),
            c => shown.push(c),
        }
    }
    shown
}

/// Marks that change the direction of the text after them, or break lines.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
