//! All vertices of small structures, by their definitions: every candidate is written out and tested.

/// The unary part of a vertex and its higher-order part.
pub(crate) type Dense = (Vec<f64>, Vec<f64>);

/// Vertices without higher-order parts.
pub(crate) fn plain(vertices: Vec<Vec<f64>>) -> Vec<Dense> {
    vertices.into_iter().map(|unary| (unary, Vec::new())).collect()
}

/// All vectors with entries from `0..base`.
fn words(length: usize, base: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all.iter().flat_map(|word| (0..base).map(move |last| [&word[..], &[last]].concat())).collect();
    }
    all
}

/// All binary vectors.
pub(crate) fn hypercube(n: usize) -> Vec<Vec<f64>> {
    words(n, 2).into_iter().map(|word| word.into_iter().map(|bit| bit as f64).collect()).collect()
}

fn ones(vertex: &[f64]) -> usize {
    vertex.iter().filter(|&&entry| entry == 1.0).count()
}

fn binary(n: usize, keep: impl Fn(&[f64]) -> bool) -> Vec<Vec<f64>> {
    hypercube(n).into_iter().filter(|vertex| keep(vertex)).collect()
}

/// Subsets of at most `k` variables.
pub(crate) fn at_most(n: usize, k: usize) -> Vec<Vec<f64>> {
    binary(n, |vertex| ones(vertex) <= k)
}

/// Runs whose length lies between two bounds; a lower bound of zero admits the empty one.
pub(crate) fn spans(n: usize, shortest: usize, longest: usize) -> Vec<Vec<f64>> {
    binary(n, |vertex| {
        let beginnings = (0..n).filter(|&i| vertex[i] == 1.0 && (i == 0 || vertex[i - 1] == 0.0)).count();
        beginnings <= 1 && (shortest..=longest).contains(&ones(vertex))
    })
}

/// The sets of `k` in a row, with the pairs that both are on or the states of all pairs.
pub(crate) fn sequences(n: usize, k: usize, tables: bool) -> Vec<Dense> {
    let higher = |unary: &[f64]| -> Vec<f64> {
        let state = |pair: &[f64]| 2 * pair[0] as usize + pair[1] as usize;
        let table = |pair: &[f64]| (0..4).map(|s| f64::from(s == state(pair))).collect::<Vec<_>>();
        unary.windows(2).flat_map(|pair| if tables { table(pair) } else { vec![pair[0] * pair[1]] }).collect()
    };
    let sets = binary(n, |vertex| ones(vertex) == k).into_iter();
    sets.map(|unary| (unary.clone(), higher(&unary))).collect()
}

/// One label a position, and the transitions.
pub(crate) fn label_sequences(positions: usize, labels: usize) -> Vec<Dense> {
    let dense = |word: Vec<usize>| {
        let mut unary = vec![0.0; positions * labels];
        let mut higher = vec![0.0; (positions - 1) * labels * labels];
        word.iter().enumerate().for_each(|(p, &label)| unary[p * labels + label] = 1.0);
        word.windows(2).enumerate().for_each(|(p, pair)| higher[(p * labels + pair[0]) * labels + pair[1]] = 1.0);
        (unary, higher)
    };
    words(positions, labels).into_iter().map(dense).collect()
}

/// Trees given by heads, a word being its own head where it hangs on the root.
fn trees(n: usize, single_root: bool, keep: impl Fn(&[usize]) -> bool) -> Vec<Vec<f64>> {
    let is_tree = |heads: &[usize]| {
        let roots = (0..n).filter(|&m| heads[m] == m).count();
        let rooted = (0..n).all(|m| {
            let top = (0..n).fold(m, |word, _| heads[word]);
            heads[top] == top
        });
        rooted && (!single_root || roots == 1)
    };
    let dense = |heads: Vec<usize>| {
        let mut unary = vec![0.0; n * n];
        heads.iter().enumerate().for_each(|(m, &head)| unary[head * n + m] = 1.0);
        unary
    };
    words(n, n).into_iter().filter(|heads| is_tree(heads) && keep(heads)).map(dense).collect()
}

/// Trees from a root, the diagonal being the root.
pub(crate) fn arborescences(n: usize, single_root: bool) -> Vec<Vec<f64>> {
    trees(n, single_root, |_| true)
}

/// Those in which the head of an arc is above every word that the arc spans.
pub(crate) fn projective(n: usize, single_root: bool) -> Vec<Vec<f64>> {
    trees(n, single_root, |heads| {
        let below = |mut word: usize, head: usize| {
            while word != head && heads[word] != word {
                word = heads[word];
            }
            word == head
        };
        (0..n).all(|m| (m.min(heads[m])..=m.max(heads[m])).all(|between| below(between, heads[m])))
    })
}

fn row_and_column_sums(vertex: &[f64], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = vertex.chunks(columns).map(|row| row.iter().sum()).collect();
    (rows, (0..columns).map(|c| vertex.iter().skip(c).step_by(columns).sum()).collect())
}

/// Every row once, every column at most once.
pub(crate) fn assignments(rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let mut all = matchings(rows, columns);
    all.retain(|vertex| ones(vertex) == rows);
    all
}

/// Every row and every column at most once.
pub(crate) fn matchings(rows: usize, columns: usize) -> Vec<Vec<f64>> {
    binary(rows * columns, |vertex| {
        let (rows, columns) = row_and_column_sums(vertex, columns);
        rows.iter().chain(&columns).all(|&sum| sum <= 1.0)
    })
}

/// All pairs of nodes in lexicographic order.
pub(crate) fn pairs(nodes: usize) -> Vec<(usize, usize)> {
    (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).collect()
}

/// Sets of `nodes - 1` edges that connect all nodes.
pub(crate) fn spanning_trees(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<f64>> {
    binary(edges.len(), |vertex| {
        let mut reached = vec![false; nodes];
        reached[0] = true;
        for _ in 0..nodes {
            for (&(a, b), _) in edges.iter().zip(vertex).filter(|(_, entry)| **entry == 1.0) {
                let either = reached[a] || reached[b];
                (reached[a], reached[b]) = (either, either);
            }
        }
        ones(vertex) == nodes - 1 && reached.into_iter().all(|reached| reached)
    })
}
