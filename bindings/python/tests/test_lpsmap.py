"""Factor graphs with the interface of lpsmap."""

import itertools
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from brute_force import assignments, project, trees, words  # noqa: E402
from golden import agree, agree_derivative, cases, slack  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

from hfy.torch.lpsmap import (  # noqa: E402
    AndOut,
    AtMostOne,
    Budget,
    ConvergenceWarning,
    DepTree,
    FactorGraph,
    Imply,
    Or,
    OrOut,
    Pair,
    Sequence,
    SequenceBudget,
    TorchFactorGraph,
    Xor,
    XorOut,
)


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        yield


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


@pytest.mark.parametrize("name", LOGIC)
def test_gradients_of_logic(name):
    factor, _ = LOGIC[name]
    for seed in range(3):
        x = tensor(draw(5, seed=seed))
        assert gradcheck(lambda x: solved(x, lambda u: factor(u)), (x,))
        assert gradcheck(lambda x: solved(x, lambda u: factor(u, negated=[True] + [False] * 4)), (x,))
    assert gradgradcheck(lambda x: solved(x, lambda u: factor(u)), (x,))


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


def matching(u, rows, columns):
    return [Xor(u[i, :]) for i in range(rows)] + [AtMostOne(u[:, j]) for j in range(columns)]


def test_golden_structures():
    """Matrices whose rows and columns have one are the hull of matchings; trees of factors have the hull of what they allow."""
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
    """Two states, on and off, are the regulariser of both states; values of lpsmap itself are those of the paper's figure."""
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


def test_variables():
    graph = TorchFactorGraph()
    x = torch.arange(12.0).reshape(3, 4) / 12
    u, v = graph.variable_from(x), graph.variable(2)
    part = u[1:][:, [0, 3]][1]
    assert u.shape == (3, 4) and part.shape == (2,) and len(u) == 3 and u[0, 0].shape == () and len(u[0]) == 4
    with pytest.raises(RuntimeError, match="not solved yet"):
        part.value
    with pytest.raises(RuntimeError, match="not solved yet"):
        graph.solution
    graph.add(Xor([part, v]))
    graph.solve()
    assert torch.equal(part.value, u.value[2, [0, 3]]) and u[0, 0].value.shape == ()
    assert torch.allclose(part.value.sum() + v.value.sum(), torch.tensor(1.0))
    assert torch.equal(u[x > 0.5].value, u.value[x > 0.5]) and u.value.dtype is torch.float32
    graph.add(Budget(v, torch.tensor(0.0)))  # a graph may grow, and is solved again
    graph.solve()
    assert (v.value.abs() < 1e-5).all()
    assert [row.shape for row in u] == [(4,)] * 3


def test_batches_are_solved_as_instances_are():
    x, y, t, s = (tensor(draw(*shape, seed=i)) for i, shape in enumerate([(4, 3, 3), (4, 2), (4, 2, 3, 3), (2,)]))

    def build(graph, x, y, t, s):
        u, v = graph.variable_from(x), graph.variable_from(y)
        graph.add(Sequence(u, t))
        graph.add(Pair(u[0, :2], v, s))
        graph.add(AtMostOne(u[:, 0]))
        graph.solve(tol=1e-11, max_iter=10_000)
        return u.value, v.value

    graph = TorchFactorGraph(batch_dims=1)
    u, v = build(graph, x, y, t, s)
    gu, gv = torch.from_numpy(draw(4, 3, 3, seed=9)), torch.from_numpy(draw(4, 2, seed=10))
    together = torch.autograd.grad((u * gu).sum() + (v * gv).sum(), (x, y, t, s))
    total = 0
    for i in range(4):
        one, other = build(TorchFactorGraph(), x[i], y[i], t[i], s)
        assert torch.allclose(u[i], one, atol=1e-8) and torch.allclose(v[i], other, atol=1e-8)
        total = total + (one * gu[i]).sum() + (other * gv[i]).sum()
    for got, want in zip(together, torch.autograd.grad(total, (x, y, t, s))):
        assert torch.allclose(got, want, atol=1e-6)
    assert graph.solution.status.shape == (4,) and graph.solution.converged.all()
    assert graph.variables[0][:, 0].value.shape == (4, 3) and graph.variables[0][0, 0].value.shape == (4,)
    numpy = FactorGraph(batch_dims=1)
    u_numpy, _ = build(numpy, *(part.detach().numpy() for part in (x, y, t, s)))
    assert np.allclose(u_numpy, u.detach(), atol=1e-8)
    two = FactorGraph(batch_dims=2)
    w = two.variable_from(draw(2, 3, 5))
    two.add(Xor(w))
    two.solve()
    assert w.value.shape == (2, 3, 5) and np.allclose(w.value.sum(-1), 1) and two.solution.value.shape == (2, 3)


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


def test_a_relaxation_without_an_integral_solution():
    """Three that pairwise exclude each other one by one, and pay alike: halves are better than any assignment."""
    graph = FactorGraph()
    u = graph.variable_from(np.ones(3))
    for pair in itertools.combinations(range(3), 2):
        graph.add(AtMostOne(u[list(pair)]))
    graph.solve_map()
    assert np.allclose(u.value, 0.5, atol=1e-6)
    assert graph.solution.status == "fractional" and np.isclose(graph.solution.value, 1.5)


def test_limits_are_said():
    graph = TorchFactorGraph()
    u = graph.variable_from(torch.from_numpy(draw(6, 6)))
    for factor in matching(u, 6, 6):
        graph.add(factor)
    with pytest.warns(ConvergenceWarning, match="max_iter = 2 was reached in 1 of 1"):
        graph.solve(max_iter=2)
    solution = graph.solution
    assert solution.status == "unsolved" and not solution.converged and solution.primal_residual > 1e-6
    graph.solve()
    assert graph.solution.converged and graph.solution.primal_residual <= 1e-6 and graph.solution.iterations > 2


