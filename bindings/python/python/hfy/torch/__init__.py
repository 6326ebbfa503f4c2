"""The maps and losses of hfy on torch tensors, with gradients.

>>> import torch, hfy.torch
>>> x = torch.tensor([-2.0, 0.0, 0.5], requires_grad=True)
>>> y = hfy.torch.sparsemax(x)
>>> y.detach()
tensor([0.0000, 0.2500, 0.7500])
>>> torch.autograd.grad(y[2], x)[0]
tensor([ 0.0000, -0.5000,  0.5000])
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("hfy.torch needs torch, which is not installed: pip install 'hfy[torch]'") from error

from ._maps import (
    bounded_sparsemax,
    budget_bisect,
    entmax,
    entmax15,
    entmax_bisect,
    normmax,
    normmax_bisect,
    softmax,
    sparsemax,
    sparsemax_bisect,
    subsets,
)
from ._separation import separation
from ._structures import sequence_subsets, sparsemap

__all__ = [
    "bounded_sparsemax",
    "budget_bisect",
    "entmax",
    "entmax15",
    "entmax_bisect",
    "normmax",
    "normmax_bisect",
    "separation",
    "sequence_subsets",
    "softmax",
    "sparsemap",
    "sparsemax",
    "sparsemax_bisect",
    "subsets",
]
