//! When a run ends, and with which weights.

use std::ops::ControlFlow;

use burn::lr_scheduler::constant::ConstantLr;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use hfy_nn::layers::Scaling;
use hfy_nn::train::{FitConfig, Fitted, Keep, Progress, Task, Validation, Watch, fit};
use hfy_nn::{Error, Phase, Result, state};

use crate::common::tracking;
use crate::tasks::{Pooled, Scripted, adamw, config, linear, pooling, pooling_scaled_by, rate, run};

fn scripted(scores: &[f64], config: &FitConfig) -> Fitted<hfy_nn::layers::Linear> {
    let task = Scripted::new(scores.iter().copied());
    fit(linear(), &task, &mut adamw(), rate(0.1, 1.0), config, Watch::default()).unwrap()
}

fn weights(fitted: &Fitted<hfy_nn::layers::Linear>) -> Vec<f32> {
    state::of(&fitted.module).get("weight").unwrap().1.to_vec()
}

#[test]
fn patience_counts_epochs_without_a_better_score() {
    let config = |patience, keep| FitConfig { epochs: 9, patience, keep, ..FitConfig::default() };
    let scores = [0.5, 0.6, 0.6, 0.55, 0.7, 0.7, 0.1, 0.2, 0.9];
    for (patience, epochs, kept) in [(Some(1), 3, 1), (Some(2), 4, 1), (Some(3), 8, 4), (Some(4), 9, 8), (None, 9, 8)] {
        let best = scripted(&scores, &config(patience, Keep::Best));
        assert_eq!((best.epochs.len(), best.kept), (epochs, kept), "{patience:?}");
        // The weights are those of that epoch.
        let until = FitConfig { epochs: kept + 1, ..config(None, Keep::Last) };
        assert_eq!(weights(&best), weights(&scripted(&scores, &until)), "{patience:?}");
        let last = scripted(&scores, &config(patience, Keep::Last));
        assert_eq!((last.epochs.len(), last.kept), (epochs, epochs - 1));
        let until = FitConfig { epochs, ..config(None, Keep::Last) };
        assert_eq!(weights(&last), weights(&scripted(&scores, &until)));
    }
    // With no patience at all the first epoch is the last.
    assert_eq!(scripted(&scores, &config(Some(0), Keep::Best)).epochs.len(), 1);
}

#[test]
fn of_equal_scores_the_lower_loss_may_count() {
    let validations = [(0.9, 0.7), (1.0, 0.6), (1.0, 0.4), (1.0, 0.5), (0.9, 0.1), (1.0, 0.4)];
    let kept = |keep, patience| {
        let config = FitConfig { epochs: 6, patience, keep, ..FitConfig::default() };
        let task = Scripted::with_losses(validations);
        let fitted = fit(linear(), &task, &mut adamw(), rate(0.1, 1.0), &config, Watch::default()).unwrap();
        (fitted.kept, fitted.epochs.len())
    };
    assert_eq!(kept(Keep::Best, None), (1, 6));
    assert_eq!(kept(Keep::BestLoss, None), (2, 6));
    assert_eq!((kept(Keep::Best, Some(2)), kept(Keep::BestLoss, Some(2))), ((1, 4), (2, 5)));
}

#[test]
fn a_score_that_is_nan_is_worse_than_any() {
    let config = FitConfig { epochs: 4, patience: None, ..FitConfig::default() };
    assert_eq!(scripted(&[f64::NAN, 0.3, f64::NAN, 0.2], &config).kept, 1);
    assert_eq!(scripted(&[0.1, f64::NAN, 0.3, f64::NAN], &config).kept, 2);
}

#[test]
fn without_validation_the_last_epoch_is_kept() {
    for keep in [Keep::Best, Keep::Last] {
        let config = FitConfig { patience: Some(1), keep, ..config() };
        let task = Pooled::new(20, false);
        let fitted = fit(pooling(3), &task, &mut adamw(), rate(1e-2, 0.9), &config, Watch::default()).unwrap();
        assert_eq!((fitted.epochs.len(), fitted.kept), (6, 5));
        assert!(fitted.epochs.iter().all(|epoch| epoch.validation.is_none()));
    }
}

