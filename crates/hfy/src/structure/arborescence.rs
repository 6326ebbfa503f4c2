//! Directed trees from a root: non-projective dependency trees.

use std::borrow::Cow;

use super::check::{at_least, check_higher, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::Result;

/// Every one of n words has a head, another word or the root, and there are no cycles,
///
/// ```text
/// { a ∈ {0, 1}^{n × n} : Σ_h a_{h,m} = 1 for every m, the arcs h → m form a tree from the root }.
/// ```
///
/// Variable `h n + m` is the arc from head `h` to modifier `m`. No word is its own head, so the diagonal is free for
/// the root: **variable `m n + m` attaches modifier `m` to the root.** Any number of words may hang on the root, unless
/// [`single_root`](Arborescence::single_root) asks for exactly one. Trees without crossing arcs are
/// [`Projective`](super::Projective).
///
/// The oracle is the algorithm of Chu, Liu and Edmonds: the best arc into each word, cycles contracted as they appear.
/// For a single root, arcs compare first by how many of them leave the root, then by score; the least number of roots
/// so found is one, or no tree has one. Differences of scores are kept in twice the precision.
///
/// **Cost.** `n²`, with or without a single root.
///
/// Reference: Edmonds, *Optimum Branchings*, 1967; Gabow, Galil, Spencer, Tarjan, *Efficient Algorithms for Finding
/// Minimum Spanning Trees in Undirected and Directed Graphs*, 1986.
///
/// ```
/// use hfy::structure::{Arborescence, Structure, Vertex};
///
/// let scores = [3.0, 0.5, 1.0, 2.0]; // 3 and 2 for the root, 0.5 for the arc from word 0 to word 1, 1 for the other
/// let mut best = Vertex::default();
/// assert_eq!(Arborescence::new(2)?.maximise(&scores, &[], &mut best)?, 5.0);
/// assert_eq!(best.unary().indices(), [0, 3]);
///
/// let mut single = Vertex::default();
/// assert_eq!(Arborescence::new(2)?.single_root().maximise(&scores, &[], &mut single)?, 3.5);
/// assert_eq!(single.unary().indices(), [0, 1]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arborescence {
    words: usize,
    single_root: bool,
}

impl Arborescence {
    /// Trees over `words` words and the root.
    pub fn new(words: usize) -> Result<Self> {
        at_least(1, "words", words, "there must be at least one word")?;
        Ok(Arborescence { words, single_root: false })
    }

    /// Only the trees with exactly one word attached to the root.
    pub fn single_root(self) -> Self {
        Arborescence { single_root: true, ..self }
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.words
    }
}

impl Structure for Arborescence {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        check_variables(variables, self.words.saturating_mul(self.words))?;
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let n = self.words;
        let Some(heads) = Contraction::of(n, self.single_root, unary).heads() else {
            return Ok(f64::NEG_INFINITY);
        };
        if self.single_root && heads.iter().filter(|&&head| head == n).count() > 1 {
            return Ok(f64::NEG_INFINITY);
        }
        let arcs = heads.into_iter().enumerate().map(|(m, head)| if head == n { m * n + m } else { head * n + m });
        arcs.for_each(|arc| vertex.choose(arc));
        Ok(Wide::score(vertex, unary))
    }

    fn mass(&self) -> Option<f64> {
        Some(self.words as f64)
    }
}

/// The weight of an arc: fewer roots first, where they count, then the score.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Weight {
    roots: isize, // less than zero where the arc leaves the root
    score: Wide,
}

impl Weight {
    fn less(self, other: Weight) -> Weight {
        Weight { roots: self.roots - other.roots, score: self.score + -other.score }
    }
}

/// An arc into a node, which may be a contracted cycle, by the word in it that the arc goes to.
#[derive(Clone, Copy)]
struct Arc {
    weight: Weight,
    head: usize,
    modifier: usize,
}

