//! Trees that reach every node of a graph.

use std::borrow::Cow;

use super::check::{at_least, check_higher, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::{Error, Result};

/// The spanning trees of an undirected graph: one variable an edge,
///
/// ```text
/// { a ∈ {0, 1}^E : the edges with a_e = 1 connect all n nodes and have no cycle }.
/// ```
///
/// The oracle is Kruskal's algorithm. It is exact, since it only compares; of equal edges it prefers the first.
///
/// **Cost.** `E log E`.
///
/// Reference: Kruskal, *On the Shortest Spanning Subtree of a Graph and the Traveling Salesman Problem*, 1956.
///
/// ```
/// use hfy::structure::{SpanningTree, Structure, Vertex};
///
/// let trees = SpanningTree::complete(3)?; // edges (0, 1), (0, 2), (1, 2)
/// let mut best = Vertex::default();
/// let score = trees.maximise(&[1.0, 3.0, 2.0], &[], &mut best)?;
/// best.sort();
/// assert_eq!((score, best.unary().indices()), (5.0, &[1, 2][..]));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanningTree {
    nodes: usize,
    edges: Option<Vec<(usize, usize)>>, // none: of the complete graph
}

impl SpanningTree {
    /// Trees over `nodes` nodes, all pairs of which are edges, in the order (0, 1), (0, 2), .., (1, 2), ..
    pub fn complete(nodes: usize) -> Result<Self> {
        at_least(2, "nodes", nodes, "a spanning tree needs at least two nodes")?;
        Ok(SpanningTree { nodes, edges: None })
    }

    /// Trees of the graph with these edges, whose nodes are numbered from zero. It must be connected; several edges may
    /// join the same nodes.
    pub fn of(nodes: usize, edges: &[(usize, usize)]) -> Result<Self> {
        at_least(2, "nodes", nodes, "a spanning tree needs at least two nodes")?;
        for &(a, b) in edges {
            if a >= nodes || b >= nodes {
                return Err(Error::parameter("edges", format!("({a}, {b})"), "an edge must join two of the nodes"));
            }
            if a == b {
                return Err(Error::parameter("edges", format!("({a}, {b})"), "an edge must join different nodes"));
            }
        }
        // Fewer edges cannot connect them, and so many nodes need not even be looked at.
        let connected = edges.len() >= nodes - 1 && {
            let mut forest = Forest::new(nodes);
            edges.iter().filter(|&&(a, b)| forest.join(a, b)).count() == nodes - 1
        };
        if !connected {
            let value = format!("{} edges over {nodes} nodes", edges.len());
            return Err(Error::parameter("edges", value, "the graph must be connected"));
        }
        Ok(SpanningTree { nodes, edges: Some(edges.to_vec()) })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    fn edges(&self) -> usize {
        self.edges.as_ref().map_or(self.nodes.saturating_mul(self.nodes - 1) / 2, Vec::len)
    }
}

impl Structure for SpanningTree {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        check_variables(variables, self.edges())?;
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let mut order: Vec<(usize, (usize, usize))> = match &self.edges {
            Some(edges) => edges.iter().copied().enumerate().collect(),
            None => (0..self.nodes).flat_map(|a| (a + 1..self.nodes).map(move |b| (a, b))).enumerate().collect(),
        };
        order.retain(|&(edge, _)| unary[edge] > f64::NEG_INFINITY);
        order.sort_unstable_by(|&(i, _), &(j, _)| unary[j].total_cmp(&unary[i]).then(i.cmp(&j)));
        let mut forest = Forest::new(self.nodes);
        let tree = order.into_iter().filter(|&(_, (a, b))| forest.join(a, b)).take(self.nodes - 1);
        tree.for_each(|(edge, _)| vertex.choose(edge));
        Ok(if vertex.unary().len() == self.nodes - 1 { Wide::score(vertex, unary) } else { f64::NEG_INFINITY })
    }

    fn mass(&self) -> Option<f64> {
        Some((self.nodes - 1) as f64)
    }
}

/// Nodes in trees that grow together.
struct Forest {
    parents: Vec<usize>,
    sizes: Vec<usize>,
}

impl Forest {
    fn new(nodes: usize) -> Self {
        Forest { parents: (0..nodes).collect(), sizes: vec![1; nodes] }
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    /// Joins the trees of two nodes; false where they were one already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let (small, large) = if self.sizes[a] < self.sizes[b] { (a, b) } else { (b, a) };
            self.parents[small] = large;
            self.sizes[large] += self.sizes[small];
        }
        a != b
    }
}
