"""Settings that are one number for all heads, or one number for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn

Entry = TypeVar("Entry")


def one_per_head(name: str, value: object, heads: int, read: Callable[[str, object], Entry]) -> tuple[Entry, ...]:
    """`value` as one entry for each head; `read` checks a single entry."""
    entries = value.tolist() if isinstance(value, Tensor) else value
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return (read(name, entries),) * heads
    if len(entries) != heads:
        raise ValueError(
            f"{name} has {len(entries)} entries: it must be one number, or one for each of num_heads = {heads}"
        )
    return tuple(read(f"{name}[{head}]", entry) for head, entry in enumerate(entries))


def positive(name: str, value: object) -> float:
    """A finite number above zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} = {value!r}: it must be a number")
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} = {value!r}: it must be positive and finite")
    return float(value)


def count_or_unlimited(name: str, value: object) -> int | None:
    """A whole number of updates; None, and any negative number as in hflayers, mean until converged."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} = {value!r}: it must be a whole number, or None for as many as it takes")
    return None if value < 0 else value


def whole(name: str, value: object, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} = {value!r}: it must be a whole number")
    if value < least:
        raise ValueError(f"{name} = {value}: it must be at least {least}")
    return value


def check_per_head(name: str, value: Tensor, heads: int) -> None:
    """A tensor must hold one number, or one for each head: (heads), or (heads, 1, 1) as beside scores."""
    if tuple(value.shape) not in ((), (1,), (heads,), (heads, 1, 1)):
        rule = f"it must hold one number, or one for each of num_heads = {heads}"
        raise ValueError(f"{name} has shape {tuple(value.shape)}: {rule}")


def register_per_head(module: nn.Module, name: str, value: Tensor, heads: int) -> None:
    """Keeps a tensor of one number or one for each head: a Parameter as such, any other tensor as a buffer.

    The buffer stays out of the state dict, as the state dicts of hflayers have no such entry.
    """
    check_per_head(name, value, heads)
    if isinstance(value, nn.Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value.detach().clone(), persistent=False)


def along_heads(value: Tensor) -> Tensor:
    """One number or one for each head, laid along the heads of (batch, heads, queries, depth)."""
    return value.reshape(-1, 1, 1)


def head_tensor(values: Sequence[float], like: Tensor) -> Tensor:
    """Numbers of the heads as (heads, 1, 1), beside `like`."""
    return along_heads(torch.tensor(values, device=like.device, dtype=torch.float32))
