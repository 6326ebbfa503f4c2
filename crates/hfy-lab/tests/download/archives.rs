//! Archives: what comes out of them is where readers look, and nowhere else.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use hfy_lab::data::download::{Outcome, Progress, Settings, get};
use hfy_lab::data::{Content, Packing, Place, Proof, Set, Source, catalogue, cifar10, tiny_imagenet};
use zip::write::SimpleFileOptions;

use super::server::{Server, serve};
use super::{Case, fails, noise, sha256, shared};

const TAG: &str = "\"one\"";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar archive with entries of any name, also of such as no program would write.
fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(if name.ends_with('/') { tar::EntryType::Directory } else { tar::EntryType::Regular });
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Gets an archive of `top/a` and `top/b`, whose sum is right.
fn archive(bytes: &[u8], packing: Packing) -> (Server, Case) {
    let file = bytes.to_vec();
    let server = Server::new(move |_, request| serve(&file, TAG, request));
    let contents = ["top/a", "top/b"].map(|path| Content::File { path, size: 5, sum: None }).to_vec();
    let case = Case::new(server.at("file.pack"), bytes, packing, Proof::Download(sha256(bytes)), contents);
    (server, case)
}

const WHOLE: [(&str, &[u8]); 3] = [("top/a", b"first"), ("top/b", b"other"), ("top/more/c", b"")];

#[test]
fn both_kinds() {
    for (bytes, packing) in [(gzip(&tar(&WHOLE)), Packing::TarGzip), (zip(&WHOLE), Packing::Zip)] {
        let (server, mut case) = archive(&bytes, packing);
        assert_eq!(case.get().unwrap(), Outcome::Got);
        assert_eq!((case.read("top/a"), case.read("top/b")), (b"first".to_vec(), b"other".to_vec()));
        assert!(case.path("top/more/c").exists());
        assert_eq!((case.names(), case.get().unwrap()), (vec!["top".to_owned()], Outcome::There));
        // A folder that is there is replaced as a whole.
        std::fs::write(case.path("top/stale"), b"").unwrap();
        case.settings.force = true;
        assert_eq!((case.get().unwrap(), server.requests().len()), (Outcome::Got, 2));
        assert_eq!((case.names(), case.path("top/stale").exists()), (vec!["top".to_owned()], false));
    }
}

#[test]
fn stopped_or_killed_while_unpacking() {
    let (server, case) = archive(&zip(&WHOLE), Packing::Zip);
    fails(case.get_until(|progress| matches!(progress, Progress::Unpacking { done, .. } if done > 0)), "stopped");
    assert_eq!(case.names(), ["file.pack.part", "file.pack.part.from"]);
    // What a process that was killed leaves of its unpacking is in nobody's way.
    std::fs::create_dir_all(case.path("file.pack.unpacking/top/a")).unwrap();
    assert_eq!((case.get().unwrap(), server.requests().len()), (Outcome::Got, 1));
    assert_eq!((case.read("top/a"), case.names()), (b"first".to_vec(), vec!["top".to_owned()]));
}

#[test]
fn paths_that_lead_out() {
    for name in ["../evil", "top/../../evil", "/evil", "top/..", "..\\evil"] {
        let entries = [WHOLE[0], WHOLE[1], (name, &b"evil"[..])];
        for (bytes, packing) in [(gzip(&tar(&entries)), Packing::TarGzip), (zip(&entries), Packing::Zip)] {
            let (_server, case) = archive(&bytes, packing);
            fails(case.get(), "which leads out of its folder");
            let around = case.path("").parent().unwrap().to_owned();
            let names: Vec<_> = std::fs::read_dir(&around).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!((names, case.names()), (vec!["things".into()], vec![]), "{name}");
        }
    }
}

#[test]
fn links_are_refused() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    builder.append_link(&mut header, "top", "/").unwrap();
    let (_server, case) = archive(&gzip(&builder.into_inner().unwrap()), Packing::TarGzip);
    fails(case.get(), "holds \"top\", which is neither a file nor a folder");
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_symlink("top", "/", SimpleFileOptions::default()).unwrap();
    let (_server, case) = archive(&writer.finish().unwrap().into_inner(), Packing::Zip);
    fails(case.get(), "holds \"top\", which is neither a file nor a folder");
    assert_eq!(case.names(), [""; 0]);
}

