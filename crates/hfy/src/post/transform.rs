//! A post-transformation chosen at run time, by name.

use std::fmt;
use std::str::FromStr;

use super::{Ball, Identity, LayerNorm, Linear, Sign, Tanh, Variance};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result};
use crate::real::Real;

/// Any post-transformation, read from text and printed back.
///
/// | text | post-transformation |
/// |---|---|
/// | `identity` | [`Identity`] |
/// | `l2`, `l2:2.5` | [`Ball`], of radius 1 unless another is given |
/// | `layernorm`, `layernorm:eta=2,eps=1e-5,variance=unbiased,delta=0;1;0` | [`LayerNorm`], any of these left out |
/// | `tanh`, `tanh:2` | [`Tanh`], at temperature 1 unless an inverse temperature is given |
/// | `sign` | [`Sign`] |
///
/// [`Linear`] is made from its matrix, and prints as `linear:D`, which cannot be read back.
///
/// ```
/// use hfy::{Convex, Post};
///
/// let post: Post = "l2:5".parse()?;
/// let mut q = [30.0, 40.0];
/// post.argmax(&mut q)?;
/// assert_eq!(q, [3.0, 4.0]);
/// assert!(post.is_idempotent());
/// assert_eq!("layernorm:eta=1,eps=1e-5".parse::<Post>()?.to_string(), "layernorm:eps=1e-5");
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Post {
    /// The identity.
    Identity(Identity),
    /// l2 normalisation.
    Ball(Ball),
    /// Layer normalisation.
    LayerNorm(LayerNorm),
    /// The hyperbolic tangent.
    Tanh(Tanh),
    /// The sign.
    Sign(Sign),
    /// A symmetric positive definite matrix.
    Linear(Linear),
}

impl Post {
    /// Whether `ŷ(ŷ(z)) = ŷ(z)` for every `z`: what retrieval in one step needs of patterns that were transformed
    /// before they were stored. It holds up to rounding.
    pub fn is_idempotent(&self) -> bool {
        match self {
            Post::Identity(_) | Post::Ball(_) | Post::Sign(_) => true,
            Post::LayerNorm(post) => post.is_idempotent(),
            Post::Tanh(_) => false,
            Post::Linear(post) => post.is_idempotent(),
        }
    }
}

impl Default for Post {
    fn default() -> Self {
        Post::Identity(Identity)
    }
}

macro_rules! from {
    ($($type:ident),*) => {$(
        impl From<$type> for Post {
            fn from(post: $type) -> Self {
                Post::$type(post)
            }
        }
    )*};
}

from!(Identity, Ball, LayerNorm, Tanh, Sign, Linear);

impl Post {
    fn convex<T: Real>(&self) -> &dyn Convex<T> {
        match self {
            Post::Identity(post) => post,
            Post::Ball(post) => post,
            Post::LayerNorm(post) => post,
            Post::Tanh(post) => post,
            Post::Sign(post) => post,
            Post::Linear(post) => post,
        }
    }
}

impl<T: Real> Convex<T> for Post {
    fn value(&self, q: &[T]) -> T {
        self.convex::<T>().value(q)
    }
    fn conjugate(&self, z: &[T]) -> Result<T> {
        self.convex::<T>().conjugate(z)
    }
    fn argmax(&self, z: &mut [T]) -> Result<Outcome> {
        self.convex::<T>().argmax(z)
    }
    fn vjp(&self, z: &[T], q: &[T], g: &mut [T]) -> Result<()> {
        self.convex::<T>().vjp(z, q, g)
    }
    fn second_vjp(&self, z: &[T], q: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        self.convex::<T>().second_vjp(z, q, u, w, out)
    }
    fn loss(&self, z: &[T], q: &[T]) -> Result<T> {
        self.convex::<T>().loss(z, q)
    }
    fn gradient(&self, q: &[T], out: &mut [T]) -> Result<()> {
        self.convex::<T>().gradient(q, out)
    }
    fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
        self.convex::<T>().argmax_log(theta)
    }
    fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
        self.convex::<T>().argmax_exp(z, c)
    }
    fn vjp_exp(&self, z: &[T], q: &[T], c: T, g: &mut [T]) -> Result<()> {
        self.convex::<T>().vjp_exp(z, q, c, g)
    }
    fn is_identity(&self) -> bool {
        self.convex::<T>().is_identity()
    }
}

