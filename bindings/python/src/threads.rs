//! Work without the interpreter's lock: in all threads, in processes that were forked, and until it is interrupted.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hfy::certify::Progress;
use pyo3::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// How often a long computation looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(50);
/// Forks of forks of forks that get threads of their own.
const DEPTH: usize = 16;

/// How many forks lie between this process and the one that loaded the module.
static FORKS: AtomicUsize = AtomicUsize::new(0);
static POOLS: [OnceLock<Arc<ThreadPool>>; DEPTH] = [const { OnceLock::new() }; DEPTH];

/// Runs `work` without the interpreter's lock.
pub(crate) fn compute<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    let (mut work, mut result) = (Some(work), None);
    detached(py, &mut || result = work.take().map(|work| work()));
    result.expect("work runs once")
}

/// Runs `work` without the interpreter's lock. While it runs, signals are handled now and then; where one raises, as
/// ctrl-C does, `work` is asked to stop by its progress, and what was raised is the error.
pub(crate) fn interruptible<R: Send>(py: Python<'_>, work: impl FnOnce(Progress<'_>) -> R + Send) -> PyResult<R> {
    let (mut work, mut result) = (Some(work), None);
    watched(py, &mut |progress| result = work.take().map(|work| work(progress)))?;
    Ok(result.expect("work runs once"))
}

// What follows knows no types of work, so that it is compiled once and not for every kernel.

fn detached(py: Python<'_>, work: &mut (dyn FnMut() + Send)) {
    py.detach(|| match own_pool() {
        Some(pool) => pool.install(work),
        None => work(),
    });
}

fn watched(py: Python<'_>, work: &mut (dyn FnMut(Progress<'_>) + Send)) -> PyResult<()> {
    let stopped = AtomicBool::new(false);
    let progress = |_: usize, _: usize| match stopped.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let progress = &progress;
    let raised = py.detach(|| {
        // Signals are for the thread that called, so it waits for them while another one works.
        in_scope(|scope| {
            let (done, finished) = channel::<()>();
            scope.spawn(move |_| {
                work(progress);
                drop(done); // by a panic, too, which the end of the scope passes on
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(PATIENCE) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals()).err();
                    stopped.store(raised.is_some(), Ordering::Relaxed);
                }
            }
            raised
        })
    });
    raised.map_or(Ok(()), Err)
}

fn in_scope<'scope, R>(run: impl FnOnce(&Scope<'scope>) -> R) -> R {
    match own_pool() {
        Some(pool) => pool.in_place_scope(run),
        None => rayon::in_place_scope(run),
    }
}

/// The threads of a process that was forked. Those of its parent did not come with it, and whoever waited for them
/// would wait for ever.
fn own_pool() -> Option<Arc<ThreadPool>> {
    let forks = FORKS.load(Ordering::Relaxed);
    let place = POOLS.get(forks.checked_sub(1)?);
    let build = || Arc::new(ThreadPoolBuilder::new().build().expect("the system has threads to give"));
    Some(place.map_or_else(build, |place| place.get_or_init(build).clone()))
}

/// Called by Python in a process that was just forked.
#[pyfunction]
fn after_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Called by Python before it forks: SQLite must not be carried over.
#[pyfunction]
fn before_fork(py: Python<'_>) {
    py.detach(hfy_store::release_connections);
}

/// Asks Python to tell of forks, on systems that have them.
pub(crate) fn survive_forks(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    let Some(register) = os.getattr_opt("register_at_fork")? else { return Ok(()) };
    let hooks = [wrap_pyfunction!(before_fork, module)?, wrap_pyfunction!(after_fork, module)?];
    let arguments = ["before", "after_in_child"].into_iter().zip(hooks);
    let arguments: std::collections::BTreeMap<_, _> = arguments.collect();
    register.call((), Some(&pyo3::types::IntoPyDict::into_py_dict(arguments, module.py())?))?;
    Ok(())
}
