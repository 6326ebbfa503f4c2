//! What cells make once and use many times.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::error::Result;

type Slot = Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>;

/// Things under names, each made by whoever asks first, while the others wait. They stay until the run is over.
#[derive(Debug, Default)]
pub(super) struct Shared {
    slots: Mutex<HashMap<String, Slot>>,
}

impl Shared {
    /// What lies under a name, made now if it is not there. What failed is tried again by the next who asks.
    pub(super) fn get<V: Any + Send + Sync>(&self, name: &str, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
        let slot = Arc::clone(self.slots.lock().expect("no thread panics").entry(name.to_owned()).or_default());
        let mut held = slot.lock().expect("no thread panics");
        if let Some(kept) = held.as_ref().and_then(|kept| Arc::clone(kept).downcast::<V>().ok()) {
            return Ok(kept);
        }
        let made = Arc::new(make()?);
        *held = Some(made.clone());
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::Error;

    #[test]
    fn made_once_and_again_after_a_failure() {
        let (shared, made) = (Shared::default(), AtomicUsize::new(0));
        assert!(shared.get::<usize>("a", || Err(Error::Interrupted)).is_err());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let value = shared.get("a", || Ok(made.fetch_add(1, Ordering::SeqCst) + 7)).unwrap();
                    assert_eq!(*value, 7);
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
        assert_eq!(*shared.get("b", || Ok(8_usize)).unwrap(), 8);
    }
}
