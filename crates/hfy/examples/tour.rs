//! A first tour: every map on one vector, temperatures, masks and half precision, losses, gradients, a function of
//! one's own, and a memory made of two products. It checks what it claims.

mod draw;

use std::io::{IsTerminal, Write};

use draw::{Page, Plot, bar};
use half::f16;
use hfy::{Batch, Convex, Entmax, Map, Mask, Outcome, Quadratic, Real, Result, Scaled, Separation, Support};
use ndarray::{Array1, Array2, array, aview1};

/// The vector of the paper's figures.
const THETA: [f64; 5] = [1.0716, -1.1221, -0.3288, 0.3368, 0.0425];
const NAMES: [&str; 5] = ["θ₁", "θ₂", "θ₃", "θ₄", "θ₅"];
/// One colour an entry, from the palette of 256.
const INKS: [u8; 5] = [33, 204, 141, 208, 35];

fn main() -> Result<()> {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut page = Page::new(colour);
    page.line("");
    page.line(&page.bold("  hfy · a convex function seen through its conjugate"));
    page.line("");
    page.line("  A map turns scores θ into weights:   ŷ(θ) = argmax θ·y - Ω(y)");
    page.line("  Choose Ω, and you have chosen how decided, how sparse and how flat the weights are.");
    every_map(&mut page)?;
    temperatures(&mut page)?;
    half_batch(&mut page)?;
    losses(&mut page)?;
    learned_alpha(&mut page)?;
    own_function(&mut page)?;
    memory(&mut page)?;
    page.title("What to read next");
    page.line("  docs/maps.md                    the maps in one table, the networks, the combinators");
    page.line("  cargo doc --open -p hfy         a guided tour of the interface, with examples that run");
    page.line("  CONTRIBUTING.md                 how to add a map");
    page.line("  crates/hfy/examples/tour.rs     this page, as code");
    page.line("");
    // A reader that closes the pipe early is no failure.
    let _ = std::io::stdout().write_all(page.text().as_bytes());
    Ok(())
}

fn every_map(page: &mut Page) -> Result<()> {
    page.title("One vector through every map");
    let scores: String =
        (0..5).map(|i| page.ink(INKS[i], &format!("{:<15}", format!("{} {}", NAMES[i], THETA[i])))).collect();
    page.line(&format!("  {:<13}{scores}  nonzero", ""));
    let on_simplex = [
        "softmax",
        "entmax:1.25",
        "entmax:1.5",
        "sparsemax",
        "entmax:4",
        "argmax",
        "normmax:2",
        "normmax:5",
        "normmax:inf",
        "subsets:2",
        "bounded:.4",
    ];
    for name in on_simplex {
        let text = if name == "bounded:.4" { "bounded:.4,.4,.4,.4,.4" } else { name };
        let map: Map = text.parse()?;
        let y = weights(&map, &THETA)?;
        let mass = Convex::<f64>::mass(&map).expect("these maps spread a fixed mass");
        assert!((y.iter().sum::<f64>() - mass).abs() < 1e-12, "{name} spreads {mass}");
        let mut support = Support::default();
        map.support(&THETA, &mut support)?;
        assert_eq!(support.len(), y.iter().filter(|y| **y > 0.0).count(), "the support is what is not zero");
        page.weights(name, &INKS, &y, 1.0, &format!("{} of 5", support.len()));
    }
    page.line("");
    page.line("  Over all of space, for networks whose weights are no distribution (a pale bar is negative):");
    for name in ["quadratic", "power:3", "exponential"] {
        let y = weights(&name.parse::<Map>()?, &THETA)?;
        page.weights(name, &INKS, &y, y.iter().fold(0.0, |m: f64, y| m.max(y.abs())), "");
    }
    Ok(())
}

