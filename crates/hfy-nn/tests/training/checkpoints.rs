//! A run that was stopped goes on from its file, to the same bits.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use burn::optim::SgdConfig;
use hfy_nn::layers::{HopfieldConfig, HopfieldPooling};
use hfy_nn::train::{BurnOptimiser, FitConfig, Keep, Progress, Watch, fit};
use hfy_nn::{Error, Random, state};

use crate::common::tracking;
use crate::tasks::{Pooled, adamw, bits, config, pooling, rate, run};

/// A run that is stopped before a step of an epoch.
fn stopped(config: &FitConfig, path: &Path, at: (usize, usize)) {
    let mut observer = |progress: Progress<'_>| {
        if (progress.epoch, progress.step) == at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let watch = Watch { observer: Some(&mut observer), checkpoint: Some(path) };
    assert_eq!(run(config, watch).unwrap_err(), Error::Interrupted);
}

fn resumed(config: &FitConfig, path: &Path) -> hfy_nn::Result<hfy_nn::train::Fitted<HopfieldPooling>> {
    let watch = Watch { observer: None, checkpoint: Some(path) };
    // Other weights to begin with, which the file replaces.
    fit(pooling(99), &Pooled::new(20, true), &mut adamw(), rate(1e-2, 0.9), config, watch)
}

#[test]
fn a_run_that_was_stopped_ends_with_the_same_bits() {
    for keep in [Keep::Best, Keep::Last] {
        let config = FitConfig { keep, ..config() };
        let expected = bits(&run(&config, Watch::default()).unwrap());
        for at in [(1, 0), (2, 0), (2, 3), (5, 4)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("run");
            stopped(&config, &path, at);
            assert_eq!(bits(&resumed(&config, &path).unwrap()), expected, "{keep:?} {at:?}");
            // Once more, from the end.
            assert_eq!(bits(&resumed(&config, &path).unwrap()), expected, "{keep:?} {at:?}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_again_and_again() {
    let expected = bits(&run(&config(), Watch::default()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    for at in [(0, 2), (1, 0), (1, 1), (3, 3), (3, 4), (5, 0)] {
        stopped(&config(), &path, at);
    }
    assert_eq!(bits(&run(&config(), Watch { observer: None, checkpoint: Some(&path) }).unwrap()), expected);
}

#[test]
fn stopped_in_the_first_epoch_there_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    stopped(&config(), &path, (0, 3));
    assert!(!path.exists());
}

#[test]
fn more_epochs_and_other_patience_may_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let short = FitConfig { epochs: 3, ..config() };
    run(&short, Watch { observer: None, checkpoint: Some(&path) }).unwrap();
    let expected = bits(&run(&config(), Watch::default()).unwrap());
    assert_eq!(bits(&resumed(&FitConfig { patience: Some(100), ..config() }, &path).unwrap()), expected);
}

#[test]
fn a_run_that_would_have_ended_earlier_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let long = FitConfig { epochs: 4, patience: None, ..config() };
    run(&long, Watch { observer: None, checkpoint: Some(&path) }).unwrap();
    let short = FitConfig { epochs: 3, ..long };
    refused(resumed(&short, &path), &path, &["has 4 epochs", "epochs = 3 and patience = none"]);
    let impatient = FitConfig { patience: Some(0), ..long };
    refused(resumed(&impatient, &path), &path, &["patience = 0"]);
    assert_eq!(bits(&resumed(&long, &path).unwrap()), bits(&run(&long, Watch::default()).unwrap()));
}

#[test]
fn other_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    stopped(&config(), &path, (2, 0));
    let before = fs::read(&path).unwrap();
    for (config, part) in [
        (FitConfig { seed: 8, ..config() }, "seed"),
        (FitConfig { batch: 5, ..config() }, "batch"),
        (FitConfig { keep: Keep::Last, ..config() }, "Last"),
    ] {
        refused(resumed(&config, &path), &path, &["remove it to begin anew", part]);
    }
    assert_eq!(fs::read(&path).unwrap(), before, "what is refused stays");
}

fn refused<T: std::fmt::Debug>(found: hfy_nn::Result<T>, path: &Path, parts: &[&str]) {
    let error = found.unwrap_err();
    assert!(matches!(&error, Error::File { path: named, .. } if named == path), "{error:?}");
    let words = error.to_string();
    assert!(parts.iter().all(|part| words.contains(part)), "{words:?} has not all of {parts:?}");
}

#[test]
fn files_that_are_not_whole_or_not_of_this_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    stopped(&config(), &path, (2, 0));
    let whole = fs::read(&path).unwrap();
    for length in [0, 1, 8, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        refused(resumed(&config(), &path), &path, &["is no whole safetensors file"]);
    }
    fs::write(&path, b"something else entirely").unwrap();
    refused(resumed(&config(), &path), &path, &["is no whole safetensors file"]);
    state::save(&pooling(1), &path, &[]).unwrap();
    refused(resumed(&config(), &path), &path, &["is no checkpoint of a training run"]);
    state::save(&pooling(1), &path, &[("run", "{}".into())]).unwrap();
    refused(resumed(&config(), &path), &path, &["its notes cannot be read"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(resumed(&config(), &path), &path, &["cannot be read"]);
}

#[test]
fn other_modules_and_other_optimisers_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    stopped(&config(), &path, (2, 0));
    let watch = || Watch { observer: None, checkpoint: Some(&path) };
    for (config_of_module, part) in [
        (
            HopfieldConfig { num_heads: 2, output_size: Some(2), ..HopfieldConfig::new(4) },
            "out_proj.bias of shape [1], and the model has [2]",
        ),
        (
            HopfieldConfig { num_heads: 2, output_size: Some(1), input_bias: false, ..HopfieldConfig::new(4) },
            "no place",
        ),
        (
            HopfieldConfig { num_heads: 2, output_size: Some(1), concat_bias_pattern: true, ..HopfieldConfig::new(4) },
            "bias_",
        ),
    ] {
        let module = HopfieldPooling::new(&config_of_module, 1, true, &mut Random::new(0, 0), &tracking()).unwrap();
        let found = fit(module, &Pooled::new(20, true), &mut adamw(), rate(1e-2, 0.9), &config(), watch());
        refused(found.map(|_| ()), &path, &[part, "remove it to begin anew"]);
    }
    let mut sgd = BurnOptimiser::new(SgdConfig::new().init(), None);
    let found = fit(pooling(3), &Pooled::new(20, true), &mut sgd, rate(1e-2, 0.9), &config(), watch());
    refused(found.map(|_| ()), &path, &["optimiser"]);
    // The other way round.
    fs::remove_file(&path).unwrap();
    fit(pooling(3), &Pooled::new(20, true), &mut sgd, rate(1e-2, 0.9), &config(), watch()).unwrap();
    refused(resumed(&config(), &path).map(|_| ()), &path, &["AdamW"]);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/folder");
    let watch = Watch { observer: None, checkpoint: Some(&path) };
    refused(run(&config(), watch).map(|_| ()), &path, &["cannot be written"]);
}
