"""The primitive `hfy::losses`: the Fenchel-Young loss of each row, and its gradient in the scores."""

from functools import partial
from typing import Any, Optional

import torch
from torch import Tensor

from . import _formulas, _kernels
from ._batching import aligned, along_the_front
from ._parameter_gradient import parameter_gradient
from ._primitive import Gradients, Primitive
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
    ctx.save_for_backward(x, target, parameter, mask, output[1])
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
    counts = None if target.is_floating_point() or ctx.ignore_index is None else target != ctx.ignore_index
    if needs_parameter and of_losses is not None:
        in_parameter = _in_parameter(y, target, parameter, omega, _counted(of_losses, counts))
    if of_slopes is not None:
        of_slopes = _counted(of_slopes, None if counts is None else counts.unsqueeze(-1))
        if needs_x:
            in_x = _sum(in_x, pullback(y, of_slopes, parameter, mask, omega, -1))
        if needs_parameter:
            in_parameter = _sum(in_parameter, parameter_gradient(x, y, of_slopes, parameter, mask, omega, -1))
    return in_x, None, in_parameter, None, None, None


def _in_parameter(y: Tensor, target: Tensor, parameter: Tensor, omega: str, upstream: Tensor) -> Tensor:
    """∂Ω(target)/∂p - ∂Ω(y)/∂p, since the scores that are conjugate to y do not matter to first order."""

    def difference(parameter: Tensor) -> Tensor:
        measure = partial(_formulas.regulariser, parameter, omega=omega)
        # For a single class Ω is the same at every p.
        found = measure(y=target) - measure(y=y) if target.is_floating_point() else -measure(y=y)
        return found.to(upstream.dtype)

    return _formulas.pulled_back(difference, upstream, parameter)[0]


def _counted(gradient: Tensor, counts: Optional[Tensor]) -> Tensor:
    return gradient if counts is None else gradient.where(counts, 0)


def _sum(a: Optional[Tensor], b: Tensor) -> Tensor:
    return b if a is None else a + b


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


row_losses = Primitive("losses", _kernels.losses, _like, _keep, _backward, _batched)