#[test]
fn archives_that_are_cut_short() {
    let big = [("top/a", &noise(5000, 1)[..]), ("top/b", b"other")];
    let (tarred, zipped) = (tar(&big), zip(&big));
    let packed = gzip(&tarred);
    let cut = [
        (packed[..packed.len() - 1].to_vec(), Packing::TarGzip),
        (packed[..packed.len() / 2].to_vec(), Packing::TarGzip),
        (gzip(&tarred[..3000]), Packing::TarGzip),
        (zipped[..zipped.len() - 1].to_vec(), Packing::Zip),
        (zipped[..zipped.len() / 2].to_vec(), Packing::Zip),
        (b"no archive at all".to_vec(), Packing::TarGzip),
        (b"no archive at all".to_vec(), Packing::Zip),
    ];
    for (number, (bytes, packing)) in cut.into_iter().enumerate() {
        let (_server, case) = archive(&bytes, packing);
        let error = case.get().expect_err("it is cut short").to_string();
        assert!(error.contains("is not a whole archive") || error.contains("not the 5000"), "{number}: {error}");
        assert_eq!(case.names(), [""; 0], "{number}");
    }
}

#[test]
fn archives_of_something_else() {
    for (entries, what) in
        [(&WHOLE[..1], "holds no top/b"), (&[WHOLE[0], ("top/b", &b"longer"[..])], "top/b has 6 bytes, expected 5")]
    {
        let (_server, case) = archive(&gzip(&tar(entries)), Packing::TarGzip);
        fails(case.get(), what);
        assert!(!case.path("top").exists());
    }
}

#[test]
fn an_archive_with_another_sum_is_not_unpacked() {
    let bytes = gzip(&tar(&WHOLE));
    let (_server, mut case) = archive(&bytes, Packing::TarGzip);
    let other = sha256(b"another");
    case.proof = Proof::Download(other);
    fails(case.get(), &format!("{} has the {}, expected the {other}", case.address, sha256(&bytes)));
    assert!(!case.said("Unpacking") && case.names().is_empty());
}

#[test]
fn gzip_of_something_shorter_is_not_it() {
    let packed = gzip(b"whole");
    let (_server, mut case) = archive(&packed, Packing::Gzip);
    case.contents = vec![Content::File { path: "file", size: 5, sum: None }];
    std::fs::create_dir_all(case.path("")).unwrap();
    std::fs::write(case.path("file.gz"), gzip(b"who")).unwrap();
    assert_eq!((case.get().unwrap(), case.read("file")), (Outcome::Got, b"whole".to_vec()));
}

#[test]
fn gzip_with_the_right_contents_however_it_is_packed() {
    let bytes = noise(100_000, 3);
    let contents = vec![Content::File { path: "file", size: 100_000, sum: Some(sha256(&bytes)) }];
    for packed in [gzip(&bytes), [gzip(&bytes[..1000]), gzip(&bytes[1000..])].concat()] {
        let file = packed.clone();
        let server = Server::new(move |_, request| serve(&file, TAG, request));
        let case = Case::new(server.at("file.gz"), &packed[..90_000], Packing::Gzip, Proof::Contents, contents.clone());
        assert_eq!(case.get().unwrap(), Outcome::Got);
        assert_eq!((case.read("file"), case.names()), (bytes.clone(), vec!["file".to_owned()]));
        // Still packed it is as good.
        std::fs::remove_file(case.path("file")).unwrap();
        std::fs::write(case.path("file.gz"), &packed).unwrap();
        assert_eq!(case.get().unwrap(), Outcome::There);
        std::fs::write(case.path("file.gz"), &packed[..1000]).unwrap();
        assert_eq!(case.get().unwrap(), Outcome::Got);
    }
    let wrong = [
        (gzip(&bytes[..99_999]), "file in file.gz has 99999 bytes, expected 100000"),
        (gzip(&noise(200_000, 4)), "has 100001 bytes, expected 100000"),
        (gzip(&noise(100_000, 4)), "has the sha256"),
        (gzip(&bytes)[..50_000].to_vec(), "is not a whole archive"),
        (bytes.clone(), "is not a whole archive"),
    ];
    for (packed, what) in wrong {
        let file = packed.clone();
        let server = Server::new(move |_, request| serve(&file, TAG, request));
        let case = Case::new(server.at("file.gz"), &packed, Packing::Gzip, Proof::Contents, contents.clone());
        fails(case.get(), what);
        assert_eq!(case.names(), [""; 0]);
    }
}

