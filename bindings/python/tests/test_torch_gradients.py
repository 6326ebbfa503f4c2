"""Derivatives of the maps on tensors, of first and higher order."""

import pytest
from torch_cases import DTYPES, draw, every, every_parameter, gradcheck, gradgradcheck, torch

import hfy.torch
from hfy.torch import _formulas, _kernels, separation


@every
def test_first_and_second_order(name, value):
    x = draw(3, 5).requires_grad_()
    assert gradcheck(lambda x: separation(x, name, value), (x,))
    assert gradgradcheck(lambda x: separation(x, name, value), (x,))
    mask = torch.tensor([True, True, False, True, True])
    if not name.startswith("sequence"):
        assert gradgradcheck(lambda x: separation(x, name, value, 1, mask=mask), (x,))
    if name != "bounded":  # three bounds of 0.4 leave no room to move
        assert gradgradcheck(lambda x: separation(x, name, value, 0), (x,))


@every_parameter
def test_first_and_second_order_with_the_parameter(name, value):
    x = draw(3, 5).requires_grad_()
    shapes = [(), (3, 1)] if name != "bounded" else [(), (5,), (3, 5)]
    for shape in shapes:
        parameter = (value + 0.1 * torch.rand(shape, generator=torch.Generator().manual_seed(1)).double())
        parameter = parameter.requires_grad_()
        assert gradcheck(lambda x, p: separation(x, name, p), (x, parameter))
        assert gradgradcheck(lambda x, p: separation(x, name, p), (x, parameter))


def test_third_order():
    x, alpha = draw(5).requires_grad_(), torch.tensor(1.3, dtype=torch.float64, requires_grad=True)

    def slope(x, alpha):
        y = separation(x, "entmax", alpha)
        return torch.autograd.grad(y[0] * y[1], (x, alpha), create_graph=True)

    assert gradgradcheck(slope, (x, alpha), atol=1e-4)


@pytest.mark.parametrize("above", [0.0, 1e-9, 1e-4])
def test_alpha_at_one(above):
    """There the derivative is that from the right."""
    x, g = draw(4, 6), draw(4, 6, seed=1)
    alpha = torch.tensor(1.0 + above, dtype=torch.float64, requires_grad=True)

    def slope(alpha):
        return torch.autograd.grad((separation(x, "entmax", alpha) * g).sum(), alpha, create_graph=True)[0]

    value = lambda alpha: (separation(x, "entmax", alpha) * g).sum()  # noqa: E731
    step = 1e-4
    at = [value(1 + above + n * step) for n in range(3)]
    assert torch.isclose(slope(alpha), (-3 * at[0] + 4 * at[1] - at[2]) / (2 * step), atol=1e-6)
    (bend,) = torch.autograd.grad(slope(alpha), alpha)
    ahead = [slope(torch.tensor(1 + above + n * step, dtype=torch.float64, requires_grad=True)) for n in range(3)]
    assert torch.isclose(bend, (-3 * ahead[0] + 4 * ahead[1] - ahead[2]) / (2 * step), atol=1e-5)


@pytest.mark.parametrize("name", ["entmax", "normmax"])
def test_parameters_without_end(name):
    x = draw(3, 5).requires_grad_()
    parameter = torch.tensor(torch.inf, dtype=torch.float64, requires_grad=True)
    y = separation(x, name, parameter)
    gradients = torch.autograd.grad(y.square().sum() + x.sum() * 0, (x, parameter), create_graph=True)
    assert not any(part.any() for part in gradients)
    second = torch.autograd.grad(gradients[0].sum(), (x, parameter), allow_unused=True)
    assert not any(part.any() for part in second if part is not None)


ENTMAXES = [("entmax", alpha) for alpha in (0.4, 0.9, 1 + 1e-7, 1.3, 2.4)]
CURVED = [*ENTMAXES, ("normmax", 1.5), ("normmax", 5.0), ("power", 3.0)]


@pytest.mark.parametrize("name, value", CURVED)
def test_expressions_are_what_the_kernels_compute(name, value):
    x, g = draw(6, 9), draw(6, 9, seed=1)
    parameter = torch.tensor(value, dtype=torch.float64)
    y = separation(x, name, parameter)
    want = _kernels.pulled(y, g, parameter, None, name, -1)
    assert torch.allclose(_formulas.pullback(y, parameter, g=g, omega=name, dim=-1), want, atol=1e-12)
    text = f"{name}:{value!r}"
    assert torch.allclose(_formulas.pullback(y, None, g=g, omega=text, dim=-1), want, atol=1e-12)
    want = _kernels.parameter_gradient(None, y, g, parameter, None, name, -1)
    found = _formulas.parameter_gradient(y, g, parameter, x=None, omega=name, dim=-1)
    assert torch.allclose(found, want, atol=1e-11, rtol=1e-9)


