"""Jacobians of maps as functions of their weights.

Products with them are made by kernels; what is here says how these products change with the weights and the parameter,
which second derivatives need. Half types are computed in float32.
"""

# mypy: allow-untyped-calls

from functools import partial

import jax
import jax.numpy as jnp

from ._symmetric import EXPRESSIONS

Array = jax.Array


def wide(array: Array) -> Array:
    return array.astype(jnp.promote_types(array.dtype, jnp.float32))


def logarithm(y: Array, on: Array) -> Array:
    """log y where `on`, and zero elsewhere, with derivatives to match."""
    return jnp.log(jnp.where(on, jnp.maximum(y, jnp.finfo(y.dtype).tiny), 1))


def ratio(above: Array, below: Array) -> Array:
    """A quotient, zero where nothing is below."""
    return jnp.where(below == 0, 0, above / jnp.where(below == 0, 1, below))


def finite_exp(log: Array) -> Array:
    return jnp.exp(jnp.minimum(log, jnp.log(jnp.finfo(log.dtype).max)))


def free(map: str, y: Array, parameter: Array | None) -> Array:
    """Which weights can move, for the maps whose Jacobian takes the mean off on these."""
    if map == "sparsemax":
        return y > 0
    return (y > 0) & (y < (1 if parameter is None or map == "subsets" else parameter))


def log_slopes(map: str, y: Array, alpha: Array | None) -> tuple[Array, Array]:
    """Of diag(s) - s sᵀ / Σs, where s is not zero and log s: for entmax s = y^(2-α)."""
    if map == "softmax":
        return y > 0, logarithm(y, y > 0)
    if map == "entmax":
        assert alpha is not None
        on = (y > 0) & ~jnp.isinf(alpha)  # argmax does not move
        return on, (2 - jnp.where(jnp.isinf(alpha), 2, alpha)) * logarithm(y, on)
    on = free(map, y, alpha)
    return on, jnp.zeros_like(y)


def shares(on: Array, log: Array, axis: int) -> Array:
    """s / Σs, which above α = 2 may have entries that are too large for a number."""
    top = jax.lax.stop_gradient(jnp.max(jnp.where(on, log, -jnp.inf), axis, keepdims=True, initial=-jnp.inf))
    scaled = jnp.where(on, jnp.exp(jnp.where(on, log - top, 0)), 0)
    return ratio(scaled, scaled.sum(axis, keepdims=True))


@partial(jax.jit, static_argnames=("map", "axis"))
def product(residuals: tuple[Array, ...], directions: tuple[Array, ...], map: str, axis: int) -> tuple[Array, ...]:
    """J t, as the kernel `pullback` makes it."""
    (narrow, *parameter), (t,) = residuals, directions
    y = wide(narrow)
    if map == "normmax":
        moved = normmax_product(y, wide(t), parameter[0].astype(y.dtype), axis)
    else:
        limit = jnp.asarray(parameter[0], narrow.dtype if map == "bounded" else y.dtype) if parameter else None
        on, log = log_slopes(map, narrow if map == "bounded" else y, limit)
        log = log.astype(y.dtype)
        seen = jnp.where(on, wide(t), 0)
        mean = (shares(on, log, axis) * seen).sum(axis, keepdims=True)
        moved = jnp.where(on, finite_exp(log), 0) * (seen - mean)
    return (moved.astype(t.dtype),)


EXPRESSIONS["pullback"] = product


def norm_parts(y: Array, gamma: Array, axis: int) -> tuple[Array, Array, Array]:
    """For normmax: where weights can move, γ where it is finite, and l = log(y/‖y‖)."""
    on = (y > 0) & ~jnp.isinf(gamma)
    gamma = jnp.where(jnp.isinf(gamma), 2, gamma)
    log = logarithm(y, on)
    top = jax.lax.stop_gradient(jnp.max(jnp.where(on, log, -jnp.inf), axis, keepdims=True, initial=-jnp.inf))
    top = jnp.where(jnp.isinf(top), 0, top)
    powers = jnp.where(on, jnp.exp(gamma * (log - top)), 0).sum(axis, keepdims=True)
    norm = top + jnp.log(jnp.where(powers == 0, 1, powers)) / gamma
    return on, gamma, jnp.where(on, log - norm, 0)


def normmax_product(y: Array, t: Array, gamma: Array, axis: int) -> Array:
    """Pᵀ diag(b) P t, with P = I - 1yᵀ and b = y (‖y‖/y)^(γ-1) / (γ-1)."""
    on, gamma, log = norm_parts(y, gamma, axis)
    seen = jnp.where(on, t, 0)
    slope = jnp.where(on, y * finite_exp((1 - gamma) * log) / (gamma - 1), 0)
    moved = slope * (seen - (y * seen).sum(axis, keepdims=True))
    return moved - y * moved.sum(axis, keepdims=True)
