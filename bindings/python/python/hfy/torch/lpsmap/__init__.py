"""Factor graphs of binary variables (LP-SparseMAP) with the interface of the package lpsmap, in numpy and in torch.

>>> import torch
>>> from hfy.torch.lpsmap import AtMostOne, TorchFactorGraph, Xor
>>> x = torch.tensor([[0.2, 0.4, 0.0], [0.1, 0.5, 0.3]], requires_grad=True)
>>> graph = TorchFactorGraph()
>>> u = graph.variable_from(x)
>>> for i in range(2):
...     graph.add(Xor(u[i, :]))  # a task for each worker
>>> for j in range(3):
...     graph.add(AtMostOne(u[:, j]))  # no task for two of them
>>> graph.solve()
>>> u.value.detach()
tensor([[0.3500, 0.5000, 0.1500],
        [0.1500, 0.5000, 0.3500]])
>>> graph.solution.status
'fractional'
"""

from ._budget import Budget
from ._dep_tree import DepTree
from ._factor import Factor
from ._graph import FactorGraph
from ._logic import AndOut, AtMostOne, Imply, Or, OrOut, Xor, XorOut
from ._pair import Pair
from ._sequence import Sequence, SequenceBudget
from ._solution import ConvergenceWarning, Solution
from ._torch_graph import TorchFactorGraph
from ._variables import Slice, Variable

__all__ = [
    "AndOut",
    "AtMostOne",
    "Budget",
    "ConvergenceWarning",
    "DepTree",
    "Factor",
    "FactorGraph",
    "Imply",
    "Or",
    "OrOut",
    "Pair",
    "Sequence",
    "SequenceBudget",
    "Slice",
    "Solution",
    "TorchFactorGraph",
    "Variable",
    "Xor",
    "XorOut",
]
