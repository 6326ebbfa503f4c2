//! Memories: patterns under stable ids, in one file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use hfy_store::{AnyPatterns, Dtype, Info, Memory};
use ndarray::{ArrayD, Ix2};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::array::{Floats, with_element};
use crate::element::Stored;
use crate::error::{raised_by_store, wrong};
use crate::json::{from_python, to_python};

/// Patterns under stable ids, with labels and metadata, in one file that is opened by memory map.
///
/// `Memory(dim, dtype)` is empty, `Memory.of(patterns)` has the rows of an array, and `Memory.open(path)` opens a file. Nothing is
/// written until `save`, which replaces the file at once, or not at all.
///
/// >>> import os, tempfile, numpy as np, hfy
/// >>> memory = hfy.Memory.of(np.array([[1.0, -1.0], [-1.0, 1.0]], dtype=np.float32))
/// >>> memory.add([0.5, 0.25])
/// 2
/// >>> memory.set_label(2, "between")
/// >>> memory.remove(0)
/// >>> path = os.path.join(tempfile.mkdtemp(), "letters.hfy")
/// >>> memory.save(path)
/// >>> memory = hfy.Memory.open(path)
/// >>> memory.ids, memory.label(2), memory.patterns
/// (array([1, 2], dtype=uint64), 'between', array([[-1.  ,  1.  ],
///        [ 0.5 ,  0.25]], dtype=float32))
#[pyclass(frozen, module = "hfy", name = "Memory")]
pub(crate) struct AnyMemory {
    memory: Mutex<Memory>,
    /// The array of all patterns, until they change.
    seen: Mutex<Option<Py<PyAny>>>,
}

/// The name that numpy has for a type.
fn numpy_name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "float32",
        Dtype::F64 => "float64",
        Dtype::F16 => "float16",
        Dtype::Bf16 => "bfloat16",
    }
}

fn dtype_of(value: &Bound<'_, PyAny>) -> PyResult<Dtype> {
    let name = match value.extract::<String>() {
        Ok(name) => name,
        Err(_) => value.py().import("numpy")?.call_method1("dtype", (value,))?.getattr("name")?.extract()?,
    };
    let found = Dtype::ALL.into_iter().find(|&dtype| numpy_name(dtype) == name || dtype.to_string() == name);
    found.ok_or_else(|| wrong("dtype", format!("{name:?}"), "a memory holds float16, bfloat16, float32 or float64"))
}

impl AnyMemory {
    fn holding(memory: Memory) -> Self {
        AnyMemory { memory: Mutex::new(memory), seen: Mutex::new(None) }
    }

    /// Runs `work` on the memory without the interpreter's lock, so that who waits for the memory does not hold it.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Memory) -> R + Send) -> R {
        py.detach(|| work(&mut self.memory.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
    }

    /// The same for work that changes patterns.
    fn changing<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Memory) -> hfy_store::Result<R> + Send,
    ) -> PyResult<R> {
        *self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = None;
        self.with(py, work).map_err(raised_by_store)
    }

    /// What the memory says about itself.
    pub(crate) fn usual(&self) -> Info {
        self.memory.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).info().clone()
    }

    /// Rows of numbers in the type of the memory, and whether it was one vector.
    fn rows<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<(Floats<'py>, bool)> {
        let dtype = self.with(py, |memory| memory.dtype());
        let given = Floats::new("patterns", value, false)?;
        let single = given.shape().len() == 1;
        if !(1..=2).contains(&given.shape().len()) {
            let rule = "a pattern, or a matrix with one a row, was expected";
            return Err(wrong("patterns", format!("an array of shape {:?}", given.shape()), rule));
        }
        let wanted = match dtype {
            Dtype::Bf16 => py.import("ml_dtypes")?.getattr("bfloat16")?,
            dtype => numpy_name(dtype).into_pyobject(py)?.into_any(),
        };
        let array = given.into_any().call_method1("astype", (wanted,))?;
        let width = array.getattr("shape")?.extract::<Vec<isize>>()?.last().copied().unwrap_or(0);
        let rows = array.call_method1("reshape", (-1, width.max(1)))?;
        Ok((Floats::new("patterns", &rows, false)?, single))
    }
}

fn matrix<E: Stored>(array: ArrayD<E>) -> ndarray::Array2<E> {
    array.into_dimensionality::<Ix2>().expect("rows and columns")
}

#[pymethods]
impl AnyMemory {
    #[new]
    #[pyo3(signature = (dim, dtype=None))]
    fn new(dim: usize, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let dtype = dtype.map_or(Ok(Dtype::F32), dtype_of)?;
        Ok(Self::holding(Memory::new(dtype, dim).map_err(raised_by_store)?))
    }

