"""The primitive `hfy::pullback`: the gradient in the scores, J g, from the weights."""

from functools import partial
from typing import Any, Optional

import torch
from torch import Tensor

from . import _formulas, _kernels
from ._batching import aligned, along_the_front
from ._primitive import Gradients, Primitive, save, total


def _like(
    y: Tensor, gradient: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int
) -> Tensor:
    return torch.empty_like(y)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.omega, ctx.dim = inputs
    save(ctx, *tensors)


def _backward(ctx: Any, upstream: Tensor) -> Gradients:
    """J is symmetric; what is left is how it moves."""
    y, gradient, parameter, mask = ctx.saved_tensors
    omega, dim = ctx.omega, ctx.dim
    needs_y, needs_gradient, needs_parameter, *_ = ctx.needs_input_grad
    in_y = in_parameter = None
    in_gradient = pullback(y, upstream, parameter, mask, omega, dim) if needs_gradient else None
    if (needs_y or needs_parameter) and _formulas.is_curved(omega, parameter):
        if mask is not None:
            upstream, gradient = upstream.where(mask, 0), gradient.where(mask, 0)
        moved = partial(_formulas.pullback, g=gradient, omega=omega, dim=dim)
        if needs_parameter:
            in_y, in_parameter = _formulas.pulled_back(moved, upstream, y, parameter)
        else:
            (in_y,) = _formulas.pulled_back(partial(moved, parameter=parameter), upstream, y)
    return in_y, in_gradient, in_parameter, None, None, None


def _push(
    ctx: Any, of_y: Optional[Tensor], of_gradient: Optional[Tensor], of_parameter: Optional[Tensor], *_: None
) -> Tensor:
    y, gradient, parameter, mask = ctx.saved_tensors
    omega, dim = ctx.omega, ctx.dim
    pushed = None if of_gradient is None else pullback(y, of_gradient, parameter, mask, omega, dim)
    if (of_y is not None or of_parameter is not None) and _formulas.is_curved(omega, parameter):
        if mask is not None:
            gradient = gradient.where(mask, 0)
        moved = partial(_formulas.pullback, g=gradient, omega=omega, dim=dim)
        if parameter is None:
            turn = _formulas.pushed_forward(partial(moved, parameter=None), (of_y,), y)
        else:
            turn = _formulas.pushed_forward(moved, (of_y, of_parameter), y, parameter)
        pushed = total(pushed, turn if mask is None else turn.where(mask, 0))
    return torch.zeros_like(y) if pushed is None else pushed


def _batched(
    info: Any,
    in_dims: tuple[Any, ...],
    y: Tensor,
    gradient: Tensor,
    parameter: Any,
    mask: Any,
    omega: str,
    dim: int,
) -> tuple[Tensor, int]:
    rank, size = y.dim() - (in_dims[0] is not None), info.batch_size
    y, gradient = along_the_front(y, in_dims[0], size), along_the_front(gradient, in_dims[1], size)
    parameter, mask = aligned(parameter, in_dims[2], rank), aligned(mask, in_dims[3], rank)
    return pullback(y, gradient, parameter, mask, omega, dim), 0


pullback = Primitive("pullback", _kernels.pulled, _like, _keep, _backward, _push, _batched)
