"""Every factor of hfy.torch.lpsmap, against all of its assignments and against golden values."""

import itertools

import numpy as np
import pytest
from brute_force import assignments, project, trees, words
from golden import agree, agree_derivative, cases, slack
from lpsmap_cases import CONVERGES, LOGIC, draw, solved, tensor, torch

from hfy.torch.lpsmap import Budget, DepTree, Pair, Sequence, SequenceBudget, TorchFactorGraph, Xor

pytestmark = CONVERGES


@pytest.mark.parametrize("name", LOGIC)
def test_logic_in_brute_force(name):
    factor, rule = LOGIC[name]
    for seed, negated in itertools.product(range(4), [None, [False, True, False, False, True]]):
        x = draw(5, seed=seed)
        flip = np.array(negated or [False] * 5)
        allowed = assignments(5, lambda a: rule([1 - v if n else v for v, n in zip(a, flip)]))
        want = project(allowed, x)
        value = solved(x, lambda u: factor(u, negated=negated))
        assert np.allclose(value, want, atol=1e-6), (name, negated)
        assert np.allclose(solved(torch.from_numpy(x), lambda u: factor(u, negated=negated)), value, atol=1e-12)


def test_pairs_in_brute_force():
    for seed in range(5):
        x, t = draw(4, seed=seed), draw(3, seed=50 + seed)
        value = solved(x, lambda u: Pair(u[:-1], u[1:], t))
        vertices = assignments(4, lambda a: True)
        own = [sum(s * a * b for s, a, b in zip(t, v, v[1:])) for v in vertices]
        assert np.allclose(value, project(vertices, x, own), atol=1e-5)  # a chain has no cycles


def sequence_in_brute_force(x, inner, first=None, last=None, fits=lambda word: True):
    positions, states = x.shape
    found, vertices = words(positions, states)
    chosen = [(word, vertex) for word, vertex in zip(found, vertices) if fits(word)]
    first, last = (np.zeros(states) if ends is None else ends for ends in (first, last))
    own = [
        first[w[0]] + last[w[-1]] + sum(inner[p, a, b] for p, (a, b) in enumerate(zip(w, w[1:]))) for w, _ in chosen
    ]
    return project([vertex for _, vertex in chosen], x.ravel(), own).reshape(x.shape)


@pytest.mark.parametrize("positions, states", [(1, 3), (2, 2), (3, 3), (4, 2)])
def test_sequences_in_brute_force(positions, states):
    for seed in range(3):
        x, inner = draw(positions, states, seed=seed), draw(positions - 1, states, states, seed=70 + seed)
        first, last = draw(states, seed=80 + seed), draw(states, seed=90 + seed)
        assert np.allclose(solved(x, lambda u: Sequence(u, inner)), sequence_in_brute_force(x, inner), atol=1e-6)
        whole = np.concatenate([first, inner.ravel(), last])
        want = sequence_in_brute_force(x, inner, first, last)
        assert np.allclose(solved(x, lambda u: Sequence(u, whole)), want, atol=1e-6)
        for budget in range(positions + 1):
            for force, rule in [(False, lambda w: w.count(0) <= budget), (True, lambda w: w.count(0) == budget)]:
                want = sequence_in_brute_force(x, inner, first, last, rule)
                value = solved(x, lambda u: SequenceBudget(u, whole, budget, force_budget=force))
                assert np.allclose(value, want, atol=1e-6), (budget, force)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
def test_trees_in_brute_force(projective, single_root):
    for n in (1, 2, 3, 4):
        vertices = trees(n, projective, single_root)
        for seed in range(2):
            packed = draw(n, n, seed=seed)
            settings = {"projective": projective, "single_root": single_root}
            want = project([v.ravel() for v in vertices], packed.ravel(), rounds=200_000).reshape(n, n)
            assert np.allclose(solved(packed, lambda u: DepTree(u, packed=True, **settings)), want, atol=1e-5)
            # The root first, then the other words.
            others = [[packed[m, h] for h in range(n) if h != m] for m in range(n)]
            apart = np.array([[packed[m, m], *others[m]] for m in range(n)])
            wanted = [[want[m, m], *(want[m, h] for h in range(n) if h != m)] for m in range(n)]
            assert np.allclose(solved(apart, lambda u: DepTree(u, **settings)), wanted, atol=1e-5)


def test_numbers_of_trees():
    counts = [len(trees(n)) for n in (1, 2, 3, 4)]
    assert counts == [1, 3, 16, 125], "Cayley's formula"
    assert [len(trees(n, projective=True)) for n in (1, 2, 3, 4)] == [1, 3, 12, 55]


