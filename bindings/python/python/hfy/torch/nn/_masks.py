"""The masks of an association, which say True where something is IGNORED, made into what the scores need."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Mask:
    """What is added to scores (batch, heads, queries, stored), and which of them take part; both broadcast."""

    added: Tensor | None = None
    keep: Tensor | None = None

    @classmethod
    def read(cls, name: str, mask: Tensor) -> Mask:
        """A boolean mask (True = ignored), or numbers to add; minus infinity is the same as ignored."""
        if not isinstance(mask, Tensor):
            raise TypeError(f"{name} is a {type(mask).__name__}: it must be a tensor")
        if mask.dtype in (torch.bool, torch.uint8):
            return cls(keep=~mask.bool())
        if not mask.is_floating_point():
            rule = "it must be bool (True = ignored) or floating point (added to the scores)"
            raise TypeError(f"{name} has dtype {mask.dtype}: {rule}")
        keep = mask != -math.inf
        return cls(added=torch.where(keep, mask, 0), keep=keep)

    def reshaped(self, *shape: int) -> Mask:
        return Mask(
            None if self.added is None else self.added.reshape(shape),
            None if self.keep is None else self.keep.reshape(shape),
        )

    def both(self, other: Mask) -> Mask:
        """This mask and the other one."""
        added = other.added if self.added is None else self.added if other.added is None else self.added + other.added
        keep = other.keep if self.keep is None else self.keep if other.keep is None else self.keep & other.keep
        return Mask(added, keep)

    def with_patterns(self, count: int) -> Mask:
        """The mask with `count` more stored patterns that all queries see."""
        if count == 0:
            return self
        return Mask(
            None if self.added is None else functional.pad(self.added, (0, count)),
            None if self.keep is None else functional.pad(self.keep, (0, count), value=True),
        )


def padding_mask(name: str, mask: Tensor, batch: int, stored: int) -> Mask:
    """A mask (batch, stored) of the stored patterns."""
    if tuple(mask.shape) != (batch, stored):
        raise ValueError(
            f"{name} has shape {tuple(mask.shape)}: it must be (batch, stored patterns) = {(batch, stored)}"
        )
    return Mask.read(name, mask).reshaped(batch, 1, 1, stored)


def association_mask(name: str, mask: Tensor, batch: int, heads: int, queries: int, stored: int) -> Mask:
    """A mask (queries, stored), (batch * heads, queries, stored) or (batch, heads, queries, stored)."""
    shapes = {2: (queries, stored), 3: (batch * heads, queries, stored), 4: (batch, heads, queries, stored)}
    if tuple(mask.shape) != shapes.get(mask.dim()):
        allowed = (
            "(queries, stored) = {}, (batch * heads, queries, stored) = {} or (batch, heads, queries, stored) = {}"
        )
        raise ValueError(f"{name} has shape {tuple(mask.shape)}: it must be {allowed.format(*shapes.values())}")
    read = Mask.read(name, mask)
    return read if mask.dim() == 2 else read.reshaped(batch, heads, queries, stored)
