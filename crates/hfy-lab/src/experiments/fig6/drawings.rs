//! Sequential recall, drawn.

use hfy_draw::chart::{Axis, Curve, Grid, Panel, Style};
use hfy_draw::palette::FAINT;
use hfy_draw::{Dash, Marker};

use super::{ALPHAS, BETA, DRAWN, ORDER, UNIQUE, score};
use crate::experiment::{Drawing, Pictures, Series, Setting};
use crate::experiments::recall::{SequentialRun, Taken, Which, drawn_curve, find, lists, map_name, right_run, seeds};

pub(super) fn medians(setting: &Setting, all: &[Series]) -> Drawing {
    let mut panels = Vec::new();
    for measure in [UNIQUE, ORDER] {
        for dataset in Pictures::MEMORIES {
            let title = if measure == UNIQUE { dataset.name() } else { "" };
            let axis = Axis::linear(measure).within(0.0, 1.04);
            let mut panel = Panel::new(title, Axis::log2("number of memories N"), axis);
            let of_map =
                |&alpha: &f64| find(all, Which { method: &map_name(alpha), dataset, beta: Some(BETA), measure });
            let curves: Vec<&Series> = ALPHAS.iter().filter_map(of_map).collect();
            if let Some(one) = curves.first() {
                let right = |&n: &f64| (n, score(&right_run(n as usize), setting.mode, measure));
                let points = one.x.iter().map(right).collect();
                panel.curves.push(Curve::new("in the right order", Style::line(FAINT, 0.8), points));
            }
            let beside = |(k, one): (usize, &&Series)| drawn_curve(one, k, curves.len(), Style::series(k + 1));
            panel.curves.extend(curves.iter().enumerate().map(beside));
            panels.push(panel);
        }
    }
    let mut grid = Grid::new("", Pictures::MEMORIES.len(), panels);
    (grid.shared_x, grid.shared_y) = (true, true);
    let caption = format!(
        "Sequential recall at β = {BETA}, by the number of memories. Above: distinct memories over rounds. Below: how well the order is \
         kept. Thin lines: a run in the right order. Medians of {} choices of memories, the three maps a little \
         side by side; bands from quarter to quarter.",
        seeds(setting)
    );
    Drawing { name: "fig6".to_owned(), caption, figure: grid.figure() }
}

/// The runs of one seed, round by round.
pub(super) fn blocks(setting: &Setting, taken: &[Taken<SequentialRun>]) -> Drawing {
    let panel = |dataset: Pictures| {
        let run = SequentialRun::of_paper(2.0, DRAWN, setting.mode);
        let mut panel = Panel::new(dataset.name(), Axis::linear("round"), Axis::linear("recalled memory"));
        if let Some(list) = lists(taken, dataset, &run).next() {
            panel.curves = block_curves(list);
        }
        panel
    };
    let mut grid = Grid::new("", Pictures::MEMORIES.len(), Pictures::MEMORIES.map(panel).to_vec());
    grid.shared_y = true;
    let caption = format!(
        "The memory that each round recalls, for the first choice of {DRAWN} memories with sparsemax. Memories that are next to each other and \
         recalled one after the other are joined: blocks. A run in the right order is one line from the lower left."
    );
    Drawing { name: "fig6-blocks".to_owned(), caption, figure: grid.figure() }
}

/// Lines through steps forwards and backwards, and points that no such step leads to or from.
fn block_curves(recalled: &[usize]) -> Vec<Curve> {
    let places: Vec<(f64, f64)> =
        std::iter::once(&0).chain(recalled).enumerate().map(|(round, memory)| (round as f64, *memory as f64)).collect();
    let step = |pair: &[(f64, f64)]| pair[1].1 - pair[0].1;
    let lines = |direction: f64| -> Vec<(f64, f64)> {
        let steps = places.windows(2).filter(|pair| step(pair) == direction);
        steps.flat_map(|pair| [pair[0], pair[1], (f64::NAN, f64::NAN)]).collect()
    };
    let joined = |k: usize| k < places.len() - 1 && step(&places[k..k + 2]).abs() == 1.0;
    let alone = (0..places.len()).filter(|&k| !joined(k) && (k == 0 || !joined(k - 1))).map(|k| places[k]);
    let mut forwards = Style::series(0).bare();
    (forwards.width, forwards.dash) = (2.2, Dash::Solid);
    let backwards = Style { dash: Dash::Solid, width: 2.2, ..Style::series(1).bare() };
    let single = Style { width: 0.0, marker: Some(Marker::Cross), ..Style::series(6) };
    vec![
        Curve::new("forwards", forwards, lines(1.0)),
        Curve::new("backwards", backwards, lines(-1.0)),
        Curve::new("neither from nor to a neighbour", single, alone.collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_joined() {
        let curves = block_curves(&[1, 2, 9, 5, 4, 4]);
        let points = |k: usize| curves[k].points.iter().filter(|point| !point.0.is_nan()).copied().collect::<Vec<_>>();
        assert_eq!(points(0), [(0.0, 0.0), (1.0, 1.0), (1.0, 1.0), (2.0, 2.0)]);
        assert_eq!(points(1), [(4.0, 5.0), (5.0, 4.0)]);
        assert_eq!(points(2), [(3.0, 9.0), (6.0, 4.0)]);
    }
}
