//! Every format: files of others, round trips, and files that are broken.

mod common;
use common::{Folder, data, rows};

/// What the program reads, as csv.
fn read(folder: &Folder, file: &str) -> String {
    folder.ok(&["map", "quadratic", file])
}

const TABLE: &str = "1.5,-2,3\n4,5.25,-6\n";

#[test]
fn files_of_numpy_are_read() {
    let folder = Folder::new();
    for name in ["half.npy", "single.npy", "double-big-endian.npy"] {
        assert_eq!(read(&folder, &data(name)), TABLE, "{name}");
    }
    assert_eq!(read(&folder, &(data("several.npz") + ":first")), TABLE);
    assert_eq!(read(&folder, &(data("several.npz") + ":second")), "15,-20,30\n40,52.5,-60\n");
    assert_eq!(read(&folder, &data("integers.npy")), "1,-2,3\n4,5,1099511627776\n");
    assert_eq!(read(&folder, &data("bytes.npy")), "0,127,255\n");
    assert_eq!(read(&folder, &data("booleans.npy")), "1,0\n0,1\n");
    assert_eq!(read(&folder, &data("vector.npy")), "1,2,3\n");
    // The axes after the first are one row, in the order of C whatever the order of the file.
    assert_eq!(read(&folder, &data("fortran.npy")), "0,1,2,3,4,5,6,7,8,9,10,11\n12,13,14,15,16,17,18,19,20,21,22,23\n");
}

#[test]
fn every_format_comes_back_as_it_was_written() {
    let folder = Folder::new();
    folder.write("exact.csv", "0.1,-2e300,3\n-0,1e-310,123456789.123456789\n");
    folder.write("third.csv", format!("1,{},3\n1,2,3\n", 1.0 / 3.0));
    let expected = rows(&read(&folder, "exact.csv"));
    for ending in ["npy", "npz", "csv", "tsv", "txt", "safetensors"] {
        let name = format!("out.{ending}");
        folder.ok(&["map", "quadratic", "exact.csv", "--out", &name]);
        assert_eq!(rows(&read(&folder, &name)), expected, "{ending}");
        // And in the smaller type, where that is asked for.
        let small = format!("small.{ending}");
        folder.ok(&["map", "quadratic", "third.csv", "--dtype", "f32", "--out", &small]);
        assert_eq!(
            rows(&read(&folder, &small))[0][1],
            (1f32 / 3.0).to_string().parse::<f64>().expect("a number"),
            "{ending}"
        );
    }
    let f64s = folder.bytes("out.npy");
    assert!(f64s.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"));
    assert_eq!(f64s.len(), 128 + 6 * 8);
    assert_eq!(folder.bytes("small.npy").len(), 128 + 6 * 4);
}

#[test]
fn types_of_safetensors_are_read() {
    let folder = Folder::new();
    let file = |dtype: &str, shape: &str, bytes: &[u8]| {
        let header =
            format!("{{\"x\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":[0,{}]}}}}", bytes.len());
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), bytes].concat()
    };
    folder.write("bf16.safetensors", file("BF16", "[1,2]", &[0xc0, 0x3f, 0x00, 0xc0]));
    assert_eq!(read(&folder, "bf16.safetensors"), "1.5,-2\n");
    folder.write("i32.safetensors", file("I32", "[2,1]", &[1, 0, 0, 0, 255, 255, 255, 255]));
    assert_eq!(read(&folder, "i32.safetensors:x"), "1\n-1\n");
    folder.write("f8.safetensors", file("F8_E4M3", "[1,1]", &[0]));
    let error = folder.fails(&["map", "softmax", "f8.safetensors"], 1);
    assert!(error.starts_with("f8.safetensors:x: the element type") && error.ends_with("is not read"), "{error}");
}

