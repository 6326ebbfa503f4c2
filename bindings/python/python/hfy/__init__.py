"""Hopfield-Fenchel-Young networks: sparse maps, their losses and gradients, and associative memories, on numpy arrays.

>>> import numpy as np, hfy
>>> scores = np.array([[1.0716, -1.1221, -0.3288, 0.3368, 0.0425]])
>>> hfy.sparsemax(scores)
array([[0.8674, 0.    , 0.    , 0.1326, 0.    ]])
>>> hfy.subsets(scores, k=2).round(3)
array([[1.   , 0.   , 0.   , 0.647, 0.353]])

Maps work along any axis of arrays of float16, bfloat16 (of ml_dtypes), float32 and float64, and release the interpreter's lock.
In a mask True means that an entry takes part, as in numpy's `where`.
"""

from ._hfy import (
    Certificates,
    Factor,
    FactorGraph,
    GraphSolution,
    Memory,
    Network,
    Recall,
    Record,
    Report,
    Retrieval,
    Snapshot,
    SparseMapSolution,
    Structure,
    __version__,
    bounded,
    conjugate,
    entmax,
    free_recall,
    loss,
    margin,
    normmax,
    sequence,
    sequential_recall,
    softmax,
    sparsemap,
    sparsemap_solve,
    sparsemax,
    subsets,
    support,
)
from ._losses import entmax_loss, normmax_loss, softmax_loss, sparsemax_loss, subsets_loss

__all__ = [
    "Certificates",
    "Factor",
    "FactorGraph",
    "GraphSolution",
    "Memory",
    "Network",
    "Recall",
    "Record",
    "Report",
    "Retrieval",
    "Snapshot",
    "SparseMapSolution",
    "Structure",
    "__version__",
    "bounded",
    "conjugate",
    "entmax",
    "entmax_loss",
    "free_recall",
    "loss",
    "margin",
    "normmax",
    "normmax_loss",
    "sequence",
    "sequential_recall",
    "softmax",
    "softmax_loss",
    "sparsemap",
    "sparsemap_solve",
    "sparsemax",
    "sparsemax_loss",
    "subsets",
    "subsets_loss",
    "support",
]
