//! Arrays in a safetensors file.

use std::io::{Read, Write};
use std::path::Path;

use ndarray::ArrayView2;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::array::{count, element_fault, rounding_note};
use crate::elements::Elements;
use crate::format::choose;
use crate::{Array, Error, Float, Kind, Number, Result};

/// Reads the array called `name`, or the only one.
pub fn read(bytes: &[u8], file: &str, name: Option<&str>, float: Option<Float>) -> Result<Array> {
    let wrong = |error| Error::data(file, format!("is not a safetensors file: {error}"));
    let tensors = SafeTensors::deserialize(bytes).map_err(wrong)?;
    let mut names: Vec<String> = tensors.names().into_iter().map(str::to_owned).collect();
    names.sort();
    let name = choose(&names, name, file)?;
    let array = format!("{file}:{name}");
    let tensor = tensors.tensor(name).map_err(|error| Error::data(file, error))?;
    let kind = kind_of(tensor.dtype())
        .ok_or_else(|| Error::data(&array, format!("the element type {:?} is not read", tensor.dtype())))?;
    let shape = tensor.shape().to_vec();
    let count =
        count(&shape).ok_or_else(|| Error::data(&array, format!("its shape {shape:?} is larger than any memory")))?;
    let data = tensor.data();
    let length = Some(data.len() as u64);
    let (numbers, rounded) = Elements::new(data, (kind, false), float.unwrap_or(kind.float()), count, length)
        .and_then(Elements::all)
        .map_err(|fault| element_fault(&array, &shape, fault))?;
    let notes = rounded.map(|rounded| rounding_note(&array, &shape, rounded)).into_iter().collect();
    Ok(Array { shape, kind, numbers, lines: None, notes })
}

/// Whether a file says that it is a memory of `hfy`.
pub(crate) fn is_memory(path: &Path) -> bool {
    // A memory's header is at most 1 MiB.
    const LONGEST: u64 = 1 << 20;
    let read = || {
        let mut file = std::fs::File::open(path).ok()?;
        let mut length = [0; 8];
        file.read_exact(&mut length).ok()?;
        let length = u64::from_le_bytes(length);
        let mut text = Vec::new();
        file.take(length.min(LONGEST)).read_to_end(&mut text).ok()?;
        serde_json::from_slice::<serde_json::Value>(&text).ok()
    };
    read().is_some_and(|header| header["__metadata__"]["format"] == "hfy-memory")
}

fn kind_of(dtype: Dtype) -> Option<Kind> {
    Some(match dtype {
        Dtype::BOOL => Kind::Bool,
        Dtype::U8 => Kind::U8,
        Dtype::I8 => Kind::I8,
        Dtype::U16 => Kind::U16,
        Dtype::I16 => Kind::I16,
        Dtype::U32 => Kind::U32,
        Dtype::I32 => Kind::I32,
        Dtype::U64 => Kind::U64,
        Dtype::I64 => Kind::I64,
        Dtype::F16 => Kind::F16,
        Dtype::BF16 => Kind::Bf16,
        Dtype::F32 => Kind::F32,
        Dtype::F64 => Kind::F64,
        _ => return None,
    })
}

/// Writes a matrix under a name.
pub fn write<T: Number>(mut to: impl Write, name: &str, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(matrix.len() * T::SIZE);
    matrix.iter().for_each(|&value| value.write_bytes(&mut bytes));
    let dtype = match T::FLOAT {
        Float::F32 => Dtype::F32,
        Float::F64 => Dtype::F64,
    };
    let tensor = TensorView::new(dtype, matrix.shape().to_vec(), &bytes).map_err(std::io::Error::other)?;
    to.write_all(&safetensors::serialize([(name, tensor)], None).map_err(std::io::Error::other)?)
}
