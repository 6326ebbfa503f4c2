//! Times a whole training step of a classifier of bags: forward, backward, clipping, AdamW. One JSON line a case.
//!
//! The cases are those of Tables 4 and 5: 12 pictures of 28 x 28 through a LeNet, and 7 rows of 230 features. Memory
//! comes from `mimalloc`, as in the program. `bindings/python/benches/train.py` times the same in PyTorch.

use std::time::Instant;

use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{BagClassifier, ClassifierConfig};
use hfy_nn::train::{AdamW, AdamWConfig, Optimiser};
use hfy_nn::{Phase, Random};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 7;

fn main() {
    // Cargo adds --bench.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    for (name, instances, steps) in [("digits", 12, 60), ("fox", 7, 1500)] {
        for omega in ["softmax", "entmax:1.5", "sparsemax", "entmax:1.3", "normmax:5", "subsets:3"] {
            let case = format!("{name} {omega}");
            if chosen.is_empty() || chosen.iter().any(|part| case.contains(part.as_str())) {
                let (step, parts) = time(name == "digits", omega, instances, steps);
                let [forward, backward, update] = parts.map(|part| part * 1e3);
                println!(
                    r#"{{"case":"step {case}","ms":{:.4},"forward":{forward:.4},"backward":{backward:.4},"update":{update:.4}}}"#,
                    step * 1e3
                );
            }
        }
    }
}

fn config(pictures: bool, omega: &str) -> ClassifierConfig {
    let (width, hidden, heads) = if pictures { (500, 64, 8) } else { (32, 32, 12) };
    ClassifierConfig {
        features: if pictures { 28 * 28 } else { 230 },
        picture: pictures.then_some((28, 28)),
        embedding: if pictures { vec![width] } else { vec![width; 2] },
        pooling: HopfieldConfig {
            hidden_size: Some(hidden),
            num_heads: heads,
            scaling: Some(1.0.into()),
            omega: omega.to_owned(),
            ..HopfieldConfig::new(width)
        },
        rectified: !pictures,
        scaled: false,
        energy: false,
    }
}

/// Seconds of a step, and of its parts, in the median of some rounds.
fn time(pictures: bool, omega: &str, instances: usize, steps: usize) -> (f64, [f64; 3]) {
    let device = Device::flex().autodiff();
    let config = config(pictures, omega);
    let mut random = Random::new(0, 0);
    let mut model = BagClassifier::new(&config, &mut random, &device).expect("a valid configuration");
    let mut adamw = AdamW::new(AdamWConfig { clip: Some(1.0), weight_decay: 1e-4, ..AdamWConfig::default() });
    let x: Vec<f32> = (0..instances * config.features).map(|_| random.normal() as f32).collect();
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let (begin, mut parts) = (Instant::now(), [0.0; 3]);
        for step in 0..steps {
            let start = Instant::now();
            let rows = Tensor::<2>::from_data(TensorData::new(x.clone(), [instances, config.features]), &device);
            let logits = model.logits(rows, &[0, instances], Phase::Training(&mut random)).expect("logits");
            let loss = hfy_nn::mil::loss(logits, &[step % 2 == 0], 1e-5).expect("a loss");
            let forward = Instant::now();
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            let backward = Instant::now();
            model = adamw.step(model, gradients, 1e-5).expect("a step").0;
            let ends = [forward - start, backward - forward, backward.elapsed()];
            parts.iter_mut().zip(ends).for_each(|(sum, part)| *sum += part.as_secs_f64());
        }
        let count = steps as f64;
        rounds.push((begin.elapsed().as_secs_f64() / count, parts.map(|part| part / count)));
    }
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    rounds[ROUNDS / 2]
}
