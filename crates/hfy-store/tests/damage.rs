//! A damaged, truncated or hostile file is an error that says what is wrong, or the memory that was saved. Never a
//! panic.

mod support;

use hfy_store::{Dtype, Error, Filter, Info, Memory, Snapshot, Texts};
use ndarray::array;
use proptest::prelude::*;
use serde_json::json;
use support::{Content, Numbers, bytes, content, craft};

/// Opens and reads all there is to read; what comes out, if anything.
fn read(file: &[u8]) -> Result<Content, Error> {
    let snapshot = Snapshot::from_bytes(file)?;
    // Reading comes first: damage must be found, and be safe, without a verification.
    let found = content(&snapshot)?;
    let _ = snapshot.any_patterns()?;
    let finite = found.records.iter().flat_map(|record| &record.1).all(|value| value.is_finite());
    if !finite {
        snapshot.verify()?;
    }
    Ok(found)
}

fn small() -> Snapshot {
    let memory = Memory::temporary(Dtype::F32, 3).unwrap();
    let labels = vec![Some("zero".into()), None, Some("\u{e9}t\u{e9}".into())];
    let texts = Texts { labels, metadata: vec![None, Some(json!({"k": [1, 2.5, "x"]})), None] };
    memory.add(array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.5]].view(), &texts).unwrap();
    memory.remove(&[1]).unwrap();
    let texts = Texts { metadata: vec![Some(json!([true, null]))], ..Texts::default() };
    memory.add(array![[0.5f32, 0.25, 0.125]].view(), &texts).unwrap();
    let info = Info { name: Some("small".into()), omega: Some("sparsemax".into()), ..Info::default() };
    memory.set_info(info).unwrap();
    memory.snapshot().unwrap()
}

/// The file of [`small`].
fn small_file() -> Vec<u8> {
    static FILE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    FILE.get_or_init(|| bytes(&small())).clone()
}

fn message(file: &[u8]) -> String {
    read(file).expect_err("this file is damaged").to_string()
}

#[test]
fn cut_at_any_length() {
    let file = small_file();
    read(&file).unwrap();
    for length in 0..file.len() {
        let text = message(&file[..length]);
        assert!(text.starts_with("bytes: ") && text.contains("length"), "{length}: {text}");
    }
    let longer = [&file[..], &[0]].concat();
    assert!(message(&longer).contains("too long"));
}

#[test]
fn every_flip_of_a_bit_is_found() {
    let file = small_file();
    let saved = read(&file).unwrap();
    let mut unfound = 0;
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut file = file.clone();
            file[at] ^= 1 << bit;
            if let Ok(found) = read(&file) {
                // Only a flip in the key of the header's own checksum can pass: it takes the check away, nothing else.
                let mut info = saved.info.clone();
                info.extra = found.info.extra.clone();
                assert_eq!(found, Content { info, ..saved.clone() }, "byte {at}, bit {bit}");
                unfound += 1;
            }
        }
    }
    assert!(unfound <= 8 * "checksum.header".len(), "{unfound} flips were not found");
}

#[test]
fn every_byte_set_to_zero_or_to_all_ones() {
    let file = small_file();
    let saved = read(&file).unwrap();
    for at in 0..file.len() {
        for value in [0, 0xff, b'"', b'9'] {
            let mut file = file.clone();
            file[at] = value;
            if let Ok(found) = read(&file) {
                assert_eq!(found.records, saved.records, "byte {at} = {value}");
            }
        }
    }
}

/// The parts of a valid file without checksums, so that damage goes on to the checks behind them.
struct Parts {
    format: String,
    version: String,
    next_id: String,
    tensors: Vec<(String, String, String, [i128; 2])>,
    data: Vec<u8>,
}

