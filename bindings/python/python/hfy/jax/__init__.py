"""The maps and losses of hfy on arrays of jax.

>>> import jax, hfy.jax
>>> scores = jax.numpy.array([[1.0716, -1.1221, -0.3288, 0.3368, 0.0425]])
>>> hfy.jax.sparsemax(scores)
Array([[0.8674, 0.    , 0.    , 0.1326, 0.    ]], dtype=float32)
"""

try:
    import jax as _jax  # noqa: F401
except ImportError as error:
    raise ImportError("hfy.jax needs jax, which is not installed: pip install 'hfy[jax]'") from error

from ._alpha import learned_alpha
from ._named import bounded, entmax, entmax15, normmax, softmax, sparsemax, subsets
from ._structured import sequence_subsets, sparsemap
from ._losses import entmax15_loss, entmax_loss, normmax_loss, softmax_loss, sparsemax_loss, subsets_loss

__all__ = [
    "bounded",
    "entmax",
    "entmax15",
    "entmax15_loss",
    "entmax_loss",
    "learned_alpha",
    "normmax",
    "normmax_loss",
    "sequence_subsets",
    "softmax",
    "softmax_loss",
    "sparsemap",
    "sparsemax",
    "sparsemax_loss",
    "subsets",
    "subsets_loss",
]
