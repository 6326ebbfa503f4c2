//! A map chosen at run time, by name.

use std::fmt;
use std::str::FromStr;

use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result};
use crate::real::Real;
use crate::separation::{Bounded, Entmax, Exponential, Normmax, Power, Quadratic, Separation, Share, Subsets};
use crate::structure::{Named, SparseMap};
use crate::support::Support;

/// Any separation map, read from text and printed back.
///
/// | text | map |
/// |---|---|
/// | `softmax`, `sparsemax`, `argmax`, `entmax:1.5` | [`Entmax`] |
/// | `normmax:5`, `normmax:inf` | [`Normmax`] |
/// | `subsets:4` | [`Subsets`] |
/// | `sequence:2:t=0.5`, `windows:3`, `spans`, `atmost:3`, ... | [`SparseMap`] over a [`Named`] structure |
/// | `bounded:0.5,0.25,1` | [`Bounded`] |
/// | `quadratic` (or `identity`) | [`Quadratic`] |
/// | `power:3` | [`Power`] |
/// | `exponential` (or `exp`) | [`Exponential`] |
///
/// ```
/// use hfy::{Convex, Map};
///
/// let map: Map = "entmax:2".parse()?;
/// assert_eq!(map.to_string(), "sparsemax");
/// let mut y = [0.0, 0.5];
/// map.argmax(&mut y)?;
/// assert_eq!(y, [0.25, 0.75]);
/// assert!("entmax:-0.5".parse::<Map>().unwrap_err().to_string().contains("alpha = -0.5"));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Map {
    /// The identity.
    Quadratic(Quadratic),
    /// A signed power.
    Power(Power),
    /// The exponential.
    Exponential(Exponential),
    /// Entmax, softmax and argmax included.
    Entmax(Entmax),
    /// Normmax.
    Normmax(Normmax),
    /// Constrained sparsemax.
    Bounded(Bounded<'static>),
    /// k-subsets.
    Subsets(Subsets),
    /// SparseMAP over structures.
    Structured(Box<SparseMap<Named>>),
}

impl Map {
    fn separation<T: Real>(&self) -> &dyn Separation<T> {
        match self {
            Map::Quadratic(map) => map,
            Map::Power(map) => map,
            Map::Exponential(map) => map,
            Map::Entmax(map) => map,
            Map::Normmax(map) => map,
            Map::Bounded(map) => map,
            Map::Subsets(map) => map,
            Map::Structured(map) => map.as_ref(),
        }
    }
}

impl<T: Real> Convex<T> for Map {
    fn value(&self, y: &[T]) -> T {
        self.separation::<T>().value(y)
    }
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        self.separation::<T>().conjugate(theta)
    }
    fn mass(&self) -> Option<f64> {
        self.separation::<T>().mass()
    }
    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        self.separation::<T>().argmax(theta)
    }
    fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
        self.separation::<T>().argmax_into(theta, y)
    }
    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        self.separation::<T>().argmax_rows(theta, width, y, report)
    }
    fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        self.separation::<T>().vjp(theta, y, g)
    }
    fn second_vjp(&self, theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        self.separation::<T>().second_vjp(theta, y, u, w, out)
    }
    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        self.separation::<T>().loss(theta, y)
    }
    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        self.separation::<T>().gradient(y, out)
    }
    fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
        self.separation::<T>().argmax_log(theta)
    }
    fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
        self.separation::<T>().argmax_exp(z, c)
    }
    fn vjp_exp(&self, z: &[T], y: &[T], c: T, g: &mut [T]) -> Result<()> {
        self.separation::<T>().vjp_exp(z, y, c, g)
    }
    fn is_identity(&self) -> bool {
        self.separation::<T>().is_identity()
    }
}

impl<T: Real> Separation<T> for Map {
    fn margin(&self) -> Option<T> {
        self.separation::<T>().margin()
    }
    fn reach(&self) -> Option<(usize, T)> {
        self.separation::<T>().reach()
    }
    fn is_sparse(&self) -> bool {
        self.separation::<T>().is_sparse()
    }
    fn exponential_rate(&self) -> Option<T> {
        self.separation::<T>().exponential_rate()
    }
    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        self.separation::<T>().support(theta, support)
    }
    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        self.separation::<T>().pullback(y, g)
    }
    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        self.separation::<T>().pullback_rows(y, g, width, out, done)
    }
    fn pullback_into(&self, y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        self.separation::<T>().pullback_into(y, g, out)
    }
    fn structures(&self, y: &[T]) -> Result<Option<Vec<Share<T>>>> {
        self.separation::<T>().structures(y)
    }
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        self.separation::<T>().parameter_vjp(y, g)
    }
}

