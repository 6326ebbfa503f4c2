"""A graph of variables and factors, on numpy arrays."""

import warnings
from typing import Any, Optional

import numpy as np

from ._arrays import Arrays, NumpyArrays
from ._best import best
from ._factor import Factor
from ._problem import Problem, Settings
from ._solution import ConvergenceWarning, Solution
from ._variables import Variable


class FactorGraph:
    """Binary variables with scores, and factors that say which of their assignments there are. On numpy arrays.

    With `batch_dims` the first axes of all scores count instances of the same graph, which are solved at once, on all
    threads.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import AtMostOne, FactorGraph, Imply
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([1.0, 0.5, -0.25]))
    >>> graph.add(AtMostOne(u[:2]))
    >>> graph.add(Imply(u[[0, 2]]))
    >>> graph.solve()
    >>> u.value.round(6)
    array([0.375, 0.5  , 0.375])
    """

    _arrays: Arrays = NumpyArrays()

    def __init__(self, batch_dims: int = 0) -> None:
        if batch_dims < 0:
            raise ValueError(f"batch_dims = {batch_dims}; expected how many axes come before those of the variables")
        self.batch_dims = batch_dims
        self.variables: list[Variable] = []
        self.factors: list[Factor] = []
        self._solution: Optional[Solution] = None

    def variable_from(self, scores: Any) -> Variable:
        """Variables with these scores, of any shape, after the axes of the batch.

        >>> import numpy as np
        >>> from hfy.torch.lpsmap import FactorGraph
        >>> FactorGraph(batch_dims=1).variable_from(np.zeros((32, 3, 5)))
        Variable(shape=(3, 5))
        """
        found = self._arrays.floats("scores", scores)
        if found.ndim < self.batch_dims:
            raise ValueError(f"scores have {found.ndim} axes; expected {self.batch_dims} for the batch, and others")
        if self.variables and self._batch(found) != self._batch(self.variables[0]._scores):
            wanted = self._batch(self.variables[0]._scores)
            raise ValueError(f"scores have the batch {self._batch(found)}; expected that of other variables, {wanted}")
        self.variables.append(Variable(found, self.batch_dims))
        return self.variables[-1]

    def variable(self, shape: Any) -> Variable:
        """Variables of this shape with scores of 0. In a batch it begins with the axes of the batch.

        >>> from hfy.torch.lpsmap import FactorGraph
        >>> FactorGraph().variable((2, 2))
        Variable(shape=(2, 2))
        """
        return self.variable_from(np.zeros(shape))

    def add(self, factor: Factor) -> None:
        """Adds a factor.

        >>> import numpy as np
        >>> from hfy.torch.lpsmap import FactorGraph, Xor
        >>> graph = FactorGraph()
        >>> graph.add(Xor(graph.variable(3)))
        >>> len(graph.factors)
        1
        """
        if not isinstance(factor, Factor):
            raise TypeError(f"factor is a {type(factor).__name__}; expected a factor, as Xor(u[0, :])")
        self.factors.append(factor)

    @property
    def solution(self) -> Solution:
        """How the last solve ended: status, residuals, iterations."""
        if self._solution is None:
            raise RuntimeError("solution: the graph is not solved yet; call solve() or solve_map() first")
        return self._solution

    def solve(
        self,
        max_iter: int = 1000,
        max_inner_iter: int = 10,
        tol: float = 1e-6,
        step_size: float = 0.1,
        adapt: bool = True,
        verbose: bool = False,
        autodetect_acyclic: bool = True,
    ) -> None:
        """Solves LP-SparseMAP: scores less half the square of the marginals are largest. Variables have a `value` then.

        `max_iter` bounds the rounds of all factors, `tol` how far factors and variables may be apart at the end, and
        `step_size` is the first penalty of disagreement, which adapts. Factors that share no variable are solved by
        themselves, unless `autodetect_acyclic` is False. With `verbose` what happened is printed; `solution` has it
        anyway, and where `max_iter` comes before `tol` a `ConvergenceWarning` says so. Factors are always solved to the
        end and the penalty always adapts: `max_inner_iter` and `adapt` are accepted and not needed.

        >>> import numpy as np
        >>> from hfy.torch.lpsmap import Budget, FactorGraph
        >>> graph = FactorGraph(batch_dims=1)
        >>> u = graph.variable_from(np.array([[0.9, 0.8, 0.1], [0.5, -0.2, 0.3]]))
        >>> graph.add(Budget(u, 1))
        >>> graph.solve()
        >>> u.value
        array([[0.55, 0.45, 0.  ],
               [0.5 , 0.  , 0.3 ]])
        """
        problem, settings = self._problem(), _settings(max_iter, tol, step_size, autodetect_acyclic)
        self._set(problem, *self._solved(problem, settings), settings, verbose)

    def solve_map(
        self,
        max_iter: int = 1000,
        max_inner_iter: int = 10,
        tol: float = 1e-6,
        step_size: float = 0.1,
        adapt: bool = True,
        verbose: bool = False,
        autodetect_acyclic: bool = True,
    ) -> None:
        """Finds the assignment with the best score, or what the linear relaxation has in its place.

        Where `solution.status` is "integral" it is the best assignment there is, up to 1e-9 of the scores. Where the
        factors have cycles the relaxation may be better than every assignment: that is "fractional". There are no
        gradients. Arguments as for `solve`.

        >>> import numpy as np
        >>> from hfy.torch.lpsmap import DepTree, FactorGraph
        >>> graph = FactorGraph()
        >>> u = graph.variable_from(np.array([[1.0, 0.0, 0.2], [0.8, 0.6, 0.1], [0.3, 0.4, 0.2]]))
        >>> graph.add(DepTree(u, packed=True))
        >>> graph.solve_map()
        >>> u.value
        array([[1., 0., 0.],
               [1., 0., 0.],
               [0., 1., 0.]])
        >>> graph.solution.status
        'integral'
        """
        problem, settings = self._problem(), _settings(max_iter, tol, step_size, autodetect_acyclic)
        scores, higher = self._doubles(problem.scores), self._doubles(problem.higher)
        marginals, solution = best(problem, scores, higher, settings)
        self._set(problem, self._given_back(marginals, problem.scores), solution, settings, verbose)

    def _problem(self) -> Problem:
        if not self.variables:
            raise ValueError("the graph has no variables; make them by variable_from")
        return Problem(self._arrays, self.variables, self.factors, self._batch(self.variables[0]._scores))

    def _batch(self, scores: Any) -> tuple[int, ...]:
        return tuple(scores.shape[: self.batch_dims])

    def _solved(self, problem: Problem, settings: Settings) -> tuple[Any, Solution]:
        """The marginals, and how that ended."""
        found = problem.solved(problem.scores, problem.higher, settings)
        return found.marginals, Solution.of(found.marginals, found)

    def _doubles(self, scores: Any) -> Any:
        return scores

    def _given_back(self, marginals: Any, scores: Any) -> Any:
        """Marginals as an array like the scores."""
        return marginals

    def _set(self, problem: Problem, marginals: Any, solution: Solution, settings: Settings, verbose: bool) -> None:
        self._solution = solution
        for variable, (start, end) in zip(self.variables, problem.spans):
            variable._value = marginals[..., start:end].reshape(variable._scores.shape)
        if verbose:
            print(solution)
        if not np.all(solution.converged):
            count = np.size(solution.converged) - np.count_nonzero(solution.converged)
            words = f"max_iter = {settings.limit} was reached in {count} of {np.size(solution.converged)} instances"
            residuals = f"factors and variables are up to {np.max(solution.primal_residual):.1e} apart"
            warnings.warn(f"{words}: {residuals}, and tol = {settings.tolerance}", ConvergenceWarning, stacklevel=3)


def _settings(max_iter: int, tol: float, step_size: float, direct: bool) -> Settings:
    if max_iter < 1:
        raise ValueError(f"max_iter = {max_iter}; expected at least one round")
    if not 0 < tol < 1:
        raise ValueError(f"tol = {tol}; expected a number between 0 and 1")
    if not 0 <= step_size < np.inf:
        raise ValueError(f"step_size = {step_size}; expected a finite number that is not negative")
    # Without a penalty the factors would never agree; where they share nothing, there is none to agree.
    return Settings(tolerance=tol, limit=max_iter, penalty=step_size or 1.0, direct=direct)
