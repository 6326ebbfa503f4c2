"""What tests of hfy.torch.lpsmap share. A limit that is reached is an error in all of them, unless it is expected."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from hfy.torch.lpsmap import (  # noqa: E402
    AndOut,
    AtMostOne,
    Budget,
    FactorGraph,
    Imply,
    Or,
    OrOut,
    TorchFactorGraph,
    Xor,
    XorOut,
)

CONVERGES = pytest.mark.filterwarnings("error::hfy.torch.lpsmap.ConvergenceWarning")


def draw(*shape, seed=0, scale=1.0):
    return scale * np.random.default_rng(seed).standard_normal(shape)


def tensor(array):
    return torch.tensor(array, requires_grad=True)


def solved(scores, *factors, **settings):
    """The values of a graph of factors that are made from its variables."""
    graph = FactorGraph() if isinstance(scores, np.ndarray) else TorchFactorGraph()
    u = graph.variable_from(scores)
    for factor in factors:
        graph.add(factor(u))
    graph.solve(**settings)
    return u.value


LOGIC = {
    "Xor": (Xor, lambda a: sum(a) == 1),
    "Or": (Or, lambda a: sum(a) >= 1),
    "AtMostOne": (AtMostOne, lambda a: sum(a) <= 1),
    "Imply": (Imply, lambda a: not all(a[:-1]) or a[-1] == 1),
    "XorOut": (XorOut, lambda a: sum(a[:-1]) == a[-1]),
    "OrOut": (OrOut, lambda a: max(a[:-1]) == a[-1]),
    "AndOut": (AndOut, lambda a: min(a[:-1]) == a[-1]),
    "Budget": (lambda u, negated=None: Budget(u, 3, negated=negated), lambda a: sum(a) <= 3),
    "exact Budget": (lambda u, negated=None: Budget(u, 3, force_budget=True, negated=negated), lambda a: sum(a) == 3),
    "Budget of nothing": (lambda u, negated=None: Budget(u, 0, negated=negated), lambda a: sum(a) == 0),
    "Budget of all": (lambda u, negated=None: Budget(u, 9, negated=negated), lambda a: True),
}


def matching(u, rows, columns):
    return [Xor(u[i, :]) for i in range(rows)] + [AtMostOne(u[:, j]) for j in range(columns)]
