//! The data sets that can be got, with addresses, sizes and sums as published.

use super::source::{Content, Packing, Proof, Set, Source};
use super::{Checksum, cifar10, glove, mil, mnist, tiny_imagenet};

/// All of them.
pub const SETS: [Set<'static>; 5] = [MNIST, CIFAR10, TINY_IMAGENET, MIL, GLOVE];

/// The set of this name.
pub fn set(name: &str) -> Option<&'static Set<'static>> {
    SETS.iter().find(|set| set.name == name)
}

const MNIST: Set<'static> = Set {
    name: "mnist",
    about: "70,000 handwritten digits, 28 x 28 greys",
    terms: "LeCun, Bottou, Bengio, Haffner, Proc. IEEE 1998; usually given as CC BY-SA 3.0",
    sources: &[
        Source {
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz",
            size: 9_912_422,
            packing: Packing::Gzip,
            proof: Proof::Contents,
            contents: &[file(
                "train-images-idx3-ubyte",
                47_040_016,
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            )],
        },
        Source {
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/train-labels-idx1-ubyte.gz",
            size: 28_881,
            packing: Packing::Gzip,
            proof: Proof::Contents,
            contents: &[file(
                "train-labels-idx1-ubyte",
                60_008,
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            )],
        },
        Source {
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-images-idx3-ubyte.gz",
            size: 1_648_877,
            packing: Packing::Gzip,
            proof: Proof::Contents,
            contents: &[file(
                "t10k-images-idx3-ubyte",
                7_840_016,
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            )],
        },
        Source {
            address: "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-labels-idx1-ubyte.gz",
            size: 4_542,
            packing: Packing::Gzip,
            proof: Proof::Contents,
            contents: &[file(
                "t10k-labels-idx1-ubyte",
                10_008,
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            )],
        },
    ],
    find: mnist::find,
};

const CIFAR10: Set<'static> = Set {
    name: "cifar10",
    about: "60,000 pictures of ten kinds of things, 32 x 32 in colour",
    terms: "Krizhevsky, Learning multiple layers of features from tiny images, 2009; no formal licence",
    sources: &[Source {
        address: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        size: 170_052_171,
        packing: Packing::TarGzip,
        proof: Proof::Download(Checksum::md5("c32a1d4ab5d03f1284b67883e8d87530")),
        contents: &[
            batch("cifar-10-batches-bin/data_batch_1.bin"),
            batch("cifar-10-batches-bin/data_batch_2.bin"),
            batch("cifar-10-batches-bin/data_batch_3.bin"),
            batch("cifar-10-batches-bin/data_batch_4.bin"),
            batch("cifar-10-batches-bin/data_batch_5.bin"),
            batch("cifar-10-batches-bin/test_batch.bin"),
        ],
    }],
    find: cifar10::find,
};

const TINY_IMAGENET: Set<'static> = Set {
    name: "tiny-imagenet",
    about: "100,000 pictures of 200 kinds of things to train with, 64 x 64 in colour",
    terms: "Stanford CS231n, from ImageNet (Deng et al., CVPR 2009); non-commercial research and education only",
    sources: &[Source {
        address: "http://cs231n.stanford.edu/tiny-imagenet-200.zip",
        size: 248_100_043,
        packing: Packing::Zip,
        proof: Proof::Download(Checksum::md5("90528d7ca1a48142e341f4ef8d21d0de")),
        contents: &[Content::Folder { path: "tiny-imagenet-200/train", entries: 200 }],
    }],
    find: tiny_imagenet::find,
};

const MIL: Set<'static> = Set {
    name: "mil",
    about: "Elephant, Fox and Tiger, 200 bags of picture segments each",
    terms: "Andrews, Tsochantaridis, Hofmann, NIPS 2002; files of github.com/deep-spin/HFYN, MIT",
    sources: &[
        Source {
            address: "https://raw.githubusercontent.com/deep-spin/HFYN/main/scripts/datasets/mil_datasets/elephant_100x100.mat",
            size: 2_412_040,
            packing: Packing::Plain,
            proof: Proof::Contents,
            contents: &[file(
                "elephant_100x100.mat",
                2_412_040,
                "b871820b5df11ef9050e0c0ec73e3d4d95b3e59b64bac237ec115548a5024a13",
            )],
        },
        Source {
            address: "https://raw.githubusercontent.com/deep-spin/HFYN/main/scripts/datasets/mil_datasets/fox_100x100.mat",
            size: 2_288_968,
            packing: Packing::Plain,
            proof: Proof::Contents,
            contents: &[file(
                "fox_100x100.mat",
                2_288_968,
                "9c550a12a4417f99eb81ad6fd16506ab1772a18dcb5fcb2e7a555a99f07c7ad2",
            )],
        },
        Source {
            address: "https://raw.githubusercontent.com/deep-spin/HFYN/main/scripts/datasets/mil_datasets/tiger_100x100.mat",
            size: 2_115_672,
            packing: Packing::Plain,
            proof: Proof::Contents,
            contents: &[file(
                "tiger_100x100.mat",
                2_115_672,
                "b37a443b25ed98089d86900db6dc3774ce4293e56c186337518e977ffff0b817",
            )],
        },
    ],
    find: mil::find,
};

const GLOVE: Set<'static> = Set {
    name: "glove",
    about: "400,000 words with vectors of 100 numbers",
    terms: "Pennington, Socher, Manning, EMNLP 2014; Public Domain Dedication and License 1.0",
    sources: &[Source {
        address: "https://github.com/RaRe-Technologies/gensim-data/releases/download/glove-wiki-gigaword-100/glove-wiki-gigaword-100.gz",
        size: 134_300_434,
        packing: Packing::Plain,
        proof: Proof::Download(Checksum::md5("40ec481866001177b8cd4cb0df92924f")),
        contents: &[Content::File { path: "glove-wiki-gigaword-100.gz", size: 134_300_434, sum: None }],
    }],
    find: glove::find,
};

const fn file(path: &'static str, size: u64, sha256: &str) -> Content<'static> {
    Content::File { path, size, sum: Some(Checksum::sha256(sha256)) }
}

/// Ten thousand records of 3,073 bytes.
const fn batch(path: &'static str) -> Content<'static> {
    Content::File { path, size: 30_730_000, sum: None }
}
