//! Merging segments: few files to read, and the room of removed patterns back.

use crate::progress::{UNWATCHED, Watched};
use std::cell::Cell;

use crate::catalogue::SegmentRow;
use crate::folder::Writer;
use crate::run::runs;
use crate::snapshot::sources;
use crate::{Progress, Result};

/// Segments that are merged without being asked for: more are not worth the wait of whoever adds a pattern.
const SMALL: usize = 64 << 20;
/// So many small segments make a merge worth its fsyncs.
const FEW: usize = 8;

impl Writer<'_> {
    /// Merges where it pays: small segments of like size, and segments of which half is removed.
    ///
    /// Small segments are merged as soon as there are eight, each no larger than twice all smaller ones together. So a
    /// pattern is copied O(log N) times however it was added, and there are O(log N) small segments.
    pub(crate) fn compact_where_it_pays(&self) -> Result<()> {
        let mut segments = self.catalogue.segments()?;
        let half: Vec<SegmentRow> = segments.iter().copied().filter(|s| 2 * s.removed > s.rows).collect();
        for segment in half {
            self.merge(&[segment], UNWATCHED)?;
            segments.retain(|other| other.number != segment.number);
        }
        segments.retain(|segment| segment.bytes < SMALL);
        segments.sort_by_key(|segment| segment.bytes);
        let mut together = 0;
        let alike = segments.iter().take_while(|segment| {
            let fits = together == 0 || segment.bytes <= 2 * together;
            together += segment.bytes;
            fits && together < SMALL
        });
        let count = alike.count();
        if count >= FEW { self.merge(&segments[..count], UNWATCHED) } else { Ok(()) }
    }

    /// Merges everything into one segment.
    pub(crate) fn compact_all(&self, progress: Progress<'_>) -> Result<()> {
        let segments = self.catalogue.segments()?;
        if segments.len() > 1 || segments.iter().any(|segment| segment.removed > 0) {
            self.merge(&segments, progress)?;
        }
        self.sweep()
    }

    /// One segment in the place of several, in the order of ids. Readers keep the files that they have mapped.
    fn merge(&self, segments: &[SegmentRow], progress: Progress<'_>) -> Result<()> {
        let sources = sources(self.folder, self.catalogue, segments)?;
        let runs = runs(&sources)?;
        let mut ids = Vec::with_capacity(segments.iter().map(SegmentRow::live).sum());
        for run in &runs {
            ids.extend_from_slice(&sources[run.file].file.ids()?[run.rows.clone()]);
        }
        let done = Cell::new(0);
        let total = (ids.len() * self.folder.dim * self.folder.dtype.size()) as u64;
        let watched = Watched::new(progress, &done, total);
        let patterns = runs.iter().flat_map(|run| sources[run.file].file.watched_patterns(run.rows.clone(), watched));
        self.change(|catalogue| {
            self.put_segment(&ids, Box::new(patterns))?;
            segments.iter().try_for_each(|segment| catalogue.drop_segment(segment.number))
        })?;
        for segment in segments {
            // What cannot be deleted now is swept later.
            let _ = std::fs::remove_file(self.folder.segment_path(segment.number));
        }
        self.folder.forget_others(&self.catalogue.segments()?);
        Ok(())
    }
}
