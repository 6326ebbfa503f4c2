"""Derivatives of hfy.jax: by differences, against the kernels, and through every transformation."""

import ml_dtypes
import numpy as np
import pytest
from golden import agree, agree_derivative, cases, scores, slack
from jaxed import KERNELS, MAPS, doubles, draw, every, hj, jax  # noqa: F401

from hfy import _hfy

jnp = jax.numpy
check_grads = pytest.importorskip("jax.test_util", reason="jax comes without its differences").check_grads
TRANSFORMED = {
    "grad": lambda value: jax.grad(value),
    "jit of grad": lambda value: jax.jit(jax.grad(value)),
    "grad of jit": lambda value: jax.grad(jax.jit(value)),
    "grad of checkpoint": lambda value: jax.grad(jax.checkpoint(value)),
    "jit of grad of checkpoint": lambda value: jax.jit(jax.grad(jax.checkpoint(value))),
    "vmap of grad": lambda value: jax.vmap(jax.grad(value)),
    "grad of vmap": lambda value: jax.grad(lambda x: jax.vmap(value)(x).sum()),
    "vmap of grad along another axis": lambda value: lambda x: jax.vmap(jax.grad(value), 1, 1)(x.T).T,
    "grad of scan": lambda value: jax.grad(lambda x: jax.lax.scan(lambda sum, row: (sum + value(row), None), 0.0, x)[0]),
    "grad of scan of checkpoint": lambda value: jax.jit(
        jax.grad(lambda x: jax.lax.scan(jax.checkpoint(lambda sum, row: (sum + value(row), None)), 0.0, x)[0])
    ),
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


@every
def test_by_differences(name, doubles):
    check_grads(jax.jit(MAPS[name]), (jnp.asarray(draw(2, 5, seed=3)),), order=2, modes=["fwd", "rev"])


@every
def test_transformations(name, doubles):
    x, g = draw(3, 5), draw(5, seed=1)
    want = kernel_product(name, x, np.broadcast_to(g, x.shape).copy())
    value = lambda x: (MAPS[name](x) * g).sum()
    for what, transform in TRANSFORMED.items():
        assert np.allclose(transform(value)(jnp.asarray(x)), want, atol=1e-12), what
    assert np.allclose(jax.jvp(MAPS[name], (x,), (np.broadcast_to(g, x.shape),))[1], want, atol=1e-12)


@every
def test_second_derivatives(name, doubles):
    x, g, u = jnp.asarray(draw(5, seed=2)), draw(5, seed=1), draw(5, seed=4)
    value = lambda x: (MAPS[name](x) * g).sum()
    orders = [(jax.jacfwd, jax.jacrev), (jax.jacrev, jax.jacrev), (jax.jacfwd, jax.jacfwd), (jax.jacrev, jax.jacfwd)]
    found = [jax.jit(outer(inner(value)))(x) for outer, inner in orders]
    found.append(jax.jit(jax.vmap(jax.hessian(value)))(x[None])[0])
    for hessian in found:
        assert np.allclose(hessian, found[0], atol=1e-12) and np.allclose(hessian, hessian.T, atol=1e-12)
    if name in KERNELS:
        want = _hfy.second_vjp(KERNELS[name], x, _hfy.forward(KERNELS[name], x), u, g)
        assert np.allclose(found[0] @ u, want, atol=1e-10)
    assert np.isfinite(jax.jit(jax.jacfwd(jax.hessian(value)))(x)).all()


PARAMETERS = {
    "entmax": [1.0, 1.0001, 1.2, 1.5, 2.0, 2.7, 6.0],
    "normmax": [1.2, 2.0, 5.0],
    "subsets": [1.5, 2.3],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in PARAMETERS.items() for value in values])
