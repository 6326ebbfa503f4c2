"""One function behind all losses: values and gradients in scores by a kernel, other derivatives by jax."""

# mypy: allow-untyped-calls

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from . import _host, _maps
from ._check import Array, rows
from ._jacobians import wide
from ._negentropies import negentropy

Parameter = tuple[Array, ...]


def called(map: str, axis: int, x: Array, target: Array, parameter: Parameter, residual: bool) -> tuple[Array, ...]:
    shapes = [jax.ShapeDtypeStruct(rows(x.shape, axis), jnp.promote_types(x.dtype, jnp.float32))]
    if residual:
        shapes.append(jax.ShapeDtypeStruct(x.shape, x.dtype))
    dense = jnp.issubdtype(target.dtype, jnp.floating)
    return _host.call("loss", tuple(shapes), (x, target, *parameter), map=map, axis=axis, dense=dense)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def loss(map: str, axis: int, x: Array, target: Array, parameter: Parameter) -> Array:
    """The loss of each row. Targets are classes, whole numbers without the axis, or have the shape of the scores."""
    return called(map, axis, x, target, parameter, residual=False)[0]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def with_residual(map: str, axis: int, x: Array, target: Array, parameter: Parameter) -> tuple[Array, Array]:
    """The loss of each row, and its gradient: the weights less the target."""
    value, residual = called(map, axis, x, target, parameter, residual=True)
    return value, residual


def moved(map: str, axis: int, residual: Array, primals: Any, tangents: Any) -> Array:
    """How losses change: with scores by the residual, with the parameter by Ω(target) - Ω(weights) at fixed weights."""
    (_, target, parameter), (change, _, parameter_change) = primals, tangents
    total = jnp.zeros(rows(residual.shape, axis), wide(residual).dtype)
    if not isinstance(change, SymbolicZero):
        total = total + (wide(residual) * wide(change)).sum(axis)
    for value, by in zip(parameter, parameter_change, strict=True):
        if not isinstance(by, SymbolicZero):
            point = wide(dense(target, residual.shape, axis))
            weights = jnp.maximum(wide(residual) + point, 0)

            def gap(value: Array, point: Array = point, weights: Array = weights) -> Array:
                difference: Array = negentropy(point, value, map, axis) - negentropy(weights, value, map, axis)
                return difference

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
