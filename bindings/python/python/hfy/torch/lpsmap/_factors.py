"""Factors: what is said about some variables of a graph. Those of logic, budgets and pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Optional, Protocol, Union

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


class _Logic(Factor):
    """A rule about variables in a row, any of which may be negated."""

    _rule: ClassVar[Any]  # from numbers of variables to a factor

    def __init__(self, variables: Variables, negated: Optional[ArrayLike] = None) -> None:
        self._variables = variables
        self._negated = negated

    def _make(self, place: Place) -> Iterator[Made]:
        numbers = place.numbers(self._variables).ravel()
        factor: _hfy.Factor = self._rule(numbers.tolist())
        yield Made([factor.negated(negated_positions(self._negated, len(numbers)))])


def negated_positions(negated: Optional[ArrayLike], count: int) -> list[int]:
    """Which variables are negated, from one truth value for each of them."""
    if negated is None:
        return []
    flags = np.asarray(negated)
    if flags.size != count:
        raise ValueError(f"negated has {flags.size} entries; expected one for each of {count} variables")
    return [int(position) for position in np.flatnonzero(flags)]


class Xor(_Logic):
    """Exactly one of the variables is on. `negated` has a truth value for each: whether its negation is meant.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, Xor
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.5, 0.1, -0.2]))
    >>> graph.add(Xor(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.7, 0.3, 0. ])
    """

    _rule = _hfy.Factor.exactly_one


class Or(_Logic):
    """At least one of the variables is on. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, Or
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.5, 0.1, -0.2]))
    >>> graph.add(Or(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.7, 0.3, 0. ])
    """

    _rule = _hfy.Factor.any_of


class AtMostOne(_Logic):
    """At most one of the variables is on. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import AtMostOne, FactorGraph
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.5, 0.1, -0.2]))
    >>> graph.add(AtMostOne(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.5, 0.1, 0. ])
    """

    _rule = _hfy.Factor.at_most_one


class Imply(_Logic):
    """Where all variables but the last are on, so is the last. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, Imply
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.8, 0.2]))
    >>> graph.add(Imply(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.5, 0.5])
    """

    _rule = _hfy.Factor.imply


class XorOut(_Logic):
    """The last variable is on exactly where one of the others is, and no two of them are. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, XorOut
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.6, 0.2, 0.2]))
    >>> graph.add(XorOut(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.4, 0. , 0.4])
    """

    _rule = _hfy.Factor.xor_out


class OrOut(_Logic):
    """The last variable is on exactly where one of the others is. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, OrOut
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.6, 0.6, 0.2]))
    >>> graph.add(OrOut(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.467, 0.467, 0.467])
    """

    _rule = _hfy.Factor.or_out


class AndOut(_Logic):
    """The last variable is on exactly where all the others are. `negated` as for `Xor`.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import AndOut, FactorGraph
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.6, 0.6, 0.1]))
    >>> graph.add(AndOut(u))
    >>> graph.solve()
    >>> u.value.round(3)
    array([0.567, 0.567, 0.133])
    """

    _rule = _hfy.Factor.and_out


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


def whole_number(argument: str, value: Any) -> int:
    """A number of variables, which may come as a tensor."""
    number = int(value)
    if number != float(value) or number < 0:
        raise ValueError(f"{argument} = {value}; expected a whole number that is not negative")
    return number


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