def test_parameters(name, value, doubles):
    x, g, function = draw(3, 5, seed=3), draw(3, 5, seed=1), getattr(hj, name)
    y = _hfy.forward(name, x, value)
    for shape in [(), (1,), (3, 1)]:
        parameter = jnp.full(shape, value)
        by_x, by_parameter = jax.jit(jax.grad(lambda x, p: (function(x, p) * g).sum(), (0, 1)))(x, parameter)
        assert np.allclose(by_parameter, _hfy.parameter_vjp(name, y, g, np.full(shape, value)), atol=1e-9)
        assert np.allclose(by_x, _hfy.pullback(name, y, g, value), atol=1e-12)
    rows = jax.jit(jax.vmap(jax.grad(lambda x, p, g: (function(x, p) * g).sum(), 1), in_axes=(0, None, 0)))(x, value, g)
    assert np.allclose(rows, _hfy.parameter_vjp(name, y, g, np.full((3, 1), value))[:, 0], atol=1e-9)
    if value in (1.2, 2.7, 5.0, 2.3):
        check_grads(jax.jit(function), (jnp.asarray(x), jnp.asarray(value)), order=2, modes=["fwd", "rev"], atol=2e-5, rtol=2e-5)


def test_second_derivatives_at_alpha_one(doubles):
    """From the right, since there is nothing on the left."""
    x = jnp.asarray(draw(5, seed=3))
    slope = jax.jit(jax.grad(lambda alpha: hj.entmax(x, alpha)[1]))
    step = 1e-5
    assert np.isclose(jax.jit(jax.grad(slope))(1.0), (slope(1.0 + step) - slope(1.0)) / step, rtol=1e-3)
    assert np.isfinite(jax.jit(jax.hessian(lambda x: hj.entmax(x, 1.0)[0]))(x)).all()


def test_the_limit_of_argmax(doubles):
    x = jnp.asarray(draw(5))
    for order in [lambda f: jax.jit(jax.grad(f)), lambda f: jax.jit(jax.hessian(f))]:
        assert (np.asarray(order(lambda x: hj.entmax(x, np.inf)[0])(x)) == 0).all()
        assert (np.asarray(order(lambda alpha: hj.entmax(x, alpha)[0])(np.inf)) == 0).all()
        assert np.isfinite(order(lambda gamma: hj.normmax(x, gamma)[0])(np.inf)).all()


def test_bounds(doubles):
    x, g = draw(3, 6, seed=4), draw(3, 6, seed=1)
    for shape in [(), (6,), (3, 6), (3, 1)]:
        upper = 0.2 + 0.3 * np.random.default_rng(7).random(shape)
        got = jax.grad(lambda upper: (hj.bounded(x, upper) * g).sum())(upper)
        assert np.allclose(got, _hfy.upper_vjp(x, _hfy.bounded(x, upper), g, upper), atol=1e-12)
    check_grads(jax.jit(hj.bounded), (jnp.asarray(x), jnp.full((6,), 0.3)), order=2, modes=["fwd", "rev"])


@pytest.mark.parametrize("family, function, argument", [("entmax", "entmax", "alpha"), ("normmax", "normmax", "gamma"), ("ksubsets", "subsets", "k")])
def test_golden_values(family, function, argument, doubles):
    by_length = {}
    for case in cases(family):
        if case.get("vjp") is not None:
            by_length.setdefault(case["n"], []).append(case)
    pull = jax.jit(jax.grad(lambda x, p, v: (getattr(hj, function)(x, p) * v).sum(), (0, 1)))
    for group in by_length.values():
        x, v = (np.stack([scores(case[key]) for case in group]) for key in ("theta", "v"))
        by_x, by_parameter = pull(x, np.array([case[argument] for case in group], dtype=float)[:, None], v)
        for case, row, derivative in zip(group, by_x, by_parameter[:, 0]):
            agree_derivative(row, case["vjp"], slack(case), case["id"])
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
        assert bent.dtype == dtype and np.isfinite(bent.astype(float)).all()


def test_small_weights_at_large_alpha():
    """Slopes near and beyond the largest number do not become NaN."""
    x = jnp.array([0.0, -0.0199999, -0.005, -1.0])
    for alpha in [20.0, 50.0, 200.0]:
        assert np.isfinite(jax.jit(jax.jacrev(lambda x: hj.entmax(x, alpha)))(x)).all()
        assert np.isfinite(jax.jit(jax.jacfwd(lambda alpha: hj.entmax(x, alpha)))(alpha)).all()
    assert np.isfinite(jax.jit(jax.hessian(lambda x: hj.entmax(x, 20.0)[2]))(x)).all()


def test_the_known_derivative_in_alpha():
    assert np.isclose(jax.grad(lambda alpha: hj.entmax([-1.0, 0.0, 0.5], alpha)[0])(1.33), -0.2562, atol=5e-5)
