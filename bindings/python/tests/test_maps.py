"""Maps along any axis of arrays of any kind."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import hfy
from hfy import _hfy

FUNCTIONS = {
    "softmax": hfy.softmax,
    "sparsemax": hfy.sparsemax,
    "entmax15": lambda x, **settings: hfy.entmax(x, 1.5, **settings),
    "entmax13": lambda x, **settings: hfy.entmax(x, 1.3, **settings),
    "entmax3": lambda x, **settings: hfy.entmax(x, 3, **settings),
    "normmax5": lambda x, **settings: hfy.normmax(x, 5, **settings),
    "subsets2": lambda x, **settings: hfy.subsets(x, 2, **settings),
    "bounded": lambda x, **settings: hfy.bounded(x, 0.75, **settings),
    "sequence2": lambda x, **settings: hfy.sequence(x, 2, 0.3, **settings),
    "spans": lambda x, **settings: hfy.sparsemap(x, "spans", **settings),
}
every = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
HALVES = [(np.float16, 2**-10), (ml_dtypes.bfloat16, 2**-7)]


def scores(*shape, seed=0, dtype=np.float64):
    return (1.5 * np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


@every
def test_any_axis(function):
    x = scores(4, 3, 5, 6)
    for axis in range(-4, 4):
        want = np.moveaxis(function(np.ascontiguousarray(np.moveaxis(x, axis, -1))), -1, axis)
        assert (function(x, axis=axis) == want).all()


@every
def test_any_strides(function):
    x = scores(6, 8, 10)
    for view in [x[::2], x[:, ::-1], x[..., ::-3], x.T, x[1:-1, 2:, 3:], np.broadcast_to(x[0], (3, 8, 10)), x[:, None]]:
        assert (function(view) == function(view.copy())).all()
        out = np.empty(view.shape[:-1] + (2 * view.shape[-1],))[..., ::2]
        assert function(view, out=out) is out
        assert (out == function(view.copy())).all()


@every
def test_fields_and_unaligned_views(function):
    packed = np.zeros(7, dtype=[("tag", "u1"), ("score", "f8")])
    packed["score"] = scores(7)
    assert not packed["score"].flags.aligned
    assert (function(packed["score"]) == function(scores(7))).all()


@every
def test_element_types(function):
    x = scores(5, 9, dtype=np.float32)
    want = function(x.astype(np.float64))
    got = function(x)
    assert got.dtype == np.float32 and np.allclose(got, want, atol=1e-6)
    for dtype, unit in HALVES:
        half = x.astype(dtype)
        got = function(half)
        assert got.dtype == dtype
        assert np.allclose(got.astype(float), function(half.astype(np.float32)), atol=unit)
    swapped = x.astype(">f4")
    assert (function(swapped) == function(x)).all()
    assert np.allclose(function(x.astype(np.longdouble)), want)


@every
def test_whole_numbers_and_lists(function):
    want = function(np.array([3.0, 1.0, 2.0, 0.0]))
    for given_ in [[3, 1, 2, 0], (3, 1, 2, 0), np.array([3, 1, 2, 0]), np.array([3, 1, 2, 0], dtype=np.uint8)]:
        got = function(given_)
        assert got.dtype == np.float64 and (got == want).all()
    assert (function([True, False, True]) == function([1.0, 0.0, 1.0])).all()


@every
def test_out(function):
    x = scores(4, 6)
    want = function(x)
    out = np.full_like(x, np.nan)
    assert function(x, out=out) is out and (out == want).all()
    same = x.copy()
    assert function(same, out=same) is same and (same == want).all()
    for axis in [0, 1]:
        same = x.copy()
        function(same, out=same, axis=axis)
        assert (same == function(x, axis=axis)).all()
    # Overlapping: as if the scores had been copied first.
    both = np.concatenate([x, x])
    function(both[2:6], out=both[1:5])
    assert (both[1:5] == function(np.concatenate([x, x])[2:6])).all()
    for dtype, _ in HALVES:
        half = x.astype(dtype)
        out = np.zeros((6, 4), dtype=dtype).T
        assert function(half, out=out) is out and (out == function(half)).all()


@every
def test_masks_keep_what_is_true(function):
    x, keep = scores(6, 7), np.random.default_rng(1).random((6, 7)) < 0.6
    keep[:, :3] = True
    got = function(x, mask=keep)
    assert (got[~keep] == 0).all()
    assert (got == function(np.where(keep, x, -np.inf))).all()
    assert (function(x, mask=keep[0]) == function(x, mask=np.broadcast_to(keep[0], x.shape))).all()
    assert (function(x, mask=keep.tolist()) == got).all()
    assert (function(x.T.copy(), mask=keep.T, axis=0) == got.T).all()
    assert (function(x, mask=True) == function(x)).all()


@pytest.mark.parametrize("name", ["softmax", "sparsemax", "entmax15", "normmax5", "subsets2", "bounded"])
def test_a_row_with_nothing_left_gives_zeros(name):
    x, keep = scores(3, 5), np.ones((3, 5), dtype=bool)
    keep[1] = False
    got = FUNCTIONS[name](x, mask=keep)
    assert (got[1] == 0).all()
    assert np.allclose(got[[0, 2]], FUNCTIONS[name](x)[[0, 2]])
    assert (FUNCTIONS[name](np.full((2, 3), -np.inf)) == 0).all()


@every
def test_supports(function):
    x = scores(3, 8, 5) * 4
    for axis in [0, 1, 2]:
        y, sizes = function(x, axis=axis, return_support=True)
        assert sizes.dtype == np.int64
        assert (sizes == (y != 0).sum(axis)).all()


def test_supports_without_a_dense_array():
    x = scores(2, 4, 9) * 2
    for name, parameter in [("softmax", None), ("entmax", 1.5), ("normmax", 2), ("subsets", 3)]:
        offsets, indices, weights = hfy.support(name, x, parameter)
        dense = np.zeros((8, 9))
        for row in range(8):
            here = slice(offsets[row], offsets[row + 1])
            dense[row, indices[here]] = weights[here]
        assert np.allclose(dense, _hfy.forward(name, x, parameter).reshape(8, 9), atol=1e-14)


def test_temperature():
    x = scores(4, 6)
    for beta in [0.25, 3.0]:
        for function in FUNCTIONS.values():
            assert np.allclose(function(x, beta=beta), function(beta * x), atol=1e-14)


def test_a_parameter_for_each_row():
    x = scores(3, 4, 6)
    alpha = 1 + np.random.default_rng(2).random((3, 4))
    want = np.stack([[hfy.entmax(x[i, j], alpha[i, j]) for j in range(4)] for i in range(3)])
    assert (hfy.entmax(x, alpha[..., None]) == want).all()
    assert (hfy.entmax(np.moveaxis(x, -1, 1), alpha[:, None], axis=1) == np.moveaxis(want, -1, 1)).all()
    shared = hfy.entmax(x, alpha[0][:, None])
    assert (shared[1, 2] == hfy.entmax(x[1, 2], alpha[0, 2])).all()
    k = np.array([[1], [2], [3], [0]])
    assert np.allclose(hfy.subsets(x, k).sum(-1), np.broadcast_to(k[:, 0], (3, 4)))
    upper = np.random.default_rng(3).random((4, 6)) + 0.2
    assert (hfy.bounded(x, upper)[1, 2] == hfy.bounded(x[1, 2], upper[2])).all()
    turned = hfy.bounded(np.moveaxis(x, -1, 0), np.moveaxis(np.broadcast_to(upper, x.shape), -1, 0), axis=0)
    assert (np.moveaxis(turned, 0, -1) == hfy.bounded(x, upper)).all()


def test_limits_of_alpha():
    x = scores(5, 7)
    assert np.allclose(hfy.entmax(x, 1.0), np.exp(x) / np.exp(x).sum(-1, keepdims=True), atol=1e-15)
    assert np.allclose(hfy.entmax(x, 1 + 1e-9), hfy.softmax(x), atol=1e-7)
    assert (hfy.entmax(x, 2) == hfy.sparsemax(x)).all()
    assert (hfy.entmax(x, np.inf) == (x == x.max(-1, keepdims=True))).all()
    assert (hfy.entmax(x) == hfy.entmax(x, 1.5)).all() and (hfy.normmax(x) == hfy.normmax(x, 2)).all()


rows = arrays.arrays(
    some.sampled_from([np.float32, np.float64]),
    arrays.array_shapes(min_dims=1, max_dims=3, min_side=2, max_side=40),
    elements=some.floats(-20, 20, width=32),
)


@settings(max_examples=60, deadline=None)
@given(rows, some.floats(1.05, 4), some.integers(0, 2))
def test_laws_of_entmax(x, alpha, axis):
    axis = axis % x.ndim
    y = hfy.entmax(x, alpha, axis)
    unit = 1e-5 if x.dtype == np.float32 else 1e-12
    assert (y >= 0).all() and np.allclose(y.sum(axis), 1, atol=unit)
    # Weights rise with scores, and do not change when all scores move together.
    order = np.argsort(x, axis, kind="stable")
    assert (np.diff(np.take_along_axis(y, order, axis), axis=axis) >= -unit).all()
    # Optimal: (x - y^(alpha - 1) / (alpha - 1)) is one number on the support, and no less elsewhere.
    wide, weights = x.astype(float), y.astype(float)
    level = wide - weights ** (alpha - 1) / (alpha - 1)
    top = np.where(y > 0, level, -np.inf).max(axis, keepdims=True)
    loose = unit ** min(1, alpha - 1) * 100 + 1e-4 * (x.dtype == np.float32)
    assert np.where(y > 0, np.abs(level - top) <= loose, level <= top + loose).all()


@settings(max_examples=60, deadline=None)
@given(rows, some.floats(0, 1))
def test_laws_of_subsets(x, share):
    k = share * x.shape[-1]
    y = hfy.subsets(x, k)
    unit = 1e-4 if x.dtype == np.float32 else 1e-11
    assert (y >= 0).all() and (y <= 1).all() and np.allclose(y.sum(-1), k, atol=unit * max(1, k))
    # The projection: clipped scores at one level a row.
    free = (y > 0) & (y < 1)
    level = np.where(free, x.astype(float) - y, np.nan)
    spread = np.nanmax(np.where(free, level, -np.inf), -1) - np.nanmin(np.where(free, level, np.inf), -1)
    assert (np.where(free.any(-1), spread, 0) <= unit).all()


@settings(max_examples=40, deadline=None)
@given(rows, some.floats(1.1, 10))
def test_laws_of_normmax(x, gamma):
    y = hfy.normmax(x, gamma)
    unit = 1e-5 if x.dtype == np.float32 else 1e-12
    assert (y >= 0).all() and np.allclose(y.sum(-1), 1, atol=unit)
    assert (np.take_along_axis(y, x.argmax(-1)[..., None], -1) == y.max(-1, keepdims=True)).all()
    assert np.allclose(y, hfy.normmax(x.astype(float) + 3.0, gamma), atol=1e-3 if x.dtype == np.float32 else 1e-8)


def test_entmax_of_pypi():
    """Where the package entmax is right, we agree with it: over shapes, axes and scales."""
    torch = pytest.importorskip("torch", reason="the package entmax needs torch")
    entmax = pytest.importorskip("entmax")
    rng = np.random.default_rng(5)
    for trial in range(40):
        shape = tuple(rng.integers(2, 9, rng.integers(1, 4)))
        axis = int(rng.integers(len(shape)))
        x = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3)
        tensor = torch.from_numpy(x)
        for ours, theirs in [
            (hfy.sparsemax(x, axis), entmax.sparsemax(tensor, axis)),
            (hfy.entmax(x, 1.5, axis), entmax.entmax15(tensor, axis)),
            (hfy.entmax(x, 1.3, axis), entmax.entmax_bisect(tensor, 1.3, axis)),
            (hfy.normmax(x, 3, axis), entmax.normmax_bisect(tensor, 3, axis)),
            (hfy.subsets(x, 2, axis), entmax.budget_bisect(tensor, 2, axis)),
        ]:
            assert np.allclose(ours, theirs.numpy(), atol=2e-7), (shape, axis)
