"""SparseMAP and factor graphs."""

import itertools
import pickle

import numpy as np
import pytest
from brute_force import project, words

import hfy


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def subsets(n, k):
    return [[1.0 if i in chosen else 0.0 for i in range(n)] for chosen in itertools.combinations(range(n), k)]


@pytest.mark.parametrize(
    "text, n, vertices",
    [
        ("sequence:2:reg=on", 5, subsets(5, 2)),
        ("atmost:2", 4, sum((subsets(4, k) for k in range(3)), [])),
        ("windows:2", 5, [[float(i in (s, s + 1)) for i in range(5)] for s in range(4)]),
        ("assignment:2x3", 6, [np.eye(3)[list(p)].ravel() for p in itertools.permutations(range(3), 2)]),
    ],
)
def test_the_nearest_point_of_the_hull(text, n, vertices):
    for seed in range(5):
        x = draw(n, seed=seed)
        want = project(vertices, x)
        assert np.allclose(hfy.sparsemap(x, text), want, atol=1e-6)
        solution = hfy.sparsemap_solve(x, text)
        shares = solution.structures()
        assert np.isclose(sum(share for _, share in shares), 1)
        blend = np.zeros(n)
        for members, share in shares:
            blend[members] += share
        assert np.allclose(blend, solution.marginals, atol=1e-12)
        assert np.isclose(solution.value, x @ solution.marginals - (solution.marginals**2).sum() / 2)
        assert solution.best() == list(np.flatnonzero(vertices[int(np.argmax(np.asarray(vertices) @ x))]))


def test_batches_and_gradients():
    x, edges = draw(2, 3, 6), 0.3 * draw(2, 3, 5, seed=1)
    solution = hfy.sparsemap_solve(x, hfy.Structure.sequence(2, np.zeros(5)), edges)
    assert len(solution) == 6 and solution.marginals.shape == (2, 3, 6) and solution.higher.shape == (2, 3, 5)
    assert solution.value.shape == (2, 3) and solution.optimal.all() and (solution.gap < 1e-10).all()
    one = hfy.sequence(x[1, 2], 2, edges[1, 2])
    assert np.allclose(solution.marginals[1, 2], one, atol=1e-14)
    g, h = draw(2, 3, 6, seed=2), draw(2, 3, 5, seed=3)

    def value(x, edges):
        found = hfy.sparsemap_solve(x, hfy.Structure.sequence(2, np.zeros(5)), edges)
        return (found.marginals * g).sum() + (found.higher * h).sum()

    unary, higher = solution.vjp(g, h)
    assert unary.shape == x.shape and higher.shape == edges.shape
    step = 1e-6
    for seed in range(4):
        dx, de = draw(2, 3, 6, seed=10 + seed), draw(2, 3, 5, seed=20 + seed)
        want = (value(x + step * dx, edges + step * de) - value(x - step * dx, edges - step * de)) / (2 * step)
        assert np.isclose((unary * dx).sum() + (higher * de).sum(), want, atol=1e-5)
    along = hfy.sparsemap_solve(np.moveaxis(x, -1, 0), "sequence:2", edges, axis=0)
    assert np.allclose(np.moveaxis(along.marginals, 0, -1), solution.marginals, atol=1e-14)
    assert np.allclose(np.moveaxis(along.vjp(np.moveaxis(g, -1, 0), h)[0], 0, -1), unary, atol=1e-12)


def test_masked_variables():
    x = draw(4, 6)
    keep = np.ones((4, 6), dtype=bool)
    keep[:, 1] = False
    got = hfy.sparsemap_solve(x, "sequence:2", mask=keep)
    assert (got.marginals[:, 1] == 0).all()
    assert np.allclose(got.marginals, hfy.sparsemap(x, "sequence:2", mask=keep))
    assert (got.vjp(np.ones((4, 6)))[0][:, 1] == 0).all()


