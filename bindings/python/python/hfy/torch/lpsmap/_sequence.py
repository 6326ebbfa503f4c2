"""Factors over sequences of states."""

from collections.abc import Iterator
from typing import Any, Union

import numpy as np

from ... import _hfy
from ._factor import Factor, Made, Place, Unary, whole_number
from ._variables import Slice


class Sequence(Factor):
    """One of s states at each of n positions, and scores of the transitions between neighbours, which have gradients.

    `variables` are of shape (n, s). `additionals` are of shape (n - 1, s, s): from a state to a state; or, flat or not,
    those with s scores of the first state before them and s of the last state after them.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, Sequence
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([[0.6, 0.0], [0.1, 0.0], [0.0, 0.6]]))
    >>> stay = np.broadcast_to([[0.2, 0.0], [0.0, 0.2]], (2, 2, 2))
    >>> graph.add(Sequence(u, stay))
    >>> graph.solve()
    >>> u.value.round(2)
    array([[0.7 , 0.3 ],
           [0.55, 0.45],
           [0.3 , 0.7 ]])
    """

    def __init__(self, variables: Slice, additionals: Any) -> None:
        self._variables = variables
        self._additionals = additionals

    def _structure(self, positions: int, states: int) -> _hfy.Structure:
        return _hfy.Structure.labels(positions, states, np.zeros((positions - 1, states, states)))

    def _make(self, place: Place) -> Iterator[Union[Made, Unary]]:
        numbers = place.numbers(self._variables)
        if numbers.ndim != 2 or 0 in numbers.shape:
            raise ValueError(f"variables are of shape {numbers.shape}; expected positions x states")
        positions, states = numbers.shape
        inner = (positions - 1) * states**2
        scores = place.additional("additionals", self._additionals, [inner, inner + 2 * states])
        if scores.shape[-1] != inner:
            yield Unary(numbers[0], scores[..., :states])
            yield Unary(numbers[-1], scores[..., -states:])
            scores = scores[..., states:-states]
        yield Made([_hfy.Factor.structured(numbers.ravel().tolist(), self._structure(positions, states))], scores)


class SequenceBudget(Sequence):
    """A `Sequence` whose state 0 is at no more than `budget` positions; with `force_budget` at exactly so many.

    >>> import torch
    >>> from hfy.torch.lpsmap import SequenceBudget, TorchFactorGraph
    >>> scores = torch.zeros(5, 2)  # states: on, off
    >>> scores[:, 0] = torch.tensor([1.0716, -1.1221, -0.3288, 0.3368, 0.0425])
    >>> transitions = torch.zeros(4, 2, 2)
    >>> transitions[:, 0, 0] = 1.0  # for neighbours that are both on
    >>> graph = TorchFactorGraph()
    >>> u = graph.variable_from(scores)
    >>> graph.add(SequenceBudget(u, transitions, 2, force_budget=True))
    >>> graph.solve()
    >>> u.value[:, 0]
    tensor([0.4358, 0.3390, 0.2356, 0.5684, 0.4213])
    """

    def __init__(self, variables: Slice, additionals: Any, budget: int, force_budget: bool = False) -> None:
        super().__init__(variables, additionals)
        self.budget = whole_number("budget", budget)
        self.force_budget = force_budget

    def _structure(self, positions: int, states: int) -> _hfy.Structure:
        if self.force_budget and self.budget > positions:
            raise ValueError(f"budget = {self.budget}, but there are {positions} positions")
        rule = {"exactly" if self.force_budget else "at_most": self.budget}
        return _hfy.Structure.labels(positions, states, np.zeros((positions - 1, states, states)), **rule)
