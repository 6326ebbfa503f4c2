"""What a factor is: something that is said about some variables of a graph."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Protocol, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _hfy
from ._variables import Slice

Numbers = NDArray[np.intp]
Variables = Union[Slice, Sequence[Slice]]


@dataclass(frozen=True)
class Made:
    """Factors of the kernel that have scores of their own in common, along a last axis: the same number for each."""

    factors: list[_hfy.Factor]
    scores: Optional[Any] = None


@dataclass(frozen=True)
class Unary:
    """Scores that a factor adds to those of variables, along a last axis."""

    numbers: Numbers
    scores: Any


class Place(Protocol):
    """The graph that a factor is made for."""

    def numbers(self, variables: Variables) -> Numbers:
        """The numbers of variables in the graph, of their shape; of several one after the other."""

    def additional(self, argument: str, scores: Any, counts: Sequence[int]) -> Any:
        """Scores in one row, or in one for each instance of the batch, as many as one of `counts`."""


class Factor:
    """What all factors are: something that `add` of a graph takes.

    >>> from hfy.torch.lpsmap import Factor, Xor
    >>> issubclass(Xor, Factor)
    True
    """

    def _make(self, place: Place) -> Iterator[Union[Made, Unary]]:
        raise NotImplementedError(f"{type(self).__name__} does not say what it is made of")


def negated_positions(negated: Optional[ArrayLike], count: int) -> list[int]:
    """Which variables are negated, from one truth value for each of them."""
    if negated is None:
        return []
    flags = np.asarray(negated)
    if flags.size != count:
        raise ValueError(f"negated has {flags.size} entries; expected one for each of {count} variables")
    return [int(position) for position in np.flatnonzero(flags)]


def whole_number(argument: str, value: Any) -> int:
    """A number of variables, which may come as a tensor."""
    number = int(value)
    if number != float(value) or number < 0:
        raise ValueError(f"{argument} = {value}; expected a whole number that is not negative")
    return number