#[test]
fn pictures_are_greys_from_minus_one_to_one() {
    let folder = Folder::new();
    let ramp: Vec<f64> = (0..16).map(|i| 2.0 * (f64::from(i) * 17.0).floor() / 255.0 - 1.0).collect();
    for (name, tolerance) in [("ramp.png", 1e-6), ("ramp16.png", 1e-4), ("ramp.jpg", 0.03)] {
        let greys = &rows(&read(&folder, &data(name)))[0];
        assert_eq!(greys.len(), 8 * 16, "{name}");
        for (place, grey) in greys.iter().enumerate() {
            assert!((grey - ramp[place % 16]).abs() < tolerance, "{name} at {place}: {grey}");
        }
    }
    let luminance = [0.2126, 0.7152, 0.0722, 1.0];
    for name in ["colours.png", "alpha.png", "palette.png"] {
        let greys = &rows(&read(&folder, &data(name)))[0];
        for (grey, light) in greys.iter().zip(luminance) {
            assert!((grey - (2.0 * light - 1.0)).abs() < 1e-5, "{name}: {greys:?}");
        }
    }
    let greys = &rows(&read(&folder, &data("colours.jpg")))[0];
    for (block, light) in luminance.into_iter().enumerate() {
        let grey = greys[8 * 64 + 16 * block + 8];
        assert!((grey - (2.0 * light - 1.0)).abs() < 0.03, "block {block}: {grey}");
    }
}

#[test]
fn a_format_is_known_by_its_bytes_too() {
    let folder = Folder::new();
    for name in ["single.npy", "several.npz", "ramp.png", "ramp.jpg"] {
        folder.write("file", std::fs::read(data(name)).expect("a file"));
        let array = if name == "several.npz" { "file:first" } else { "file" };
        assert_eq!(read(&folder, array), read(&folder, &(data(name) + &array["file".len()..])), "{name}");
    }
    folder.write("file", "1,2\n");
    let error = folder.fails(&["map", "softmax", "file"], 1);
    assert_eq!(
        error,
        "file: its kind is not known: names end in npy, npz, csv, tsv, txt, safetensors, png, jpg, jpeg, bmp, webp, tif, tiff \
         or hfy"
    );
}

#[test]
fn broken_text_is_found_by_row_and_column() {
    let folder = Folder::new();
    let cases = [
        ("1,2\n3,abc\n", "q.csv, row 2, column 2: 'abc' is not a number"),
        ("x,y\n1,2\n\n# a remark\n3,\n", "q.csv, row 5, column 2: '' is not a number"),
        ("1,2\n3,nan\n", "q.csv, row 2, column 2: 'nan' is not a number"),
        ("1,2\n3\n", "q.csv, row 2: has 1 cells, but the rows before it have 2"),
        ("", "q.csv: holds no rows of numbers"),
        ("a,b\n", "q.csv: holds no rows of numbers"),
    ];
    for (text, expected) in cases {
        folder.write("q.csv", text);
        assert_eq!(folder.fails(&["map", "softmax", "q.csv"], 1), expected);
    }
    folder.write("q.csv", b"1,\xff\xfe\n");
    assert!(folder.fails(&["map", "softmax", "q.csv"], 1).starts_with("q.csv, row 1, column 2: '"));
    folder.write("q.csv", "\u{feff}1,2\r\n3,4\r\n");
    assert_eq!(read(&folder, "q.csv"), "1,2\n3,4\n");
}

