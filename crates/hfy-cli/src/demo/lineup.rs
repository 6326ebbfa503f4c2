//! The networks of the demonstration, each a pair of convex functions.

/// What is stored of a picture, so that the network can give it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// The greys themselves.
    Greys,
    /// -1 and 1: the states of networks that end in tanh or sign.
    Signs,
    /// What the post-transformation makes of the greys.
    Transformed,
    /// Mean 0 and deviation 1, so that the background that all pictures share does not count.
    Standardised,
}

/// How a network is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// By the retrieval loop, from a damaged picture.
    Loop,
    /// By the retrieval loop, from the mean of two damaged pictures.
    Pair,
    /// Unit after unit, in random order.
    Asynchronous,
}

/// A network of the demonstration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Ω and Ψ as the library reads them.
    pub(crate) map: &'static str,
    pub(crate) post: &'static str,
    pub(crate) beta: f64,
    pub(crate) stored: Stored,
    pub(crate) run: Run,
    /// What to know of it.
    pub(crate) note: &'static str,
}

/// The inverse temperature of the maps onto the simplex.
pub(crate) const BETA: f64 = 0.03;

const fn simplex(name: &'static str, map: &'static str, note: &'static str) -> Entry {
    Entry { name, map, post: "identity", beta: BETA, stored: Stored::Greys, run: Run::Loop, note }
}

pub(crate) const LINEUP: [Entry; 13] = [
    Entry {
        name: "classic",
        map: "quadratic",
        post: "tanh:0.01",
        beta: 1.0,
        stored: Stored::Signs,
        run: Run::Loop,
        note: "tanh(β XᵀX q), Hopfield 1984. Pictures that share a background pull together into one state.",
    },
    Entry {
        name: "binary",
        map: "quadratic",
        post: "sign",
        beta: 1.0,
        stored: Stored::Signs,
        run: Run::Loop,
        note: "sign(XᵀX q), all units at once.",
    },
    Entry {
        name: "binary, one by one",
        map: "quadratic",
        post: "sign",
        beta: 1.0,
        stored: Stored::Signs,
        run: Run::Asynchronous,
        note: "Hopfield 1982: a unit at a time, in random order, until a sweep changes nothing. A step here is a sweep.",
    },
    Entry {
        name: "polynomial",
        map: "power:20",
        post: "sign",
        beta: 1.0,
        stored: Stored::Signs,
        run: Run::Loop,
        note: "A dense memory (Krotov and Hopfield 2016): scores to the power 19 let the best pattern lead.",
    },
    Entry {
        name: "exponential",
        map: "exponential",
        post: "tanh",
        beta: 0.05,
        stored: Stored::Signs,
        run: Run::Loop,
        note: "A dense memory with exponential weights (Demircigil and others 2017), here in tanh units.",
    },
    simplex(
        "modern (softmax)",
        "softmax",
        "Attention as a memory (Ramsauer and others 2021). Every pattern keeps some weight.",
    ),
    simplex("1.5-entmax", "entmax:1.5", "Sparse weights; exactly one-hot once the best score leads by 2/β."),
    simplex("sparsemax", "sparsemax", "Sparser; exactly one-hot once the best score leads by 1/β."),
    simplex("normmax", "normmax:5", "The same margin as sparsemax, with flatter weights when it blends."),
    Entry {
        run: Run::Pair,
        stored: Stored::Standardised,
        ..simplex("2-subsets", "subsets:2", "Recalls two pictures at once, from the mean of two damaged ones.")
    },
    Entry {
        name: "sparsemax, l2",
        map: "sparsemax",
        post: "l2:26",
        beta: BETA,
        stored: Stored::Transformed,
        run: Run::Loop,
        note: "States on a sphere: Ψ projects onto it, and patterns were projected before they were stored.",
    },
    Entry {
        name: "sparsemax, layer norm",
        map: "sparsemax",
        post: "layernorm",
        beta: BETA,
        stored: Stored::Transformed,
        run: Run::Loop,
        note: "States are standardised, as in a transformer: brightness and contrast of a cue do not matter.",
    },
    Entry {
        name: "sparsemax, tanh",
        map: "sparsemax",
        post: "tanh:20",
        beta: BETA,
        stored: Stored::Signs,
        run: Run::Loop,
        note: "Sparse weights, then saturating units: -1 and 1 come back exactly.",
    },
];