#[test]
fn epochs_and_progress() {
    let mut seen = Vec::new();
    let mut shares = Vec::new();
    let mut observer = |progress: Progress<'_>| {
        seen.push((progress.epoch, progress.step, progress.finished.len()));
        assert_eq!((progress.steps, progress.epochs), (5, 6));
        shares.push(progress.share());
        ControlFlow::Continue(())
    };
    let fitted = run(&config(), Watch { observer: Some(&mut observer), checkpoint: None }).unwrap();
    let expected: Vec<(usize, usize, usize)> =
        (0..6).flat_map(|epoch| (0..5).map(move |step| (epoch, step, epoch))).collect();
    assert_eq!(seen, expected);
    assert!(shares[0] == 0.0 && shares.is_sorted() && shares[29] < 1.0);
    for (number, epoch) in fitted.epochs.iter().enumerate() {
        assert!((epoch.rate - 1e-2 * 0.9_f64.powi(number as i32)).abs() < 1e-12, "{epoch:?}");
        assert!(epoch.loss > 0.0 && epoch.norm > 0.0 && epoch.validation.is_some(), "{epoch:?}");
    }
    assert!(fitted.epochs[5].loss < fitted.epochs[0].loss);
}

#[test]
fn a_run_needs_examples_epochs_and_a_batch() {
    for (config, examples, part) in [
        (FitConfig { epochs: 0, ..config() }, 20, "epochs = 0"),
        (FitConfig { batch: 0, ..config() }, 20, "batch = 0"),
        (config(), 0, "examples = 0"),
    ] {
        let task = Pooled::new(examples, false);
        let found = fit(pooling(3), &task, &mut adamw(), rate(1e-2, 0.9), &config, Watch::default());
        let error = found.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("at least 1"), "{error}");
    }
}

#[test]
fn a_huge_learning_rate_is_divergence() {
    for first in [1e20, 1e30, 1e38, 1e300] {
        let task = Pooled::new(20, true);
        let found = fit(pooling(3), &task, &mut adamw(), rate_of(first), &config(), Watch::default());
        match found.map(|fitted| fitted.epochs) {
            Err(error @ Error::Diverged { .. }) => {
                let words = error.to_string();
                assert!(words.contains("in epoch 1, step ") && words.contains("smaller learning rate"), "{words}");
            }
            other => panic!("{first}: {other:?}"),
        }
    }
}

#[test]
fn a_learned_beta_that_leaves_its_domain_is_divergence() {
    let task = Pooled::new(20, true);
    let mut left = 0;
    for seed in 0..8 {
        let pooling = pooling_scaled_by(Some(Scaling::Learned(vec![0.1])), seed);
        match fit(pooling, &task, &mut adamw(), rate_of(0.3), &config(), Watch::default()) {
            Err(Error::Diverged { quantity: "scaling", value, .. }) => left += usize::from(value <= 0.0),
            Err(Error::Diverged { .. }) | Ok(_) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(left > 0);
}

/// A scheduler of any rate; Burn's own refuse those above one.
fn rate_of(first: f64) -> ModuleLrScheduler {
    ModuleLrScheduler::new(ConstantLr::from(first))
}

/// Examples that are wrong are no divergence.
#[test]
fn nan_in_the_first_example_is_not_called_divergence() {
    struct Bad;
    impl Task<hfy_nn::layers::HopfieldPooling> for Bad {
        fn examples(&self) -> usize {
            1
        }
        fn loss(
            &self,
            module: &hfy_nn::layers::HopfieldPooling,
            _: &[usize],
            phase: Phase<'_>,
        ) -> Result<burn::tensor::Tensor<1>> {
            let rows = burn::tensor::Tensor::<2>::full([3, 4], f32::NAN, &tracking());
            Ok(module.forward(hfy_nn::layers::Patterns::bags(rows, &[0, 3])?, phase)?.reshape([1]))
        }
        fn validate(&self, _: &hfy_nn::layers::HopfieldPooling) -> Result<Option<Validation>> {
            Ok(None)
        }
    }
    let found = fit(pooling(3), &Bad, &mut adamw(), rate(1e-2, 0.9), &config(), Watch::default());
    assert!(matches!(found.map(|_| ()), Err(Error::Library(_))));
}
