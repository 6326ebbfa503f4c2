//! Times a training step.
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{BagClassifier, ClassifierConfig};
use hfy_nn::train::{AdamW, AdamWConfig, Optimiser};
use hfy_nn::{Phase, Random};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let device = Device::flex().autodiff();
    let mnist = std::env::args().nth(1).as_deref() != Some("fox");
    let omega = std::env::args().nth(2).unwrap_or("softmax".into());
    let mut random = Random::new(0, 0);
    let (n, d) = if mnist { (12, 784) } else { (7, 230) };
    let config = if mnist {
        ClassifierConfig {
            features: 784,
            picture: Some((28, 28)),
            embedding: vec![500],
            pooling: HopfieldConfig {
                hidden_size: Some(64),
                num_heads: 8,
                scaling: Some(1.0.into()),
                omega,
                ..HopfieldConfig::new(500)
            },
            rectified: false,
            scaled: false,
        }
    } else {
        ClassifierConfig {
            features: 230,
            picture: None,
            embedding: vec![32, 32],
            pooling: HopfieldConfig {
                hidden_size: Some(32),
                num_heads: 12,
                scaling: Some(1.0.into()),
                omega,
                ..HopfieldConfig::new(32)
            },
            rectified: true,
            scaled: false,
        }
    };
    let mut model = BagClassifier::new(&config, &mut random, &device).unwrap();
    let x: Vec<f32> = (0..n * d).map(|_| random.normal() as f32).collect();
    let mut adam = AdamW::new(AdamWConfig { clip: Some(1.0), weight_decay: 1e-4, ..Default::default() });
    for part in 0..3 {
        let count = if mnist { 100 } else { 2000 };
        let mut times = [0.0; 4];
        let mut last = 0.0;
        for step in 0..count {
            let t = Instant::now();
            let rows = Tensor::<2>::from_data(TensorData::new(x.clone(), [n, d]), &device);
            let logits = model.logits(rows, &[0, n], Phase::Training(&mut random)).unwrap();
            times[0] += t.elapsed().as_secs_f64();
            let loss = hfy_nn::mil::loss(logits, &[step % 2 == 0], 1e-5).unwrap();
            let grads = loss.backward();
            times[1] += t.elapsed().as_secs_f64();
            let grads = GradientsParams::from_grads(grads, &model);
            times[2] += t.elapsed().as_secs_f64();
            (model, last) = adam.step(model, grads, 1e-5).unwrap();
            times[3] += t.elapsed().as_secs_f64();
        }
        println!(
            "{part}: forward {:.3} +backward {:.3} +grads {:.3} +adam {:.3} ms, norm {last}",
            times[0] * 1e3 / count as f64,
            times[1] * 1e3 / count as f64,
            times[2] * 1e3 / count as f64,
            times[3] * 1e3 / count as f64
        );
    }
}
