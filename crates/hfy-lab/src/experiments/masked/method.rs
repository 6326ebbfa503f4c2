//! The nine methods of Figures 11 and 12.

use hfy_draw::chart::{Curve, Style};
use hfy_draw::{Colour, Dash, Marker};
use serde::{Deserialize, Serialize};

use super::curves::Curves;
use super::model::{Model, Weights};
use crate::experiment::{Mode, Pictures, Series};

/// The inverse temperature that the published code sets for l2-normalised patterns, whatever was asked for.
const L2_BETA: f64 = 20.0;

/// One of the methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Method {
    /// The classic Hopfield network.
    Classic,
    /// The polynomial dense associative memory.
    Polynomial,
    /// The exponential dense associative memory.
    Exponential,
    /// A map of [`Method::MAPS`], with a post-transformation of [`Method::POSTS`].
    Sparse(usize, usize),
}

impl Method {
    /// The maps: the name in figures and the name in the library.
    pub(crate) const MAPS: [(&'static str, &'static str); 4] =
        [("1-entmax", "softmax"), ("2-entmax", "sparsemax"), ("2-normmax", "normmax:2"), ("5-normmax", "normmax:5")];

    /// The post-transformations.
    pub(crate) const POSTS: [&'static str; 3] = ["identity", "norm", "lnorm"];

    /// Those of Figures 11 and 12, in the order in which they are drawn.
    pub(crate) const ALL: [Method; 9] = [
        Method::Classic,
        Method::Polynomial,
        Method::Exponential,
        Method::Sparse(0, 0),
        Method::Sparse(1, 0),
        Method::Sparse(2, 0),
        Method::Sparse(3, 0),
        Method::Sparse(1, 1),
        Method::Sparse(1, 2),
    ];

    /// The name in figures.
    pub(crate) fn name(self) -> String {
        match self {
            Method::Classic => "Classic HN".to_owned(),
            Method::Polynomial => "10-Poly DAM".to_owned(),
            Method::Exponential => "Exp DAM".to_owned(),
            Method::Sparse(map, 0) => Self::MAPS[map].0.to_owned(),
            Method::Sparse(map, post) => format!("{} {}", Self::POSTS[post], Self::MAPS[map].0),
        }
    }

    /// What is run at an inverse temperature of the figure.
    pub(crate) fn model(self, mode: Mode, pictures: Pictures, beta: f64) -> Model {
        let saturating = |omega: &str| Model::Saturating { omega: omega.to_owned(), beta };
        match (self, mode) {
            // Nothing here can leave the range of the type: both readings are the same computation.
            (Method::Classic, _) => Model::Published { weights: Weights::Scores, beta },
            (Method::Polynomial, Mode::Printed) => Model::Published { weights: Weights::TenthPower, beta },
            (Method::Polynomial, Mode::Defined) => saturating("power:10"),
            (Method::Exponential, Mode::Printed) => {
                let rate = if pictures == Pictures::Mnist { 0.05 } else { 0.01 };
                Model::Published { weights: Weights::Exponential { rate }, beta }
            }
            (Method::Exponential, Mode::Defined) => saturating("exponential"),
            (Method::Sparse(map, post), mode) => {
                let psi = match (post, mode) {
                    (0, _) => "identity",
                    (1, _) => "l2",
                    (_, Mode::Printed) => "layernorm:eps=1e-5",
                    (_, Mode::Defined) => "layernorm:eps=1e-8",
                };
                let beta = if (post, mode) == (1, Mode::Printed) { L2_BETA } else { beta };
                Model::Spanned { omega: Self::MAPS[map].1.to_owned(), psi: psi.to_owned(), beta }
            }
        }
    }

    /// Colours say the family, markers and dashes who it is within. Curves that are drawn later are narrower, so that
    /// those below them are seen where all of them coincide.
    pub(crate) fn style(self) -> Style {
        const TANGENT: Colour = [120, 120, 120];
        const ENTMAX: Colour = [0, 114, 178];
        const NORMMAX: Colour = [230, 159, 0];
        const NORM: Colour = [136, 34, 85];
        const LNORM: Colour = [0, 158, 115];
        let style = |colour, dash, marker, width| Style { colour, dash, marker: Some(marker), width };
        match self {
            Method::Classic => style(TANGENT, Dash::Dotted, Marker::Cross, 1.4),
            Method::Polynomial => style(TANGENT, Dash::Dashed, Marker::Plus, 1.4),
            Method::Exponential => style(TANGENT, Dash::Solid, Marker::Star, 1.4),
            Method::Sparse(0, 0) => style(ENTMAX, Dash::Dashed, Marker::Ring, 2.2),
            Method::Sparse(1, 0) => style(ENTMAX, Dash::Solid, Marker::Circle, 3.0),
            Method::Sparse(2, 0) => style(NORMMAX, Dash::Solid, Marker::Square, 2.0),
            Method::Sparse(_, 0) => style(NORMMAX, Dash::Dashed, Marker::OpenSquare, 1.6),
            Method::Sparse(_, 1) => style(NORM, Dash::Solid, Marker::Diamond, 1.4),
            Method::Sparse(..) => style(LNORM, Dash::DashDot, Marker::TriangleDown, 1.4),
        }
    }

    /// Its curve as it is drawn: networks that coincide have their markers at points of their own.
    pub(crate) fn curve(self, series: &Series) -> Curve {
        let curve = Curves::curve(series, self.name(), self.style());
        let modern = Method::ALL[3..].iter().position(|method| *method == self);
        match modern {
            Some(first) => curve.marked_every(first, Method::ALL.len() - 3),
            None => curve,
        }
    }
}

/// An inverse temperature in words.
pub(crate) fn beta_name(beta: f64) -> String {
    format!("β = {beta}")
}
