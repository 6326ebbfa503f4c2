use hfy_nn::text::Targets;

use super::{Corpus, column, every_tenth, read, words};
use crate::data::Place;
use crate::error::{Error, Result};

/// News of four classes. Every tenth text to train with is for validation.
pub(super) fn load(place: &Place) -> Result<Corpus> {
    let train = read(place, "ag_news", "train_subset.csv", &column(3, 1))?;
    let (titles, bodies) = (column(2, 1), column(3, 1));
    let (title, body) = (read(place, "ag_news", "test.csv", &titles)?, read(place, "ag_news", "test.csv", &bodies)?);
    let (validation, rest) = every_tenth(train.len());
    let mut texts: Vec<Vec<String>> =
        (0..train.len()).map(|text| words(&train.text(text).replace('\\', " "))).collect();
    let whole = |text: usize| words(&format!("{} {}", title.text(text), body.text(text)).replace('\\', " "));
    texts.extend((0..body.len()).map(whole));
    let labels = [&train, &body].into_iter().flat_map(|part| part.labels().unwrap_or_default());
    let class = |label: &String| match label.as_str() {
        "1" => Ok(0),
        "2" => Ok(1),
        "3" => Ok(2),
        "4" => Ok(3),
        other => Err(Error::Data(format!("ag_news: '{other}' is no class from 1 to 4"))),
    };
    let of = labels.map(class).collect::<Result<Vec<usize>>>()?;
    let test = (train.len()..texts.len()).collect();
    Ok(Corpus {
        texts,
        targets: Targets::Classes { classes: 4, of },
        train: rest,
        validation,
        test,
        marked: Vec::new(),
    })
}
