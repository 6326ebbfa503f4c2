"""The three inputs of an association, read and checked together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from ._masks import Mask, association_mask, padding_mask
from ._patterns import PatternInput, Patterns

HopfieldInput: TypeAlias = "PatternInput | tuple[PatternInput, PatternInput, PatternInput]"


@dataclass(frozen=True)
class Inputs:
    """Stored patterns, state patterns and pattern projections; each for a whole batch, or one for all of it."""

    stored: Patterns
    state: Patterns
    projection: Patterns

    @classmethod
    def read(cls, given: HopfieldInput, *, batch_first: bool, offsets: Tensor | None) -> Inputs:
        """One input that is all three, or a tuple of the three in hflayers' order: stored, state, projection."""
        if isinstance(given, tuple):
            if len(given) != 3:
                raise ValueError(f"input has {len(given)} parts: it must be (stored patterns, state patterns, pattern projections)")
        else:
            given = (given, given, given)
        named = zip(("stored patterns", "state patterns", "pattern projections"), given, strict=True)
        # What is given more than once is read once.
        known: dict[int, Patterns] = {}
        for name, part in named:
            if id(part) not in known:
                known[id(part)] = Patterns.read(name, part, batch_first=batch_first, offsets=offsets)
        inputs = cls(*(known[id(part)] for part in given))
        inputs._check()
        return inputs

    def _check(self) -> None:
        stored, state, projection = self.stored, self.state, self.projection
        if stored.tensor.shape[:2] != projection.tensor.shape[:2] or not _same_sizes(stored, projection):
            shapes = f"{tuple(stored.tensor.shape)} and {tuple(projection.tensor.shape)}"
            raise ValueError(f"stored patterns and pattern projections are {shapes} (batch, length, depth): there must be one "
                             "projection for each stored pattern")
        if len({len(stored.tensor), len(state.tensor)} - {1}) > 1:
            sizes = f"{len(stored.tensor)} and {len(state.tensor)}"
            raise ValueError(f"stored patterns and state patterns have batches of {sizes}: they must be equal, or one of them 1")

    @property
    def batch(self) -> int:
        return len(self.stored.tensor) if len(self.state.tensor) == 1 else len(self.state.tensor)

    def mask(self, heads: int, padding: Tensor | None, association: Tensor | None) -> Mask:
        """All that is masked of the stored patterns, by the user and by the sizes of the bags."""
        queries, stored = self.state.tensor.shape[1], self.stored.tensor.shape[1]
        mask = Mask()
        if self.stored.absent is not None:
            mask = Mask(keep=~self.stored.absent[:, None, None, :])
            if padding is not None:
                raise ValueError("stored_pattern_padding_mask is given with bags: bags have no padding")
        if padding is not None:
            mask = mask.both(padding_mask("stored_pattern_padding_mask", padding, self.batch, stored))
        if association is not None:
            mask = mask.both(association_mask("association_mask", association, self.batch, heads, queries, stored))
        return mask

    def without_padded(self, padding: Tensor | None) -> tuple[Tensor, Tensor]:
        """Stored patterns and pattern projections with zeros where they are padding, so that nothing there can do any harm."""
        stored, projection = self.stored.tensor, self.projection.tensor
        if padding is None or padding.is_floating_point() or len(padding) != len(stored):
            return stored, projection
        ignored = padding.bool().unsqueeze(-1)
        zeroed = stored.masked_fill(ignored, 0)
        return zeroed, zeroed if projection is stored else projection.masked_fill(ignored, 0)


def _same_sizes(one: Patterns, other: Patterns) -> bool:
    if one is other or (one.offsets is None and other.offsets is None):
        return True
    return one.offsets is not None and other.offsets is not None and torch.equal(one.offsets, other.offsets)
