"""A graph of variables and factors, on torch tensors."""

from typing import Any, Optional

import torch
from torch import Tensor

from .._solve import Doubles, Solve, maybe_doubles, tensor_like
from ._arrays import Arrays, TorchArrays
from ._graph import FactorGraph
from ._problem import Joined, Problem, Settings
from ._solution import Solution
from ._variables import Variable


class TorchFactorGraph(FactorGraph):
    """A `FactorGraph` on torch tensors: values have gradients in the scores of variables and of factors.

    It is solved in double precision, on the host; values have the dtype and the device of the scores. Second
    derivatives are zero. With `batch_dims` the first axes of all scores count instances, which are solved at once, on
    all threads.

    >>> import torch
    >>> from hfy.torch.lpsmap import Pair, TorchFactorGraph
    >>> x = torch.tensor([[0.1, 0.2], [0.3, -0.2]], requires_grad=True)
    >>> together = torch.tensor([0.4], requires_grad=True)
    >>> graph = TorchFactorGraph(batch_dims=1)
    >>> u = graph.variable_from(x)
    >>> graph.add(Pair(u[0], u[1], together))
    >>> graph.solve()
    >>> u.value.detach()
    tensor([[0.3500, 0.3500],
            [0.3000, 0.2000]])
    >>> [gradient.tolist() for gradient in torch.autograd.grad(u.value[0, 0], (x, together))]
    [[[0.5, 0.5], [0.0, 0.0]], [0.5]]
    """

    _arrays: Arrays = TorchArrays()

    def variable(self, shape: Any) -> Variable:
        """Variables of this shape with scores of 0. In a batch it begins with the axes of the batch.

        >>> from hfy.torch.lpsmap import TorchFactorGraph
        >>> TorchFactorGraph().variable((2, 2))
        Variable(shape=(2, 2))
        """
        return self.variable_from(torch.zeros(shape))

    def _solved(self, problem: Problem, settings: Settings) -> tuple[Any, Solution]:
        outcome: list[Solution] = []

        def solver(scores: Doubles, higher: Optional[Doubles], mask: Any) -> Joined:
            found = problem.solved(scores, higher, settings)
            outcome.append(Solution.of(found.marginals, found))
            return Joined(found, problem.by_factor)

        marginals = Solve.apply(solver, problem.scores, problem.higher, None)
        return marginals, outcome[0]

    def _doubles(self, scores: Optional[Tensor]) -> Optional[Doubles]:
        return maybe_doubles(scores)

    def _given_back(self, marginals: Doubles, scores: Tensor) -> Tensor:
        return tensor_like(marginals, scores)