#[test]
fn broken_arrays_say_what_is_wrong() {
    let folder = Folder::new();
    let whole = std::fs::read(data("single.npy")).expect("a file");
    let header = |text: &str| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    };
    let with = |shape: &str| header(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"));
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (
            whole[..whole.len() - 5].to_vec(),
            "q.npy, row 2, column 2: the data end here, but the header promises shape [2, 3]",
        ),
        ([&whole[..], &[0]].concat(), "q.npy: there are data after the last entry of shape [2, 3]"),
        (b"PNG".to_vec(), "q.npy: ends inside the header of an npy array"),
        (b"something else".to_vec(), "q.npy: is not an npy array: it does not begin with \\x93NUMPY"),
        (b"\x93NUMPY\x09\x00\x00\x00".to_vec(), "q.npy: npy version 9 is unknown: 1, 2 and 3 are read"),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            "q.npy: its npy header is 4294967295 bytes long: at most 65536 are read",
        ),
        (header("{'shape': (1,)}"), "q.npy: there is no descr, in the npy header \"{'shape': (1,)}\""),
        (with("(0, 3)"), "q.npy: holds nothing: its shape is [0, 3]"),
        (with("(9223372036854775807, 9)"), "q.npy: its shape [9223372036854775807, 9] is larger than any memory"),
        (
            with("(4000000000, 4000000000)"),
            "q.npy, row 1, column 1: the data end here, but the header promises shape [4000000000, 4000000000]",
        ),
    ];
    for (bytes, expected) in cases {
        folder.write("q.npy", bytes);
        assert_eq!(folder.fails(&["map", "softmax", "q.npy"], 1), expected);
    }
    let error = folder.fails(&["map", "softmax", &data("number.npy")], 1);
    assert!(error.ends_with("number.npy: holds a single number, not rows of numbers"), "{error}");
    let error = folder.fails(&["map", "softmax", &data("complex.npy")], 1);
    assert!(error.contains("the element type '<c16' is not read: real numbers and integers are"), "{error}");
}

#[test]
fn broken_archives_say_what_is_wrong() {
    let folder = Folder::new();
    let whole = std::fs::read(data("several.npz")).expect("a file");
    folder.write("q.npz", &whole[..whole.len() / 2]);
    let error = folder.fails(&["map", "softmax", "q.npz"], 1);
    assert!(error.starts_with("q.npz: is not an npz archive: "), "{error}");
    folder.write("q.npz", &whole);
    let error = folder.fails(&["map", "softmax", "q.npz"], 1);
    assert_eq!(error, "q.npz: holds several arrays, 'first', 'second': say which, as in q.npz:first");
    let error = folder.fails(&["map", "softmax", "q.npz:third"], 1);
    assert_eq!(error, "q.npz: holds no array 'third', but 'first', 'second'");
    // One byte of the compressed numbers.
    let mut bent = whole.clone();
    bent[90] ^= 0x55;
    folder.write("q.npz", bent);
    assert!(folder.fails(&["map", "softmax", "q.npz:first"], 1).contains("q.npz"));
}

#[test]
fn broken_safetensors_and_pictures_say_what_is_wrong() {
    let folder = Folder::new();
    folder.write("q.safetensors", b"\xff\xff\xff\xff\xff\xff\xff\x7f{}");
    let error = folder.fails(&["map", "softmax", "q.safetensors"], 1);
    assert!(error.starts_with("q.safetensors: is not a safetensors file: "), "{error}");
    folder.write("q.png", "no picture");
    let error = folder.fails(&["map", "softmax", "q.png"], 1);
    assert_eq!(
        error,
        "q.png: is neither PNG, JPEG, BMP, WebP nor TIFF: it begins with [6e, 6f, 20, 70, 69, 63, 74, 75]"
    );
    for (name, kind) in [("ramp.png", "PNG"), ("ramp.jpg", "JPEG")] {
        let whole = std::fs::read(data(name)).expect("a file");
        folder.write(name, &whole[..whole.len() / 3]);
        let error = folder.fails(&["map", "softmax", name], 1);
        assert!(error.starts_with(&format!("{name}: is not a whole {kind} picture: ")), "{error}");
    }
}

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    let error = folder.fails(&["map", "softmax", "none.npy"], 1);
    assert_eq!(error, "cannot open none.npy: No such file or directory (os error 2)");
    let error = folder.fails(&["map", "softmax", "@none.txt"], 1);
    assert!(error.starts_with("cannot read the list none.txt: "), "{error}");
    std::fs::create_dir(folder.path("empty")).expect("a folder");
    assert_eq!(
        folder.fails(&["map", "softmax", "empty"], 1),
        "empty: holds no pictures (png, jpg, jpeg, bmp, webp, tif, tiff)"
    );
}