    /// A memory of the rows of an array, with the ids 0, 1, 2 and so on, in the type of the array.
    #[staticmethod]
    fn of(patterns: &Bound<'_, PyAny>) -> PyResult<Self> {
        let floats = Floats::new("patterns", patterns, false)?;
        let [_, width] = *floats.shape() else {
            let rule = "a matrix was expected, one pattern a row";
            return Err(wrong("patterns", format!("an array of shape {:?}", floats.shape()), rule));
        };
        let dtype = match &floats {
            Floats::F32(_) => Dtype::F32,
            Floats::F64(_) => Dtype::F64,
            Floats::F16(_) => Dtype::F16,
            Floats::Bf16(..) => Dtype::Bf16,
        };
        let memory = Self::holding(Memory::new(dtype, width).map_err(raised_by_store)?);
        memory.add(patterns)?;
        Ok(memory)
    }

    /// Opens a file. Patterns stay on disk until they are used.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self::holding(py.detach(|| Memory::open(path)).map_err(raised_by_store)?))
    }

    /// The length of a pattern.
    #[getter]
    fn dim(&self, py: Python<'_>) -> usize {
        self.with(py, |memory| memory.dim())
    }

    /// The name of the type that patterns are stored in.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> &'static str {
        numpy_name(self.with(py, |memory| memory.dtype()))
    }

    /// The file that `save` writes to.
    #[getter]
    fn path(&self, py: Python<'_>) -> Option<PathBuf> {
        self.with(py, |memory| memory.path().map(|path| path.to_owned()))
    }

    /// Whether anything was changed since the file was opened or saved.
    #[getter]
    fn changed(&self, py: Python<'_>) -> bool {
        self.with(py, |memory| memory.is_changed())
    }

    /// All ids, ascending: row for row those of `patterns`.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.with(py, |memory| memory.ids().collect::<Vec<_>>()).to_pyarray(py)
    }

    /// All patterns, one a row, as an array that cannot be written to. Where the memory is a file without changes it is the file
    /// itself, mapped, and nothing is copied; else it is a copy, kept until patterns change.
    #[getter]
    pub(crate) fn patterns<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(seen) = this.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).as_ref() {
            return Ok(seen.bind(py).clone());
        }
        let (place, path, shape, dtype) = this.with(py, |memory| {
            let path = memory.path().map(|path| path.to_owned());
            (memory.place_in_file(), path, (memory.len(), memory.dim()), memory.dtype())
        });
        let bits = if dtype == Dtype::Bf16 { "uint16" } else { numpy_name(dtype) };
        let array = match (place, path) {
            (Some(place), Some(path)) if !place.is_empty() => {
                let settings = PyDict::new(py);
                settings.set_item("dtype", bits)?;
                settings.set_item("mode", "r")?;
                settings.set_item("offset", place.start)?;
                settings.set_item("shape", shape)?;
                let numpy = py.import("numpy")?;
                let mapped = numpy.call_method("memmap", (path,), Some(&settings))?;
                numpy.call_method1("asarray", (mapped,))?
            }
            _ => this.copied(py)?,
        };
        let array = match dtype {
            Dtype::Bf16 => match py.import("ml_dtypes") {
                Ok(types) => array.call_method1("view", (types.getattr("bfloat16")?,))?,
                Err(_) => array,
            },
            _ => array,
        };
        array.call_method("setflags", (), Some(&[("write", false)].into_py_dict(py)?))?;
        *this.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(array.clone().unbind());
        Ok(array)
    }

    /// Adds a pattern and returns its id, or a matrix of patterns and returns their ids. If one is refused, none is added.
    fn add<'py>(&self, patterns: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = patterns.py();
        let (floats, single) = self.rows(py, patterns)?;
        let ids = with_element!(&floats, array: E => {
            let rows = matrix(<E as Stored>::read(array.readonly().as_array()).into_owned());
            self.changing(py, |memory| memory.add_batch(rows.view()))?
        });
        if single {
            return Ok(ids.start.into_pyobject(py)?.into_any());
        }
        Ok(ids.collect::<Vec<u64>>().to_pyarray(py).into_any())
    }

    /// Replaces a pattern. Its id, label and metadata stay.
    fn update(&self, id: u64, pattern: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = pattern.py();
        let (floats, _) = self.rows(py, pattern)?;
        with_element!(&floats, array: E => {
            let rows = matrix(<E as Stored>::read(array.readonly().as_array()).into_owned());
            let [1, _] = *rows.shape() else {
                return Err(wrong("pattern", format!("{} rows", rows.nrows()), "one pattern was expected"));
            };
            self.changing(py, |memory| memory.update(id, rows.row(0)))
        })
    }

    /// Removes a pattern, or several, by id. If one id is unknown, nothing is removed.
    fn remove(&self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let several = match ids.extract::<u64>() {
            Ok(id) => vec![id],
            Err(_) => ids.try_iter()?.map(|id| id?.extract::<u64>()).collect::<PyResult<Vec<_>>>()?,
        };
        self.changing(ids.py(), |memory| memory.remove(&several))
    }

    /// Saves to a file, or to the one that it was opened from. The old file stays whole until the new one is on disk.
    #[pyo3(signature = (path=None))]
    fn save(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<()> {
        self.changing(py, |memory| match path {
            Some(path) => memory.save_as(path),
            None => memory.save(),
        })
    }

    /// The row of an id in `patterns`.
    fn row_of(&self, py: Python<'_>, id: u64) -> PyResult<usize> {
        self.with(py, |memory| {
            let next = memory.next_id();
            memory.row_of(id).ok_or(hfy_store::Error::UnknownId { id, next })
        })
        .map_err(raised_by_store)
    }

    /// The label of a pattern, if it has one.
    fn label(&self, py: Python<'_>, id: u64) -> PyResult<Option<String>> {
        self.with(py, |memory| Ok(memory.get(id)?.label()?.map(str::to_owned))).map_err(raised_by_store)
    }

    /// Sets the label of a pattern, or takes it away.
    fn set_label(&self, py: Python<'_>, id: u64, label: Option<String>) -> PyResult<()> {
        self.with(py, |memory| memory.set_label(id, label.as_deref())).map_err(raised_by_store)
    }

    /// The metadata of a pattern, if it has any: what JSON can hold.
    fn metadata<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.with(py, |memory| memory.get(id)?.metadata()).map_err(raised_by_store)?;
        value.map(|value| to_python(py, &value)).transpose()
    }

    /// Sets the metadata of a pattern, anything that JSON can hold, or takes it away with None.
    fn set_metadata(&self, py: Python<'_>, id: u64, metadata: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let value = metadata.map(|value| from_python("metadata", value)).transpose()?;
        self.with(py, |memory| memory.set_metadata(id, value.as_ref())).map_err(raised_by_store)
    }

    /// What is known of the memory as a whole: a dict with "name", "omega", "psi", "beta" (what a `Network` uses unless told
    /// otherwise) and any other texts.
    #[getter]
    fn info(&self) -> BTreeMap<String, String> {
        let info = self.usual();
        let own = [("name", info.name), ("omega", info.omega), ("psi", info.psi), ("beta", info.beta)];
        let mut texts = info.extra;
        texts.extend(own.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        texts
    }

    /// Replaces what is known of the memory as a whole.
    fn set_info(&self, py: Python<'_>, mut texts: BTreeMap<String, String>) -> PyResult<()> {
        let created_by = self.usual().created_by;
        let [name, omega, psi, beta] = ["name", "omega", "psi", "beta"].map(|key| texts.remove(key));
        let info = Info { name, created_by, omega, psi, beta, extra: texts };
        self.with(py, |memory| memory.set_info(info)).map_err(raised_by_store)
    }

    /// Reads everything and checks it: checksums, texts, whether all patterns are finite. The first fault is the error.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |memory| memory.verify()).map_err(raised_by_store)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |memory| memory.len())
    }

    fn __contains__(&self, py: Python<'_>, id: u64) -> bool {
        self.with(py, |memory| memory.contains(id))
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, id: u64) -> PyResult<Bound<'py, PyAny>> {
        let row = slf.get().row_of(slf.py(), id)?;
        Self::patterns(slf)?.get_item(row)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.with(py, |memory| {
            let (count, dim, dtype) = (memory.len(), memory.dim(), numpy_name(memory.dtype()));
            let place = memory.path().map_or(String::new(), |path| format!(" in {}", path.display()));
            format!("<Memory of {count} patterns of {dim} in {dtype}{place}>")
        })
    }
}