def test_transitions():
    x = draw(6)
    tables = np.zeros((5, 2, 2))
    tables[:, 1, 1] = 0.4
    assert np.allclose(hfy.sequence(x, 3, tables), hfy.sequence(x, 3, 0.4), atol=1e-12)
    assert np.allclose(hfy.sequence(x, 3, np.full(5, 0.4)), hfy.sequence(x, 3, 0.4), atol=1e-14)
    assert np.allclose(hfy.sequence(x, 3, np.inf), hfy.sparsemap(x, "windows:3:reg=both"), atol=1e-14)
    assert np.allclose(hfy.sequence(x, 3, regulariser="on"), hfy.subsets(x, 3), atol=1e-12)


def test_structures_by_text_and_built():
    x = draw(6)
    labels = hfy.Structure.labels(3, 2, [[0.5, 0.0], [0.0, 0.5]])
    assert np.allclose(hfy.sparsemap(x, labels), hfy.sparsemap(x, "labels:3x2:t=0.5"), atol=1e-14)
    edges = list(itertools.combinations(range(4), 2))
    assert np.allclose(hfy.sparsemap(x, hfy.Structure.spanning_tree(4, edges)), hfy.sparsemap(x, "trees:4"), atol=1e-14)
    text = hfy.Structure("sequence:2:t=0.5")
    assert repr(text) == "Structure('sequence:2:t=0.5')"
    assert repr(pickle.loads(pickle.dumps(text))) == repr(text)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(labels)


def test_factors_in_brute_force():
    """A graph without cycles has the hull of what all factors allow."""
    graph = hfy.FactorGraph(5, [hfy.Factor.exactly_one([0, 1, 2]), hfy.Factor.imply([2, 3]), hfy.Factor.any_of([3, 4])])
    allowed = [
        a
        for a in itertools.product([0.0, 1.0], repeat=5)
        if a[0] + a[1] + a[2] == 1 and (a[2] == 0 or a[3] == 1) and a[3] + a[4] >= 1
    ]
    for seed in range(5):
        x = draw(5, seed=seed)
        assert np.allclose(graph.solve(x).marginals, project(allowed, x), atol=1e-6)


def test_every_factor():
    x = draw(4, seed=3)
    factor = hfy.Factor
    for made, rule in [
        (factor.exactly_one([0, 1, 2, 3]), lambda a: sum(a) == 1),
        (factor.at_most_one([0, 1, 2, 3]), lambda a: sum(a) <= 1),
        (factor.any_of([0, 1, 2, 3]), lambda a: sum(a) >= 1),
        (factor.exactly([0, 1, 2, 3], 2), lambda a: sum(a) == 2),
        (factor.at_most([0, 1, 2, 3], 2), lambda a: sum(a) <= 2),
        (factor.at_least([0, 1, 2, 3], 3), lambda a: sum(a) >= 3),
        (factor.imply([0, 1, 2, 3]), lambda a: not (a[0] and a[1] and a[2]) or a[3]),
        (factor.xor_out([0, 1, 2, 3]), lambda a: sum(a[:3]) == a[3]),
        (factor.or_out([0, 1, 2, 3]), lambda a: max(a[:3]) == a[3]),
        (factor.and_out([0, 1, 2, 3]), lambda a: min(a[:3]) == a[3]),
        (factor.exactly_one([0, 1, 2, 3]).negated([1]), lambda a: a[0] + 1 - a[1] + a[2] + a[3] == 1),
        (factor.structured([0, 1, 2, 3], "windows:2"), lambda a: a in [(1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 1, 1)]),
    ]:
        allowed = [a for a in itertools.product([0.0, 1.0], repeat=4) if rule(a)]
        solution = hfy.FactorGraph(4, [made]).solve(x)
        assert np.allclose(solution.marginals, project(allowed, x), atol=1e-6), made
    assert factor.pair(1, 2, 0.5).higher == [0.5] and factor.pair(1, 2, 0.5).variables == [1, 2]


