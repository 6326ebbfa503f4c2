"""Derivatives of hfy.jax: by differences, against the kernels, and through every transformation."""

import ml_dtypes
import numpy as np
import pytest
from golden import agree, agree_derivative, cases, slack
from jaxed import KERNELS, MAPS, doubles, draw, every, families, hj, jax, rows  # noqa: F401

from hfy import _hfy

jnp = jax.numpy
check_grads = pytest.importorskip("jax.test_util", reason="jax comes without its differences").check_grads


def summed(value, x):
    """The sum over rows, one after the other."""
    return jax.lax.scan(lambda sum, row: (sum + value(row), None), 0.0, x)[0]


TRANSFORMED = {
    "grad": lambda value: jax.grad(value),
    "jit of grad": lambda value: jax.jit(jax.grad(value)),
    "grad of jit": lambda value: jax.grad(jax.jit(value)),
    "grad of checkpoint": lambda value: jax.grad(jax.checkpoint(value)),
    "jit of grad of checkpoint": lambda value: jax.jit(jax.grad(jax.checkpoint(value))),
    "vmap of grad": lambda value: jax.vmap(jax.grad(value)),
    "grad of vmap": lambda value: jax.grad(lambda x: jax.vmap(value)(x).sum()),
    "vmap of grad along another axis": lambda value: lambda x: jax.vmap(jax.grad(value), 1, 1)(x.T).T,
    "grad of scan": lambda value: jax.grad(lambda x: summed(value, x)),
    "jit of grad of scan of checkpoint": lambda value: jax.jit(jax.grad(lambda x: summed(jax.checkpoint(value), x))),
    "grad of cond": lambda value: jax.grad(lambda x: jax.lax.cond(x[0, 0] > -99, value, lambda x: 0.0, x)),
    "jacfwd": lambda value: jax.jacfwd(value),
    "transpose of linearize": lambda value: lambda x: jax.linear_transpose(jax.linearize(value, x)[1], x)(1.0)[0],
}


def kernel_product(name, x, direction):
    if name == "bounded":
        return _hfy.pullback("bounded", _hfy.forward("bounded", x, 0.75), direction, 0.75)
    if name == "spans" or name.startswith("sequence"):
        return _hfy.sparsemap_solve(x, KERNELS[name]).vjp(direction)[0]
    return _hfy.pullback(KERNELS[name], _hfy.forward(KERNELS[name], x), direction)


@pytest.mark.parametrize("name", ["entmax 1.3", "normmax 5", "sequence 2"])
def test_by_differences(name, doubles):
    check_grads(jax.jit(MAPS[name]), (jnp.asarray(draw(2, 5, seed=3)),), order=2, modes=["fwd", "rev"])


# One map with kernels for products, one with a solver, and one with a parameter of the shape of the scores, in all
# ways; the others in some.
THOROUGHLY, SOME = ["entmax 1.3", "sequence 2", "bounded"], ["jit of grad", "vmap of grad", "jacfwd"]


@every
def test_transformations(name, doubles):
    x, g = draw(3, 5), draw(5, seed=1)
    want = kernel_product(name, x, np.broadcast_to(g, x.shape).copy())
    value = lambda x: (MAPS[name](x) * g).sum()
    for what, transform in TRANSFORMED.items():
        if name not in THOROUGHLY and what not in SOME:
            continue
        assert np.allclose(transform(value)(jnp.asarray(x)), want, atol=1e-12), what
    assert np.allclose(jax.jvp(MAPS[name], (x,), (np.broadcast_to(g, x.shape),))[1], want, atol=1e-12)


