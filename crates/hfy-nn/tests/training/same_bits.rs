//! The seed alone decides.

use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{self, BagLoss, Bags, ClassifierConfig, TrainConfig};
use hfy_nn::state;
use hfy_nn::train::{FitConfig, Keep, Watch};
use ndarray::Array2;

use crate::common::Matrix;
use crate::tasks::{bits, config, run};

#[test]
fn the_same_seed_gives_the_same_bits_in_one_thread_and_in_four() {
    let expected = bits(&run(&config(), Watch::default()).unwrap());
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for _ in 0..2 {
            let found = pool.install(|| bits(&run(&config(), Watch::default()).unwrap()));
            assert_eq!(found, expected, "{threads} threads");
        }
    }
    let other = run(&FitConfig { seed: 8, ..config() }, Watch::default()).unwrap();
    assert_ne!(bits(&other).0, expected.0);
}

#[test]
fn runs_beside_each_other_do_not_disturb_each_other() {
    let expected = bits(&run(&config(), Watch::default()).unwrap());
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| bits(&run(&config(), Watch::default()).unwrap()))).collect();
        runs.into_iter().for_each(|run| assert_eq!(run.join().unwrap(), expected));
    });
}

/// Pictures large enough that a product or an elementwise operation could be shared by threads.
#[test]
fn a_classifier_of_pictures_in_one_thread_and_in_four() {
    let pixels = Matrix::normal(24, 28 * 28, 1);
    let pool = Array2::from_shape_vec((24, 28 * 28), pixels.values).unwrap();
    let offsets: Vec<usize> = (0..=6).map(|bag| bag * 4).collect();
    let positive = [true, false, true, false, true, false];
    let config = TrainConfig {
        model: ClassifierConfig {
            features: 28 * 28,
            picture: Some((28, 28)),
            embedding: vec![32],
            pooling: HopfieldConfig { num_heads: 2, hidden_size: Some(8), dropout: 0.1, ..HopfieldConfig::new(32) },
            rectified: true,
            scaled: true,
            energy: false,
        },
        rate: 1e-3,
        decay: 0.9,
        weight_decay: 1e-2,
        clip: Some(1.0),
        loss: BagLoss::default(),
        fit: FitConfig { epochs: 2, batch: 3, patience: None, keep: Keep::Last, seed: 5 },
    };
    let train = || {
        let bags = Bags::consecutive(pool.view(), &offsets, &positive).unwrap();
        let fitted = mil::train(&config, bags.clone(), Some(bags), Watch::default()).unwrap();
        let tensors = state::of(&fitted.module);
        let names: Vec<String> = tensors.names().map(str::to_owned).collect();
        let of = |name: &String| tensors.get(name).unwrap().1.iter().map(|v| v.to_bits()).collect::<Vec<u32>>();
        (names.iter().map(of).collect::<Vec<_>>(), format!("{:?}", fitted.epochs))
    };
    let [one, four] =
        [1, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(train));
    assert!(one == four, "{} {}", one.1, four.1);
}