impl fmt::Display for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Post::Identity(_) => f.write_str("identity"),
            Post::Ball(ball) if *ball == Ball::UNIT => f.write_str("l2"),
            Post::Ball(ball) => write!(f, "l2:{}", ball.radius()),
            Post::LayerNorm(norm) => write_layer_norm(norm, f),
            Post::Tanh(tanh) if *tanh == Tanh::default() => f.write_str("tanh"),
            Post::Tanh(tanh) => write!(f, "tanh:{}", tanh.beta()),
            Post::Sign(_) => f.write_str("sign"),
            Post::Linear(linear) => write!(f, "linear:{}", linear.len()),
        }
    }
}

/// Only what differs from the default is written.
fn write_layer_norm(norm: &LayerNorm, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut settings = Vec::new();
    if norm.eta() != 1.0 {
        settings.push(format!("eta={}", norm.eta()));
    }
    if norm.epsilon() != 0.0 {
        settings.push(format!("eps={:e}", norm.epsilon()));
    }
    if norm.variance() == Variance::Unbiased {
        settings.push("variance=unbiased".to_owned());
    }
    if let Some(delta) = norm.delta() {
        settings.push(format!("delta={}", delta.iter().map(f64::to_string).collect::<Vec<_>>().join(";")));
    }
    let colon = if settings.is_empty() { "" } else { ":" };
    write!(f, "layernorm{colon}{}", settings.join(","))
}

fn read_layer_norm(settings: &str) -> Result<LayerNorm> {
    let wrong = || {
        Error::Parse {
        text: settings.to_owned(),
        rule: "layernorm takes settings as in layernorm:eta=1,eps=1e-5,variance=unbiased,delta=0;1;0, where the variance is \
               biased or unbiased"
            .to_owned(),
    }
    };
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let mut norm = LayerNorm::default();
    for setting in settings.split(',') {
        let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
        norm = match (name.trim(), value.trim()) {
            ("eta", value) => norm.with_eta(number(value)?)?,
            ("eps", value) => norm.with_epsilon(number(value)?)?,
            ("delta", value) => norm.with_delta(value.split(';').map(number).collect::<Result<_>>()?)?,
            ("variance", "biased") => norm.with_variance(Variance::Biased),
            ("variance", "unbiased") => norm.with_variance(Variance::Unbiased),
            _ => return Err(wrong()),
        };
    }
    Ok(norm)
}

impl FromStr for Post {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |rule: &str| Error::Parse { text: text.to_owned(), rule: rule.to_owned() };
        let (name, parameter) = match text.trim().split_once(':') {
            Some((name, parameter)) => (name.trim(), Some(parameter.trim())),
            None => (text.trim(), None),
        };
        let number = |default: f64, rule: &str| match parameter {
            None => Ok(default),
            Some(parameter) => parameter.parse::<f64>().map_err(|_| wrong(rule)),
        };
        match (name, parameter) {
            ("identity", None) => Ok(Post::default()),
            ("sign", None) => Ok(Sign.into()),
            ("identity" | "sign", Some(_)) => Err(wrong("this post-transformation takes no parameter")),
            ("l2", _) => Ok(Ball::new(number(1.0, "l2 takes a radius, as in l2:2.5")?)?.into()),
            ("tanh", _) => Ok(Tanh::new(number(1.0, "tanh takes an inverse temperature, as in tanh:2")?)?.into()),
            ("layernorm", None) => Ok(LayerNorm::default().into()),
            ("layernorm", Some(settings)) => Ok(read_layer_norm(settings)?.into()),
            ("linear", _) => Err(wrong("a linear post-transformation is made from its matrix, not from text")),
            _ => Err(wrong(
                "known are identity, l2, l2:RADIUS, layernorm, layernorm:eta=ETA,eps=EPSILON,variance=unbiased, tanh, \
                 tanh:BETA and sign",
            )),
        }
    }
}
