//! Processor time an entry of a few maps: `dbg LENGTH MAP...`, with `b/` before a map for its backward pass too.

use hfy::*;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    f[11].parse::<f64>().unwrap() * 0.01
}
fn main() {
    let mut s = 12345u64;
    let mut u = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        ((s >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let rows: Vec<Vec<f32>> = (0..16)
        .map(|_| (0..n).map(|_| ((-2.0 * u().ln()).sqrt() * (std::f64::consts::TAU * u()).cos()) as f32).collect())
        .collect();
    let mut y = vec![0f32; n];
    let mut g = vec![0f32; n];
    for m in std::env::args().skip(2) {
        let (m, back) = match m.strip_prefix("b/") {
            Some(x) => (x.to_string(), true),
            None => (m, false),
        };
        let map: Map = m.parse().unwrap();
        let mut reps = 0;
        let t = cpu();
        while cpu() - t < 0.7 {
            for _ in 0..(1_000_000 / n) {
                let i = reps;
                y.copy_from_slice(&rows[i % 16]);
                map.argmax(&mut y).unwrap();
                if back {
                    g.copy_from_slice(&rows[(i + 1) % 16]);
                    map.pullback(&y, &mut g).unwrap();
                    std::hint::black_box(&g);
                }
                std::hint::black_box(&y);
                reps += 1;
            }
        }
        println!("{m} {back} {:.3} ns/elem cpu", (cpu() - t) * 1e9 / (reps * n) as f64);
    }
}
