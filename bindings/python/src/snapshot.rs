//! Memories at one moment, and the arrays of their patterns.

use hfy_store::{AnyPatterns, Dtype, Filter, Info, Progress, Record, Snapshot};
use numpy::{PyArray1, PyArrayDyn, ToPyArray};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict};

use crate::error::raised_by_store;
use crate::json::to_python;
use crate::memory::{info_texts, numpy_name};
use crate::threads::interruptible;

/// Patterns, ids, labels and metadata of a memory as they were at one moment, whatever is written meanwhile; with a
/// filter, those that it lets through. Networks and recalls take it where they take a memory.
///
/// It should not be kept for days: SQLite cannot shorten its log meanwhile. When the process forks, patterns and ids
/// stay; labels and metadata of a snapshot that was taken before can no longer be asked for.
///
/// >>> import numpy as np, hfy
/// >>> memory = hfy.Memory(2)
/// >>> memory.add(np.eye(2), labels=["x", "y"], metadata=[{"year": 2019}, {"year": 2021}])
/// array([0, 1], dtype=uint64)
/// >>> new = memory.snapshot(where="year > 2020")
/// >>> memory.remove(1)
/// >>> len(memory), len(new), new.label(1), new.patterns
/// (1, 1, 'y', array([[0., 1.]], dtype=float32))
#[pyclass(frozen, module = "hfy", name = "Snapshot")]
pub(crate) struct AnySnapshot {
    snapshot: Snapshot,
    seen: PyOnceLock<Py<PyAny>>,
}

/// A pattern with its id, label and metadata.
#[pyclass(frozen, get_all, module = "hfy", name = "Record")]
pub(crate) struct AnyRecord {
    /// The id, for ever.
    id: u64,
    /// The row in the snapshot.
    row: usize,
    /// The label, or None.
    label: Option<String>,
    /// What JSON can hold, or None.
    metadata: Py<PyAny>,
    /// The pattern.
    pattern: Py<PyAny>,
}

#[pymethods]
impl AnyRecord {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let label = self.label.as_ref().map_or("None".to_owned(), |label| format!("{label:?}"));
        Ok(format!("<Record {} label={label} metadata={}>", self.id, self.metadata.bind(py).repr()?))
    }
}

/// Goes through the records of a snapshot, a thousand texts at a time.
#[pyclass(module = "hfy")]
pub(crate) struct Records {
    snapshot: Py<AnySnapshot>,
    next: usize,
    waiting: std::vec::IntoIter<Record>,
}

/// Texts that are read at once.
const AT_ONCE: usize = 1000;

#[pymethods]
impl Records {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<AnyRecord>> {
        let this = self.snapshot.get();
        if self.waiting.len() == 0 {
            let rows = self.next..(self.next + AT_ONCE).min(this.snapshot.len());
            self.next = rows.end;
            let read = || this.snapshot.records_of(rows)?.collect::<hfy_store::Result<Vec<_>>>();
            self.waiting = py.detach(read).map_err(raised_by_store)?.into_iter();
        }
        let Some(Record { id, row, label, metadata }) = self.waiting.next() else { return Ok(None) };
        let pattern = AnySnapshot::patterns(self.snapshot.bind(py))?.get_item(row)?.unbind();
        let metadata = metadata.map(|value| to_python(py, &value)).transpose()?;
        let metadata = metadata.map_or_else(|| py.None(), Bound::unbind);
        Ok(Some(AnyRecord { id, row, label, metadata, pattern }))
    }
}

impl AnySnapshot {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        AnySnapshot { snapshot, seen: PyOnceLock::new() }
    }

    pub(crate) fn inner(&self) -> &Snapshot {
        &self.snapshot
    }

    pub(crate) fn records(slf: Py<Self>) -> Records {
        Records { snapshot: slf, next: 0, waiting: Vec::new().into_iter() }
    }

    /// What the memory says about itself.
    pub(crate) fn usual(&self) -> Info {
        self.snapshot.info().clone()
    }
}

#[pymethods]
impl AnySnapshot {
    /// The length of a pattern.
    #[getter]
    fn dim(&self) -> usize {
        self.snapshot.dim()
    }

