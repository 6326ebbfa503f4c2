//! Two at once, in one folder.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use hfy_lab::data::download::{Outcome, Progress, Settings, get};
use hfy_lab::data::{Content, Found, Packing, Proof, Set, Source};

use super::server::{Server, serve};
use super::{noise, sha256};

#[test]
fn the_second_waits_for_the_first() {
    let bytes = noise(400_000, 1);
    let file = bytes.clone();
    let server = Server::new(move |_, request| serve(&file, "\"one\"", request));
    let folder = tempfile::tempdir().unwrap();
    let address = server.at("file.bin");
    let contents = [Content::File { path: "file.bin", size: 400_000, sum: Some(sha256(&bytes)) }];
    let (begun, waited) = (AtomicBool::new(false), AtomicBool::new(false));
    let fetch = |first: bool| {
        let (packing, proof) = (Packing::Plain, Proof::Contents);
        let sources = [Source { address: &address, size: 400_000, packing, proof, contents: &contents }];
        let find = |_: &_| Ok(Found { files: Vec::new(), part: None });
        let set = Set { name: "things", about: "", terms: "", sources: &sources, find };
        get(&set, folder.path(), &Settings::default(), |_, progress| {
            match progress {
                Progress::Waiting => waited.store(true, Ordering::Relaxed),
                // The first is in the middle of it until the second has come.
                Progress::Receiving { done, .. } if first && done > 0 => {
                    begun.store(true, Ordering::Relaxed);
                    while !waited.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(|| fetch(true));
        while !begun.load(Ordering::Relaxed) && !first.is_finished() {
            std::thread::yield_now();
        }
        assert_eq!(fetch(false).unwrap(), Outcome::There);
        assert_eq!(first.join().unwrap().unwrap(), Outcome::Got);
    });
    assert_eq!(server.requests().len(), 1);
    assert_eq!(std::fs::read(folder.path().join("things/file.bin")).unwrap(), bytes);
}
