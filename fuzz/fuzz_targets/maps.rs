//! Any text as a map, a post-transformation and a filter: what is one prints as one that is the same, and can be used.
#![no_main]

use std::sync::OnceLock;

use hfy::{Convex, Map, Post};
use hfy_fuzz::files;
use hfy_store::{Dtype, Error, Filter, Memory, Snapshot, Texts};
use libfuzzer_sys::fuzz_target;
use ndarray::Array2;
use serde_json::json;

/// Rows of five, and of four and six, which are matrices and graphs as well.
const ROWS: [&[f64]; 8] = [
    &[0.5, -1.0, 2.0, 1.75, 0.0],
    &[1.0, 1.0, 1.0, 1.0, 1.0],
    &[1e300, -1e300, 0.0, 1e-300, 3.0],
    &[f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY, 1.0, -0.0],
    &[f64::NAN, f64::INFINITY, 0.0, 1.0, -1.0],
    &[0.25, -1.0, 3.0, 0.5],
    &[0.25, -1.0, 3.0, 0.5, 0.5, 0.125],
    &[0.25, -1.0, 3.0, 0.5, 0.5, 0.125, -2.0, 0.0, 1.0],
];

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Ok(map) = text.parse::<Map>() {
        let printed = map.to_string();
        let again: Map = printed.parse().expect("what was printed can be read");
        assert_eq!(again.to_string(), printed);
        assert!(again == map, "{printed}");
        for row in ROWS {
            use_map(&map, row);
        }
    }
    if let Ok(post) = text.parse::<Post>() {
        let printed = post.to_string();
        let again: Post = printed.parse().expect("what was printed can be read");
        assert_eq!(again.to_string(), printed);
        assert!(again == post, "{printed}");
        for row in ROWS {
            let (mut wide, mut narrow) = (row.to_vec(), row.iter().map(|&score| score as f32).collect::<Vec<_>>());
            let _ = post.argmax(&mut wide);
            let _ = post.argmax(&mut narrow);
            let mut gradient = row.to_vec();
            let _ = post.vjp(row, &wide, &mut gradient);
        }
    }
    if let Ok(filter) = text.parse::<Filter>() {
        let printed = filter.to_string();
        assert_eq!(printed, text);
        assert_eq!(printed.parse::<Filter>().unwrap(), filter);
        match memory().query(&filter) {
            Ok(ids) => assert!(ids.is_sorted_by(|a, b| a < b) && ids.iter().all(|&id| id < 5)),
            Err(Error::Argument { .. }) => {}
            Err(error) => panic!("{text:?}: {error}"),
        }
    }
});

fn use_map(map: &Map, row: &[f64]) {
    let mut wide = row.to_vec();
    if map.argmax(&mut wide).is_ok() {
        let mut gradient = row.to_vec();
        let _ = map.vjp(row, &wide, &mut gradient);
        let _ = map.value(&wide);
        let _ = map.loss(row, &wide);
        let bounded = Convex::<f64>::mass(map).is_some() && row.iter().all(|score| score.abs() < 100.0);
        assert!(!bounded || wide.iter().all(|share| share.is_finite()), "{map}: {wide:?}");
    }
    let mut narrow: Vec<f32> = row.iter().map(|&score| score as f32).collect();
    if map.argmax(&mut narrow).is_ok() {
        let scores: Vec<f32> = row.iter().map(|&score| score as f32).collect();
        let mut gradient = scores.clone();
        let _ = map.vjp(&scores, &narrow, &mut gradient);
    }
}

/// Five patterns with labels and metadata of many kinds.
fn memory() -> &'static Snapshot {
    static MEMORY: OnceLock<(Memory, Snapshot)> = OnceLock::new();
    let (_, snapshot) = MEMORY.get_or_init(|| {
        let _ = files();
        let memory = Memory::temporary(Dtype::F32, 1).unwrap();
        let metadata = [
            json!({"lang": "de", "year": 2021, "a": {"b": [1, "x", null, true, 2.5]}}),
            json!({"lang": null, "year": "2021", "tags": ["new", "old"]}),
            json!([1, 2, 3]),
            json!({"done": true, "x": 1e300, "": {"": 1}}),
        ];
        let texts = Texts {
            labels: vec![Some("a".into()), None, Some("ä%_".into()), None, Some("year".into())],
            metadata: metadata.map(Some).into_iter().chain([None]).collect(),
            ..Texts::default()
        };
        memory.add(Array2::zeros((5, 1)).view() as ndarray::ArrayView2<'_, f32>, &texts).unwrap();
        let snapshot = memory.snapshot().unwrap();
        (memory, snapshot)
    });
    snapshot
}
