"""Products with symmetric Jacobians, as a primitive of jax.

A kernel takes residuals and directions, and gives one result a direction, of its shape. It is linear in the directions
and equal to its own transpose, which is what `grad` asks for. `jax.custom_jvp` cannot say that, and `jax.custom_vjp`
would do without forward mode.
"""

# mypy: allow-untyped-calls, allow-untyped-decorators

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _host

# How products change with their residuals: (residuals, directions, settings) to results that jax can differentiate. A
# kernel without one has products that do not change.
Operands = tuple[Any, ...]
Expression = Callable[..., tuple[jax.Array, ...]]
EXPRESSIONS: dict[str, Expression] = {}

product_p = Primitive("hfy_symmetric_product")
product_p.multiple_results = True


def product(kernel: str, residuals: Operands, directions: Operands, **settings: Any) -> tuple[jax.Array, ...]:
    """The products of a kernel. Residuals broadcast to the directions; axes are counted from the end."""
    held = tuple(sorted(settings.items()))
    made = product_p.bind(*residuals, *directions, kernel=kernel, settings=held, residuals=len(residuals))
    return tuple(made)


def run(*operands: Any, kernel: str, settings: tuple[tuple[str, Any], ...], residuals: int) -> tuple[jax.Array, ...]:
    shapes = tuple(jax.ShapeDtypeStruct(direction.shape, direction.dtype) for direction in operands[residuals:])
    return _host.call(kernel, shapes, operands, **dict(settings))


product_p.def_impl(jax.jit(run, static_argnames=("kernel", "settings", "residuals")))
mlir.register_lowering(product_p, mlir.lower_fun(run, multiple_results=True))


@product_p.def_abstract_eval
def shapes_of(*operands: Any, residuals: int, **_: Any) -> list[Any]:
    return [jax.core.ShapedArray(direction.shape, direction.dtype) for direction in operands[residuals:]]


def is_zero(tangent: Any) -> bool:
    return type(tangent) is ad.Zero


def differentiated(operands: Operands, tangents: Operands, *, residuals: int, **settings: Any) -> tuple[Any, Any]:
    made = product_p.bind(*operands, residuals=residuals, **settings)
    held, directions = operands[:residuals], operands[residuals:]
    changes = [ad.Zero(jax.typeof(result).to_tangent_aval()) for result in made]
    if not all(map(is_zero, tangents[residuals:])):
        moved = map(ad.instantiate_zeros, tangents[residuals:])
        changes = product_p.bind(*held, *moved, residuals=residuals, **settings)
    expression = EXPRESSIONS.get(settings["kernel"])
    if expression is not None and not all(map(is_zero, tangents[:residuals])):
        by_residuals = lambda *held: expression(held, directions, **dict(settings["settings"]))  # noqa: E731
        bent = jax.jvp(by_residuals, held, tuple(map(ad.instantiate_zeros, tangents[:residuals])))[1]
        changes = [ad.add_tangents(change, bend) for change, bend in zip(changes, bent, strict=True)]
    return made, changes


def transposed(cotangents: Any, *operands: Any, residuals: int, **settings: Any) -> list[Any]:
    if all(map(is_zero, cotangents)):
        pulled = [ad.Zero(direction.aval) for direction in operands[residuals:]]
    else:
        given = map(ad.instantiate_zeros, cotangents)
        pulled = product_p.bind(*operands[:residuals], *given, residuals=residuals, **settings)
    return [None] * residuals + list(pulled)


def mapped(operands: Any, axes: Any, *, residuals: int, **settings: Any) -> tuple[Any, list[int]]:
    (size,) = {operand.shape[axis] for operand, axis in zip(operands, axes, strict=True) if axis is not None}

    def in_front(place: int) -> jax.Array:
        operand, axis = operands[place], axes[place]
        if axis is not None:
            return jnp.moveaxis(operand, axis, 0)
        # A residual broadcasts; a direction gives its shape to its result.
        return operand[None] if place < residuals else jnp.broadcast_to(operand, (size, *operand.shape))

    made = product_p.bind(*map(in_front, range(len(operands))), residuals=residuals, **settings)
    return made, [0] * len(made)


ad.primitive_jvps[product_p] = differentiated
ad.primitive_transposes[product_p] = transposed
batching.primitive_batchers[product_p] = mapped
