//! The network that selects words and decides by them.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::Selector;
use crate::error::{Error, Result, ensure};
use crate::layers::{BidirectionalLstm, HopfieldConfig, HopfieldPooling, Linear, Patterns, Scaling, numbers};
use crate::omega::{Omega, OmegaParameter};
use crate::random::{Phase, Random};

/// The parts of a [`Rationaliser`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RationaliserConfig {
    /// How many numbers a word vector has.
    pub vectors: usize,
    /// States of the LSTM in each direction. With 0 there is none: words are pooled as their vectors, and the
    /// prediction rests on the chosen words alone.
    pub hidden: usize,
    /// Depth of queries, keys and values of the pooling.
    pub head: usize,
    /// How many numbers are predicted: one for each class, or one.
    pub outputs: usize,
    /// What selects words in training.
    pub selector: Selector,
    /// What selects words in use.
    pub used: Selector,
    /// Learn the transition of a selector `sequence:K` from here on.
    pub transition: Option<f64>,
    /// Share of the numbers of word vectors that training leaves out.
    pub dropout: f64,
    /// Share of the words' weights that training leaves out.
    pub bag_dropout: f64,
    /// Share of the numbers of what is pooled that training leaves out.
    pub head_dropout: f64,
    /// The shorter texts of a batch are padded, and what is padded competes for the budget, which is that of the text.
    /// It is how the published code computes, and not how one should.
    pub padding: bool,
}

impl RationaliserConfig {
    /// The sizes of the paper: 200 states in each direction, heads of 200, dropout of 0.1. In use the temperature is
    /// 0.001.
    pub fn new(vectors: usize, outputs: usize, selector: Selector) -> Self {
        let used = Selector { temperature: 1e-3, ..selector.clone() };
        RationaliserConfig {
            vectors,
            hidden: 200,
            head: 200,
            outputs,
            selector,
            used,
            transition: None,
            dropout: 0.1,
            bag_dropout: 0.0,
            head_dropout: 0.0,
            padding: false,
        }
    }

    /// Whether a network can be made with these settings.
    pub fn check(&self) -> Result<()> {
        for (argument, value) in [("vectors", self.vectors), ("head", self.head), ("outputs", self.outputs)] {
            ensure(value > 0, || Error::argument(argument, value, "it must be at least 1"))?;
        }
        for (argument, share) in [("dropout", self.dropout), ("head_dropout", self.head_dropout)] {
            ensure((0.0..1.0).contains(&share), || Error::argument(argument, share, "it must lie in [0, 1)"))?;
        }
        for selector in [&self.selector, &self.used] {
            let omega = self.omega(selector, self.transition.map(|transition| OmegaParameter::Fixed(vec![transition])));
            let rule = "the weights of words must not be negative, and must not have bounds of their own";
            ensure(omega?.is_selector(), || Error::argument("selector", format!("{:?}", selector.omega), rule))?;
        }
        Ok(())
    }

    fn omega(&self, selector: &Selector, parameter: Option<OmegaParameter>) -> Result<Omega> {
        Omega::new(&selector.map()?, parameter.as_ref(), 1, &Device::flex())
    }

    /// β of a selector: one over its temperature and the root of the depth.
    fn beta(&self, selector: &Selector) -> f64 {
        1.0 / (selector.temperature * (self.head as f64).sqrt())
    }
}

/// Predicts from the words that a separation map selects: LSTM, Hopfield pooling, linear head.
#[derive(Module, Debug)]
pub struct Rationaliser {
    lstm: Option<BidirectionalLstm>,
    pooling: HopfieldPooling,
    head: Linear,
    #[module(skip)]
    config: RationaliserConfig,
    /// That of the selector that it has now.
    #[module(skip)]
    temperature: f64,
}

/// Logits or numbers, one row a text, and the weight of each word of each text.
pub(super) struct Decision {
    pub(super) outputs: Tensor<2>,
    pub(super) weights: Vec<Vec<f32>>,
}

