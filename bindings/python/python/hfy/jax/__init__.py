"""The maps and losses of hfy on arrays of jax.

>>> import jax, hfy.jax
>>> scores = jax.numpy.array([[-2.0, 0.0, 0.5], [3.0, 0.0, 1.0]])
>>> jax.jit(hfy.jax.sparsemax)(scores)
Array([[0.  , 0.25, 0.75],
       [1.  , 0.  , 0.  ]], dtype=float32)
>>> jax.vmap(jax.grad(hfy.jax.sparsemax_loss))(scores, jax.numpy.array([1, 0]))
Array([[ 0.  , -0.75,  0.75],
       [ 0.  ,  0.  ,  0.  ]], dtype=float32)

Maps work along any axis of arrays of float16, bfloat16, float32 and (in x64 mode) float64, on the host. They have
derivatives of every order, forward and backward, in scores and parameters, and go through `jit`, `vmap`, `scan` and
`checkpoint`. In a mask True means that an entry takes part, as in numpy's `where`; a row with nothing left gives zeros.
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
