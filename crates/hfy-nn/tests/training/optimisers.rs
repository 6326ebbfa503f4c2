//! Burn's optimisers in our loop.

use std::ops::ControlFlow;

use burn::optim::{AdamWConfig, ModuleOptimizer, SgdConfig, momentum::MomentumConfig};
use hfy_nn::Error;
use hfy_nn::train::{BurnOptimiser, Progress, Watch, fit};

use crate::tasks::{Pooled, bits, config, pooling, rate};

/// A name, a rate, and how the optimiser is made.
type Case = (&'static str, f64, Box<dyn Fn() -> ModuleOptimizer>);

fn optimisers() -> Vec<Case> {
    vec![
        ("AdamW", 1e-2, Box::new(|| AdamWConfig::new().init())),
        ("SGD", 0.5, Box::new(|| SgdConfig::new().init())),
        ("SGD with momentum", 0.1, Box::new(|| SgdConfig::new().with_momentum(Some(MomentumConfig::new())).init())),
    ]
}

#[test]
fn train_and_resume() {
    for (name, first, make) in optimisers() {
        let task = Pooled::new(20, true);
        let train = |seed: u64, watch: Watch<'_>| {
            let mut optimiser = BurnOptimiser::new(make(), Some(1.0));
            fit(pooling(seed), &task, &mut optimiser, rate(first, 0.9), &config(), watch)
        };
        let whole = train(3, Watch::default()).unwrap();
        let losses: Vec<f64> = whole.epochs.iter().map(|epoch| epoch.loss).collect();
        assert!(losses[5] < losses[0] - 1e-3, "{name}: {losses:?}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut observer = |progress: Progress<'_>| {
            if (progress.epoch, progress.step) == (3, 2) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let watch = Watch { observer: Some(&mut observer), checkpoint: Some(&path) };
        assert_eq!(train(3, watch).unwrap_err(), Error::Interrupted);
        let resumed = train(99, Watch { observer: None, checkpoint: Some(&path) }).unwrap();
        assert_eq!(bits(&resumed), bits(&whole), "{name}");
    }
}

#[test]
fn burns_adamw_with_our_settings_is_ours() {
    let task = Pooled::new(20, true);
    let theirs = AdamWConfig::new().with_epsilon(1e-8).with_weight_decay(1e-2).init();
    let mut theirs = BurnOptimiser::new(theirs, Some(1.0));
    let theirs = fit(pooling(3), &task, &mut theirs, rate(1e-2, 0.9), &config(), Watch::default()).unwrap();
    let ours =
        fit(pooling(3), &task, &mut crate::tasks::adamw(), rate(1e-2, 0.9), &config(), Watch::default()).unwrap();
    for (a, b) in theirs.epochs.iter().zip(&ours.epochs) {
        assert!((a.loss - b.loss).abs() < 1e-4 && (a.norm - b.norm).abs() < 1e-3 * b.norm, "{a:?} {b:?}");
    }
}
