//! Damaged files of every format: an error or rows, never a panic, never memory for what is not there.

use std::io::Cursor;

use hfy_io::{Error, Format, Kind, Options, csv, npy, npz, read_bytes, safetensors};
use ndarray::{Array2, array};

const CASES: usize = 20_000;

/// Bytes that mean something to some reader.
const LIKELY: &[u8] = b"0123456789,;\t\"'(){}:-+.eE\n #nanif\xff\x00";

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Changes, removes, repeats or inserts a few bytes.
    fn damage(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        for _ in 0..1 + self.below(4) {
            let place = self.below(bytes.len().max(1));
            match self.below(6) {
                _ if bytes.is_empty() => break,
                0 => bytes.truncate(place),
                1 => drop(bytes.remove(place)),
                2 => bytes.insert(place, LIKELY[self.below(LIKELY.len())]),
                3 => bytes.extend_from_within(place..),
                _ => bytes[place] = self.below(256) as u8,
            }
        }
        bytes
    }
}

/// Reads damaged copies; how many of them could be read, and how many not.
fn survive(format: Format, whole: &[u8], seed: u64) -> (usize, usize) {
    let mut random = Random(seed);
    let mut counts = (0, 0);
    for _ in 0..CASES {
        let bytes = random.damage(whole);
        match read_bytes(&bytes, format, "file", &Options::default()) {
            Ok(rows) => {
                assert_eq!(rows.numbers.len(), rows.dim.0 * rows.dim.1);
                counts.0 += 1;
            }
            Err(error) => {
                assert!(!matches!(error, Error::Io { .. }), "{error}");
                assert!(error.to_string().starts_with("file"), "{error}");
                counts.1 += 1;
            }
        }
    }
    counts
}

fn matrix() -> Array2<f64> {
    array![[1.0, -2.5, 3e10], [4.0, 0.0, -6.25]]
}

#[test]
fn npy() {
    let mut whole = Vec::new();
    npy::write(&mut whole, matrix().view()).expect("a file in memory");
    let (read, refused) = survive(Format::Npy, &whole, 1);
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
    // Headers alone, where nearly everything is decided.
    let (_, refused) = survive(Format::Npy, &whole[..80], 2);
    assert!(refused > CASES - 100, "a copied header may be followed by enough bytes: {refused}");
}

#[test]
fn npz() {
    let mut file = Cursor::new(Vec::new());
    let mut archive = npz::Archive::new(&mut file);
    archive.matrix("x", matrix().view()).expect("an archive in memory");
    archive.finish().expect("an archive in memory");
    let (read, refused) = survive(Format::Npz, file.get_ref(), 3);
    assert!(read > 10 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn texts() {
    let mut whole = b"first,second,third\n".to_vec();
    csv::write(&mut whole, matrix().view(), ',').expect("a text in memory");
    let (read, refused) = survive(Format::Csv(None), &whole, 4);
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
    survive(Format::Csv(None), b"\"1,5\";2,5\n\"3\";4\n", 5);
}

#[test]
fn tensors() {
    let mut whole = Vec::new();
    safetensors::write(&mut whole, "x", matrix().view()).expect("a file in memory");
    let (read, refused) = survive(Format::Safetensors, &whole, 6);
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn element_types_orders_and_axes() {
    let file = |descr: &str, fortran: &str, shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x02\x00", &(header.len() as u32).to_le_bytes()[..], header.as_bytes(), data].concat()
    };
    let read = |bytes: &[u8]| read_bytes(bytes, Format::Npy, "file", &Options::default()).expect("rows");
    let cases: [(&str, &[u8], Kind, f64); 12] = [
        ("|b1", &[7], Kind::Bool, 1.0),
        ("|?", &[0], Kind::Bool, 0.0),
        ("|u1", &[200], Kind::U8, 200.0),
        ("|i1", &[200], Kind::I8, -56.0),
        (">u2", &[1, 2], Kind::U16, 258.0),
        ("<i2", &[254, 255], Kind::I16, -2.0),
        (">u4", &[0, 1, 0, 0], Kind::U32, 65536.0),
        ("<i4", &[255, 255, 255, 255], Kind::I32, -1.0),
        (">i8", &[0, 0, 1, 0, 0, 0, 0, 0], Kind::I64, 1_099_511_627_776.0),
        ("<u8", &[0, 0, 0, 0, 0, 0, 0, 128], Kind::U64, 9_223_372_036_854_775_808.0),
        ("<f2", &[0, 0x3c], Kind::F16, 1.0),
        (">f4", &[0x3f, 0xc0, 0, 0], Kind::F32, 1.5),
    ];
    for (descr, data, kind, value) in cases {
        let rows = read(&file(descr, "False", "(1, 1)", data));
        assert_eq!((rows.kind, rows.matrix::<f64>()[(0, 0)]), (kind, value), "{descr}");
    }
    let rows = read(&file("|i1", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6]));
    assert_eq!(rows.matrix::<f64>(), array![[1., 2., 3.], [4., 5., 6.]]);
    // An integer that no f64 is, in either order of the axes.
    let large = [1i64, 2, 3, 4, (1 << 53) + 1, 6].map(i64::to_le_bytes).concat();
    for (fortran, place) in [("False", "row 2, column 2"), ("True", "row 1, column 3")] {
        let note = format!("file, {place}: 9007199254740993 was rounded, perhaps like others: no f64 is this integer");
        assert_eq!(read(&file("<i8", fortran, "(2, 3)", &large)).notes, [note]);
    }
    let rows = read(&file("|i1", "True", "(3,)", &[1, 2, 3]));
    assert_eq!(rows.matrix::<f64>(), array![[1., 2., 3.]]);
}
