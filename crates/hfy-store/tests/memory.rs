//! What a memory does, on its own and through its file.

mod support;

use std::collections::BTreeMap;

use half::{bf16, f16};
use hfy_store::{AnyPatterns, Dtype, Error, Info, Memory, Pending, Record, Storable};
use ndarray::{Array1, Array2, array, s};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Numbers, bytes, content};

fn three() -> Memory {
    Memory::from_patterns(array![[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]].view()).unwrap()
}

#[test]
fn ids_are_stable_and_never_used_again() {
    let mut memory = three();
    memory.remove(&[2, 0]).unwrap();
    assert_eq!(memory.add(array![7.0f32, 8.0].view()).unwrap(), 3);
    assert_eq!(memory.ids().collect::<Vec<_>>(), [1, 3]);
    assert_eq!((memory.row_of(1), memory.row_of(3), memory.row_of(2)), (Some(0), Some(1), None));
    assert_eq!((memory.id_of(0), memory.id_of(1), memory.id_of(2)), (Some(1), Some(3), None));
    // Removing the last and saving must not bring its id back.
    memory.remove(&[3]).unwrap();
    let mut memory = Memory::from_bytes(&bytes(&memory)).unwrap();
    assert_eq!(memory.add(array![7.0f32, 8.0].view()).unwrap(), 4);
    assert_eq!(memory.get(3).unwrap_err().to_string(), "id = 3: no pattern in this memory has it any more");
    assert_eq!(memory.get(9).unwrap_err().to_string(), "id = 9: no pattern in this memory has it");
}

#[test]
fn an_opened_memory_is_read_in_place_until_it_must_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    three().save_as(&path).unwrap();
    let mut memory = Memory::open(&path).unwrap();
    assert!(!memory.is_changed());
    let view = memory.patterns::<f32>().unwrap();
    assert!(view.is_view());
    assert_eq!(view.as_ptr().align_offset(64), 0, "patterns start on a line of the cache");
    let first = view.as_ptr();

    memory.add(array![7.0f32, 8.0].view()).unwrap();
    memory.update(1, array![-3.0f32, -4.0].view()).unwrap();
    assert_eq!(memory.pending(), Pending { added: 1, removed: 0, updated: 1 });
    let stretches: Vec<_> = memory.stretches::<f32>().unwrap().map(|(row, part)| (row, part.nrows())).collect();
    assert_eq!(stretches, [(0, 1), (1, 1), (2, 1), (3, 1)]);
    assert_eq!(memory.stretches::<f32>().unwrap().next().unwrap().1.as_ptr(), first, "the file, not a copy");
    let copy = memory.patterns::<f32>().unwrap();
    assert!(copy.is_owned());
    assert_eq!(copy, array![[1.0f32, 2.0], [-3.0, -4.0], [5.0, 6.0], [7.0, 8.0]]);

    memory.remove(&[0, 1]).unwrap();
    assert_eq!(memory.pending(), Pending { added: 1, removed: 2, updated: 0 });
    memory.save().unwrap();
    assert_eq!(memory.pending(), Pending::default());
    assert!(memory.patterns::<f32>().unwrap().is_view());
    assert_eq!(Memory::open(&path).unwrap().patterns::<f32>().unwrap(), array![[5.0f32, 6.0], [7.0, 8.0]]);

    memory.remove(&[2]).unwrap();
    assert!(memory.patterns::<f32>().unwrap().is_view(), "what is left is one stretch");
}

#[test]
fn the_place_of_patterns_is_known_while_they_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let mut memory = three();
    assert_eq!(memory.place_in_file(), None);
    memory.save_as(&path).unwrap();
    let place = memory.place_in_file().unwrap();
    let file = std::fs::read(&path).unwrap();
    let numbers: Vec<f32> = file[place].chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let mut changed = memory.clone();
    changed.remove(&[1]).unwrap();
    assert_eq!(changed.place_in_file(), None);
    let mut changed = memory.clone();
    changed.update(1, array![0.0f32, 0.0].view()).unwrap();
    assert_eq!(changed.place_in_file(), None);
    memory.add(array![7.0f32, 8.0].view()).unwrap();
    assert_eq!(memory.place_in_file(), None);
    assert_eq!(Memory::from_bytes(&bytes(&three())).unwrap().place_in_file(), None);
}

