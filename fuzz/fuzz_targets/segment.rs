//! A memory whose segment is another file: an error, or what is true of it.
//!
//! The first byte says what the rest is: a file, or changes of the true one, as they are, or with all checksums and the
//! catalogue made to fit. A change is three bytes: where, in two of them, and what is added there without carrying.
#![no_main]

use std::cell::RefCell;
use std::path::PathBuf;

use hfy_fuzz::{Choices, files, reseal};
use hfy_store::{Dtype, Filter, Memory, Snapshot, Texts};
use libfuzzer_sys::fuzz_target;
use ndarray::Array2;
use rusqlite::{Connection, params};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

struct Home {
    folder: PathBuf,
    segment: PathBuf,
    /// Beside the segments, so that it can be renamed to one.
    part: PathBuf,
    memory: Option<Memory>,
    catalogue: Connection,
    /// Rows, first id, last id, bytes, header, removed and the sum of removed rows, as they should be.
    row: [u64; 7],
    catalogue_is_true: bool,
    file: Vec<u8>,
    ids: Vec<u64>,
    patterns: Array2<f32>,
    filter: Filter,
}

impl Home {
    fn new() -> Self {
        // Not deleted: libFuzzer ends its processes without running destructors.
        let folder = tempfile::Builder::new().prefix("hfy-fuzz-").tempdir_in(files()).unwrap().keep();
        let path = folder.join("memory");
        let memory = Memory::create(&path, Dtype::F32, 3).unwrap();
        let label = |row: usize| (!row.is_multiple_of(3)).then(|| format!("label {row}"));
        let texts = Texts {
            labels: (0..12).map(label).collect(),
            metadata: (0..12).map(|row| (row > 4).then(|| json!({"year": 2000 + row}))).collect(),
            ..Texts::default()
        };
        let patterns = Array2::from_shape_fn((12, 3), |(row, column)| (row as f32 - 4.5) * (column as f32 + 0.25));
        memory.add(patterns.view(), &texts).unwrap();
        let segment = std::fs::read_dir(path.join("segments")).unwrap().next().unwrap().unwrap().path();
        memory.remove(&[3, 9]).unwrap();
        memory.update(&[5], Array2::from_elem((1, 3), 1.5f32).view(), &Texts::default()).unwrap();
        let snapshot = memory.snapshot().unwrap();
        assert_eq!(snapshot.segments(), 2);
        let catalogue = Connection::open(path.join("catalogue.sqlite")).unwrap();
        catalogue.pragma_update(None, "synchronous", "OFF").unwrap();
        let sql = "SELECT rows, first_id, last_id, bytes, header, removed, removed_sum FROM segment ORDER BY number";
        let row = catalogue.query_row(sql, [], |row| {
            let mut numbers = [0; 7];
            for (at, number) in numbers.iter_mut().enumerate() {
                *number = row.get::<_, i64>(at)? as u64;
            }
            Ok(numbers)
        });
        Home {
            file: std::fs::read(&segment).unwrap(),
            part: folder.join("part"),
            ids: snapshot.ids().unwrap(),
            patterns: snapshot.patterns().unwrap().into_owned(),
            filter: "label is not null or year > 2007".parse().unwrap(),
            row: row.unwrap(),
            memory: None,
            catalogue_is_true: true,
            folder: path,
            segment,
            catalogue,
        }
    }

    /// Puts a file in the place of the segment, as a new file: the old one may be mapped.
    fn put(&self, file: &[u8]) {
        std::fs::write(&self.part, file).unwrap();
        std::fs::rename(&self.part, &self.segment).unwrap();
    }

    /// Writes what the catalogue says of the segment, with a checksum that fits.
    fn tell(&self, row: [u64; 7]) {
        let mut numbers = vec![0];
        numbers.extend(row);
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let sql = "UPDATE segment SET rows = ?, first_id = ?, last_id = ?, bytes = ?, header = ?, removed = ?, \
                   removed_sum = ?, sum = ? WHERE number = 0";
        let [rows, first, last, length, header, removed, sum] = row.map(|number| number as i64);
        let row = params![rows, first, last, length, header, removed, sum, xxh3_64(&bytes) as i64];
        assert_eq!(self.catalogue.prepare_cached(sql).unwrap().execute(row).unwrap(), 1);
    }

    fn changed(&self, changes: &[u8]) -> Vec<u8> {
        let mut file = self.file.clone();
        for change in changes.as_chunks::<3>().0 {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len();
            file[at] ^= change[2];
        }
        file
    }

    fn run(&mut self, input: &[u8]) {
        let mut choices = Choices::new(input);
        let mode = choices.of(4);
        let rest = choices.rest();
        let mut file = if mode.is_multiple_of(2) { self.changed(rest) } else { rest.to_vec() };
        let sealed = if mode >= 2 { reseal(&mut file) } else { None };
        if let Some((header, rows)) = sealed {
            let mut row = self.row;
            (row[0], row[3], row[4]) = (rows & (i64::MAX as u64), file.len() as u64, header);
            self.tell(row);
            self.catalogue_is_true = false;
        } else if !self.catalogue_is_true {
            self.tell(self.row);
            self.catalogue_is_true = true;
        }
        self.put(&file);
        let memory = self.memory.take().unwrap_or_else(|| Memory::open(&self.folder).unwrap());
        match memory.snapshot() {
            // It keeps nothing of a file that it refused.
            Err(_) => self.memory = Some(memory),
            Ok(snapshot) => self.read(&snapshot),
        }
    }

    fn read(&self, snapshot: &Snapshot) {
        let (ids, patterns) = (snapshot.ids(), snapshot.patterns::<f32>());
        let parts: Result<Vec<_>, _> = snapshot.parts::<f32>().unwrap().collect();
        let records: Result<Vec<_>, _> = snapshot.records().and_then(Iterator::collect);
        let filtered = snapshot.filtered(&self.filter);
        let place = snapshot.place_in_file();
        let kept: Result<Vec<_>, _> = (0..snapshot.len()).map(|row| snapshot.pattern::<f32>(row)).collect();
        for row in 0..snapshot.len() {
            if let Ok(id) = snapshot.id_of(row) {
                let _ = snapshot.row_of(id);
                let _ = snapshot.get(id);
            }
        }
        if let Ok(filtered) = &filtered {
            let _ = filtered.patterns::<f32>();
        }
        let verified = snapshot.verify();
        if verified.is_ok() {
            let ids = ids.as_ref().expect("were verified");
            assert!(patterns.is_ok() && records.is_ok() && kept.is_ok() && parts.is_ok() && place.is_ok());
            assert!(ids.iter().enumerate().all(|(row, &id)| snapshot.row_of(id).unwrap() == Some(row)));
            assert!(filtered.is_ok());
        }
        if self.catalogue_is_true {
            // Whatever could be read is true.
            assert!(ids.is_err() || ids.is_ok_and(|ids| ids == self.ids));
            assert!(patterns.is_err() || patterns.is_ok_and(|patterns| patterns == self.patterns));
            assert!(verified.is_err() || kept.is_ok_and(|rows| rows.len() == self.ids.len()));
        }
    }
}

thread_local!(static HOME: RefCell<Option<Home>> = const { RefCell::new(None) });

fuzz_target!(|input: &[u8]| {
    HOME.with_borrow_mut(|home| home.get_or_insert_with(Home::new).run(input));
});
