"""The maps that have a name."""

from typing import Any

import jax

from . import _maps


def softmax(x: Any, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """Softmax along an axis, as `jax.nn.softmax`, but with zeros for a row that is masked entirely.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. The weights are of the shape and dtype
    of `x`.

    >>> import hfy.jax
    >>> hfy.jax.softmax([0.0, 0.0, 5.0], mask=[True, True, False])
    Array([0.5, 0.5, 0. ], dtype=float32)
    """
    return _maps.of("softmax", x, axis, mask)


def sparsemax(x: Any, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """Sparsemax along an axis: the nearest point of the simplex.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. The weights are of the shape and dtype
    of `x`.

    >>> import jax, hfy.jax
    >>> hfy.jax.sparsemax([-2.0, 0.0, 0.5])
    Array([0.  , 0.25, 0.75], dtype=float32)
    >>> jax.grad(lambda x: hfy.jax.sparsemax(x)[1])(jax.numpy.array([-2.0, 0.0, 0.5]))
    Array([ 0. ,  0.5, -0.5], dtype=float32)
    """
    return _maps.of("sparsemax", x, axis, mask)


def entmax15(x: Any, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """Entmax with alpha = 1.5 along an axis.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. The weights are of the shape and dtype
    of `x`.

    >>> import hfy.jax
    >>> [round(float(weight), 3) for weight in hfy.jax.entmax15([-2.0, 0.0, 0.5])]
    [0.0, 0.326, 0.674]
    """
    return entmax(x, 1.5, axis, mask=mask)


def entmax(x: Any, alpha: Any = 1.5, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """Alpha-entmax along an axis, for any alpha from 1 (softmax) through 2 (sparsemax) to infinity (argmax).

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. `alpha` is a number, or an array that
    broadcasts against `x` with its axis cut down to length one; it has a gradient. The weights are of the shape and
    dtype of `x`.

    >>> import jax, hfy.jax
    >>> from jax import numpy as jnp
    >>> hfy.jax.entmax(jnp.array([[0.0, 0.5], [0.0, 0.5]]), alpha=jnp.array([[1.0], [2.0]])).round(4)
    Array([[0.3775, 0.6225],
           [0.25  , 0.75  ]], dtype=float32)
    >>> round(float(jax.grad(lambda alpha: hfy.jax.entmax([-1.0, 0.0, 0.5], alpha)[0])(1.33)), 4)
    -0.2562
    """
    return _maps.of("entmax", x, axis, mask, alpha=alpha)


def normmax(x: Any, gamma: Any = 2.0, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """Normmax along an axis, for any gamma above 1: the larger, the more evenly the largest scores share the mass.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. `gamma` is a number, or an array that
    broadcasts against `x` with its axis cut down to length one; it has a gradient. The weights are of the shape and
    dtype of `x`.

    >>> import hfy.jax
    >>> [round(float(weight), 3) for weight in hfy.jax.normmax([-2.0, 0.0, 0.5])]
    [0.0, 0.311, 0.689]
    """
    return _maps.of("normmax", x, axis, mask, gamma=gamma)


def subsets(x: Any, k: Any, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """K-subsets along an axis: the nearest point whose weights lie in 0 to 1 and sum to k.

    `x` has any shape, and `mask` one that broadcasts to it: True = takes part. `k` is a number, whole or not, or an
    array that broadcasts against `x` with its axis cut down to length one; it has a gradient. The weights are of the
    shape and dtype of `x`.

    >>> import hfy.jax
    >>> hfy.jax.subsets([0.0, 0.25, 0.5, 0.75, 1.0], k=2)
    Array([0.   , 0.125, 0.375, 0.625, 0.875], dtype=float32)
    """
    return _maps.of("subsets", x, axis, mask, k=k)


def bounded(x: Any, upper: Any, axis: int = -1, *, mask: Any = None) -> jax.Array:
    """Constrained sparsemax along an axis: the nearest point of the simplex whose weights do not exceed `upper`.

    `x` has any shape; `mask` (True = takes part) and `upper` broadcast to it, and `upper` has a gradient. The bounds of
    a row must sum to at least 1. The weights are of the shape and dtype of `x`.

    >>> import hfy.jax
    >>> from jax import numpy as jnp
    >>> hfy.jax.bounded([1.0, 1.0, 1.0, 0.0], jnp.array([0.25, 1.0, 1.0, 1.0]))
    Array([0.25 , 0.375, 0.375, 0.   ], dtype=float32)
    """
    return _maps.of("bounded", x, axis, mask, upper=upper)
