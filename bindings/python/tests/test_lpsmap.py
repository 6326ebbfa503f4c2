"""Graphs with the interface of lpsmap: variables, batches, reports, what is refused."""

import numpy as np
import pytest
from lpsmap_cases import CONVERGES, draw, matching, solved, tensor, torch

from hfy.torch.lpsmap import (
    AtMostOne,
    Budget,
    ConvergenceWarning,
    DepTree,
    FactorGraph,
    Pair,
    Sequence,
    SequenceBudget,
    TorchFactorGraph,
    Xor,
)

pytestmark = CONVERGES


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