def test_graphs_in_batches_and_their_gradients():
    factors = [hfy.Factor.exactly_one([0, 1, 2]), hfy.Factor.pair(0, 3, 0.5), hfy.Factor.at_most_one([2, 3])]
    graph = hfy.FactorGraph(4, factors)
    assert graph.variables == 4 and graph.higher == [[], [0.5], []]
    x, pair = draw(3, 2, 4), 0.5 + 0.1 * draw(3, 2, 1, seed=1)
    higher = [np.zeros(0), pair, np.zeros(0)]
    solution = graph.solve(x, higher)
    assert solution.marginals.shape == (3, 2, 4) and solution.optimal.all() and solution.higher[1].shape == (3, 2, 1)
    g = draw(3, 2, 4, seed=2)
    unary, by_factor = solution.vjp(g)
    value = lambda x, pair: (graph.solve(x, [np.zeros(0), pair, np.zeros(0)], tolerance=1e-12).marginals * g).sum()
    step = 1e-5
    for seed in range(4):
        dx, dp = draw(3, 2, 4, seed=10 + seed), draw(3, 2, 1, seed=20 + seed)
        want = (value(x + step * dx, pair + step * dp) - value(x - step * dx, pair - step * dp)) / (2 * step)
        assert np.isclose((unary * dx).sum() + (by_factor[1] * dp).sum(), want, atol=1e-4)
    h = [np.zeros(0), draw(3, 2, 1, seed=3), np.zeros(0)]
    unary, by_factor = solution.vjp(g, h)
    forward = lambda x, pair: graph.solve(x, [np.zeros(0), pair, np.zeros(0)], tolerance=1e-12)
    value = lambda found: (found.marginals * g).sum() + (found.higher[1] * h[1]).sum()
    for seed in range(4):
        dx, dp = draw(3, 2, 4, seed=30 + seed), draw(3, 2, 1, seed=40 + seed)
        ends = [value(forward(x + way * step * dx, pair + way * step * dp)) for way in (1, -1)]
        slope = (unary * dx).sum() + (by_factor[1] * dp).sum()
        assert np.isclose(slope, (ends[0] - ends[1]) / (2 * step), atol=1e-4)
    with pytest.raises(ValueError, match="higher_gradient"):
        solution.vjp(g, h[:2])


@pytest.mark.parametrize("rule", ["at_most", "exactly"])
def test_labels_with_a_budget(rule):
    for seed, (positions, labels, k) in enumerate([(3, 2, 1), (4, 2, 2), (3, 3, 0), (3, 3, 2), (1, 2, 1)]):
        x, tables = draw(positions * labels, seed=seed), draw(positions - 1, labels, labels, seed=100 + seed)
        structure = hfy.Structure.labels(positions, labels, tables, **{rule: k})
        found, vertices = words(positions, labels)
        fits = [word.count(0) <= k if rule == "at_most" else word.count(0) == k for word in found]
        own = [sum(tables[p, a, b] for p, (a, b) in enumerate(zip(word, word[1:]))) for word in found]
        allowed = [(vertex, score) for vertex, score, fit in zip(vertices, own, fits) if fit]
        want = project([vertex for vertex, _ in allowed], x, [score for _, score in allowed])
        assert np.allclose(hfy.sparsemap(x, structure), want, atol=1e-6)
        best = max(allowed, key=lambda one: one[0] @ x + one[1])
        score, vertex = structure.best(x)
        assert np.isclose(score, best[0] @ x + best[1]) and (vertex == best[0]).all()
    with pytest.raises(ValueError, match="k = 5"):
        hfy.Structure.labels(4, 2, np.zeros((2, 2)), exactly=5)
    with pytest.raises(ValueError, match="exclude"):
        hfy.Structure.labels(4, 2, np.zeros((2, 2)), exactly=1, at_most=1)


def test_any_strides():
    x = np.random.default_rng(3).standard_normal((3, 4, 5))
    want = hfy.sparsemap_solve(x, "sequence:2").marginals
    for other in [np.asfortranarray(x), x.transpose(2, 0, 1).copy().transpose(1, 2, 0), np.repeat(x, 2, axis=2)[..., ::2]]:
        assert (hfy.sparsemap_solve(other, "sequence:2").marginals == want).all()
    wide = np.broadcast_to(x[:1].astype(np.float32), x.shape)
    assert np.allclose(hfy.sparsemap_solve(wide, "sequence:2").marginals, want[:1], atol=1e-6)
    along = hfy.sparsemap_solve(np.asfortranarray(x), "sequence:2", axis=1).marginals
    assert np.allclose(along.swapaxes(1, 2), hfy.sparsemap_solve(x.swapaxes(1, 2), "sequence:2").marginals)
