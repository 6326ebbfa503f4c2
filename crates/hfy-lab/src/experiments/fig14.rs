//! Figure 14: what the post-transformation does to each map.

use hfy_draw::chart::{Axis, Grid, Panel, Style};
use hfy_draw::{Colour, Dash, Figure, Marker};
use serde_json::{Value, json};

use super::fig11::{masked_readings, size_axis, sizes, trials};
use super::masked::{self, Curves, Method};
use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Outcome, Pictures, Reading, Results, Setting, TableCell,
};

/// Figure 14.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fig14;

const BETA: f64 = 1.0;

/// Every map with every post-transformation, map after map.
fn methods() -> impl Iterator<Item = Method> {
    (0..Method::MAPS.len()).flat_map(|map| (0..Method::POSTS.len()).map(move |post| Method::Sparse(map, post)))
}

impl Experiment for Fig14 {
    fn id(&self) -> &'static str {
        "fig14"
    }

    fn title(&self) -> &'static str {
        "Memory capacity by map and post-transformation"
    }

    fn about(&self) -> &'static str {
        "The capacity of Figure 11 at β = 1, for each of four maps without a post-transformation and with two. A plain product \
         prefers memories of much contrast, whatever the cue; both normalisations take that preference away, which is why they \
         gain on colour pictures. Softmax with l2 normalisation is the exception: its scores lie below 20, too close together \
         for a map without a margin."
    }

    fn readings(&self) -> Vec<Reading> {
        let readings = masked_readings();
        readings.into_iter().filter(|reading| reading.point.contains("normal")).collect()
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let seeds = if setting.quick { setting.seeds.min(2) } else { setting.seeds };
        let of = |pictures| {
            let models = methods().map(|method| method.model(setting.mode, pictures, BETA)).collect();
            masked::cells(pictures, seeds, &trials(pictures, setting.quick), models)
        };
        Pictures::MEMORIES.into_iter().flat_map(of).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let rates = masked::compute(&cell.key()?, bench)?;
        serde_json::to_value(rates).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let curves = Curves::new(setting, results, false)?;
        let caption = "Share of half-hidden pictures that are retrieved, against the number of stored ones, for each map (rows) and \
                       set of pictures (columns): medians and quarters over the seeds at β = 1.";
        let series = Pictures::MEMORIES.into_iter().flat_map(|p| methods().map(move |method| (method, p)));
        let series = series.map(|(method, pictures)| curves.series(method, pictures, BETA)).collect();
        Ok(Outcome {
            parameters: json!({
                "sizes": Pictures::MEMORIES.map(|pictures| (pictures.name(), sizes(pictures, setting.quick))),
                "beta": BETA, "updates": 5, "hidden": "lower half of the rows, set to 0", "success": "cosine > 0.9",
                "models": methods()
                    .map(|method| (method.name(), method.model(setting.mode, Pictures::Mnist, BETA)))
                    .collect::<Vec<_>>(),
            }),
            cells: if setting.quick { Vec::new() } else { table(&curves) },
            series,
            claims: if setting.quick { Vec::new() } else { claims(&curves) },
            values: Value::Null,
            drawings: vec![Drawing {
                name: "fig14".to_owned(),
                caption: caption.to_owned(),
                figure: figure(&curves, setting.quick),
            }],
        })
    }
}

fn style(post: usize) -> Style {
    const COLOURS: [Colour; 3] = [[0, 114, 178], [136, 34, 85], [0, 158, 115]];
    const DASHES: [Dash; 3] = [Dash::Solid, Dash::Solid, Dash::Dashed];
    const MARKERS: [Marker; 3] = [Marker::Circle, Marker::Diamond, Marker::TriangleDown];
    Style { colour: COLOURS[post], dash: DASHES[post], marker: Some(MARKERS[post]), width: 1.6 }
}

fn figure(curves: &Curves, quick: bool) -> Figure {
    let mut panels = Vec::new();
    for map in 0..Method::MAPS.len() {
        for pictures in Pictures::MEMORIES {
            let name = if map == 0 { pictures.name() } else { "" };
            let y = Axis::linear("share retrieved").within(-0.03, 1.03);
            let mut panel = Panel::new(name, size_axis(pictures, quick), y);
            let curve = |post: usize| {
                let series = curves.series(Method::Sparse(map, post), pictures, BETA);
                Curves::curve(&series, Method::POSTS[post].to_owned(), style(post))
            };
            panel.curves = (0..Method::POSTS.len()).map(curve).collect();
            panels.push(panel);
        }
    }
    let mut grid = Grid::new("Memory capacity at β = 1, by map and post-transformation", 3, panels);
    grid.row_labels = Method::MAPS.map(|(name, _)| name.to_owned()).to_vec();
    grid.panel_size = (260.0, 140.0);
    (grid.shared_x, grid.shared_y) = (true, true);
    grid.figure()
}

/// "Normalization excels across a variable number of memories", a statement for each map.
fn claims(curves: &Curves) -> Vec<Claim> {
    // As the curves are drawn: rates that differ by less are one line.
    const WIDTH_OF_A_LINE: f64 = 0.005;
    let one = |map: usize| {
        let area = |post: usize, pictures| curves.area(Method::Sparse(map, post), pictures, BETA);
        let excels = |&p: &Pictures| area(1, p) >= area(0, p).max(area(2, p)) - WIDTH_OF_A_LINE;
        let because = Pictures::MEMORIES.map(|p| {
            let rates = [0, 1, 2].map(|post| format!("{:.3}", area(post, p))).join(", ");
            format!("{} {rates}", p.name())
        });
        Claim::new(
            format!("With {} the l2 normalisation excels at any number of memories.", Method::MAPS[map].0),
            Pictures::MEMORIES.iter().all(excels),
            format!("identity, norm, lnorm: {} (mean rates)", because.join("; ")),
        )
    };
    (0..Method::MAPS.len()).map(one).collect()
}

fn table(curves: &Curves) -> Vec<TableCell> {
    let one = |(method, pictures): (Method, Pictures)| {
        let most = *sizes(pictures, false).last().unwrap_or(&0);
        let column = format!("{}, {most} stored", pictures.name());
        let median = curves.median(method, pictures, BETA, most as f64);
        TableCell::plain(method.name(), column, median).of("At the largest numbers of memories")
    };
    methods().flat_map(|method| Pictures::MEMORIES.map(|p| (method, p))).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Mode;

    #[test]
    fn four_maps_with_three_post_transformations_make_three_bundles() {
        assert_eq!(methods().count(), 12);
        let cells = Fig14.cells(&Setting { mode: Mode::Printed, seeds: 5, long_seeds: 3, quick: false });
        assert_eq!(cells.len(), 3 * 3 * 5);
        assert_eq!(Fig14.readings().len(), 2);
    }
}
