//! What a memory does, alone in its folder.

mod support;

use std::collections::BTreeMap;

use half::{bf16, f16};
use hfy_store::{AnyPatterns, Dtype, Error, Info, Memory, Record, Snapshot, Storable, Texts};
use ndarray::{Array2, array, s};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Numbers, bytes, content};

fn none() -> Texts {
    Texts::default()
}

fn three() -> Memory {
    let memory = Memory::temporary(Dtype::F32, 2).unwrap();
    memory.add(array![[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]].view(), &none()).unwrap();
    memory
}

#[test]
fn ids_are_stable_and_never_used_again() {
    let memory = three();
    memory.remove(&[2, 0]).unwrap();
    assert_eq!(memory.add(array![[7.0f32, 8.0]].view(), &none()).unwrap(), 3..4);
    let now = memory.snapshot().unwrap();
    assert_eq!(now.ids().unwrap(), [1, 3]);
    assert_eq!([1, 3, 2].map(|id| now.row_of(id).unwrap()), [Some(0), Some(1), None]);
    assert_eq!([0, 1].map(|row| now.id_of(row).unwrap()), [1, 3]);
    assert!(now.id_of(2).is_err());
    // The id of the last does not come back, in the memory or through a file.
    memory.remove(&[3]).unwrap();
    assert_eq!(memory.add(array![[7.0f32, 8.0]].view(), &none()).unwrap(), 4..5);
    memory.remove(&[4, 1]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = Snapshot::from_bytes(&bytes(&memory.snapshot().unwrap())).unwrap();
    let memory = Memory::import(&source, folder.path().join("m"), false).unwrap();
    assert_eq!(memory.add(array![[7.0f32, 8.0]].view(), &none()).unwrap(), 5..6);
    let now = memory.snapshot().unwrap();
    assert_eq!(now.get(3).unwrap_err().to_string(), "id = 3: no pattern in this memory has it any more");
    assert_eq!(now.get(9).unwrap_err().to_string(), "id = 9: no pattern in this memory has it");
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let memory = three();
    memory.set_label(0, Some("before")).unwrap();
    let before = memory.snapshot().unwrap();
    let kept = content(&before).unwrap();
    memory.set_label(0, Some("after")).unwrap();
    memory.update(&[1], array![[-3.0f32, -4.0]].view(), &none()).unwrap();
    memory.remove(&[2]).unwrap();
    memory.compact().unwrap();
    memory.set_info(Info { name: Some("new".into()), ..Info::default() }).unwrap();
    assert_eq!(content(&before).unwrap(), kept);
    let after = memory.snapshot().unwrap();
    assert_eq!(after.patterns::<f32>().unwrap(), array![[1.0, 2.0], [-3.0, -4.0]]);
    assert_eq!(after.get(0).unwrap().label.as_deref(), Some("after"));
    assert!(after.generation() > before.generation());
}

#[test]
fn updates_keep_the_order_of_rows() {
    let memory = three();
    memory.update(&[1, 0], array![[30.0f32, 40.0], [10.0, 20.0]].view(), &none()).unwrap();
    let expected = array![[10.0f32, 20.0], [30.0, 40.0], [5.0, 6.0]];
    assert_eq!(memory.snapshot().unwrap().patterns::<f32>().unwrap(), expected);
    memory.add(array![[7.0f32, 8.0]].view(), &none()).unwrap();
    memory.update(&[1], array![[-1.0f32, -2.0]].view(), &none()).unwrap();
    let now = memory.snapshot().unwrap();
    assert_eq!(now.ids().unwrap(), [0, 1, 2, 3]);
    assert_eq!(now.pattern::<f32>(1).unwrap(), array![-1.0, -2.0]);
    memory.compact().unwrap();
    let compacted = memory.snapshot().unwrap();
    assert_eq!(compacted.segments(), 1);
    assert!(compacted.patterns::<f32>().unwrap().is_view());
    assert_eq!(content(&now).unwrap(), content(&compacted).unwrap());
}

#[test]
fn texts_change_with_patterns_or_alone() {
    let memory = three();
    let texts = |labels: [Option<&str>; 2], metadata: Vec<Option<Value>>| Texts {
        labels: labels.map(|label| label.map(str::to_owned)).to_vec(),
        metadata,
    };
    let both = texts([Some("two"), Some("zero")], vec![Some(json!(2)), Some(json!(0))]);
    memory.update(&[2, 0], array![[50.0f32, 60.0], [10.0, 20.0]].view(), &both).unwrap();
    memory.set_texts(&[0, 1], &texts([None, Some("one")], vec![])).unwrap();
    let now = memory.snapshot().unwrap();
    let found: Vec<_> = now.records().unwrap().map(|record| record.map(|r| (r.label, r.metadata)).unwrap()).collect();
    let expected = [(None, Some(json!(0))), (Some("one".into()), None), (Some("two".into()), Some(json!(2)))].to_vec();
    assert_eq!(found, expected);
    assert_eq!(now.patterns::<f32>().unwrap(), array![[10.0, 20.0], [3.0, 4.0], [50.0, 60.0]]);
    assert_eq!(
        (now.labelled().unwrap(), now.filtered(&"id < 2".parse().unwrap()).unwrap().labelled().unwrap()),
        (2, 1)
    );
    let patterns = memory.snapshot().unwrap().without_texts();
    assert_eq!((patterns.ids().unwrap(), patterns.get(0).is_err()), (vec![0, 1, 2], true));
    // All or none.
    let error = memory.set_texts(&[1, 9], &texts([None, None], vec![])).unwrap_err().to_string();
    assert_eq!(error, "id = 9: no pattern in this memory has it");
    let error = memory.set_texts(&[1, 1], &texts([None, None], vec![])).unwrap_err().to_string();
    assert_eq!(error, "ids = 1: must not occur twice");
    assert!(memory.update(&[1], array![[1.0f32, 1.0]].view(), &both).is_err());
    assert_eq!(content(&memory.snapshot().unwrap()).unwrap(), content(&now).unwrap());
}

#[test]
fn long_work_is_watched_and_stops_without_a_trace() {
    use std::cell::RefCell;
    use std::ops::ControlFlow;

    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::create(folder.path().join("m.hfy"), Dtype::F64, 1024).unwrap();
    // Two segments of 40 MB, each more than a step.
    for part in 0..2u64 {
        memory.add(Array2::from_elem((5000, 1024), part as f64).view(), &none()).unwrap();
    }
    memory.remove(&[0, 9999]).unwrap();
    let heard = RefCell::new(Vec::new());
    let go_on = |done, total| {
        heard.borrow_mut().push((done, total));
        ControlFlow::Continue(())
    };
    let stop = |done: u64, _| if done > 40_000_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let before = memory.snapshot().unwrap();
    let (file, copy) = (folder.path().join("m.safetensors"), folder.path().join("copy.hfy"));
    let other = Memory::temporary(Dtype::F64, 1024).unwrap();
    type Work<'a> = Box<dyn Fn(hfy_store::Progress<'_>) -> Result<(), Error> + 'a>;
    let works: [Work<'_>; 5] = [
        Box::new(|progress| before.verify_with(progress)),
        Box::new(|progress| before.export_with(&file, progress)),
        Box::new(|progress| Memory::import_with(&before, &copy, false, progress).map(drop)),
        Box::new(|progress| other.merge_with(&before, progress).map(drop)),
        Box::new(|progress| memory.compact_with(progress)),
    ];
    for work in works {
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let here = names();
        let error = work(&stop).unwrap_err();
        assert!(matches!(error, Error::Interrupted { done: 40_000_001.., total: 81_900_000.. }), "{error}");
        assert_eq!((names(), other.count().unwrap(), memory.snapshot().unwrap().segments()), (here, 0, 2));
        heard.borrow_mut().clear();
        work(&go_on).unwrap();
        let heard = heard.borrow();
        assert!(heard.len() >= 2 && heard.windows(2).all(|pair| pair[0].0 < pair[1].0), "{heard:?}");
        assert!(heard.iter().all(|&(done, total)| done <= total), "{heard:?}");
        if other.count().unwrap() > 0 {
            other.remove(&other.snapshot().unwrap().ids().unwrap()).unwrap();
        }
    }
    memory.verify().unwrap();
    assert_eq!((memory.count().unwrap(), memory.snapshot().unwrap().segments()), (9998, 1));
}

