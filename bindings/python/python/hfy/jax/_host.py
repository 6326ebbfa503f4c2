"""Calls of kernels from programs of jax.

On CPUs XLA calls them with its own buffers. On other devices arrays go to the host and back, through
`jax.pure_callback`.
"""

from typing import Any

import jax
import numpy as np

from . import _kernels, _xla

Shapes = tuple[jax.ShapeDtypeStruct, ...]


def call(kernel: str, results: Shapes, operands: tuple[Any, ...], **settings: Any) -> tuple[jax.Array, ...]:
    """What a kernel makes of operands, of the shapes and dtypes `results`.

    `jax.vmap` puts axes before those of operands, of length one where one is not mapped, and before those of results.
    """
    text = _kernels.call(kernel, settings)
    axes = np.ndim(operands[0])

    def on_host(*operands: Any) -> tuple[np.ndarray[Any, Any], ...]:
        arrays = [np.asarray(operand) for operand in operands]
        added = arrays[0].ndim - axes
        batch = np.broadcast_shapes(*(array.shape[:added] for array in arrays))
        written = [np.empty(batch + result.shape, result.dtype) for result in results]
        _kernels.run(text, written, arrays)
        return tuple(written)

    def in_place(*operands: Any) -> Any:
        return jax.ffi.ffi_call(_xla.TARGET, results, vmap_method="expand_dims")(*operands, call=text)

    def elsewhere(*operands: Any) -> Any:
        return jax.pure_callback(on_host, results, *operands, vmap_method="expand_dims")

    made: tuple[jax.Array, ...] = jax.lax.platform_dependent(*operands, cpu=in_place, default=elsewhere)
    return made
