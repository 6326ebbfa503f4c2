"""The best assignment of a graph, by way of the regularised problem.

Let y maximise t s·y - |y|²/2 over the relaxation P, for scores s and some scale t. Then (t s - y)·(z - y) <= 0 for all
z in P, so that s·z - s·y <= y·(z - y) / t <= Σ y (1 - y) / t. Where y is integral that is 0: at any scale it is the
best of P, and of all assignments. Otherwise it bounds what is missing to the best of P, and beyond some scale nothing
is (Mangasarian and Meyer, 1979).
"""

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._problem import Doubles, Problem, Settings
from ._solution import Solution, is_integral

SCALES = (4.0, 256.0, 2.0**14, 2.0**20, 1e9)
"""Tried one after the other, for scores of size 1, until there is an assignment."""
EXACT = 1e-9
"""An assignment that misses so much of a score of size 1 for each variable is as good as one that misses nothing."""
TIES = 1e-5
"""How much at most is added to scores of size 1 to tell equal assignments apart."""
APART = 1e4 / TIES
"""The scale at which they are."""


def best(
    problem: Problem, scores: Doubles, higher: Optional[Doubles], settings: Settings
) -> tuple[Doubles, Solution]:
    """The best assignment, or a best point of the relaxation where that has none, and how that ended."""
    search = _Search(problem, scores, higher, settings)
    for scale in SCALES:
        search.at(scale)
    search.at(APART, TIES)
    batch = scores.shape[:-1]
    for name in ("optimal", "value", "primal_residual", "dual_residual", "iterations"):
        setattr(search, name, getattr(search, name).reshape(batch))
    marginals = search.marginals.reshape(scores.shape)
    return marginals, Solution.of(marginals, search)


class _Search:
    """What was found so far, a row for each instance."""

    def __init__(self, problem: Problem, scores: Doubles, higher: Optional[Doubles], settings: Settings) -> None:
        self._problem, self._settings = problem, settings
        self._unary = scores.reshape(-1, scores.shape[-1])
        rows = len(self._unary)
        self._higher = np.zeros((rows, 0)) if higher is None else higher.reshape(rows, -1)
        size = np.maximum(_largest(self._unary), _largest(self._higher))
        self._size = np.where(size > 0, size, 1.0)
        self.marginals = np.zeros_like(self._unary)
        self.value, self._bound = np.full(rows, -np.inf), np.full(rows, np.inf)
        self.optimal = np.zeros(rows, dtype=np.bool_)
        self.primal_residual, self.dual_residual = np.full(rows, np.inf), np.full(rows, np.inf)
        self.iterations = np.zeros(rows, dtype=np.int64)

    def at(self, scale: float, ties: float = 0.0) -> None:
        """Solves at a scale what is not an assignment yet. Where ties are broken only a best assignment is taken."""
        rows = np.flatnonzero(~(self.optimal & is_integral(self.marginals)))
        if not rows.size:
            return
        unary, higher, size = self._unary[rows], self._higher[rows], self._size[rows]
        scaled = scale * (unary / size + ties * np.random.default_rng(0).random(unary.shape[-1]))
        found = self._problem.solved(scaled, scale / size * higher, self._settings)
        self.iterations[rows] += found.iterations
        marginals = found.marginals
        integral = is_integral(marginals)
        marginals[integral] = np.round(marginals[integral])
        parts = np.concatenate([*found.higher, np.zeros((len(rows), 0))], axis=-1)
        value = _product(unary, marginals) + _product(higher, parts)
        if ties:
            best = self._bound[rows] - EXACT * size[:, 0] * unary.shape[-1]
            taken = found.optimal & integral & (value >= best)
        else:
            missing = size[:, 0] / scale * (marginals * (1 - marginals)).sum(axis=-1)
            reached = np.where(found.optimal, value + missing, np.inf)
            self._bound[rows] = np.minimum(self._bound[rows], reached)
            taken = found.optimal | ~self.optimal[rows]
        self.marginals[rows[taken]], self.value[rows[taken]] = marginals[taken], value[taken]
        for name in ("optimal", "primal_residual", "dual_residual"):
            getattr(self, name)[rows[taken]] = getattr(found, name)[taken]


def _largest(rows: Doubles) -> NDArray[Any]:
    """The largest score of each row, whatever its sign."""
    return np.asarray(np.abs(np.where(np.isfinite(rows), rows, 0.0)).max(axis=-1, initial=0.0, keepdims=True))


def _product(scores: Doubles, marginals: Doubles) -> NDArray[Any]:
    """Row by row, where a score of minus infinity has no marginal."""
    return np.asarray((np.where(marginals != 0, scores, 0.0) * marginals).sum(axis=-1))
