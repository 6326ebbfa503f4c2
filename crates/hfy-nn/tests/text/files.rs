//! Models in files, and words and texts that cannot be used.

use hfy_nn::Random;
use hfy_nn::text::{
    Labels, Rationaliser, RationaliserConfig, Selector, Targets, TextModel, TextTask, Texts, Vocabulary,
};
use ndarray::array;

use crate::common::plain;

fn vocabulary() -> Vocabulary {
    Vocabulary::new(vec!["fine".into(), "ale".into()], array![[1.0, 0.5], [0.25, 1.0]]).unwrap()
}

fn model(labels: Labels, transition: Option<f64>) -> TextModel {
    let omega = if transition.is_some() { "sequence:50%" } else { "subsets:50%" };
    let selector = Selector { omega: omega.into(), temperature: 0.1 };
    let outputs = if let Labels::Classes(names) = &labels { names.len() } else { 1 };
    let config = RationaliserConfig { hidden: 3, head: 3, transition, ..RationaliserConfig::new(2, outputs, selector) };
    let network = Rationaliser::new(&config, &mut Random::new(3, 0), &plain()).unwrap();
    TextModel::new(&network, labels, vocabulary()).unwrap()
}

#[test]
fn a_model_is_the_same_when_it_is_read() {
    let classes = Labels::Classes(vec!["bad".into(), "good".into(), "so".into()]);
    let number = Labels::Number { mean: 3.0, deviation: 2.0 };
    for (labels, transition) in [(classes, Some(0.25)), (number, None)] {
        let model = model(labels, transition);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        model.save(&path).unwrap();
        let again = TextModel::read(&path).unwrap();
        assert_eq!((again.labels(), again.config()), (model.labels(), model.config()));
        assert_eq!(again.network().transition(), model.network().transition());
        let texts = [vec!["a", "fine", "ale"], vec!["ale"]];
        assert_eq!(again.explain(&texts).unwrap(), model.explain(&texts).unwrap());
        let rationale = &again.explain(&texts).unwrap()[0];
        assert_eq!(rationale.known, [false, true, true]);
        assert!((2..=3).contains(&rationale.chosen().len()), "two, or mixtures of pairs");
        assert!(again.explain(&[] as &[Vec<&str>]).unwrap().is_empty());
    }
}

#[test]
fn files_that_are_no_models_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let said = || TextModel::read(&path).unwrap_err().to_string();
    assert!(said().contains("cannot be read"), "{}", said());
    std::fs::write(&path, "nothing").unwrap();
    assert!(said().contains("model"), "{}", said());
    let model = model(Labels::Classes(vec!["a".into(), "b".into()]), None);
    model.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    assert!(said().contains("model"), "{}", said());
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let network = model(Labels::Classes(vec!["a".into(), "b".into()]), None);
    let error = TextModel::new(network.network(), Labels::Number { mean: 0.0, deviation: 1.0 }, vocabulary());
    assert!(error.unwrap_err().to_string().contains("labels"));
    let wide = Vocabulary::new(vec!["a".into()], array![[1.0, 2.0, 3.0]]).unwrap();
    let error = TextModel::new(network.network(), network.labels().clone(), wide);
    assert!(error.unwrap_err().to_string().contains("vectors of 2 numbers"));
    let refused = |words: Vec<String>, vectors| Vocabulary::new(words, vectors).unwrap_err().to_string();
    assert!(refused(vec!["a".into()], array![[1.0], [2.0]]).contains("vectors"));
    assert!(refused(vec!["a".into()], array![[f32::NAN]]).contains("finite"));
    assert!(refused(vec![], array![[], []]).contains("vectors"));
    let error = Texts::encode(&vocabulary(), [&["a"][..], &[]]).unwrap_err();
    assert!(error.to_string().contains("text 1"), "{error}");
    let texts = Texts::encode(&vocabulary(), [["a"]]).unwrap();
    let task = |targets: &Targets, train: &[usize]| {
        TextTask::new(&vocabulary(), &texts, targets, [train, &[]], &plain()).map(drop).unwrap_err().to_string()
    };
    let classes = |classes, of| Targets::Classes { classes, of };
    assert!(task(&classes(2, vec![]), &[0]).contains("one for each of 1 texts"));
    assert!(task(&classes(1, vec![0]), &[0]).contains("classes = 1"));
    assert!(task(&classes(2, vec![2]), &[0]).contains("2 classes"));
    assert!(task(&Targets::Numbers(vec![f32::NAN]), &[0]).contains("finite"));
    assert!(task(&classes(2, vec![1]), &[1]).contains("train"));
}