#[test]
fn every_type_goes_through_the_file() {
    fn check<T: Storable>(values: [T; 6], any: impl Fn(&AnyPatterns<'_>) -> bool) {
        let patterns = Array2::from_shape_vec((3, 2), values.to_vec()).unwrap();
        let file = bytes(&Memory::from_patterns(patterns.view()).unwrap());
        let mut memory = Memory::from_bytes(&file).unwrap();
        assert_eq!(memory.dtype(), T::DTYPE);
        assert_eq!(memory.patterns::<T>().unwrap(), patterns);
        assert!(any(&memory.any_patterns().unwrap()));
        memory.update(0, patterns.row(2)).unwrap();
        memory.add(patterns.row(1)).unwrap();
        let again = Memory::from_bytes(&bytes(&memory)).unwrap();
        again.verify().unwrap();
        assert_eq!(again.get(0).unwrap().pattern::<T>().unwrap(), patterns.row(2));
        assert_eq!(again.get(3).unwrap().pattern::<T>().unwrap(), patterns.row(1));
        assert_eq!(T::DTYPE.to_string().parse::<Dtype>().unwrap(), T::DTYPE);
    }
    let values = [1.0f32, -2.0, 0.5, 0.25, 8.0, -0.0];
    check(values, |p| matches!(p, AnyPatterns::F32(_)));
    check(values.map(f64::from), |p| matches!(p, AnyPatterns::F64(_)));
    check(values.map(f16::from_f32), |p| matches!(p, AnyPatterns::F16(_)));
    check(values.map(bf16::from_f32), |p| matches!(p, AnyPatterns::Bf16(_)));
}

#[test]
fn labels_metadata_and_info_are_kept() {
    let mut memory = three();
    memory.set_label(0, Some("eins, \"zwei\" \u{1F980}")).unwrap();
    memory.set_label(1, Some("")).unwrap();
    memory.set_metadata(2, Some(&json!({"from": ["a", 1, null, 0.1]}))).unwrap();
    memory.set_metadata(1, Some(&Value::Null)).unwrap();
    let extra = BTreeMap::from([("owner \"checksum.ids\":\"".to_owned(), "\"checksum.header\":\"\n".to_owned())]);
    let info = Info { name: Some("n".into()), beta: Some("0.1".into()), extra, ..Info::default() };
    memory.set_info(info.clone()).unwrap();

    let mut memory = Memory::from_bytes(&bytes(&memory)).unwrap();
    memory.verify().unwrap();
    assert_eq!(memory.get(0).unwrap().label().unwrap(), Some("eins, \"zwei\" \u{1F980}"));
    assert_eq!(memory.get(1).unwrap().label().unwrap(), None);
    assert_eq!(memory.get(2).unwrap().metadata().unwrap(), Some(json!({"from": ["a", 1, null, 0.1]})));
    assert_eq!(memory.get(1).unwrap().metadata().unwrap(), Some(Value::Null));
    let created_by = Some(format!("hfy-store {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(memory.info(), &Info { created_by, ..info });

    // Over what is in the file, and away from it.
    memory.set_label(0, None).unwrap();
    memory.set_label(2, Some("three")).unwrap();
    memory.set_metadata(2, None).unwrap();
    let texts = |memory: &Memory| -> Vec<(Option<String>, Option<Value>)> {
        let texts = |r: Record<'_>| (r.label().unwrap().map(str::to_owned), r.metadata().unwrap());
        memory.iter().map(texts).collect()
    };
    let expected = [(None, None), (None, Some(Value::Null)), (Some("three".to_owned()), None)];
    assert_eq!(texts(&memory), expected);
    assert_eq!(texts(&Memory::from_bytes(&bytes(&memory)).unwrap()), expected);
    memory.compact().unwrap();
    assert_eq!(texts(&memory), expected);
}

#[test]
fn the_same_memory_is_the_same_file() {
    let mut memory = three();
    for (id, label) in [(0, "a"), (1, "b"), (2, "c")] {
        memory.set_label(id, Some(label)).unwrap();
    }
    assert_eq!(bytes(&memory), bytes(&memory.clone()));
    assert_eq!(bytes(&memory), bytes(&Memory::from_bytes(&bytes(&memory)).unwrap()));
}

#[test]
fn misuse_names_the_argument_the_value_and_the_rule() {
    let mut memory = three();
    let before = content(&memory).unwrap();
    let message = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert_eq!(message(Memory::new(Dtype::F32, 0).map(drop)), "dim = 0: must be from 1 to 2^27");
    assert_eq!(message(memory.add(array![1.0f32].view()).map(drop)), "patterns has shape [1, 1], expected [1, 2]");
    assert_eq!(
        message(memory.add(array![1.0f64, 2.0].view()).map(drop)),
        "patterns is of type f64, but the memory holds f32: convert it first"
    );
    assert_eq!(
        message(memory.add_batch(array![[1.0f32, 2.0], [3.0, f32::NAN]].view()).map(drop)),
        "patterns = NaN in row 1, column 1: must be finite"
    );
    assert!(message(memory.update(0, array![f32::INFINITY, 0.0].view())).contains("must be finite"));
    assert!(message(memory.update(5, array![0.0f32, 0.0].view())).starts_with("id = 5"));
    assert!(message(memory.remove(&[0, 5])).starts_with("id = 5"));
    assert!(message(memory.set_label(5, Some("x"))).starts_with("id = 5"));
    assert!(message(memory.patterns::<f64>().map(drop)).contains("f64"));
    assert!(message(memory.save()).contains("save_as"));
    let extra = BTreeMap::from([("next_id".to_owned(), "7".to_owned())]);
    assert!(message(memory.set_info(Info { extra, ..Info::default() })).contains("\"next_id\""));
    let mut deep = Value::Null;
    for _ in 0..200 {
        deep = json!([deep]);
    }
    assert!(message(memory.set_metadata(0, Some(&deep))).contains("recursion limit"));
    assert_eq!(content(&memory).unwrap(), before, "nothing was changed");

    memory.set_info(Info { name: Some("x".repeat(1 << 20)), ..Info::default() }).unwrap();
    assert!(message(memory.write_to(std::io::Cursor::new(Vec::new()))).contains("1 MiB"));
}

#[test]
fn patterns_in_any_order_of_memory_are_taken() {
    let wide = array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let memory = Memory::from_patterns(wide.t()).unwrap();
    assert_eq!(memory.patterns::<f32>().unwrap(), wide.t());
    let memory = Memory::from_patterns(wide.slice(s![.., ..;2])).unwrap();
    assert_eq!(memory.patterns::<f32>().unwrap(), array![[1.0f32, 3.0], [4.0, 6.0]]);
}

#[test]
fn a_memory_where_patterns_come_and_go_stays_small() {
    let mut memory = Memory::new(Dtype::F32, 4).unwrap();
    for step in 0..10_000u64 {
        memory.add(Array1::from_elem(4, step as f32).view()).unwrap();
        if let Some(old) = step.checked_sub(10) {
            memory.remove(&[old]).unwrap();
        }
    }
    assert_eq!(memory.len(), 10);
    assert!(memory.pending().added == 10);
    assert_eq!(memory.get(9_995).unwrap().to_f64(), [9995.0; 4]);
    assert!(format!("{memory:?}").len() < 4_000, "removed patterns are gone");
}

#[test]
fn an_empty_memory_goes_through_the_file() {
    let memory = Memory::from_bytes(&bytes(&Memory::new(Dtype::Bf16, 7).unwrap())).unwrap();
    memory.verify().unwrap();
    assert!(memory.is_empty() && memory.dim() == 7 && memory.iter().next().is_none());
    assert_eq!(memory.patterns::<bf16>().unwrap().dim(), (0, 7));
}

#[test]
fn types_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Memory>();
    check::<Record<'_>>();
    check::<Error>();
    check::<AnyPatterns<'_>>();
}

/// Pattern, label and metadata.
type Kept = (Vec<f64>, Option<String>, Option<Value>);

/// The plainest memory there is, to compare with.
#[derive(Debug, Clone, Default)]
struct Plain {
    next: u64,
    records: BTreeMap<u64, Kept>,
}

#[derive(Debug, Clone)]
enum Step {
    Add(usize),
    Remove(Vec<usize>),
    Update(usize),
    Label(usize, Option<String>),
    Metadata(usize, Option<i64>),
    Save,
    Bytes,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..5).prop_map(Step::Add),
        3 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Remove),
        3 => any::<usize>().prop_map(Step::Update),
        2 => (any::<usize>(), prop::option::of(".{0,6}")).prop_map(|(at, label)| Step::Label(at, label)),
        2 => (any::<usize>(), prop::option::of(any::<i64>())).prop_map(|(at, value)| Step::Metadata(at, value)),
        2 => Just(Step::Save),
        1 => Just(Step::Bytes),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_history_gives_what_a_plain_memory_gives(steps in prop::collection::vec(step(), 0..40), dim in 1usize..5) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.hfy");
        let mut memory = Memory::new(Dtype::F32, dim).unwrap();
        memory.save_as(&path).unwrap();
        let mut plain = Plain::default();
        let mut numbers = Numbers(7);
        for step in steps {
            let id_at = |at: usize| plain.records.keys().nth(at % plain.records.len().max(1)).copied();
            match step {
                Step::Add(rows) => {
                    let patterns = numbers.array(rows, dim);
                    prop_assert_eq!(memory.add_batch(patterns.view()).unwrap(), plain.next..plain.next + rows as u64);
                    for row in patterns.rows() {
                        let row = row.iter().map(|&v| f64::from(v)).collect();
                        plain.records.insert(plain.next, (row, None, None));
                        plain.next += 1;
                    }
                }
                Step::Remove(at) => {
                    let ids: Vec<_> = at.into_iter().filter_map(id_at).collect();
                    memory.remove(&ids).unwrap();
                    plain.records.retain(|id, _| !ids.contains(id));
                }
                Step::Update(at) => if let Some(id) = id_at(at) {
                    let pattern = numbers.array(1, dim);
                    memory.update(id, pattern.row(0)).unwrap();
                    plain.records.get_mut(&id).unwrap().0 = pattern.iter().map(|&v| f64::from(v)).collect();
                }
                Step::Label(at, label) => if let Some(id) = id_at(at) {
                    memory.set_label(id, label.as_deref()).unwrap();
                    plain.records.get_mut(&id).unwrap().1 = label.filter(|l| !l.is_empty());
                }
                Step::Metadata(at, value) => if let Some(id) = id_at(at) {
                    let value = value.map(|v| json!({"value": v}));
                    memory.set_metadata(id, value.as_ref()).unwrap();
                    plain.records.get_mut(&id).unwrap().2 = value;
                }
                Step::Save => {
                    memory.save_as(&path).unwrap();
                    memory.verify().unwrap();
                }
                Step::Bytes => memory = Memory::from_bytes(&bytes(&memory)).unwrap(),
                Step::Compact => memory.compact().unwrap(),
            }
            let found = content(&memory).unwrap();
            prop_assert_eq!(found.next_id, plain.next);
            let expected: Vec<_> =
                plain.records.iter().map(|(&id, (p, l, m))| (id, p.clone(), l.clone(), m.clone())).collect();
            prop_assert_eq!(&found.records, &expected);
            prop_assert_eq!(memory.len(), expected.len());
            let patterns = memory.patterns::<f32>().unwrap();
            for (row, (id, pattern, ..)) in expected.iter().enumerate() {
                prop_assert_eq!(memory.row_of(*id), Some(row));
                prop_assert_eq!(memory.id_of(row), Some(*id));
                prop_assert_eq!(memory.get(*id).unwrap().row(), row);
                let found: Vec<_> = patterns.row(row).iter().map(|&v| f64::from(v)).collect();
                prop_assert_eq!(&found, pattern);
            }
            prop_assert_eq!(memory.id_of(expected.len()), None);
            let rows: usize = memory.stretches::<f32>().unwrap().map(|(_, part)| part.nrows()).sum();
            prop_assert_eq!(rows, expected.len());
        }
    }
}
