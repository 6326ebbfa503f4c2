"""Factors that count."""

from collections.abc import Iterator
from typing import Optional

from numpy.typing import ArrayLike

from ... import _hfy
from ._factor import Factor, Made, Place, Variables, negated_positions, whole_number


class Budget(Factor):
    """At most `budget` of the variables are on; with `force_budget` exactly so many. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import Budget, FactorGraph
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([1.0716, -1.1221, -0.3288, 0.3368, 0.0425]))
    >>> graph.add(Budget(u, 2, force_budget=True))
    >>> graph.solve()
    >>> u.value.round(3)
    array([1.   , 0.   , 0.   , 0.647, 0.353])
    """

    def __init__(
        self, variables: Variables, budget: int, force_budget: bool = False, negated: Optional[ArrayLike] = None
    ) -> None:
        self._variables = variables
        self._negated = negated
        self.budget = whole_number("budget", budget)
        self.force_budget = force_budget

    def _make(self, place: Place) -> Iterator[Made]:
        numbers = place.numbers(self._variables).ravel()
        if self.force_budget and self.budget > len(numbers):
            raise ValueError(f"budget = {self.budget}, but there are {len(numbers)} variables to be on")
        rule = _hfy.Factor.exactly if self.force_budget else _hfy.Factor.at_most
        factor = rule(numbers.tolist(), self.budget)
        yield Made([factor.negated(negated_positions(self._negated, len(numbers)))])
