//! What a cell of work has at hand.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::shared::Shared;
use crate::data::{Images, Place, cifar10, mnist, tiny_imagenet};
use crate::error::{Error, Result};

/// Pictures that experiments run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pictures {
    /// The digits to train with.
    Mnist,
    /// The digits to test with.
    MnistTest,
    /// CIFAR-10, to train with.
    Cifar10,
    /// Tiny ImageNet, to train with.
    TinyImagenet,
}

impl Pictures {
    /// The three sets that memories come from.
    pub const MEMORIES: [Pictures; 3] = [Pictures::Mnist, Pictures::Cifar10, Pictures::TinyImagenet];

    /// The name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Pictures::Mnist => "MNIST",
            Pictures::MnistTest => "MNIST test",
            Pictures::Cifar10 => "CIFAR10",
            Pictures::TinyImagenet => "Tiny ImageNet",
        }
    }

    fn read(self, place: &Place) -> Result<Images> {
        match self {
            Pictures::Mnist => mnist::train(place),
            Pictures::MnistTest => mnist::test(place),
            Pictures::Cifar10 => cifar10::train(place),
            Pictures::TinyImagenet => tiny_imagenet::train(place),
        }
    }
}

/// Data sets, each read when it is first asked for.
#[derive(Debug)]
pub struct Shelf {
    place: Place,
    read: [OnceLock<std::result::Result<(Images, u128), String>>; 4],
    shared: Shared,
}

impl Shelf {
    /// Data sets from a place.
    pub fn new(place: Place) -> Self {
        Shelf { place, read: Default::default(), shared: Shared::default() }
    }

    /// Pictures.
    pub fn images(&self, pictures: Pictures) -> Result<&Images> {
        self.entry(pictures).map(|entry| &entry.0)
    }

    /// A number that says whether the pictures are the same as another time.
    pub fn fingerprint(&self, pictures: Pictures) -> Result<u128> {
        self.entry(pictures).map(|entry| entry.1)
    }

    fn entry(&self, pictures: Pictures) -> Result<&(Images, u128)> {
        let read = || {
            let images = pictures.read(&self.place).map_err(|error| error.to_string())?;
            let sums: Vec<u8> =
                (0..images.len()).flat_map(|index| xxh3_128(images.pixels(index)).to_le_bytes()).collect();
            Ok((images, xxh3_128(&sums)))
        };
        // The first error stays: a set that could not be read is not tried again for every cell.
        self.read[pictures as usize].get_or_init(read).as_ref().map_err(|what| Error::Data(what.clone()))
    }
}

/// What a cell of work has at hand: data, and a way to hear that it should stop.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    shelf: &'a Shelf,
    progress: &'a (dyn Fn(f64) -> ControlFlow<()> + Sync),
}

impl std::fmt::Debug for Bench<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("shelf", &self.shelf).finish()
    }
}

impl<'a> Bench<'a> {
    /// A bench beside a shelf; `progress` hears the share of the work that is done.
    pub fn new(shelf: &'a Shelf, progress: &'a (dyn Fn(f64) -> ControlFlow<()> + Sync)) -> Self {
        Bench { shelf, progress }
    }

    /// Pictures.
    pub fn images(&self, pictures: Pictures) -> Result<&'a Images> {
        self.shelf.images(pictures)
    }

    /// What several cells use and only the first makes, such as an index over patterns. The name says what it is and all that
    /// it was made of; it stays in memory until the run is over.
    pub fn shared<V: Any + Send + Sync>(&self, name: &str, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
        self.shelf.shared.get(name, make)
    }

    /// To be called now and then with what is done of the cell; stopping is an error.
    pub fn done(&self, part: usize, whole: usize) -> Result<()> {
        match self.hear(part, whole) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Interrupted),
        }
    }

    /// The same as the library's long computations want it.
    pub fn hear(&self, part: usize, whole: usize) -> ControlFlow<()> {
        (self.progress)(part as f64 / whole.max(1) as f64)
    }
}
