"""The primitive `hfy::parameter_gradient`: the gradient in alpha, gamma, k, r or the bounds, from the weights."""

from functools import partial
from typing import Any, Optional

import torch
from torch import Tensor

from . import _formulas, _kernels
from ._batching import aligned, along_the_front
from ._primitive import Gradients, Primitive, save


def _like(
    x: Optional[Tensor],
    y: Tensor,
    gradient: Tensor,
    parameter: Tensor,
    mask: Optional[Tensor],
    omega: str,
    dim: int,
) -> Tensor:
    return torch.empty(parameter.shape, dtype=parameter.dtype, device=parameter.device)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.omega, ctx.dim = inputs
    save(ctx, *tensors)


def _backward(ctx: Any, upstream: Tensor) -> Gradients:
    x, y, gradient, parameter, mask = ctx.saved_tensors
    if mask is not None:
        gradient = gradient.where(mask, 0)
    turned = partial(_formulas.parameter_gradient, x=x, omega=ctx.omega, dim=ctx.dim)
    in_y, in_gradient, in_parameter = _formulas.pulled_back(turned, upstream, y, gradient, parameter)
    return None, in_y, in_gradient, in_parameter, None, None, None


def _push(ctx: Any, _: Optional[Tensor], *tangents: Optional[Tensor]) -> Tensor:
    x, y, gradient, parameter, mask = ctx.saved_tensors
    if mask is not None:
        gradient = gradient.where(mask, 0)
    turned = partial(_formulas.parameter_gradient, x=x, omega=ctx.omega, dim=ctx.dim)
    return _formulas.pushed_forward(turned, tangents[:3], y, gradient, parameter)


def _batched(
    info: Any,
    in_dims: tuple[Any, ...],
    x: Any,
    y: Tensor,
    gradient: Tensor,
    parameter: Tensor,
    mask: Any,
    omega: str,
    dim: int,
) -> tuple[Tensor, int]:
    rank, size = y.dim() - (in_dims[1] is not None), info.batch_size
    x = None if x is None else along_the_front(x, in_dims[0], size)
    y, gradient = along_the_front(y, in_dims[1], size), along_the_front(gradient, in_dims[2], size)
    # One parameter a sample, so that their gradients are not summed.
    parameter = along_the_front(parameter, in_dims[3], size)
    mask = aligned(mask, in_dims[4], rank)
    found = parameter_gradient(x, y, gradient, aligned(parameter, 0, rank), mask, omega, dim)
    return found.reshape(parameter.shape), 0


parameter_gradient = Primitive(
    "parameter_gradient", _kernels.parameter_gradient, _like, _keep, _backward, _push, _batched
)