fn temperatures(page: &mut Page) -> Result<()> {
    const HIGHEST: f64 = 6.0;
    page.title("The regularisation path: weights against temperature, ŷ(θ/T)");
    let lead = THETA[0] - THETA[3];
    let mut panels = Vec::new();
    for name in ["softmax", "sparsemax", "normmax:5"] {
        let map: Map = name.parse()?;
        let at = |t: f64| -> Result<Vec<f64>> { weights(&Scaled::new(&map, t)?, &THETA) };
        let mut plot = Plot::new(5, 28, 9);
        for step in 0..plot.columns() {
            let t = (step as f64 + 0.5) / plot.columns() as f64 * HIGHEST;
            at(t)?.into_iter().enumerate().for_each(|(i, y)| plot.extend(i, step, y, INKS[i]));
        }
        let decided = match margin(&map) {
            Some(margin) => {
                let edge = lead / margin;
                let one_hot = [1.0, 0.0, 0.0, 0.0, 0.0];
                assert_eq!(at(edge * (1.0 - 1e-9))?, one_hot, "{name} decides as soon as the lead is the margin");
                assert_ne!(at(edge * (1.0 + 1e-6))?, one_hot, "and no sooner");
                format!("one-hot up to T = {edge:.3}")
            }
            None => "never one-hot".to_owned(),
        };
        let full =
            (1..6000).map(|t| t as f64 * HIGHEST / 6000.0).find(|&t| at(t).is_ok_and(|y| y.iter().all(|y| *y > 0.0)));
        let full = match full.expect("every map here reaches all entries") {
            t if t < 0.1 => "all five weigh at every T".to_owned(),
            t => format!("all five weigh from T = {t:.2}"),
        };
        panels.push((name, plot.lines(page), decided, full));
    }
    let across = |page: &mut Page, edge: &str, cell: &dyn Fn(usize) -> String| {
        let cells: String = (0..3).map(|i| format!("  {edge}{}", cell(i))).collect();
        page.line(&format!("  {cells}"));
    };
    across(page, " ", &|i| page_cell(panels[i].0));
    for line in 0..panels[0].1.len() {
        across(page, if line == 0 { "1┤" } else { " │" }, &|i| panels[i].1[line].clone());
    }
    across(page, "0└", &|_| "─".repeat(28));
    across(page, " ", &|_| format!("0{:>28}", format!("T = {HIGHEST}")));
    across(page, " ", &|i| page_cell(&panels[i].2));
    across(page, " ", &|i| page_cell(&panels[i].3));
    let order: Vec<String> = [0, 3, 4, 2, 1].iter().map(|&i| page.ink(INKS[i], NAMES[i])).collect();
    page.line("");
    page.line(&format!("  From the top: {}. The best score leads by {lead:.4}; a map with margin m", order.join(" ")));
    page.line(&format!("  is exactly one-hot while that lead, over T, is at least m: up to T = {lead:.4}/m."));
    Ok(())
}

/// A caption as wide as a plot and its axis.
fn page_cell(text: &str) -> String {
    format!(" {text:<28}")
}

fn half_batch(page: &mut Page) -> Result<()> {
    page.title("A batch in half precision, with padding");
    let rows = [[1.5, 1.0, 0.25, -2.0, 1.25, 0.5], [60000.0, 60000.0, 59968.0, 7.0, 7.0, 7.0], [7.0; 6]];
    let lengths = [6, 3, 0];
    let scores = Array2::from_shape_fn((3, 6), |(i, j)| f16::from_f64(rows[i][j]));
    let batch = Batch::new(&Entmax::SPARSEMAX).mask(Mask::lengths(&lengths));
    let (y, report) = batch.map(scores.view())?;
    for (i, row) in y.rows().into_iter().enumerate() {
        let mut cells = String::new();
        for (j, y) in row.iter().map(|y| y.to_f64()).enumerate() {
            assert!(y.is_finite() && (j < lengths[i] || y == 0.0), "padding has no weight");
            cells += &if j < lengths[i] { page.cell(y, 1.0, INKS[0]) } else { page.dim(&format!("{:<15}", "padding")) };
        }
        page.line(&format!("  {cells}"));
    }
    assert_eq!((report.rows, report.empty.as_slice()), (3, &[2][..]));
    page.line("");
    page.line("  f16 is storage: rows are computed in f32 and rounded once, so scores of 60000 are no trouble.");
    page.line(&format!(
        "  A row that is all padding gives zeros, and the report names it: empty = {:?}.",
        report.empty
    ));
    Ok(())
}

