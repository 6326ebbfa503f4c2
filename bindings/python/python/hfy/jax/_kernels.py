"""What runs on the host: arrays in, arrays to write to, and a text that says which kernel with which settings.

Arrays may have leading axes that `jax.vmap` added, of length one where an operand was not mapped.
"""

import json
from typing import Any

import numpy as np

from .. import _hfy

Array = np.ndarray[Any, Any]
Arrays = list[Array]

# Structures that have no text, by a name that no other process has.
STRUCTURES: dict[str, _hfy.Structure] = {}


def call(kernel: str, settings: dict[str, Any]) -> str:
    """The text of a call."""
    return json.dumps([kernel, settings], sort_keys=True)


def run(text: str, results: Arrays, operands: Arrays) -> None:
    """Does what `call` wrote down."""
    kernel, settings = json.loads(text)
    KERNELS[kernel](results, operands, **settings)


def forward(results: Arrays, operands: Arrays, map: str, axis: int) -> None:
    """(scores, parameter) to weights."""
    (out,), (x, *parameter) = results, operands
    _hfy.forward(map, np.broadcast_to(x, out.shape), *parameter, axis=axis, out=out)


def pullback(results: Arrays, operands: Arrays, map: str, axis: int) -> None:
    """(weights, parameter, direction) to the product of the Jacobian with the direction."""
    (out,), (y, *parameter, direction) = results, operands
    _hfy.pullback(map, np.broadcast_to(y, out.shape), direction, *parameter, axis=axis, out=out)


def loss(results: Arrays, operands: Arrays, map: str, axis: int, dense: bool) -> None:
    """(scores, target, parameter) to losses, or to losses and weights less the target."""
    losses, *residual = results
    x, target, *parameter = operands
    rows = losses.shape
    x = np.broadcast_to(x, np.broadcast_shapes(x.shape, np.expand_dims(losses, axis).shape))
    target = np.broadcast_to(target, x.shape if dense else rows)
    settings: dict[str, Any] = {"axis": axis, "reduction": "none", "return_gradient": bool(residual)}
    made = _hfy.loss(map, x, target, *parameter, **settings)
    for result, part in zip(results, made if residual else [made], strict=True):
        result[...] = part


def solved(x: Array, higher: Arrays, structure: str, regulariser: Any) -> _hfy.SparseMapSolution:
    for scores in higher:
        if wrong := list(zip(*np.nonzero(np.isnan(scores) | np.isposinf(scores)))):
            rule = "a higher-order score must be finite, or minus infinity where it is forbidden"
            raise ValueError(f"higher[{', '.join(map(str, wrong[0]))}] = {scores[wrong[0]]}: {rule}")
    rows = np.ascontiguousarray(x, np.float64)
    return _hfy.sparsemap_solve(rows, STRUCTURES.get(structure, structure), *higher, regulariser=regulariser)


def sparsemap(results: Arrays, operands: Arrays, **settings: Any) -> None:
    """(scores, higher-order scores) to marginals."""
    (out,), (x, *higher) = results, operands
    out[...] = solved(np.broadcast_to(x, out.shape), higher, **settings).marginals


def sparsemap_product(results: Arrays, operands: Arrays, **settings: Any) -> None:
    """(scores, higher-order scores, then a direction in each or in the scores) to how marginals of each change."""
    directions = operands[-len(results) :]
    x, *higher = operands[: -len(results)]
    wide = [direction.astype(np.float64) for direction in directions]
    changes = solved(np.broadcast_to(x, results[0].shape), higher, **settings).vjp(*wide)
    for result, change in zip(results, changes):
        result[...] = change


KERNELS = {f.__name__: f for f in (forward, pullback, loss, sparsemap, sparsemap_product)}
