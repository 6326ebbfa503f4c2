//! Writes a few small valid inputs for each target, for the fuzzer to start from, to a folder.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use hfy_fuzz::reseal;
use hfy_io::{npy, npz};
use hfy_store::{Info, Memory, Storable, Texts};
use ndarray::{Array2, array};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let corpus = std::env::args_os().nth(1).map(PathBuf::from).ok_or("give a folder to write to")?;
    exchange(&corpus)?;
    segment(&corpus)?;
    numpy(&corpus)?;
    csv(&corpus)?;
    maps(&corpus)
}

fn put(corpus: &Path, target: &str, name: &str, parts: &[&[u8]]) -> Outcome {
    let folder = corpus.join(target);
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(format!("seed-{name}")), parts.concat())?)
}

fn memory<T: Storable>(value: T, full: bool) -> hfy_store::Result<Vec<u8>> {
    let memory = Memory::temporary(T::DTYPE, 3)?;
    let mut texts = Texts::default();
    if full {
        texts.labels = vec![None, Some("one".into()), None, None];
        texts.metadata = vec![None, None, Some(json!({"two": [2, null]})), None];
        memory.set_info(Info { name: Some("seed".into()), ..Info::default() })?;
    }
    memory.add(Array2::from_elem((4, 3), value).view(), &texts)?;
    memory.remove(&[0])?;
    let mut file = Cursor::new(Vec::new());
    memory.snapshot()?.write_to(&mut file)?;
    Ok(file.into_inner())
}

/// As they are, to be sealed again, and without checksums, which are left out where their names are unknown.
fn exchange(corpus: &Path) -> Outcome {
    let full = memory(1.5f32, true)?;
    let mut sealed = full.clone();
    assert!(reseal(&mut sealed).is_some() && sealed == full, "sealing a true file again changes nothing");
    put(corpus, "exchange", "f32-full", &[&[1], &full])?;
    put(corpus, "exchange", "f32-as-it-is", &[&[0], &full])?;
    put(corpus, "exchange", "f16", &[&[1], &memory(f16::from_f32(1.5), false)?])?;
    put(corpus, "exchange", "bf16-full", &[&[1], &memory(bf16::from_f32(1.5), true)?])?;
    put(corpus, "exchange", "f64", &[&[1], &memory(1.5f64, false)?])?;
    let mut unchecked = full;
    let key = b"\"checksum.";
    for at in 0..unchecked.len() - key.len() {
        if unchecked[at..].starts_with(key) {
            unchecked[at + 4] = b'x';
        }
    }
    put(corpus, "exchange", "f32-unchecked", &[&[0], &unchecked])
}

/// Changes of the segment that the target makes itself, and a file of its own.
fn segment(corpus: &Path) -> Outcome {
    put(corpus, "segment", "unchanged", &[&[0]])?;
    put(corpus, "segment", "one-bit", &[&[0], &[100, 2, 1]])?;
    put(corpus, "segment", "unchanged-and-sealed", &[&[2]])?;
    put(corpus, "segment", "sealed", &[&[2], &[100, 2, 1, 20, 0, 3]])?;
    put(corpus, "segment", "other-file", &[&[1], &memory(1.5f32, false)?])?;
    put(corpus, "segment", "other-file-sealed", &[&[3], &memory(1.5f32, false)?])
}

