//! Structures that are written out.

use std::borrow::Cow;

use super::check::{at_least, check_higher, check_parts, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::{Error, Result, check_len};

/// The vertices of a list, each any vector, with a score of its own where wanted,
///
/// ```text
/// { (a_v, e_v) : v = 1, .., V },   scored  unary · a_v + c_v.
/// ```
///
/// Part `v` of the higher order belongs to vertex `v` alone; without scores there are no such parts. A vertex may occur
/// more than once. For sets that are small, or have no algorithm. A unary score of minus infinity forbids every vertex
/// whose entry there is not zero, whatever its sign.
///
/// Of equal vertices the oracle takes the first.
///
/// **Cost.** The number of entries that are not zero.
///
/// ```
/// use hfy::structure::{Listed, Structure, Vertex};
///
/// let pairs = Listed::new(&[[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])?.scored(&[0.0, 0.5])?;
/// let mut best = Vertex::default();
/// assert_eq!(pairs.maximise(&[1.0, 1.0, 1.0], &pairs.higher(3)?, &mut best)?, 2.5);
/// assert_eq!((best.unary().indices(), best.higher().indices()), (&[1, 2][..], &[1][..]));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    variables: usize,
    vertices: Vec<Vertex>,
    scores: Vec<f64>,
    mass: Option<f64>,
}

impl Listed {
    /// The vertices with these unary parts, all of one length and finite.
    pub fn new<V: AsRef<[f64]>>(vertices: &[V]) -> Result<Self> {
        let Some(first) = vertices.first() else {
            return Err(Error::parameter("vertices", "[]", "there must be at least one vertex"));
        };
        let variables = first.as_ref().len();
        at_least(1, "variables", variables, "a vertex must have at least one variable")?;
        for vertex in vertices {
            let vertex = vertex.as_ref();
            check_len("vertices", vertex.len(), variables)?;
            if let Some(index) = vertex.iter().position(|value| !value.is_finite()) {
                let rule = "an entry of a vertex must be finite";
                return Err(Error::Entry { argument: "vertices", row: None, index, value: vertex[index], rule });
            }
        }
        let mut sums = vertices.iter().map(|vertex| vertex.as_ref().iter().sum::<f64>());
        let mass = sums.next().filter(|&mass| sums.all(|sum| sum == mass));
        let vertices = vertices.iter().map(|vertex| Vertex::dense(vertex.as_ref())).collect();
        Ok(Listed { variables, vertices, scores: Vec::new(), mass })
    }

    /// The same vertices with a score each; minus infinity forbids one.
    pub fn scored(mut self, scores: &[f64]) -> Result<Self> {
        check_len("scores", scores.len(), self.vertices.len())?;
        check_parts("scores", scores)?;
        if self.scores.is_empty() {
            self.vertices.iter_mut().enumerate().for_each(|(part, vertex)| vertex.link(part));
        }
        self.scores = scores.to_vec();
        Ok(self)
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }
}

impl Structure for Listed {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        check_variables(variables, self.variables)?;
        Ok(Cow::Borrowed(&self.scores))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let (mut best, mut score) = (0, Wide::FORBIDDEN);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let own = Wide::from(higher.get(index).copied().unwrap_or(0.0));
            // A product with minus infinity would depend on the sign of the entry.
            let terms = vertex.unary().iter().map(|(i, value)| (unary[i], unary[i] * value));
            let sum = terms.fold(own, |sum, (score, term)| sum + if score.is_finite() { term } else { score });
            if sum > score {
                (best, score) = (index, sum);
            }
        }
        vertex.clone_from(&self.vertices[best]);
        Ok(score.rounded())
    }

    fn mass(&self) -> Option<f64> {
        self.mass
    }
}
