"""What a map is given, as arrays that fit each other. Shapes and dtypes are known while tracing: errors come then."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import _hfy

Array = jax.Array
FLOATS = ("float16", "bfloat16", "float32", "float64")


def scores(x: Any, axis: Any) -> tuple[jax.Array, int]:
    """Scores in a type that is computed, and their axis counted from the end, where `jax.vmap` changes nothing."""
    array = real("x", x)
    if array.ndim == 0:
        raise ValueError("x is a single number: a row needs an axis to lie along")
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
        raise TypeError(f"axis = {axis!r}: it must be a whole number")
    if not -array.ndim <= axis < array.ndim:
        rule = f"x has {array.ndim} axes, so that it must lie in {-array.ndim} to {array.ndim - 1}"
        raise ValueError(f"axis = {axis}: {rule}")
    return array, int(axis) % array.ndim - array.ndim


def real(argument: str, value: Any) -> jax.Array:
    """An array of one of the types that are computed; whole numbers in the default of jax."""
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError) as error:
        kind = type(value).__name__
        raise TypeError(f"{argument} is a {kind}: it must be an array of real numbers ({error})") from None
    if jnp.issubdtype(array.dtype, jnp.integer) or array.dtype == jnp.bool_:
        return array.astype(float)
    if array.dtype.name not in FLOATS:
        rule = f"it must hold real numbers, of {', '.join(FLOATS)} or whole"
        raise TypeError(f"{argument} is of dtype {array.dtype}: {rule}")
    return array


def shown(x: jax.Array, mask: Any) -> jax.Array:
    """The scores, with minus infinity where `mask` is False: weight and gradient are zero there."""
    if mask is None:
        return x
    keep = jnp.asarray(mask)
    if keep.dtype != jnp.bool_:
        raise TypeError(f"mask is of dtype {keep.dtype}: it must hold truth values, True for what takes part")
    return jnp.where(broadcast("mask", keep, x.shape), x, jnp.array(-jnp.inf, x.dtype))


def broadcast(argument: str, array: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """An array with as many axes as a shape, each as long or of length one."""
    sides = (1,) * (len(shape) - array.ndim) + array.shape
    if len(sides) > len(shape) or any(side not in (1, whole) for side, whole in zip(sides, shape, strict=True)):
        raise ValueError(f"{argument} has shape {list(array.shape)}, expected one that broadcasts to {list(shape)}")
    return array.reshape(sides)


def parameter(map: str, argument: str, value: Any, x: jax.Array, axis: int) -> jax.Array:
    """A parameter with the axes of the scores, of which `axis` is cut down to length one (not so for bounds)."""
    array = real(argument, value)
    if isinstance(value, (int, float, np.number)):
        # Known now: kernels know the rule.
        if x.shape[axis]:
            _hfy.forward(map, np.zeros(x.shape[axis]), value)
        array = array.astype(jnp.promote_types(x.dtype, jnp.float32))
    shape = list(x.shape)
    if map != "bounded":
        shape[axis] = 1
    return broadcast(argument, array, tuple(shape))


def target(map: str, value: Any, x: jax.Array, axis: int) -> jax.Array:
    """Targets as classes, one a row, or as weights of the shape of the scores."""
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError) as error:
        kind = type(value).__name__
        raise TypeError(f"target is a {kind}: it must be an array of classes or weights ({error})") from None
    outer = rows(x.shape, axis)
    if jnp.issubdtype(array.dtype, jnp.integer):
        if map != "subsets":
            return shaped("target", array, outer)
        if array.shape[:-1] != outer or array.ndim == 0:
            raise ValueError(f"target has shape {list(array.shape)}, expected {list(outer)} and an axis of classes")
        return jnp.moveaxis(jax.nn.one_hot(array, x.shape[axis]).sum(-2), -1, axis)
    shaped("target", array, x.shape)
    if array.dtype != jnp.bool_:
        return real("target", array)
    chosen = array.astype(jnp.promote_types(x.dtype, jnp.float32))
    return chosen if map == "subsets" else chosen / jnp.maximum(chosen.sum(axis, keepdims=True), 1)


def rows(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """A shape without an axis that is counted from the end."""
    place = len(shape) + axis
    return shape[:place] + shape[place + 1 :]


def shaped(argument: str, array: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    if array.shape != shape:
        raise ValueError(f"{argument} has shape {list(array.shape)}, expected {list(shape)}")
    return array
