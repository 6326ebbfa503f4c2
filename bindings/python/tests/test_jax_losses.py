"""The losses of hfy.jax."""

import ml_dtypes
import numpy as np
import pytest
from jaxed import doubles, draw, hj, jax  # noqa: F401
from test_jax_derivatives import second_by_differences, summed

import hfy

jnp = jax.numpy
LOSSES = {"softmax_loss": [], "sparsemax_loss": [], "entmax_loss": [1.3], "normmax_loss": [3.0], "entmax15_loss": []}
every = pytest.mark.parametrize("name", LOSSES)


def pair(name):
    """The loss here, and of hfy, whose losses are reduced unless it is said."""
    given = LOSSES[name]
    theirs = getattr(hfy, name.replace("15", ""))
    return (
        lambda x, target, **settings: getattr(hj, name)(x, target, *given, **settings),
        lambda x, target, **settings: theirs(x, target, *given, reduction="none", **settings),
    )


@every
def test_targets(name, doubles):
    ours, theirs = pair(name)
    x, classes = draw(7, 5), np.array([0, 4, 2, 2, 1, 3, 0])
    points = np.random.default_rng(1).dirichlet(np.ones(5), 7)
    sets = np.arange(35).reshape(7, 5) % 3 == 0
    for target in [classes, points, sets, np.eye(5)[classes], classes.astype(np.uint8)]:
        assert np.allclose(ours(x, target), theirs(x, target), atol=1e-12)
        want = theirs(x, target, return_gradient=True)[1]
        assert np.allclose(jax.jit(jax.grad(lambda x: ours(x, target).sum()))(x), want, atol=1e-12)
    assert np.allclose(ours(x.T, classes, axis=0), theirs(x, classes), atol=1e-12)
    assert np.allclose(ours(x[0], 3), theirs(x[0], 3), atol=1e-12)


@every
def test_transformations_and_second_derivatives(name, doubles):
    ours, theirs = pair(name)
    x, classes = draw(4, 5), np.array([0, 4, 2, 2])
    want = theirs(x, classes, return_gradient=True)[1]
    assert np.allclose(jax.vmap(ours)(x, classes), theirs(x, classes), atol=1e-12)
    assert np.allclose(jax.vmap(jax.grad(ours))(x, classes), want, atol=1e-12)
    assert np.allclose(jax.vmap(jax.grad(ours), in_axes=(None, 0))(x[0], classes)[0], want[0], atol=1e-12)
    total = lambda x: summed(jax.checkpoint(lambda row: ours(*row)), (x, classes))
    assert np.allclose(jax.jit(jax.grad(total))(x), want, atol=1e-12)
    second_by_differences(lambda x: (ours(x, classes) ** 2).sum(), (x,))


@pytest.mark.parametrize("name, values", [("entmax_loss", [1.0, 1.4, 2.6]), ("normmax_loss", [1.3, 2.5])])
def test_parameters(name, values, doubles):
    x, points, step = draw(3, 5), np.random.default_rng(1).dirichlet(np.ones(5), 3), 1e-6
    loss = jax.jit(lambda x, value: getattr(hj, name)(x, points, value).sum())
    slope = jax.jit(jax.grad(loss, 1))
    for value in values:
        before = value - step * (value > 1)
        want = (loss(x, value + step) - loss(x, before)) / (value + step - before)
        assert np.isclose(slope(x, value), want, atol=1e-5)
    second_by_differences(loss, *((x, np.array(value)) for value in values if value > 1))


def test_cross_entropy_of_jax(doubles):
    x, classes = draw(6, 4), np.array([0, 1, 2, 3, 0, 1])
    want = -jnp.take_along_axis(jax.nn.log_softmax(x), classes[:, None], -1)[:, 0]
    assert np.allclose(hj.softmax_loss(x, classes), want, atol=1e-13)


@every
def test_rows_that_do_not_count(name, doubles):
    ours, theirs = pair(name)
    x, classes, keep = draw(4, 5), np.array([0, -100, 2, 3]), np.ones((4, 5), dtype=bool)
    keep[:, 4] = False
    keep[2] = False
    value = lambda x: ours(x, classes, mask=keep, ignore_index=-100)
    assert np.allclose(value(x), theirs(x, classes, mask=keep, ignore_index=-100), atol=1e-12)
    pulled = np.asarray(jax.jit(jax.grad(lambda x: value(x).sum()))(x))
    assert (pulled[[1, 2]] == 0).all() and (pulled[:, 4] == 0).all() and (pulled[[0, 3]] != 0).any()
    bent = jax.jit(jax.hessian(lambda x: value(x).sum()))(x)
    assert np.isfinite(bent).all() and (np.asarray(bent)[[1, 2]] == 0).all()


def test_subsets(doubles):
    x, sets = draw(3, 6), np.array([[0, 3], [1, 2], [4, 5]])
    hot = np.zeros((3, 6), dtype=bool)
    np.put_along_axis(hot, sets, True, -1)
    want, gradient = hfy.subsets_loss(x, sets.tolist(), 2, reduction="none", return_gradient=True)
    for target in [sets, hot, hot.astype(float)]:
        assert np.allclose(hj.subsets_loss(x, target, 2), want, atol=1e-12)
        assert np.allclose(jax.grad(lambda x: hj.subsets_loss(x, target, 2).sum())(x), gradient, atol=1e-12)
    assert np.allclose(hj.subsets_loss(x.T, sets, 2, axis=0), want, atol=1e-12)


def test_element_types():
    x, classes = draw(5, 7), np.arange(5)
    want = hfy.sparsemax_loss(x, classes, reduction="none")
    for dtype, unit in [(np.float32, 1e-5), (np.float16, 1e-2), (ml_dtypes.bfloat16, 1e-1)]:
        half = x.astype(dtype)
        losses = hj.sparsemax_loss(half, classes)
        assert losses.dtype == np.float32 and np.allclose(losses, want, atol=unit)
        pulled = jax.grad(lambda x: hj.sparsemax_loss(x, classes).sum())(half)
        assert pulled.dtype == dtype and np.allclose(pulled.astype(float), hfy.sparsemax(x) - np.eye(5, 7), atol=unit)


def test_no_gradient_flows_into_targets():
    x, points = draw(2, 4).astype(np.float32), np.full((2, 4), 0.25, np.float32)
    assert (np.asarray(jax.grad(lambda t: hj.entmax_loss(x, t).sum())(points)) == 0).all()