fn heavier(a: Option<Arc>, b: Option<Arc>) -> bool {
    a.map(|arc| arc.weight) > b.map(|arc| arc.weight) // nothing is lighter than any arc
}

/// Nodes `0..n` are the words, `n` is the root, and those after it are contracted cycles.
struct Contraction {
    words: usize,
    arcs: Vec<Vec<Option<Arc>>>, // into each node, the best from each word and the root
    chosen: Vec<Option<Arc>>,    // into each node
    cycles: Vec<usize>,          // that each node was contracted into, or itself
    owners: Vec<usize>,          // the outermost node that each word lies in
}

impl Contraction {
    fn of(n: usize, single_root: bool, unary: &[f64]) -> Self {
        let arc = |head: usize, modifier: usize| {
            let score = if head == n { unary[modifier * n + modifier] } else { unary[head * n + modifier] };
            let roots = if single_root && head == n { -1 } else { 0 };
            let allowed = head != modifier && score > f64::NEG_INFINITY;
            allowed.then_some(Arc { weight: Weight { roots, score: Wide::from(score) }, head, modifier })
        };
        let mut arcs: Vec<Vec<_>> = (0..n).map(|modifier| (0..=n).map(|head| arc(head, modifier)).collect()).collect();
        arcs.push(Vec::new());
        Contraction { words: n, arcs, chosen: vec![None; n + 1], cycles: (0..=n).collect(), owners: (0..=n).collect() }
    }

    /// The heads of the words in the best tree; none where there is no tree.
    fn heads(mut self) -> Option<Vec<usize>> {
        let mut attached = vec![false; self.words + 1];
        attached[self.words] = true;
        for start in 0..self.words {
            // A path against the arcs, to the root or to a node that hangs on it.
            let mut node = self.owners[start];
            let mut path = Vec::new();
            while !attached[node] {
                path.push(node);
                let best = self.arcs[node].iter().fold(None, |best, &arc| if heavier(arc, best) { arc } else { best });
                self.chosen[node] = best;
                node = self.owners[best?.head];
                if let Some(first) = path.iter().position(|&other| other == node) {
                    node = self.contract(path.split_off(first));
                    attached.push(false);
                }
            }
            path.into_iter().for_each(|node| attached[node] = true);
        }
        self.expand()
    }

    /// Makes one node of a cycle. An arc into it takes the place of the chosen arc into one of its nodes.
    fn contract(&mut self, cycle: Vec<usize>) -> usize {
        let (new, n) = (self.arcs.len(), self.words);
        let mut entering: Vec<Option<Arc>> = vec![None; n + 1];
        for &node in &cycle {
            self.cycles[node] = new;
            for (arc, best) in std::mem::take(&mut self.arcs[node]).into_iter().zip(&mut entering) {
                let gain =
                    arc.zip(self.chosen[node]).map(|(arc, old)| Arc { weight: arc.weight.less(old.weight), ..arc });
                *best = if heavier(gain, *best) { gain } else { *best };
            }
        }
        for (owner, arc) in self.owners.iter_mut().zip(&mut entering) {
            if self.cycles[*owner] == new {
                (*owner, *arc) = (new, None);
            }
        }
        self.arcs.push(entering);
        self.chosen.push(None);
        self.cycles.push(new);
        new
    }

    /// The arc into a cycle is the arc into one of its nodes; the others keep theirs. From the outermost inwards.
    fn expand(self) -> Option<Vec<usize>> {
        let mut heads = vec![0; self.words];
        let mut done = vec![false; self.arcs.len()];
        for node in (0..self.arcs.len()).rev().filter(|&node| node != self.words) {
            if !done[node] {
                let arc = self.chosen[node]?;
                heads[arc.modifier] = arc.head;
                let mut inner = arc.modifier;
                done[inner] = true;
                while inner != node {
                    inner = self.cycles[inner];
                    done[inner] = true;
                }
            }
        }
        Some(heads)
    }
}
