//! A page over bags and what was looked at in them.

use std::fmt::Write as _;

use hfy_draw::html::escaped;

use super::explain::{Explained, foremost};

const STYLE: &str = "
:root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff }
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem }
section { border-top: 1px solid #ddd; margin-top: 1.5rem; padding-top: 0.5rem }
figure { margin: 0; overflow-x: auto }
svg { display: block; max-width: none }
h2 { font-size: 1.05rem; margin: 0.4rem 0 }
small { color: #6b6b6b }
.wrong { color: #b2182b }
";

/// The page. A drawing belongs to each bag.
pub(super) fn html(omega: &str, bags: &[Explained<'_>], drawings: &[String]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>What the heads looked at</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>What the heads looked at</h1>\n\
         <p>A column is an instance of the bag, under its row in the file. The bar is its mean share of the weight of all heads; \
         below, a darker field is more weight of one head, and an empty one is none at all: with {}, what has no weight in \
         any head had no part in the decision.</p>\n",
        escaped(omega)
    );
    for (bag, drawing) in bags.iter().zip(drawings) {
        let decided = bag.probability >= 0.5;
        let name = |positive: bool| if positive { "positive" } else { "negative" };
        let label = match bag.label {
            Some(label) if label == decided => format!(", as labelled: {}", name(label)),
            Some(label) => format!(", <span class=\"wrong\">labelled {}</span>", name(label)),
            None => format!(": {}", name(decided)),
        };
        let seen = bag.instances.iter().filter(|instance| instance.heads > 0).count();
        let rows: Vec<String> = foremost(&bag.instances, 3).iter().map(|instance| instance.row.to_string()).collect();
        let _ = write!(
            page,
            "<section>\n<h2>{}: probability {:.3}{label}</h2>\n<figure>{drawing}</figure>\n\
             <small>{seen} of {} instances have weight; foremost: rows {}</small>\n</section>\n",
            escaped(bag.bag),
            bag.probability,
            bag.instances.len(),
            rows.join(", ")
        );
    }
    page + "</body>\n</html>\n"
}
