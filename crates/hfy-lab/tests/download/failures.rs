//! What is not as it was published, and servers that do not give it.

use std::time::{Duration, Instant};

use hfy_lab::data::download::{Outcome, Progress};
use hfy_lab::{Error, data::Proof};

use super::server::{Reply, Server, serve};
use super::{Case, fails, noise, sha256};

const TAG: &str = "\"one\"";

#[test]
fn a_wrong_sum_names_both_and_deletes_the_part() {
    let (right, wrong) = (noise(1000, 1), noise(1000, 2));
    for proof in [Proof::Contents, Proof::Download(sha256(&right))] {
        let file = wrong.clone();
        let server = Server::new(move |_, request| serve(&file, TAG, request));
        let mut case = Case::plain(server.at("file.bin"), &right);
        case.proof = proof;
        let error = fails(case.get(), &format!("has the {}, expected the {}", sha256(&wrong), sha256(&right)));
        assert!(matches!(error, Error::Checksum { .. }));
        assert_eq!((case.names(), server.requests().len()), (vec![], 1));
    }
}

#[test]
fn a_wrong_sum_leaves_what_was_there() {
    let server = Server::new(move |_, request| serve(&noise(1000, 2), TAG, request));
    let mut case = Case::plain(server.at("file.bin"), &noise(1000, 1));
    case.settings.force = true;
    std::fs::create_dir_all(case.path("")).unwrap();
    std::fs::write(case.path("file.bin"), b"precious").unwrap();
    fails(case.get(), "has the sha256");
    assert_eq!((case.read("file.bin"), case.names()), (b"precious".to_vec(), vec!["file.bin".to_owned()]));
}

#[test]
fn a_wrong_size() {
    for (length, headers) in [(999, &[][..]), (1001, &[]), (999, &["unsaid length"]), (1001, &["unsaid length"])] {
        let server = Server::new(move |_, _| Reply::new(200, headers, &noise(length, 1)));
        let case = Case::plain(server.at("file.bin"), &noise(1000, 1));
        let error = fails(case.get(), &format!("{} has {length} bytes, expected 1000", server.at("file.bin")));
        assert!(matches!(error, Error::Size { .. }));
        assert_eq!((case.names(), server.requests().len()), (vec![], 1));
    }
}

#[test]
fn a_file_without_end() {
    let server = Server::new(move |_, _| Reply::new(200, &["unsaid length"], &noise(3_000_000, 1)).hang());
    let case = Case::plain(server.at("file.bin"), &noise(1000, 1));
    fails(case.get(), "expected 1000");
    assert_eq!(case.names(), [""; 0]);
}

#[test]
fn what_is_not_there_is_asked_for_once() {
    let server = Server::new(|_, _| Reply::new(404, &[], b"no such file"));
    let case = Case::plain(server.at("file.bin"), b"something");
    let said = format!("cannot download {}: the server answered 404 Not Found", server.at("file.bin"));
    assert_eq!(case.get().unwrap_err().to_string(), said);
    assert_eq!(server.requests().len(), 1);
    assert!(!case.path("file.bin").exists());
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let bytes = noise(1000, 1);
    let file = bytes.clone();
    let server = Server::new(move |number, request| match number {
        0 => Reply::new(500, &[], b"trouble"),
        1 => Reply::new(429, &[], b"later"),
        _ => serve(&file, TAG, request),
    });
    let case = Case::plain(server.at("file.bin"), &bytes);
    assert_eq!(case.get().unwrap(), Outcome::Got);
    assert!(case.said("500 Internal Server Error") && case.said("429 Too Many Requests"));
    let server = Server::new(|_, _| Reply::new(503, &[], b"trouble"));
    let case = Case::plain(server.at("file.bin"), &bytes);
    fails(case.get(), "the server answered 503 Service Unavailable; given up after 3 attempts");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn nobody_listens() {
    let address = Server::new(|_, _| Reply::new(200, &[], b"")).at("file.bin");
    let case = Case::plain(address, b"something");
    fails(case.get(), "given up after 3 attempts");
    for address in ["nonsense", "ftp://127.0.0.1/file.bin", ""] {
        let case = Case::plain(address.to_owned(), b"something");
        fails(case.get(), "cannot download");
        assert!(!case.said("Retrying"), "{address}");
    }
}

#[test]
fn a_server_that_falls_silent() {
    for cut in [0, 700] {
        let bytes = noise(1000, 1);
        let file = bytes.clone();
        let server = Server::new(move |number, request| {
            let reply = serve(&file, TAG, request);
            if number == 0 { reply.cut(cut).hang() } else { reply }
        });
        let mut case = Case::plain(server.at("file.bin"), &bytes);
        case.settings.timeout = Duration::from_millis(300);
        let begun = Instant::now();
        assert_eq!(case.get().unwrap(), Outcome::Got);
        assert!(begun.elapsed() < Duration::from_secs(5) && case.said("timeout"), "{:?}", case.said);
        assert_eq!(server.ranges()[1], (cut > 0).then_some(cut));
    }
}

#[test]
fn stopped_while_the_server_is_silent() {
    let server = Server::new(|_, request| serve(&noise(1000, 1), TAG, request).cut(10).hang());
    let mut case = Case::plain(server.at("file.bin"), &noise(1000, 1));
    case.settings.timeout = Duration::from_secs(60);
    let begun = Instant::now();
    let late = |_: Progress<'_>| begun.elapsed() > Duration::from_millis(300);
    assert!(matches!(case.get_until(late).unwrap_err(), Error::Interrupted));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(case.read("file.bin.part").len(), 10);
    // The connection is closed, and not left to its timeout.
    while server.left() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(5), "nobody hung up");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn stopped_in_a_pause() {
    let server = Server::new(|_, _| Reply::new(500, &[], b""));
    let mut case = Case::plain(server.at("file.bin"), b"something");
    case.settings.pause = Duration::from_secs(60);
    let begun = Instant::now();
    let late = |progress: Progress<'_>| matches!(progress, Progress::Retrying { .. });
    assert!(matches!(case.get_until(late).unwrap_err(), Error::Interrupted));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_folder_that_cannot_be_made() {
    let case = Case::plain("http://127.0.0.1:9/file.bin".to_owned(), b"something");
    std::fs::write(case.path("").parent().unwrap().join("things"), b"a file").unwrap();
    let error = case.get().unwrap_err().to_string();
    assert!(error.starts_with("cannot create the folder ") && error.contains("things"), "{error}");
}
