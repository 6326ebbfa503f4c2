"""The best assignments of the graphs of hfy.torch.lpsmap."""

import itertools

import numpy as np
import pytest
from brute_force import assignments, trees
from lpsmap_cases import CONVERGES, LOGIC, draw, matching, torch

from hfy.torch.lpsmap import AtMostOne, DepTree, FactorGraph, Pair, TorchFactorGraph

pytestmark = CONVERGES


def best_in_brute_force(vertices, x, own=0.0):
    scores = np.asarray([np.ravel(v) for v in vertices]) @ x.ravel() + own
    return np.reshape(vertices[int(scores.argmax())], x.shape), scores.max()


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("direct", [False, True])
def test_best_trees(projective, direct):
    for seed in range(10):
        x = draw(4, 4, seed=seed)
        graph = TorchFactorGraph()
        u = graph.variable_from(torch.tensor(x, dtype=torch.float32))
        graph.add(DepTree(u, packed=True, projective=projective))
        graph.solve_map(autodetect_acyclic=direct)
        want, score = best_in_brute_force(trees(4, projective), x)
        assert (u.value.numpy() == want).all() and u.value.dtype is torch.float32 and not u.value.requires_grad
        assert graph.solution.status == "integral" and np.isclose(graph.solution.value, score, atol=1e-5)


@pytest.mark.parametrize("name", LOGIC)
def test_best_assignments(name):
    factor, rule = LOGIC[name]
    x = draw(20, 5)
    graph = FactorGraph(batch_dims=1)
    u = graph.variable_from(x)
    graph.add(factor(u))
    graph.solve_map()
    assert (graph.solution.status == "integral").all()
    for row, value, best in zip(x, u.value, graph.solution.value):
        want, score = best_in_brute_force(assignments(5, rule), row)
        assert (value == want).all() and np.isclose(best, score, atol=1e-12)


def test_best_assignments_of_graphs():
    for seed in range(10):
        x, t = draw(4, 5, seed=seed), draw(4, seed=30 + seed)
        graph = FactorGraph()
        u, v = graph.variable_from(x), graph.variable_from(x[0])
        for factor in matching(u, 4, 5):
            graph.add(factor)
        graph.add(Pair(v[:-1], v[1:], t))
        graph.solve_map()
        perfect = [np.eye(5)[list(p)] for p in itertools.permutations(range(5), 4)]
        chains = assignments(5, lambda a: True)
        own = np.array([sum(s * a * b for s, a, b in zip(t, c, c[1:])) for c in chains])
        (want, score), (chain, other) = best_in_brute_force(perfect, x), best_in_brute_force(chains, x[0], own)
        assert (u.value == want).all() and (v.value == chain).all()
        assert graph.solution.status == "integral" and np.isclose(graph.solution.value, score + other)


def test_best_of_equals_is_one_of_them():
    graph = FactorGraph()
    u = graph.variable((3, 3))
    for factor in matching(u, 3, 3):
        graph.add(factor)
    graph.solve_map()
    assert graph.solution.status == "integral" and (u.value.sum(0) == 1).all() and (u.value.sum(1) == 1).all()


def test_the_best_of_near_equals():
    for gap in [1e-3, 1e-5, 1e-7]:
        graph = FactorGraph(batch_dims=1)
        u = graph.variable_from(np.array([[[1.0, 1.0], [1.0, 1.0 + gap]], [[1.0, 1.0], [1.0 + gap, 1.0]]]))
        for factor in matching(u, 2, 2):
            graph.add(factor)
        graph.solve_map()
        assert (graph.solution.status == "integral").all()
        assert (u.value == [np.eye(2), np.eye(2)[::-1]]).all(), gap


def test_a_relaxation_without_an_integral_solution():
    """Three that pairwise exclude each other one by one, and pay alike: halves are better than any assignment."""
    graph = FactorGraph()
    u = graph.variable_from(np.ones(3))
    for pair in itertools.combinations(range(3), 2):
        graph.add(AtMostOne(u[list(pair)]))
    graph.solve_map()
    assert np.allclose(u.value, 0.5, atol=1e-6)
    assert graph.solution.status == "fractional" and np.isclose(graph.solution.value, 1.5)