def test_expressions_know_which_bounds_are_met():
    """A bound of 0 is met by an entry that would have weight, and by no other."""
    x, g = draw(8, 6), draw(8, 6, seed=1)
    upper = torch.tensor([0.3, 0.0, 0.5, 0.5, 0.0, 0.4], dtype=torch.float64)
    y = separation(x, "bounded", upper)
    want = _kernels.parameter_gradient(x, y, g, upper, None, "bounded", -1)
    assert want[[1, 4]].any()
    assert torch.allclose(_formulas.parameter_gradient(y, g, upper, x=x, omega="bounded", dim=-1), want)


@every
@pytest.mark.parametrize("dtype", DTYPES)
def test_types_of_gradients(name, value, dtype):
    x = draw(4, 7).to(dtype).requires_grad_()
    g = draw(4, 7, seed=1).to(dtype)
    (found,) = torch.autograd.grad(separation(x, name, value), x, g)
    wide = x.detach().double().requires_grad_()
    (want,) = torch.autograd.grad(separation(wide, name, value), wide, g.double())
    assert found.dtype == dtype
    # The weights were rounded, and the derivatives of some maps are steep where weights are small.
    unit = max(torch.finfo(dtype).eps, 1e-6) * (60 if name == "normmax" or value == 2.7 else 12)
    assert torch.allclose(found.double(), want, atol=unit, rtol=unit)


@pytest.mark.parametrize("dtype", DTYPES)
def test_types_of_parameters(dtype):
    alpha = torch.tensor(1.5, dtype=dtype, requires_grad=True)
    for other in DTYPES:
        y = separation(draw(3, 5, dtype=other), "entmax", alpha)
        (gradient,) = torch.autograd.grad(y[:, 0].sum(), alpha)
        assert gradient.dtype == dtype and gradient.isfinite() and gradient != 0


def test_strides_of_gradients():
    x, g = draw(6, 5).requires_grad_(), draw(5, 6, seed=1).T
    y = separation(x, "entmax", 1.5)
    (want,) = torch.autograd.grad(y, x, g.contiguous(), retain_graph=True)
    assert torch.equal(torch.autograd.grad(y, x, g, retain_graph=True)[0], want)
    # What sum() sends back is one number seen many times.
    (nothing,) = torch.autograd.grad(y.sum(), x)
    assert nothing.abs().max() < 1e-15


@every
def test_a_pass_that_is_differentiated_gives_the_same(name, value):
    x, g = draw(4, 6).requires_grad_(), draw(4, 6, seed=1)
    y = separation(x, name, value)
    (plain,) = torch.autograd.grad(y, x, g, retain_graph=True)
    (watched,) = torch.autograd.grad(y, x, g, create_graph=True)
    assert torch.equal(plain, watched)


@pytest.mark.parametrize("name, value", [("softmax", None), ("entmax", 1.5), ("subsets", 2.0)])
def test_gradients_that_are_not_finite(name, value):
    """They come with the scaling of losses, which looks for them: their row is spoilt, and no other."""
    x, g = draw(4, 6).requires_grad_(), draw(4, 6, seed=1)
    (want,) = torch.autograd.grad(separation(x, name, value), x, g)
    y = separation(x, name, value)
    place = int(y[2].argmax()) if name != "subsets" else int(((y[2] > 0) & (y[2] < 1)).nonzero()[0])
    g[2, place] = torch.inf
    (found,) = torch.autograd.grad(y, x, g)
    assert found[2].isnan().any()
    keep = [0, 1, 3]
    assert torch.equal(found[keep], want[keep])
    parameter = torch.full((4, 1), value or 1.0, dtype=torch.float64, requires_grad=True)
    if name != "softmax":
        (turned,) = torch.autograd.grad(separation(x, name, parameter), parameter, g)
        assert turned[2].isnan() and turned[keep].isfinite().all()


def test_only_what_is_asked_for_is_computed():
    x, alpha = draw(3, 5), torch.tensor(1.5, requires_grad=True)
    assert torch.autograd.grad(separation(x, "entmax", alpha)[:, 0].sum(), alpha)[0] != 0
    x.requires_grad_()
    assert torch.autograd.grad(separation(x, "entmax", alpha.detach())[:, 0].sum(), x)[0].any()


def test_the_known_derivative_in_alpha():
    alpha = torch.tensor(1.33, dtype=torch.float64, requires_grad=True)
    y = hfy.torch.entmax_bisect(torch.tensor([-1.0, 0.0, 0.5], dtype=torch.float64), alpha)
    assert abs(torch.autograd.grad(y[0], alpha)[0].item() + 0.2562) < 5e-5


@every
def test_graphs_of_modules_train(name, value):
    """A step along the gradient lowers a loss."""
    torch.manual_seed(0)
    layer = torch.nn.Linear(4, 6)
    x, want = draw(8, 4, dtype=torch.float32), torch.softmax(draw(8, 6, seed=3, dtype=torch.float32), -1)
    measure = lambda: (separation(layer(x), name, value) - want).square().mean()  # noqa: E731
    before = measure()
    before.backward()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter -= 0.01 * parameter.grad
    assert measure() < before
