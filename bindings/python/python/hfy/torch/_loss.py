"""The Fenchel-Young loss of any map, by its name."""

from typing import Any, Optional

import torch
from torch import Tensor

from ._formulas import needs_exact_weights
from ._kernels import HALVES
from ._row_losses import row_losses
from ._separation import Parameter, checked

REDUCTIONS = ("elementwise_mean", "mean", "sum", "none")


def loss(
    x: Tensor,
    target: Tensor,
    omega: str,
    parameter: Parameter = None,
    *,
    mask: Optional[Tensor] = None,
    weight: Optional[Tensor] = None,
    ignore_index: Optional[int] = None,
    reduction: str = "none",
) -> Tensor:
    """Ω(target) + Ω*(x) - x · target of each row, whose gradient in the scores is the weights less the target.

    Parameters
    ----------
    x : tensor of shape (..., classes)
        Scores. A score of minus infinity is masked: the loss stays finite, unless it is that of the target.
    target : tensor
        Whole numbers of shape (...): classes. Truth values of shape (..., classes): a set of classes a row, over which the mass is
        spread evenly. Numbers of shape (..., classes): points of the domain of the map.
    omega, parameter
        As for `separation`. A tensor alpha of entmax or gamma of normmax has a gradient.
    mask : tensor of bool, optional
        Broadcasts to `x`. **True = takes part**. A row with nothing left has no loss.
    weight : tensor of shape (classes,), optional
        What the rows of each class count; needs classes as targets.
    ignore_index : int, optional
        Rows of this class have neither loss nor gradient, and do not count in a mean.
    reduction : "elementwise_mean" or "mean", "sum", "none"
        A mean is over the rows that count, by their weights; over no rows it is 0.

    >>> import torch
    >>> from hfy.torch import loss
    >>> loss(torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]]), torch.tensor([0, 1]), "sparsemax")
    tensor([0.0000, 0.0833])
    """
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction = {reduction!r}; expected one of {', '.join(REDUCTIONS)}")
    x, parameter, omega, _ = checked(x, omega, parameter, -1, mask)
    _check_target(target, x)
    wide = x.float() if x.dtype in HALVES and needs_exact_weights(omega) else x
    losses: Tensor = row_losses(wide, target, parameter, mask, omega, ignore_index)[0].to(x.dtype)
    if weight is not None:
        shares = _shares(weight, target, x, ignore_index)
        losses = losses * shares
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    counts = _counts(x, target, mask, ignore_index)
    total = counts.sum() if weight is None else shares.where(counts, 0).sum()
    return losses.sum() / torch.where(total > 0, total, 1)


def _check_target(target: Any, x: Tensor) -> None:
    if not isinstance(target, Tensor):
        raise TypeError(f"target is a {type(target).__name__}; expected a tensor")
    if target.is_complex():
        raise TypeError(f"target is of dtype {target.dtype}; expected classes, truth values or real numbers")
    of_classes = not target.is_floating_point() and target.dtype is not torch.bool
    expected = x.shape[:-1] if of_classes else x.shape
    if target.shape != expected:
        words = f"target has shape {list(target.shape)} and dtype {target.dtype}; expected {list(expected)}"
        raise ValueError(f"{words} for x of shape {list(x.shape)}")


def _shares(weight: Tensor, target: Tensor, x: Tensor, ignore_index: Optional[int]) -> Tensor:
    """What each row counts."""
    if target.is_floating_point() or target.dtype is torch.bool:
        raise ValueError(f"weight needs classes as targets, but target is of dtype {target.dtype}")
    if weight.shape != x.shape[-1:]:
        raise ValueError(f"weight has shape {list(weight.shape)}; expected {list(x.shape[-1:])}, one a class")
    classes = target if ignore_index is None else target.where(target != ignore_index, 0)
    return weight.to(x.dtype)[classes]


def _counts(x: Tensor, target: Tensor, mask: Optional[Tensor], ignore_index: Optional[int]) -> Tensor:
    """Which rows count in a mean: neither ignored nor entirely masked."""
    scores = x.detach() if mask is None else x.detach().where(mask, -torch.inf)
    counts = scores.amax(-1) > -torch.inf
    if ignore_index is None or target.is_floating_point() or target.dtype is torch.bool:
        return counts
    return counts & (target != ignore_index)
