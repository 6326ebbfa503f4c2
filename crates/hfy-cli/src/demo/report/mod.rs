//! The report: one HTML file with everything in it.

mod chart;
mod figures;

use super::cues::Damage;
use super::lineup::BETA;
use super::page::Outcome;
use crate::error::Result;
use crate::glyphs::{Glyph, SIDE};

const STYLE: &str = include_str!("style.css");

/// The whole file. `done` hears how many networks have been through the study of noise.
pub(crate) fn html(outcomes: &[Outcome], glyphs: &[Glyph], done: impl FnMut(usize) -> Result<()>) -> Result<String> {
    let body = [
        opening(outcomes, glyphs),
        recalls(outcomes, glyphs),
        energies(outcomes),
        weights(glyphs)?,
        certificates(outcomes, glyphs)?,
        noise(outcomes, glyphs, done)?,
        closing(),
    ];
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{} pictures, {} memories</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        glyphs.len(),
        outcomes.len(),
        body.join("\n")
    ))
}

fn figure(content: &str, caption: &str) -> String {
    format!("<figure>\n{content}\n<figcaption>{caption}</figcaption>\n</figure>\n")
}

fn opening(outcomes: &[Outcome], glyphs: &[Glyph]) -> String {
    let caption = format!(
        "<b>What is stored.</b> The letters of Hopfield, Fenchel and Young, digits, and things: {SIDE} x {SIDE} pixels each, \
         from -1 for paper to 1 for ink. They share most of their background, which is what makes them hard to tell apart."
    );
    format!(
        "<header>\n<p class=\"kicker\">hfy · associative memories from convex functions</p>\n<h1>{} pictures, {} memories</h1>\n\
         <p class=\"lead\">An associative memory completes what it is shown. Here pictures are stored, damaged, and shown to every \
         network of one family. Some give back a blend, some the wrong picture, and some the right one, exactly: every \
         pixel as it was stored, and known beforehand.</p>\n</header>\n\
         <p>All of them are two convex functions and a matrix X with a pattern in each row. Ω decides how scores become weights, Ψ \
         what the weighted patterns become.</p>\n\
         <div class=\"equation\"><span>energy</span> E(q) = Ψ(q) - Ω*(X q)<br><span>update</span> q ← ŷ<sub>Ψ</sub>( Xᵀ \
         ŷ<sub>Ω</sub>( X q ) )&emsp; with &emsp;ŷ<sub>f</sub>(θ) = argmax<sub>y</sub> θ·y - f(y)</div>\n{}",
        glyphs.len(),
        outcomes.len(),
        figure(&figures::sheet(glyphs), &caption)
    )
}

fn recalls(outcomes: &[Outcome], glyphs: &[Glyph]) -> String {
    let notes: String = outcomes
        .iter()
        .map(|outcome| format!("<li><b>{}</b>: {}</li>\n", outcome.session.entry.name, outcome.session.entry.note))
        .collect();
    let grid = "<b>Cues and what became of them.</b> <span class=\"key exact\"></span>exactly what was stored \
                <span class=\"key near\"></span>a blend, nearest to the right picture <span class=\"key lost\"></span>something \
                else. For 2-subsets the cue is the mean of this cue and one of another picture, and the sum of the two comes \
                back, shown as their mean.";
    let damage: Vec<String> = Damage::SHOWN.iter().map(|damage| damage.name()).collect();
    let table = format!(
        "<b>All {} pictures under each damage</b> ({}). <em>Exact</em>: the state equals the stored pattern in every entry. \
         <em>Certified</em>: known from the lead of the best score, before the first step, that it returns the right pattern \
         exactly. Energies of different networks have different units.",
        glyphs.len(),
        damage.join(", ")
    );
    format!(
        "<h2>What comes back</h2>\n<p>The classic network adds up all outer products, and pictures with one background in \
         common melt into one state. Dense memories raise the best score to a high power, or into an exponent, and tell them \
         apart. The maps onto the simplex weigh patterns like probabilities; those with a margin give all weight to one pattern as soon \
         as its score leads by enough, and so give it back exactly.</p>\n{}\n<ul>\n{notes}</ul>\n{}",
        figure(&figures::grid(outcomes, glyphs), grid),
        figure(&figures::table(outcomes), &table)
    )
}