    /// The name of the type that patterns are stored in.
    #[getter]
    fn dtype(&self) -> &'static str {
        numpy_name(self.snapshot.dtype())
    }

    /// Grows with every change of the memory.
    #[getter]
    fn generation(&self) -> u64 {
        self.snapshot.generation()
    }

    /// How many segments the patterns lie in.
    #[getter]
    fn segments(&self) -> usize {
        self.snapshot.segments()
    }

    /// All ids, ascending: row for row those of `patterns`.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(py.detach(|| self.snapshot.ids()).map_err(raised_by_store)?.to_pyarray(py))
    }

    /// All patterns, one a row, as an array that cannot be written to. Where they are one stretch of one segment it is
    /// the file itself, mapped, and nothing is copied; else it is a copy, made once.
    #[getter]
    pub(crate) fn patterns<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let array = this.seen.get_or_try_init(py, || array_of(py, &this.snapshot).map(Bound::unbind))?;
        Ok(array.bind(py).clone())
    }

    /// The ids that a filter lets through, ascending.
    #[pyo3(signature = (*, r#where))]
    fn query<'py>(&self, py: Python<'py>, r#where: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let filter = filter_of(r#where)?;
        Ok(py.detach(|| self.snapshot.query(&filter)).map_err(raised_by_store)?.to_pyarray(py))
    }

    /// The row of an id in `patterns`.
    fn row_of(&self, py: Python<'_>, id: u64) -> PyResult<usize> {
        py.detach(|| self.snapshot.expect_row(id)).map_err(raised_by_store)
    }

    /// The label of a pattern, if it has one.
    fn label(&self, py: Python<'_>, id: u64) -> PyResult<Option<String>> {
        py.detach(|| Ok(self.snapshot.get(id)?.label)).map_err(raised_by_store)
    }

    /// The metadata of a pattern, if it has any: what JSON can hold.
    fn metadata<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = py.detach(|| Ok(self.snapshot.get(id)?.metadata)).map_err(raised_by_store)?;
        value.map(|value| to_python(py, &value)).transpose()
    }

    /// What is known of the memory as a whole.
    #[getter]
    fn info(&self) -> std::collections::BTreeMap<String, String> {
        info_texts(self.usual())
    }

    /// Writes everything to one file, for exchange. The old file stays whole until the new one is on disk.
    pub(crate) fn export(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        watched(py, |progress| self.snapshot.export_with(&path, progress))
    }

    /// Reads everything and checks it. The first fault is the error.
    pub(crate) fn verify(&self, py: Python<'_>) -> PyResult<()> {
        watched(py, |progress| self.snapshot.verify_with(progress))
    }

    fn __len__(&self) -> usize {
        self.snapshot.len()
    }

    fn __contains__(&self, py: Python<'_>, id: u64) -> PyResult<bool> {
        Ok(py.detach(|| self.snapshot.row_of(id)).map_err(raised_by_store)?.is_some())
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, id: u64) -> PyResult<Bound<'py, PyAny>> {
        let row = slf.get().row_of(slf.py(), id)?;
        Self::patterns(slf)?.get_item(row)
    }

    fn __iter__(slf: Py<Self>) -> Records {
        Self::records(slf)
    }

    fn __repr__(&self) -> String {
        let (count, dim, dtype) = (self.snapshot.len(), self.dim(), self.dtype());
        format!("<Snapshot of {count} patterns of {dim} in {dtype} in {}>", self.snapshot.path().display())
    }
}

/// Long work of the store, without the interpreter's lock, which Ctrl-C stops.
pub(crate) fn watched(py: Python<'_>, work: impl FnOnce(Progress<'_>) -> hfy_store::Result<()> + Send) -> PyResult<()> {
    let done = interruptible(py, |progress| work(&|done, total| progress(done as usize, total as usize)))?;
    done.map_err(raised_by_store)
}

/// A filter from its text.
pub(crate) fn filter_of(text: &str) -> PyResult<Filter> {
    text.parse().map_err(raised_by_store)
}

/// All patterns as an array that cannot be written to: the file itself, mapped, where they lie together in one.
pub(crate) fn array_of<'py>(py: Python<'py>, snapshot: &Snapshot) -> PyResult<Bound<'py, PyAny>> {
    let array = match mapped(py, snapshot)? {
        Some(array) => array,
        None => copied(py, snapshot)?,
    };
    let array = match snapshot.dtype() {
        Dtype::Bf16 => match py.import("ml_dtypes") {
            Ok(types) => array.call_method1("view", (types.getattr("bfloat16")?,))?,
            Err(_) => array,
        },
        _ => array,
    };
    array.call_method("setflags", (), Some(&[("write", false)].into_py_dict(py)?))?;
    Ok(array)
}

/// The patterns in their file. None if they do not lie together, or the file was merged away just now.
fn mapped<'py>(py: Python<'py>, snapshot: &Snapshot) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some((path, place)) = py.detach(|| snapshot.place_in_file()).map_err(raised_by_store)? else { return Ok(None) };
    if place.is_empty() || path.as_os_str().is_empty() {
        return Ok(None);
    }
    let settings = PyDict::new(py);
    let bits = if snapshot.dtype() == Dtype::Bf16 { "uint16" } else { numpy_name(snapshot.dtype()) };
    settings.set_item("dtype", bits)?;
    settings.set_item("mode", "r")?;
    settings.set_item("offset", place.start)?;
    settings.set_item("shape", (snapshot.len(), snapshot.dim()))?;
    let numpy = py.import("numpy")?;
    match numpy.call_method("memmap", (path,), Some(&settings)) {
        Ok(mapped) => numpy.call_method1("asarray", (mapped,)).map(Some),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyFileNotFoundError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The patterns in an array of their own.
fn copied<'py>(py: Python<'py>, snapshot: &Snapshot) -> PyResult<Bound<'py, PyAny>> {
    enum Copy {
        F32(ndarray::Array2<f32>),
        F64(ndarray::Array2<f64>),
        F16(ndarray::Array2<half::f16>),
        Bits(ndarray::Array2<u16>),
    }
    let copy = py.detach(|| {
        Ok(match snapshot.any_patterns()? {
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
