//! Labels that known words decide: the selector has to find these.

use std::ops::ControlFlow;

use hfy_nn::text::{
    self, Evaluation, RationaliserConfig, Read, Selector, Targets, TextTrainConfig, Texts, Vocabulary, agreement,
    faithfulness,
};
use hfy_nn::train::{FitConfig, Keep, Progress, Watch};
use hfy_nn::{Error, Random, state};

/// Words by their numbers: a hundred that say nothing, then eight that have a value.
const NEUTRAL: u32 = 100;
const VALUES: [f32; 8] = [-1.1, 0.4, 1.3, -0.6, 0.9, -0.3, 0.7, -1.4];
const LENGTH: usize = 20;
/// The words with a value stand together: a fifth of the text.
const PHRASE: usize = 4;

fn vocabulary() -> Vocabulary {
    let (mut random, width) = (Random::new(11, 0), 16);
    let count = NEUTRAL as usize + VALUES.len();
    let vectors = ndarray::Array2::from_shape_fn((count, width), |_| random.normal() as f32);
    Vocabulary::new((0..count).map(|word| format!("w{word}")).collect(), vectors).unwrap()
}

/// Texts with the sums of their values, half of them as numbers and with their signs as classes.
struct Planted {
    texts: Texts,
    numbers: Targets,
    classes: Targets,
    marks: Vec<Vec<Option<bool>>>,
}

fn planted(count: usize) -> Planted {
    let mut random = Random::new(12, 0);
    let (mut texts, mut numbers, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let mut below = |count: usize| (random.uniform() * count as f64) as usize;
        let start = below(LENGTH - PHRASE + 1);
        let mut words: Vec<u32> = (0..LENGTH).map(|_| 1 + below(NEUTRAL as usize) as u32).collect();
        let mut marked = vec![Some(false); LENGTH];
        let mut sum = 0.0;
        for at in start..start + PHRASE {
            let word = below(VALUES.len());
            (words[at], marked[at]) = (1 + NEUTRAL + word as u32, Some(true));
            sum += VALUES[word];
        }
        texts.push(words);
        numbers.push(sum / 2.0);
        marks.push(marked);
    }
    let of = numbers.iter().map(|sum| usize::from(*sum > 0.0)).collect();
    let (numbers, classes) = (Targets::Numbers(numbers), Targets::Classes { classes: 2, of });
    Planted { texts: Texts::new(texts).unwrap(), numbers, classes, marks }
}

fn config(omega: &str, outputs: usize, epochs: usize) -> TextTrainConfig {
    TextTrainConfig {
        model: RationaliserConfig {
            hidden: 12,
            head: 12,
            ..RationaliserConfig::new(16, outputs, Selector { omega: omega.into(), temperature: 0.3 })
        },
        rate: 5e-3,
        fit: FitConfig { epochs, batch: 16, patience: None, keep: Keep::Last, seed: 5 },
        ..TextTrainConfig::default()
    }
}

#[test]
fn sequential_subsets_find_planted_phrases() {
    let (vocabulary, data) = (vocabulary(), planted(400));
    let (train, test): (Vec<usize>, Vec<usize>) = (0..400).partition(|text| text % 5 > 0);
    let config = config("sequence:20%:t=0.1", 1, 12);
    let fitted =
        text::train(&config, &vocabulary, &data.texts, &data.numbers, [&train, &[]], Watch::default()).unwrap();
    let network = fitted.module.for_use().unwrap();
    let found = text::read(&network, &vocabulary, &data.texts, &test).unwrap();
    let quality = Evaluation::new(&found, &data.numbers, &test);
    assert!(quality.loss() < 0.05, "{quality:?}");
    let chosen: Vec<Vec<bool>> = found.iter().map(Read::rationale).collect();
    let marks: Vec<_> = test.iter().map(|&text| data.marks[text].clone()).collect();
    let agreed = agreement(chosen.iter().zip(&marks)).unwrap();
    assert!(agreed.f1 > 0.95, "{agreed:?}");
    // Without the phrase the number is another one.
    let faith = faithfulness(&network, &vocabulary, &data.texts, &test, &found).unwrap();
    assert!(faith.sufficiency < faith.comprehensiveness && faith.comprehensiveness > 0.5, "{faith:?}");
}

#[test]
fn without_an_lstm_the_chosen_words_alone_decide() {
    let (vocabulary, data) = (vocabulary(), planted(200));
    let (train, test): (Vec<usize>, Vec<usize>) = (0..200).partition(|text| text % 5 > 0);
    let mut config = config("subsets:4", 1, 12);
    config.model.hidden = 0;
    let fitted =
        text::train(&config, &vocabulary, &data.texts, &data.numbers, [&train, &[]], Watch::default()).unwrap();
    let network = fitted.module.for_use().unwrap();
    let found = text::read(&network, &vocabulary, &data.texts, &test).unwrap();
    let faith = faithfulness(&network, &vocabulary, &data.texts, &test, &found).unwrap();
    assert!(faith.sufficiency < 1e-5 && faith.comprehensiveness > 0.1, "{faith:?}");
}

#[test]
fn a_run_that_was_stopped_ends_with_the_same_weights() {
    let (vocabulary, data) = (vocabulary(), planted(60));
    let (train, validation): (Vec<usize>, Vec<usize>) = (0..60).partition(|text| text % 5 > 0);
    let config = config("subsets:20%", 2, 4);
    let run =
        |watch: Watch<'_>| text::train(&config, &vocabulary, &data.texts, &data.classes, [&train, &validation], watch);
    let whole = run(Watch::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut stop = |progress: Progress<'_>| {
        if (progress.epoch, progress.step) == (2, 1) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = run(Watch { observer: Some(&mut stop), checkpoint: Some(&path) });
    assert_eq!(stopped.unwrap_err(), Error::Interrupted);
    let resumed = run(Watch { observer: None, checkpoint: Some(&path) }).unwrap();
    assert_eq!(resumed.epochs, whole.epochs);
    assert_eq!(state::of(&resumed.module), state::of(&whole.module));
}

#[test]
fn classes_are_learned_too() {
    let (vocabulary, data) = (vocabulary(), planted(400));
    let (train, test): (Vec<usize>, Vec<usize>) = (0..400).partition(|text| text % 5 > 0);
    for omega in ["subsets:20%", "entmax:1.5"] {
        let mut config = config(omega, 2, 12);
        // At a low temperature entmax would choose one word.
        config.model.used.temperature = config.model.selector.temperature;
        let split: [&[usize]; 2] = [&train, &test];
        let fitted = text::train(&config, &vocabulary, &data.texts, &data.classes, split, Watch::default()).unwrap();
        let found = text::read(&fitted.module.for_use().unwrap(), &vocabulary, &data.texts, &test).unwrap();
        let quality = Evaluation::new(&found, &data.classes, &test);
        assert!(quality.quality() > 0.75, "{omega}: {quality:?}");
    }
}