fn energies(outcomes: &[Outcome]) -> String {
    let caption = "<b>Energy along the way</b>, from each half-masked cue: what is left to fall, as a share of the whole fall, in powers of \
                   ten; at 0 the end is reached. No step of any network ever raises it. (For units that change one by one a step is a \
                   sweep over all.)";
    format!(
        "<h2>Downhill</h2>\n<p>Each update minimises the energy with its concave part made linear at the old state, whatever \
         Ω and Ψ are. A sparse map is at the bottom after a step or two, and stays there to the last bit; softmax creeps towards \
         a blend, by the same factor at each step.</p>\n{}",
        figure(&figures::descent(outcomes), caption)
    )
}

fn weights(glyphs: &[Glyph]) -> Result<String> {
    let (name, damage, beta) = figures::WEIGHED;
    let caption = format!(
        "<b>Weights of the first step</b> from a {name} ({}), at β = {beta}. A circle is a weight of exactly zero; bars have at least one \
         pixel, so that small weights can be seen. With 2-subsets, weights sum to two and none exceeds one.",
        damage.name()
    );
    Ok(format!(
        "<h2>Dense and sparse</h2>\n<p>At a third of the β used above no pattern leads by the margin, and every map blends. Softmax \
         weighs every pattern, however little; the other maps keep those that matter and drop the rest.</p>\n{}",
        figure(&figures::weights(glyphs)?, &caption)
    ))
}

fn certificates(outcomes: &[Outcome], glyphs: &[Glyph]) -> Result<String> {
    let radii = "<div class=\"legend\"><i style=\"border-color:var(--c1)\"></i>largest possible radius\
                 <i style=\"border-color:var(--c2)\"></i>the paper's bound</div>";
    let radii_caption = "<b>Certified radius of each picture.</b> Every cue within this distance, in whatever direction, comes back \
                         exactly after one step. The largest radius is the distance to the nearest plane where another pattern comes \
                         within the margin; the bound uses one number for all. A circle is a radius of zero.";
    let share_caption = format!(
        "<b>Which β is enough.</b> Pattern i is a fixed point from β = m/Δ<sub>i</sub> on, where m is the margin of the map and Δ<sub>i</sub> \
         the separation of the pattern. The dashed line is the β = {BETA} of this report."
    );
    Ok(format!(
        "<h2>Known beforehand</h2>\n<p>A map with a margin is one-hot if and only if one score leads all others by that margin. So for \
         stored patterns one can say which are fixed points, and how far a cue may be from each, without trying a \
         single one.</p>\n{}{}",
        figure(&format!("{radii}{}", figures::radii(outcomes, glyphs)?), radii_caption),
        figure(&figures::certified(outcomes)?, &share_caption)
    ))
}

fn noise(outcomes: &[Outcome], glyphs: &[Glyph], done: impl FnMut(usize) -> Result<()>) -> Result<String> {
    let caption = "<b>Exact recalls against noise</b>: the share of cues that bring back the stored pattern exactly, four cues of \
                   each picture at each deviation. Ink and paper are 2 apart. Grey: all other networks.";
    Ok(format!(
        "<h2>How much noise</h2>\n<p>Where the right picture still has the best score, a sparse map finds it. Networks in units of -1 and 1 \
         see noise cut off at the ends of that range, which costs them some of the signal.</p>\n{}",
        figure(&figures::noise(outcomes, glyphs, done)?, caption)
    ))
}

fn closing() -> String {
    format!(
        "<h2>Do it yourself</h2>\n<p>The program writes these pictures for you to try:</p>\n<pre>hfy demo --glyphs glyphs\nhfy memory build \
         glyphs.hfy glyphs/whole --beta {BETA}\nhfy retrieve glyphs.hfy glyphs/damaged/cat.png --show\nhfy certify glyphs.hfy\n\
         hfy retrieve glyphs.hfy glyphs/damaged --map softmax --trace --json</pre>\n\
         <footer>Written by <code>hfy demo</code> {}. Everything that is random has a fixed seed. The framework is that of Santos, \
         Niculae, McNamee and Martins, <em>Hopfield-Fenchel-Young Networks</em>, JMLR 26, 2025.</footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