def test_factors_that_contradict_each_other_are_said():
    graph = FactorGraph()
    u = graph.variable_from(draw(3))
    graph.add(Xor(u))
    graph.add(Budget(u, 2, force_budget=True))
    with pytest.warns(ConvergenceWarning):
        graph.solve(max_iter=50)
    assert graph.solution.status == "unsolved"


def test_arguments_of_solve(capsys):
    x = draw(3, 3)
    graph = FactorGraph()
    u = graph.variable_from(x)
    for factor in matching(u, 3, 3):
        graph.add(factor)
    graph.solve()
    want = u.value
    for settings in [
        {"max_inner_iter": 100},
        {"adapt": False},
        {"step_size": 1.0},
        {"autodetect_acyclic": False},
        {"tol": 1e-9},
    ]:
        graph.solve(**settings)
        assert np.allclose(u.value, want, atol=1e-5), settings
    assert capsys.readouterr().out == ""
    graph.solve(verbose=True)
    assert "fractional" in capsys.readouterr().out
    one = FactorGraph()
    v = one.variable_from(x[0])
    one.add(Budget(v, 1))
    one.solve(step_size=0.0, max_iter=1)  # how lpsmap is told that a factor is alone
    assert one.solution.iterations == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_dtypes(dtype):
    x = torch.tensor(draw(3, 3)).to(dtype).requires_grad_()
    value = solved(x, lambda u: Xor(u[0]))
    assert value.dtype is dtype
    value[0, 0].backward()
    assert x.grad.dtype is dtype


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that torch sees")
@pytest.mark.filterwarnings("ignore:hfy.torch computes tensors on cuda")
def test_tensors_on_a_gpu():
    found = []
    for device in ("cpu", "cuda"):
        x, t = (torch.tensor(draw(*shape), device=device, requires_grad=True) for shape in [(4, 3), (3 + 27 + 3,)])
        graph = TorchFactorGraph()
        u = graph.variable_from(x)
        graph.add(Sequence(u, t))
        graph.add(Budget(u[:, 0], 1))
        graph.solve()
        gradients = torch.autograd.grad(u[1:].value.square().sum(), (x, t))
        assert all(part.device.type == device for part in (u.value, u[0].value, *gradients))
        graph.solve_map()
        assert u.value.device.type == device
        found.append([part.detach().cpu() for part in (u.value, *gradients)])
    assert all(torch.allclose(here, there, atol=1e-12) for here, there in zip(*found))


def graph_with(shape=(3, 3), batch_dims=0):
    graph = FactorGraph(batch_dims)
    return graph, graph.variable_from(draw(*shape))


@pytest.mark.parametrize(
    "factor, error, words",
    [
        (lambda u: Xor(graph_with()[1]), ValueError, "not of this graph"),
        (lambda u: Xor(3), TypeError, "variables are a int"),
        (lambda u: Xor(u[0], negated=[True]), ValueError, "negated has 1 entries"),
        (lambda u: Xor([u[0], u[0]]), ValueError, "twice"),
        (lambda u: Xor(u[:0]), ValueError, "variables"),
        (lambda u: Budget(u, -1), ValueError, "budget = -1"),
        (lambda u: Budget(u, 1.5), ValueError, "budget = 1.5"),
        (lambda u: Budget(u[0], 4, force_budget=True), ValueError, "budget = 4"),
        (lambda u: Pair(u[0], u[1, :2], np.zeros(3)), ValueError, "3 and 2 variables"),
        (lambda u: Pair(u[0], u[1], np.zeros(2)), ValueError, r"additionals are of shape \(2,\)"),
        (lambda u: Pair(u[0], u[1], ["a", "b", "c"]), TypeError, "additionals are of dtype"),
        (lambda u: Pair(u[0], u[1], [np.nan, 0, 0]), ValueError, "NaN"),
        (lambda u: Sequence(u[0], np.zeros(9)), ValueError, r"shape \(3,\)"),
        (lambda u: Sequence(u, np.zeros((4, 3, 3))), ValueError, "expected 18 or 24 scores"),
        (lambda u: SequenceBudget(u, np.zeros((2, 3, 3)), 4, True), ValueError, "budget = 4"),
        (lambda u: DepTree(u[:2]), ValueError, r"shape \(2, 3\)"),
    ],
)
def test_wrong_factors(factor, error, words):
    graph, u = graph_with()
    with pytest.raises(error, match=words):
        graph.add(factor(u))
        graph.solve()


def test_wrong_input():
    graph, u = graph_with()
    with pytest.raises(TypeError, match="factor is a Variable"):
        graph.add(u)
    for setting, words in [("max_iter", "max_iter = 0"), ("tol", "tol = 0"), ("step_size", "step_size = -1")]:
        with pytest.raises(ValueError, match=words):
            graph.solve(**{setting: -1 if setting == "step_size" else 0})
    with pytest.raises(ValueError, match="no variables"):
        FactorGraph().solve()
    with pytest.raises(ValueError, match="batch_dims = -1"):
        FactorGraph(-1)
    with pytest.raises(ValueError, match="expected 2 for the batch"):
        FactorGraph(2).variable_from(np.zeros(3))
    batched, _ = graph_with(batch_dims=1)
    with pytest.raises(ValueError, match=r"batch \(4,\)"):
        batched.variable_from(np.zeros((4, 2)))
    with pytest.raises(TypeError, match="scores are of dtype torch.int64"):
        TorchFactorGraph().variable_from(torch.arange(3))
    with pytest.raises(ValueError, match="NaN"):
        solved(np.array([np.nan, 0.0]))
