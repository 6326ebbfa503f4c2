"""The primitives `hfy::sparsemap` and `hfy::sparsemap_pullback`.

Variables lie along the last axis, and all tensors have the same other axes. A solution is no tensor, so that the way
back solves again; where nothing but autograd watches, `_solve.Solve` keeps it instead.
"""

from typing import Any, Optional

import torch
from torch import Tensor

from .._hfy import SparseMapSolution, sparsemap_solve
from ._batching import along_the_front
from ._primitive import Gradients, Primitive, save
from ._solve import Doubles, Solver, doubles, maybe_array, maybe_doubles, pulled, tensor_like
from ._structure_names import built, structure_of


def solver(structure: str, regulariser: Optional[str]) -> Solver:
    """SparseMAP over the structures that a text names."""
    found = structure_of(structure)

    def solve(x: Doubles, higher: Optional[Doubles], mask: Any) -> SparseMapSolution:
        return sparsemap_solve(x, found, higher, regulariser=regulariser, mask=mask)  # type: ignore[arg-type]

    return solve


def _marginals(
    x: Tensor, higher: Optional[Tensor], mask: Optional[Tensor], structure: str, regulariser: Optional[str]
) -> Tensor:
    solution = solver(structure, regulariser)(doubles(x), maybe_doubles(higher), maybe_array(mask))
    return tensor_like(solution.marginals, x)


def _marginals_like(
    x: Tensor, higher: Optional[Tensor], mask: Optional[Tensor], structure: str, regulariser: Optional[str]
) -> Tensor:
    return x.new_empty(x.shape)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, higher, mask, *_, ctx.name, ctx.regulariser = inputs
    # What is kept keeps its name alive until the way back is over.
    ctx.kept = None if torch.compiler.is_compiling() else built(ctx.name)
    save(ctx, x, higher, mask)


def _backward(ctx: Any, gradient: Tensor) -> Gradients:
    x, higher, mask = ctx.saved_tensors
    in_x, in_higher = sparsemap_pullback(x, higher, mask, gradient, None, ctx.name, ctx.regulariser)
    return in_x, None if higher is None else in_higher, None, None, None


def _push(ctx: Any, of_x: Optional[Tensor], of_higher: Optional[Tensor], *_: None) -> Tensor:
    """The matrix of both kinds of scores is symmetric."""
    return _pushed_back(ctx, None, None, None, of_x, of_higher)[0]


def _pulled_back(
    x: Tensor,
    higher: Optional[Tensor],
    mask: Optional[Tensor],
    gradient: Tensor,
    higher_gradient: Optional[Tensor],
    structure: str,
    regulariser: Optional[str],
) -> tuple[Tensor, Tensor]:
    solution = solver(structure, regulariser)(doubles(x), maybe_doubles(higher), maybe_array(mask))
    unary, parts = pulled(solution, doubles(gradient), maybe_doubles(higher_gradient))
    return tensor_like(unary, x), x.new_empty(0) if higher is None else tensor_like(parts, higher)


def _pulled_back_like(
    x: Tensor,
    higher: Optional[Tensor],
    mask: Optional[Tensor],
    gradient: Tensor,
    higher_gradient: Optional[Tensor],
    structure: str,
    regulariser: Optional[str],
) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), x.new_empty(0) if higher is None else higher.new_empty(higher.shape)


def _keep_more(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _keep(ctx, inputs, output)
    ctx.has_parts = inputs[4] is not None


def _pullback_backward(ctx: Any, upstream: Tensor, higher_upstream: Tensor) -> Gradients:
    """The matrix is symmetric, and it does not move with the scores."""
    x, higher, mask = ctx.saved_tensors
    parts = None if higher is None else higher_upstream
    unary, in_parts = sparsemap_pullback(x, higher, mask, upstream, parts, ctx.name, ctx.regulariser)
    zeros = None if higher is None else torch.zeros_like(higher)
    return torch.zeros_like(x), zeros, None, unary, in_parts if ctx.has_parts else None, None, None


def _pushed_back(
    ctx: Any,
    of_x: Optional[Tensor],
    of_higher: Optional[Tensor],
    of_mask: None,
    of_gradient: Optional[Tensor],
    of_parts: Optional[Tensor],
    *_: None,
) -> tuple[Tensor, Tensor]:
    """The matrix does not move with the scores."""
    x, higher, mask = ctx.saved_tensors
    moved = torch.zeros_like(x) if of_gradient is None else of_gradient
    found: tuple[Tensor, Tensor] = sparsemap_pullback(x, higher, mask, moved, of_parts, ctx.name, ctx.regulariser)
    return found


def _in_front(info: Any, in_dims: tuple[Any, ...], inputs: tuple[Any, ...]) -> list[Any]:
    tensors = zip(inputs[:-2], in_dims)
    front = [None if part is None else along_the_front(part, where, info.batch_size) for part, where in tensors]
    return [*front, *inputs[-2:]]


def _batched(info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[Any, int]:
    return sparsemap(*_in_front(info, in_dims, inputs)), 0


def _pullback_batched(info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[Any, Any]:
    return sparsemap_pullback(*_in_front(info, in_dims, inputs)), (0, None if inputs[1] is None else 0)


sparsemap = Primitive("sparsemap", _marginals, _marginals_like, _keep, _backward, _push, _batched)
sparsemap_pullback = Primitive(
    "sparsemap_pullback", _pulled_back, _pulled_back_like, _keep_more, _pullback_backward, _pushed_back, _pullback_batched
)