/// Gets a set of the catalogue, but from here and smaller.
fn get_small(name: &str, bytes: &[u8], contents: &[Content<'_>], folder: &Path) {
    let set = catalogue::set(name).unwrap();
    let file = bytes.to_vec();
    let server = Server::new(move |_, request| serve(&file, TAG, request));
    let sources =
        [Source { size: bytes.len() as u64, proof: Proof::Download(sha256(bytes)), contents, ..set.sources[0] }];
    let settings = Settings { from: Some(server.at("")), ..Settings::default() };
    let set = Set { sources: &sources, ..*set };
    assert!((set.find)(&Place::find(Some(folder)).unwrap()).is_err() || std::env::var_os("HFY_DATA_DIR").is_some());
    get(&set, folder, &settings, |_, _| std::ops::ControlFlow::Continue(())).unwrap();
    let found = (set.find)(&Place::find(Some(folder)).unwrap()).unwrap();
    assert!(found.part.is_none() && found.files.iter().all(|file| file.starts_with(folder)), "{found:?}");
}

#[test]
fn readers_read_what_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::find(Some(folder.path())).unwrap();
    let sources = catalogue::set("cifar10").unwrap().sources;
    let names: Vec<&str> = sources[0].contents.iter().map(Content::path).collect();
    let records: Vec<Vec<u8>> =
        (0..names.len()).map(|number| [&[number as u8][..], &noise(3072, 5)].concat()).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().copied().zip(records.iter().map(Vec::as_slice)).collect();
    let contents: Vec<Content<'_>> = names.iter().map(|path| Content::File { path, size: 3073, sum: None }).collect();
    get_small("cifar10", &gzip(&tar(&entries)), &contents, folder.path());
    assert_eq!(cifar10::train(&place()).unwrap().labels(), [0, 1, 2, 3, 4]);
    assert_eq!(cifar10::test(&place()).unwrap().labels(), [5]);

    let mut picture = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut picture, 90);
    encoder.encode(&[128; 64 * 64 * 3], 64, 64, jpeg_encoder::ColorType::Rgb).unwrap();
    let names = ["n01", "n02"].map(|class| format!("tiny-imagenet-200/train/{class}/images/{class}_0.JPEG"));
    let path = catalogue::set("tiny-imagenet").unwrap().sources[0].contents[0].path();
    let entries = [(&names[0][..], &picture[..]), (&names[1], &picture)];
    get_small("tiny-imagenet", &zip(&entries), &[Content::Folder { path, entries: 2 }], folder.path());
    assert_eq!(tiny_imagenet::train(&place()).unwrap().labels(), [0, 1]);
}

#[test]
fn sums_in_the_catalogue_are_those_of_the_data() {
    let Some(folder) = shared() else {
        eprintln!("SKIPPED sums_in_the_catalogue_are_those_of_the_data: no data sets; set HFY_DATA_DIR");
        assert!(std::env::var_os("HFY_REQUIRE_DATA").is_none(), "HFY_REQUIRE_DATA is set, but there are no data sets");
        return;
    };
    // Nothing may be asked for: everything is there and right, digits in gzip.
    let settings = Settings { from: Some("http://127.0.0.1:9".to_owned()), attempts: 1, ..Settings::default() };
    for name in ["mnist", "mil"] {
        let set = catalogue::set(name).unwrap();
        let got = get(set, &folder, &settings, |_, _| std::ops::ControlFlow::Continue(()));
        assert_eq!(got.unwrap(), Outcome::There, "{name}");
    }
}
