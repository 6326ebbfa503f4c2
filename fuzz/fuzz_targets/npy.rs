//! Any bytes as an npy array: read whole, and in blocks without knowing their length, with the same result.
#![no_main]

use hfy_fuzz::Choices;
use hfy_io::{Array, Float, Format, Numbers, Options, npy, picture};
use libfuzzer_sys::fuzz_target;
use ndarray::{Array2, ArrayView2};

fuzz_target!(|input: &[u8]| {
    let mut choices = Choices::new(input);
    let float = [None, Some(Float::F32), Some(Float::F64)][choices.of(3)];
    let block = [1, 2, 3, 7, 64, 1000][choices.of(6)];
    let integers = [picture::Integers::Keep, picture::Options::default().integers][choices.of(2)];
    let file = choices.rest();
    let picture = picture::Options { integers, ..picture::Options::default() };
    let options = Options { float, picture, ..Options::default() };
    if let Ok(mut rows) = hfy_io::read_bytes(file, Format::Npy, "a.npy", &options) {
        assert_eq!(rows.numbers.len(), rows.dim.0 * rows.dim.1);
        assert_eq!(rows.matrix::<f64>().dim(), rows.dim);
        rows.settle_scale();
    }
    let whole = npy::read(file, "a.npy", float, Some(file.len() as u64));
    let unsized_ = npy::read(file, "a.npy", float, None);
    let streamed = stream(file, float, block);
    assert_eq!(whole.is_ok(), unsized_.is_ok());
    assert_eq!(whole.is_ok(), streamed.is_ok());
    let (Ok(whole), Ok(unsized_), Ok((shape, turned, numbers))) = (whole, unsized_, streamed) else { return };
    assert_eq!(whole.shape, shape);
    assert_eq!(whole.shape.iter().product::<usize>(), whole.numbers.len());
    assert_eq!(bits(&whole.numbers), bits(&unsized_.numbers));
    let as_stored = match shape[..] {
        _ if !turned => bits(&whole.numbers),
        [rows, columns] => {
            let matrix = Array2::from_shape_vec((rows, columns), bits(&whole.numbers)).unwrap();
            matrix.t().iter().copied().collect()
        }
        _ => return,
    };
    assert_eq!(as_stored, numbers.iter().flat_map(bits).collect::<Vec<u64>>());
    write_and_read(&whole);
});

type Streamed = (Vec<usize>, bool, Vec<Numbers>);

fn stream(file: &[u8], float: Option<Float>, block: usize) -> hfy_io::Result<Streamed> {
    let mut reader = npy::Reader::new(file, "a.npy", float, None)?;
    let mut all = Vec::new();
    loop {
        let numbers = reader.take(block)?;
        if numbers.is_empty() {
            return Ok((reader.shape().to_vec(), !reader.has_rows(), all));
        }
        all.push(numbers);
    }
}

fn bits(numbers: &Numbers) -> Vec<u64> {
    match numbers {
        Numbers::F32(values) => values.iter().map(|value| value.to_bits().into()).collect(),
        Numbers::F64(values) => values.iter().map(|value| value.to_bits()).collect(),
    }
}

fn write_and_read(array: &Array) {
    let mut file = Vec::new();
    let dim = (1, array.numbers.len());
    match &array.numbers {
        Numbers::F32(values) => npy::write(&mut file, ArrayView2::from_shape(dim, values).unwrap()),
        Numbers::F64(values) => npy::write(&mut file, ArrayView2::from_shape(dim, values).unwrap()),
    }
    .unwrap();
    let again = npy::read(&file[..], "a.npy", None, Some(file.len() as u64)).unwrap();
    assert_eq!(bits(&again.numbers), bits(&array.numbers));
}
