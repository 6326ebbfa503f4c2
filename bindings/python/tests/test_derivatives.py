"""Derivatives, by differences."""

import ml_dtypes
import numpy as np
import pytest

import hfy
from hfy import _hfy

STEP = 1e-6
MAPS = [
    ("softmax", None),
    ("sparsemax", None),
    ("entmax", 1.5),
    ("entmax", 1.2), ("entmax", 2.7), ("normmax", 3.0), ("subsets", 2.0), ("bounded", 0.4), ("power", 3.0), ("exponential", None)]
every = pytest.mark.parametrize("name, parameter", MAPS)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def smooth(name, parameter, x):
    """Rows without a kink near: where a support changes within a step, no difference is a derivative."""
    if name in ("softmax", "power", "exponential"):
        return x
    for seed in range(100):
        near = [_hfy.forward(name, x + s * 1e-4 * draw(*x.shape, seed=9), parameter) for s in (-1, 0, 1)]
        if all(((y > 0) == (near[1] > 0)).all() and ((y == 1) == (near[1] == 1)).all() for y in near):
            return x
        x = draw(*x.shape, seed=1000 + seed)
    raise AssertionError("no smooth rows found")


def differences(function, x, g):
    """The gradient of g · function(x)."""
    out = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[place] = STEP
        out[place] = ((function(x + move) - function(x - move)) * g).sum() / (2 * STEP)
    return out


@every
def test_pullback(name, parameter):
    x, g = smooth(name, parameter, draw(3, 5)), draw(3, 5, seed=1)
    for axis in [0, 1]:
        x = smooth(name, parameter, x) if axis else smooth(name, parameter, x.T.copy()).T
        if name == "bounded" and axis == 0:
            continue  # three bounds of 0.4 leave no room to move
        y = _hfy.forward(name, x, parameter, axis=axis)
        want = differences(lambda x: _hfy.forward(name, x, parameter, axis=axis), x, g)
        got = _hfy.pullback(name, y, g, parameter, axis=axis)
        assert np.allclose(got, want, atol=1e-6)
        out = g.copy()
        assert _hfy.pullback(name, y, out, parameter, axis=axis, out=out) is out and (out == got).all()
        # Symmetric: the product with a direction is the same.
        other = draw(3, 5, seed=2)
        assert np.isclose((got * other).sum(), (_hfy.pullback(name, y, other, parameter, axis=axis) * g).sum())


@every
def test_temperature(name, parameter):
    x, g = smooth(name, parameter, draw(4, 6)), draw(4, 6, seed=1)
    beta = 0.999
    y = _hfy.forward(name, x, parameter, beta=beta)
    pulled = _hfy.pullback(name, y, g, parameter, beta=beta)
    by_beta = [(_hfy.forward(name, x, parameter, beta=beta + s * STEP) * g).sum() for s in (-1, 1)]
    assert np.isclose(_hfy.beta_vjp(x, pulled, beta), (by_beta[1] - by_beta[0]) / (2 * STEP), atol=1e-6)


@pytest.mark.parametrize("name, low, high", [("entmax", 1.1, 3.0), ("normmax", 1.2, 5.0), ("subsets", 0.5, 4.5), ("power", 1.5, 4.0)])
def test_parameters_of_any_shape(name, low, high):
    x, g = draw(3, 4, 6, seed=5), draw(3, 4, 6, seed=1)
    for shape in [(), (1,), (3, 4, 1), (4, 1), (3, 1, 1)]:
        parameter = low + (high - low) * np.random.default_rng(3).random(shape)
        y = _hfy.forward(name, x, parameter)
        got = _hfy.parameter_vjp(name, y, g, parameter)
        assert got.shape == shape and got.dtype == np.float64
        want = differences(lambda p: _hfy.forward(name, x, p), np.asarray(parameter, dtype=float), g)
        assert np.allclose(got, want, atol=2e-5)


def test_the_known_derivative_in_alpha():
    y = hfy.entmax(np.array([-1.0, 0.0, 0.5]), 1.33)
    assert np.isclose(_hfy.parameter_vjp("entmax", y, [1.0, 0.0, 0.0], 1.33), -0.2562, atol=5e-5)


def test_bounds_of_any_shape():
    x, g = draw(3, 6, seed=4), draw(3, 6, seed=1)
    for shape in [(), (6,), (3, 6), (3, 1)]:
        upper = 0.2 + 0.3 * np.random.default_rng(7).random(shape)
        y = hfy.bounded(x, upper)
        want = differences(lambda u: hfy.bounded(x, u), np.asarray(upper, dtype=float), g)
        assert np.allclose(_hfy.upper_vjp(x, y, g, upper), want, atol=1e-6)


@every
def test_second_derivatives(name, parameter):
    x, u, w = smooth(name, parameter, draw(2, 5)), draw(2, 5, seed=1), draw(2, 5, seed=2)
    pulled = lambda x: _hfy.pullback(name, _hfy.forward(name, x, parameter), w, parameter)
    y = _hfy.forward(name, x, parameter)
    assert np.allclose(_hfy.second_vjp(name, x, y, u, w, parameter), differences(pulled, x, u), atol=1e-5)


@every
def test_masked_entries_have_no_gradient(name, parameter):
    x, g = draw(4, 6), draw(4, 6, seed=1)
    keep = np.ones((4, 6), dtype=bool)
    keep[:, 2] = False
    g[~keep] = np.nan  # never looked at
    y = _hfy.forward(name, x, parameter, mask=keep)
    pulled = _hfy.pullback(name, y, g, parameter, mask=keep)
    assert (pulled[~keep] == 0).all() and np.isfinite(pulled).all()


def test_halves():
    x, g = draw(4, 8), draw(4, 8, seed=1)
    want = _hfy.pullback("entmax", hfy.entmax(x, 1.5), g, 1.5)
    for dtype, unit in [(np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2)]:
        y = hfy.entmax(x.astype(dtype), 1.5)
        got = _hfy.pullback("entmax", y, g.astype(dtype), 1.5)
        assert got.dtype == dtype and np.allclose(got.astype(float), want, atol=4 * unit)
        # A gradient of another type is brought to that of the weights.
        assert _hfy.pullback("entmax", y, g, 1.5).dtype == dtype


def test_bits_of_bfloat16():
    """Frameworks without numpy's word for bfloat16 hand over its bits."""
    x, g = draw(3, 5).astype(ml_dtypes.bfloat16), draw(3, 5, seed=1).astype(ml_dtypes.bfloat16)
    bits = lambda array: array.view(np.uint16)
    y = _hfy.forward("entmax", bits(x), 1.5, bfloat16=True)
    assert y.dtype == np.uint16 and (y == bits(hfy.entmax(x, 1.5))).all()
    out = np.empty((5, 3), dtype=np.uint16).T
    _hfy.forward("entmax", bits(x), 1.5, bfloat16=True, out=out)
    assert (out == y).all()
    pulled = _hfy.pullback("entmax", y, bits(g), 1.5, bfloat16=True)
    assert (pulled == bits(_hfy.pullback("entmax", hfy.entmax(x, 1.5), g, 1.5))).all()
