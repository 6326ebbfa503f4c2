"""Factors of two variables with a score."""

from collections.abc import Iterator
from typing import Any

from ... import _hfy
from ._factor import Factor, Made, Place, Variables


class Pair(Factor):
    """A score for each pair of variables `vars_i[k]`, `vars_j[k]`, where both are on. The scores have gradients.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, Pair
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.1, 0.2, 0.3]))
    >>> graph.add(Pair(u[:-1], u[1:], np.array([0.5, -1.0])))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.4, 0.4, 0.3])
    """

    def __init__(self, vars_i: Variables, vars_j: Variables, additionals: Any) -> None:
        self._first, self._second = vars_i, vars_j
        self._additionals = additionals

    def _make(self, place: Place) -> Iterator[Made]:
        first, second = (place.numbers(variables).ravel() for variables in (self._first, self._second))
        if len(first) != len(second):
            raise ValueError(f"vars_i and vars_j have {len(first)} and {len(second)} variables; expected as many")
        scores = place.additional("additionals", self._additionals, [len(first)])
        yield Made([_hfy.Factor.pair(int(a), int(b), 0.0) for a, b in zip(first, second)], scores)
