//! A memory whose files were damaged: an error that says what is wrong, or what was stored. Never another answer.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use hfy_store::{Dtype, Error, Filter, Info, Memory, Texts};
use serde_json::json;
use support::{Content, Numbers, content};

/// A memory of several segments, with removals, updates and texts, and nothing left in the log of SQLite.
fn make(path: &Path) {
    let memory = Memory::create(path, Dtype::F32, 4).unwrap();
    for part in 0..3u64 {
        let labels = (0..20).map(|row| (row % 3 > 0).then(|| format!("label {}", row % 7))).collect();
        let metadata = (0..20).map(|row| (row % 2 > 0).then(|| json!({"row": row, "part": part}))).collect();
        memory.add(Numbers(part).array(20, 4).view(), &Texts { labels, metadata }).unwrap();
    }
    memory.remove(&[3, 25, 26, 59]).unwrap();
    memory.update(&[7, 41], Numbers(9).array(2, 4).view(), &Texts::default()).unwrap();
    memory.set_info(Info { omega: Some("entmax:1.5".into()), ..Info::default() }).unwrap();
}

#[derive(Debug, PartialEq)]
struct Read {
    content: Content,
    by_label: Vec<u64>,
    by_metadata: Vec<u64>,
}

fn read(path: &Path) -> Result<Read, Error> {
    let memory = Memory::open(path)?;
    let now = memory.snapshot()?;
    let query = |filter: &str| now.query(&filter.parse::<Filter>().unwrap());
    let read = Read {
        by_label: query("label = 'label 4'")?,
        by_metadata: query("part > 0 and row in (3, 5, 7)")?,
        content: content(&now)?,
    };
    assert_eq!(now.len(), memory.count()?);
    Ok(read)
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to.join("segments")).unwrap();
    for file in files(from) {
        fs::copy(from.join(&file), to.join(&file)).unwrap();
    }
}

/// The files of a memory, below its folder.
fn files(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("catalogue.sqlite")];
    let segments = fs::read_dir(path.join("segments")).unwrap();
    found.extend(segments.map(|entry| Path::new("segments").join(entry.unwrap().file_name())));
    found.sort();
    found
}

/// `HFY_STRESS_FLIPS` asks for more than 800 flips.
#[test]
fn flipped_bits_never_change_an_answer() {
    let flips: usize = std::env::var("HFY_STRESS_FLIPS").map_or(800, |flips| flips.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (whole, bent) = (folder.path().join("whole"), folder.path().join("bent"));
    make(&whole);
    assert!(!whole.join("catalogue.sqlite-wal").exists(), "the log was taken in when the last handle closed");
    let expected = read(&whole).unwrap();
    let mut numbers = Numbers(77);
    let (mut found, mut harmless) = (0, 0);
    for file in files(&whole) {
        let bytes = fs::read(whole.join(&file)).unwrap();
        let share = if file.starts_with("segments") { 8 } else { 2 };
        for _ in 0..flips / share {
            let (at, bit) = (numbers.below(bytes.len()), numbers.below(8));
            copy(&whole, &bent);
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            fs::write(bent.join(&file), changed).unwrap();
            match read(&bent) {
                Err(_) => found += 1,
                Ok(read) => {
                    harmless += 1;
                    assert!(read == expected, "{} byte {at} bit {bit}: another answer", file.display());
                }
            }
        }
    }
    println!("{found} flips were errors, {harmless} changed nothing that is read");
    assert!(found > flips / 3, "only {found} of {} flips were found", found + harmless);
}

#[test]
fn files_cut_short_missing_or_exchanged_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, bent) = (folder.path().join("whole"), folder.path().join("bent"));
    make(&whole);
    let (all, expected) = (files(&whole), read(&whole).unwrap());
    for file in &all {
        let bytes = fs::read(whole.join(file)).unwrap();
        for length in [0, 1, 7, bytes.len() / 3, bytes.len() - 1] {
            copy(&whole, &bent);
            fs::write(bent.join(file), &bytes[..length]).unwrap();
            // The end of a page of SQLite may be free.
            if let Ok(read) = read(&bent) {
                assert!(read == expected && length == bytes.len() - 1, "{} cut to {length}", file.display());
            }
        }
        copy(&whole, &bent);
        fs::remove_file(bent.join(file)).unwrap();
        let text = read(&bent).unwrap_err().to_string();
        assert!(text.contains(&file.display().to_string()), "{text}");
    }
    // Each of these segments is sound in itself.
    copy(&whole, &bent);
    fs::copy(whole.join(&all[1]), bent.join(&all[2])).unwrap();
    let text = read(&bent).unwrap_err().to_string();
    assert!(text.contains("is not the segment that the catalogue knows by this name"), "{text}");
}

#[test]
fn folders_and_databases_that_are_no_memory_are_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!Memory::is_memory(folder.path()));
    let text = Memory::open(folder.path()).unwrap_err().to_string();
    assert!(text.starts_with("cannot open ") && text.contains("catalogue.sqlite"), "{text}");
    let path = folder.path().join("catalogue.sqlite");
    fs::write(
        &path,
        b"not a database, but long enough to be read as the header of one, which has a hundred bytes or more",
    )
    .unwrap();
    let text = Memory::open(folder.path()).unwrap_err().to_string();
    assert!(text.contains("catalogue.sqlite: file is not a database"), "{text}");
    fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE pattern (id); PRAGMA user_version = 2")
        .unwrap();
    let text = Memory::open(folder.path()).unwrap_err().to_string();
    assert!(text.ends_with("application_id = 0: is not the catalogue of a memory"), "{text}");
}

#[test]
fn a_catalogue_whose_schema_would_run_something_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    make(&path);
    let hostile = "CREATE TRIGGER t AFTER INSERT ON pattern BEGIN DELETE FROM pattern; END";
    rusqlite::Connection::open(path.join("catalogue.sqlite")).unwrap().execute_batch(hostile).unwrap();
    let text = Memory::open(&path).unwrap_err().to_string();
    assert!(text.contains("has other tables than the catalogue of a memory"), "{text}");
}

#[test]
fn verification_finds_a_catalogue_that_disagrees_with_its_segments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    make(&path);
    Memory::open(&path).unwrap().verify().unwrap();
    rusqlite::Connection::open(path.join("catalogue.sqlite"))
        .unwrap()
        .execute("DELETE FROM pattern WHERE id = 9", [])
        .unwrap();
    let memory = Memory::open(&path).unwrap();
    let text = memory.verify().unwrap_err().to_string();
    assert!(text.contains("id 9 = nothing: has a pattern, but no entry in the catalogue"), "{text}");
    assert!(memory.snapshot().unwrap().get(9).is_err());
    assert!(memory.snapshot().unwrap().get(10).is_ok());
}
