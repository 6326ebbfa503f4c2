"""The three inputs of an association, read and checked together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from ._masks import Mask, association_mask, padding_mask
from ._patterns import PatternInput, Patterns

# So few scores beyond the bags' own that it does not pay to go through the layer more than once.
_LITTLE = 1 << 16

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
                raise ValueError(
                    f"input has {len(given)} parts: it must be (stored patterns, state patterns, pattern projections)"
                )
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
        if stored is not projection and not _same_sizes(stored, projection):
            shapes = f"{tuple(stored.rows.shape)} and {tuple(projection.rows.shape)}"
            rule = "there must be one projection for each stored pattern"
            raise ValueError(f"stored patterns and pattern projections are {shapes}: {rule}")
        if len({stored.batch, state.batch} - {1}) > 1:
            batches = f"{stored.batch} and {state.batch}"
            raise ValueError(
                f"stored patterns and state patterns have batches of {batches}: they must be equal, or one of them 1"
            )

    @property
    def batch(self) -> int:
        return self.stored.batch if self.state.batch == 1 else self.state.batch

    def groups(self) -> list[Tensor]:
        """The elements of the batch: all, or those of like sizes where much of one rectangle would be padding."""
        everything = torch.arange(self.batch, device=self.stored.rows.device)
        if self.stored.offsets is None and self.state.offsets is None:
            return [everything]
        sizes = torch.stack([part.sizes.expand(self.batch) for part in (self.stored, self.state)])
        if self.batch * int(sizes.amax(1).prod()) <= 2 * int(sizes.prod(0).sum()) + _LITTLE:
            return [everything]
        alike = sizes.clamp(min=1).double().log2().ceil()
        return [everything[(alike.T == kind).all(1)] for kind in torch.unique(alike, dim=1).T]

    def chosen(self, elements: Tensor) -> Inputs:
        """Some elements of the batch."""
        stored, state = self.stored.chosen(elements), self.state.chosen(elements)
        return Inputs(stored, state, stored if self.projection is self.stored else self.projection.chosen(elements))

    def mask(self, heads: int, padding: Tensor | None, association: Tensor | None) -> Mask:
        """All that is masked of the stored patterns, by the user and by the sizes of the bags."""
        queries, stored = self.state.longest, self.stored.longest
        mask = Mask()
        absent = self.stored.absent
        if absent is not None:
            mask = Mask(keep=~absent[:, None, None, :])
            if padding is not None:
                raise ValueError("stored_pattern_padding_mask is given with bags: bags have no padding")
        if padding is not None:
            mask = mask.both(padding_mask("stored_pattern_padding_mask", padding, self.batch, stored))
        if association is not None:
            mask = mask.both(association_mask("association_mask", association, self.batch, heads, queries, stored))
        return mask

    def without_padded(self, padding: Tensor | None) -> tuple[Tensor, Tensor]:
        """Stored patterns and pattern projections with zeros where they are padding, so that nothing there can harm."""
        stored = self.stored.padded()
        projection = stored if self.projection is self.stored else self.projection.padded()
        if padding is None or padding.is_floating_point() or len(padding) != len(stored):
            return stored, projection
        ignored = padding.bool().unsqueeze(-1)
        zeroed = stored.masked_fill(ignored, 0)
        return zeroed, zeroed if projection is stored else projection.masked_fill(ignored, 0)


def _same_sizes(one: Patterns, other: Patterns) -> bool:
    if one.offsets is None or other.offsets is None:
        return one.offsets is other.offsets and one.rows.shape[:2] == other.rows.shape[:2]
    return torch.equal(one.offsets, other.offsets)
