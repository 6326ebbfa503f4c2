"""Agreement with the package entmax wherever it is right, and known values where it is not."""

import inspect

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch_cases import draw, torch

import hfy.torch as ours

entmax = pytest.importorskip("entmax", reason="the package entmax is compared with")

MAPS = ["sparsemax", "entmax15", "sparsemax_bisect", "entmax_bisect", "normmax_bisect", "budget_bisect"]
LOSSES = ["sparsemax_loss", "entmax15_loss", "sparsemax_bisect_loss", "entmax_bisect_loss", "normmax_bisect_loss"]
MODULES = ["SparsemaxLoss", "SparsemaxBisectLoss", "Entmax15Loss", "EntmaxBisectLoss", "NormmaxBisectLoss"]


@st.composite
def problems(draw_from):
    """Scores of some shape, axis and scale."""
    shape = draw_from(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    dim = draw_from(st.integers(-len(shape), len(shape) - 1))
    shape[dim] = draw_from(st.integers(2, 12))
    scale = 10.0 ** draw_from(st.integers(-2, 2))
    seed = draw_from(st.integers(0, 2**20))
    return draw(*shape, seed=seed) * scale, draw(*shape, seed=seed + 1), dim


def agree(theirs, mine, x, g, tolerance):
    """Values, and gradients where no weight is so small that its support is a matter of rounding."""
    leaves = [x.clone().requires_grad_() for _ in range(2)]
    want, found = theirs(leaves[0]), mine(leaves[1])
    assert torch.allclose(found, want, atol=tolerance), (found - want).abs().max()
    if ((want > 0) == (found > 0)).all() and not ((found > 0) & (found < 1e-5)).any():
        # A bisection leaves weights of relative error, which steep derivatives show.
        a, b = (torch.autograd.grad(y, leaf, g)[0] for y, leaf in zip((want, found), leaves))
        assert torch.allclose(a, b, atol=1e-5, rtol=1e-5), (a - b).abs().max()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(problem=problems())
@pytest.mark.parametrize("name", ["sparsemax", "entmax15", "sparsemax_bisect"])
def test_maps(name, problem):
    x, g, dim = problem
    agree(lambda x: getattr(entmax, name)(x, dim), lambda x: getattr(ours, name)(x, dim), x, g, 1e-9)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(problem=problems(), alpha=st.one_of(st.floats(0.3, 0.95), st.floats(1.05, 3.0)))
def test_entmax(problem, alpha):
    x, g, dim = problem
    agree(lambda x: entmax.entmax_bisect(x, alpha, dim), lambda x: ours.entmax_bisect(x, alpha, dim), x, g, 1e-8)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(problem=problems(), gamma=st.floats(1.2, 6.0))
def test_normmax(problem, gamma):
    x, g, dim = problem
    agree(lambda x: entmax.normmax_bisect(x, gamma, dim), lambda x: ours.normmax_bisect(x, gamma, dim), x, g, 1e-6)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(problem=problems(), k=st.integers(1, 4))
def test_budget(problem, k):
    x, g, dim = problem
    assume(k < x.shape[dim])

    def theirs(x):
        # Its gradient is an error or wrong for most other shapes and axes.
        rows = x.movedim(dim, -1)
        return entmax.budget_bisect(rows.reshape(-1, rows.shape[-1]), k).reshape(rows.shape).movedim(-1, dim)

    agree(theirs, lambda x: ours.budget_bisect(x, k, dim), x, g, 1e-8)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**20), shape=st.sampled_from([(), (1,), (4, 1), (3, 1, 1), (3, 4, 1)]))
