"""The losses by name, one a row. Those of the package entmax have its names and arguments."""

from typing import Optional, Union

import torch
from torch import Tensor

from ._loss import loss


def sparsemax_loss(
    X: Tensor,
    target: Tensor,
    k: Optional[int] = None,
    *,
    mask: Optional[Tensor] = None,
    ignore_index: Optional[int] = None,
) -> Tensor:
    """The sparsemax loss of each row: 0 once the score of the target leads by 1.

    `X` has shape (..., classes), `target` shape (...); for other targets, `mask` (True = takes part) and `ignore_index` see `loss`.
    `k` only tunes solvers that sort; it is accepted and not needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.sparsemax_loss(torch.tensor([[1.5, 0.0], [0.0, 0.5]]), torch.tensor([0, 1]))
    tensor([0.0000, 0.0625])
    """
    return loss(X, target, "sparsemax", mask=mask, ignore_index=ignore_index)


def entmax15_loss(
    X: Tensor,
    target: Tensor,
    k: Optional[int] = None,
    *,
    mask: Optional[Tensor] = None,
    ignore_index: Optional[int] = None,
) -> Tensor:
    """The 1.5-entmax loss of each row: 0 once the score of the target leads by 2. Arguments as for `sparsemax_loss`.

    >>> import torch, hfy.torch
    >>> hfy.torch.entmax15_loss(torch.tensor([[2.0, 0.0], [0.0, -torch.inf]]), torch.tensor([0, 0]))
    tensor([0., 0.])
    """
    return loss(X, target, "entmax:1.5", mask=mask, ignore_index=ignore_index)


def sparsemax_bisect_loss(
    X: Tensor,
    target: Tensor,
    n_iter: int = 50,
    *,
    mask: Optional[Tensor] = None,
    ignore_index: Optional[int] = None,
) -> Tensor:
    """`sparsemax_loss` under another name of the package entmax; arguments as for it.

    `n_iter` only tunes a bisection; it is accepted and not needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.sparsemax_bisect_loss(torch.tensor([[0.0, 0.5]]), torch.tensor([1]))
    tensor([0.0625])
    """
    return loss(X, target, "sparsemax", mask=mask, ignore_index=ignore_index)


def entmax_bisect_loss(
    X: Tensor,
    target: Tensor,
    alpha: Union[float, Tensor] = 1.5,
    n_iter: int = 50,
    *,
    mask: Optional[Tensor] = None,
    ignore_index: Optional[int] = None,
) -> Tensor:
    """The alpha-entmax loss of each row: 0 once the score of the target leads by 1 / (alpha - 1).

    `alpha` is a number, or a tensor that broadcasts against `X` with the last axis cut down to length one, and has a gradient.
    `n_iter` only tunes a bisection; it is accepted and not needed. Other arguments as for `sparsemax_loss`.

    >>> import torch, hfy.torch
    >>> hfy.torch.entmax_bisect_loss(torch.tensor([[0.0, 0.0]]), torch.tensor([0]), alpha=1.0)  # log 2
    tensor([0.6931])
    """
    return loss(X, target, "entmax", alpha, mask=mask, ignore_index=ignore_index)


def normmax_bisect_loss(
    X: Tensor,
    target: Tensor,
    alpha: Union[float, Tensor] = 2,
    n_iter: int = 50,
    *,
    mask: Optional[Tensor] = None,
    ignore_index: Optional[int] = None,
) -> Tensor:
    """The normmax loss of each row, with gamma called `alpha`: 0 once the score of the target leads by 1.

    `alpha` may be a tensor, with a gradient. `n_iter` only tunes a bisection; it is accepted and not needed. Other arguments as for
    `sparsemax_loss`.

    >>> import torch, hfy.torch
    >>> hfy.torch.normmax_bisect_loss(torch.tensor([[0.0, 1.0]]), torch.tensor([1]), alpha=5)
    tensor([0.])
    """
    return loss(X, target, "normmax", alpha, mask=mask, ignore_index=ignore_index)


def subsets_loss(x: Tensor, target: Tensor, k: int, *, mask: Optional[Tensor] = None) -> Tensor:
    """The loss of k-subsets of each row: 0 once the least score of the target set leads the others by 1.

    `x` has shape (..., classes). `target` is k-hot of that shape, as truth values or numbers, or holds the k classes of each row, in
    shape (..., k). In `mask` True = takes part.

    >>> import torch, hfy.torch
    >>> scores = torch.tensor([[3.0, 2.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> hfy.torch.subsets_loss(scores, torch.tensor([[0, 1], [0, 1]]), k=2)
    tensor([0.0000, 0.5000])
    """
    return loss(x, k_hot(target, x, k), "subsets", k, mask=mask)


def k_hot(target: Tensor, x: Tensor, k: int) -> Tensor:
    """Sets of k classes as numbers, 1 for a member, where they are lists of classes or truth values."""
    if not isinstance(target, Tensor):
        raise TypeError(f"target is a {type(target).__name__}; expected a tensor")
    if target.is_floating_point():
        return target
    if target.dtype is not torch.bool:
        if target.shape != (*x.shape[:-1], k):
            words = f"target has shape {list(target.shape)}; expected {[*x.shape[:-1], k]}, the k classes of each row"
            raise ValueError(words)
        target = torch.zeros(x.shape, dtype=torch.bool, device=x.device).scatter(-1, target.long(), True)
    return target.to(x.dtype)
