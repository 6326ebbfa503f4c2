"""What runs on the host: numpy arrays in, numpy arrays to write to, and a text that says which kernel with which settings.

Arrays may have leading axes that `jax.vmap` added, of length one where an operand was not mapped.
"""

import json
from typing import Any

import numpy as np

from .. import _hfy

Arrays = list[np.ndarray[Any, Any]]


def call(kernel: str, settings: dict[str, Any]) -> str:
    """The text of a call."""
    return json.dumps([kernel, settings], sort_keys=True)


def run(text: str, results: Arrays, operands: Arrays) -> None:
    """Does what `call` wrote down."""
    kernel, settings = json.loads(text)
    KERNELS[kernel](results, operands, **settings)


def forward(results: Arrays, operands: Arrays, map: str, axis: int) -> None:
    """(scores, parameter) to weights."""
    (out,), (x, *parameter) = results, operands
    _hfy.forward(map, np.broadcast_to(x, out.shape), *parameter, axis=axis, out=out)


def pullback(results: Arrays, operands: Arrays, map: str, axis: int) -> None:
    """(weights, parameter, direction) to the product of the Jacobian with the direction."""
    (out,), (y, *parameter, direction) = results, operands
    _hfy.pullback(map, np.broadcast_to(y, out.shape), direction, *parameter, axis=axis, out=out)


KERNELS = {"forward": forward, "pullback": pullback}
