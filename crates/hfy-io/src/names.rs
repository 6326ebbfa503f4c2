//! Columns of tables by their names.

use crate::text::visible;

/// A name without case, spaces, `_` and `-`.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

/// The column that has one of the known names, if one has. `y` beside `x` is a coordinate.
pub(crate) fn default(names: &[String], known: &str) -> std::result::Result<Option<usize>, String> {
    let columns = |known: &str| (0..names.len()).filter(|&column| plain(&names[column]) == known).collect::<Vec<_>>();
    match columns(known)[..] {
        [] => Ok(None),
        [_] if known == "y" && !columns("x").is_empty() => Ok(None),
        [column] => Ok(Some(column)),
        [one, two, ..] => {
            let (one, two, first, second) = (one + 1, two + 1, visible(&names[one]), visible(&names[two]));
            Err(format!(
                "columns {one} and {two} are called '{first}' and '{second}': say by an option which one is meant"
            ))
        }
    }
}

/// A column by its name, else by its number from 1 up to `count`.
pub(crate) fn find(
    header: Option<&Vec<String>>,
    count: usize,
    wanted: &str,
) -> std::result::Result<usize, &'static str> {
    let names = header.map_or(&[][..], Vec::as_slice);
    let same = |matches: &dyn Fn(&str) -> bool| {
        let mut found = (0..names.len()).filter(|&column| matches(&names[column]));
        (found.next(), found.next())
    };
    for found in [same(&|name| name == wanted), same(&|name| name.eq_ignore_ascii_case(wanted))] {
        match found {
            (Some(column), None) => return Ok(column),
            (Some(_), Some(_)) => return Err("several columns have this name"),
            _ => {}
        }
    }
    match wanted.parse::<usize>() {
        Ok(number) if (1..=count).contains(&number) => Ok(number - 1),
        _ => Err("there is no such column"),
    }
}