def test_without_factors():
    for shape in [(4,), (2, 2), (2, 2, 2)]:
        x = draw(*shape)
        assert np.allclose(solved(x), np.clip(x, 0, 1), atol=1e-14)
        assert np.allclose(solved(torch.from_numpy(x)), np.clip(x, 0, 1), atol=1e-14)


def test_golden_structures():
    """Matrices whose rows and columns sum to one are the hull of matchings; a factor alone has its own hull."""
    met = set()
    for case in cases("structured"):
        theta, v = np.array(case["theta"], dtype=float), np.array(case["v"], dtype=float)
        tag = case["tag"]
        if case["vertex_scores"] is not None:
            continue
        graph = TorchFactorGraph()
        if tag.startswith("matching"):
            n = int(tag[-1])
            x = tensor(theta.reshape(n, n))
            u = graph.variable_from(x)
            for i in range(n):
                graph.add(Xor(u[i, :]))
                graph.add(Xor(u[:, i]))
        elif tag in ("chain_3pos_2lab", "pairwise_2state"):
            x = tensor(theta.reshape(-1, 2))
            u = graph.variable_from(x)
            graph.add(Sequence(u, np.zeros((len(x) - 1, 2, 2))))
        elif tag.startswith("singletons"):
            x = tensor(theta)
            u = graph.variable_from(x)
            graph.add(Xor(u))
        elif tag.startswith("hypercube"):
            x = tensor(theta)
            u = graph.variable_from(x)
        else:
            continue
        met.add(tag)
        graph.solve(tol=1e-12, max_iter=100_000)
        agree(u.value.detach().numpy().ravel(), case["y"], max(case["tol"], 1e-9), case["id"])
        (gradient,) = torch.autograd.grad(u.value, x, torch.from_numpy(v).reshape(x.shape))
        if case.get("vjp") is not None:
            agree_derivative(gradient.numpy().ravel(), case["vjp"], max(slack(case), 1e-6), case["id"])
    assert len(met) == 6, met


def test_golden_budgets():
    for case in cases("ksubsets"):
        x = tensor(np.array(case["theta"], dtype=float))
        value = solved(x, lambda u: Budget(u, case["k"], force_budget=True))
        agree(value.detach(), case["y"], case["tol"], case["id"])
        if case.get("vjp") is not None:
            (gradient,) = torch.autograd.grad(value, x, torch.tensor(case["v"], dtype=torch.float64))
            agree_derivative(gradient, case["vjp"], slack(case), case["id"])


def test_golden_sequences():
    """Two states, on and off, are the regulariser of both states. The last values are what lpsmap itself gives."""
    for case in cases("seq_ksubsets"):
        n, edges = case["n"], np.broadcast_to(case["t"], case["n"] - 1)
        scores, inner = np.zeros((n, 2)), np.zeros((n - 1, 2, 2))
        scores[:, 0], inner[:, 0, 0] = case["s"], edges
        x, t = tensor(scores), tensor(inner)
        value = solved(x, lambda u: SequenceBudget(u, t, case["k"], force_budget=True))
        want = case["both"]
        agree(value[:, 0].detach(), want["y"], case["tol"], case["id"])
        in_x, in_t = torch.autograd.grad(value[:, 0], (x, t), torch.tensor(case["v"], dtype=torch.float64))
        if want["vjp_s"] is not None:
            agree_derivative(in_x[:, 0], want["vjp_s"], 100 * case["tol"], case["id"])
        if want["vjp_t"] is not None:
            summed = in_t[:, 0, 0].sum() if np.ndim(want["vjp_t"]) == 0 else in_t[:, 0, 0]
            agree_derivative(summed, want["vjp_t"], 100 * case["tol"], case["id"])
    theta = np.array([1.0716, -1.1221, -0.3288, 0.3368, 0.0425])
    two = np.stack([theta, np.zeros(5)], axis=1)
    for t, want in [
        (0.0, [0.8955, 0, 0.1953, 0.5281, 0.3810]),
        (0.3, [0.7830, 0, 0.2328, 0.5656, 0.4185]),
        (1.0, [0.4358, 0.3390, 0.2356, 0.5684, 0.4212]),
    ]:
        inner = np.zeros((4, 2, 2))
        inner[:, 0, 0] = t
        assert np.allclose(solved(two, lambda u: SequenceBudget(u, inner, 2, True))[:, 0], want, atol=1e-4)
    assert np.allclose(solved(theta, lambda u: Budget(u, 2, True)), [1, 0, 0, 0.6471, 0.3529], atol=1e-4)