macro_rules! from {
    ($($map:ident => $type:ty),*) => {$(
        impl From<$type> for Map {
            fn from(map: $type) -> Self {
                Map::$map(map)
            }
        }
    )*};
}

from!(Quadratic => Quadratic, Power => Power, Exponential => Exponential, Entmax => Entmax, Normmax => Normmax,
    Bounded => Bounded<'static>, Subsets => Subsets);

impl From<SparseMap<Named>> for Map {
    fn from(map: SparseMap<Named>) -> Self {
        Map::Structured(Box::new(map))
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Map::Quadratic(_) => f.write_str("quadratic"),
            Map::Power(map) => write!(f, "power:{}", map.r()),
            Map::Exponential(_) => f.write_str("exponential"),
            Map::Entmax(map) if *map == Entmax::SOFTMAX => f.write_str("softmax"),
            Map::Entmax(map) if *map == Entmax::SPARSEMAX => f.write_str("sparsemax"),
            Map::Entmax(map) if *map == Entmax::ARGMAX => f.write_str("argmax"),
            Map::Entmax(map) => write!(f, "entmax:{}", map.alpha()),
            Map::Normmax(map) => write!(f, "normmax:{}", map.gamma()),
            Map::Bounded(map) => {
                let bounds: Vec<String> = map.upper().iter().map(f64::to_string).collect();
                write!(f, "bounded:{}", bounds.join(","))
            }
            Map::Subsets(map) => write!(f, "subsets:{}", map.k()),
            Map::Structured(map) => map.fmt(f),
        }
    }
}

impl FromStr for Map {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |rule: &str| Error::Parse { text: text.to_owned(), rule: rule.to_owned() };
        let (name, parameter) = match text.trim().split_once(':') {
            Some((name, parameter)) => (name.trim(), Some(parameter.trim())),
            None => (text.trim(), None),
        };
        let number = |rule: &str| -> Result<f64> { parameter.and_then(|p| p.parse().ok()).ok_or_else(|| wrong(rule)) };
        let plain = |map: Map| match parameter {
            None => Ok(map),
            Some(_) => Err(wrong("this map takes no parameter")),
        };
        match name {
            "softmax" => plain(Map::Entmax(Entmax::SOFTMAX)),
            "sparsemax" => plain(Map::Entmax(Entmax::SPARSEMAX)),
            "argmax" => plain(Map::Entmax(Entmax::ARGMAX)),
            "quadratic" | "identity" => plain(Map::Quadratic(Quadratic)),
            "exponential" | "exp" => plain(Map::Exponential(Exponential)),
            "entmax" => Entmax::new(number("entmax takes alpha, as in entmax:1.5")?).map(Map::Entmax),
            "normmax" => Normmax::new(number("normmax takes gamma, as in normmax:5")?).map(Map::Normmax),
            "subsets" => Subsets::new(number("subsets takes k, as in subsets:4")?).map(Map::Subsets),
            "power" => Power::new(number("power takes r, as in power:3")?).map(Map::Power),
            "bounded" => {
                let rule = "bounded takes one upper bound an entry, as in bounded:0.5,0.25,1";
                let bounds = parameter.ok_or_else(|| wrong(rule))?.split(',').map(|u| u.trim().parse::<f64>());
                let bounds: Vec<f64> = bounds.collect::<std::result::Result<_, _>>().map_err(|_| wrong(rule))?;
                Bounded::new(bounds).map(Map::Bounded)
            }
            name if Named::knows(name) => text.parse::<SparseMap<Named>>().map(Map::from),
            _ => Err(wrong(
                "known are softmax, sparsemax, argmax, entmax:ALPHA, normmax:GAMMA, subsets:K, bounded:U,U,..., \
                 sequence:K:t=T, windows:K, spans:K, atmost:K, labels:PxL, assignment:RxC, matching:RxC, trees:N, \
                 arborescence:N, projective:N, quadratic, power:R and exponential",
            )),
        }
    }
}
