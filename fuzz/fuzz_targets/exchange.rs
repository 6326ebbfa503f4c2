//! Any bytes: an error, or an exchange file whose every part can be read, written and imported.
//!
//! If the first byte is odd, the checksums of the rest are written anew, so that damage reaches what is behind them.
#![no_main]

use std::io::Cursor;

use hfy_fuzz::{Choices, files, reseal, sampled};
use hfy_store::{Filter, Memory, Record, Snapshot};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut choices = Choices::new(input);
    let sealed = choices.of(2) == 1;
    let mut file = choices.rest().to_vec();
    if sealed {
        let _ = reseal(&mut file);
    }
    let Ok(snapshot) = Snapshot::from_bytes(&file) else { return };
    let sound = snapshot.verify().is_ok();
    let ids = snapshot.ids().expect("ids are checked when a file is opened");
    assert_eq!(ids.len(), snapshot.len());
    assert!(ids.is_sorted_by(|a, b| a < b));
    assert!(ids.last().is_none_or(|&last| last < snapshot.next_id()));
    let records: Vec<_> = snapshot.records().unwrap().collect();
    for (row, (&id, record)) in ids.iter().zip(&records).enumerate() {
        assert_eq!(snapshot.id_of(row).unwrap(), id);
        assert_eq!(snapshot.row_of(id).unwrap(), Some(row));
        assert_eq!(record.is_ok(), snapshot.get(id).is_ok());
        let pattern = snapshot.pattern_f64(row);
        assert!(!sound || pattern.as_ref().is_ok_and(|pattern| pattern.iter().all(|value| value.is_finite())));
        assert!(pattern.is_ok() || snapshot.any_patterns().is_err());
    }
    assert_eq!(snapshot.row_of(snapshot.next_id()).unwrap(), None);
    assert!(snapshot.id_of(snapshot.len()).is_err());
    assert!(!sound || snapshot.any_patterns().is_ok() && records.iter().all(Result::is_ok));
    assert!(!sound || snapshot.labelled().is_ok());
    let mut saved = Cursor::new(Vec::new());
    let written = snapshot.write_to(&mut saved);
    assert!(!sound || written.is_ok());
    if written.is_ok() {
        let again = Snapshot::from_bytes(saved.get_ref()).expect("what was written can be opened");
        same(&snapshot, &again);
        assert!(!sound || again.verify().is_ok());
    }
    if sampled(input, 512) {
        in_a_folder(&snapshot, &ids, sound);
    }
});

/// What needs a catalogue on disk: filters, and an import.
fn in_a_folder(snapshot: &Snapshot, ids: &[u64], sound: bool) {
    let folder = tempfile::tempdir_in(files()).unwrap();
    let filter: Filter = "label is not null or not (id in (1, 2)) or a.b >= 2".parse().unwrap();
    let filtered = snapshot.filtered(&filter);
    let storable = ids.last().is_none_or(|&last| last < i64::MAX as u64) && snapshot.next_id() < i64::MAX as u64;
    if let Ok(filtered) = filtered {
        let kept = filtered.ids().unwrap();
        assert!(kept.is_sorted_by(|a, b| a < b) && kept.iter().all(|id| ids.contains(id)));
        assert!(!sound || filtered.any_patterns().is_ok());
    }
    match Memory::import(snapshot, folder.path().join("memory"), false) {
        Ok(memory) => {
            let again = memory.snapshot().unwrap();
            same(snapshot, &again);
            assert!(!sound || again.verify().is_ok());
        }
        Err(error) => assert!(!sound || !storable, "{error}"),
    }
}

fn same(one: &Snapshot, other: &Snapshot) {
    assert_eq!(one.ids().unwrap(), other.ids().unwrap());
    assert_eq!((one.next_id(), one.dim(), one.dtype()), (other.next_id(), other.dim(), other.dtype()));
    let described = |snapshot: &Snapshot| {
        // A file that does not say who made it gets the name of this library.
        let mut info = snapshot.info().clone();
        info.created_by = info.created_by.filter(|_| one.info().created_by.is_some());
        info
    };
    assert_eq!(described(one), described(other));
    let records = |snapshot: &Snapshot| snapshot.records().unwrap().collect::<Result<Vec<Record>, _>>().unwrap();
    assert_eq!(records(one), records(other));
    let bits = |snapshot: &Snapshot, row| -> Vec<u64> {
        snapshot.pattern_f64(row).unwrap().into_iter().map(f64::to_bits).collect()
    };
    for row in 0..one.len() {
        assert_eq!(bits(one, row), bits(other, row));
    }
}