impl Rationaliser {
    /// A network with weights drawn from a stream, for training.
    pub fn new(config: &RationaliserConfig, random: &mut Random, device: &Device) -> Result<Self> {
        config.check()?;
        let states = if config.hidden > 0 { 2 * config.hidden } else { config.vectors };
        let lstm = (config.hidden > 0).then(|| BidirectionalLstm::new(config.vectors, config.hidden, random, device));
        let lstm = lstm.transpose()?;
        let omega_parameter =
            config.transition.map(|transition| OmegaParameter::Learned(vec![transition / config.selector.temperature]));
        let pooling = HopfieldConfig {
            hidden_size: Some(config.head),
            scaling: Some(Scaling::Fixed(vec![config.beta(&config.selector)])),
            omega: config.selector.map()?,
            omega_parameter,
            dropout: config.bag_dropout,
            ..HopfieldConfig::new(states)
        };
        let pooling = HopfieldPooling::new(&pooling, 1, true, random, device)?;
        let head = Linear::new(states, config.outputs, random, device);
        let temperature = config.selector.temperature;
        Ok(Rationaliser { lstm, pooling, head, config: config.clone(), temperature })
    }

    /// The settings that it was made with.
    pub fn config(&self) -> &RationaliserConfig {
        &self.config
    }

    /// The transition that was learned, at temperature 1.
    pub fn transition(&self) -> Option<f64> {
        let learned = self.config.transition.and_then(|_| self.pooling.hopfield().omega_parameter());
        learned.map(|values| f64::from(values[0]) * self.temperature)
    }

    /// The same network with the selector for use, without gradients.
    pub fn for_use(&self) -> Result<Self> {
        let mut used = self.valid();
        let selector = &self.config.used;
        let transition = self.transition().map(|transition| transition / selector.temperature);
        let omega =
            self.config.omega(selector, transition.map(|transition| OmegaParameter::Fixed(vec![transition])))?;
        used.pooling = used.pooling.with_map(omega, self.config.beta(selector) as f32);
        used.temperature = selector.temperature;
        Ok(used)
    }

    /// The predictions of texts of word vectors, one after the other; `offsets` says where each begins.
    pub fn forward(&self, words: Tensor<2>, offsets: &[usize], mut phase: Phase<'_>) -> Result<Tensor<2>> {
        let states = self.states(words, offsets, &mut phase)?;
        let pooled = match self.groups(&states, offsets, None)? {
            None => self.pooling.forward(states, phase.lend())?,
            Some(groups) => {
                let pooled = groups.iter().map(|group| group.pooling.forward(group.states.clone(), phase.lend()));
                in_order(pooled.collect::<Result<_>>()?, &groups)
            }
        };
        self.head.forward(drop_out(pooled, self.config.head_dropout, &mut phase))
    }

    /// The same, and which words have weight. Budgets are shares of the texts, or of texts of other lengths.
    pub(super) fn decide(&self, words: Tensor<2>, offsets: &[usize], lengths: Option<&[usize]>) -> Result<Decision> {
        let states = self.states(words, offsets, &mut Phase::Inference)?;
        let groups = self.groups(&states, offsets, lengths)?;
        let groups = groups.unwrap_or_else(|| {
            let texts = (0..offsets.len() - 1).collect();
            vec![Group { texts, states, pooling: self.pooling.clone() }]
        });
        let mut weights = vec![Vec::new(); offsets.len() - 1];
        let mut pooled = Vec::with_capacity(groups.len());
        for group in &groups {
            let (some, report) = group.pooling.forward_with_report(group.states.clone(), Phase::Inference)?;
            pooled.push(some);
            for (at, &text) in group.texts.iter().enumerate() {
                // What is padded stands behind the words.
                weights[text] = report.weights(at, 0, 0)[..offsets[text + 1] - offsets[text]].to_vec();
            }
        }
        Ok(Decision { outputs: self.head.forward(in_order(pooled, &groups))?, weights })
    }