impl AnyMemory {
    /// The patterns in an array of their own.
    fn copied<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        enum Copy {
            F32(ndarray::Array2<f32>),
            F64(ndarray::Array2<f64>),
            F16(ndarray::Array2<half::f16>),
            Bits(ndarray::Array2<u16>),
        }
        let copy = self.with(py, |memory| {
            Ok(match memory.any_patterns()? {
                AnyPatterns::F32(rows) => Copy::F32(rows.into_owned()),
                AnyPatterns::F64(rows) => Copy::F64(rows.into_owned()),
                AnyPatterns::F16(rows) => Copy::F16(rows.into_owned()),
                AnyPatterns::Bf16(rows) => Copy::Bits(rows.mapv(half::bf16::to_bits)),
            })
        });
        Ok(match copy.map_err(raised_by_store)? {
            Copy::F32(rows) => PyArrayDyn::from_owned_array(py, rows.into_dyn()).into_any(),
            Copy::F64(rows) => PyArrayDyn::from_owned_array(py, rows.into_dyn()).into_any(),
            Copy::F16(rows) => PyArrayDyn::from_owned_array(py, rows.into_dyn()).into_any(),
            Copy::Bits(rows) => PyArrayDyn::from_owned_array(py, rows.into_dyn()).into_any(),
        })
    }
}