@every
def test_second_derivatives(name, doubles):
    x, g, u = jnp.asarray(draw(5, seed=2)), draw(5, seed=1), draw(5, seed=4)
    value = lambda x: (MAPS[name](x) * g).sum()
    orders = [(jax.jacfwd, jax.jacrev), (jax.jacrev, jax.jacrev), (jax.jacfwd, jax.jacfwd), (jax.jacrev, jax.jacfwd)]
    found = [jax.jit(outer(inner(value)))(x) for outer, inner in (orders if name in THOROUGHLY else orders[:1])]
    if name in THOROUGHLY:
        found.append(jax.jit(jax.vmap(jax.hessian(value)))(x[None])[0])
    for hessian in found:
        assert np.allclose(hessian, found[0], atol=1e-12) and np.allclose(hessian, hessian.T, atol=1e-12)
    if name in KERNELS:
        want = _hfy.second_vjp(KERNELS[name], x, _hfy.forward(KERNELS[name], x), u, g)
        assert np.allclose(found[0] @ u, want, atol=1e-10)


def second_by_differences(value, *points, step=1e-6):
    """The product of all second derivatives with a direction, at some points."""
    pull = jax.jit(jax.grad(value, tuple(range(len(points[0])))))
    product = jax.jit(lambda point, way: jax.jvp(pull, point, way)[1])
    way = tuple(draw(*np.shape(part), seed=8 + place) for place, part in enumerate(points[0]))
    for point in points:
        ahead, behind = (pull(*(part + sign * step * move for part, move in zip(point, way))) for sign in (1, -1))
        for found, a, b in zip(product(point, way), ahead, behind):
            assert np.allclose(found, (a - b) / (2 * step), rtol=1e-4, atol=1e-6), point


PARAMETERS = {
    "entmax": [0.3, 0.9, 1.0, 1.0001, 1.2, 1.5, 2.0, 2.7, 6.0],
    "normmax": [1.2, 2.0, 5.0],
    "subsets": [1.5, 2.3],
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name, doubles):
    x, g, function = draw(3, 5, seed=3), draw(3, 5, seed=1), getattr(hj, name)
    pull = jax.jit(jax.grad(lambda x, p: (function(x, p) * g).sum(), (0, 1)))
    pull_rows = jax.jit(jax.vmap(jax.grad(lambda x, p, g: (function(x, p) * g).sum(), 1), in_axes=(0, None, 0)))
    for value in PARAMETERS[name]:
        y = _hfy.forward(name, x, value)
        for shape in [(), (3, 1)]:
            by_x, by_parameter = pull(x, np.full(shape, value))
            assert np.allclose(by_parameter, _hfy.parameter_vjp(name, y, g, np.full(shape, value)), atol=1e-9), value
            assert np.allclose(by_x, _hfy.pullback(name, y, g, value), atol=1e-12), value
        assert np.allclose(pull_rows(x, value, g), by_parameter[:, 0], atol=1e-9), value
    turns = [value for value in PARAMETERS[name] if value > 1.1 and value != 2]  # at 1 and 2 there is but one side
    second_by_differences(lambda x, p: (function(x, p) * g).sum(), *((x, np.array(value)) for value in turns))


def test_second_derivatives_at_alpha_one(doubles):
    """From the right, since there is nothing on the left."""
    x = jnp.asarray(draw(5, seed=3))
    slope = jax.jit(jax.grad(lambda alpha: hj.entmax(x, alpha)[1]))
    step = 1e-5
    assert np.isclose(jax.jit(jax.grad(slope))(1.0), (slope(1.0 + step) - slope(1.0)) / step, rtol=1e-3)
    assert np.isfinite(jax.jit(jax.hessian(lambda x: hj.entmax(x, 1.0)[0]))(x)).all()


def test_the_limit_of_argmax(doubles):
    x = jnp.asarray(draw(5))
    for order in [jax.grad, jax.hessian]:
        found = lambda x, inf: [order(lambda x: hj.entmax(x, inf)[0])(x), order(lambda inf: hj.entmax(x, inf)[0])(inf)]
        assert all((np.asarray(part) == 0).all() for part in jax.jit(found)(x, np.inf))
    assert (np.asarray(jax.jit(jax.hessian(lambda x: hj.normmax(x, np.inf)[0]))(x)) == 0).all()
    assert np.isfinite(jax.jit(jax.grad(lambda gamma: hj.normmax(x, gamma)[0]))(np.inf))


