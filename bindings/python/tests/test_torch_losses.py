"""Losses on tensors: values, gradients, targets, reductions, what is ignored and what is masked."""

import numpy as np
import pytest
from golden import agree, cases, scores
from torch_cases import DTYPES, draw, gradcheck, gradgradcheck, says, torch

import hfy
import hfy.torch
from hfy.torch import loss

LEARNT = [("entmax", 1.2), ("entmax", 1.7), ("entmax", 2.5), ("normmax", 1.5), ("normmax", 3.0)]
KINDS = [("softmax", None), ("sparsemax", None), ("entmax", 1.0), *LEARNT]
every_loss = pytest.mark.parametrize("name, value", KINDS)
CLASSES = torch.tensor([0, 3, 1, 4])


@every_loss
def test_values(name, value):
    x = draw(4, 5)
    want = hfy.loss(name, x.numpy(), CLASSES.numpy(), value, reduction="none")
    assert np.array_equal(loss(x, CLASSES, name, value).numpy(), want)
    # Any shape in front, any whole number as class, and classes as points.
    assert np.array_equal(loss(x.view(2, 2, 5), CLASSES.view(2, 2).int(), name, value).flatten().numpy(), want)
    dense = torch.nn.functional.one_hot(CLASSES, 5)
    assert np.allclose(loss(x, dense.double(), name, value).numpy(), want, atol=1e-14)
    assert np.allclose(loss(x, dense.bool(), name, value).numpy(), want, atol=1e-14)


@pytest.mark.parametrize("family, name, parameter", [("entmax", "entmax", "alpha"), ("normmax", "normmax", "gamma")])
def test_golden_values(family, name, parameter):
    for case in cases(family):
        x, target = torch.from_numpy(scores(case["theta"])), torch.tensor(case["target"], dtype=torch.float64)
        agree(loss(x, target, name, float(case[parameter])), case["loss"], case["tol"], case["id"])


@every_loss
def test_derivatives(name, value):
    x = draw(4, 5).requires_grad_()
    target = torch.softmax(draw(4, 5, seed=2), -1)
    for work in [lambda x: loss(x, CLASSES, name, value), lambda x: loss(x, target, name, value)]:
        assert gradcheck(work, (x,)) and gradgradcheck(work, (x,))
    (gradient,) = torch.autograd.grad(loss(x, CLASSES, name, value).sum(), x)
    want = hfy.torch.separation(x, name, value) - torch.nn.functional.one_hot(CLASSES, 5)
    assert torch.allclose(gradient, want, atol=1e-14)


@pytest.mark.parametrize("name, value", LEARNT)
def test_derivatives_in_the_parameter(name, value):
    x = draw(4, 5).requires_grad_()
    dense = torch.softmax(draw(4, 5, seed=2), -1)
    for shape, target, ignored in [((), CLASSES, 3), ((4, 1), dense, None)]:
        parameter = torch.full(shape, value, dtype=torch.float64, requires_grad=True)
        work = lambda x, p: loss(x, target, name, p, ignore_index=ignored)  # noqa: E731
        assert gradcheck(work, (x, parameter)) and gradgradcheck(work, (x, parameter))


