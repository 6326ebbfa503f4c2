//! Arrays in a safetensors file.

use std::io::Write;
use std::path::Path;

use ndarray::ArrayView2;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::array::{Array, element_fault};
use super::choose;
use super::element::{Float, Kind};
use crate::error::{Error, Result};
use crate::number::Number;

/// Reads the array called `name`, or the only one.
pub(crate) fn read(path: &Path, file: &str, name: Option<&str>, float: Option<Float>) -> Result<Array> {
    let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
    let tensors = parse(&bytes, file)?;
    let mut names: Vec<String> = tensors.names().into_iter().map(str::to_owned).collect();
    names.sort();
    let name = choose(&names, name, file)?;
    let tensor = tensors.tensor(name).map_err(|error| Error::data(file, error))?;
    let kind = kind_of(tensor.dtype()).ok_or_else(|| {
        Error::data(&format!("{file}:{name}"), format!("the element type {:?} is not read", tensor.dtype()))
    })?;
    let shape = tensor.shape().to_vec();
    let numbers = kind.read(tensor.data(), shape.iter().product(), false, float.unwrap_or(kind.float()));
    let numbers = numbers.map_err(|fault| element_fault(file, &shape, fault))?;
    Ok(Array { shape, kind, numbers, lines: None })
}

fn parse<'b>(bytes: &'b [u8], file: &str) -> Result<SafeTensors<'b>> {
    SafeTensors::deserialize(bytes).map_err(|error| Error::data(file, format!("is not a safetensors file: {error}")))
}

/// Whether a file says that it is a memory.
pub(crate) fn is_memory(path: &Path) -> bool {
    use std::io::Read;
    let mut start = Vec::new();
    // A memory's header is at most 1 MiB.
    let header = std::fs::File::open(path).and_then(|file| file.take((1 << 20) + 8).read_to_end(&mut start));
    let Some((length, rest)) = header.ok().and_then(|_| start.split_first_chunk::<8>()) else { return false };
    let text = usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|length| rest.get(..length));
    let parsed = text.and_then(|text| serde_json::from_slice::<serde_json::Value>(text).ok());
    parsed.is_some_and(|header| header["__metadata__"]["format"] == "hfy-memory")
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
pub(crate) fn write<T: Number>(mut to: impl Write, name: &str, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(matrix.len() * T::SIZE);
    matrix.iter().for_each(|&value| value.write_bytes(&mut bytes));
    let dtype = match T::FLOAT {
        Float::F32 => Dtype::F32,
        Float::F64 => Dtype::F64,
    };
    let tensor = TensorView::new(dtype, matrix.shape().to_vec(), &bytes).map_err(std::io::Error::other)?;
    to.write_all(&safetensors::serialize([(name, tensor)], None).map_err(std::io::Error::other)?)
}