def test_gradient_in_alpha(seed, shape):
    x, g = draw(3, 4, 6, seed=seed), draw(3, 4, 6, seed=seed + 1)
    alpha = 1.1 + 1.2 * torch.rand(shape, generator=torch.Generator().manual_seed(seed)).double()
    found = []
    for function in (entmax.entmax_bisect, ours.entmax_bisect):
        leaf = alpha.clone().requires_grad_()
        wide = leaf if shape else leaf.expand(3, 4, 1)
        y = function(x, wide)
        found.append((y, torch.autograd.grad(y, leaf, g)[0]))
    assume(not ((found[1][0] > 0) & (found[1][0] < 1e-5)).any())
    assert torch.allclose(found[0][1], found[1][1], atol=1e-5)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**20), rows=st.integers(1, 6), classes=st.integers(2, 9))
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, seed, rows, classes):
    x = draw(rows, classes, seed=seed) * 2
    target = torch.randint(classes, (rows,), generator=torch.Generator().manual_seed(seed))
    g = draw(rows, seed=seed + 1)
    leaves = [x.clone().requires_grad_() for _ in range(2)]
    want, found = (getattr(package, name)(leaf, target) for package, leaf in zip((entmax, ours), leaves))
    assert torch.allclose(found, want, atol=1e-8)
    a, b = (torch.autograd.grad(y, leaf, g)[0] for y, leaf in zip((want, found), leaves))
    assert torch.allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("reduction", ["elementwise_mean", "sum", "none"])
@pytest.mark.parametrize("ignored", [-100, 2])
def test_loss_modules(name, reduction, ignored):
    x, target = draw(6, 5), torch.tensor([0, 2, 1, 2, 4, 3])
    theirs, mine = (getattr(package, name)(ignore_index=ignored, reduction=reduction) for package in (entmax, ours))
    assert torch.allclose(mine(x, target), theirs(x, target), atol=1e-7)


def signature(function):
    import inspect

    return [part for part in inspect.signature(function).parameters.values() if part.kind is not part.KEYWORD_ONLY]


@pytest.mark.parametrize("name", [name for name in dir(entmax) if name in ours.__all__])
def test_calls_that_work_there_work_here(name):
    """The same names in the same places, with the same defaults; what is new comes after them."""
    theirs, mine = signature(getattr(entmax, name)), signature(getattr(ours, name))
    assert len(mine) >= len(theirs)
    for a, b in zip(theirs, mine):
        assert (a.name, a.default) == (b.name, b.default)


# Where the package is wrong.


def test_alpha_of_one_is_softmax():
    x = torch.tensor([-2.0, 0.0, 0.5], dtype=torch.float64)
    want = torch.tensor([0.0486, 0.3592, 0.5922], dtype=torch.float64)
    assert torch.allclose(ours.entmax_bisect(x, 1.0), want, atol=5e-5)
    near = [ours.entmax_bisect(x, 1 + step) for step in (0.0, 1e-12, 1e-6)]
    assert torch.allclose(near[0], near[1], atol=1e-11) and torch.allclose(near[0], near[2], atol=1e-5)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.75])
def test_alpha_below_one_has_weight_everywhere(alpha):
    x = draw(3, 8).requires_grad_()
    y = ours.entmax_bisect(x, alpha)
    assert (y > 0).all() and torch.allclose(y.sum(-1), torch.ones(3, dtype=torch.float64))
    leaf = torch.tensor(alpha, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, alpha: ours.entmax_bisect(x, alpha.view(1, 1)), (x, leaf))


def test_one_masked_score_leaves_the_budget():
    x = torch.tensor([0.0, 0.25, -torch.inf, 0.5, 0.75, 1.0])
    assert torch.allclose(ours.budget_bisect(x, 2), torch.tensor([0.0, 0.125, 0.0, 0.375, 0.625, 0.875]))


def test_rows_that_are_entirely_masked():
    x = torch.full((2, 3), -torch.inf)
    for name in MAPS:
        assert (getattr(ours, name)(x) == 0).all(), name


def test_masked_scores_in_losses():
    x = torch.tensor([[0.0, 0.5, -torch.inf]])
    assert torch.isclose(ours.sparsemax_loss(x, torch.tensor([1])), torch.tensor(0.0625)).all()
    assert ours.entmax15_loss(x, torch.tensor([1])).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types(dtype):
    x = draw(4, 50)
    for name in MAPS:
        mass = 2 if name == "budget_bisect" else 1
        y = getattr(ours, name)(x.to(dtype))
        assert torch.allclose(y.double().sum(-1), torch.tensor(mass, dtype=torch.float64), atol=0.02), name
        assert torch.allclose(y.double(), getattr(ours, name)(x.to(dtype).double()), atol=0.005), name