def test_derivative_in_alpha_at_one():
    x = draw(4, 5)
    alpha = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(loss(x, CLASSES, "entmax", alpha).sum(), alpha)
    step = 1e-4
    at = [loss(x, CLASSES, "entmax", 1 + n * step).sum() for n in range(3)]
    assert torch.isclose(found, (-3 * at[0] + 4 * at[1] - at[2]) / (2 * step), atol=1e-6)
    endless = torch.tensor(torch.inf, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.grad(loss(x, CLASSES, "entmax", endless).sum(), endless)[0] == 0


MODULES = [
    (hfy.torch.SparsemaxLoss, hfy.torch.sparsemax_loss, {"k": 3}),
    (hfy.torch.SparsemaxBisectLoss, hfy.torch.sparsemax_bisect_loss, {"n_iter": 5}),
    (hfy.torch.Entmax15Loss, hfy.torch.entmax15_loss, {"k": 3}),
    (hfy.torch.EntmaxBisectLoss, hfy.torch.entmax_bisect_loss, {"alpha": 1.3, "n_iter": 5}),
    (hfy.torch.NormmaxBisectLoss, hfy.torch.normmax_bisect_loss, {"alpha": 3, "n_iter": 5}),
]
every_module = pytest.mark.parametrize("module, function, settings", MODULES)


@every_module
def test_modules(module, function, settings):
    x = draw(4, 5)
    each = function(x, CLASSES, **settings)
    assert torch.equal(module(**settings, reduction="none")(x, CLASSES), each)
    assert torch.isclose(module(**settings, reduction="sum")(x, CLASSES), each.sum())
    for name in ["elementwise_mean", "mean"]:
        assert torch.isclose(module(**settings, reduction=name)(x, CLASSES), each.mean())
    assert torch.isclose(module(*settings.values())(x, CLASSES), each.mean())
    assert "ignore_index" in repr(module()) and not module(**settings).state_dict()
    with says(ValueError, "reduction = 'median'", "elementwise_mean"):
        module(reduction="median")


@every_module
@pytest.mark.parametrize("ignored", [-100, -1, 0, 3, 77])
def test_ignored_rows(module, function, settings, ignored):
    x = draw(5, 5).requires_grad_()
    target = torch.tensor([2, ignored, 1, ignored, 4])
    counts = [0, 2, 4]
    each = module(**settings, ignore_index=ignored, reduction="none")(x, target)
    assert (each[[1, 3]] == 0).all() and torch.equal(each[counts], function(x[counts], target[counts], **settings))
    mean = module(**settings, ignore_index=ignored)(x, target)
    assert torch.isclose(mean, function(x[counts], target[counts], **settings).mean())
    (gradient,) = torch.autograd.grad(mean, x, create_graph=True)
    assert (gradient[[1, 3]] == 0).all() and gradient[counts].any()
    (second,) = torch.autograd.grad(gradient.square().sum(), x)
    assert (second[[1, 3]] == 0).all()
    # Nothing counts: nothing, rather than 0 / 0.
    assert module(**settings, ignore_index=ignored)(x, torch.full((5,), ignored)) == 0


@every_module
def test_weights_of_classes(module, function, settings):
    x, weight = draw(4, 5), torch.tensor([1.0, 2.0, 0.5, 3.0, 0.0])
    each = function(x, CLASSES, **settings) * weight[CLASSES]
    assert torch.equal(module(**settings, weight=weight, reduction="none")(x, CLASSES), each)
    assert torch.isclose(module(**settings, weight=weight)(x, CLASSES), each.sum() / weight[CLASSES].sum())
    ignoring = module(**settings, weight=weight, ignore_index=3)
    left = [0, 2, 3]
    assert torch.isclose(ignoring(x, CLASSES), each[left].sum() / weight[CLASSES[left]].sum())
    # As torch.nn.CrossEntropyLoss has it.
    theirs = torch.nn.CrossEntropyLoss(weight.double(), ignore_index=3)(x, CLASSES)
    assert torch.isclose(hfy.torch.EntmaxBisectLoss(1.0, weight=weight, ignore_index=3)(x, CLASSES), theirs)
    with says(ValueError, r"weight has shape \[4\]", r"\[5\]"):
        module(weight=torch.ones(4))(x, CLASSES)


@every_loss
def test_masked_scores(name, value):
    x = draw(4, 5)
    keep = torch.ones(4, 5, dtype=torch.bool)
    keep[:, 2] = False
    left = [0, 1, 3, 4]
    target = torch.tensor([0, 2, 1, 3])  # among those that are left
    want = loss(x[:, left], target, name, value)
    places = torch.tensor(left)[target]
    hidden = x.where(keep, -torch.inf).requires_grad_()
    for found in [loss(hidden, places, name, value), loss(x, places, name, value, mask=keep)]:
        assert torch.allclose(found, want, atol=1e-14)
    (gradient,) = torch.autograd.grad(loss(hidden, places, name, value).sum(), hidden)
    assert gradient.isfinite().all() and (gradient[:, 2] == 0).all()
    # A row with nothing left has no loss, and does not count.
    keep[1] = False
    rows = loss(x, places, name, value, mask=keep)
    assert rows[1] == 0
    assert torch.isclose(loss(x, places, name, value, mask=keep, reduction="mean"), rows[[0, 2, 3]].mean())


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype):
    x = draw(4, 5).to(dtype).requires_grad_()
    found = loss(x, CLASSES, "entmax", 1.5)
    unit = torch.finfo(dtype).eps
    assert found.dtype == dtype
    assert torch.allclose(found.double(), loss(x.double(), CLASSES, "entmax", 1.5), rtol=4 * unit, atol=4 * unit)
    assert torch.autograd.grad(found.sum(), x)[0].dtype == dtype


