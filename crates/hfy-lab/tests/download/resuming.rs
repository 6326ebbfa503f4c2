//! Whole downloads, and those that go on from where an earlier one was cut short.

use hfy_lab::data::download::{Outcome, Progress};

use super::server::{Reply, Server, serve};
use super::{Case, fails, noise};

const TAG: &str = "\"one\"";

#[test]
fn a_whole_file() {
    let bytes = noise(300_000, 1);
    let file = bytes.clone();
    let server = Server::new(move |_, request| serve(&file, TAG, request));
    let case = Case::plain(server.at("file.bin"), &bytes);
    assert_eq!(case.get().unwrap(), Outcome::Got);
    assert_eq!((case.read("file.bin"), case.names()), (bytes, vec!["file.bin".to_owned()]));
    assert!(case.said("Receiving { done: 0, total: Some(300000) }") && case.said("Checking"));
    // There and right: nothing is asked for.
    assert_eq!(case.get().unwrap(), Outcome::There);
    assert_eq!(server.ranges(), [None]);
}

#[test]
fn what_is_wrong_is_got_again_and_with_force_what_is_right() {
    let bytes = noise(1000, 2);
    let file = bytes.clone();
    let server = Server::new(move |_, request| serve(&file, TAG, request));
    let mut case = Case::plain(server.at("file.bin"), &bytes);
    std::fs::create_dir_all(case.path("")).unwrap();
    for wrong in [&bytes[..999], &noise(1000, 3)] {
        std::fs::write(case.path("file.bin"), wrong).unwrap();
        assert_eq!(case.get().unwrap(), Outcome::Got);
        assert_eq!(case.read("file.bin"), bytes);
    }
    case.settings.force = true;
    assert_eq!((case.get().unwrap(), server.requests().len()), (Outcome::Got, 3));
}

#[test]
fn a_connection_that_is_cut() {
    let bytes = noise(500_000, 4);
    let file = bytes.clone();
    let server = Server::new(move |number, request| {
        let reply = serve(&file, TAG, request);
        if number < 4 { reply.cut(100_000) } else { reply }
    });
    let case = Case::plain(server.at("file.bin"), &bytes);
    // More cuts than attempts, but each attempt comes further.
    assert_eq!(case.get().unwrap(), Outcome::Got);
    assert_eq!(case.read("file.bin"), bytes);
    assert_eq!(server.ranges(), [None, Some(100_000), Some(200_000), Some(300_000), Some(400_000)]);
    assert!(server.requests()[1..].iter().all(|request| request.if_range.as_deref() == Some(TAG)));
    assert!(case.said("Retrying"));
}

#[test]
fn stopped_and_gone_on_with() {
    let bytes = noise(400_000, 5);
    let file = bytes.clone();
    let server = Server::new(move |_, request| serve(&file, TAG, request));
    let case = Case::plain(server.at("file.bin"), &bytes);
    let enough = |progress: Progress<'_>| matches!(progress, Progress::Receiving { done, .. } if done > 100_000);
    fails(case.get_until(enough), "what is done is kept");
    assert_eq!(case.names(), ["file.bin.part", "file.bin.part.from"]);
    let left = case.read("file.bin.part");
    assert!(left.len() > 100_000 && left.len() < 400_000 && bytes.starts_with(&left));
    assert_eq!(case.get().unwrap(), Outcome::Got);
    assert_eq!((server.ranges(), case.read("file.bin")), (vec![None, Some(left.len())], bytes));
    assert_eq!(case.names(), ["file.bin"]);
}

#[test]
fn killed_after_all_had_come() {
    let bytes = noise(1000, 6);
    let file = bytes.clone();
    let server = Server::new(move |_, request| serve(&file, TAG, request));
    let case = Case::plain(server.at("file.bin"), &bytes);
    fails(case.get_until(|progress| matches!(progress, Progress::Checking { .. })), "stopped");
    assert_eq!(case.names(), ["file.bin.part", "file.bin.part.from"]);
    assert_eq!(case.get().unwrap(), Outcome::Got);
    assert_eq!((server.requests().len(), case.read("file.bin"), case.names()), (1, bytes, vec!["file.bin".to_owned()]));
}

#[test]
fn a_server_without_ranges() {
    let bytes = noise(200_000, 7);
    let file = bytes.clone();
    let server = Server::new(move |number, _| {
        let reply = Reply::new(200, &["ETag: \"one\""], &file);
        if number == 0 { reply.cut(70_000) } else { reply }
    });
    let case = Case::plain(server.at("file.bin"), &bytes);
    assert_eq!(case.get().unwrap(), Outcome::Got);
    assert_eq!((server.ranges(), case.read("file.bin")), (vec![None, Some(70_000)], bytes));
}

