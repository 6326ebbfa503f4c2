//! The catalogue of a memory: a SQLite database of ids, texts, segments, removals and settings.
//!
//! Each row carries a checksum of its own, because SQLite has none: a changed byte is found when its row is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::Value as Bound;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::error::Fault;
use crate::{Error, Filter, Result};

pub(crate) const NAME: &str = "catalogue.sqlite";
/// `hfym` in ASCII: how SQLite's files say whose they are.
const APPLICATION: i64 = 0x6866_796d;
const VERSION: i64 = 2;

const SCHEMA: [(&str, &str); 5] = [
    (
        "setting",
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID",
    ),
    (
        "segment",
        "CREATE TABLE segment (number INTEGER PRIMARY KEY, rows INTEGER NOT NULL, first_id INTEGER NOT NULL, \
         last_id INTEGER NOT NULL, bytes INTEGER NOT NULL, header INTEGER NOT NULL, removed INTEGER NOT NULL, \
         removed_sum INTEGER NOT NULL, sum INTEGER NOT NULL)",
    ),
    ("removed", "CREATE TABLE removed (segment INTEGER, row INTEGER, PRIMARY KEY (segment, row)) WITHOUT ROWID"),
    ("pattern", "CREATE TABLE pattern (id INTEGER PRIMARY KEY, label TEXT, metadata TEXT, sum INTEGER NOT NULL)"),
    ("pattern_label", "CREATE INDEX pattern_label ON pattern (label) WHERE label IS NOT NULL"),
];

/// A segment as the catalogue knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SegmentRow {
    pub(crate) number: i64,
    pub(crate) rows: usize,
    pub(crate) first_id: u64,
    pub(crate) last_id: u64,
    pub(crate) bytes: usize,
    /// The checksum of the header of its file.
    pub(crate) header: u64,
    pub(crate) removed: usize,
    /// The checksums of the numbers of removed rows, exclusive-or.
    pub(crate) removed_sum: u64,
}

impl SegmentRow {
    pub(crate) fn live(&self) -> usize {
        self.rows - self.removed
    }

    fn sum(&self) -> i64 {
        let numbers = [
            self.number as u64,
            self.rows as u64,
            self.first_id,
            self.last_id,
            self.bytes as u64,
            self.header,
            self.removed as u64,
            self.removed_sum,
        ];
        xxh3_64(bytemuck::cast_slice(&numbers)) as i64
    }
}

/// The texts of a pattern: id, label, metadata as JSON.
pub(crate) type TextRow = (u64, Option<String>, Option<String>);

#[derive(Debug)]
pub(crate) struct Catalogue {
    connection: Connection,
    pub(crate) path: PathBuf,
}

impl Catalogue {
    /// Makes a new catalogue in an empty folder.
    pub(crate) fn create(folder: &Path, durable: bool) -> Result<Self> {
        let path = folder.join(NAME);
        let wrong = Error::catalogue(&path);
        let connection = Connection::open(&path).map_err(&wrong)?;
        let make = || {
            connection.pragma_update(None, "synchronous", if durable { "FULL" } else { "OFF" })?;
            connection.pragma_update(None, "page_size", 4096)?;
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", VERSION)?;
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            let tables: Vec<&str> = SCHEMA.iter().map(|&(_, sql)| sql).collect();
            connection.execute_batch(&format!("BEGIN; {}; COMMIT", tables.join("; ")))
        };
        make().map_err(&wrong)?;
        drop(connection);
        Catalogue::open(folder, Duration::from_secs(1), durable)
    }

    /// Opens the catalogue of a memory and checks that it is one.
    pub(crate) fn open(folder: &Path, patience: Duration, durable: bool) -> Result<Self> {
        let path = folder.join(NAME);
        std::fs::metadata(&path).map_err(Error::io("open", &path))?;
        let connection = connect(&path, patience, durable).map_err(Error::catalogue(&path))?;
        let catalogue = Catalogue { connection, path };
        catalogue.check_kind()?;
        Ok(catalogue)
    }

