//! Named tensors, as a safetensors file has them.

use std::collections::BTreeMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::error::{Error, Result};

/// The entry of a file's metadata that has the notes, as JSON.
const NOTES: &str = "hfy";

/// Named tensors of numbers, and notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tensors {
    numbers: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    bytes: BTreeMap<String, Vec<u8>>,
    notes: BTreeMap<String, String>,
}

impl Tensors {
    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    /// Shape and numbers of a tensor.
    pub fn get(&self, name: &str) -> Option<(&[usize], &[f32])> {
        self.numbers.get(name).map(|(shape, values)| (&shape[..], &values[..]))
    }

    /// Puts a tensor in.
    ///
    /// # Panics
    ///
    /// If there are more or fewer numbers than the shape says.
    pub fn insert(&mut self, name: String, shape: Vec<usize>, values: Vec<f32>) {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "{name}: the shape says how many numbers there are");
        self.numbers.insert(name, (shape, values));
    }

    /// Takes a tensor out.
    pub fn take(&mut self, name: &str) -> Option<(Vec<usize>, Vec<f32>)> {
        self.numbers.remove(name)
    }

    /// A note beside the tensors.
    pub fn noted(&self, name: &str) -> Option<&str> {
        self.notes.get(name).map(String::as_str)
    }

    /// Writes a note beside the tensors.
    pub fn note(&mut self, name: &str, text: String) {
        self.notes.insert(name.to_owned(), text);
    }

    pub(crate) fn insert_bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.bytes.insert(name.to_owned(), bytes);
    }

    pub(crate) fn take_bytes(&mut self, name: &str) -> Option<Vec<u8>> {
        self.bytes.remove(name)
    }

    /// The tensors whose names begin with a prefix, without it.
    pub fn under(&self, prefix: &str) -> Self {
        let inner = self
            .numbers
            .iter()
            .filter_map(|(name, tensor)| Some((name.strip_prefix(prefix)?.to_owned(), tensor.clone())));
        Tensors { numbers: inner.collect(), ..Tensors::default() }
    }

    /// Puts other tensors in, under their names after a prefix.
    pub(crate) fn insert_under(&mut self, prefix: &str, others: Tensors) {
        self.numbers.extend(others.numbers.into_iter().map(|(name, tensor)| (format!("{prefix}{name}"), tensor)));
    }

    /// As a safetensors file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let numbers: Vec<(&String, &Vec<usize>, Vec<u8>)> = self
            .numbers
            .iter()
            .map(|(name, (shape, values))| (name, shape, values.iter().flat_map(|value| value.to_le_bytes()).collect()))
            .collect();
        let wrong = |error: safetensors::SafeTensorError| Error::argument("tensors", "a file", error.to_string());
        let mut views = Vec::new();
        for (name, shape, bytes) in &numbers {
            views.push((name.as_str(), TensorView::new(Dtype::F32, (*shape).clone(), bytes).map_err(wrong)?));
        }
        for (name, bytes) in &self.bytes {
            views.push((name.as_str(), TensorView::new(Dtype::U8, vec![bytes.len()], bytes).map_err(wrong)?));
        }
        // One entry for all notes: with more, their order in the file would change from run to run.
        let notes = serde_json::to_string(&self.notes).expect("notes are plain");
        let notes = (!self.notes.is_empty()).then(|| [(NOTES.to_owned(), notes)].into_iter().collect());
        safetensors::serialize(views, notes).map_err(wrong)
    }

    /// From a safetensors file in single precision.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let wrong = |error: safetensors::SafeTensorError| format!("is no whole safetensors file: {error}");
        let (_, head) = SafeTensors::read_metadata(bytes).map_err(wrong)?;
        let mut tensors = Tensors::default();
        if let Some(notes) = head.metadata().as_ref().and_then(|notes| notes.get(NOTES)) {
            tensors.notes =
                serde_json::from_str(notes).map_err(|error| format!("has notes that cannot be read: {error}"))?;
        }
        for (name, view) in SafeTensors::deserialize(bytes).map_err(wrong)?.iter() {
            match view.dtype() {
                Dtype::F32 => {
                    let values = view.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
                    tensors.numbers.insert(name.to_owned(), (view.shape().to_vec(), values));
                }
                Dtype::U8 => drop(tensors.bytes.insert(name.to_owned(), view.data().to_vec())),
                other => return Err(format!("has the tensor {name} of {other:?}: weights are F32")),
            }
        }
        Ok(tensors)
    }
}
