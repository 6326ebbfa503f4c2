//! The data sets, where they are; and files that are damaged, always.

use std::io::Write;
use std::path::{Path, PathBuf};

use hfy_lab::data::{BagSet, Place, cifar10, idx, matlab, mil, mnist, tiny_imagenet};

/// Where the data lie, or a loud word that they do not.
fn place(test: &str) -> Option<Place> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let named = std::env::var_os("HFY_DATA_DIR").map(PathBuf::from).or(Some(beside)).filter(|folder| folder.is_dir());
    if named.is_none() {
        eprintln!("SKIPPED {test}: no data sets; set HFY_DATA_DIR");
        assert!(std::env::var_os("HFY_REQUIRE_DATA").is_none(), "HFY_REQUIRE_DATA is set, but there are no data sets");
    }
    named.map(|folder| Place::find(Some(&folder)).expect("the folder is there"))
}

fn counts(labels: &[u8], classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    labels.iter().for_each(|&label| counts[usize::from(label)] += 1);
    counts
}

#[test]
fn digits() {
    let Some(place) = place("digits") else { return };
    let (train, test) = (mnist::train(&place).unwrap(), mnist::test(&place).unwrap());
    assert_eq!((train.len(), test.len(), train.shape()), (60_000, 10_000, (1, 28, 28)));
    assert_eq!(counts(train.labels(), 10), [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
    assert_eq!(counts(test.labels(), 10), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    let patterns = train.patterns(&[7, 0]);
    assert_eq!(patterns.dim(), (2, 784));
    assert_eq!((patterns[[1, 0]], patterns.iter().copied().fold(f32::MIN, f32::max)), (-1.0, 1.0));
}

#[test]
fn colour_pictures() {
    let Some(place) = place("colour_pictures") else { return };
    let train = cifar10::train(&place).unwrap();
    if train.len() == 5000 {
        assert_eq!(counts(train.labels(), 10), [505, 460, 519, 486, 519, 488, 519, 486, 520, 498]);
    }
    assert!(cifar10::test(&place).unwrap().len() >= 2000);
    let tiny = tiny_imagenet::train(&place).unwrap();
    assert_eq!((tiny.shape(), tiny.classes()), ((3, 64, 64), 200));
    assert!(counts(tiny.labels(), 200).iter().all(|&count| count == tiny.len() / 200));
}

/// A set of bags: instances and features, bags and positive bags, the least and the largest bag.
type BagCounts = (BagSet, (usize, usize), (usize, usize), (usize, usize));

#[test]
fn bags_are_all_there() {
    let Some(place) = place("bags_are_all_there") else { return };
    let expected: [BagCounts; 7] = [
        (BagSet::Elephant, (1391, 230), (200, 100), (2, 13)),
        (BagSet::Fox, (1320, 230), (200, 100), (2, 13)),
        (BagSet::Tiger, (1220, 230), (200, 100), (1, 13)),
        (BagSet::Musk1, (476, 166), (92, 47), (2, 40)),
        (BagSet::Musk2, (6598, 166), (102, 39), (1, 1044)),
        (BagSet::UcsbBreastCancer, (2002, 708), (58, 26), (21, 40)),
        (BagSet::BirdsBrownCreeper, (10_232, 38), (548, 197), (2, 43)),
    ];
    assert_eq!(expected.map(|(set, ..)| set), BagSet::ALL);
    for (set, instances, (count, positive), (least, most)) in expected {
        let bags = mil::load(&place, set).unwrap();
        assert_eq!((bags.len(), bags.instances().dim()), (count, instances), "{set:?}");
        assert_eq!(bags.labels().unwrap().iter().filter(|&&label| label).count(), positive, "{set:?}");
        let sizes = || (0..count).map(|bag| bags.bag(bag).nrows());
        assert_eq!((sizes().min(), sizes().max()), (Some(least), Some(most)), "{set:?}");
        let names: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
        assert!((0..count).all(|bag| bags.name(bag) == names[bag]), "{set:?}");
    }
}

#[test]
fn bags_are_the_same_in_both_formats() {
    let Some(place) = place("bags_are_the_same_in_both_formats") else { return };
    for set in BagSet::ANIMALS {
        let folder = place.folders()[0].join("mil");
        let matrix = folder.join(format!("{}_100x100.mat", set.name()));
        let text = folder.join(format!("{}.csv.gz", set.name()));
        if matrix.exists() && text.exists() {
            let (one, two) = (mil::read_matlab(&matrix).unwrap(), mil::read_csv(&text, set).unwrap());
            assert_eq!((one.instances(), one.offsets()), (two.instances(), two.offsets()), "{set:?}");
            assert_eq!((one.labels(), one.rows()), (two.labels(), two.rows()), "{set:?}");
            assert!((0..one.len()).all(|bag| one.name(bag) == two.name(bag)), "{set:?}");
        }
    }
}

fn file(bytes: &[u8], name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
    (folder, path)
}

#[track_caller]
fn says<V: std::fmt::Debug>(result: hfy_lab::Result<V>, what: &str) {
    let message = result.unwrap_err().to_string();
    assert!(message.contains(what), "{message}");
}

#[test]
fn idx_files_that_are_damaged() {
    let whole = [&[0u8, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2][..], &[1, 2, 3, 4]].concat();
    let (_folder, path) = file(&whole, "images");
    assert_eq!(idx::read(&path, 3).unwrap().shape, [2, 1, 2]);
    says(idx::read(&path, 1), "magic number 2051, expected 2049");
    let (_folder, path) = file(&whole[..10], "images");
    says(idx::read(&path, 3), "ends after 10 bytes, inside its header of 16");
    let (_folder, path) = file(&whole[..19], "images");
    says(idx::read(&path, 3), "holds 3 bytes after its header, which says [2, 1, 2]");
    let huge = [0u8, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255];
    let (_folder, path) = file(&huge, "images");
    says(idx::read(&path, 3), "holds 0 bytes");
    let (_folder, path) = file(&[0x1f, 0x8b, 8, 0, 1, 2], "images.gz");
    says(idx::read(&path, 3), "is not a whole gzip file");
    says(idx::read(Path::new("/nowhere/images"), 3), "cannot read /nowhere/images");
}

#[test]
fn records_that_are_damaged() {
    let (_folder, path) = file(&[0; 3074], "batch.bin");
    says(cifar10::read(&[path]), "has 3074 bytes, no whole number of records of 3073");
    let (_folder, path) = file(&[10; 3073], "batch.bin");
    says(cifar10::read(&[path]), "label 0 is 10: labels are below 10");
}

#[test]
fn pictures_in_folders_come_by_class_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |class: &str, number: usize, grey: u8, colour: jpeg_encoder::ColorType| {
        let path = folder.path().join(format!("train/{class}/images/{class}_{number}.JPEG"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let channels = if colour == jpeg_encoder::ColorType::Luma { 1 } else { 3 };
        let pixels = vec![grey; 64 * 64 * channels];
        jpeg_encoder::Encoder::new_file(path, 100).unwrap().encode(&pixels, 64, 64, colour).unwrap();
    };
    draw("n02", 0, 200, jpeg_encoder::ColorType::Rgb);
    draw("n01", 10, 100, jpeg_encoder::ColorType::Luma);
    draw("n01", 9, 50, jpeg_encoder::ColorType::Rgb);
    let images = tiny_imagenet::read_folder(&folder.path().join("train")).unwrap();
    assert_eq!((images.len(), images.shape(), images.labels()), (3, (3, 64, 64), &[0, 0, 1][..]));
    for (index, grey) in [50u8, 100, 200].into_iter().enumerate() {
        assert!(images.pixels(index).iter().all(|&pixel| pixel.abs_diff(grey) <= 2), "picture {index}");
    }
    std::fs::write(folder.path().join("train/n01/images/n01_11.JPEG"), b"no picture").unwrap();
    says(tiny_imagenet::read_folder(&folder.path().join("train")), "n01_11.JPEG: is not a whole JPEG");
}

#[test]
fn arrays_that_are_damaged() {
    let npy = |header: &str, data: &[u8]| {
        let length = (header.len() as u16).to_le_bytes();
        file(&[b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat(), "a.npy")
    };
    let (_pixels, pixels) = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 2, 3), }", &[7; 12]);
    let (_labels, labels) = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", &[3, 199]);
    let images = tiny_imagenet::read_arrays(&pixels, &labels).unwrap();
    assert_eq!((images.len(), images.shape()), (2, (3, 1, 2)));
    let (_short, short) = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", &[3, 199]);
    says(tiny_imagenet::read_arrays(&pixels, &short), "holds 2 bytes after its header, which says [3]");
    let (_floats, floats) = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", &[0; 8]);
    says(tiny_imagenet::read_arrays(&pixels, &floats), "must hold unsigned bytes in C order");
    says(tiny_imagenet::read_arrays(&labels, &labels), "has the shape [2], expected pictures");
    let (_folder, other) = file(b"PK", "a.npy");
    says(tiny_imagenet::read_arrays(&other, &labels), "is no npy file");
}

#[test]
fn matlab_files_that_are_damaged() {
    let (_folder, path) = file(b"MATLAB", "m.mat");
    says(matlab::read(&path), "ends after 6 bytes");
    let (_folder, path) = file(&[b' '; 200], "m.mat");
    says(matlab::read(&path), "is no MATLAB 5 file");
    let mut header = [b' '; 128].to_vec();
    header[126..].copy_from_slice(b"IM");
    for tail in [&[14u8, 0, 0, 0, 255, 255, 255, 255][..], &[14, 0, 0], &[15, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4]] {
        let (_folder, path) = file(&[&header[..], tail].concat(), "m.mat");
        assert!(matlab::read(&path).is_err());
    }
    let (_folder, path) = file(&header, "m.mat");
    assert!(matlab::read(&path).unwrap().is_empty());
    says(mil::read_matlab(&path), "has no matrix features");
}

#[test]
fn bags_that_are_damaged() {
    let read = |text: &str, set: BagSet| {
        let (_folder, path) = file(text.as_bytes(), "bags.csv");
        mil::read_csv(&path, set)
    };
    let fox = |text: &str| read(text, BagSet::Fox);
    let bags = fox("bag_id,label,f0\n2,1,0.5\n1,-1,2\n2,1,1.5\n").unwrap();
    assert_eq!((bags.name(0), bags.label(0), bags.bag(0).nrows()), ("2", Some(true), 2));
    says(fox("bag_id,label,f0\n1,1,x\n"), "bags.csv, row 2, column 3: 'x' is not a number");
    says(fox("bag_id,label,f0\n1,1\n"), "bags.csv, row 2: has 2 cells, but line 1, taken as a header, has 3");
    says(fox("bag_id,label,f0\n1,2,0\n"), "the labels are '2'");
    says(fox("bag_id,label,f0\n1,1,0\n1,-1,0\n"), "row 3, column 2: the label '-1' differs from '1' in row 2");
    says(fox("bag_id,label,f0\n1,1,inf\n"), "'inf' is not finite");
    says(fox("f0\n1\n"), "no column is called bag, bag_id");
    let musk = read("1,7,42,-198\n1,7,42,-191\n0,8,46,-108\n", BagSet::Musk1).unwrap();
    assert_eq!((musk.labels(), musk.offsets()), (Some(&[true, false][..]), &[0, 2, 3][..]));
    says(read("1,7,42,-198\n1,7,x,-191\n", BagSet::Musk1), "row 2, column 3: 'x' is not a number");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::find(Some(folder.path())).unwrap();
    if std::env::var_os("HFY_DATA_DIR").is_none() {
        says(mnist::train(&place), "the data set mnist is not there: looked for mnist/train-images-idx3-ubyte,");
        says(mil::load(&place, BagSet::Fox), "the data set mil is not there: looked for mil/fox_100x100.mat,");
        let musk = "the bags of musk2 are not there: looked for mil/musk2.csv.gz, mil/musk2.csv in";
        says(mil::load(&place, BagSet::Musk2), musk);
    }
    says(Place::find(Some(Path::new("/nowhere"))), "is not a folder");
}
