//! Any bytes as an archive of arrays.
#![no_main]

use std::io::Cursor;

use hfy_fuzz::Choices;
use hfy_io::{Float, Format, Numbers, Options, npz};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut choices = Choices::new(input);
    let float = [None, Some(Float::F32), Some(Float::F64)][choices.of(3)];
    let name = [None, Some("a"), Some("b"), Some("")][choices.of(4)];
    let file = choices.rest();
    let options = Options { float, ..Options::default() };
    let rows = hfy_io::read_bytes(file, Format::Npz, "a.npz", &options);
    let only = npz::read(Cursor::new(file), "a.npz", None, float);
    assert!(rows.is_err() || only.is_ok());
    if let Ok(rows) = rows {
        assert_eq!(rows.numbers.len(), rows.dim.0 * rows.dim.1);
    }
    if let Ok(array) = npz::read(Cursor::new(file), "a.npz", name, float) {
        assert_eq!(array.shape.iter().product::<usize>(), array.numbers.len());
        let wanted = float.unwrap_or(array.kind.float());
        assert_eq!(matches!(array.numbers, Numbers::F64(_)), wanted == Float::F64);
    }
});