#[test]
fn folders_that_are_no_memory_are_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pictures");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("a.png"), b"mine").unwrap();
    let error = Memory::create_with(&path, Dtype::F32, 1, true, |_| Ok::<_, Error>(())).unwrap_err();
    assert!(error.to_string().ends_with("pictures: is a folder, but no memory: it is not replaced"), "{error}");
    assert_eq!(std::fs::read(path.join("a.png")).unwrap(), b"mine");
}

#[test]
fn the_place_of_patterns_is_known_while_they_are_one_file() {
    let memory = three();
    let now = memory.snapshot().unwrap();
    let (path, place) = now.place_in_file().unwrap().unwrap();
    let file = std::fs::read(path).unwrap();
    let numbers: Vec<f32> = file[place].chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(now.patterns::<f32>().unwrap().as_ptr().align_offset(64), 0, "a line of the cache");
    memory.remove(&[1]).unwrap();
    assert!(memory.snapshot().unwrap().place_in_file().unwrap().is_none());
}

#[test]
fn every_type_goes_through_segments_and_the_file() {
    fn check<T: Storable>(values: [T; 6], any: impl Fn(&AnyPatterns<'_>) -> bool) {
        let patterns = Array2::from_shape_vec((3, 2), values.to_vec()).unwrap();
        let memory = Memory::temporary(T::DTYPE, 2).unwrap();
        memory.add(patterns.view(), &none()).unwrap();
        memory.update(&[0], patterns.slice(s![2..3, ..]), &none()).unwrap();
        memory.add(patterns.slice(s![1..2, ..]), &none()).unwrap();
        memory.verify().unwrap();
        let now = memory.snapshot().unwrap();
        assert!(any(&now.any_patterns().unwrap()));
        let again = Snapshot::from_bytes(&bytes(&now)).unwrap();
        again.verify().unwrap();
        assert_eq!(again.dtype(), T::DTYPE);
        assert_eq!(again.pattern::<T>(0).unwrap(), patterns.row(2));
        assert_eq!(again.pattern::<T>(3).unwrap(), patterns.row(1));
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let memory = Memory::create(&path, Dtype::F32, 1).unwrap();
    let labels = vec![Some("eins, \"zwei\" \u{1F980}".into()), Some(String::new()), None];
    let metadata = vec![None, Some(Value::Null), Some(json!({"from": ["a", 1, null, 0.1]}))];
    memory.add(array![[1.0f32], [2.0], [3.0]].view(), &Texts { labels, metadata }).unwrap();
    let extra = BTreeMap::from([("owner \"checksum.ids\":\"".to_owned(), "\"checksum.header\":\"\n".to_owned())]);
    let info = Info { name: Some("n".into()), beta: Some("0.1".into()), extra, ..Info::default() };
    memory.set_info(info.clone()).unwrap();
    let info = Info { created_by: Some(format!("hfy-store {}", env!("CARGO_PKG_VERSION"))), ..info };

    let check = |snapshot: &Snapshot| {
        let texts: Vec<Record> = snapshot.records().unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(texts[0].label.as_deref(), Some("eins, \"zwei\" \u{1F980}"));
        assert_eq!((&texts[1].label, &texts[1].metadata), (&None, &Some(Value::Null)));
        assert_eq!(texts[2].metadata, Some(json!({"from": ["a", 1, null, 0.1]})));
        assert_eq!(snapshot.info(), &info);
    };
    drop(memory);
    let memory = Memory::open(&path).unwrap();
    check(&memory.snapshot().unwrap());
    let file = folder.path().join("m.safetensors");
    memory.snapshot().unwrap().export(&file).unwrap();
    let exchanged = Memory::open(&file).unwrap();
    check(&exchanged.snapshot().unwrap());
    assert!(exchanged.is_read_only() && exchanged.query(&"label is null".parse().unwrap()).unwrap() == [1, 2]);
    let text = exchanged.remove(&[0]).unwrap_err().to_string();
    assert!(text.contains("import it into a memory to change it"), "{text}");
    check(
        &Memory::import(&exchanged.snapshot().unwrap(), folder.path().join("again"), false)
            .unwrap()
            .snapshot()
            .unwrap(),
    );

    memory.set_label(0, None).unwrap();
    memory.set_metadata(2, None).unwrap();
    memory.set_info(Info::default()).unwrap();
    let now = memory.snapshot().unwrap();
    assert_eq!((now.get(0).unwrap().label, now.get(2).unwrap().metadata), (None, None));
    assert_eq!(now.info().name, None);
}

#[test]
fn the_same_memory_is_the_same_file() {
    let memory = three();
    memory.set_label(1, Some("b")).unwrap();
    let file = bytes(&memory.snapshot().unwrap());
    assert_eq!(file, bytes(&memory.snapshot().unwrap()));
    assert_eq!(file, bytes(&Snapshot::from_bytes(&file).unwrap()));
}

#[test]
fn merging_gives_new_ids_and_keeps_texts() {
    let (one, two) = (three(), three());
    two.set_label(2, Some("last")).unwrap();
    assert_eq!(one.merge(&two.snapshot().unwrap()).unwrap(), 3..6);
    let now = one.snapshot().unwrap();
    assert_eq!((now.len(), now.get(5).unwrap().label.as_deref()), (6, Some("last")));
    let other = Memory::temporary(Dtype::F64, 2).unwrap().snapshot().unwrap();
    assert!(one.merge(&other).unwrap_err().to_string().contains("f64"));
    let other = Memory::temporary(Dtype::F32, 3).unwrap().snapshot().unwrap();
    assert!(one.merge(&other).unwrap_err().to_string().contains("expected [0, 2]"));
}

#[test]
fn misuse_names_the_argument_the_value_and_the_rule() {
    let memory = three();
    let before = content(&memory.snapshot().unwrap()).unwrap();
    let message = |result: Result<(), Error>| result.unwrap_err().to_string();
    let add = |patterns: Array2<f32>, texts: &Texts| memory.add(patterns.view(), texts).map(drop);
    assert_eq!(message(Memory::temporary(Dtype::F32, 0).map(drop)), "dim = 0: must be from 1 to 2^27");
    assert_eq!(message(add(array![[1.0]], &none())), "patterns has shape [1, 1], expected [1, 2]");
    assert_eq!(
        message(memory.add(array![[1.0f64, 2.0]].view(), &none()).map(drop)),
        "patterns is of type f64, but the memory holds f32: convert it first"
    );
    assert_eq!(
        message(add(array![[1.0, 2.0], [3.0, f32::NAN]], &none())),
        "patterns = NaN in row 1, column 1: must be finite"
    );
    let two = Texts { labels: vec![None, None], ..none() };
    assert_eq!(message(add(array![[1.0, 2.0]], &two)), "labels has shape [2], expected [1]");
    let zero = Texts { labels: vec![Some("a\0b".into())], ..none() };
    assert!(message(add(array![[1.0, 2.0]], &zero)).contains("zero character"));
    let update = |ids: &[u64], patterns: Array2<f32>| message(memory.update(ids, patterns.view(), &none()));
    assert!(update(&[0], array![[f32::INFINITY, 0.0]]).contains("must be finite"));
    assert!(update(&[5], array![[0.0, 0.0]]).starts_with("id = 5"));
    assert!(update(&[1, 1], array![[0.0, 0.0], [0.0, 0.0]]).contains("must not occur twice"));
    assert!(update(&[1], array![[0.0, 0.0], [0.0, 0.0]]).contains("ids has shape [1]"));
    assert!(message(memory.remove(&[0, 5])).starts_with("id = 5"));
    assert!(message(memory.set_label(5, Some("x"))).starts_with("id = 5"));
    assert!(message(memory.snapshot().unwrap().patterns::<f64>().map(drop)).contains("f64"));
    let extra = BTreeMap::from([("next_id".to_owned(), "7".to_owned())]);
    assert!(message(memory.set_info(Info { extra, ..Info::default() })).contains("\"next_id\""));
    let deep = (0..200).fold(Value::Null, |inside, _| json!([inside]));
    assert!(message(memory.set_metadata(0, Some(&deep))).contains("recursion limit"));
    assert_eq!(content(&memory.snapshot().unwrap()).unwrap(), before, "nothing was changed");

    memory.set_info(Info { name: Some("x".repeat(1 << 20)), ..Info::default() }).unwrap();
    assert!(message(memory.snapshot().unwrap().write_to(std::io::Cursor::new(Vec::new()))).contains("1 MiB"));
}

#[test]
fn a_place_that_is_taken_is_kept_unless_it_is_to_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    std::fs::write(&path, "mine").unwrap();
    let text = Memory::create(&path, Dtype::F32, 2).unwrap_err().to_string();
    assert!(text.ends_with("m.hfy exists already"), "{text}");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    for dim in [2, 3] {
        Memory::create_with(&path, Dtype::F32, dim, true, |_| Ok::<_, Error>(())).unwrap();
        assert_eq!(Memory::open(&path).unwrap().dim(), dim);
    }
    let failed: Result<(), Error> = Memory::create_with(&path, Dtype::F32, 4, true, |memory| memory.remove(&[0]));
    assert!(failed.is_err() && Memory::open(&path).unwrap().dim() == 3, "a memory that was not filled is not there");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn patterns_in_any_order_of_memory_are_taken() {
    let wide = array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let memory = Memory::temporary(Dtype::F32, 2).unwrap();
    memory.add(wide.t(), &none()).unwrap();
    memory.add(wide.slice(s![.., ..;2]), &none()).unwrap();
    let expected = array![[1.0f32, 4.0], [2.0, 5.0], [3.0, 6.0], [1.0, 3.0], [4.0, 6.0]];
    assert_eq!(memory.snapshot().unwrap().patterns::<f32>().unwrap(), expected);
    memory.add(Array2::<f32>::zeros((0, 2)).view(), &none()).unwrap();
    memory.remove(&[]).unwrap();
    assert_eq!(memory.count().unwrap(), 5);
}

#[test]
fn many_small_additions_leave_few_segments() {
    let memory = Memory::temporary(Dtype::F32, 4).unwrap();
    for step in 0..1000u64 {
        assert_eq!(memory.add(Array2::from_elem((1, 4), step as f32).view(), &none()).unwrap().start, step);
        if let Some(old) = step.checked_sub(10) {
            memory.remove(&[old]).unwrap();
        }
    }
    let now = memory.snapshot().unwrap();
    assert_eq!(now.len(), 10);
    assert!(now.segments() < 20, "{} segments", now.segments());
    assert!(now.bytes() < 40_000, "{} bytes: removed patterns are gone", now.bytes());
    assert_eq!(now.pattern_f64(5).unwrap(), [995.0; 4]);
    now.verify().unwrap();
}

#[test]
fn an_empty_memory_goes_through_the_file() {
    let empty = Snapshot::from_bytes(&bytes(&Memory::temporary(Dtype::Bf16, 7).unwrap().snapshot().unwrap())).unwrap();
    empty.verify().unwrap();
    assert!(empty.is_empty() && empty.dim() == 7 && empty.records().unwrap().next().is_none());
    assert_eq!(empty.patterns::<bf16>().unwrap().dim(), (0, 7));
}

#[test]
fn types_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Memory>();
    check::<Snapshot>();
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
    Update(Vec<usize>),
    Label(usize, Option<String>),
    Metadata(usize, Option<i64>),
    Exchange,
    Compact,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..5).prop_map(Step::Add),
        3 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Remove),
        3 => prop::collection::vec(any::<usize>(), 0..4).prop_map(Step::Update),
        2 => (any::<usize>(), prop::option::of("[^\0]{0,6}")).prop_map(|(at, label)| Step::Label(at, label)),
        2 => (any::<usize>(), prop::option::of(any::<i64>())).prop_map(|(at, value)| Step::Metadata(at, value)),
        1 => Just(Step::Exchange),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_history_gives_what_a_plain_memory_gives(steps in prop::collection::vec(step(), 0..30), dim in 1usize..5) {
        let folder = tempfile::tempdir().unwrap();
        let mut path = folder.path().join("m0");
        let mut memory = Memory::temporary(Dtype::F32, dim).unwrap();
        let mut plain = Plain::default();
        let mut numbers = Numbers(7);
        for (number, step) in steps.into_iter().enumerate() {
            let id_at = |at: usize| plain.records.keys().nth(at % plain.records.len().max(1)).copied();
            match step {
                Step::Add(rows) => {
                    let patterns = numbers.array(rows, dim);
                    let ids = memory.add(patterns.view(), &none()).unwrap();
                    prop_assert_eq!(ids, plain.next..plain.next + rows as u64);
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
                Step::Update(at) => {
                    let mut ids: Vec<_> = at.into_iter().filter_map(id_at).collect();
                    ids.sort();
                    ids.dedup();
                    ids.reverse();
                    let patterns = numbers.array(ids.len(), dim);
                    memory.update(&ids, patterns.view(), &none()).unwrap();
                    for (id, row) in ids.iter().zip(patterns.rows()) {
                        plain.records.get_mut(id).unwrap().0 = row.iter().map(|&v| f64::from(v)).collect();
                    }
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
                Step::Exchange => {
                    let source = Snapshot::from_bytes(&bytes(&memory.snapshot().unwrap())).unwrap();
                    path = folder.path().join(format!("m{number}"));
                    memory = Memory::import(&source, &path, false).unwrap();
                }
                Step::Compact => memory.compact().unwrap(),
                Step::Reopen => if memory.path() == path { memory = Memory::open(&path).unwrap() },
            }
            let now = memory.snapshot().unwrap();
            let found = content(&now).unwrap();
            prop_assert_eq!(found.next_id, plain.next);
            let expected: Vec<_> =
                plain.records.iter().map(|(&id, (p, l, m))| (id, p.clone(), l.clone(), m.clone())).collect();
            prop_assert_eq!(&found.records, &expected);
            prop_assert_eq!((now.len(), memory.count().unwrap()), (expected.len(), expected.len()));
            let patterns = now.patterns::<f32>().unwrap();
            for (row, (id, pattern, ..)) in expected.iter().enumerate() {
                prop_assert_eq!(now.row_of(*id).unwrap(), Some(row));
                prop_assert_eq!(now.id_of(row).unwrap(), *id);
                prop_assert_eq!(now.get(*id).unwrap().row, row);
                let found: Vec<_> = patterns.row(row).iter().map(|&v| f64::from(v)).collect();
                prop_assert_eq!(&found, pattern);
            }
            let rows: usize = now.parts::<f32>().unwrap().map(|part| part.unwrap().1.nrows()).sum();
            prop_assert_eq!(rows, expected.len());
        }
        memory.verify().unwrap();
    }
}