fn numpy(corpus: &Path) -> Outcome {
    let mut file = Vec::new();
    npy::write(&mut file, array![[1.0f32, -2.0, 0.5], [3.0, 4.0, 1e30]].view())?;
    put(corpus, "npy", "f4", &[&[0, 0, 0], &file])?;
    file.clear();
    npy::write(&mut file, array![[1.0f64, -2.0], [1e300, 4.0]].view())?;
    put(corpus, "npy", "f8-to-f32", &[&[1, 1, 0], &file])?;
    let array = |descr: &str, fortran: &str, shape: &str, data: &[u8]| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
        let length = (text.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), data].concat()
    };
    let count: Vec<u8> = (0..24).collect();
    put(corpus, "npy", "fortran", &[&[0, 2, 0], &array(">i2", "True", "3, 4", &count)])?;
    put(corpus, "npy", "pictures", &[&[0, 3, 1], &array("|u1", "False", "2, 2, 2, 3", &count)])?;
    put(corpus, "npy", "rounded", &[&[2, 3, 0], &array("<u8", "False", "3,", &[255; 24])])?;
    put(corpus, "npy", "half", &[&[0, 3, 0], &array("<f2", "False", "12,", &count)])?;

    let (one, index) = (array![[1.0f32, 2.0]], [1, 2, 3]);
    let mut file = Cursor::new(Vec::new());
    let mut archive = npz::Archive::new(&mut file);
    archive.matrix("a", one.view())?;
    archive.finish()?;
    put(corpus, "npz", "one", &[&[0, 0], file.get_ref()])?;
    let mut file = Cursor::new(Vec::new());
    let mut archive = npz::Archive::new(&mut file);
    archive.matrix("a", one.view())?;
    archive.indices("b", &index)?;
    archive.finish()?;
    put(corpus, "npz", "two", &[&[0, 2], file.get_ref()])?;
    let mut stored = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let plain = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    stored.start_file("a.npy", plain)?;
    std::io::Write::write_all(&mut stored, &array("<i4", "False", "2, 3", &count))?;
    put(corpus, "npz", "stored", &[&[0, 1], &stored.finish()?.into_inner()])
}

fn csv(corpus: &Path) -> Outcome {
    let seeds: [(&str, [u8; 5], &str); 8] = [
        ("header", [0, 0, 0, 0, 0], "x,y\n1,2\n3,-4e5\n"),
        ("decimal-comma", [2, 2, 0, 0, 1], "# remark\n\"1,5\";2,25\n\n3;4\n"),
        ("guessed", [0, 0, 2, 1, 2], "1,5\t2\r\n3\tinf\r\n"),
        ("quotes", [1, 1, 2, 0, 3], "\"1\",\"2\"\n\"3\", 4 \n"),
        ("spaces", [4, 0, 1, 0, 0], "a b c\n1 2 3\n.5 1. -0\n"),
        ("pipes", [5, 1, 0, 1, 1], "1e39|2\n"),
        ("ragged", [0, 0, 0, 0, 0], "1,2\n3\n"),
        ("mark", [0, 0, 0, 0, 0], "\u{feff}1;2\n3;4"),
    ];
    seeds.into_iter().try_for_each(|(name, options, text)| put(corpus, "csv", name, &[&options, text.as_bytes()]))
}

fn maps(corpus: &Path) -> Outcome {
    let seeds = [
        "softmax",
        "sparsemax",
        "argmax",
        "entmax:1.5",
        "normmax:5",
        "subsets:2",
        "bounded:0.5,0.25,1,1,1",
        "quadratic",
        "power:3",
        "exponential",
        "sequence:2:t=0.5",
        "sequence:2:t=0.5,1,0,-1:reg=on",
        "sequence:3:t=inf",
        "windows:3",
        "spans",
        "spans:3:reg=both",
        "atmost:3",
        "labels:2x3:t=0.5",
        "assignment:2x2",
        "matching:2x3",
        "trees:4",
        "arborescence:2",
        "projective:3:root=single",
        "identity",
        "l2:2.5",
        "layernorm:eta=2,eps=1e-5,variance=unbiased,delta=0;1;0;0;0",
        "tanh:2",
        "sign",
        "year > 2020 and lang = \"de\"",
        "not (label like \"%a_\" or id in (1, 2))",
        "tags contains 'new' or done != true",
        "a.b is not null and `x` <= -1.5e3",
        "metadata.label is null",
    ];
    seeds
        .into_iter()
        .enumerate()
        .try_for_each(|(at, text)| put(corpus, "maps", &format!("{at:02}"), &[text.as_bytes()]))
}
