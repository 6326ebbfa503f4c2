"""Maps over structures: marginals of SparseMAP along an axis, with gradients."""

from typing import Any, Literal, Optional, Union

import torch
from torch import Tensor

from .._hfy import Structure
from . import _sparsemap
from ._primitive import _are_watched
from ._separation import checked
from ._solve import Solve
from ._structure_names import name_of

Regulariser = Optional[Literal["on", "both"]]


def sparsemap(
    x: Tensor,
    structure: Union[Structure, str],
    dim: int = -1,
    *,
    higher: Optional[Tensor] = None,
    regulariser: Regulariser = None,
    mask: Optional[Tensor] = None,
) -> Tensor:
    """SparseMAP: the marginals of the few structures that share the probability, along an axis.

    Parameters
    ----------
    x : tensor of any shape
        Scores of the variables, which lie along `dim`. What is returned has its shape, dtype and device.
    structure : hfy.Structure or str
        Which structures there are, as "sequence:2", "matching:3x4", "projective:5"; `hfy.Structure` lists them.
    higher : tensor, optional
        Scores of the higher-order parts along its last axis, which broadcasts over rows; else the structure's own. It
        has a gradient.
    regulariser : "on" or "both", optional
        Whether |y|²/2 is subtracted, or (|y|² + |1 - y|²)/2. Sequences have both unless it is said, others on.
    mask : tensor of bool, optional
        Broadcasts to `x`. **True = takes part**; where it is False no structure may have the variable. A row with
        nothing left gives zeros, and its gradient is zero.

    It is solved in double precision, on the host. Between kinks it is linear in the scores: second derivatives are
    zero.

    >>> import torch, hfy.torch
    >>> x = torch.tensor([[0.0, 1.0], [0.2, 0.4]], requires_grad=True)  # two workers, two tasks
    >>> y = hfy.torch.sparsemap(x.flatten(), "assignment:2x2").view(2, 2)
    >>> y.detach()
    tensor([[0.3000, 0.7000],
            [0.7000, 0.3000]])
    >>> torch.autograd.grad(y[0, 0], x)[0]
    tensor([[ 0.2500, -0.2500],
            [-0.2500,  0.2500]])
    """
    if not isinstance(structure, (Structure, str)):
        raise TypeError(f"structure is a {type(structure).__name__}; expected a hfy.Structure or a text that names one")
    last = _with_rows_last(x, dim, mask)
    if higher is not None:
        higher = _beside("higher", higher, last[0])
    return _solved(*last, higher, structure, regulariser).movedim(-1, dim)


def sequence_subsets(
    x: Tensor,
    k: int,
    transition: Union[float, Tensor] = 0.0,
    dim: int = -1,
    *,
    regulariser: Regulariser = None,
    mask: Optional[Tensor] = None,
) -> Tensor:
    """Sequential k-subsets: the marginals of sets of k variables in a row, where neighbours interact.

    Parameters
    ----------
    x : tensor of any shape
        Scores of n variables, which lie in a row along `dim`. What is returned has its shape, dtype and device.
    k : int
        How many variables are on.
    transition : number or tensor
        What neighbours score that are both on. A number or a tensor without axes is for all pairs (the number infinity
        admits nothing but k neighbours); a tensor of shape (..., n - 1) has one for each pair, one of shape
        (..., n - 1, 2, 2) one for each state of each pair: off or on, then off or on. Other axes broadcast against those of `x`
        without `dim`. A tensor has a gradient.
    regulariser : "on" or "both", optional
        Whether |y|²/2 is subtracted, or (|y|² + |1 - y|²)/2, as it is unless it is said.
    mask : tensor of bool, optional
        Broadcasts to `x`. **True = takes part**; False turns a variable off. A row with nothing left gives zeros.

    >>> import torch, hfy.torch
    >>> x = torch.tensor([1.0716, -1.1221, -0.3288, 0.3368, 0.0425])
    >>> hfy.torch.sequence_subsets(x, k=2, transition=1.0)
    tensor([0.4358, 0.3390, 0.2356, 0.5684, 0.4213])
    >>> edges = torch.ones(4, requires_grad=True)
    >>> y = hfy.torch.sequence_subsets(x, 2, edges)
    >>> torch.autograd.grad(y[3], edges)[0]
    tensor([-0.1000,  0.0000,  0.2000, -0.1000])
    """
    if isinstance(k, bool) or not isinstance(k, int):
        raise TypeError(f"k is a {type(k).__name__}; expected a whole number")
    rows, where = _with_rows_last(x, dim, mask)
    usual = regulariser or "both"
    if isinstance(transition, Tensor):
        name, higher = _transition_scores(rows, k, transition)
        return _solved(rows, where, higher, name, usual).movedim(-1, dim)
    if isinstance(transition, bool) or not isinstance(transition, (int, float)):
        raise TypeError(f"transition is a {type(transition).__name__}; expected a number or a tensor")
    return _solved(rows, where, None, f"sequence:{k}:t={float(transition)!r}", usual).movedim(-1, dim)


