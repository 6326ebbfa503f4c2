//! Pictures come back as they were, whatever they came in.

mod common;
use common::{Folder, data, rows};

/// An npy file of unsigned bytes.
fn npy(shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},), }}", lengths.join(", "));
    let header = format!("{header:<117}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), bytes].concat()
}

/// Bytes without any order, of which each value occurs.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 7u32;
    let next = |place: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if place < 256 { place as u8 } else { (state >> 24) as u8 }
    };
    (0..count).map(next).collect()
}

/// The bytes of a picture file, as the program reads them.
fn pixels(folder: &Folder, file: &str, more: &[&str]) -> Vec<u8> {
    let greys = &rows(&folder.ok(&[&["map", "quadratic", file], more].concat()))[0];
    greys.iter().map(|grey| ((grey + 1.0) * 127.5).round() as u8).collect()
}

const SETTINGS: [&str; 6] = ["--beta", "1", "--steps", "2", "--map", "argmax"];

#[test]
fn bytes_in_an_array_become_pictures_and_come_back_to_the_last_bit() {
    let folder = Folder::new();
    let bytes = noise(3 * 16 * 20);
    folder.write("p.npy", npy(&[3, 16, 20], &bytes));
    let run = folder.run(&["memory", "build", "a.hfy", "p.npy"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr, "note: p.npy: pictures of 20 x 16 pixels: 0 to 255 was read as -1 (black) to 1 (white)\n");
    let retrieve = |memory: &str, queries: &str, to: &str| {
        let run = folder.run(&[&["retrieve", memory, queries, "--pictures", to], &SETTINGS[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
    };
    retrieve("a.hfy", "p.npy", "out");
    for (row, picture) in bytes.chunks(16 * 20).enumerate() {
        assert_eq!(pixels(&folder, &format!("out/{row:04}.png"), &[]), picture);
    }
    // The same pictures as files make the same memory, and come back as the same files.
    folder.ok(&["memory", "build", "b.hfy", "out/*.png"]);
    retrieve("b.hfy", "out", "again");
    for row in 0..3 {
        assert_eq!(folder.bytes(&format!("again/{row:04}-{row:04}.png")), folder.bytes(&format!("out/{row:04}.png")));
    }
    let states = |memory: &str, queries: &str| {
        let run = folder.run(&[&["retrieve", memory, queries, "--out", "-"], &SETTINGS[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    assert_eq!(states("a.hfy", "out"), states("b.hfy", "p.npy"));
    let extra = &folder.json(&["memory", "info", "a.hfy"])["extra"];
    assert_eq!((&extra["picture.black"], &extra["picture.white"]), (&"-1".into(), &"1".into()));
}

#[test]
fn numbers_that_are_kept_keep_their_scale() {
    let folder = Folder::new();
    let bytes = noise(2 * 18 * 18);
    folder.write("p.npy", npy(&[2, 18, 18], &bytes));
    folder.ok(&["memory", "build", "kept.hfy", "p.npy", "--integers", "keep"]);
    let extra = &folder.json(&["memory", "info", "kept.hfy"])["extra"];
    assert_eq!((&extra["picture.black"], &extra["picture.white"]), (&"0".into(), &"255".into()));
    let arguments = ["retrieve", "kept.hfy", "p.npy", "--integers", "keep", "--pictures", "out"];
    folder.ok(&[&arguments[..], &["--steps", "1", "--map", "argmax"]].concat());
    let recalled = pixels(&folder, "out/0000.png", &[]);
    assert!(bytes.chunks(18 * 18).any(|picture| picture == recalled), "one of the pictures, with its own levels");
    // A picture file gets the scale of the memory before it is compared.
    let arguments = ["energy", "kept.hfy", "--json", "--map", "argmax"];
    let of_file = folder.ok(&[&arguments[..], &["out/0000.png"]].concat());
    let of_array = folder.ok(&[&arguments[..], &["p.npy", "--integers", "keep"]].concat());
    let energies = |text: &str| {
        let document: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let list = document["energies"].as_array().expect("a list").clone();
        list.iter().map(|row| row["energy"].as_f64().expect("a number")).collect::<Vec<_>>()
    };
    let (file, array) = (energies(&of_file)[0], energies(&of_array));
    assert!(array.iter().any(|energy| (energy - file).abs() < 1e-3 * file.abs()), "{file} among {array:?}");
}

#[test]
fn colours_are_kept_if_asked_for() {
    let folder = Folder::new();
    let bytes = noise(2 * 12 * 10 * 3);
    folder.write("p.npy", npy(&[2, 12, 10, 3], &bytes));
    let run = folder.run(&["memory", "build", "c.hfy", "p.npy"]);
    assert!(run.stderr.contains("pictures of 10 x 12 pixels in colour"), "{}", run.stderr);
    let run = folder.run(&[&["retrieve", "c.hfy", "p.npy", "--show", "--pictures", "out"], &SETTINGS[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(pixels(&folder, "out/0001.png", &["--colour"]), &bytes[12 * 10 * 3..]);
    // Without colours it is another kind of picture.
    let error = folder.fails(&["retrieve", "c.hfy", "out/0000.png"], 1);
    assert!(error.contains("is 10 x 12 pixels, but the pictures in c.hfy are 10 x 12 pixels in colour"), "{error}");
    folder.ok(&["retrieve", "c.hfy", "out/0000.png", "--colour"]);
}

#[test]
fn pictures_are_resized_if_asked_for() {
    let folder = Folder::new();
    let error = folder.fails(&["memory", "build", "m.hfy", &data("ramp.png"), &data("colours.png")], 1);
    assert!(error.contains("colours.png: is 4 x 1 pixels, but"), "{error}");
    for filter in ["nearest", "triangle", "catmullrom", "gaussian", "lanczos3"] {
        let name = format!("{filter}.hfy");
        let sources = [data("ramp.png"), data("colours.png"), data("ramp16.png")];
        let build =
            ["memory", "build", &name, &sources[0], &sources[1], &sources[2], "--size", "6x4", "--filter", filter];
        assert_eq!(folder.json(&build)["dimension"], 24);
    }
    let shape = folder.json(&["memory", "info", "lanczos3.hfy"])["picture"].clone();
    assert_eq!(shape, serde_json::json!([4, 6]));
    // The nearest pixels of a ramp from left to right, which has a step of 17 between columns.
    let ramp = pixels(&folder, &data("ramp.png"), &["--size", "8x1", "--filter", "nearest"]);
    assert_eq!(ramp, [17, 51, 85, 119, 153, 187, 221, 255]);
}

#[test]
fn scales_that_are_guessed_are_said() {
    let folder = Folder::new();
    let floats: Vec<u8> = [0.0f32, 0.25, 0.5, 1.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }");
    let file = [b"\x93NUMPY\x01\x00", &118u16.to_le_bytes()[..], header.as_bytes(), &floats].concat();
    folder.write("f.npy", file);
    let run = folder.run(&["memory", "build", "f.hfy", "f.npy"]);
    assert_eq!(run.stderr, "note: f.npy: taken for pictures of 2 x 2 pixels, from 0 (black) to 1 (white)\n");
    folder.ok(&["retrieve", "f.hfy", "f.npy", "--pictures", "out"]);
    assert_eq!(pixels(&folder, "out/0000.png", &[]), [0, 64, 128, 255]);
}
