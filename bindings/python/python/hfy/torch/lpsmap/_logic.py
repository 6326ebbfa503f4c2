"""Factors of logic."""

from collections.abc import Iterator
from typing import Any, ClassVar, Optional

from numpy.typing import ArrayLike

from ... import _hfy
from ._factor import Factor, Made, Place, Variables, negated_positions


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
