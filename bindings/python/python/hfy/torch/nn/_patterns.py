"""Patterns as they are given: a batch, one sequence, or bags of different sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

import torch
from torch import Tensor

PatternInput: TypeAlias = "Tensor | list[Tensor]"


@dataclass(frozen=True)
class Patterns:
    """A batch of patterns, and how to give an answer for each of them in the form in which they came."""

    rows: Tensor
    """(batch, length, depth); of bags (all patterns, depth)."""
    form: Literal["batch", "length first", "single", "list", "nested", "flat"]
    offsets: Tensor | None = None
    """Where each bag begins and ends among all patterns, (bags + 1)."""

    @classmethod
    def read(cls, name: str, given: PatternInput, *, batch_first: bool, offsets: Tensor | None = None) -> Patterns:
        """(batch, length, depth), or (length, batch, depth) by `batch_first`; one sequence (length, depth); or bags.

        Bags are a list of tensors (size, depth), a nested tensor, or one tensor (all, depth) with `offsets`.
        """
        if isinstance(given, list):
            return cls._bags(name, given, "list")
        if not isinstance(given, Tensor):
            raise TypeError(f"{name} is a {type(given).__name__}: it must be a tensor, or a list of bags")
        if given.is_nested:
            return cls._bags(name, list(given.unbind()), "nested")
        if given.dim() == 2:
            if offsets is None:
                return cls(given.unsqueeze(0), "single")
            _check_offsets(offsets, len(given))
            return cls(given, "flat", offsets.to(given.device, torch.int64))
        if given.dim() != 3:
            order = "(batch, length, depth)" if batch_first else "(length, batch, depth)"
            raise ValueError(f"{name} has shape {tuple(given.shape)}: it must be {order}, or (length, depth)")
        return cls(given, "batch") if batch_first else cls(given.transpose(0, 1), "length first")

    @classmethod
    def _bags(cls, name: str, bags: list[Tensor], form: Literal["list", "nested"]) -> Patterns:
        if not bags:
            raise ValueError(f"{name} is an empty list: there must be at least one bag")
        for index, bag in enumerate(bags):
            if not isinstance(bag, Tensor):
                raise TypeError(f"{name}[{index}] is a {type(bag).__name__}: a bag must be a tensor")
            if bag.dim() != 2 or bag.shape[1] != bags[0].shape[-1]:
                rule = "a bag must be (size, depth), of the same depth in all"
                raise ValueError(f"{name}[{index}] has shape {tuple(bag.shape)}: {rule}")
        ends = torch.tensor([0, *(len(bag) for bag in bags)], device=bags[0].device).cumsum(0)
        return cls(torch.cat(bags), form, ends)

    @property
    def batch(self) -> int:
        """How many sequences or bags there are."""
        return len(self.rows) if self.offsets is None else len(self.offsets) - 1

    @property
    def sizes(self) -> Tensor:
        """The length of each sequence or bag."""
        if self.offsets is None:
            return torch.full((self.batch,), self.rows.shape[1], device=self.rows.device)
        return self.offsets.diff()

    @property
    def longest(self) -> int:
        """The length of the longest sequence or bag."""
        return self.rows.shape[1] if self.offsets is None else int(self.sizes.max())

    @property
    def _places(self) -> tuple[Tensor, Tensor]:
        """The bag of each pattern, and its place in it."""
        assert self.offsets is not None
        count, device = len(self.rows), self.rows.device
        bag = torch.repeat_interleave(torch.arange(self.batch, device=device), self.sizes, output_size=count)
        return bag, torch.arange(count, device=device) - self.offsets[bag]

    def padded(self) -> Tensor:
        """(batch, longest, depth), with zeros beyond the end of a bag."""
        if self.offsets is None:
            return self.rows
        zeros = self.rows.new_zeros(self.batch, self.longest, self.rows.shape[-1])
        return zeros.index_put(self._places, self.rows)

    @property
    def absent(self) -> Tensor | None:
        """True (batch, longest) beyond the end of a bag; None where all are of one length."""
        if self.offsets is None:
            return None
        return torch.arange(self.longest, device=self.rows.device) >= self.sizes[:, None]

    def chosen(self, elements: Tensor) -> Patterns:
        """Some elements of the batch; what is one for the whole batch stays so."""
        if self.batch == 1:
            return self
        if self.offsets is None:
            return replace(self, rows=self.rows[elements])
        ends = torch.cat([self.offsets[:1], self.sizes[elements].cumsum(0)])
        return replace(self, rows=self.rows[self.rows_of(elements)], offsets=ends)

    def rows_of(self, elements: Tensor) -> Tensor:
        """Which rows belong to these elements, one element after another."""
        if self.offsets is None:
            return elements
        sizes = self.sizes[elements]
        # The first row of its bag, less the rows before, for each row; and then one more for each.
        shift = torch.repeat_interleave(self.offsets[elements] - sizes.cumsum(0) + sizes, sizes)
        return shift + torch.arange(len(shift), device=shift.device)

    def answers(self, padded: Tensor) -> Tensor:
        """Answers (batch, longest, depth) as rows: of bags without those beyond their end."""
        return padded if self.offsets is None else padded[self._places]

    def restored(self, rows: Tensor) -> PatternInput:
        """Rows of answers, one for each pattern, in the form of the patterns."""
        if self.form in ("batch", "flat"):
            return rows
        if self.form == "length first":
            return rows.transpose(0, 1)
        if self.offsets is None:
            return rows.squeeze(0) if len(rows) == 1 else rows
        bags = [rows[start:end] for start, end in pairwise(self.offsets.tolist())]
        return bags if self.form == "list" else torch.nested.as_nested_tensor(bags, layout=torch.jagged)


def _check_offsets(offsets: Tensor, count: int) -> None:
    if offsets.dim() != 1 or len(offsets) < 2 or offsets.is_floating_point() or offsets.dtype == torch.bool:
        raise ValueError(
            f"offsets is {offsets.dtype} of shape {tuple(offsets.shape)}: it must be whole numbers, one more than bags"
        )
    if int(offsets[0]) != 0 or int(offsets[-1]) != count or bool((offsets.diff() < 0).any()):
        raise ValueError(f"offsets = {offsets.tolist()}: they must rise from 0 to the number of patterns, {count}")
