//! Memories: patterns under stable ids, in a folder that many processes use at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hfy_store::{Dtype, Info, Memory, Options, Texts};
use ndarray::Ix2;
use numpy::{PyArray1, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::{Floats, with_element};
use crate::element::Stored;
use crate::error::{raised_by_store, wrong};
use crate::json::{from_python, to_python};
use crate::snapshot::{AnySnapshot, Records, filter_of, watched};

/// Patterns under stable ids, with labels and metadata, in a folder that any number of processes read and write.
///
/// `Memory.create(path, dim)` makes a memory, `Memory.of(patterns, path)` one with the rows of an array, and
/// `Memory.open(path)` opens one. `Memory(dim)` and `Memory.of(patterns)` are temporary: they go away with the object.
/// Every change is on disk when the call returns, or did not happen. Writers wait for one another, readers never wait.
///
/// >>> import os, tempfile, numpy as np, hfy
/// >>> path = os.path.join(tempfile.mkdtemp(), "letters.hfy")
/// >>> with hfy.Memory.create(path, 2, "float32") as memory:
/// ...     ids = memory.add([[1.0, -1.0], [-1.0, 1.0]], labels=["a", "b"], metadata=[{"year": 2019}, {"year": 2021}])
/// ...     memory.add([0.5, 0.25], labels="between")
/// ...     memory.remove(0)
/// 2
/// >>> memory = hfy.Memory.open(path)
/// >>> memory.ids, memory.label(2), memory.patterns
/// (array([1, 2], dtype=uint64), 'between', array([[-1.  ,  1.  ],
///        [ 0.5 ,  0.25]], dtype=float32))
/// >>> memory.query(where="year > 2020")
/// array([1], dtype=uint64)
#[pyclass(frozen, module = "hfy", name = "Memory")]
pub(crate) struct AnyMemory {
    /// None after it was closed.
    memory: Mutex<Option<Memory>>,
    /// The patterns as they were last seen, with the generation that they are of.
    seen: Mutex<Option<(u64, Py<AnySnapshot>)>>,
    temporary: bool,
}

/// The name that numpy has for a type.
pub(crate) fn numpy_name(dtype: Dtype) -> &'static str {
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

/// What is known of a memory, as texts under their names.
pub(crate) fn info_texts(info: Info) -> BTreeMap<String, String> {
    let own = [("name", info.name), ("omega", info.omega), ("psi", info.psi), ("beta", info.beta)];
    let mut texts = info.extra;
    texts.extend(own.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    texts
}

/// One id or several, and whether it was one.
fn ids_of(ids: &Bound<'_, PyAny>) -> PyResult<(Vec<u64>, bool)> {
    match ids.extract::<u64>() {
        Ok(id) => Ok((vec![id], true)),
        Err(_) => Ok((ids.try_iter()?.map(|id| id?.extract::<u64>()).collect::<PyResult<_>>()?, false)),
    }
}

/// Labels and metadata for so many patterns: lists, or the one for one pattern.
fn texts_of(
    patterns: usize,
    single: bool,
    labels: Option<&Bound<'_, PyAny>>,
    metadata: Option<&Bound<'_, PyAny>>,
) -> PyResult<Texts> {
    let items = |argument: &str, given: Option<&Bound<'_, PyAny>>| -> PyResult<Vec<Py<PyAny>>> {
        let Some(given) = given else { return Ok(Vec::new()) };
        let alone = given.is_instance_of::<pyo3::types::PyString>() || given.is_instance_of::<pyo3::types::PyDict>();
        if single && alone {
            return Ok(vec![given.clone().unbind()]);
        }
        if alone {
            return Err(wrong(argument, given, "a list was expected, with one entry a pattern"));
        }
        let items: Vec<Py<PyAny>> = given.try_iter()?.map(|item| Ok(item?.unbind())).collect::<PyResult<_>>()?;
        if items.len() != patterns {
            let rule = format!("one entry for each of {patterns} patterns was expected");
            return Err(wrong(argument, format!("{} entries", items.len()), &rule));
        }
        Ok(items)
    };
    let py_labels = items("labels", labels)?;
    let py_metadata = items("metadata", metadata)?;
    Python::attach(|py| {
        let labels = py_labels.iter().map(|label| label.extract(py)).collect::<PyResult<_>>()?;
        let value = |value: &Py<PyAny>| match value.is_none(py) {
            true => Ok(None),
            false => from_python("metadata", value.bind(py)).map(Some),
        };
        Ok(Texts { labels, metadata: py_metadata.iter().map(value).collect::<PyResult<_>>()? })
    })
}

fn patience(timeout: f64) -> PyResult<Options> {
    let patience = Duration::try_from_secs_f64(timeout)
        .map_err(|_| wrong("timeout", timeout, "must be a number of seconds, 0 or more"))?;
    Ok(Options { patience, ..Options::default() })
}

impl AnyMemory {
    fn holding(memory: Memory, temporary: bool) -> Self {
        AnyMemory { memory: Mutex::new(Some(memory)), seen: Mutex::new(None), temporary }
    }

    /// The handle, which is cheap to clone.
    fn handle(&self) -> PyResult<Memory> {
        let held = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone().ok_or_else(|| PyValueError::new_err("this memory was closed"))
    }

    /// Runs `work` on the memory without the interpreter's lock, so that who waits for the memory does not hold it.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&Memory) -> hfy_store::Result<R> + Send) -> PyResult<R> {
        let memory = self.handle()?;
        py.detach(|| work(&memory)).map_err(raised_by_store)
    }

    /// Ids and patterns now: the same object as before while nothing has changed.
    pub(crate) fn now<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, AnySnapshot>> {
        let memory = self.handle()?;
        let generation = py.detach(|| memory.generation()).map_err(raised_by_store)?;
        let seen = self
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .and_then(|(then, snapshot)| (*then == generation).then(|| snapshot.clone_ref(py)));
        if let Some(snapshot) = seen {
            return Ok(snapshot.into_bound(py));
        }
        let snapshot = py.detach(|| Ok(memory.snapshot()?.without_texts())).map_err(raised_by_store)?;
        let snapshot = Bound::new(py, AnySnapshot::new(snapshot))?;
        let generation = snapshot.get().inner().generation();
        let held = (generation, snapshot.clone().unbind());
        let old = self.seen.lock().unwrap_or_else(PoisonError::into_inner).replace(held);
        drop(old);
        Ok(snapshot)
    }

    /// Rows of numbers in the type of the memory, and whether it was one vector.
    fn rows<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<(Floats<'py>, bool)> {
        let dtype = self.handle()?.dtype();
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

#[pymethods]
impl AnyMemory {
    #[new]
    #[pyo3(signature = (dim, dtype=None))]
    fn new(dim: usize, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let dtype = dtype.map_or(Ok(Dtype::F32), dtype_of)?;
        Ok(Self::holding(Memory::temporary(dtype, dim).map_err(raised_by_store)?, true))
    }

    /// Makes an empty memory in a new folder. With `replace`, a memory or a file that is there makes place.
    #[staticmethod]
    #[pyo3(signature = (path, dim, dtype=None, *, replace=false))]
    fn create(
        py: Python<'_>,
        path: PathBuf,
        dim: usize,
        dtype: Option<&Bound<'_, PyAny>>,
        replace: bool,
    ) -> PyResult<Self> {
        let dtype = dtype.map_or(Ok(Dtype::F32), dtype_of)?;
        let made = py.detach(|| {
            Memory::create_with(&path, dtype, dim, replace, |_| Ok::<_, hfy_store::Error>(()))?;
            Memory::open(&path)
        });
        Ok(Self::holding(made.map_err(raised_by_store)?, false))
    }

    /// A memory of the rows of an array, with the ids 0, 1, 2 and so on, in the type of the array: in a new folder, or
    /// a temporary one where no path is given.
    #[staticmethod]
    #[pyo3(signature = (patterns, path=None, *, labels=None, metadata=None, replace=false))]
    fn of(
        patterns: &Bound<'_, PyAny>,
        path: Option<PathBuf>,
        labels: Option<&Bound<'_, PyAny>>,
        metadata: Option<&Bound<'_, PyAny>>,
        replace: bool,
    ) -> PyResult<Self> {
        let py = patterns.py();
        let floats = Floats::new("patterns", patterns, false)?;
        let [rows, width] = *floats.shape() else {
            let rule = "a matrix was expected, one pattern a row";
            return Err(wrong("patterns", format!("an array of shape {:?}", floats.shape()), rule));
        };
        let dtype = match &floats {
            Floats::F32(_) => Dtype::F32,
            Floats::F64(_) => Dtype::F64,
            Floats::F16(_) => Dtype::F16,
            Floats::Bf16(..) => Dtype::Bf16,
        };
        let texts = texts_of(rows, false, labels, metadata)?;
        let memory = with_element!(&floats, array: E => {
            let matrix = <E as Stored>::read(array.readonly().as_array()).into_owned();
            let matrix = matrix.into_dimensionality::<Ix2>().expect("rows and columns");
            py.detach(|| match &path {
                None => {
                    let memory = Memory::temporary(dtype, width)?;
                    memory.add(matrix.view(), &texts)?;
                    Ok(memory)
                }
                Some(path) => {
                    Memory::create_with(path, dtype, width, replace, |memory| memory.add(matrix.view(), &texts))?;
                    Memory::open(path)
                }
            })
        });
        Ok(Self::holding(memory.map_err(raised_by_store)?, path.is_none()))
    }

    /// Opens a memory, or an exchange file to be read. Patterns stay on disk until they are used. Writers wait for
    /// others for `timeout` seconds, and then raise TimeoutError.
    #[staticmethod]
    #[pyo3(signature = (path, *, timeout=60.0))]
    fn open(py: Python<'_>, path: PathBuf, timeout: f64) -> PyResult<Self> {
        let options = patience(timeout)?;
        Ok(Self::holding(py.detach(|| Memory::open_with(path, options)).map_err(raised_by_store)?, false))
    }

    /// Makes a memory of everything in another one or in an exchange file, ids and all.
    #[staticmethod]
    #[pyo3(signature = (source, path, *, replace=false))]
    fn import_(py: Python<'_>, source: PathBuf, path: PathBuf, replace: bool) -> PyResult<Self> {
        let made = py.detach(|| Memory::import(&Memory::open(source)?.snapshot()?, path, replace));
        Ok(Self::holding(made.map_err(raised_by_store)?, false))
    }

    /// Lets go of the memory: what is called from now on raises ValueError. Arrays and snapshots stay.
    fn close(&self) {
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(seen);
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    /// The length of a pattern.
    #[getter]
    fn dim(&self) -> PyResult<usize> {
        Ok(self.handle()?.dim())
    }

    /// The name of the type that patterns are stored in.
    #[getter]
    fn dtype(&self) -> PyResult<&'static str> {
        Ok(numpy_name(self.handle()?.dtype()))
    }

    /// The folder or file; None if the memory is temporary.
    #[getter]
    fn path(&self) -> PyResult<Option<PathBuf>> {
        Ok((!self.temporary).then_some(self.handle()?.path().to_owned()))
    }

    /// Whether this is an exchange file, which can only be read.
    #[getter]
    fn read_only(&self) -> PyResult<bool> {
        Ok(self.handle()?.is_read_only())
    }

    /// Grows with every change, by whomever.
    #[getter]
    fn generation(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |memory| memory.generation())
    }

    /// All ids, ascending: row for row those of `patterns`.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.now(py)?.getattr("ids")
    }

    /// All patterns now, one a row, as an array that cannot be written to: the file itself, mapped, where they lie
    /// together, as after `compact`; else a copy, kept until patterns change.
    #[getter]
    pub(crate) fn patterns<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        AnySnapshot::patterns(&slf.get().now(slf.py())?)
    }

    /// The memory as it is now, for as long as the object lives; with `where`, what a filter lets through.
    #[pyo3(signature = (*, r#where=None))]
    fn snapshot(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<AnySnapshot> {
        let filter = r#where.map(filter_of).transpose()?;
        let snapshot = self.with(py, |memory| match &filter {
            Some(filter) => memory.snapshot()?.filtered(filter),
            None => memory.snapshot(),
        });
        snapshot.map(AnySnapshot::new)
    }

    /// The ids that a filter over labels and metadata lets through, ascending, as in `'lang = "de" and year > 2020'`.
    ///
    /// Comparisons are =, !=, <, <=, >, >=, in (...), like, contains, is null, is not null; they are joined by and, or,
    /// not and parentheses. `label` and `id` are the label and the id, any other name is a key of the metadata, with
    /// dots for what lies deeper.
    #[pyo3(signature = (*, r#where))]
    fn query<'py>(&self, py: Python<'py>, r#where: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let filter = filter_of(r#where)?;
        Ok(self.with(py, |memory| memory.query(&filter))?.to_pyarray(py))
    }

    /// Adds a pattern and returns its id, or a matrix of patterns and returns their ids. If one is refused, none is
    /// added.
    ///
    /// `labels` and `metadata` have one entry a pattern, None for none; for one pattern they may be the text and the
    /// dict alone.
    #[pyo3(signature = (patterns, *, labels=None, metadata=None))]
    fn add<'py>(
        &self,
        patterns: &Bound<'py, PyAny>,
        labels: Option<&Bound<'py, PyAny>>,
        metadata: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = patterns.py();
        let (floats, single) = self.rows(py, patterns)?;
        let texts = texts_of(floats.shape()[0], single, labels, metadata)?;
        let ids = with_element!(&floats, array: E => {
            let rows = <E as Stored>::read(array.readonly().as_array()).into_owned();
            let rows = rows.into_dimensionality::<Ix2>().expect("rows and columns");
            self.with(py, |memory| memory.add(rows.view(), &texts))?
        });
        if single {
            return Ok(ids.start.into_pyobject(py)?.into_any());
        }
        Ok(ids.collect::<Vec<u64>>().to_pyarray(py).into_any())
    }

    /// Replaces patterns, labels or metadata of one id or several; what is not given stays. All is changed, or nothing.
    #[pyo3(signature = (ids, patterns=None, *, labels=None, metadata=None))]
    fn update<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        patterns: Option<&Bound<'py, PyAny>>,
        labels: Option<&Bound<'py, PyAny>>,
        metadata: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let py = ids.py();
        let (ids, single) = ids_of(ids)?;
        let texts = texts_of(ids.len(), single, labels, metadata)?;
        let Some(patterns) = patterns else {
            return self.with(py, |memory| memory.set_texts(&ids, &texts));
        };
        let (floats, _) = self.rows(py, patterns)?;
        with_element!(&floats, array: E => {
            let rows = <E as Stored>::read(array.readonly().as_array()).into_owned();
            let rows = rows.into_dimensionality::<Ix2>().expect("rows and columns");
            self.with(py, |memory| memory.update(&ids, rows.view(), &texts))
        })
    }

    /// Removes a pattern, or several, by id. If one id is unknown, nothing is removed.
    fn remove(&self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let (several, _) = ids_of(ids)?;
        self.with(ids.py(), |memory| memory.remove(&several))
    }

    /// Merges all segments into one, without the patterns that were removed: then `patterns` is the file itself.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        let memory = self.handle()?;
        watched(py, |progress| memory.compact_with(progress))
    }

    /// Writes everything to one file, for exchange; with `where`, what a filter lets through. A file that is there is
    /// replaced.
    #[pyo3(signature = (path, *, r#where=None))]
    fn export(&self, py: Python<'_>, path: PathBuf, r#where: Option<&str>) -> PyResult<()> {
        self.snapshot(py, r#where)?.export(py, path)
    }

    /// Adds the patterns of another memory or snapshot, with labels and metadata, and returns their new ids.
    fn merge<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let other = match other.cast::<AnySnapshot>() {
            Ok(snapshot) => snapshot.get().inner().clone(),
            Err(_) => other.cast::<AnyMemory>()?.get().with(py, |memory| memory.snapshot())?,
        };
        Ok(self.with(py, |memory| memory.merge(&other))?.collect::<Vec<u64>>().to_pyarray(py))
    }

    /// The row of an id in `patterns`.
    fn row_of(&self, py: Python<'_>, id: u64) -> PyResult<usize> {
        self.with(py, |memory| memory.snapshot()?.expect_row(id))
    }

    /// The label of a pattern, if it has one.
    fn label(&self, py: Python<'_>, id: u64) -> PyResult<Option<String>> {
        self.with(py, |memory| Ok(memory.texts(id)?.0))
    }

    /// Sets the label of a pattern, or takes it away.
    fn set_label(&self, py: Python<'_>, id: u64, label: Option<String>) -> PyResult<()> {
        self.with(py, |memory| memory.set_label(id, label.as_deref()))
    }

    /// The metadata of a pattern, if it has any: what JSON can hold.
    fn metadata<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.with(py, |memory| Ok(memory.texts(id)?.1))?;
        value.map(|value| to_python(py, &value)).transpose()
    }

    /// Sets the metadata of a pattern, anything that JSON can hold, or takes it away with None.
    fn set_metadata(&self, py: Python<'_>, id: u64, metadata: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let value = metadata.map(|value| from_python("metadata", value)).transpose()?;
        self.with(py, |memory| memory.set_metadata(id, value.as_ref()))
    }

    /// What is known of the memory as a whole: a dict with "name", "omega", "psi", "beta" (what a `Network` uses unless
    /// told otherwise) and any other texts.
    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<BTreeMap<String, String>> {
        self.with(py, |memory| memory.info()).map(info_texts)
    }

    /// Replaces what is known of the memory as a whole.
    fn set_info(&self, py: Python<'_>, mut texts: BTreeMap<String, String>) -> PyResult<()> {
        let [name, omega, psi, beta] = ["name", "omega", "psi", "beta"].map(|key| texts.remove(key));
        self.with(py, |memory| {
            let created_by = memory.info()?.created_by;
            memory.set_info(Info { name, created_by, omega, psi, beta, extra: texts })
        })
    }

    /// Reads everything and checks it: SQLite's pages, checksums, texts, whether all patterns are finite. The first
    /// fault is the error.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.snapshot(py, None)?.verify(py)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |memory| memory.count())
    }

    fn __contains__(&self, py: Python<'_>, id: u64) -> PyResult<bool> {
        self.with(py, |memory| memory.contains(id))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Bound<'py, PyAny>> {
        self.now(py)?.get_item(id)
    }

    /// Records with `id`, `row`, `label`, `metadata` and `pattern`, of the memory as it is now.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Records> {
        Ok(AnySnapshot::records(Py::new(py, self.snapshot(py, None)?)?))
    }

    /// Pickled by its path: another process opens it anew.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        match self.path()? {
            Some(path) => Ok((py.get_type::<Self>().getattr("open")?, (path,))),
            None => Err(PyValueError::new_err("a temporary memory cannot be pickled: create it at a path")),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Ok(memory) = self.handle() else { return Ok("<Memory, closed>".to_owned()) };
        let count = py.detach(|| memory.count()).map_err(raised_by_store)?;
        let (dim, dtype) = (memory.dim(), numpy_name(memory.dtype()));
        let place = if self.temporary { String::new() } else { format!(" in {}", memory.path().display()) };
        Ok(format!("<Memory of {count} patterns of {dim} in {dtype}{place}>"))
    }
}
