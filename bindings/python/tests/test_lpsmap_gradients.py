"""Gradients through the graphs of hfy.torch.lpsmap."""

import numpy as np
import pytest
from lpsmap_cases import CONVERGES, LOGIC, draw, solved, tensor, torch
from torch.autograd import gradcheck, gradgradcheck

from hfy.torch.lpsmap import Budget, DepTree, Pair, Sequence, SequenceBudget, TorchFactorGraph, Xor

pytestmark = CONVERGES


@pytest.mark.parametrize("name", LOGIC)
def test_gradients_of_logic(name):
    factor, _ = LOGIC[name]
    for seed in range(3):
        x = tensor(draw(5, seed=seed))
        assert gradcheck(lambda x: solved(x, lambda u: factor(u)), (x,))
        assert gradcheck(lambda x: solved(x, lambda u: factor(u, negated=[True] + [False] * 4)), (x,))
    assert gradgradcheck(lambda x: solved(x, lambda u: factor(u)), (x,))


def test_gradients_of_a_matching():
    """As lpsmap's own check, at a tolerance that is a hundred times finer."""

    def work(x, v):
        graph = TorchFactorGraph()
        u = graph.variable_from(x)
        for i in range(3):
            graph.add(Xor(u[i, :]))
            graph.add(Xor(u[:, i]))
        graph.solve(tol=1e-10)
        return (u.value * v).sum()

    for seed in range(10):
        v = draw(3, 3, seed=100 + seed)
        assert gradcheck(work, (tensor(draw(3, 3, seed=seed)), torch.from_numpy(v / np.linalg.norm(v))), atol=1e-5)


def test_gradients_of_scores_of_factors():
    for seed in range(3):
        x, t = tensor(draw(6, seed=seed, scale=0.5)), tensor(draw(5, seed=60 + seed))
        pairs = lambda x, t: solved(x, lambda u: Pair(u[:-1], u[1:], t), tol=1e-11)  # noqa: E731
        assert gradcheck(pairs, (x, t), atol=1e-4)
        assert gradgradcheck(pairs, (x, t), atol=1e-4)
        x, t = tensor(draw(4, 3, seed=seed)), tensor(draw(3, 3, 3, seed=70 + seed))
        assert gradcheck(lambda x, t: solved(x, lambda u: Sequence(u, t)), (x, t))
        whole = tensor(draw(3 + 27 + 3, seed=80 + seed))
        assert gradcheck(lambda x, t: solved(x, lambda u: Sequence(u, t)), (x, whole))
        assert gradgradcheck(lambda x, t: solved(x, lambda u: Sequence(u, t)), (x, whole))
        assert gradcheck(lambda x, t: solved(x, lambda u: SequenceBudget(u, t, 2)), (x, whole))
        for projective in (False, True):
            tree = tensor(draw(4, 4, seed=seed))
            assert gradcheck(lambda x: solved(x, lambda u: DepTree(u, packed=True, projective=projective)), (tree,))


def test_constrained_trees():
    """No word has more than two others: trees and budgets share their variables."""
    n = 5
    x = tensor(draw(n, n, seed=4))
    heads = [lambda u, k=k: Budget(u[[m for m in range(n) if m != k], k], 1) for k in range(n)]
    tree = lambda u: DepTree(u, packed=True, projective=True)  # noqa: E731
    free, bound = solved(x, tree), solved(x, tree, *heads)
    children = lambda y: y.sum(0) - y.diagonal()  # noqa: E731
    assert (children(free) > 1.01).any() and (children(bound) <= 1 + 1e-5).all()
    assert torch.allclose(bound.sum(1), torch.ones(n, dtype=torch.float64), atol=1e-5)
    assert gradcheck(lambda x: solved(x, tree, *heads, tol=1e-10, max_iter=10_000), (x,), atol=1e-4)


def test_sequences_with_budgets_for_each_state():
    x, t = draw(5, 3, seed=13), draw(4, 3, 3, seed=14)
    value = solved(x, lambda u: Sequence(u, t), *(lambda u, s=s: Budget(u[:, s], 2) for s in range(3)))
    assert np.allclose(value.sum(1), 1, atol=1e-5) and (value.sum(0) <= 2 + 1e-5).all()
