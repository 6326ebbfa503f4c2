"""The little that graphs ask of arrays, in numpy and in torch."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from ._factor import Numbers


class Arrays(Protocol):
    """What graphs ask of arrays."""

    def floats(self, argument: str, values: Any) -> Any:
        """An array of floating point numbers."""

    def join(self, parts: Sequence[Any]) -> Any:
        """One after the other along the last axis."""

    def broadcast(self, values: Any, shape: tuple[int, ...]) -> Any:
        """Repeated to a shape."""

    def added(self, values: Any, numbers: Numbers, terms: Any) -> Any:
        """With terms added at some numbers of the last axis."""


class NumpyArrays:
    """In numpy: all is of double precision."""

    def floats(self, argument: str, values: Any) -> Any:
        found = np.asarray(values)
        if found.dtype.kind not in "fiub":
            raise TypeError(f"{argument} are of dtype {found.dtype}; expected real numbers")
        return found.astype(np.float64)

    def join(self, parts: Sequence[Any]) -> Any:
        return np.concatenate(parts, axis=-1)

    def broadcast(self, values: Any, shape: tuple[int, ...]) -> Any:
        return np.broadcast_to(values, shape)

    def added(self, values: Any, numbers: Numbers, terms: Any) -> Any:
        found = values.copy()
        found[..., numbers] += terms
        return found


class TorchArrays:
    """In torch, with gradients."""

    def floats(self, argument: str, values: Any) -> Tensor:
        found = values if isinstance(values, Tensor) else torch.as_tensor(values, dtype=torch.float64)
        if not found.is_floating_point():
            raise TypeError(f"{argument} are of dtype {found.dtype}; expected floating point numbers")
        return found

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(parts), dim=-1)

    def broadcast(self, values: Tensor, shape: tuple[int, ...]) -> Tensor:
        return values.expand(shape)

    def added(self, values: Tensor, numbers: Numbers, terms: Tensor) -> Tensor:
        where = torch.from_numpy(numbers).to(values.device)
        return values.index_add(-1, where, terms.to(values))
