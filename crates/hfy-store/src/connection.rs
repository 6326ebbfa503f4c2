//! Connections to catalogues, all of which can be closed at once before the process forks.
//!
//! SQLite keeps account of its locks in the process. A child would inherit the account without the locks, so no
//! connection may be open while a process forks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::catalogue::Catalogue;

/// A connection that may have been closed.
pub(crate) type Connection = Arc<Mutex<Option<Catalogue>>>;

/// Every connection of this process.
static OPEN: Mutex<Vec<Weak<Mutex<Option<Catalogue>>>>> = Mutex::new(Vec::new());

/// Whoever panicked left whole values behind: changes are transactions.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds a connection so that [`release_connections`] knows it.
pub(crate) fn hold(catalogue: Catalogue) -> Connection {
    let connection = Arc::new(Mutex::new(Some(catalogue)));
    let mut open = locked(&OPEN);
    open.retain(|connection| connection.strong_count() > 0);
    open.push(Arc::downgrade(&connection));
    connection
}

/// Closes the connections of this process to all catalogues, to be called before the process forks.
///
/// Waits for calls under way in other threads. A [`Memory`](crate::Memory) opens its connection again when it is
/// needed, here and in the child. A [`Snapshot`](crate::Snapshot) of a folder keeps its ids and patterns, but not its
/// labels and metadata: asking for them is an [`Error::Released`](crate::Error::Released).
pub fn release_connections() {
    // Not while the list is locked: whoever holds a connection may be about to hold another.
    let open: Vec<_> = locked(&OPEN).iter().filter_map(Weak::upgrade).collect();
    for connection in open {
        *locked(&connection) = None;
    }
}
