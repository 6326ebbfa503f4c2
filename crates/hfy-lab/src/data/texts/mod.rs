//! Texts with labels, some of them with words that people marked.
//!
//! | set | label | texts to train with / for validation / to test | words marked by people |
//! |---|---|---|---|
//! | sst | negative, positive | 6,920 / 872 / 1,821 sentences | in 210 of those for validation |
//! | ag_news | World, Sports, Business, Sci/Tech | 18,789 / 2,088 / 7,600 | |
//! | imdb | negative, positive | 21,732 / 2,415 / 25,000 reviews | in 855 that are left out of training |
//! | beer | the score of an aspect, from 0.2 to 1 | 1,727 / 247 / 493 reviews | in 990 others, reconstructed |
//! | movies | negative, positive | 1,600 / 200 / 199 reviews | in those to test with |
//!
//! Stanford Sentiment Treebank: Socher et al., EMNLP 2013; marks after Jorgensen et al. 2022. AG News: Zhang, Zhao,
//! LeCun, NIPS 2015, a part of the training texts. IMDB: Maas et al., ACL 2011. Beer: McAuley, Leskovec, Jurafsky, ICDM
//! 2012, texts of Lei, Barzilay, Jaakkola, EMNLP 2016, whose marks are put together from labels of sentences. Movies:
//! Zaidan, Eisner, Piatko, NAACL 2007, as in ERASER (DeYoung et al., ACL 2020).

mod ag_news;
mod beer;
mod encoded;
mod imdb;
mod movies;
mod sst;

use std::path::PathBuf;

pub use encoded::EncodedCorpus;

use hfy_io::texts;
use hfy_nn::text::{Targets, tokens};
use serde::{Deserialize, Serialize};

use super::Place;
use crate::error::{Error, Result};

/// A set of texts that experiments run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSet {
    /// Sentences of film reviews.
    Sst,
    /// News.
    AgNews,
    /// Film reviews.
    Imdb,
    /// Beer reviews: the look.
    Appearance,
    /// Beer reviews: the smell.
    Aroma,
    /// Beer reviews: the feel in the mouth.
    Palate,
    /// Beer reviews: the taste.
    Taste,
    /// Beer reviews: all in all.
    Overall,
    /// Long film reviews.
    Movies,
}

impl TextSet {
    /// All sets, each in the place of its discriminant.
    pub const ALL: [TextSet; 9] = [
        TextSet::Sst,
        TextSet::AgNews,
        TextSet::Imdb,
        TextSet::Appearance,
        TextSet::Aroma,
        TextSet::Palate,
        TextSet::Taste,
        TextSet::Overall,
        TextSet::Movies,
    ];

    /// The name in figures and tables.
    pub fn title(self) -> &'static str {
        match self {
            TextSet::Sst => "SST",
            TextSet::AgNews => "AG News",
            TextSet::Imdb => "IMDB",
            TextSet::Appearance => "Beer, appearance",
            TextSet::Aroma => "Beer, aroma",
            TextSet::Palate => "Beer, palate",
            TextSet::Taste => "Beer, taste",
            TextSet::Overall => "Beer, overall",
            TextSet::Movies => "Movies",
        }
    }

    /// The aspect of a beer.
    pub fn aspect(self) -> Option<&'static str> {
        match self {
            TextSet::Appearance => Some("appearance"),
            TextSet::Aroma => Some("aroma"),
            TextSet::Palate => Some("palate"),
            TextSet::Taste => Some("taste"),
            TextSet::Overall => Some("overall"),
            _ => None,
        }
    }
}

/// Texts in words, with what they are labelled with, and the parts that they are used in.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The words of each text.
    pub texts: Vec<Vec<String>>,
    /// The label of each text; of those that are only there for their marks it may be any.
    pub targets: Targets,
    /// The texts to train with.
    pub train: Vec<usize>,
    /// The texts to choose the epoch by.
    pub validation: Vec<usize>,
    /// The texts to test with.
    pub test: Vec<usize>,
    /// Texts in which people marked words.
    pub marked: Vec<Marked>,
}

/// A text in which people marked words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Its number.
    pub text: usize,
    /// Whether each word is marked; `None` where it is not clear.
    pub words: Vec<Option<bool>>,
}

/// Reads a set.
pub fn load(place: &Place, set: TextSet) -> Result<Corpus> {
    match set {
        TextSet::Sst => sst::load(place),
        TextSet::AgNews => ag_news::load(place),
        TextSet::Imdb => imdb::load(place),
        TextSet::Movies => movies::load(place),
        TextSet::Appearance => beer::load(place, "appearance"),
        TextSet::Aroma => beer::load(place, "aroma"),
        TextSet::Palate => beer::load(place, "palate"),
        TextSet::Taste => beer::load(place, "taste"),
        TextSet::Overall => beer::load(place, "overall"),
    }
}

/// The words of a text.
fn words(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|range| text[range].to_owned()).collect()
}

/// Every tenth of so many, and the others.
fn every_tenth(count: usize) -> (Vec<usize>, Vec<usize>) {
    (0..count).partition(|at| at % 10 == 9)
}

fn file(place: &Place, set: &'static str, name: &str) -> Result<PathBuf> {
    place.file(set, &[name]).map_err(|error| match error {
        Error::Missing { files, folders, .. } => {
            let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            let rule = "the page about reproduction says where these texts are published";
            Error::Data(format!("{} is not there: looked in {}; {rule}", files.join(", "), folders.join(", ")))
        }
        error => error,
    })
}

fn read(place: &Place, set: &'static str, name: &str, options: &texts::Options) -> Result<texts::Texts> {
    texts::read(&file(place, set, name)?, options).map_err(|error| Error::Data(error.to_string()))
}

fn column(text: usize, label: usize) -> texts::Options {
    texts::Options { text: Some(text.to_string()), label: Some(label.to_string()), ..texts::Options::default() }
}

/// The words of a text that was given as a list of words, or has spaces between them, and whether people marked them.
fn marked_words(found: &texts::Texts, text: usize) -> (Vec<String>, Vec<Option<bool>>) {
    let whole = found.text(text);
    let places = found.words(text).map_or_else(|| tokens(whole), <[_]>::to_vec);
    let marks = places.iter().map(|place| Some(found.is_marked(text, place))).collect();
    (places.into_iter().map(|place| whole[place].to_owned()).collect(), marks)
}
