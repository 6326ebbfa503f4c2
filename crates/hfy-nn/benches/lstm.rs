//! Times a bidirectional LSTM, forward and backward: 32 sequences of 40 words, 100 numbers to 2 x 200; the same with
//! sequences of 1 to 79 words. One JSON line a case; arguments choose cases by parts of their names.
//!
//! `bindings/python/benches/lstm.py` times the same in PyTorch.

use std::time::Instant;

use burn::tensor::{Device, Tensor, TensorData};
use hfy_nn::Random;
use hfy_nn::layers::{BidirectionalLstm, Patterns};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 15;
const REPEATS: usize = 10;

fn main() {
    let device = Device::flex().autodiff();
    let mut random = Random::new(0, 0);
    let lstm = BidirectionalLstm::new(100, 200, &mut random, &device).expect("valid sizes");
    let ragged = (0..32).map(|at| 1 + at * 78 / 31).collect::<Vec<usize>>();
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    for (name, lengths) in [("lstm 32 x 40", vec![40; 32]), ("lstm 1 to 79", ragged)] {
        if !chosen.is_empty() && !chosen.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let mut offsets = vec![0];
        lengths.iter().for_each(|length| offsets.push(offsets[offsets.len() - 1] + length));
        let rows = offsets[lengths.len()];
        let x: Vec<f32> = (0..rows * 100).map(|_| random.normal() as f32).collect();
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let (mut forward, mut whole) = (0.0, 0.0);
            for _ in 0..REPEATS {
                let words = Tensor::<2>::from_data(TensorData::new(x.clone(), [rows, 100]), &device);
                let words = Patterns::bags(words, &offsets).expect("sequences");
                let begin = Instant::now();
                let states = lstm.forward(words).expect("states");
                forward += begin.elapsed().as_secs_f64();
                let gradients = states.rows().clone().sum().backward();
                whole += begin.elapsed().as_secs_f64();
                drop(gradients);
            }
            times.push((whole / REPEATS as f64, forward / REPEATS as f64));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (whole, forward) = times[ROUNDS / 2];
        println!(
            r#"{{"case":"{name}","threads":{},"ms":{:.3},"forward":{:.3}}}"#,
            rayon::current_num_threads(),
            whole * 1e3,
            forward * 1e3
        );
    }
}