#[test]
fn a_server_that_names_no_version_or_no_length() {
    let bytes = noise(200_000, 8);
    for headers in [&[][..], &["ETag: W/\"weak\""], &["unsaid length"], &["ETag: \"one\"", "unsaid length"]] {
        let (file, headers) = (bytes.clone(), headers.to_vec());
        let server = Server::new(move |number, _| {
            let reply = Reply::new(200, &headers, &file);
            if number == 0 { reply.cut(70_000) } else { reply }
        });
        let case = Case::plain(server.at("file.bin"), &bytes);
        let got = case.get();
        // Without a length, what is cut cannot be told from what is short but for its size.
        if server.requests().len() == 1 {
            fails(got, "has 70000 bytes, expected 200000");
            assert_eq!(case.names(), [""; 0]);
            case.get().unwrap();
        }
        // Of an unknown version there is nothing to go on from.
        assert_eq!((server.ranges(), case.read("file.bin")), (vec![None, None], bytes.clone()));
    }
}

#[test]
fn a_date_is_a_version_too() {
    let date = "Tue, 01 Jan 2019 00:00:00 GMT";
    let bytes = noise(200_000, 9);
    let file = bytes.clone();
    let server = Server::new(move |number, request| {
        let mut reply = serve(&file, date, request);
        reply.headers[0] = format!("Last-Modified: {date}");
        if number == 0 { reply.cut(70_000) } else { reply }
    });
    let case = Case::plain(server.at("file.bin"), &bytes);
    case.get().unwrap();
    assert_eq!((server.ranges(), case.read("file.bin")), (vec![None, Some(70_000)], bytes));
    assert_eq!(server.requests()[1].if_range.as_deref(), Some(date));
}

#[test]
fn a_file_that_changes_in_between() {
    let (old, new) = (noise(200_000, 10), noise(200_000, 11));
    for knows_if_range in [true, false] {
        let (first, then) = (old.clone(), new.clone());
        let server = Server::new(move |number, request| match number {
            0 => serve(&first, TAG, request).cut(70_000),
            _ if knows_if_range => serve(&then, "\"two\"", request),
            _ => {
                let mut request = request.clone();
                request.if_range = None;
                serve(&then, "\"two\"", &request)
            }
        });
        let case = Case::plain(server.at("file.bin"), &new);
        case.get().unwrap();
        assert_eq!(case.read("file.bin"), new);
        let again = if knows_if_range { vec![None, Some(70_000)] } else { vec![None, Some(70_000), None] };
        assert_eq!(server.ranges(), again);
    }
}

#[test]
fn a_part_from_elsewhere_is_not_gone_on_with() {
    let bytes = noise(200_000, 12);
    let file = bytes.clone();
    let one = Server::new(move |_, request| serve(&file, TAG, request).cut(70_000).hang());
    let mut case = Case::plain(one.at("file.bin"), &bytes);
    let enough = |progress: Progress<'_>| matches!(progress, Progress::Receiving { done: 70_000, .. });
    fails(case.get_until(enough), "stopped");
    let file = bytes.clone();
    let other = Server::new(move |_, request| serve(&file, TAG, request));
    case.settings.from = Some(other.at("mirror/"));
    case.get().unwrap();
    assert_eq!((other.ranges(), &other.requests()[0].path[..]), (vec![None], "/mirror/file.bin"));
    assert_eq!(case.read("file.bin"), bytes);
}

#[test]
fn a_redirect_on_the_way() {
    let bytes = noise(200_000, 13);
    let file = bytes.clone();
    let server = Server::new(move |number, request| match &request.path[..] {
        "/file.bin" => Reply::new(302, &["Location: /elsewhere"], b""),
        _ => {
            let reply = serve(&file, TAG, request);
            if number < 2 { reply.cut(70_000) } else { reply }
        }
    });
    let case = Case::plain(server.at("file.bin"), &bytes);
    case.get().unwrap();
    assert_eq!((server.ranges()[3], case.read("file.bin")), (Some(70_000), bytes));
    let round = Server::new(|_, _| Reply::new(302, &["Location: /file.bin"], b""));
    let case = Case::plain(round.at("file.bin"), b"");
    fails(case.get(), "redirects");
}
