//! Connections are closed before a process forks. In a program of its own, since it concerns every memory of a process.

use hfy_store::{Dtype, Error, Memory, Texts, release_connections};
use ndarray::array;

#[test]
fn memories_go_on_and_snapshots_keep_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let memory = Memory::create(&path, Dtype::F32, 1).unwrap();
    let texts = Texts { labels: vec![Some("a".into())], ..Texts::default() };
    memory.add(array![[1.0f32]].view(), &texts).unwrap();
    let before = memory.snapshot().unwrap();
    assert!(path.join("catalogue.sqlite-shm").exists());
    release_connections();
    assert!(!path.join("catalogue.sqlite-shm").exists(), "SQLite has let go of its files");
    assert_eq!(before.patterns::<f32>().unwrap(), array![[1.0]]);
    assert_eq!(before.ids().unwrap(), [0]);
    let error = before.get(0).unwrap_err();
    assert!(matches!(error, Error::Released { .. }), "{error}");
    assert!(before.query(&"id = 0".parse().unwrap()).is_err() && before.verify().is_err());
    memory.add(array![[2.0f32]].view(), &Texts::default()).unwrap();
    assert_eq!(memory.snapshot().unwrap().get(0).unwrap().label.as_deref(), Some("a"));
    assert_eq!(memory.count().unwrap(), 2);
}
