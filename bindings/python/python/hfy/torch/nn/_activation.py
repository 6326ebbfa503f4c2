"""Activation functions by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional


def activation(argument: str, name: str) -> Callable[[Tensor], Tensor]:
    """The function of that name in `torch` or `torch.nn.functional`."""
    if not isinstance(name, str):
        raise TypeError(f"{argument} = {name!r}: it must be the name of a function")
    found = getattr(torch, name, None) or getattr(functional, name, None)
    if not callable(found) or isinstance(found, type):
        raise ValueError(
            f'{argument} = {name!r}: it must name a function of torch or torch.nn.functional, such as "relu"'
        )
    return cast("Callable[[Tensor], Tensor]", found)
