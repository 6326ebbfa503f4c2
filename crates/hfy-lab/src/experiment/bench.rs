//! What a cell of work has at hand.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use hfy_io::Bags;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::shared::Shared;
use crate::data::{BagSet, Images, Place, cifar10, mil, mnist, tiny_imagenet};
#[cfg(feature = "learn")]
use crate::data::{EncodedCorpus, TextSet};
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

/// A data set and its fingerprint, once it was asked for. The first error stays: a set that could not be read is not
/// tried again for every cell.
type Slot<V> = OnceLock<std::result::Result<(V, u128), String>>;

/// Data sets, each read when it is first asked for.
#[derive(Debug)]
pub struct Shelf {
    place: Place,
    pictures: [Slot<Images>; 4],
    bags: [Slot<Bags>; BagSet::ALL.len()],
    #[cfg(feature = "learn")]
    texts: [Slot<EncodedCorpus>; TextSet::ALL.len()],
    shared: Shared,
}

impl Shelf {
    /// Data sets from a place.
    pub fn new(place: Place) -> Self {
        Shelf {
            place,
            pictures: Default::default(),
            bags: Default::default(),
            #[cfg(feature = "learn")]
            texts: Default::default(),
            shared: Shared::default(),
        }
    }

    /// Pictures.
    pub fn images(&self, pictures: Pictures) -> Result<&Images> {
        self.pictures(pictures).map(|entry| &entry.0)
    }

    /// A number that says whether the pictures are the same as another time.
    pub fn fingerprint(&self, pictures: Pictures) -> Result<u128> {
        self.pictures(pictures).map(|entry| entry.1)
    }

    /// Bags with labels.
    pub fn bags(&self, set: BagSet) -> Result<&Bags> {
        self.bag_set(set).map(|entry| &entry.0)
    }

    /// A number that says whether instances, bags and labels are the same as another time.
    pub fn bags_fingerprint(&self, set: BagSet) -> Result<u128> {
        self.bag_set(set).map(|entry| entry.1)
    }

    /// Texts with the vectors of their words.
    #[cfg(feature = "learn")]
    pub fn texts(&self, set: TextSet) -> Result<&EncodedCorpus> {
        self.text_set(set).map(|entry| &entry.0)
    }

    /// A number that says whether texts, labels, marks and vectors are the same as another time.
    #[cfg(feature = "learn")]
    pub fn texts_fingerprint(&self, set: TextSet) -> Result<u128> {
        self.text_set(set).map(|entry| entry.1)
    }

    #[cfg(feature = "learn")]
    fn text_set(&self, set: TextSet) -> Result<&(EncodedCorpus, u128)> {
        entry(&self.texts[set as usize], || {
            let corpus = EncodedCorpus::load(&self.place, set)?;
            let print = corpus.fingerprint();
            Ok((corpus, print))
        })
    }

    fn pictures(&self, pictures: Pictures) -> Result<&(Images, u128)> {
        entry(&self.pictures[pictures as usize], || {
            let images = pictures.read(&self.place)?;
            let sums: Vec<u8> =
                (0..images.len()).flat_map(|index| xxh3_128(images.pixels(index)).to_le_bytes()).collect();
            Ok((images, xxh3_128(&sums)))
        })
    }

    fn bag_set(&self, set: BagSet) -> Result<&(Bags, u128)> {
        entry(&self.bags[set as usize], || {
            let bags = mil::load(&self.place, set)?;
            let print = print_of(&bags);
            Ok((bags, print))
        })
    }
}

fn entry<V>(slot: &Slot<V>, read: impl FnOnce() -> Result<(V, u128)>) -> Result<&(V, u128)> {
    let read = || read().map_err(|error| error.to_string());
    slot.get_or_init(read).as_ref().map_err(|what| Error::Data(what.clone()))
}

/// A hash of the sizes, the instances, the offsets and the labels. Names of bags and features do not matter to results.
fn print_of(bags: &Bags) -> u128 {
    let instances = bags.instances();
    let sizes = [bags.len(), instances.nrows(), instances.ncols()];
    let numbers = sizes.iter().chain(bags.offsets()).flat_map(|&number| (number as u64).to_le_bytes());
    let labels = bags.labels().unwrap_or_default().iter().map(|&label| u8::from(label));
    let values = instances.iter().flat_map(|value| value.to_le_bytes());
    xxh3_128(&numbers.chain(values).chain(labels).collect::<Vec<u8>>())
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

    /// Bags with labels.
    pub fn bags(&self, set: BagSet) -> Result<&'a Bags> {
        self.shelf.bags(set)
    }

    /// Texts with the vectors of their words.
    #[cfg(feature = "learn")]
    pub fn texts(&self, set: TextSet) -> Result<&'a EncodedCorpus> {
        self.shelf.texts(set)
    }

    /// What several cells use and only the first makes, such as an index over patterns. The name says what it is and
    /// all that it was made of; it stays in memory until the run is over.
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

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn bags(first: f32, offsets: Vec<usize>, labels: [bool; 2]) -> Bags {
        Bags::new(array![[first, 2.0], [3.0, 4.0], [5.0, 6.0]], offsets, Some(labels.to_vec())).unwrap()
    }

    #[test]
    fn fingerprints_depend_on_instances_offsets_and_labels() {
        let one = bags(1.0, vec![0, 1, 3], [true, false]);
        let print = print_of(&one);
        assert_eq!(format!("{print:032x}"), "084cdc4b38630909d8bcc19f30da85d5", "kept results are found by it");
        assert_eq!(print_of(&one.clone().with_names(vec!["a".into(), "b".into()]).unwrap()), print);
        assert_ne!(print_of(&bags(1.5, vec![0, 1, 3], [true, false])), print);
        assert_ne!(print_of(&bags(1.0, vec![0, 2, 3], [true, false])), print);
        assert_ne!(print_of(&bags(1.0, vec![0, 1, 3], [true, true])), print);
    }

    #[test]
    fn bags_are_read_once_and_so_is_their_absence() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("musk1.csv"), "1,7,42\n1,7,41\n0,8,46\n").unwrap();
        let shelf = Shelf::new(Place::find(Some(folder.path())).unwrap());
        let bench = Bench::new(&shelf, &|_| ControlFlow::Continue(()));
        let found: *const Bags = bench.bags(BagSet::Musk1).unwrap();
        assert!(std::ptr::eq(found, bench.bags(BagSet::Musk1).unwrap()));
        assert_eq!(shelf.bags_fingerprint(BagSet::Musk1).unwrap(), print_of(bench.bags(BagSet::Musk1).unwrap()));
        if std::env::var_os("HFY_DATA_DIR").is_none() {
            let message = |set| bench.bags(set).unwrap_err().to_string();
            assert!(message(BagSet::Fox).starts_with("the data set mil is not there"), "{}", message(BagSet::Fox));
            std::fs::write(folder.path().join("fox.csv"), "bag,label,f\n1,1,2\n").unwrap();
            assert!(message(BagSet::Fox).starts_with("the data set mil is not there"), "the first error stays");
        }
    }
}