    /// Another connection to the same catalogue.
    pub(crate) fn reopened(&self, patience: Duration) -> Result<Self> {
        let connection = connect(&self.path, patience, true).map_err(self.wrong())?;
        Ok(Catalogue { connection, path: self.path.clone() })
    }

    fn wrong(&self) -> impl Fn(rusqlite::Error) -> Error + '_ {
        Error::catalogue(&self.path)
    }

    fn damaged(&self, place: impl Into<String>, value: impl ToString, rule: &str) -> Error {
        Fault::new(place, value, rule).in_file(&self.path.display().to_string())
    }

    fn check_kind(&self) -> Result<()> {
        let pragma = |name| self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let application = pragma("application_id").map_err(self.wrong())?;
        if application != APPLICATION {
            return Err(self.damaged("application_id", application, "is not the catalogue of a memory"));
        }
        let version = pragma("user_version").map_err(self.wrong())?;
        if version != VERSION {
            return Err(self.damaged("version", version, "this program reads version 2"));
        }
        let mut statement = self.connection.prepare("SELECT name, sql FROM sqlite_schema").map_err(self.wrong())?;
        let found = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?)));
        let found = found.and_then(Iterator::collect::<rusqlite::Result<BTreeMap<_, _>>>).map_err(self.wrong())?;
        // SQLite's own tables, of statistics and the like, change no answer.
        let ours: BTreeMap<_, _> = found.into_iter().filter(|(name, _)| !name.starts_with("sqlite_")).collect();
        let expected = SCHEMA.iter().map(|&(name, sql)| (name.to_owned(), Some(sql.to_owned()))).collect();
        if ours != expected {
            return Err(self.damaged("schema", ours.len(), "has other tables than the catalogue of a memory"));
        }
        Ok(())
    }

    pub(crate) fn execute(&self, sql: &str) -> Result<()> {
        self.connection.execute_batch(sql).map_err(self.wrong())
    }

    /// Changes everything that `work` says, or nothing.
    pub(crate) fn change<R>(&self, work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        self.execute("BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|done| self.execute("COMMIT").map(|()| done));
        if done.is_err() {
            // The first error is the one to report.
            let _ = self.execute("ROLLBACK");
        }
        done
    }

    /// All settings.
    pub(crate) fn settings(&self) -> Result<BTreeMap<String, String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT name, value, sum FROM setting").map_err(self.wrong())?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(self.wrong())?;
        let mut settings = BTreeMap::new();
        for row in rows {
            let (name, value, sum): (String, String, i64) = row.map_err(self.wrong())?;
            if sum != text_sum(&[Some(&name), Some(&value)]) {
                return Err(self.damaged(format!("setting {name:?}"), value, "these bytes have changed"));
            }
            settings.insert(name, value);
        }
        Ok(settings)
    }

    /// A setting that is a number.
    pub(crate) fn number(&self, name: &str) -> Result<u64> {
        let mut statement =
            self.connection.prepare_cached("SELECT value, sum FROM setting WHERE name = ?").map_err(self.wrong())?;
        let found = statement.query_row([name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)));
        let (value, sum) = found.optional().map_err(self.wrong())?.unwrap_or_default();
        if sum != text_sum(&[Some(name), Some(&value)]) {
            return Err(self.damaged(format!("setting {name:?}"), value, "is missing, or its bytes have changed"));
        }
        value.parse().map_err(|_| self.damaged(format!("setting {name:?}"), value, "must be a number"))
    }

    pub(crate) fn set(&self, name: &str, value: &str) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO setting (name, value, sum) VALUES (?, ?, ?)";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        let sum = text_sum(&[Some(name), Some(value)]);
        statement.execute(params![name, value, sum]).map(drop).map_err(self.wrong())
    }

    pub(crate) fn unset(&self, name: &str) -> Result<()> {
        self.connection.execute("DELETE FROM setting WHERE name = ?", [name]).map(drop).map_err(self.wrong())
    }

    /// All segments, the oldest first.
    pub(crate) fn segments(&self) -> Result<Vec<SegmentRow>> {
        let sql = "SELECT number, rows, first_id, last_id, bytes, header, removed, removed_sum, sum FROM segment \
                   ORDER BY number";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        let mut rows = statement.query([]).map_err(self.wrong())?;
        let mut segments = Vec::new();
        while let Some(row) = rows.next().map_err(self.wrong())? {
            let number = |at: usize| row.get::<_, i64>(at).map_err(self.wrong());
            let segment = SegmentRow {
                number: number(0)?,
                rows: number(1)? as usize,
                first_id: number(2)? as u64,
                last_id: number(3)? as u64,
                bytes: number(4)? as usize,
                header: number(5)? as u64,
                removed: number(6)? as usize,
                removed_sum: number(7)? as u64,
            };
            if segment.sum() != number(8)? || segment.removed > segment.rows {
                return Err(self.damaged("segment", segment.number, "these bytes have changed"));
            }
            segments.push(segment);
        }
        Ok(segments)
    }

    /// Adds a segment, or replaces what is known of it.
    pub(crate) fn put_segment(&self, segment: &SegmentRow) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        let row = params![
            segment.number,
            segment.rows as i64,
            segment.first_id as i64,
            segment.last_id as i64,
            segment.bytes as i64,
            segment.header as i64,
            segment.removed as i64,
            segment.removed_sum as i64,
            segment.sum(),
        ];
        statement.execute(row).map(drop).map_err(self.wrong())
    }

    /// Forgets a segment and its removals.
    pub(crate) fn drop_segment(&self, number: i64) -> Result<()> {
        self.connection.execute("DELETE FROM removed WHERE segment = ?", [number]).map_err(self.wrong())?;
        self.connection.execute("DELETE FROM segment WHERE number = ?", [number]).map(drop).map_err(self.wrong())
    }

    /// The removed rows of a segment, ascending.
    pub(crate) fn removed(&self, segment: &SegmentRow) -> Result<Vec<usize>> {
        if segment.removed == 0 {
            return Ok(Vec::new());
        }
        let sql = "SELECT row FROM removed WHERE segment = ? ORDER BY row";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        let rows = statement.query_map([segment.number], |row| row.get::<_, i64>(0)).map_err(self.wrong())?;
        let rows = rows.map(|row| row.map(|row| row as usize)).collect::<rusqlite::Result<Vec<_>>>();
        let rows = rows.map_err(self.wrong())?;
        let sum = rows.iter().fold(0, |sum, &row| sum ^ row_sum(row));
        if rows.len() != segment.removed || sum != segment.removed_sum || rows.iter().any(|&row| row >= segment.rows) {
            let place = format!("removed rows of segment {}", segment.number);
            return Err(self.damaged(place, rows.len(), "these bytes have changed"));
        }
        Ok(rows)
    }

    /// Whether a row of a segment is removed.
    pub(crate) fn is_removed(&self, segment: i64, row: usize) -> Result<bool> {
        let sql = "SELECT 1 FROM removed WHERE segment = ? AND row = ?";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        statement.exists(params![segment, row as i64]).map_err(self.wrong())
    }

    /// Marks a row of a segment as removed.
    pub(crate) fn remove_row(&self, segment: &mut SegmentRow, row: usize) -> Result<()> {
        let mut statement =
            self.connection.prepare_cached("INSERT INTO removed VALUES (?, ?)").map_err(self.wrong())?;
        statement.execute(params![segment.number, row as i64]).map_err(self.wrong())?;
        segment.removed += 1;
        segment.removed_sum ^= row_sum(row);
        Ok(())
    }

    /// Sets the texts of a pattern.
    pub(crate) fn put_pattern(&self, id: u64, label: Option<&str>, metadata: Option<&str>) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO pattern VALUES (?, ?, ?, ?)";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        let row = params![id as i64, label, metadata, pattern_sum(id, label, metadata)];
        statement.execute(row).map(drop).map_err(self.wrong())
    }

    pub(crate) fn drop_pattern(&self, id: u64) -> Result<()> {
        let mut statement = self.connection.prepare_cached("DELETE FROM pattern WHERE id = ?").map_err(self.wrong())?;
        statement.execute([id as i64]).map(drop).map_err(self.wrong())
    }

    /// The texts of a pattern.
    pub(crate) fn pattern(&self, id: u64) -> Result<Option<TextRow>> {
        Ok(self.patterns_from(id, 1)?.pop().filter(|row| row.0 == id))
    }

    /// The texts of up to `count` patterns, by their ids, from one id on.
    pub(crate) fn patterns_from(&self, id: u64, count: usize) -> Result<Vec<TextRow>> {
        let sql = "SELECT id, label, metadata, sum FROM pattern WHERE id >= ? ORDER BY id LIMIT ?";
        self.text_rows(sql, &[Bound::from(id as i64), Bound::from(count as i64)])
    }

    /// Ids of the patterns that a filter lets through, ascending.
    pub(crate) fn query(&self, filter: &Filter) -> Result<Vec<u64>> {
        let (condition, bound) = filter.sql();
        let sql = format!("SELECT id, label, metadata, sum FROM pattern WHERE {condition} ORDER BY id");
        Ok(self.text_rows(&sql, &bound)?.into_iter().map(|row| row.0).collect())
    }

    fn text_rows(&self, sql: &str, bound: &[Bound]) -> Result<Vec<TextRow>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(self.wrong())?;
        let mut rows = statement.query(rusqlite::params_from_iter(bound)).map_err(self.wrong())?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(self.wrong())? {
            let texts = || Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?));
            let (id, label, metadata, sum): (u64, Option<String>, Option<String>, i64) =
                texts().map_err(self.wrong())?;
            if sum != pattern_sum(id, label.as_deref(), metadata.as_deref()) {
                return Err(self.damaged(format!("texts of id {id}"), "changed", "these bytes have changed"));
            }
            found.push((id, label, metadata));
        }
        Ok(found)
    }

    /// How many patterns there are.
    pub(crate) fn count(&self) -> Result<usize> {
        self.counted("SELECT count(*) FROM pattern")
    }

    /// How many patterns have a label.
    pub(crate) fn labelled(&self) -> Result<usize> {
        self.counted("SELECT count(*) FROM pattern WHERE label IS NOT NULL")
    }

    fn counted(&self, sql: &str) -> Result<usize> {
        let count = self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        count.map(|count| count as usize).map_err(self.wrong())
    }

    /// SQLite's own check of every page.
    pub(crate) fn verify(&self) -> Result<()> {
        let check = self.connection.pragma_query_value(None, "integrity_check", |row| row.get::<_, String>(0));
        match check.map_err(self.wrong())?.as_str() {
            "ok" => Ok(()),
            fault => Err(self.damaged("integrity", fault, "SQLite finds its file damaged")),
        }
    }
}

fn connect(path: &Path, patience: Duration, durable: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(32);
    // FULL: what is committed is on disk before the call returns.
    connection.pragma_update(None, "synchronous", if durable { "FULL" } else { "OFF" })?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // The file is data: nothing in its schema may run.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// The checksum of the number of a removed row.
fn row_sum(row: usize) -> u64 {
    xxh3_64(&(row as u64).to_le_bytes())
}

/// The checksum of texts that may be missing.
fn text_sum(texts: &[Option<&str>]) -> i64 {
    let mut hasher = Xxh3::new();
    for text in texts {
        hasher.update(&text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        hasher.update(text.unwrap_or_default().as_bytes());
    }
    hasher.digest() as i64
}

fn pattern_sum(id: u64, label: Option<&str>, metadata: Option<&str>) -> i64 {
    if label.is_none() && metadata.is_none() {
        return row_sum(id as usize) as i64;
    }
    text_sum(&[Some(&id.to_string()), label, metadata])
}
