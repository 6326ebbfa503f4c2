//! `hfy data`.

mod common;
#[cfg(feature = "download")]
#[path = "../../hfy-lab/tests/server/mod.rs"]
mod server;

use std::path::PathBuf;

use common::{Folder, Run, finish};
use serde_json::Value;

/// Runs the program where no data are but in the folder.
fn run(folder: &Folder, arguments: &[&str]) -> Run {
    let mut command = folder.command(arguments);
    command.env_remove("HFY_DATA_DIR").env("XDG_CACHE_HOME", folder.path("cache")).env("HOME", folder.path("cache"));
    finish(command.env("LOCALAPPDATA", folder.path("cache")).env("NO_PROXY", "127.0.0.1"))
}

fn json(run: &Run) -> Value {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).expect("one document")
}

fn write(folder: &Folder, name: &str, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(folder.path(name).parent().expect("a folder")).expect("a folder");
    folder.write(name, bytes)
}

#[test]
fn what_is_here_is_listed() {
    let folder = Folder::new();
    let empty = run(&folder, &["data", "list"]);
    assert!(empty.stdout.contains("cifar10        170 MB  60,000 pictures of ten kinds"), "{}", empty.stdout);
    assert!(empty.stdout.contains("hfy data get SET gets one."), "{}", empty.stdout);
    for name in ["train_5000.bin", "test_2000.bin"] {
        write(&folder, &format!("d/cifar10/{name}"), b"");
    }
    write(&folder, "cache/hfy/tiny-imagenet/tiny-imagenet-200/train/n01/images/n01_0.JPEG", b"");
    let text = run(&folder, &["data", "list", "--data", "d"]).stdout;
    assert!(text.contains("the first 5,000 to train with, in d/cifar10"), "{text}");
    let list = json(&run(&folder, &["data", "list", "--data", "d", "--json"]));
    let sets = list["sets"].as_array().expect("a list");
    let here: Vec<(&str, bool, bool)> = sets
        .iter()
        .map(|set| (set["set"].as_str().expect("a name"), set["here"] == true, set["part"].is_string()))
        .collect();
    let expected = [
        ("mnist", false, false),
        ("cifar10", true, true),
        ("tiny-imagenet", true, false),
        ("mil", false, false),
        ("glove", false, false),
    ];
    assert_eq!(here, expected);
    assert_eq!((&sets[0]["bytes"], sets[0]["addresses"].as_array().map(Vec::len)), (&11_594_722.into(), Some(4)));
    assert!(sets.iter().all(|set| set["terms"].as_str().is_some_and(|terms| !terms.is_empty())));
}