    fn states(&self, words: Tensor<2>, offsets: &[usize], phase: &mut Phase<'_>) -> Result<Patterns> {
        ensure(offsets.len() > 1, || Error::argument("offsets", format!("{offsets:?}"), "there must be a text"))?;
        let words = Patterns::bags(drop_out(words, self.config.dropout, phase), offsets)?;
        match &self.lstm {
            Some(lstm) => lstm.forward(words),
            None => Ok(words),
        }
    }

    /// The texts of a batch by their budgets, which are shares of `lengths`, padded to the longest if they are to be;
    /// `None` where all go together.
    fn groups(&self, states: &Patterns, offsets: &[usize], lengths: Option<&[usize]>) -> Result<Option<Vec<Group>>> {
        let own: Vec<usize> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let longest = own.iter().copied().max().unwrap_or(0);
        let padded = self.config.padding && own.iter().any(|length| *length != longest);
        if !padded && lengths.is_none() {
            return Ok(None);
        }
        let (device, [rows, depth]) = (states.rows().device(), states.rows().dims());
        // One more row, of zeros, for all that is padded.
        let extended = Tensor::cat(vec![states.rows().clone(), Tensor::zeros([1, depth], &device)], 0);
        let of_text: Vec<Option<usize>> =
            lengths.unwrap_or(&own).iter().map(|length| self.pooling.budget(*length)).collect();
        let mut budgets = of_text.clone();
        budgets.sort_unstable();
        budgets.dedup();
        let group = |budget: Option<usize>| {
            let texts: Vec<usize> = (0..own.len()).filter(|text| of_text[*text] == budget).collect();
            let (mut places, mut offsets_of_group) = (Vec::new(), vec![0]);
            for &text in &texts {
                let length = if padded { longest } else { own[text] };
                places.extend((0..length).map(|at| (if at < own[text] { offsets[text] + at } else { rows }) as i64));
                offsets_of_group.push(places.len());
            }
            let places = Tensor::from_data(TensorData::new(places.clone(), [places.len()]), &device);
            let states = Patterns::bags(extended.clone().select(0, places), &offsets_of_group)?;
            let pooling = budget.map_or_else(|| self.pooling.clone(), |budget| self.pooling.with_budget(budget));
            Ok(Group { texts, states, pooling })
        };
        budgets.into_iter().map(group).collect::<Result<Vec<_>>>().map(Some)
    }
}

/// Texts of a batch that select the same number of words.
struct Group {
    texts: Vec<usize>,
    states: Patterns,
    pooling: HopfieldPooling,
}

/// Rows of groups, in the order of the texts.
fn in_order(pooled: Vec<Tensor<2>>, groups: &[Group]) -> Tensor<2> {
    let mut pooled = pooled;
    if pooled.len() == 1 {
        return pooled.remove(0);
    }
    let texts: Vec<usize> = groups.iter().flat_map(|group| group.texts.iter().copied()).collect();
    let mut places = vec![0_i64; texts.len()];
    texts.iter().enumerate().for_each(|(place, text)| places[*text] = place as i64);
    let all = Tensor::cat(pooled, 0);
    let places = Tensor::from_data(TensorData::new(places.clone(), [places.len()]), &all.device());
    all.select(0, places)
}

/// Leaves a share of the numbers out in training.
fn drop_out(x: Tensor<2>, share: f64, phase: &mut Phase<'_>) -> Tensor<2> {
    let Phase::Training(random) = phase else { return x };
    if share == 0.0 {
        return x;
    }
    let ([rows, depth], kept) = (x.dims(), (1.0 / (1.0 - share)) as f32);
    let factors: Vec<f32> = (0..rows * depth).map(|_| if random.uniform() < share { 0.0 } else { kept }).collect();
    let factors = Tensor::from_data(TensorData::new(factors, [rows, depth]), &x.device());
    x * factors
}

/// The rows of a tensor.
pub(super) fn rows(tensor: &Tensor<2>) -> Vec<Vec<f32>> {
    let width = tensor.dims()[1];
    numbers(tensor).chunks_exact(width).map(<[f32]>::to_vec).collect()
}
