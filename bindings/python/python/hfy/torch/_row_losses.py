"""The primitive `hfy::losses`: the Fenchel-Young loss of each row, and its gradient in the scores."""

from collections.abc import Callable
from functools import partial
from typing import Any, Optional

import torch
from torch import Tensor

from . import _formulas, _kernels
from ._batching import aligned, along_the_front
from ._parameter_gradient import parameter_gradient
from ._primitive import Gradients, Primitive, save, total
from ._pullback import pullback
from ._weights import weights


def _like(
    x: Tensor,
    target: Tensor,
    parameter: Optional[Tensor],
    mask: Optional[Tensor],
    omega: str,
    ignore_index: Optional[int],
) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape[:-1]), x.new_empty(x.shape)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    x, target, parameter, mask, ctx.omega, ctx.ignore_index = inputs
    save(ctx, x, target, parameter, mask, output[1])
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, of_losses: Optional[Tensor], of_slopes: Optional[Tensor]) -> Gradients:
    """The slopes are weights less target: of the losses they are the gradient, and theirs is that of the weights."""
    x, target, parameter, mask, slopes = ctx.saved_tensors
    omega, in_x, in_parameter = ctx.omega, None, None
    needs_x, _, needs_parameter, *_ = ctx.needs_input_grad
    if needs_x and of_losses is not None:
        in_x = of_losses.unsqueeze(-1) * slopes
    if of_slopes is None and not needs_parameter:
        return in_x, None, None, None, None, None
    y = weights(x, parameter, mask, omega, -1)
    counts = _counts(target, ctx.ignore_index)
    if needs_parameter and of_losses is not None:
        of_losses = _counted(of_losses, counts)
        (in_parameter,) = _formulas.pulled_back(_gap(y, target, omega, of_losses.dtype), of_losses, parameter)
    if of_slopes is not None:
        of_slopes = _counted(of_slopes, None if counts is None else counts.unsqueeze(-1))
        if needs_x:
            in_x = total(in_x, pullback(y, of_slopes, parameter, mask, omega, -1))
        if needs_parameter:
            in_parameter = total(in_parameter, parameter_gradient(x, y, of_slopes, parameter, mask, omega, -1))
    return in_x, None, in_parameter, None, None, None


def _push(ctx: Any, of_x: Optional[Tensor], _: None, of_parameter: Optional[Tensor], *__: None) -> tuple[Tensor, Tensor]:
    x, target, parameter, mask, slopes = ctx.saved_tensors
    omega, counts = ctx.omega, _counts(target, ctx.ignore_index)
    y = weights(x, parameter, mask, omega, -1)
    pushed = moved = None
    if of_x is not None:
        pushed, moved = (slopes * of_x).sum(-1), pullback(y, of_x, parameter, mask, omega, -1)
    if of_parameter is not None:
        gap = _gap(y, target, omega, x.dtype)
        pushed = total(pushed, _formulas.pushed_forward(gap, (of_parameter,), parameter))
        moved = total(moved, _formulas.tilted(x, y, parameter, of_parameter, omega, -1))
    if pushed is None or moved is None:
        return slopes.new_zeros(slopes.shape[:-1]), torch.zeros_like(slopes)
    return _counted(pushed, counts), _counted(moved, None if counts is None else counts.unsqueeze(-1))


def _gap(y: Tensor, target: Tensor, omega: str, dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """Ω(target) - Ω(y) as a function of p, which has the derivatives of the loss in p: to first order y does not matter."""

    def gap(parameter: Tensor) -> Tensor:
        measure = partial(_formulas.regulariser, parameter, omega=omega)
        # For a single class Ω is the same at every p.
        found = measure(y=target) - measure(y=y) if target.is_floating_point() else -measure(y=y)
        return found.to(dtype)

    return gap


def _counts(target: Tensor, ignore_index: Optional[int]) -> Optional[Tensor]:
    """Which rows are not ignored, where some may be."""
    return None if target.is_floating_point() or ignore_index is None else target != ignore_index


def _counted(gradient: Tensor, counts: Optional[Tensor]) -> Tensor:
    return gradient if counts is None else gradient.where(counts, 0)


def _batched(
    info: Any,
    in_dims: tuple[Any, ...],
    x: Tensor,
    target: Tensor,
    parameter: Any,
    mask: Any,
    omega: str,
    ignore_index: Optional[int],
) -> tuple[tuple[Tensor, Tensor], tuple[int, int]]:
    rank, size = x.dim() - (in_dims[0] is not None), info.batch_size
    x, target = along_the_front(x, in_dims[0], size), along_the_front(target, in_dims[1], size)
    parameter, mask = aligned(parameter, in_dims[2], rank), aligned(mask, in_dims[3], rank)
    return row_losses(x, target, parameter, mask, omega, ignore_index), (0, 0)


row_losses = Primitive("losses", _kernels.losses, _like, _keep, _backward, _push, _batched)
