"""The maps by name. Those of the package entmax have its names and arguments."""

from typing import Any, Optional, Union

import torch
from torch import Tensor

from ._separation import separation


def softmax(x: Tensor, dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """Softmax along an axis. Unlike torch's, a row that is entirely masked gives zeros.

    `x` is a tensor of any shape, and `mask` broadcasts to it: True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.softmax(torch.zeros(2, 2), mask=torch.tensor([[True, True], [False, False]]))
    tensor([[0.5000, 0.5000],
            [0.0000, 0.0000]])
    """
    return separation(x, "softmax", None, dim, mask=mask)


def sparsemax(
    X: Tensor,
    dim: int = -1,
    k: Optional[int] = None,
    return_support_size: bool = False,
    *,
    mask: Optional[Tensor] = None,
) -> Any:
    """Sparsemax along an axis: the point of the simplex that is nearest to the scores, with most weights exactly 0.

    `X` is a tensor of any shape, and `mask` broadcasts to it: True = takes part. With `return_support_size` a pair is returned:
    the weights, and how many of each row are not 0, with `dim` cut down to length one. `k` only tunes solvers that sort; it is
    accepted and not needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.sparsemax(torch.tensor([-2.0, 0.0, 0.5]), return_support_size=True)
    (tensor([0.0000, 0.2500, 0.7500]), tensor([2]))
    """
    return _counted(separation(X, "sparsemax", None, dim, mask=mask), dim, return_support_size)


def entmax15(
    X: Tensor,
    dim: int = -1,
    k: Optional[int] = None,
    return_support_size: bool = False,
    *,
    mask: Optional[Tensor] = None,
) -> Any:
    """1.5-entmax along an axis, between softmax and sparsemax. Arguments as for `sparsemax`; in `mask` True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.entmax15(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.3260, 0.6740])
    """
    return _counted(separation(X, "entmax:1.5", None, dim, mask=mask), dim, return_support_size)


def entmax(
    x: Tensor, alpha: Union[float, Tensor] = 1.5, dim: int = -1, *, mask: Optional[Tensor] = None
) -> Tensor:
    """Alpha-entmax along an axis, for any alpha from 1 (softmax) through 2 (sparsemax) to infinity (argmax, ties shared).

    `x` is a tensor of any shape. `alpha` is a number, or a tensor that broadcasts against `x` with `dim` cut down to length one:
    for scores of shape (batch, heads, queries, keys) one alpha a head has the shape (heads, 1, 1). It has a gradient, also at
    alpha = 1, there from the right. `mask` broadcasts to `x`: True = takes part.

    >>> import torch, hfy.torch
    >>> alpha = torch.tensor(1.33, dtype=torch.float64, requires_grad=True)
    >>> y = hfy.torch.entmax(torch.tensor([-1.0, 0.0, 0.5], dtype=torch.float64), alpha)
    >>> round(torch.autograd.grad(y[0], alpha)[0].item(), 4)
    -0.2562
    """
    return separation(x, "entmax", alpha, dim, mask=mask)


def entmax_bisect(
    X: Tensor,
    alpha: Union[float, Tensor] = 1.5,
    dim: int = -1,
    n_iter: int = 50,
    ensure_sum_one: bool = True,
    *,
    mask: Optional[Tensor] = None,
) -> Tensor:
    """Alpha-entmax along an axis: `entmax` under the name and with the arguments of the package entmax.

    `n_iter` and `ensure_sum_one` only tune a bisection; they are accepted and not needed. In `mask` True = takes part.

    >>> import torch, hfy.torch
    >>> x = torch.tensor([[0.0, 0.5], [0.0, 0.5]])
    >>> hfy.torch.entmax_bisect(x, torch.tensor([[1.0], [2.0]]))
    tensor([[0.3775, 0.6225],
            [0.2500, 0.7500]])
    """
    return separation(X, "entmax", alpha, dim, mask=mask)


def sparsemax_bisect(
    X: Tensor, dim: int = -1, n_iter: int = 50, ensure_sum_one: bool = True, *, mask: Optional[Tensor] = None
) -> Tensor:
    """Sparsemax along an axis: `sparsemax` under the name and with the arguments of the package entmax.

    `n_iter` and `ensure_sum_one` only tune a bisection; they are accepted and not needed. In `mask` True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.sparsemax_bisect(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.2500, 0.7500])
    """
    return separation(X, "sparsemax", None, dim, mask=mask)


def normmax(
    x: Tensor, gamma: Union[float, Tensor] = 2.0, dim: int = -1, *, mask: Optional[Tensor] = None
) -> Tensor:
    """Gamma-normmax along an axis, for gamma above 1: the weights among the kept entries are flatter, the larger gamma is.

    `x` is a tensor of any shape. `gamma` is a number, or a tensor that broadcasts against `x` with `dim` cut down to length one,
    and has a gradient. `mask` broadcasts to `x`: True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.normmax(torch.tensor([-2.0, 0.0, 0.5]), 2)
    tensor([0.0000, 0.3110, 0.6890])
    """
    return separation(x, "normmax", gamma, dim, mask=mask)


def normmax_bisect(
    X: Tensor,
    alpha: Union[float, Tensor] = 2,
    dim: int = -1,
    n_iter: int = 50,
    *,
    mask: Optional[Tensor] = None,
) -> Tensor:
    """Normmax along an axis: `normmax` under the name and with the arguments of the package entmax, where gamma is called alpha.

    `n_iter` only tunes a bisection; it is accepted and not needed. In `mask` True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.normmax_bisect(torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0]))
    tensor([0.0000, 0.0239, 0.1746, 0.3254, 0.4761])
    """
    return separation(X, "normmax", alpha, dim, mask=mask)


def subsets(x: Tensor, k: Union[float, Tensor], dim: int = -1, *, mask: Optional[Tensor] = None) -> Tensor:
    """k-subsets along an axis: weights between 0 and 1 that sum to k, the marginals of sets of exactly k entries.

    `x` is a tensor of any shape. `k` is a number from 0 to the length of a row, not only whole, or a tensor that broadcasts against
    `x` with `dim` cut down to length one, and has a gradient. `mask` broadcasts to `x`: True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.subsets(torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0]), 2)
    tensor([0.0000, 0.1250, 0.3750, 0.6250, 0.8750])
    """
    return separation(x, "subsets", k, dim, mask=mask)


def budget_bisect(
    X: Tensor,
    budget: Union[float, Tensor] = 2,
    dim: int = -1,
    n_iter: int = 50,
    *,
    mask: Optional[Tensor] = None,
) -> Tensor:
    """k-subsets along an axis: `subsets` under the name and with the arguments of the package entmax, where k is called budget.

    `n_iter` only tunes a bisection; it is accepted and not needed. In `mask` True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.budget_bisect(torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0]), budget=3)
    tensor([0.0000, 0.2500, 0.7500, 1.0000, 1.0000])
    """
    return separation(X, "subsets", budget, dim, mask=mask)


def bounded_sparsemax(
    x: Tensor, upper: Union[float, Tensor], dim: int = -1, *, mask: Optional[Tensor] = None
) -> Tensor:
    """Constrained sparsemax along an axis: the nearest point of the simplex whose weights do not exceed `upper`.

    `x` is a tensor of any shape. `upper` is a number, or a tensor that broadcasts to `x` and has a gradient; the bounds of a row
    must sum to at least 1. `mask` broadcasts to `x`: True = takes part.

    >>> import torch, hfy.torch
    >>> hfy.torch.bounded_sparsemax(torch.tensor([1.0, 1.0, 1.0, 0.0]), torch.tensor([0.25, 1.0, 1.0, 1.0]))
    tensor([0.2500, 0.3750, 0.3750, 0.0000])
    """
    return separation(x, "bounded", upper, dim, mask=mask)


def _counted(weights: Tensor, dim: int, wanted: bool) -> Any:
    """Weights, with the sizes of their supports where they are wanted."""
    return (weights, torch.count_nonzero(weights, dim).unsqueeze(dim)) if wanted else weights
