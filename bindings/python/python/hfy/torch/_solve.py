"""Solutions of structured problems as functions of their scores.

A solution is linear in the scores as long as the same structures share it, so that its first derivative is a symmetric
matrix that does not move, and its second derivative is zero wherever there is one.
"""

from collections.abc import Callable
from typing import Any, Optional, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ._kernels import array

Doubles = NDArray[np.float64]


class Solution(Protocol):
    """What is asked of a solution: its marginals along the last axis, and products with its derivative."""

    @property
    def marginals(self) -> Doubles: ...
    def vjp(self, gradient: Any, higher_gradient: Any = None) -> tuple[Doubles, Doubles]: ...


Solver = Callable[[Doubles, Optional[Doubles], Optional[NDArray[np.bool_]]], Solution]
"""From scores, higher-order scores and a mask, with variables and parts along the last axis."""


def doubles(tensor: Tensor) -> Doubles:
    """A tensor as an array of double precision, on the host."""
    return np.asarray(array(tensor.float() if tensor.dtype is torch.bfloat16 else tensor), dtype=np.float64)


def maybe_doubles(tensor: Optional[Tensor]) -> Optional[Doubles]:
    return None if tensor is None else doubles(tensor)


def maybe_array(tensor: Optional[Tensor]) -> Optional[NDArray[Any]]:
    return None if tensor is None else array(tensor)


def tensor_like(values: Doubles, like: Tensor) -> Tensor:
    """An array as a tensor of the dtype and on the device of another."""
    return torch.from_numpy(np.ascontiguousarray(values)).to(like.device, like.dtype)


def pulled(solution: Solution, gradient: Doubles, higher_gradient: Optional[Doubles]) -> tuple[Doubles, Doubles]:
    """The product with the derivative. A row whose gradient is not finite gives NaN: scalers of losses count on it."""
    try:
        return solution.vjp(gradient, higher_gradient)
    except ValueError:
        spoilt = ~np.isfinite(gradient).all(axis=-1, keepdims=True)
        if higher_gradient is not None:
            spoilt |= ~np.isfinite(higher_gradient).all(axis=-1, keepdims=True)
        if not spoilt.any():
            raise
        rest = None if higher_gradient is None else np.where(spoilt, 0.0, higher_gradient)
        unary, higher = solution.vjp(np.where(spoilt, 0.0, gradient), rest)
        return np.where(spoilt & (solution.marginals != 0), np.nan, unary), np.where(spoilt, np.nan, higher)


class Solve(torch.autograd.Function):
    """The marginals of a solver's solution, which is kept for the way back."""

    @staticmethod
    def forward(
        ctx: Any, solver: Solver, x: Tensor, higher: Optional[Tensor], mask: Optional[Tensor]
    ) -> Tensor:
        solution = solver(doubles(x), maybe_doubles(higher), maybe_array(mask))
        ctx.solution = solution
        ctx.save_for_backward(x, higher)
        return tensor_like(solution.marginals, x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], ...]:
        x, higher = ctx.saved_tensors
        in_x, in_higher = _Pull.apply(ctx.solution, gradient, None, x, higher)
        return None, in_x, in_higher, None


class _Pull(torch.autograd.Function):
    """The product of gradients with the derivative of a solution: symmetric, and constant in the scores."""

    @staticmethod
    def forward(
        ctx: Any,
        solution: Solution,
        gradient: Tensor,
        higher_gradient: Optional[Tensor],
        x: Tensor,
        higher: Optional[Tensor],
    ) -> tuple[Tensor, Optional[Tensor]]:
        ctx.solution = solution
        ctx.save_for_backward(x, higher)
        ctx.set_materialize_grads(False)
        unary, parts = pulled(solution, doubles(gradient), maybe_doubles(higher_gradient))
        return tensor_like(unary, x), None if higher is None else tensor_like(parts, higher)

    @staticmethod
    def backward(
        ctx: Any, upstream: Optional[Tensor], higher_upstream: Optional[Tensor]
    ) -> tuple[Optional[Tensor], ...]:
        x, higher = ctx.saved_tensors
        _, _, in_parts, needs_x, needs_higher = ctx.needs_input_grad
        upstream = torch.zeros_like(x) if upstream is None else upstream
        unary, parts = _Pull.apply(
            ctx.solution, upstream, higher_upstream, x, higher
        )
        zero = torch.zeros_like(x) if needs_x else None
        zeros = torch.zeros_like(higher) if needs_higher else None
        return None, unary, parts if in_parts else None, zero, zeros
