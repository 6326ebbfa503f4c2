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
except ImportError as _error:
    raise ImportError("hfy.torch needs torch, which is not installed: pip install 'hfy[torch]'") from _error

from ._alpha import AlphaParameter
from ._loss import loss
from ._loss_modules import (
    Entmax15Loss,
    EntmaxBisectLoss,
    NormmaxBisectLoss,
    SparsemaxBisectLoss,
    SparsemaxLoss,
    SubsetsLoss,
)
from ._losses import (
    entmax15_loss,
    entmax_bisect_loss,
    normmax_bisect_loss,
    sparsemax_bisect_loss,
    sparsemax_loss,
    subsets_loss,
)
from ._map_modules import (
    BudgetBisect,
    Entmax15,
    EntmaxBisect,
    NormmaxBisect,
    Sparsemax,
    SparsemaxBisect,
)
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
from ._transition import TransitionParameter

__all__ = [
    "AlphaParameter",
    "BudgetBisect",
    "Entmax15",
    "Entmax15Loss",
    "EntmaxBisect",
    "EntmaxBisectLoss",
    "NormmaxBisect",
    "NormmaxBisectLoss",
    "Sparsemax",
    "SparsemaxBisect",
    "SparsemaxBisectLoss",
    "SparsemaxLoss",
    "SubsetsLoss",
    "TransitionParameter",
    "bounded_sparsemax",
    "budget_bisect",
    "entmax",
    "entmax15",
    "entmax15_loss",
    "entmax_bisect",
    "entmax_bisect_loss",
    "loss",
    "normmax",
    "normmax_bisect",
    "normmax_bisect_loss",
    "separation",
    "sequence_subsets",
    "softmax",
    "sparsemap",
    "sparsemax",
    "sparsemax_bisect",
    "sparsemax_bisect_loss",
    "sparsemax_loss",
    "subsets",
    "subsets_loss",
]
