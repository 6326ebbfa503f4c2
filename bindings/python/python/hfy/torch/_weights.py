"""The primitive `hfy::separation`: from scores to weights."""

from typing import Any, Optional

import torch
from torch import Tensor

from . import _formulas, _kernels
from ._batching import aligned, along_the_front
from ._parameter_gradient import parameter_gradient
from ._primitive import Gradients, Primitive, save, total
from ._pullback import pullback


def _like(x: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int) -> Tensor:
    return torch.empty_like(x)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, parameter, mask, ctx.omega, ctx.dim = inputs
    save(ctx, output, parameter, mask, x if parameter is not None and ctx.omega == "bounded" else None)


def _backward(ctx: Any, gradient: Tensor) -> Gradients:
    y, parameter, mask, x = ctx.saved_tensors
    in_x = in_parameter = None
    if ctx.needs_input_grad[0]:
        in_x = pullback(y, gradient, parameter, mask, ctx.omega, ctx.dim)
    if ctx.needs_input_grad[1]:
        in_parameter = parameter_gradient(x, y, gradient, parameter, mask, ctx.omega, ctx.dim)
    return in_x, in_parameter, None, None, None


def _push(ctx: Any, of_x: Optional[Tensor], of_parameter: Optional[Tensor], *_: None) -> Tensor:
    y, parameter, mask, x = ctx.saved_tensors
    moved = None if of_x is None else pullback(y, of_x, parameter, mask, ctx.omega, ctx.dim)  # J is symmetric
    if of_parameter is not None:
        moved = total(moved, _formulas.tilted(x, y, parameter, of_parameter, ctx.omega, ctx.dim))
    return torch.zeros_like(y) if moved is None else moved


def _batched(
    info: Any, in_dims: tuple[Any, ...], x: Tensor, parameter: Any, mask: Any, omega: str, dim: int
) -> tuple[Tensor, int]:
    rank = x.dim() - (in_dims[0] is not None)
    x = along_the_front(x, in_dims[0], info.batch_size)
    parameter, mask = aligned(parameter, in_dims[1], rank), aligned(mask, in_dims[2], rank)
    return weights(x, parameter, mask, omega, dim), 0


weights = Primitive("separation", _kernels.weights, _like, _keep, _backward, _push, _batched)
