//! A page over texts and the words that were chosen in them.

use std::fmt::Write as _;

use hfy_draw::html::escaped;

use super::explain::Explained;

const STYLE: &str = "
:root { color-scheme: light; font: 16px/1.65 system-ui, sans-serif; color: #222; background: #fff }
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
section { border-top: 1px solid #ddd; margin-top: 1.5rem; padding-top: 0.5rem }
h2 { font-size: 1.05rem; margin: 0.4rem 0 }
p.text { white-space: pre-wrap; overflow-wrap: anywhere }
mark { color: inherit; border-radius: 2px }
small { color: #6b6b6b }
.wrong { color: #b2182b }
";

/// The page.
pub(super) fn html(selector: &str, texts: &[Explained<'_>]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>The words that predictions rest on</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>The words that predictions rest on</h1>\n\
         <p>Highlighted words have weight in what {} pools, the stronger the more; the others have none at all.</p>\n",
        escaped(selector)
    );
    for Explained { said, share, runs, pieces, .. } in texts {
        let probability =
            said.probability.map_or(String::new(), |probability| format!(", probability {probability:.3}"));
        let label = match (&said.label, said.is_right()) {
            (Some(label), Some(false)) => format!(", <span class=\"wrong\">labelled {}</span>", escaped(label)),
            (Some(label), _) => format!(", labelled {}", escaped(label)),
            (None, _) => String::new(),
        };
        let _ = write!(
            page,
            "<section>\n<h2>Line {}: {}{probability}{label}</h2>\n<p class=\"text\">",
            said.line,
            escaped(&said.predicted)
        );
        for (piece, weight) in pieces {
            let piece = escaped(piece);
            if *weight > 0.0 {
                let _ = write!(
                    page,
                    "<mark style=\"background:rgba(255,196,0,{:.2})\">{piece}</mark>",
                    0.25 + 0.6 * weight
                );
            } else {
                page += &piece;
            }
        }
        let many = if *runs == 1 { "run" } else { "runs" };
        let _ =
            write!(page, "</p>\n<small>{:.0} % of the words, in {runs} {many}</small>\n</section>\n", 100.0 * share);
    }
    page + "</body>\n</html>\n"
}
