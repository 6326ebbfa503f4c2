"""A graph as the kernel has it: variables by number, factors, and the scores of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ... import _hfy
from ._arrays import Arrays
from ._factor import Factor, Made, Numbers, Unary, Variables
from ._variables import Slice, Variable

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """How the kernel solves."""

    tolerance: float
    limit: int
    penalty: float
    direct: bool


class Problem:
    """All that a graph says. Scores have variables, and higher-order parts of all factors, along their last axis."""

    def __init__(
        self, arrays: Arrays, variables: Sequence[Variable], factors: Sequence[Factor], batch: tuple[int, ...]
    ) -> None:
        self._arrays, self._batch = arrays, batch
        sizes = [variable._numbers.size for variable in variables]
        ends = np.cumsum(sizes)
        self._starts = {id(variable): int(end - size) for variable, end, size in zip(variables, ends, sizes)}
        self.spans = [(int(end - size), int(end)) for end, size in zip(ends, sizes)]
        self.scores = arrays.join([variable._scores.reshape(*batch, size) for variable, size in zip(variables, sizes)])
        made: list[_hfy.Factor] = []
        higher = []
        for factor in factors:
            for part in factor._make(self):
                if isinstance(part, Unary):
                    self.scores = arrays.added(self.scores, part.numbers, self._each(part.scores))
                    continue
                made += part.factors
                if part.scores is not None:
                    higher.append(self._each(part.scores))
        self.higher: Optional[Any] = arrays.join(higher) if higher else None
        self.graph = _hfy.FactorGraph(int(sum(sizes)), made)
        self._cuts = np.cumsum([len(parts) for parts in self.graph.higher])[:-1]

    def numbers(self, variables: Variables) -> Numbers:
        """The numbers of variables in the graph, of their shape; of several one after the other."""
        if isinstance(variables, Slice):
            start = self._starts.get(id(variables._base))
            if start is None:
                raise ValueError(f"variables = {variables!r}: they are not of this graph; make them by variable_from")
            return variables._numbers + start
        if not isinstance(variables, Sequence) or isinstance(variables, str):
            raise TypeError(f"variables are a {type(variables).__name__}; expected variables of the graph")
        return np.concatenate([self.numbers(part).ravel() for part in variables] or [np.zeros(0, dtype=np.intp)])

    def additional(self, argument: str, scores: Any, counts: Sequence[int]) -> Any:
        """Scores in one row, or in one for each instance of the batch, as many as one of `counts`."""
        given = self._arrays.floats(argument, scores)
        shape, axes = tuple(given.shape), len(self._batch)
        if axes and shape[:axes] == self._batch and int(np.prod(shape[axes:])) in counts:
            return given.reshape(*self._batch, -1) if given.size else given.reshape(*self._batch, 0)
        if int(np.prod(shape)) in counts:
            return given.reshape(-1)
        wanted = " or ".join(map(str, counts)) + (f", or as many for each instance of {self._batch}" if axes else "")
        raise ValueError(f"{argument} are of shape {shape}; expected {wanted} scores")

    def _each(self, scores: Any) -> Any:
        """Scores for each instance of the batch."""
        return self._arrays.broadcast(scores, (*self._batch, scores.shape[-1]))

    def by_factor(self, higher: Optional[Doubles]) -> Optional[list[Doubles]]:
        """Higher-order parts of all factors, cut into those of each."""
        if higher is None or not self.graph.higher:
            return None
        return np.split(higher, self._cuts, axis=-1)

    def solved(self, scores: Doubles, higher: Optional[Doubles], settings: Settings) -> _hfy.GraphSolution:
        """What the kernel finds."""
        return self.graph.solve(
            scores,
            self.by_factor(higher),
            tolerance=settings.tolerance,
            limit=settings.limit,
            penalty=settings.penalty,
            direct=settings.direct,
        )


@dataclass(frozen=True)
class Joined:
    """A solution whose higher-order parts are those of all factors in a row."""

    solution: _hfy.GraphSolution
    by_factor: Callable[[Optional[Doubles]], Optional[list[Doubles]]]

    @property
    def marginals(self) -> Doubles:
        return self.solution.marginals

    def vjp(self, gradient: Any, higher_gradient: Any = None) -> tuple[Doubles, Doubles]:
        unary, higher = self.solution.vjp(gradient, self.by_factor(higher_gradient))
        return unary, np.concatenate(higher, axis=-1) if higher else np.zeros((*unary.shape[:-1], 0))