fn losses(page: &mut Page) -> Result<()> {
    const STEPS: usize = 60;
    page.title("Fenchel-Young losses end: exactly 0 once the right score leads by the margin");
    for name in ["softmax", "entmax:1.5", "sparsemax", "normmax:5"] {
        let map: Map = name.parse()?;
        let loss = |lead: f64| map.loss(&[lead, 0.0, 0.0], &[1.0, 0.0, 0.0]);
        let highest = loss(0.0)?;
        let mut line = String::new();
        for step in 0..STEPS {
            let value = loss(3.0 * step as f64 / STEPS as f64)?;
            let level = ((value / highest * 8.0).ceil() as usize).clamp(1, 8);
            line +=
                if value == 0.0 { "·" } else { ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][level - 1] };
        }
        let note = match margin(&map) {
            Some(margin) => {
                assert_eq!(loss(margin)?, 0.0, "{name} is content at its margin");
                assert!(loss(margin - 1e-3)? > 0.0, "and not before");
                format!("0 from a lead of {margin} on")
            }
            None => {
                assert!(loss(30.0)? > 0.0, "softmax never is");
                "never 0".to_owned()
            }
        };
        page.line(&format!("  {name:<12} {} {note}", page.ink(33, &line)));
    }
    page.line(&page.dim(&format!("  {:<12} 0{:>20}{:>20}{:>20}", "lead", "1", "2", "3")));
    Ok(())
}

fn learned_alpha(page: &mut Page) -> Result<()> {
    const WANTED: f64 = 1.7;
    page.title("A gradient in alpha: finding the map that made these weights");
    let target = weights(&Entmax::new(WANTED)?, &THETA)?;
    let mut alpha = 1.0;
    for step in 0..12 {
        let map = Entmax::new(alpha)?;
        let y = weights(&map, &THETA)?;
        let gap: Vec<f64> = y.iter().zip(&target).map(|(y, t)| y - t).collect();
        let distance = gap.iter().map(|g| g * g).sum::<f64>().sqrt();
        let bar = bar(((distance.max(1e-16).log10() + 16.0) / 16.0).min(1.0), 44);
        page.line(&format!(
            "  step {step}   α = {alpha:<12.10}   {}  |ŷ - target| = {distance:.1e}",
            page.ink(33, &bar)
        ));
        if distance < 1e-12 {
            break;
        }
        // A Gauss-Newton step on the one number: dŷ/dα, an entry at a time.
        let mut slope = [0.0; 5];
        for (i, slope) in slope.iter_mut().enumerate() {
            let mut unit = [0.0; 5];
            unit[i] = 1.0;
            *slope = map.parameter_vjp(&y, &unit)?.expect("entmax has a parameter");
        }
        let size: f64 = slope.iter().map(|s| s * s).sum();
        alpha = (alpha - gap.iter().zip(slope).map(|(g, s)| g * s).sum::<f64>() / size).max(1.0);
    }
    assert!((alpha - WANTED).abs() < 1e-10, "alpha was found");
    page.line("");
    page.line("  It starts at α = 1, softmax itself, where the derivative from the right is exact too.");
    Ok(())
}

/// `f(y) = Σ y log y + (1-y) log(1-y)`: one switch an entry, each on its own. Its map is the sigmoid.
struct Switches;

impl<T: Real> Convex<T> for Switches {
    fn value(&self, y: &[T]) -> T {
        let term = |p: T| if p == T::zero() { T::zero() } else { p * p.ln() };
        let inside = y.iter().all(|&p| p >= T::zero() && p <= T::one());
        if inside { y.iter().map(|&p| term(p) + term(T::one() - p)).sum() } else { T::infinity() }
    }
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        Ok(theta.iter().map(|&s| s.max(T::zero()) + (-s.abs()).exp().ln_1p()).sum())
    }
    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        theta.iter_mut().for_each(|s| *s = T::one() / (T::one() + (-*s).exp()));
        Ok(Outcome::Solved)
    }
    fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        g.iter_mut().zip(y).for_each(|(g, &p)| *g *= p * (T::one() - p));
        Ok(())
    }
}