def test_far_from_zero_the_budget_is_kept():
    y = ours.budget_bisect(draw(8, 64).float() + 1e4, 8)
    assert torch.allclose(y.sum(-1), torch.tensor(8.0), atol=1e-4)


def test_budget_has_its_gradient_in_tensors_with_axes_of_length_one():
    x, g = draw(3, 1, 6), draw(3, 1, 6, seed=1)
    (flat,) = torch.autograd.grad(ours.budget_bisect(flat_x := x[:, 0].clone().requires_grad_(), 2), flat_x, g[:, 0])
    (deep,) = torch.autograd.grad(ours.budget_bisect(deep_x := x.clone().requires_grad_(), 2), deep_x, g)
    assert torch.equal(flat, deep[:, 0])


def test_a_negative_axis_with_k():
    x = draw(3, 4, 5)
    assert torch.equal(ours.sparsemax(x, -2, k=2), ours.sparsemax(x, 1))


def test_readme_of_entmax():
    x = torch.tensor([-2.0, 0.0, 0.5])
    want = {
        "sparsemax": [0.0, 0.25, 0.75],
        "entmax15": [0.0, 0.3260, 0.6740],
        "normmax_bisect": [0.0, 0.3110, 0.6890],
        "budget_bisect": [0.0, 1.0, 1.0],
    }
    for name, weights in want.items():
        assert torch.allclose(getattr(ours, name)(x), torch.tensor(weights), atol=5e-5), name
    assert torch.allclose(ours.normmax_bisect(x, 1000), torch.tensor([0.0, 0.4997, 0.5003]), atol=5e-5)


def public(module):
    """The functions and classes that `from module import *` gives."""
    names: dict = {}
    exec(f"from {module} import *", names)
    return {name: value for name, value in names.items() if inspect.isclass(value) or inspect.isfunction(value)}


def test_every_name_of_theirs_is_one_of_ours_and_takes_the_same_arguments():
    theirs, mine = public("entmax"), public("hfy.torch")
    assert len(theirs) > 15
    for name, value in theirs.items():
        want = inspect.signature(value).parameters.values()
        found = list(inspect.signature(mine[name]).parameters.values())
        for place, argument in enumerate(want):
            ours_has = found[place]
            assert (ours_has.name, ours_has.default) == (argument.name, argument.default), f"{name}({argument})"


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("Sparsemax", {"dim": 0}),
        ("Entmax15", {"dim": 1}),
        ("SparsemaxBisect", {"dim": -1}),
        ("EntmaxBisect", {"alpha": 1.3, "dim": -2}),
        ("NormmaxBisect", {"alpha": 3, "dim": 1}),
        ("BudgetBisect", {"budget": 3, "dim": -1}),
    ],
)
def test_modules_agree(name, arguments):
    x, g = draw(6, 7, 8, seed=1), draw(6, 7, 8, seed=2)
    agree(getattr(entmax, name)(**arguments), getattr(ours, name)(**arguments), x, g, 1e-6)


def test_a_module_learns_its_parameter_and_keeps_a_tensor_in_its_state():
    x = draw(4, 6, seed=3)
    learned = ours.EntmaxBisect(ours.AlphaParameter(1.5))
    learned(x).square().sum().backward()
    assert all(parameter.grad is not None for parameter in learned.parameters())
    kept = ours.NormmaxBisect(torch.tensor([2.0, 3.0, 4.0, 5.0], dtype=x.dtype).unsqueeze(1))
    assert list(kept.state_dict()) == ["parameter"]
    assert torch.allclose(kept(x)[1], ours.normmax(x[1], 3.0))
    weights, sizes = ours.Sparsemax(return_support_size=True)(x)
    assert (sizes.squeeze(1) == (weights > 0).sum(1)).all()
