"""One function behind all losses: values and first derivatives by a kernel, what changes with a parameter and second derivatives by jax."""

# mypy: allow-untyped-calls

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from . import _host, _maps
from ._check import Array
from ._jacobians import wide
from ._negentropies import negentropy

Parameter = tuple[Array, ...]


def called(map: str, axis: int, x: Array, target: Array, parameter: Parameter, residual: bool) -> tuple[Array, ...]:
    rows = x.shape[: x.ndim + axis] + x.shape[x.ndim + axis + 1 :]
    shapes = [jax.ShapeDtypeStruct(rows, jnp.promote_types(x.dtype, jnp.float32))]
    if residual:
        shapes.append(jax.ShapeDtypeStruct(x.shape, x.dtype))
    dense = jnp.issubdtype(target.dtype, jnp.floating)
    return _host.call("loss", tuple(shapes), (x, target, *parameter), map=map, axis=axis, dense=dense)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def loss(map: str, axis: int, x: Array, target: Array, parameter: Parameter) -> Array:
    """The loss of each row. Targets are classes, whole numbers without the axis, or dense, of the shape of the scores."""
    return called(map, axis, x, target, parameter, residual=False)[0]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def with_residual(map: str, axis: int, x: Array, target: Array, parameter: Parameter) -> tuple[Array, Array]:
    """The loss of each row, and its gradient: the weights less the target."""
    value, residual = called(map, axis, x, target, parameter, residual=True)
    return value, residual


def moved(map: str, axis: int, residual: Array, primals: Any, tangents: Any) -> Array:
    """How losses change: with scores by the residual, with the parameter by Ω(target) - Ω(weights) at fixed weights."""
    (_, target, parameter), (change, _, parameter_change) = primals, tangents
    total = jnp.zeros(residual.shape[: residual.ndim + axis] + residual.shape[residual.ndim + axis + 1 :], wide(residual).dtype)
    if not isinstance(change, SymbolicZero):
        total = total + (wide(residual) * wide(change)).sum(axis)
    for value, by in zip(parameter, parameter_change, strict=True):
        if not isinstance(by, SymbolicZero):
            point = wide(dense(target, residual.shape, axis))
            weights = jnp.maximum(wide(residual) + point, 0)
            gap = lambda value: negentropy(point, value, map, axis) - negentropy(weights, value, map, axis)  # noqa: E731
            total = total + jax.jvp(gap, (value.astype(total.dtype),), (by.astype(total.dtype),))[1]
    return total


def dense(target: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Classes as corners of the simplex."""
    if jnp.issubdtype(target.dtype, jnp.floating):
        return target
    return jax.nn.one_hot(target, shape[axis], axis=axis)


def loss_differentiated(map: str, axis: int, primals: Any, tangents: Any) -> tuple[Array, Array]:
    value, residual = with_residual(map, axis, *primals)
    return value, moved(map, axis, residual, primals, tangents)


def residual_differentiated(map: str, axis: int, primals: Any, tangents: Any) -> tuple[Any, Any]:
    value, residual = with_residual(map, axis, *primals)
    (x, _, parameter), (change, _, parameter_change) = primals, tangents
    bent = _maps.differentiated(map, axis, (x, parameter), (change, parameter_change))[1]
    return (value, residual), (moved(map, axis, residual, primals, tangents), bent)


loss.defjvp(loss_differentiated, symbolic_zeros=True)
with_residual.defjvp(residual_differentiated, symbolic_zeros=True)
