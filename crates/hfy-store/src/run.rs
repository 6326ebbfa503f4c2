//! Which rows of which files a snapshot is made of, in the order of their ids.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use crate::Result;
use crate::pattern_file::PatternFile;

/// Rows that lie together in one file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Number of the file among those of the snapshot.
    pub(crate) file: usize,
    /// Rows of the file.
    pub(crate) rows: Range<usize>,
    /// Id of the first row.
    pub(crate) first_id: u64,
    /// Row of the snapshot that the run begins at.
    pub(crate) first: usize,
}

/// A file, and the rows of it that no longer count, ascending.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: Arc<PatternFile>,
    pub(crate) removed: Vec<usize>,
    pub(crate) first_id: u64,
    pub(crate) last_id: u64,
}

/// The rows that count, in the order of their ids. An id counts in one file only.
///
/// Files whose ids do not interleave need not be read.
pub(crate) fn runs(sources: &[Source]) -> Result<Vec<Run>> {
    let mut waiting = BinaryHeap::new();
    for (number, source) in sources.iter().enumerate() {
        for rows in kept(source.file.rows(), &source.removed) {
            let (first, last) = ends(source, &rows)?;
            waiting.push(Reverse((first, last, number, rows.start, rows.end)));
        }
    }
    let mut found: Vec<Run> = Vec::new();
    let mut count = 0;
    while let Some(Reverse((first_id, last, file, start, end))) = waiting.pop() {
        let mut stop = end;
        if let Some(&Reverse((next, ..))) = waiting.peek()
            && next <= last
        {
            let ids = &sources[file].file.ids()?[start..end];
            // At least one row, so that damaged files with equal ids cannot hold this loop up.
            stop = start + ids.partition_point(|&id| id < next).max(1);
            if stop < end {
                waiting.push(Reverse((ids[stop - start], last, file, stop, end)));
            }
        }
        match found.last_mut() {
            Some(before) if before.file == file && before.rows.end == start => before.rows.end = stop,
            _ => found.push(Run { file, rows: start..stop, first_id, first: count }),
        }
        count += stop - start;
    }
    Ok(found)
}

/// First and last id of some rows.
fn ends(source: &Source, rows: &Range<usize>) -> Result<(u64, u64)> {
    if *rows == (0..source.file.rows()) {
        return Ok((source.first_id, source.last_id));
    }
    let ids = source.file.ids()?;
    Ok((ids[rows.start], ids[rows.end - 1]))
}

/// The stretches of `0..rows` without the removed ones.
fn kept(rows: usize, removed: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(removed.iter().map(|&row| row + 1));
    let ends = removed.iter().copied().chain(std::iter::once(rows));
    starts.zip(ends).map(|(start, end)| start..end).filter(|range| !range.is_empty())
}

/// Runs of single rows given by file and row, in the order of their ids.
pub(crate) fn joined(rows: impl Iterator<Item = (usize, usize, u64)>) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for (count, (file, row, id)) in rows.enumerate() {
        match found.last_mut() {
            Some(before) if before.file == file && before.rows.end == row => before.rows.end += 1,
            _ => found.push(Run { file, rows: row..row + 1, first_id: id, first: count }),
        }
    }
    found
}
