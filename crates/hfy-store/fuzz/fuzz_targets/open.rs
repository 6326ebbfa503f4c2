//! Any bytes: an error, or a memory whose every part can be read, changed and saved.
#![no_main]

use std::io::Cursor;

use hfy_store::Memory;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(mut memory) = Memory::from_bytes(file) else { return };
    let sound = memory.verify().is_ok();
    let mut ids = Vec::new();
    for (row, record) in memory.iter().enumerate() {
        assert_eq!(record.row(), row);
        assert_eq!(memory.row_of(record.id()), Some(row));
        assert_eq!(memory.id_of(row), Some(record.id()));
        assert_eq!(record.to_f64().len(), memory.dim());
        let (label, metadata) = (record.label(), record.metadata());
        assert!(!sound || label.is_ok() && metadata.is_ok());
        ids.push(record.id());
    }
    assert!(memory.any_patterns().is_ok());
    ids.retain(|id| id % 3 == 0);
    memory.remove(&ids).unwrap();
    let mut saved = Cursor::new(Vec::new());
    let written = memory.write_to(&mut saved);
    assert!(!sound || written.is_ok());
    if written.is_ok() {
        let again = Memory::from_bytes(saved.get_ref()).expect("what was written can be opened");
        assert!(again.ids().eq(memory.ids()));
        assert!(!sound || again.verify().is_ok());
    }
});
