"""A parameter that cannot leave its domain, however it is trained."""

import math
from typing import Any

import jax
import jax.numpy as jnp

from ._check import real


def learned_alpha(raw: Any, low: float = 1.0, high: float = 2.0) -> jax.Array:
    """An alpha between `low` and `high` from a number without bounds, of its shape: train this one in its place.

    Zero is the middle. With `high` infinite it is `low` plus the softplus of `raw`. It serves gamma, too.

    >>> import hfy.jax
    >>> hfy.jax.learned_alpha([-1e9, 0.0, 1e9])
    Array([1. , 1.5, 2. ], dtype=float32)
    """
    if not 0 < low < high:
        raise ValueError(f"low = {low}, high = {high}: they must satisfy 0 < low < high")
    free = real("raw", raw)
    if math.isinf(high):
        return low + jax.nn.softplus(free)
    # The sum may be rounded across a bound.
    return jnp.clip(low + (high - low) * jax.nn.sigmoid(free), low, high)