impl Parts {
    /// Two patterns of three, ids 4 and 9, labels "ab" and "c", metadata none and `1`.
    fn new() -> Self {
        let mut data = Vec::new();
        [4u64, 9, 0, 2, 3, 0, 0, 1].iter().for_each(|v| data.extend(v.to_le_bytes()));
        [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().for_each(|v| data.extend(v.to_le_bytes()));
        data.extend(b"abc1");
        let tensor =
            |name: &str, dtype: &str, shape: &str, from, to| (name.into(), dtype.into(), shape.into(), [from, to]);
        Parts {
            format: "hfy-memory".into(),
            version: "1".into(),
            next_id: "10".into(),
            tensors: vec![
                tensor("ids", "U64", "[2]", 0, 16),
                tensor("labels.offsets", "U64", "[3]", 16, 40),
                tensor("metadata.offsets", "U64", "[3]", 40, 64),
                tensor("patterns", "F32", "[2,3]", 64, 88),
                tensor("labels.bytes", "U8", "[3]", 88, 91),
                tensor("metadata.bytes", "U8", "[1]", 91, 92),
            ],
            data,
        }
    }

    fn tensor(mut self, name: &str, change: impl FnOnce(&mut (String, String, String, [i128; 2]))) -> Self {
        change(self.tensors.iter_mut().find(|t| t.0 == name).unwrap());
        self
    }

    fn data(mut self, at: usize, bytes: &[u8]) -> Self {
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn file(&self) -> Vec<u8> {
        let tensors: Vec<_> = self
            .tensors
            .iter()
            .map(|(name, dtype, shape, [from, to])| {
                format!(r#""{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}"#)
            })
            .collect();
        let (format, version, next) = (&self.format, &self.version, &self.next_id);
        let own = format!(r#"{{"format":"{format}","version":"{version}","next_id":"{next}"}}"#);
        craft(&format!(r#"{{"__metadata__":{own},{}}}"#, tensors.join(",")), &self.data)
    }

    fn message(&self) -> String {
        message(&self.file())
    }
}

#[test]
fn each_rule_has_its_message() {
    let valid = read(&Parts::new().file()).unwrap();
    assert_eq!(valid.records[0], (4, vec![1.0, 2.0, 3.0], Some("ab".into()), None));
    assert_eq!(valid.records[1], (9, vec![4.0, 5.0, 6.0], Some("c".into()), Some(json!(1))));

    let parts = Parts { format: "pt".into(), ..Parts::new() };
    assert_eq!(parts.message(), r#"bytes: format = "pt": must be "hfy-memory""#);
    let parts = Parts { version: "2".into(), ..Parts::new() };
    assert_eq!(parts.message(), r#"bytes: version = "2": this program reads version "1""#);
    let parts = Parts { next_id: "-1".into(), ..Parts::new() };
    assert_eq!(parts.message(), r#"bytes: next_id = "-1": must be a number from 0 to 2^64 - 1"#);
    let parts = Parts { next_id: "9".into(), ..Parts::new() };
    assert_eq!(parts.message(), "bytes: next_id = 9: must be greater than every id, but 9 is in use");

    let cases = [
        (Parts::new().data(8, &4u64.to_le_bytes()), "bytes: ids[1] = 4: ids must ascend, so that each occurs once"),
        (Parts::new().data(8, &3u64.to_le_bytes()), "bytes: ids[1] = 3: ids must ascend, so that each occurs once"),
        (Parts::new().data(24, &9u64.to_le_bytes()), "bytes: labels.offsets[2] = 3: offsets must not descend"),
        (
            Parts::new().data(16, &1u64.to_le_bytes()),
            "bytes: labels.offsets = 1 to 3: must go from 0 to 3, the length of labels.bytes",
        ),
        (
            Parts::new().data(32, &u64::MAX.to_le_bytes()),
            "bytes: labels.offsets = 0 to 18446744073709551615: must go from 0 to 3, the length of labels.bytes",
        ),
        (
            Parts::new().data(88, b"\xff"),
            "bytes: labels[0] = invalid utf-8 sequence of 1 bytes from index 0: must be UTF-8",
        ),
        (
            Parts::new().data(91, b"{"),
            "bytes: metadata[1] = EOF while parsing an object at line 1 column 1: must be JSON",
        ),
        (
            Parts::new().data(84, &f32::NAN.to_le_bytes()),
            "bytes: patterns[1, 2] = NaN (id 9): a pattern must be finite",
        ),
        (
            Parts::new().tensor("patterns", |t| t.1 = "I32".into()),
            "bytes: type of patterns = I32: must be F32, F64, F16 or BF16",
        ),
        (Parts::new().tensor("patterns", |t| t.2 = "[6]".into()), "bytes: shape of patterns = [6]: must have 2 axes"),
        (
            Parts::new().tensor("patterns", |t| t.2 = "[3,2]".into()),
            "bytes: shape of ids = [2]: must be [3], to fit the rows of patterns",
        ),
        (Parts::new().tensor("ids", |t| t.1 = "I64".into()), "bytes: type of ids = I64: must be U64"),
        (
            Parts::new().tensor("ids", |t| t.0 = "id".into()),
            "bytes: tensor = \"id\": version 1 has no tensor of this name",
        ),
        (Parts::new().tensor("labels.bytes", |t| t.1 = "I8".into()), "bytes: type of labels.bytes = I8: must be U8"),
    ];
    for (parts, expected) in cases {
        assert_eq!(parts.message(), expected);
    }

    let mut parts = Parts::new();
    parts.tensors.remove(5);
    parts.data.pop();
    assert_eq!(parts.message(), "bytes: tensor = \"metadata.bytes\": is missing");
    let mut parts = Parts::new();
    parts.tensors.clear();
    parts.data.clear();
    let file = String::from_utf8(parts.file()).unwrap().replace("},}", "}}");
    assert_eq!(message(&craft(file[8..].trim(), &[])), "bytes: tensor = \"patterns\": is missing");
}

#[test]
fn tensors_must_not_overlap_leave_gaps_or_leave_the_file() {
    let offsets = [
        [64, 87],
        [63, 87],
        [0, 24],
        [88, 64],
        [64, 1 << 40],
        [64, i128::from(u64::MAX)],
        [-8, 16],
        [64, -1],
        [i128::from(u64::MAX) - 23, i128::from(u64::MAX) + 1],
        [i128::from(i64::MAX), i128::from(i64::MAX) + 24],
    ];
    for range in offsets {
        let text = Parts::new().tensor("patterns", |t| t.3 = range).message();
        assert!(text.contains("header"), "{range:?}: {text}");
    }
    for shape in
        ["[2,18446744073709551615]", "[4294967296,4294967296]", "[-2,3]", "[2.0,3]", "[2,3,1e3]", "\"2\"", "[]"]
    {
        let text = Parts::new().tensor("patterns", |t| t.2 = shape.into()).message();
        assert!(text.contains("header") || text.contains("shape"), "{shape}: {text}");
    }
}

#[test]
fn sizes_that_wrap_around_are_found() {
    // Eight tensors of 2^61 - 1 bytes and a rest of 7: the offsets fit in 64 bits, but 8 + header + data does not.
    let mut tensors = Vec::new();
    let (mut at, size) = (0u64, (1u64 << 61) - 1);
    while let Some(end) = at.checked_add(size) {
        tensors.push(format!(r#""t{}":{{"dtype":"U8","shape":[{size}],"data_offsets":[{at},{end}]}}"#, tensors.len()));
        at = end;
    }
    let rest = u64::MAX - at;
    tensors.push(format!(r#""r":{{"dtype":"U8","shape":[{rest}],"data_offsets":[{at},{}]}}"#, u64::MAX));
    let text = message(&craft(&format!("{{{}}}", tensors.join(",")), &[0; 64]));
    assert!(text.contains("more than can be addressed"), "{text}");
}

#[test]
fn patterns_that_are_not_aligned_are_refused() {
    // `labels.bytes` before the patterns: three bytes.
    let ids = r#""ids":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}"#;
    let labels = r#""labels.offsets":{"dtype":"U64","shape":[2],"data_offsets":[8,24]},"labels.bytes":{"dtype":"U8","shape":[3],"data_offsets":[24,27]}"#;
    let patterns = r#""patterns":{"dtype":"F32","shape":[1,1],"data_offsets":[27,31]}"#;
    let own = r#""__metadata__":{"format":"hfy-memory","version":"1","next_id":"1"}"#;
    let text = message(&craft(&format!("{{{own},{ids},{labels},{patterns}}}"), &[0; 31]));
    assert!(text.contains("start of patterns") && text.contains("must be a multiple of 4"), "{text}");
}

#[test]
fn headers_from_hell() {
    let long = format!("{{\"{}\":1}}", "x".repeat(3000));
    let own = r#"{"__metadata__":{"format":"hfy-memory","version":"1","next_id":"1"}"#;
    let texts = [
        String::new(),
        "{".into(),
        "null".into(),
        "[]".into(),
        "\"\"".into(),
        "{}".into(),
        "1e999".into(),
        "[".repeat(100_000),
        "{\"a\":".repeat(50_000),
        format!("{own},\"patterns\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000)),
        r#"{"__metadata__":{"format":1}}"#.into(),
        r#"{"__metadata__":null}"#.into(),
        r#"{"__metadata__":{"format":"hfy-memory"},"__metadata__":{"format":"hfy-memory"}}"#.into(),
        format!("{own},\"checksum.header\":\"0\"}}"),
        r#"{"__metadata__":{"format":"hfy-memory","version":"1","checksum.header":"+123456789abcdef"}}"#.into(),
        r#"{"__metadata__":{"format":"hfy-memory","version":"1","checksum.ids":"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"}}"#.into(),
        long,
    ];
    for text in &texts {
        let message = message(&craft(text, &[]));
        assert!(message.len() < 500, "a message of {} bytes", message.len());
    }
    for length in [0u64, 7, 9, 1 << 20, (1 << 20) + 1, 1 << 32, 1 << 63, u64::MAX - 7, u64::MAX] {
        for rest in [0, 5, 8, 100] {
            let file = [&length.to_le_bytes()[..], &vec![b'{'; rest]].concat();
            message(&file);
        }
    }
    assert!(message(&craft("\u{1}", &[])).contains("this is not a memory"));
    let mut file = craft("{}", &[]);
    file[9] = 0xff;
    assert!(message(&file).contains("UTF-8"));
}

#[test]
fn an_empty_memory_of_absurd_width_is_refused() {
    for width in ["0", "134217729", "9223372036854775807", "18446744073709551615"] {
        let own = r#""__metadata__":{"format":"hfy-memory","version":"1","next_id":"0"}"#;
        let ids = r#""ids":{"dtype":"U64","shape":[0],"data_offsets":[0,0]}"#;
        let patterns = format!(r#""patterns":{{"dtype":"F64","shape":[0,{width}],"data_offsets":[0,0]}}"#);
        assert!(message(&craft(&format!("{{{own},{ids},{patterns}}}"), &[])).contains("shape of patterns"));
    }
}

#[test]
fn ids_that_sqlite_cannot_hold_are_refused() {
    let parts = Parts { next_id: u64::MAX.to_string(), ..Parts::new() };
    let snapshot = Snapshot::from_bytes(&parts.file()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let text = Memory::import(&snapshot, folder.path().join("m.hfy"), false).unwrap_err().to_string();
    assert_eq!(text, "next_id = 18446744073709551615: ids of a memory are less than 2^63 - 1");
    assert!(!folder.path().join("m.hfy").exists());
}

#[test]
fn ids_that_sqlite_cannot_order_are_not_filtered() {
    let parts = Parts { next_id: u64::MAX.to_string(), ..Parts::new() }.data(8, &(1u64 << 63).to_le_bytes());
    let snapshot = Snapshot::from_bytes(&parts.file()).unwrap();
    let filter: Filter = "id > 5".parse().unwrap();
    let text = snapshot.filtered(&filter).unwrap_err().to_string();
    assert_eq!(text, "id = 9223372036854775808: ids of a memory are less than 2^63 - 1");
}

#[test]
fn damage_is_neither_exported_nor_imported() {
    let file = small_file();
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    for at in 0..file.len() {
        let mut file = file.clone();
        file[at] ^= 0x10;
        if let Ok(snapshot) = Snapshot::from_bytes(&file) {
            if snapshot.verify().is_ok() {
                continue;
            }
            // Verifying must not make later reads believe.
            let error = snapshot.write_to(std::io::Cursor::new(Vec::new())).unwrap_err();
            assert!(matches!(error, Error::Checksum { .. } | Error::Damaged { .. }), "{error}");
            assert!(Memory::import(&snapshot, folder.path().join("m.hfy"), false).is_err());
            assert!(!folder.path().join("m.hfy").exists());
            found += 1;
        }
    }
    assert!(found >= 36, "patterns and texts are not read when opening");
}

#[test]
fn what_is_no_memory_file_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let text = |path: &std::path::Path| Memory::open(path).unwrap_err().to_string();
    assert!(text(&path).starts_with(&format!("cannot open {}", path.display())));
    assert!(text(folder.path()).contains("catalogue.sqlite"));
    std::fs::write(&path, b"").unwrap();
    assert_eq!(text(&path), format!("{}: length = 0: a memory file has at least 8 bytes", path.display()));
    std::fs::write(&path, b"PK\x03\x04 this is something else").unwrap();
    assert!(text(&path).contains("this is not a memory"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(file in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&file).is_err());
        prop_assert!(read(&craft(&String::from_utf8_lossy(&file), &file)).is_err());
    }

    #[test]
    fn many_random_changes(seed in 1u64.., count in 1usize..6) {
        let file = small_file();
        let saved = read(&file).unwrap();
        let mut numbers = Numbers(seed);
        let mut changed = file.clone();
        for _ in 0..count {
            let at = numbers.below(changed.len());
            match numbers.below(4) {
                0 => changed[at] = numbers.next() as u8,
                1 => { changed.remove(at); }
                2 => changed.insert(at, numbers.next() as u8),
                _ => { let to = numbers.below(changed.len()); changed.swap(at, to); }
            }
        }
        if let Ok(found) = read(&changed) {
            prop_assert_eq!(found.records, saved.records);
        }
    }

    /// Without checksums a change may go unseen, but it must not be unsafe.
    #[test]
    fn random_changes_without_checksums(seed in 1u64.., count in 1usize..6) {
        let mut file = Parts::new().file();
        let mut numbers = Numbers(seed);
        for _ in 0..count {
            let at = numbers.below(file.len());
            file[at] = if numbers.below(2) == 0 { b'0' + numbers.below(10) as u8 } else { numbers.next() as u8 };
        }
        if let Ok(found) = read(&file) {
            prop_assert!(found.records.iter().flat_map(|r| &r.1).all(|v| v.is_finite()));
            let snapshot = Snapshot::from_bytes(&file).unwrap();
            let again = Snapshot::from_bytes(&bytes(&snapshot)).unwrap();
            prop_assert_eq!(content(&again).unwrap().records, found.records);
        }
    }
}
