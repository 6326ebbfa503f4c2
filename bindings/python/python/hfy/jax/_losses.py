"""Fenchel-Young losses."""

from typing import Any

import jax
import jax.numpy as jnp

from . import _check, _loss


def of(map: str, x: Any, target: Any, axis: Any, mask: Any, ignore_index: int | None, **parameter: Any) -> jax.Array:
    """The losses of what a user gives; the parameter under the name that errors shall use."""
    array, axis = _check.scores(x, axis)
    values = tuple(_check.parameter(map, name, value, array, axis) for name, value in parameter.items())
    targets = jax.lax.stop_gradient(_check.target(map, target, array, axis))
    if ignore_index is None:
        return _loss.loss(map, axis, _check.shown(array, mask), targets, values)
    if not jnp.issubdtype(targets.dtype, jnp.integer):
        raise ValueError(f"ignore_index = {ignore_index}: it goes with targets that are classes")
    counts = targets != ignore_index
    losses = _loss.loss(map, axis, _check.shown(array, mask), jnp.where(counts, targets, 0), values)
    return jnp.where(counts, losses, 0)


def softmax_loss(
    x: Any, target: Any, axis: int = -1, *, mask: Any = None, ignore_index: int | None = None
) -> jax.Array:
    """The cross entropy of softmax with a target, of each row.

    `x` has any shape; what comes back has it without `axis`. `target` holds classes (whole numbers, of the shape that
    comes back), or has the shape of `x`: truth values (a set of classes a row, over which the mass is spread evenly) or
    weights. No gradient flows into it. `mask` broadcasts to `x`: True = takes part. Rows whose class is `ignore_index`,
    and rows with nothing left, lose nothing.

    >>> import hfy.jax
    >>> from jax import numpy as jnp
    >>> hfy.jax.softmax_loss(jnp.zeros((2, 2)), jnp.array([1, -1]), ignore_index=-1).round(4)
    Array([0.6931, 0.    ], dtype=float32)
    """
    return of("softmax", x, target, axis, mask, ignore_index)


def sparsemax_loss(
    x: Any, target: Any, axis: int = -1, *, mask: Any = None, ignore_index: int | None = None
) -> jax.Array:
    """The loss of sparsemax, of each row: exactly 0 once the target leads by 1. Arguments are as for `softmax_loss`.

    >>> import jax, hfy.jax
    >>> from jax import numpy as jnp
    >>> hfy.jax.sparsemax_loss(jnp.array([[1.5, 0.0], [0.0, 0.5]]), jnp.array([0, 1]))
    Array([0.    , 0.0625], dtype=float32)
    >>> jax.grad(hfy.jax.sparsemax_loss)(jnp.array([0.0, 0.5]), 1)  # the weights less the target
    Array([ 0.25, -0.25], dtype=float32)
    """
    return of("sparsemax", x, target, axis, mask, ignore_index)


def entmax15_loss(
    x: Any, target: Any, axis: int = -1, *, mask: Any = None, ignore_index: int | None = None
) -> jax.Array:
    """The loss of 1.5-entmax, of each row: exactly 0 once the target leads by 2. Arguments are as for `softmax_loss`.

    >>> import hfy.jax
    >>> hfy.jax.entmax15_loss([[2.0, 0.0]], [0])
    Array([0.], dtype=float32)
    """
    return entmax_loss(x, target, 1.5, axis, mask=mask, ignore_index=ignore_index)


def entmax_loss(
    x: Any, target: Any, alpha: Any = 1.5, axis: int = -1, *, mask: Any = None, ignore_index: int | None = None
) -> jax.Array:
    """The loss of entmax, of each row, with one alpha or one a row, with a gradient. The rest is as for `softmax_loss`.

    >>> import hfy.jax
    >>> hfy.jax.entmax_loss([[2.0, 0.0], [0.5, 0.0]], [0, 0], alpha=2.0)  # a lead of 1 / (alpha - 1)
    Array([0.    , 0.0625], dtype=float32)
    """
    return of("entmax", x, target, axis, mask, ignore_index, alpha=alpha)


def normmax_loss(
    x: Any, target: Any, gamma: Any = 2.0, axis: int = -1, *, mask: Any = None, ignore_index: int | None = None
) -> jax.Array:
    """The loss of normmax, of each row, with a gamma or one a row, with a gradient. The rest is as for `softmax_loss`.

    >>> import hfy.jax
    >>> hfy.jax.normmax_loss([[0.0, 1.0]], [1], gamma=5.0)
    Array([0.], dtype=float32)
    """
    return of("normmax", x, target, axis, mask, ignore_index, gamma=gamma)


def subsets_loss(x: Any, target: Any, k: Any, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """The loss of k-subsets, of each row, whose targets have k classes.

    `target` has the shape of `x`: truth values or weights that sum to k; or it holds classes along a last axis after
    those of the rows. `k` is one number or one a row, without a gradient: the target decides it. The rest is as for
    `softmax_loss`.

    >>> import hfy.jax
    >>> hfy.jax.subsets_loss([[3.0, 2.0, 1.0, 0.0]], [[0, 1]], k=2)
    Array([0.], dtype=float32)
    """
    return of("subsets", x, target, axis, mask, None, k=jax.lax.stop_gradient(k) if isinstance(k, jax.Array) else k)
