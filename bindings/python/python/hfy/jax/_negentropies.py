"""Ω of the maps whose parameter has a gradient in losses, as functions that jax can differentiate in it."""

from functools import partial

import jax
import jax.numpy as jnp

from ._jacobians import Array, logarithm


@partial(jax.jit, static_argnames=("map", "axis"))
def negentropy(y: Array, parameter: Array, map: str, axis: int) -> Array:
    """Ω(y) of each row; the parameter has the axes of `y`."""
    return norm_less_one(y, parameter, axis) if map == "normmax" else tsallis(y, parameter, axis)


def tsallis(y: Array, alpha: Array, axis: int) -> Array:
    """Σ y (y^δ - 1) / (δ (1 + δ)) with δ = α - 1: Σ y log y at α = 1, and zero at infinity."""
    delta = jnp.where(jnp.isinf(alpha), 1, alpha - 1)
    log = logarithm(y, y > 0)
    terms = y * log * growth(delta * log) / (1 + delta)
    return jnp.where(jnp.isinf(alpha), 0, terms).sum(axis)


def growth(u: Array) -> Array:
    """(e^u - 1) / u, which is 1 at zero."""
    small = jnp.abs(u) < 0.1
    near, far = jnp.where(small, u, 0), jnp.where(small, 1, u)
    series = jnp.ones_like(u)
    for k in range(11, 1, -1):  # 1 + u/2! + u²/3! + ..., from its end
        series = 1 + near * series / k
    return jnp.where(small, series, jnp.expm1(far) / far)


def norm_less_one(y: Array, gamma: Array, axis: int) -> Array:
    """‖y‖_γ - 1, by logarithms: powers of small weights vanish. At infinity it no longer changes with γ."""
    gamma = jnp.where(jnp.isinf(gamma), 1, gamma)
    top = y.max(axis, keepdims=True, initial=0)
    scale = jnp.where(top == 0, 1, top)
    log = logarithm(y / scale, y > 0)
    powers = jnp.where(y > 0, jnp.exp(gamma * log), 0).sum(axis, keepdims=True)
    norms = scale * jnp.exp(jnp.log(jnp.where(powers == 0, 1, powers)) / gamma)
    return jnp.squeeze(norms, axis) - 1
