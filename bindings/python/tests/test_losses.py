"""Fenchel-Young losses."""

import ml_dtypes
import numpy as np
import pytest

import hfy

MAPS = [("softmax", None), ("sparsemax", None), ("entmax", 1.3), ("normmax", 2.0)]
every = pytest.mark.parametrize("name, parameter", MAPS)


def draw(*shape, seed=0):
    return 2 * np.random.default_rng(seed).standard_normal(shape)


@every
def test_classes(name, parameter):
    x, classes = draw(7, 5), np.array([0, 4, 2, 2, 1, 3, 0])
    losses, gradient = hfy.loss(name, x, classes, parameter, reduction="none", return_gradient=True)
    dense = np.eye(5)[classes]
    # Ω(e) = 0 at the corners, so that the loss is Ω* less the score.
    want = hfy.conjugate(name, x, parameter) - x[np.arange(7), classes]
    assert losses.shape == (7,) and np.allclose(losses, want, atol=1e-12) and (losses >= 0).all()
    assert np.allclose(gradient, hfy._hfy.forward(name, x, parameter) - dense)
    assert np.allclose(losses, hfy.loss(name, x, dense, parameter, reduction="none"), atol=1e-12)
    assert np.allclose(losses, hfy.loss(name, x, dense.astype(bool), parameter, reduction="none"), atol=1e-12)
    assert np.allclose(losses, hfy.loss(name, x, [[int(c)] for c in classes], parameter, reduction="none"), atol=1e-12)
    for dtype in [np.int32, np.uint8, np.int64]:
        assert (hfy.loss(name, x, classes.astype(dtype), parameter, reduction="none") == losses).all()


def test_softmax_is_cross_entropy():
    x, classes = draw(6, 4), np.array([0, 1, 2, 3, 0, 1])
    log = x - np.log(np.exp(x).sum(-1, keepdims=True))
    assert np.isclose(hfy.softmax_loss(x, classes), -log[np.arange(6), classes].mean())


@every
def test_reductions_and_ignored_rows(name, parameter):
    x, classes = draw(6, 4), np.array([0, -100, 2, 3, -100, 1])
    each = hfy.loss(name, x, classes, parameter, reduction="none", ignore_index=-100)
    assert (each[[1, 4]] == 0).all() and (each[[0, 2, 3, 5]] > 0).any()
    total, gradient = hfy.loss(name, x, classes, parameter, reduction="sum", ignore_index=-100, return_gradient=True)
    assert isinstance(total, float) and np.isclose(total, each.sum()) and (gradient[[1, 4]] == 0).all()
    mean, mean_gradient = hfy.loss(name, x, classes, parameter, ignore_index=-100, return_gradient=True)
    assert np.isclose(mean, total / 4) and np.allclose(mean_gradient, gradient / 4)


@every
def test_any_axis(name, parameter):
    x = draw(3, 5, 4)
    classes = np.random.default_rng(1).integers(0, 5, (3, 4))
    losses, gradient = hfy.loss(name, x, classes, parameter, axis=1, reduction="none", return_gradient=True)
    moved = np.moveaxis(x, 1, -1)
    want, want_gradient = hfy.loss(name, moved, classes, parameter, reduction="none", return_gradient=True)
    assert losses.shape == (3, 4) and (losses == want).all()
    assert gradient.shape == x.shape and (np.moveaxis(gradient, 1, -1) == want_gradient).all()


def test_a_parameter_for_each_row():
    x, classes = draw(4, 5), np.array([0, 1, 2, 3])
    alpha = np.array([1.0, 1.5, 2.0, 3.0])
    losses = hfy.entmax_loss(x, classes, alpha[:, None], reduction="none")
    assert np.allclose(losses, [hfy.entmax_loss(x[i], classes[i], alpha[i]) for i in range(4)])


def test_sets_of_classes():
    x = draw(3, 6)
    sets = [[0, 3], [1, 2], [4, 5]]
    losses = hfy.subsets_loss(x, sets, 2, reduction="none")
    dense = np.zeros((3, 6))
    for row, members in enumerate(sets):
        dense[row, members] = 1
    assert np.allclose(losses, hfy.subsets_loss(x, dense, 2, reduction="none"), atol=1e-12)
    # On the simplex the mass is spread over the set.
    spread = hfy.sparsemax_loss(x, sets, reduction="none")
    assert np.allclose(spread, hfy.sparsemax_loss(x, dense / 2, reduction="none"), atol=1e-12)


def test_masks():
    x, classes = draw(4, 5), np.array([0, 1, 2, 3])
    keep = np.ones((4, 5), dtype=bool)
    keep[:, 4] = False
    masked = hfy.entmax_loss(x, classes, mask=keep, reduction="none")
    assert np.allclose(masked, hfy.entmax_loss(x[:, :4], classes, reduction="none"))
    keep[2] = False  # a row with nothing left does not count
    kept = hfy.entmax_loss(x, classes, mask=keep)
    assert np.isclose(kept, masked[[0, 1, 3]].mean())


def test_element_types():
    x, classes = draw(5, 7), np.arange(5)
    want = hfy.sparsemax_loss(x, classes)
    for dtype, unit in [(np.float32, 1e-5), (np.float16, 1e-2), (ml_dtypes.bfloat16, 1e-1)]:
        loss, gradient = hfy.sparsemax_loss(x.astype(dtype), classes, return_gradient=True)
        assert gradient.dtype == dtype and np.isclose(loss, want, atol=unit)


def test_temperature():
    x, classes = draw(5, 7), np.arange(5)
    assert np.isclose(hfy.sparsemax_loss(x, classes, beta=2.0), hfy.sparsemax_loss(2 * x, classes) / 2)


def test_losses_of_pypi():
    torch = pytest.importorskip("torch", reason="the package entmax needs torch")
    entmax = pytest.importorskip("entmax")
    x, classes = draw(9, 6), np.random.default_rng(2).integers(0, 6, 9)
    tensors = torch.from_numpy(x), torch.from_numpy(classes)
    assert np.allclose(hfy.sparsemax_loss(x, classes, reduction="none"), entmax.sparsemax_loss(*tensors).numpy(), atol=1e-6)
    assert np.allclose(hfy.entmax_loss(x, classes, reduction="none"), entmax.entmax15_loss(*tensors).numpy(), atol=1e-6)
    bisected = entmax.entmax_bisect_loss(*tensors, alpha=1.7)
    assert np.allclose(hfy.entmax_loss(x, classes, 1.7, reduction="none"), bisected.numpy(), atol=1e-6)
