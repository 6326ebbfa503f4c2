"""Patterns as they are given: a batch, one sequence, or bags of different sizes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import torch
from torch import Tensor

PatternInput: TypeAlias = "Tensor | list[Tensor]"


@dataclass(frozen=True)
class Patterns:
    """Patterns (batch, longest, depth), and how to give an answer for each of them in the form in which they came."""

    tensor: Tensor
    form: Literal["batch", "length first", "single", "list", "nested", "flat"]
    offsets: Tensor | None = None
    """Where each bag begins and ends among all patterns, (bags + 1)."""

    @classmethod
    def read(cls, name: str, given: PatternInput, *, batch_first: bool, offsets: Tensor | None = None) -> Patterns:
        """A tensor (batch, length, depth), or (length, batch, depth) if not `batch_first`; one sequence (length, depth); or bags.

        Bags are a list of tensors (size, depth), a nested tensor, or one tensor (all, depth) with `offsets`.
        """
        if isinstance(given, list):
            _check_list(name, given)
            return cls._bags(torch.cat(given), _ends(given), "list")
        if not isinstance(given, Tensor):
            raise TypeError(f"{name} is a {type(given).__name__}: it must be a tensor, or a list of bags")
        if given.is_nested:
            bags = list(given.unbind())
            _check_list(name, bags)
            return cls._bags(torch.cat(bags), _ends(bags), "nested")
        if offsets is not None and given.dim() == 2:
            _check_offsets(offsets, len(given))
            return cls._bags(given, offsets.to(given.device, torch.int64), "flat")
        if given.dim() == 2:
            return cls(given.unsqueeze(0), "single")
        if given.dim() != 3:
            order = "(batch, length, depth)" if batch_first else "(length, batch, depth)"
            raise ValueError(f"{name} has shape {tuple(given.shape)}: it must be {order}, or (length, depth)")
        return cls(given, "batch") if batch_first else cls(given.transpose(0, 1), "length first")

    @classmethod
    def _bags(cls, flat: Tensor, offsets: Tensor, form: Literal["list", "nested", "flat"]) -> Patterns:
        bag, position = _places(offsets, len(flat))
        longest = int(offsets.diff().max())
        padded = flat.new_zeros(len(offsets) - 1, longest, flat.shape[-1])
        return cls(padded.index_put((bag, position), flat), form, offsets)

    @property
    def absent(self) -> Tensor | None:
        """True (batch, longest) beyond the end of a bag; None where all are of one length."""
        if self.offsets is None:
            return None
        return torch.arange(self.tensor.shape[1], device=self.offsets.device) >= self.offsets.diff()[:, None]

    def restored(self, answers: Tensor) -> PatternInput:
        """Answers (batch, longest, depth), one for each pattern, in the form of the patterns."""
        if self.form == "single":
            return answers.squeeze(0)
        if self.offsets is None:
            return answers if self.form == "batch" else answers.transpose(0, 1)
        flat = answers[_places(self.offsets, int(self.offsets[-1]))]
        if self.form == "flat":
            return flat
        bags = [flat[start:end] for start, end in pairwise(self.offsets.tolist())]
        return bags if self.form == "list" else torch.nested.as_nested_tensor(bags, layout=torch.jagged)


def _places(offsets: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The bag of each pattern, and its place in it."""
    bag = torch.repeat_interleave(torch.arange(len(offsets) - 1, device=offsets.device), offsets.diff(), output_size=count)
    return bag, torch.arange(count, device=offsets.device) - offsets[bag]


def _ends(bags: list[Tensor]) -> Tensor:
    return torch.tensor([0, *(len(bag) for bag in bags)], device=bags[0].device).cumsum(0)


def _check_list(name: str, bags: list[Tensor]) -> None:
    if not bags:
        raise ValueError(f"{name} is an empty list: there must be at least one bag")
    for index, bag in enumerate(bags):
        if not isinstance(bag, Tensor):
            raise TypeError(f"{name}[{index}] is a {type(bag).__name__}: a bag must be a tensor")
        if bag.dim() != 2 or bag.shape[1] != bags[0].shape[-1]:
            raise ValueError(f"{name}[{index}] has shape {tuple(bag.shape)}: a bag must be (size, depth), of the same depth in all")


def _check_offsets(offsets: Tensor, count: int) -> None:
    if offsets.dim() != 1 or len(offsets) < 2 or offsets.is_floating_point() or offsets.dtype == torch.bool:
        raise ValueError(f"offsets is {offsets.dtype} of shape {tuple(offsets.shape)}: it must be whole numbers, one more than bags")
    if int(offsets[0]) != 0 or int(offsets[-1]) != count or bool((offsets.diff() < 0).any()):
        raise ValueError(f"offsets = {offsets.tolist()}: they must rise from 0 to the number of patterns, {count}")
