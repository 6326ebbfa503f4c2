//! Bags in tables and in archives: what is read, and what is refused with which words.

use std::io::{Cursor, Write};

use flate2::{Compression, write::GzEncoder};
use hfy_io::bags::{LabelRule, Missing, Options, read, read_bytes};
use hfy_io::{Bags, Error, Result, csv, npz};
use ndarray::{Array2, array};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::default());
    to.write_all(text).unwrap();
    to.finish().unwrap()
}

fn table(text: &str) -> Result<Bags> {
    read_bytes(text.as_bytes(), "t.csv", &Options::default())
}

fn with(text: &str, change: impl FnOnce(&mut Options)) -> Result<Bags> {
    let mut options = Options::default();
    change(&mut options);
    read_bytes(text.as_bytes(), "t.csv", &options)
}

#[track_caller]
fn says(found: Result<Bags>, said: &str) {
    match found {
        Ok(bags) => panic!("read {bags:?}, expected: {said}"),
        Err(error) => assert!(error.to_string().starts_with(said), "{error}\nexpected: {said}"),
    }
}

/// One array of an archive: its name, its element type and its bytes, with its shape.
type Entry<'e> = (&'e str, &'e str, &'e str, Vec<u8>);

fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, kind, shape, data) in entries {
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(data).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn floats<'e>(name: &'e str, shape: &'e str, values: &[f64]) -> Entry<'e> {
    (name, "<f8", shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn integers<'e>(name: &'e str, shape: &'e str, values: &[i64]) -> Entry<'e> {
    (name, "<i8", shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn arrays(entries: &[Entry<'_>]) -> Result<Bags> {
    read_bytes(&archive(entries), "a.npz", &Options::default())
}

#[test]
fn tables_of_every_kind() {
    let expected = Bags::from_rows(
        array![[0.5, 2.0], [2.5, 4.0], [1.5, 1.0]],
        &["A", "A", "B"].map(str::to_owned),
        Some(&[true, true, false]),
    )
    .unwrap();
    for (file, text) in [
        ("t.csv", "bag,label,size,weight\nA,1,0.5,2\nB,0,1.5,1\nA,1,2.5,4\n"),
        ("t.tsv", "size\tBag ID\tweight\tCLASS\n0.5\tA\t2\tyes\n1.5\tB\t1\tNo\n2.5\tA\t4\tYES\n"),
        ("t.txt", "\u{feff}# made by hand\nbag_id;target;size;weight\nA;1;0,5;2\nB;-1;1,5;1\n\nA;+1.0;2,5;4\n"),
        ("t.csv", ",bag-name,size,weight,y\n0,A,0.5,2,True\n1,B,1.5,1,false\n2,A,2.5,4,true\n"),
        ("t.csv", "\"bag\",\"label\",\"size\",\"weight\"\n\"A\",1,0.5,2\n\"B\",0,1.5,1\n\"A\",1,2.5,4\n"),
    ] {
        let bytes = text.as_bytes();
        let packed = gzip(bytes);
        for (file, bytes) in [(file, bytes), (&format!("{file}.gz"), &packed[..]), ("bags", bytes)] {
            let found = read_bytes(bytes, file, &Options::default()).unwrap();
            assert_eq!((found.instances(), found.labels()), (expected.instances(), expected.labels()), "{text}");
            assert_eq!((found.offsets(), found.rows()), (&[0, 2, 3][..], &[0, 2, 1][..]));
            assert_eq!(
                (found.name(0), found.name(1), found.features()),
                ("A", "B", &["size", "weight"].map(Into::into)[..])
            );
        }
    }
}

#[test]
fn columns_by_name_or_number() {
    let options = |o: &mut Options| {
        (o.label, o.bag) = (Some("1".into()), Some("2".into()));
        o.csv.header = csv::Header::No;
    };
    let bags = with("1,7,0.5\n1,7,1\n0,8,2\n", options).unwrap();
    assert_eq!((bags.len(), bags.name(1), bags.labels()), (2, "8", Some(&[true, false][..])));
    assert_eq!(bags.features(), ["column 3"]);
    let bags = with("molecule,smell,0,1\nm1,musk,1,2\nm2,none at all,3,4\n", |o| {
        (o.bag, o.label, o.positive) = (Some("molecule".into()), Some("SMELL".into()), Some("musk".into()));
        o.ignore = vec!["1".into()];
    });
    let bags = bags.unwrap();
    assert_eq!((bags.labels(), bags.instances()), (Some(&[true, false][..]), array![[1.0], [3.0]].view()));
    let points = table("bag,x,y,label\n1,0,5,1\n2,1,6,0\n").unwrap();
    assert_eq!(points.features(), ["x", "y"]);
}

#[test]
fn labels_of_instances() {
    let text = "bag,label,f\nA,0,1\nB,0,2\nA,1,3\n";
    let bags = with(text, |o| o.label_rule = LabelRule::Any).unwrap();
    assert_eq!(bags.labels(), Some(&[true, false][..]));
    says(table(text), "t.csv, row 4, column 2: the label '1' differs from '0' in row 2, both in the bag 'A': where");
}

#[test]
fn bags_without_labels() {
    for text in ["bag,f\nA,1\nB,2\n", "bag,label,f\nA,,1\nB,?,2\n", "bag,x,y\nA,1,2\nB,2,3\n"] {
        let bags = with(text, |o| o.unlabelled = true).unwrap();
        assert_eq!((bags.len(), bags.labels(), bags.label(0)), (2, None, None));
    }
    let labelled = with("bag,label,f\nA,1,1\nB,0,2\n", |o| o.unlabelled = true).unwrap();
    assert_eq!(labelled.labels(), Some(&[true, false][..]));
    says(with("bag,label,f\nA,1,1\nB,,2\n", |o| o.unlabelled = true), "t.csv, row 3, column 2: the label is missing");
    let archive = archive(&[floats("instances", "2, 1", &[1.0, 2.0]), integers("bags", "2,", &[3, 4])]);
    let bags = read_bytes(&archive, "a.npz", &Options { unlabelled: true, ..Options::default() }).unwrap();
    assert_eq!((bags.labels(), bags.name(1)), (None, "4"));
}

#[test]
fn missing_values() {
    let text = "bag,label,f,g\nA,1,1,NA\nA,1,,8\nB,0,4,NaN\n";
    says(
        table(text),
        "t.csv, row 2, column 4: the value of 'g' is missing, the first of 3: the option missing = mean fills them in",
    );
    let bags = with(text, |o| o.missing = Missing::Mean).unwrap();
    let there = bags.instances().mapv(|value| if value.is_nan() { -1.0 } else { value });
    assert_eq!(there, array![[1.0, -1.0], [-1.0, 8.0], [4.0, -1.0]]);
    let kept = "t.csv: missing values: 3, in 2 columns";
    assert!(bags.notes().iter().any(|note| note == kept), "{:?}", bags.notes());
    let none = with("bag,label,f,g\nA,1,1,\nB,0,2,\n", |o| o.missing = Missing::Mean).unwrap();
    assert!(none.instances().column(1).iter().all(|value| value.is_nan()));
}

#[test]
fn what_is_interpreted_is_noted() {
    let bags = table(",bag,label,f,g\n0,A,1,1,5\n1,B,0,2,5\n").unwrap();
    assert_eq!(
        bags.notes(),
        [
            "t.csv: line 1 was taken as a header: '', 'bag', 'label', 'f', 'g'",
            "t.csv: 'bag' names bags, 'label' holds labels; features: 2",
            "t.csv: column 1 has no name and was left out, as an index of rows",
            "t.csv: constant features, which were kept: 1 of 2, 'g'",
        ]
    );
    let bags = with("bag,label,f\nA,ill,1\nB,ill,2\n", |o| o.positive = Some("well".into())).unwrap();
    assert_eq!(bags.labels(), Some(&[false, false][..]));
    assert!(bags.notes().contains(&"t.csv: no label is 'well', all are 'ill'".to_owned()), "{:?}", bags.notes());
}

#[test]
fn one_bag_is_enough() {
    let bags = table("bag,label,f\nA,1,1\n").unwrap();
    assert_eq!((bags.len(), bags.bag(0).dim()), (1, (1, 1)));
}

#[test]
fn tables_that_are_refused() {
    for (text, said) in [
        ("", "t.csv: holds no instances"),
        ("\n\n# nothing\n", "t.csv: holds no instances"),
        ("bag,label,f\n", "t.csv: holds no instances"),
        ("bag,label\nA,1\n", "t.csv: has no features: instances need at least one"),
        (
            "1,2,3\n",
            "t.csv: no column is called bag, bag_id, bag_name or bags: the option bag gives the name or the \
         number of the column with the bag of each instance; the file names no columns, and has 3",
        ),
        (
            "id,label,f\nA,1,1\n",
            "t.csv: no column is called bag, bag_id, bag_name or bags: the option bag gives the name \
         or the number of the column with the bag of each instance; the columns are 'id', 'label', 'f'",
        ),
        ("bag,f\nA,1\n", "t.csv: no column is called label, bag_label, labels, class, target or y: the option label"),
        ("bag,Bag,label,f\nA,A,1,1\n", "t.csv: columns 1 and 2 are called 'bag' and 'Bag': say by an option"),
        ("bag,label,f,f\nA,1,1,1\n", "t.csv: columns 3 and 4 are both called 'f': each needs a name of its own"),
        ("bag,label,f,\nA,1,1,1\n", "t.csv: column 4 has no name: name it or ignore it"),
        (
            "bag,label,f\nA,1,red\n",
            "t.csv, row 2, column 3: 'red' is not a number; 'f' was taken as a feature: the option",
        ),
        ("bag,label,f\nA,1,inf\n", "t.csv, row 2, column 3: 'inf' is not finite, in the feature 'f'"),
        ("bag,label,f\nA,1,1e39\n", "t.csv, row 2, column 3: '1e39' is beyond the range of f32, in the feature 'f'"),
        ("bag,label,f\nA,1,nan\n", "t.csv, row 2, column 3: the value of 'f' is missing, the only one"),
        ("bag,label,f\nA,1,\n", "t.csv, row 2, column 3: the value of 'f' is missing, the only one"),
        ("bag,label,f\n,1,1\n", "t.csv, row 2, column 1: the name of the bag is missing: every instance needs it"),
        ("bag,label,f\nA,,1\n", "t.csv, row 2, column 2: the label is missing, the only one: every instance needs one"),
        ("bag,label,f\nA,1,1\nB,0\n", "t.csv, row 3: has 2 cells, but the rows before it have 3"),
        ("bag,label,f\nA,1,1,2\n", "t.csv, row 2: has 4 cells, but line 1, taken as a header, has 3"),
        ("bag,label,f\nA,1,\"1\n", "t.csv, row 2: a quote is opened and not closed"),
        (
            "bag,label,f\nA,1,1\nA,0,1\n",
            "t.csv, row 3, column 2: the label '0' differs from '1' in row 2, both in the bag 'A'",
        ),
        (
            "bag,label,f\nA,a,1\nB,b,1\nC,c,1\n",
            "t.csv, row 4, column 2: the label 'c' is beside 'a', 'b': labels are of two kinds",
        ),
        (
            "bag,label,f\nA,well,1\nB,ill,1\n",
            "t.csv: the labels are 'well', 'ill': say which is positive with the option",
        ),
        ("bag,label,f\nA,1,1\x1b[31m\n", "t.csv, row 2, column 3: '1\\x1b[31m' is not a number"),
    ] {
        says(table(text), said);
    }
}

#[test]
fn options_that_do_not_fit_the_table() {
    let text = "bag,label,f\nA,1,1\nB,0,2\n";
    let set = |change: fn(&mut Options), said: &str| says(with(text, change), said);
    set(
        |o| o.bag = Some("who".into()),
        "t.csv: bag = 'who': there is no such column; the columns are 'bag', 'label', 'f'",
    );
    set(|o| o.bag = Some("4".into()), "t.csv: bag = '4': there is no such column");
    set(|o| o.label = Some("0".into()), "t.csv: label = '0': there is no such column");
    set(|o| o.label = Some("bag".into()), "t.csv: 'bag' cannot be both the bag and the label");
    set(|o| o.ignore = vec!["label".into()], "t.csv: ignore = 'label': it is the column of the bag or of the label");
    set(|o| o.ignore = vec!["g".into()], "t.csv: ignore = 'g': there is no such column");
    set(|o| o.ignore = vec!["f".into()], "t.csv: has no features");
    set(|o| o.positive = Some("2".into()), "t.csv: positive = '2': the labels are '1', '0'");
}

#[test]
fn files_that_are_no_tables() {
    let read = |bytes: &[u8], file: &str| read_bytes(bytes, file, &Options::default());
    let packed = gzip(b"bag,label,f\nA,1,1\nB,0,2\n");
    says(read(&packed[..packed.len() - 9], "t.csv.gz"), "t.csv.gz: is not a whole gzip file");
    says(read(&packed[..12], "t.csv.gz"), "t.csv.gz: is not a whole gzip file");
    says(read(&gzip(b""), "t.csv.gz"), "t.csv.gz: holds no instances");
    says(read(&gzip(b"PK"), "a.npz.gz"), "a.npz.gz: is no file of bags: bags are in tables");
    says(
        read(b"\x93NUMPY\x01\x00", "a.npy"),
        "a.npy: is no file of bags: bags are in tables (csv, tsv, txt, also gzipped)",
    );
    says(read(b"\xff\xfeb\0a\0", "t.csv"), "t.csv: is UTF-16 text");
    says(read(b"PK\x03\x04", "a.npz"), "a.npz: is not an npz archive");
    says(read(b"", "a.npz"), "a.npz: is not an npz archive");
    let folder = tempfile::tempdir().unwrap();
    let missing = hfy_io::bags::read(&folder.path().join("t.csv"), &Options::default()).unwrap_err();
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
    assert!(hfy_io::bags::read(folder.path(), &Options::default()).is_err());
}

#[test]
fn archives_by_numbers_or_offsets() {
    let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let instances = || floats("instances", "3, 2", &values);
    let by_offsets = [instances(), integers("offsets", "3,", &[0, 2, 3]), integers("labels", "2,", &[1, -1])];
    let by_numbers =
        [instances(), floats("bags", "3, 1", &[7.0, 7.0, 9.0]), floats("labels", "1, 3", &[1.0, 1.0, 0.0])];
    let by_bools = [instances(), integers("bags", "3,", &[-1, -1, 4]), ("labels", "|b1", "2,", vec![1, 0])];
    for (entries, names) in [(by_offsets, ["0", "1"]), (by_numbers, ["7", "9"]), (by_bools, ["-1", "4"])] {
        let bags = arrays(&entries).unwrap();
        assert_eq!(bags.instances(), Array2::from_shape_vec((3, 2), values.map(|v| v as f32).to_vec()).unwrap());
        assert_eq!((bags.offsets(), bags.labels()), (&[0, 2, 3][..], Some(&[true, false][..])));
        assert_eq!([bags.name(0), bags.name(1)], names);
    }
    let pictures =
        [floats("instances", "1, 2, 3", &values), integers("offsets", "2,", &[0, 1]), integers("labels", "1,", &[1])];
    let bags = arrays(&pictures).unwrap();
    assert_eq!((bags.shape(), bags.instances().dim()), (Some((2, 3)), (1, 6)));
}

#[test]
fn archives_that_are_refused() {
    let instances = || floats("instances", "3, 1", &[1.0, 2.0, 3.0]);
    let labels = || integers("labels", "2,", &[1, 0]);
    let offsets = |values: &[i64]| {
        let shape = format!("{},", values.len());
        arrays(&[instances(), integers("offsets", &shape, values), labels()])
    };
    let bags = |values: &[f64]| {
        let shape = format!("{},", values.len());
        arrays(&[instances(), floats("bags", &shape, values), labels()])
    };
    says(arrays(&[]), "a.npz: holds no arrays");
    says(arrays(&[labels()]), "a.npz: holds no array 'instances', but 'labels'");
    says(arrays(&[instances(), labels()]), "a.npz: holds neither bags nor offsets");
    let all = [instances(), integers("bags", "3,", &[1, 1, 2]), integers("offsets", "2,", &[0, 3]), labels()];
    says(arrays(&all), "a.npz: holds both bags and offsets");
    says(arrays(&[instances(), integers("bags", "3,", &[1, 1, 2])]), "a.npz: holds no array 'labels'");
    says(offsets(&[]), "a.npz: offsets = []");
    says(offsets(&[0]), "a.npz: offsets[0] = 0: the last must be 3");
    says(offsets(&[1, 2, 3]), "a.npz: offsets[0] = 1: the first must be 0");
    says(offsets(&[0, 1, 4]), "a.npz: offsets[2] = 4: the last must be 3, the number of instances");
    says(offsets(&[0, 0, 3]), "a.npz: offsets = 0, 0 at bag 0: a bag holds at least one instance");
    says(offsets(&[0, 9, 3]), "a.npz: offsets = 9, 3 at bag 1: offsets must not fall");
    says(offsets(&[0, -1, 3]), "a.npz: offsets[1] = -1: must not be negative");
    says(offsets(&[0, 1, 2, 3]), "a.npz: labels = 2 of them, for 3 bags and 3 instances");
    says(bags(&[1.0, 1.0]), "a.npz: bags has 2 numbers, expected one for each of 3 instances");
    says(bags(&[1.0, 1.5, 2.0]), "a.npz: bags[1] = 1.5: must be an integer");
    says(bags(&[1.0, f64::NAN, 2.0]), "a.npz: bags[1] = NaN: must be an integer");
    says(bags(&[2.0, 2.0, 1.0]), "a.npz: the numbers in bags do not rise: labels for bags need");
    let offsets = || integers("offsets", "3,", &[0, 2, 3]);
    let typed = |kind| arrays(&[("instances", kind, "3, 1", vec![0; 48]), offsets(), labels()]);
    says(typed("<U4"), "a.npz:instances: ");
    says(typed("<c16"), "a.npz:instances: ");
    says(typed("|O"), "a.npz:instances: ");
    let texts = ("labels", "<U1", "2,", vec![0; 8]);
    says(arrays(&[instances(), offsets(), texts]), "a.npz:labels: ");
    says(
        arrays(&[floats("instances", "3,", &[1.0, 2.0, 3.0]), offsets(), labels()]),
        "a.npz: instances have the shape [3]",
    );
    says(arrays(&[floats("instances", "0, 2", &[]), offsets(), labels()]), "a.npz: instances have the shape [0, 2]");
    says(arrays(&[floats("instances", "3, 0", &[]), offsets(), labels()]), "a.npz: has no features");
    says(
        arrays(&[floats("instances", "3, 1", &[1.0]), offsets(), labels()]),
        "a.npz:instances, row 2, column 1: the data end",
    );
    let values = |value: f64| arrays(&[floats("instances", "3, 1", &[1.0, value, 3.0]), offsets(), labels()]);
    says(values(f64::NEG_INFINITY), "a.npz:instances, row 2, column 1: -inf is not finite");
    says(values(1e300), "a.npz:instances, row 2, column 1: 1e300 is beyond the range of f32");
    says(values(f64::NAN), "a.npz, row 2, column 1: the value of '0' is missing, the only one");
    says(arrays(&[instances(), offsets(), floats("labels", "2, 2", &[1.0; 4])]), "a.npz:labels: has the shape [2, 2]");
    says(
        arrays(&[instances(), offsets(), floats("labels", "2,", &[1.0, f64::NAN])]),
        "a.npz, row 3: the label is missing",
    );
    says(arrays(&[instances(), offsets(), integers("labels", "2,", &[1, 3])]), "a.npz: the labels are '1', '3': say");
    says(
        arrays(&[instances(), offsets(), integers("labels", "3,", &[1, 0, 1])]),
        "a.npz, row 2: the label '0' differs",
    );
}

#[test]
fn files_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"bag,label,f\nA,1,1\nB,0,2\n";
    let expected = array![[1.0], [2.0]];
    for (name, bytes) in [("t.csv", text.to_vec()), ("t.csv.gz", gzip(text)), ("table", text.to_vec())] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path, &Options::default()).unwrap().instances(), expected);
    }
    let path = folder.path().join("a.npz");
    let mut to = npz::Archive::new(std::fs::File::create(&path).unwrap());
    to.matrix("instances", expected.view()).unwrap();
    to.indices("offsets", &[0, 1, 2]).unwrap();
    to.indices("labels", &[1, 0]).unwrap();
    to.finish().unwrap();
    let bags = read(&path, &Options::default()).unwrap();
    assert_eq!((bags.instances(), bags.labels()), (expected.view(), Some(&[true, false][..])));
}

#[test]
fn selected_bags_keep_their_rows() {
    let bags = table("bag,label,f\nA,1,1\nB,0,2\nA,1,3\n").unwrap().select(&[1, 0]);
    assert_eq!((bags.name(0), bags.rows(), bags.offsets()), ("B", &[1, 0, 2][..], &[0, 1, 3][..]));
    assert_eq!((bags.instances(), bags.labels()), (array![[2.0], [1.0], [3.0]].view(), Some(&[false, true][..])));
    assert!(bags.select(&[]).is_empty());
}

#[test]
fn damaged_files_are_errors_or_bags() {
    let table = b",bag,label,f,g\n0,A,1,1.5,NA\n1,B,0,2,-1\n2,A,1,3e2,7\n".to_vec();
    let offsets = archive(&[
        floats("instances", "3, 2", &[1.0; 6]),
        integers("offsets", "3,", &[0, 2, 3]),
        integers("labels", "2,", &[1, 0]),
    ]);
    let numbers = archive(&[
        floats("instances", "3, 1, 2", &[1.0; 6]),
        integers("bags", "3,", &[1, 2, 1]),
        integers("labels", "2,", &[1, 0]),
    ]);
    let mut state = 1_u64;
    let mut below = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    for (file, whole) in [("t.csv", &table), ("t.csv.gz", &gzip(&table)), ("a.npz", &offsets), ("a.npz", &numbers)] {
        let mut read = 0;
        for _ in 0..5000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + below(3) {
                let place = below(bytes.len().max(1));
                match below(5) {
                    _ if bytes.is_empty() => break,
                    0 => bytes.truncate(place),
                    1 => drop(bytes.remove(place)),
                    2 => bytes.extend_from_within(place..),
                    3 => bytes[place] = b"0123456789,.-\n\"\xff"[below(16)],
                    _ => bytes[place] = below(256) as u8,
                }
            }
            let options = Options { missing: Missing::Mean, label_rule: LabelRule::Any, ..Options::default() };
            match read_bytes(&bytes, file, &options) {
                Ok(bags) => {
                    read += 1;
                    assert_eq!(bags.offsets().last(), Some(&bags.instances().nrows()));
                    assert_eq!(bags.features().len(), bags.instances().ncols());
                    assert!(bags.instances().iter().all(|value| !value.is_infinite()));
                }
                Err(error) => assert!(error.to_string().starts_with(file), "{error}"),
            }
        }
        assert!(read > 0, "{file}: no damaged copy was read");
    }
}
