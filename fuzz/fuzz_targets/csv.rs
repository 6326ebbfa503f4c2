//! Any bytes as rows of numbers: read whole and in blocks, with the same result, and written and read again.
#![no_main]

use hfy_fuzz::{Choices, sampled};
use hfy_io::csv::{self, Decimal, Header};
use hfy_io::{Float, Format, Numbers, Options};
use libfuzzer_sys::fuzz_target;
use ndarray::ArrayView2;

fuzz_target!(|input: &[u8]| {
    let mut choices = Choices::new(input);
    let options = csv::Options {
        delimiter: [None, Some(b','), Some(b';'), Some(b'\t'), Some(b' '), Some(b'|')][choices.of(6)],
        decimal: [Decimal::Auto, Decimal::Point, Decimal::Comma][choices.of(3)],
        header: [Header::Auto, Header::Yes, Header::No][choices.of(3)],
    };
    let float = [None, Some(Float::F32)][choices.of(2)];
    let block = [1, 2, 5, 64][choices.of(4)];
    let file = choices.rest();
    let whole = csv::read(file, "a.csv", &options, float);
    let streamed = stream(file, &options, float, block);
    // Most of the time goes into the table that csv-core makes for each reader.
    if sampled(input, 8) {
        let options = Options { csv: options, float, ..Options::default() };
        let rows = hfy_io::read_bytes(file, Format::Csv(None), "a.csv", &options);
        assert_eq!(rows.is_ok(), whole.is_ok());
    }
    let whole = match (whole, streamed) {
        (Ok(whole), Ok((numbers, lines))) => {
            assert_eq!(bits(&whole.numbers), numbers);
            assert_eq!(whole.lines.as_ref(), Some(&lines));
            assert_eq!(whole.shape[0], lines.len());
            assert_eq!(whole.shape[0] * whole.shape[1], numbers.len());
            assert!(lines.is_sorted_by(|a, b| a < b));
            whole
        }
        (Err(whole), Err(streamed)) => return assert_eq!(whole.to_string(), streamed.to_string()),
        (Err(_), Ok((numbers, _))) => return assert!(numbers.is_empty()),
        (Ok(_), Err(streamed)) => panic!("blocks: {streamed}"),
    };
    let mut text = Vec::new();
    let dim = (whole.shape[0], whole.shape[1]);
    match &whole.numbers {
        Numbers::F32(values) => csv::write(&mut text, ArrayView2::from_shape(dim, values).unwrap(), ','),
        Numbers::F64(values) => csv::write(&mut text, ArrayView2::from_shape(dim, values).unwrap(), ','),
    }
    .unwrap();
    let plain = csv::Options { delimiter: Some(b','), decimal: Decimal::Point, header: Header::No };
    let again = csv::read(&text[..], "a.csv", &plain, float).expect("what was written can be read");
    assert_eq!(again.shape, whole.shape);
    assert_eq!(bits(&again.numbers), bits(&whole.numbers));
});

type Streamed = (Vec<u64>, Vec<usize>);

fn stream(file: &[u8], options: &csv::Options, float: Option<Float>, block: usize) -> hfy_io::Result<Streamed> {
    let mut reader = csv::Reader::new(file, "a.csv", options, float);
    let (mut numbers, mut lines) = (Vec::new(), Vec::new());
    loop {
        let part = reader.block(block)?;
        if part.shape[0] == 0 {
            return Ok((numbers, lines));
        }
        numbers.extend(bits(&part.numbers));
        lines.extend(part.lines.unwrap());
    }
}

fn bits(numbers: &Numbers) -> Vec<u64> {
    match numbers {
        Numbers::F32(values) => values.iter().map(|value| value.to_bits().into()).collect(),
        Numbers::F64(values) => values.iter().map(|value| value.to_bits()).collect(),
    }
}