def test_bounds(doubles):
    x, g = draw(3, 6, seed=4), draw(3, 6, seed=1)
    for shape in [(), (6,), (3, 6), (3, 1)]:
        upper = 0.2 + 0.3 * np.random.default_rng(7).random(shape)
        got = jax.grad(lambda upper: (hj.bounded(x, upper) * g).sum())(upper)
        assert np.allclose(got, _hfy.upper_vjp(x, _hfy.bounded(x, upper), g, upper), atol=1e-12)
    second_by_differences(lambda x, upper: (hj.bounded(x, upper) ** 2 * g).sum(), (x, np.full((6,), 0.3)))


@families
def test_golden_values(family, function, argument, doubles):
    held = [case for case in cases(family) if case.get("vjp") is not None]
    pull = jax.jit(jax.grad(lambda x, p, v: (getattr(hj, function)(x, p) * v).sum(), (0, 1)))
    x, v = rows([case["theta"] for case in held], -np.inf), rows([case["v"] for case in held], 0.0)
    by_x, by_parameter = pull(x, np.array([[case[argument]] for case in held], float), v)
    for case, row, derivative in zip(held, np.asarray(by_x), np.asarray(by_parameter)[:, 0]):
        agree_derivative(row[: case["n"]], case["vjp"], slack(case), case["id"])
        if case.get("dalpha") is not None:
            agree(derivative, case["dalpha"], slack(case), case["id"])


@every
def test_masked_entries_have_no_gradient(name, doubles):
    x, g, keep = draw(4, 6), draw(4, 6, seed=1), np.ones((4, 6), dtype=bool)
    keep[:, 2] = False
    hidden = np.where(keep, x, np.nan)
    pulled = jax.jit(jax.grad(lambda x: (MAPS[name](x, mask=keep) * g).sum()))(hidden)
    assert (np.asarray(pulled)[~keep] == 0).all() and np.isfinite(pulled).all() and (pulled != 0).any()
    bent = jax.jit(jax.grad(lambda x: (jax.grad(lambda x: (MAPS[name](x, mask=keep) ** 3).sum())(x) * g).sum()))(hidden)
    assert (np.asarray(bent)[~keep] == 0).all() and np.isfinite(bent).all()


@every
def test_halves(name):
    x, g = draw(4, 6, seed=5), draw(4, 6, seed=1)
    value = lambda x, g: (MAPS[name](x) * g).sum()
    for dtype, unit in [(np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2)]:
        half, up = x.astype(dtype), g.astype(dtype)
        got = jax.jit(jax.grad(value))(half, up)
        assert got.dtype == dtype
        want = jax.jit(jax.grad(value))(half.astype(np.float32), up.astype(np.float32))
        scale = max(1, np.abs(want).max())
        if name != "entmax 3":  # whose slopes at small weights are large, and so is what rounding does to them
            assert np.allclose(got.astype(np.float32), want, atol=8 * unit * scale)
    bent = jax.jit(jax.grad(lambda x: (jax.grad(lambda x: (MAPS[name](x) ** 2).sum())(x) * up).sum()))(half)
    assert bent.dtype == half.dtype and np.isfinite(bent.astype(float)).all()


def test_small_weights_at_large_alpha():
    """Slopes near and beyond the largest number do not become NaN."""
    x = jnp.array([0.0, -0.0199999, -0.005, -1.0])
    by_x, by_alpha = jax.jit(jax.jacrev(hj.entmax)), jax.jit(jax.jacfwd(hj.entmax, 1))
    for alpha in [20.0, 50.0, 200.0]:
        assert np.isfinite(by_x(x, alpha)).all() and np.isfinite(by_alpha(x, alpha)).all()
    assert np.isfinite(jax.jit(jax.hessian(lambda x: hj.entmax(x, 20.0)[2]))(x)).all()


def test_the_known_derivative_in_alpha():
    assert np.isclose(jax.grad(lambda alpha: hj.entmax([-1.0, 0.0, 0.5], alpha)[0])(1.33), -0.2562, atol=5e-5)
