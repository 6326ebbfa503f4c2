"""The maps over structures."""

# mypy: allow-untyped-calls

import math
import uuid
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from .. import _hfy
from . import _check, _host, _kernels
from ._symmetric import product

Settings = tuple[tuple[str, Any], ...]


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def marginals(settings: Settings, x: jax.Array, higher: tuple[jax.Array, ...]) -> jax.Array:
    """Along the last axis. Higher-order scores have as many axes as scores."""
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return _host.call("sparsemap", (shape,), (x, *higher), **dict(settings))[0]


def differentiated(settings: Settings, primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    """The marginals of scores are linear between changes of the structures that they blend: so are those of
    higher-order parts, and the Jacobian of both in both is symmetric."""
    (x, higher), (change, higher_change) = primals, tangents
    y = marginals(settings, x, higher)
    given = [change, *(by for by in higher_change if not isinstance(by, SymbolicZero))]
    if len(given) == 1 and isinstance(change, SymbolicZero):
        return y, jnp.zeros_like(y)
    directions = tuple(jnp.zeros(by.shape, by.dtype) if isinstance(by, SymbolicZero) else by for by in given)
    return y, product("sparsemap_product", (x, *higher), directions, **dict(settings))[0]


marginals.defjvp(differentiated, symbolic_zeros=True)


def named(structure: Any) -> str:
    """A structure in words: its text, or a name under which it is kept for as long as the process runs."""
    if isinstance(structure, str):
        _hfy.Structure(structure)  # which says what is wrong with it
        return structure
    if not isinstance(structure, _hfy.Structure):
        raise TypeError(f"structure is a {type(structure).__name__}: it must be a Structure or its text")
    try:
        return str(structure.__reduce__()[1][0])
    except TypeError:  # it was built
        for name, kept in _kernels.STRUCTURES.items():
            if kept is structure:
                return name
        name = f"structure {uuid.uuid4().hex}"
        _kernels.STRUCTURES[name] = structure
        return name


def of(x: Any, structure: Any, axis: Any, mask: Any, regulariser: Any, higher: Any) -> jax.Array:
    """Marginals of what a user gives."""
    if regulariser not in (None, "on", "both"):
        raise ValueError(f'regulariser = {regulariser!r}: it must be "on", "both" or None')
    array, axis = _check.scores(x, axis)
    rows = jnp.moveaxis(_check.shown(array, mask), axis, -1)
    name = named(structure)
    settings = (("regulariser", regulariser), ("structure", name))
    known = _kernels.STRUCTURES.get(name) or _hfy.Structure(name)
    # Fails now if the structure is not one of as many variables.
    shape = (*rows.shape[:-1], len(known.higher(rows.shape[-1])))
    parts: tuple[jax.Array, ...] = ()
    if higher is not None:
        # A direction gives its shape to what comes back for it: what rows share is spread here, and gathered again.
        parts = (jnp.broadcast_to(_check.broadcast("higher", _check.real("higher", higher), shape), shape),)
    return jnp.moveaxis(marginals(settings, rows, parts), -1, axis)


def sparsemap(
    x: Any, structure: Any, axis: int = -1, *, mask: Any = None, higher: Any = None, regulariser: str | None = None
) -> jax.Array:
    """SparseMAP along an axis: the point of the hull of some structures that is nearest to `x`, a blend of few of them.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. `structure` is an `hfy.Structure` or its
    text. `higher` are the scores of its higher-order parts along the last axis, for all rows or for each, with a
    gradient; else the structure's own. `regulariser` is "on" for |y|²/2 or "both" for (|y|² + |1 - y|²)/2: both for
    sequences, on for others, unless it is said. The marginals are of the shape and dtype of `x`. They are solved in
    double precision.

    >>> import hfy.jax
    >>> hfy.jax.sparsemap([1.0, 0.75, 0.0, 0.75], "sequence:2:t=0.5", regulariser="on")
    Array([0.75, 0.75, 0.25, 0.25], dtype=float32)
    """
    return of(x, structure, axis, mask, regulariser, higher)


def sequence_subsets(
    x: Any, k: int, transition: Any = 0.0, axis: int = -1, *, mask: Any = None, regulariser: str | None = None
) -> jax.Array:
    """Sequential k-subsets along an axis: marginals of sets of k entries, where neighbours that are both in score more.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. `transition` is what neighbours score
    that are both in: a number, or an array with one for each of the n - 1 pairs along its last axis, for all rows or
    for each; it has a gradient. The number infinity admits nothing but k neighbours. `regulariser` is as for
    `sparsemap`. The marginals are of the shape and dtype of `x`.

    >>> import hfy.jax
    >>> hfy.jax.sequence_subsets([0.0, 3.0, 0.0, 1.5, 4.0], 2, 1.0, regulariser="on")
    Array([0.  , 0.75, 0.  , 0.25, 1.  ], dtype=float32)
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 0:
        raise ValueError(f"k = {k!r}: it must be a whole number, not negative")
    array, from_end = _check.scores(x, axis)
    length = array.shape[from_end]
    if k > length:
        raise ValueError(f"k = {k}: it must not exceed the {length} entries of a row")
    if isinstance(transition, float) and transition == math.inf:
        return of(array, f"sequence:{k}:t=inf", from_end, mask, regulariser, None)
    scores = _check.real("transition", transition)
    if scores.ndim and scores.shape[-1] != length - 1:
        rule = f"its last axis must hold one for each of {length - 1} pairs"
        raise ValueError(f"transition has shape {list(scores.shape)}: {rule}")
    return of(array, f"sequence:{k}", from_end, mask, regulariser, scores)
