//! The module `hfy._hfy`: the library on numpy arrays.
//!
//! One file a family: `forward` and `backward` run a map along an axis, and so on. What every kernel needs is beside
//! them: `array` takes arrays as they come, `lend` those that are read and written, `maps` reads which map is meant,
//! and `threads` runs the work without the interpreter's lock.

mod array;
mod backward;
mod certify;
mod element;
mod error;
mod forward;
mod functions;
mod graph;
mod index;
mod json;
mod lend;
mod loss;
mod maps;
mod memory;
mod network;
mod patterns;
mod recall;
mod report;
mod rows;
mod snapshot;
mod sparsemap;
mod structure;
mod threads;

use pyo3::prelude::*;

/// Kernels of the package hfy. The interface is in `hfy`; frameworks build on what is here.
#[pymodule]
mod _hfy {
    #[pymodule_export]
    use crate::backward::{beta_vjp, parameter_vjp, pullback, second_vjp, upper_vjp};
    #[pymodule_export]
    use crate::certify::{Certificates, margin};
    #[pymodule_export]
    use crate::forward::{conjugate, forward, support};
    #[pymodule_export]
    use crate::functions::{bounded, entmax, normmax, sequence, softmax, sparsemap, sparsemax, subsets};
    #[pymodule_export]
    use crate::graph::{AnyFactor, AnyGraph, AnyGraphSolution};
    #[pymodule_export]
    use crate::loss::loss;
    #[pymodule_export]
    use crate::memory::AnyMemory;
    #[pymodule_export]
    use crate::network::PyNetwork;
    #[pymodule_export]
    use crate::recall::{Recall, free_recall, sequential_recall};
    #[pymodule_export]
    use crate::report::{QueryReport, Retrieval};
    #[pymodule_export]
    use crate::snapshot::{AnyRecord, AnySnapshot};
    #[pymodule_export]
    use crate::sparsemap::{SparseMapSolution, sparsemap_solve};
    #[pymodule_export]
    use crate::structure::AnyStructure;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::threads::survive_forks(module)
    }
}
