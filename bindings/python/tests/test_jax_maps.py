"""hfy.jax gives what hfy gives."""

import ml_dtypes
import numpy as np
import pytest
from golden import agree, cases
from jaxed import MAPS, doubles, draw, every, families, hj, jax, rows  # noqa: F401

import hfy

jnp = jax.numpy

NUMPY = {
    "softmax": hfy.softmax,
    "sparsemax": hfy.sparsemax,
    "entmax 1.3": lambda x, **settings: hfy.entmax(x, 1.3, **settings),
    "entmax 1.5": lambda x, **settings: hfy.entmax(x, 1.5, **settings),
    "entmax 3": lambda x, **settings: hfy.entmax(x, 3, **settings),
    "normmax 5": lambda x, **settings: hfy.normmax(x, 5, **settings),
    "subsets 2": lambda x, **settings: hfy.subsets(x, 2, **settings),
    "bounded": lambda x, **settings: hfy.bounded(x, 0.75, **settings),
    "sequence 2": lambda x, **settings: hfy.sequence(x, 2, 0.3, **settings),
    "spans": lambda x, **settings: hfy.sparsemap(x, "spans", **settings),
}


@every
def test_any_axis_and_mask(name, doubles):
    x, keep = draw(3, 4, 5), np.random.default_rng(1).random((3, 4, 5)) < 0.8
    for axis in [-1, 0, 1, -2]:
        assert np.allclose(MAPS[name](x, axis=axis), NUMPY[name](x, axis=axis), atol=1e-14)
        shown = keep.copy()
        np.moveaxis(shown, axis, -1)[..., :3] = True  # room for every map
        got = MAPS[name](np.where(shown, x, np.nan), axis=axis, mask=shown)
        assert np.allclose(got, NUMPY[name](x, axis=axis, mask=shown), atol=1e-14)
        assert (np.asarray(got)[~shown] == 0).all()
    assert np.allclose(MAPS[name](x, mask=keep[0, 0] | True), NUMPY[name](x), atol=1e-14)


@every
def test_element_types(name):
    x = draw(4, 7).astype(np.float32)
    for dtype, unit in [(np.float32, 1e-6), (np.float16, 2**-10), (ml_dtypes.bfloat16, 2**-7)]:
        got, want = jax.jit(MAPS[name])(x.astype(dtype)), NUMPY[name](x.astype(dtype))
        assert got.dtype == dtype and np.allclose(got.astype(float), want.astype(float), atol=unit)
    assert MAPS[name](jnp.arange(6)).dtype == jnp.float32
    assert MAPS[name]([3, 1, 2, 0]).dtype == jnp.float32


@every
def test_compiled_mapped_and_looped(name, doubles):
    x, function = jnp.asarray(draw(3, 4, 6)), MAPS[name]
    want = function(x)
    assert np.array_equal(jax.jit(function)(x), want)
    assert np.array_equal(jax.vmap(function)(x), want)
    assert np.array_equal(jax.jit(jax.vmap(jax.vmap(function)))(x), want)
    assert np.array_equal(jax.vmap(function, in_axes=1, out_axes=1)(x), want)
    assert np.array_equal(jax.lax.map(function, x), want)
    assert np.array_equal(jax.lax.scan(lambda carry, row: (carry, function(row)), 0, x)[1], want)
    assert np.array_equal(jax.checkpoint(function)(x), want)


def test_softmax_of_jax(doubles):
    x = draw(5, 9)
    assert np.allclose(hj.softmax(x), jax.nn.softmax(x), atol=1e-15)
    assert np.allclose(hj.entmax(x, 1.0, axis=0), jax.nn.softmax(x, axis=0), atol=1e-15)


@families
def test_golden_values(family, function, argument, doubles):
    held = list(cases(family))
    values = np.array([[case[argument]] for case in held], float)
    got = np.asarray(getattr(hj, function)(rows([case["theta"] for case in held], -np.inf), values))
    for case, row in zip(held, got):
        agree(row[: case["n"]], case["y"], case["tol"], case["id"])


def test_limits_of_alpha(doubles):
    x = jnp.asarray(draw(4, 6))
    assert np.array_equal(hj.entmax(x, np.inf), x == x.max(-1, keepdims=True))
    assert np.array_equal(hj.entmax(x, 2), hj.sparsemax(x)) and np.array_equal(hj.entmax(x), hj.entmax15(x))
    assert np.allclose(hj.entmax(x, 1 + 1e-9), hj.softmax(x), atol=1e-7)


def test_a_parameter_for_each_row(doubles):
    x, alpha = jnp.asarray(draw(3, 4, 6)), 1 + np.random.default_rng(2).random((3, 4))
    want = hfy.entmax(np.asarray(x), alpha[..., None])
    assert np.array_equal(hj.entmax(x, alpha[..., None]), want)
    assert np.array_equal(hj.entmax(jnp.moveaxis(x, -1, 0), alpha, axis=0), np.moveaxis(want, -1, 0))
    # Mapped over rows, over one of the two, and over neither in one place.
    one = lambda row, alpha: hj.entmax(row, alpha)
    assert np.array_equal(jax.vmap(jax.vmap(one))(x, alpha), want)
    alike = np.asarray(x[0, :1]).repeat(4, 0)
    assert np.array_equal(jax.vmap(one, in_axes=(None, 0))(x[0, 0], alpha[0]), hfy.entmax(alike, alpha[0][:, None]))
    shared = jax.vmap(jax.vmap(one, in_axes=(0, None)), in_axes=(0, 0))(x, alpha[:, 0])
    assert np.array_equal(shared, hfy.entmax(np.asarray(x), alpha[:, :1, None]))
    upper = np.random.default_rng(3).random((4, 6)) + 0.2
    assert np.array_equal(hj.bounded(x, upper), hfy.bounded(np.asarray(x), upper))
    assert np.array_equal(jax.vmap(hj.bounded, in_axes=(None, 0))(x[0, 0], upper), hfy.bounded(alike, upper))


@every
def test_rows_with_nothing_left_and_without_entries(name, doubles):
    x, keep = draw(3, 5), np.ones((3, 5), dtype=bool)
    keep[1] = False
    got = MAPS[name](x, mask=keep)
    assert (np.asarray(got[1]) == 0).all() and np.allclose(got[0], MAPS[name](x[0]), atol=1e-14)
    assert MAPS[name](np.zeros((0, 5))).shape == (0, 5)
    pulled = jax.grad(lambda x: (MAPS[name](x, mask=keep) ** 2).sum())(x)
    assert (np.asarray(pulled[1]) == 0).all() and np.isfinite(pulled).all()


def test_learned_alpha_stays_inside():
    raw = jnp.array([-1e30, -3.0, 0.0, 3.0, 1e30])
    alpha = hj.learned_alpha(raw, 1.0, 2.0)
    assert alpha[0] == 1 and alpha[2] == 1.5 and alpha[4] == 2 and (jnp.diff(alpha) > 0).all()
    assert hj.learned_alpha(raw, 1.0, np.inf)[0] == 1
    assert np.isfinite(jax.grad(lambda raw: hj.learned_alpha(raw).sum())(raw)).all()
    with pytest.raises(ValueError, match="low = 0.0"):
        hj.learned_alpha(0.0, 0.0)