def test_subsets():
    x = draw(3, 6).requires_grad_()
    sets = torch.tensor([[0, 1], [4, 2], [5, 0]])
    hot = torch.zeros(3, 6, dtype=torch.bool).scatter(1, sets, True)
    want = torch.tensor(hfy.subsets_loss(x.detach().numpy(), sets.tolist(), k=2, reduction="none"))
    for target in [sets, hot, hot.double(), hot.float()]:
        assert torch.allclose(hfy.torch.subsets_loss(x, target, k=2), want)
    work = lambda x: hfy.torch.subsets_loss(x, sets, k=2)  # noqa: E731
    assert gradcheck(work, (x,)) and gradgradcheck(work, (x,))
    assert torch.isclose(hfy.torch.SubsetsLoss(2)(x, hot), want.mean())
    assert torch.isclose(hfy.torch.SubsetsLoss(2, reduction="sum")(x, sets), want.sum())
    with says(ValueError, "target has shape", r"\[3, 2\]"):
        hfy.torch.subsets_loss(x, sets[:, :1], k=2)
    with says(ValueError, "targets|domain"):
        hfy.torch.subsets_loss(x, torch.ones(3, 6), k=2)
    with says(ValueError, "reduction"):
        hfy.torch.SubsetsLoss(2, reduction="median")


def test_the_parameter_of_a_module_is_learnt_and_moved():
    alpha = hfy.torch.AlphaParameter(1.4)
    module = hfy.torch.EntmaxBisectLoss(alpha)
    module(draw(4, 5), CLASSES).backward()
    assert alpha.raw.grad != 0 and list(module.state_dict()) == ["parameter.raw"]
    module = hfy.torch.EntmaxBisectLoss(torch.tensor(1.4))
    assert list(module.state_dict()) == ["parameter"] and not list(module.parameters())
    module = hfy.torch.EntmaxBisectLoss(torch.nn.Parameter(torch.tensor(1.4)))
    assert len(list(module.parameters())) == 1


def test_bad_input():
    x = draw(2, 3)
    with says(ValueError, r"targets\[0\] = 3 in row 1", "index into the row"):
        hfy.torch.sparsemax_loss(x, torch.tensor([0, 3]))
    with says(ValueError, r"target has shape \[3\]", r"expected \[2\]"):
        hfy.torch.sparsemax_loss(x, torch.tensor([0, 1, 2]))
    with says(ValueError, r"target has shape \[3\]", r"expected \[2, 3\]"):
        hfy.torch.sparsemax_loss(x, torch.tensor([0.5, 0.5, 0.0]))
    with says(TypeError, "target is a list"):
        hfy.torch.sparsemax_loss(x, [0, 1])
    with says(ValueError, "domain"):
        hfy.torch.sparsemax_loss(x, torch.ones(2, 3))
    with says(ValueError, "NaN"):
        hfy.torch.sparsemax_loss(x * torch.nan, torch.tensor([0, 1]))
    with says(ValueError, "weight needs classes"):
        loss(x, torch.softmax(x, -1), "sparsemax", weight=torch.ones(3))
    with says(TypeError, "complex"):
        loss(x, x + 0j, "sparsemax")
