//! Shared by the test programs.
#![allow(dead_code)]

use std::io::Cursor;

use hfy_store::{Result, Snapshot};
use ndarray::Array2;
use serde_json::Value;

/// A fixed stream of numbers.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn array(&mut self, rows: usize, columns: usize) -> Array2<f32> {
        Array2::from_shape_simple_fn((rows, columns), || (self.next() >> 40) as f32 / 1e6 - 8.0)
    }
}

/// Id, pattern, label and metadata.
pub(crate) type Row = (u64, Vec<f64>, Option<String>, Option<Value>);

/// Everything that a memory holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    pub(crate) dtype: String,
    pub(crate) dim: usize,
    pub(crate) next_id: u64,
    pub(crate) info: hfy_store::Info,
    pub(crate) records: Vec<Row>,
}

pub(crate) fn content(snapshot: &Snapshot) -> Result<Content> {
    let records = snapshot.records()?.map(|record| {
        let record = record?;
        Ok((record.id, snapshot.pattern_f64(record.row)?, record.label, record.metadata))
    });
    Ok(Content {
        dtype: snapshot.dtype().to_string(),
        dim: snapshot.dim(),
        next_id: snapshot.next_id(),
        info: snapshot.info().clone(),
        records: records.collect::<Result<_>>()?,
    })
}

pub(crate) fn bytes(snapshot: &Snapshot) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    snapshot.write_to(&mut file).unwrap();
    file.into_inner()
}

/// A safetensors file with this header and data, whatever they are.
pub(crate) fn craft(header: &str, data: &[u8]) -> Vec<u8> {
    let padded = header.len().next_multiple_of(8);
    let mut file = (padded as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.resize(8 + padded, b' ');
    file.extend_from_slice(data);
    file
}