def _with_rows_last(x: Tensor, dim: int, mask: Optional[Tensor]) -> tuple[Tensor, Optional[Tensor]]:
    """Scores and mask with the axis of the variables last, and of one shape."""
    x, _, _, dim = checked(x, "", None, dim, mask)
    if mask is not None:
        mask = _expanded("mask", mask, x.shape).movedim(dim, -1)
    return x.movedim(dim, -1), mask


def _transition_scores(x: Tensor, k: int, transition: Tensor) -> tuple[str, Tensor]:
    """The structure and its higher-order scores, for each row."""
    pairs = x.shape[-1] - 1
    if transition.dim() == 0:
        return f"sequence:{k}", _beside("transition", transition.expand(pairs), x)
    if transition.shape[-3:] == (pairs, 2, 2):
        return f"tables:{k}x{pairs + 1}", _beside("transition", transition.flatten(-3), x)
    if transition.shape[-1] != pairs:
        shape, want = tuple(transition.shape), f"(..., {pairs}) or (..., {pairs}, 2, 2)"
        raise ValueError(f"transition is of shape {shape}; for {pairs + 1} variables expected {want}")
    return f"sequence:{k}", _beside("transition", transition, x)


def _beside(argument: str, scores: Any, x: Tensor) -> Tensor:
    """Scores of interactions for each row."""
    if not isinstance(scores, Tensor) or not scores.is_floating_point():
        what = f"of dtype {scores.dtype}" if isinstance(scores, Tensor) else f"a {type(scores).__name__}"
        raise TypeError(f"{argument} is {what}; expected a tensor of floating point numbers")
    if scores.dim() == 0:
        raise ValueError(f"{argument} is a single number; expected scores along a last axis")
    return _expanded(argument, scores, (*x.shape[:-1], scores.shape[-1]))


def _expanded(argument: str, tensor: Tensor, shape: Any) -> Tensor:
    try:
        return tensor.expand(shape)
    except RuntimeError:
        wrong, wanted = tuple(tensor.shape), tuple(shape)
        raise ValueError(f"{argument} is of shape {wrong}; expected one that broadcasts to {wanted}") from None


def _solved(
    x: Tensor,
    mask: Optional[Tensor],
    higher: Optional[Tensor],
    structure: Union[Structure, str],
    regulariser: Optional[str],
) -> Tensor:
    """With the solution kept, so that the way back need not solve again; by the primitive where something watches."""
    name = name_of(structure)
    transformed = torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active()
    if transformed or _are_watched((x, higher, mask)):
        found: Tensor = _sparsemap.sparsemap(x, higher, mask, name, regulariser)
    else:
        found = Solve.apply(_sparsemap.solver(name, regulariser), x, higher, mask)
    return found