fn own_function(page: &mut Page) -> Result<()> {
    page.title("A convex function of your own: four methods, and everything works on it");
    for (name, temperature) in [("T = 1", 1.0), ("T = 1/4", 0.25)] {
        let switches = Scaled::new(Switches, temperature)?;
        let (y, _) = Batch::new(&switches).map(array![THETA].view())?;
        page.weights(name, &INKS, y.row(0).to_vec().as_slice(), 1.0, "");
    }
    let loss = Switches.loss(&[THETA[0]], &[1.0])?;
    assert!((loss - (-THETA[0]).exp().ln_1p()).abs() < 1e-15, "the loss of a switch is the logistic loss");
    page.line("");
    page.line("  Ω(y) = Σ y log y + (1-y) log(1-y), so the map is the sigmoid. Temperatures and batches come");
    page.line(&format!(
        "  with the trait, and so does its Fenchel-Young loss: log(1 + exp(-θ₁)) = {loss:.6}, the logistic."
    ));
    Ok(())
}

/// 5 x 7 pixels, `#` for 1 and `.` for -1.
const LETTERS: [&str; 3] = [
    "#...##...##...#######...##...##...#",
    "######....#....####.#....#....#....",
    "#...##...#.#.#...#....#....#....#..",
];

fn memory(page: &mut Page) -> Result<()> {
    page.title("What the maps are for: three letters, one of them half erased");
    let pixels: Vec<f64> = LETTERS.concat().chars().map(|c| if c == '#' { 1.0 } else { -1.0 }).collect();
    let x = Array2::from_shape_vec((3, 35), pixels).expect("three letters of 35 pixels");
    let query: Array1<f64> = x.row(1).iter().enumerate().map(|(i, &v)| if i < 15 { v } else { 0.0 }).collect();
    let mut pictures = vec![("H", x.row(0).to_vec()), ("F", x.row(1).to_vec()), ("Y", x.row(2).to_vec())];
    pictures.push(("query", query.to_vec()));
    let mut notes = Vec::new();
    for name in ["softmax", "sparsemax"] {
        let omega = Scaled::with_beta(name.parse::<Map>()?, 0.1)?;
        let mut y = x.dot(&query).to_vec();
        omega.argmax(&mut y)?;
        let next = x.t().dot(&aview1(&y));
        let energy = |q: &Array1<f64>| -> Result<f64> {
            Ok(Quadratic.value(&q.to_vec()) - omega.conjugate(&x.dot(q).to_vec())?)
        };
        let (before, after) = (energy(&query)?, energy(&next)?);
        assert!(after < before, "an update lowers the energy");
        assert_eq!(next == x.row(1), name == "sparsemax", "only the sparse map brings the letter back exactly");
        notes.push(format!(
            "  {name:<10} weights {:.3} {:.3} {:.3}   energy {before:6.2} → {after:6.2}",
            y[0], y[1], y[2]
        ));
        pictures.push((name, next.to_vec()));
    }
    let captions: String = pictures.iter().map(|(name, _)| format!("{name:<15}")).collect();
    page.line(&format!("    {captions}"));
    for row in 0..7 {
        let mut line = String::from("    ");
        for (_, picture) in &pictures {
            let shade = |v: &f64| ["··", "░░", "▒▒", "▓▓", "██"][((v + 1.0) * 2.0).round().clamp(0.0, 4.0) as usize];
            line += &format!("{}     ", picture[5 * row..5 * row + 5].iter().map(shade).collect::<String>());
        }
        page.line(line.trim_end());
    }
    page.line("");
    notes.iter().for_each(|note| page.line(note));
    page.line("");
    page.line("  One step, q ← Xᵀ ŷ(X q), at β = 0.1: softmax brings back a blend, sparsemax the letter, exactly.");
    Ok(())
}

fn margin(map: &Map) -> Option<f64> {
    map.margin()
}

fn weights(map: &impl Convex<f64>, theta: &[f64]) -> Result<Vec<f64>> {
    let mut y = theta.to_vec();
    map.argmax(&mut y)?;
    Ok(y)
}