#[test]
fn where_it_is_looked() {
    let folder = Folder::new();
    write(&folder, "d/mil/elephant_100x100.mat", b"");
    write(&folder, "d/mil/fox.csv.gz", b"");
    let missing = run(&folder, &["data", "where", "mil", "--data", "d"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (1, ""));
    let said = "error: the data set mil is not there: looked for mil/tiger_100x100.mat, mil/tiger.csv.gz, mil/tiger.csv in d, ";
    assert!(missing.stderr.starts_with(said) && missing.stderr.contains("hfy data get mil gets it"), "{missing:?}");
    write(&folder, "d/tiger_100x100.mat", b"");
    let found = run(&folder, &["data", "where", "mil", "--data", "d"]);
    assert_eq!(found.code, 0);
    assert!(found.stdout.starts_with("Looked in:\n  d (--data)\n"), "{}", found.stdout);
    assert!(
        found.stdout.contains("hfy (cache, which is not there)\nmil:\n  d/mil/elephant_100x100.mat\n"),
        "{found:?}"
    );
    let document = json(&run(&folder, &["data", "where", "--data", "d", "--json"]));
    assert_eq!(
        (&document["folders"][0]["because"], &document["folders"][1]["exists"]),
        (&"--data".into(), &false.into())
    );
    assert_eq!(
        (&document["sets"][0]["here"], &document["sets"][3]["paths"][2]),
        (&false.into(), &"d/tiger_100x100.mat".into())
    );
    let nowhere = run(&folder, &["data", "where", "--data", "none"]);
    assert_eq!((nowhere.code, &nowhere.stderr[..]), (1, "error: none: is not a folder\n"));
    assert_eq!(run(&folder, &["data", "where", "imagenet"]).code, 2);
}

#[cfg(not(feature = "download"))]
#[test]
fn a_program_without_downloads_says_so() {
    let folder = Folder::new();
    let error = folder.fails(&["data", "get", "mnist"], 1);
    assert!(error.starts_with("this program was built without downloads"), "{error}");
}

#[cfg(feature = "download")]
mod downloads {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::server::{Reply, Server, serve};
    use super::{Folder, PathBuf, json, run};

    const ELEPHANT: usize = 2_412_040;

    fn get(folder: &Folder, server: &Server, more: &[&str]) -> super::Run {
        run(folder, &[&["data", "get", "--data", "d", "--from", &server.at("base")], more].concat())
    }

    /// Names in a folder, without the lock.
    fn names(folder: &Folder, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder.path(name)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
        names.sort();
        names
    }

    #[test]
    fn usage() {
        let folder = Folder::new();
        for wrong in
            [&["data", "get"][..], &["data", "get", "imagenet"], &["data", "get", "mnist", "--from"], &["data"]]
        {
            assert_eq!(run(&folder, wrong).code, 2, "{wrong:?}");
        }
        folder.write("file", "");
        let refused = run(&folder, &["data", "get", "mil", "--data", "file"]);
        assert_eq!(refused.code, 1);
        assert!(refused.stderr.starts_with("error: cannot create the folder file/mil: "), "{refused:?}");
    }

    #[test]
    fn errors_name_the_address() {
        let folder = Folder::new();
        let server = Server::new(|_, _| Reply::new(404, &[], b""));
        let missing = get(&folder, &server, &["mil"]);
        let said = format!(
            "error: cannot download {}: the server answered 404 Not Found\n",
            server.at("base/elephant_100x100.mat")
        );
        assert_eq!((missing.code, missing.stdout, missing.stderr), (1, String::new(), said));
        let server = Server::new(|_, request| serve(&[7; 1000], "\"one\"", request));
        let short = get(&folder, &server, &["mil"]);
        assert!(short.code == 1 && short.stderr.contains("has 1000 bytes, expected 2412040"), "{short:?}");
        let server = Server::new(|_, request| serve(&[7; ELEPHANT], "\"one\"", request));
        let wrong = get(&folder, &server, &["mil"]);
        let expected = "expected the sha256 b871820b5df11ef9050e0c0ec73e3d4d95b3e59b64bac237ec115548a5024a13";
        assert!(
            wrong.code == 1 && wrong.stderr.contains("has the sha256 ") && wrong.stderr.contains(expected),
            "{wrong:?}"
        );
        assert_eq!(names(&folder, "d/mil"), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn interrupted_and_gone_on_with() {
        let folder = Folder::new();
        let server = Server::new(|number, request| {
            let reply = serve(&[7; ELEPHANT], "\"one\"", request);
            if number == 0 { reply.cut(1_000_000).hang() } else { reply }
        });
        let child = folder
            .command(&["data", "get", "mil", "--data", "d", "--from", &server.at("base")])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the program runs");
        let part = folder.path("d/mil/elephant_100x100.mat.part");
        let begun = Instant::now();
        while std::fs::metadata(&part).map_or(0, |part| part.len()) < 1_000_000 {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing comes");
            std::thread::sleep(Duration::from_millis(10));
        }
        let asked = Instant::now();
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(kill.success());
        let output = child.wait_with_output().expect("an end");
        assert!(asked.elapsed() < Duration::from_secs(10), "it waits for the server");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(130), true), "{stderr}");
        assert!(stderr.starts_with("error: stopped; what is done is kept"), "{stderr}");
        assert_eq!(names(&folder, "d/mil"), ["elephant_100x100.mat.part", "elephant_100x100.mat.part.from"]);
        // It goes on, and finds that it was not the right file after all.
        let wrong = get(&folder, &server, &["mil"]);
        assert!(wrong.code == 1 && wrong.stderr.contains("has the sha256"), "{wrong:?}");
        assert_eq!(server.ranges(), [None, Some(1_000_000)]);
    }

    #[test]
    fn a_server_in_trouble_is_noted() {
        let folder = Folder::new();
        let server = Server::new(|number, _| Reply::new(if number == 0 { 503 } else { 404 }, &[], b""));
        let noted = get(&folder, &server, &["mil"]);
        let note = "note: elephant_100x100.mat: the server answered 503 Service Unavailable; trying again\n";
        assert!(noted.stderr.starts_with(note) && noted.stderr.lines().count() == 2, "{noted:?}");
        let server = Server::new(|number, _| Reply::new(if number == 0 { 503 } else { 404 }, &[], b""));
        assert_eq!(get(&folder, &server, &["mil", "--quiet"]).stderr.lines().count(), 1);
    }

    #[test]
    fn the_real_sets() {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let shared = std::env::var_os("HFY_DATA_DIR").map(PathBuf::from).or(Some(beside)).filter(|path| path.is_dir());
        let Some(shared) = shared else {
            eprintln!("SKIPPED the_real_sets: no data sets; set HFY_DATA_DIR");
            assert!(
                std::env::var_os("HFY_REQUIRE_DATA").is_none(),
                "HFY_REQUIRE_DATA is set, but there are no data sets"
            );
            return;
        };
        let folder = Folder::new();
        let server = Server::new(move |number, request| {
            let name = request.path.rsplit('/').next().expect("a name");
            let file = ["mnist", "mil"].iter().find_map(|set| std::fs::read(shared.join(set).join(name)).ok());
            match file {
                // Every other answer is cut, after all of a short file.
                Some(file) if number % 2 == 0 => serve(&file, "\"one\"", request).cut(file.len().min(2000)),
                Some(file) => serve(&file, "\"one\"", request),
                None => Reply::new(404, &[], b""),
            }
        });
        let got = get(&folder, &server, &["mil", "mnist", "--quiet"]);
        assert_eq!(
            (got.code, &got.stdout[..], &got.stderr[..]),
            (0, "mnist: got, in d/mnist\nmil: got, in d/mil\n", "")
        );
        let mats = ["elephant", "fox", "tiger"].map(|animal| format!("{animal}_100x100.mat"));
        assert_eq!((names(&folder, "d/mil"), names(&folder, "d/mnist").len()), (mats.to_vec(), 4));
        let requests = server.requests().len();
        let again = json(&get(&folder, &server, &["mil", "mnist", "--json"]));
        assert_eq!((&again["sets"][0]["outcome"], &again["sets"][1]["outcome"]), (&"there".into(), &"there".into()));
        assert_eq!(server.requests().len(), requests);
        assert_eq!(run(&folder, &["data", "where", "mnist", "--data", "d"]).code, 0);
        std::fs::remove_file(folder.path("d/mil/fox_100x100.mat")).expect("a file");
        let got = get(&folder, &server, &["mil", "--quiet"]);
        assert_eq!((got.code, &got.stdout[..]), (0, "mil: got, in d/mil\n"));
        let asked = server.requests();
        assert!(asked[requests..].iter().all(|request| request.path == "/base/fox_100x100.mat"));
        assert_eq!(run(&folder, &["data", "where", "mil", "--data", "d"]).code, 0);
    }
}
