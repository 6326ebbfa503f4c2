"""What became of a solve."""

from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

INTEGRAL = 1e-7
"""Marginals that are as near as this to 0 or 1 are 0 or 1."""


class ConvergenceWarning(UserWarning):
    """The limit of iterations came before the tolerance.

    >>> from hfy.torch.lpsmap import ConvergenceWarning
    >>> issubclass(ConvergenceWarning, UserWarning)
    True
    """


@dataclass(frozen=True)
class Solution:
    """How a graph was solved: `graph.solution`. In a batch every entry is an array with one for each instance.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph, Xor
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([0.5, 0.1, -0.2]))
    >>> graph.add(Xor(u))
    >>> graph.solve()
    >>> graph.solution.converged, graph.solution.status, graph.solution.iterations
    (True, 'fractional', 0)
    """

    status: Union[str, NDArray[Any]]
    """"integral" where all marginals are 0 or 1, "fractional" where not, "unsolved" where the limit came first."""
    converged: Union[bool, NDArray[np.bool_]]
    """Whether the tolerance was met."""
    value: Union[float, NDArray[np.float64]]
    """The score that was maximised: for `solve` with the square of the marginals taken off, for `solve_map` without."""
    primal_residual: Union[float, NDArray[np.float64]]
    """By how much a factor and a variable disagree at most."""
    dual_residual: Union[float, NDArray[np.float64]]
    """By how much the scores that a factor answers are off at most."""
    iterations: Union[int, NDArray[np.int64]]
    """Rounds of all factors; 0 where no factors share variables, so that each is solved by itself."""

    @classmethod
    def of(cls, marginals: NDArray[np.float64], solution: Any, value: Any = None) -> "Solution":
        """What the kernel says, about these marginals."""
        whole = is_integral(marginals)
        names = np.where(solution.optimal, np.where(whole, "integral", "fractional"), "unsolved")
        entries = [names, solution.optimal, solution.value if value is None else value]
        entries += [solution.primal_residual, solution.dual_residual, solution.iterations]
        arrays = [np.asarray(entry) for entry in entries]
        return cls(*(entry if entry.ndim else entry.item() for entry in arrays))


def is_integral(marginals: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether all variables are on or off, for each instance."""
    return np.asarray((np.abs(marginals - np.round(marginals)) <= INTEGRAL).all(axis=-1))
