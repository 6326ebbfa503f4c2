"""How weights change with the parameter of their map, as functions of the weights that jax can differentiate again."""

from functools import partial

import jax
import jax.numpy as jnp

from ._jacobians import Array, finite_exp, free, log_slopes, logarithm, norm_parts, ratio, shares, wide


@partial(jax.jit, static_argnames=("map", "axis"))
def by_parameter(map: str, x: Array, narrow: Array, parameter: Array, change: Array, axis: int) -> Array:
    """How weights change with the parameter of their map, when it changes by `change`."""
    y = wide(narrow)
    value, change = parameter.astype(y.dtype), change.astype(y.dtype)
    if map == "bounded":
        moved = by_upper(wide(x), narrow, parameter.astype(narrow.dtype), change, axis)
    elif map == "subsets":
        on = free(map, y, None)
        moved = ratio(on.astype(y.dtype), on.sum(axis, keepdims=True).astype(y.dtype)) * change
    elif map == "normmax":
        moved = by_gamma(y, value, axis) * change
    else:
        moved = by_alpha(y, value, axis) * change
    return moved.astype(narrow.dtype)


def by_alpha(y: Array, alpha: Array, axis: int) -> Array:
    """dy/dα, from the right at α = 1.

    With δ = α - 1 and L = log y, the logarithms change by -L² ψ(δL) at a fixed level, ψ(u) = (e^(-u) - 1 + u)/u². The
    level takes out the mean that is weighted by s. Beyond δ = 1, y L² ψ = (s - y + δ y L)/δ², whose part along s drops
    out.
    """
    on, log_slope = log_slopes("entmax", y, alpha)
    delta = jnp.where(jnp.isinf(alpha), 1, alpha - 1)
    log = logarithm(y, on)
    steep = jnp.where(delta > 1, delta, 1)
    gentle = -y * log * log * psi(jnp.where(delta > 1, 0, delta) * log)
    change = jnp.where(on, jnp.where(delta > 1, (y - steep * y * log) / (steep * steep), gentle), 0)
    return change - shares(on, log_slope, axis) * change.sum(axis, keepdims=True)


def psi(u: Array) -> Array:
    """(e^(-u) - 1 + u) / u², which is 1/2 at zero."""
    small = jnp.abs(u) < 0.1
    near = jnp.where(small, u, 0)
    series = jnp.zeros_like(u)
    for k in range(11, 1, -1):  # 1/2! - u/3! + u²/4! - ..., from its end
        series = (1 - near * series) / k
    far = jnp.where(small, 1, u)
    return jnp.where(small, series, (jnp.expm1(-far) + far) / (far * far))


def by_gamma(y: Array, gamma: Array, axis: int) -> Array:
    """dy/dγ of normmax: -y (c - y·c) / (γ-1), c = l - ‖y‖ Σ e^(γl) l / γ · e^((1-γ)l)."""
    on, gamma, log = norm_parts(y, gamma, axis)
    norm = ratio((y * on).sum(axis, keepdims=True), jnp.where(on, jnp.exp(log), 0).sum(axis, keepdims=True))
    shift = jnp.where(on, jnp.exp(gamma * log) * log, 0).sum(axis, keepdims=True) * norm / gamma
    change = jnp.where(on, y * (log - shift * finite_exp((1 - gamma) * log)), 0)
    return -(change - y * change.sum(axis, keepdims=True)) / (gamma - 1)


def by_upper(x: Array, y: Array, upper: Array, change: Array, axis: int) -> Array:
    """Full entries of constrained sparsemax follow their bound, and free ones give way evenly. With none, none moves."""
    on = free("bounded", y, upper)
    level = jnp.max(jnp.where(on, x - wide(y), -jnp.inf), axis, keepdims=True, initial=-jnp.inf)
    full = (x > level) & (y == upper) & on.any(axis, keepdims=True)
    pushed = jnp.where(full, change, 0)
    given = ratio(pushed.sum(axis, keepdims=True), on.sum(axis, keepdims=True).astype(pushed.dtype))
    return pushed - jnp.where(on, given, 0)
