"""The registered operators `hfy::sparsemap` and `hfy::sparsemap_pullback`: what compilers, exporters and transforms see.

Variables lie along the last axis, and all tensors have the same other axes. A solution is no tensor, so that the way back solves
again. What is differentiable is `Sparsemap`: the transforms of torch.func do not know derivatives of operators, but they do know
those of functions.
"""

from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch import Tensor
from torch.library import custom_op

from .._hfy import SparseMapSolution, sparsemap_solve
from ._batching import along_the_front
from ._kernels import array
from ._solve import Doubles, Solver, doubles, maybe_doubles, pulled, tensor_like
from ._structure_names import built, structure_of

def solver(structure: str, regulariser: Optional[str]) -> Solver:
    """SparseMAP over the structures that a text names."""
    found = structure_of(structure)

    def solve(x: Doubles, higher: Optional[Doubles], mask: Any) -> SparseMapSolution:
        return sparsemap_solve(x, found, higher, regulariser=regulariser, mask=mask)  # type: ignore[arg-type]

    return solve


@custom_op("hfy::sparsemap", mutates_args=())
def sparsemap(
    x: Tensor, higher: Optional[Tensor], mask: Optional[Tensor], structure: str, regulariser: Optional[str]
) -> Tensor:
    solution = solver(structure, regulariser)(doubles(x), maybe_doubles(higher), array(mask))
    return tensor_like(solution.marginals, x)


@custom_op("hfy::sparsemap_pullback", mutates_args=())
def sparsemap_pullback(
    x: Tensor,
    higher: Optional[Tensor],
    mask: Optional[Tensor],
    gradient: Tensor,
    higher_gradient: Optional[Tensor],
    structure: str,
    regulariser: Optional[str],
) -> tuple[Tensor, Tensor]:
    solution = solver(structure, regulariser)(doubles(x), maybe_doubles(higher), array(mask))
    unary, parts = pulled(solution, doubles(gradient), maybe_doubles(higher_gradient))
    return tensor_like(unary, x), x.new_empty(0) if higher is None else tensor_like(parts, higher)


@sparsemap.register_fake
def _(
    x: Tensor, higher: Optional[Tensor], mask: Optional[Tensor], structure: str, regulariser: Optional[str]
) -> Tensor:
    return x.new_empty(x.shape)


@sparsemap_pullback.register_fake
def _(
    x: Tensor,
    higher: Optional[Tensor],
    mask: Optional[Tensor],
    gradient: Tensor,
    higher_gradient: Optional[Tensor],
    structure: str,
    regulariser: Optional[str],
) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), x.new_empty(0) if higher is None else higher.new_empty(higher.shape)


def _in_front(info: Any, in_dims: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    return [
        None if tensor is None else along_the_front(tensor, where, info.batch_size)
        for tensor, where in zip(tensors, in_dims)
    ]


@sparsemap.register_vmap
def _(info: Any, in_dims: Sequence[Any], *inputs: Any) -> tuple[Any, int]:
    *tensors, structure, regulariser = inputs
    return sparsemap(*_in_front(info, in_dims, tensors), structure, regulariser), 0


@sparsemap_pullback.register_vmap
def _(info: Any, in_dims: Sequence[Any], *inputs: Any) -> tuple[Any, Any]:
    *tensors, structure, regulariser = inputs
    unary, parts = sparsemap_pullback(*_in_front(info, in_dims, tensors), structure, regulariser)
    return (unary, parts), (0, None if inputs[1] is None else 0)


class Sparsemap(torch.autograd.Function):
    """`hfy::sparsemap` with its derivative."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        x: Tensor, higher: Optional[Tensor], mask: Optional[Tensor], structure: str, regulariser: Optional[str]
    ) -> Tensor:
        return sparsemap(x, higher, mask, structure, regulariser)  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        x, higher, mask, ctx.name, ctx.regulariser = inputs
        if not torch.compiler.is_compiling():
            ctx.kept = built(ctx.name)
        ctx.save_for_backward(x, higher, mask)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], ...]:
        x, higher, mask = ctx.saved_tensors
        in_x, in_higher = _Pullback.apply(
            x, higher, mask, gradient, None, ctx.name, ctx.regulariser
        )
        return in_x, None if higher is None else in_higher, None, None, None


class _Pullback(torch.autograd.Function):
    """`hfy::sparsemap_pullback`: its matrix is symmetric, and does not move with the scores."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*inputs: Any) -> tuple[Tensor, Tensor]:
        return sparsemap_pullback(*inputs)  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        x, higher, mask, _, higher_gradient, ctx.name, ctx.regulariser = inputs
        ctx.has_parts = higher_gradient is not None
        ctx.save_for_backward(x, higher, mask)

    @staticmethod
    def backward(
        ctx: Any, upstream: Tensor, higher_upstream: Tensor
    ) -> tuple[Optional[Tensor], ...]:
        x, higher, mask = ctx.saved_tensors
        parts = None if higher is None else higher_upstream
        unary, in_parts = _Pullback.apply(
            x, higher, mask, upstream, parts, ctx.name, ctx.regulariser
        )
        zeros = None if higher is None else torch.zeros_like(higher)
        return torch.zeros_like(x), zeros, None, unary, in_parts if ctx.has_parts else None, None, None
