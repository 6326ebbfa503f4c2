"""One function behind all maps that have a name: weights by a kernel, derivatives by others."""

# mypy: allow-untyped-calls

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from . import _check, _host
from ._parameters import by_parameter
from ._symmetric import product

Parameter = tuple[jax.Array, ...]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def weights(map: str, axis: int, x: jax.Array, parameter: Parameter) -> jax.Array:
    """The weights of scores along an axis that is counted from the end. The parameter has the axes of the scores."""
    return _host.call("forward", (jax.ShapeDtypeStruct(x.shape, x.dtype),), (x, *parameter), map=map, axis=axis)[0]


def differentiated(map: str, axis: int, primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    (x, parameter), (change, parameter_change) = primals, tangents
    y = weights(map, axis, x, parameter)
    moved = jnp.zeros_like(y)
    if not isinstance(change, SymbolicZero):
        (moved,) = product("pullback", (y, *parameter), (change,), map=map, axis=axis)
    for value, by in zip(parameter, parameter_change, strict=True):
        if not isinstance(by, SymbolicZero):
            moved = moved + by_parameter(map, x, y, value, by, axis)
    return y, moved


weights.defjvp(differentiated, symbolic_zeros=True)


def of(map: str, x: Any, axis: Any, mask: Any, **parameter: Any) -> jax.Array:
    """The weights of what a user gives; the parameter under the name that errors shall use."""
    array, axis = _check.scores(x, axis)
    values = tuple(_check.parameter(map, name, value, array, axis) for name, value in parameter.items())
    return weights(map, axis, _check.shown(array, mask), values)
