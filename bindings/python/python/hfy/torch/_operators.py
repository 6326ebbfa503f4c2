"""The registered operators `hfy::separation`, `hfy::pullback` and `hfy::parameter_gradient`: what compilers, exporters and the
transforms of torch.func see. Each runs a kernel; derivatives of derivatives come from the expressions of `_formulas`."""

from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch import Tensor
from torch.library import custom_op

from . import _formulas, _kernels
from ._batching import along_the_front, aligned

Gradients = tuple[Optional[Tensor], ...]


@custom_op("hfy::separation", mutates_args=())
def separation(x: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int) -> Tensor:
    return _kernels.weights(x, parameter, mask, omega, dim)


@custom_op("hfy::pullback", mutates_args=())
def pullback(
    y: Tensor, gradient: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int
) -> Tensor:
    return _kernels.pulled(y, gradient, parameter, mask, omega, dim)


@custom_op("hfy::parameter_gradient", mutates_args=())
def parameter_gradient(
    x: Optional[Tensor],
    y: Tensor,
    gradient: Tensor,
    parameter: Tensor,
    mask: Optional[Tensor],
    omega: str,
    dim: int,
) -> Tensor:
    return _kernels.parameter_gradient(x, y, gradient, parameter, mask, omega, dim)


@separation.register_fake
def _(x: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int) -> Tensor:
    return torch.empty_like(x)


@pullback.register_fake
def _(
    y: Tensor, gradient: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int
) -> Tensor:
    return torch.empty_like(y)


@parameter_gradient.register_fake
def _(
    x: Optional[Tensor],
    y: Tensor,
    gradient: Tensor,
    parameter: Tensor,
    mask: Optional[Tensor],
    omega: str,
    dim: int,
) -> Tensor:
    return torch.empty(parameter.shape, dtype=parameter.dtype, device=parameter.device)


def _keep_separation(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, parameter, mask, ctx.omega, ctx.dim = inputs
    scores = x if ctx.omega == "bounded" and parameter is not None and parameter.requires_grad else None
    ctx.save_for_backward(output, parameter, mask, scores)


def _separation_backward(ctx: Any, gradient: Tensor) -> Gradients:
    y, parameter, mask, x = ctx.saved_tensors
    needs_x, needs_parameter, *_ = ctx.needs_input_grad
    in_x = pullback(y, gradient, parameter, mask, ctx.omega, ctx.dim) if needs_x else None
    in_parameter = None
    if needs_parameter:
        in_parameter = parameter_gradient(x, y, gradient, parameter, mask, ctx.omega, ctx.dim)
    return in_x, in_parameter, None, None, None


def _keep_pullback(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    y, gradient, parameter, mask, ctx.omega, ctx.dim = inputs
    ctx.save_for_backward(y, gradient, parameter, mask)


def _pullback_backward(ctx: Any, upstream: Tensor) -> Gradients:
    """J is symmetric; what is left is how it moves."""
    y, gradient, parameter, mask = ctx.saved_tensors
    omega, dim = ctx.omega, ctx.dim
    needs_y, needs_gradient, needs_parameter, *_ = ctx.needs_input_grad
    in_y = in_parameter = None
    in_gradient = pullback(y, upstream, parameter, mask, omega, dim) if needs_gradient else None
    if (needs_y or needs_parameter) and _formulas.is_curved(omega, parameter):
        upstream = upstream if mask is None else upstream.where(mask, 0)
        if needs_parameter:
            _, pull = torch.func.vjp(lambda y, p: _formulas.pullback(y, gradient, p, omega, dim), y, parameter)
            in_y, in_parameter = pull(upstream)
        else:
            _, pull = torch.func.vjp(lambda y: _formulas.pullback(y, gradient, parameter, omega, dim), y)
            (in_y,) = pull(upstream)
    return in_y, in_gradient, in_parameter, None, None, None


def _keep_parameter_gradient(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, y, gradient, parameter, mask, ctx.omega, ctx.dim = inputs
    ctx.save_for_backward(y, gradient, parameter, mask)


def _parameter_gradient_backward(ctx: Any, upstream: Tensor) -> Gradients:
    y, gradient, parameter, mask = ctx.saved_tensors
    if mask is not None:
        gradient = gradient.where(mask, 0)
    work = lambda y, g, p: _formulas.parameter_gradient(y, g, p, ctx.omega, ctx.dim)  # noqa: E731
    _, pull = torch.func.vjp(work, y, gradient, parameter)
    in_y, in_gradient, in_parameter = pull(upstream)
    return None, in_y, in_gradient, in_parameter, None, None, None


separation.register_autograd(_separation_backward, setup_context=_keep_separation)
pullback.register_autograd(_pullback_backward, setup_context=_keep_pullback)
parameter_gradient.register_autograd(_parameter_gradient_backward, setup_context=_keep_parameter_gradient)


@separation.register_vmap
def _(info: Any, in_dims: Sequence[Any], x: Any, parameter: Any, mask: Any, omega: str, dim: int) -> tuple[Any, int]:
    rank = x.dim() - (in_dims[0] is not None)
    x = along_the_front(x, in_dims[0], info.batch_size)
    parameter, mask = (aligned(part, where, rank) for part, where in ((parameter, in_dims[1]), (mask, in_dims[2])))
    return separation(x, parameter, mask, omega, dim), 0


@pullback.register_vmap
def _(
    info: Any, in_dims: Sequence[Any], y: Any, gradient: Any, parameter: Any, mask: Any, omega: str, dim: int
) -> tuple[Any, int]:
    rank = y.dim() - (in_dims[0] is not None)
    y, gradient = (along_the_front(part, where, info.batch_size) for part, where in zip((y, gradient), in_dims))
    parameter, mask = (aligned(part, where, rank) for part, where in ((parameter, in_dims[2]), (mask, in_dims[3])))
    return pullback(y, gradient, parameter, mask, omega, dim), 0


@parameter_gradient.register_vmap
def _(
    info: Any,
    in_dims: Sequence[Any],
    x: Any,
    y: Any,
    gradient: Any,
    parameter: Any,
    mask: Any,
    omega: str,
    dim: int,
) -> tuple[Any, int]:
    rank = y.dim() - (in_dims[1] is not None)
    size = info.batch_size
    x = None if x is None else along_the_front(x, in_dims[0], size)
    y, gradient = along_the_front(y, in_dims[1], size), along_the_front(gradient, in_dims[2], size)
    # One parameter a sample, so that their gradients are not summed.
    parameter = along_the_front(parameter, in_dims[3], size)
    shape = parameter.shape
    found = parameter_gradient(x, y, gradient, aligned(parameter, 0, rank), aligned(mask, in_dims[4], rank), omega, dim)
    return found.reshape(shape), 0
