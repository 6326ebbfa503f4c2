"""Every kind of bad input gets an error that names the argument, what it was and the rule."""

import numpy as np
import pytest

import hfy
from hfy import _hfy

ROW = np.array([0.1, 0.7, 0.3])


def says(kind, *words):
    return pytest.raises(kind, match="(?s)" + "".join(f"(?=.*{word})" for word in words))


@pytest.mark.parametrize(
    "x, kind",
    [
        (np.array([1j, 2.0]), "complex128"),
        (np.array(["a", "b"]), "<U1"),
        ([None, 1.0], "object"),
        (np.array([1, 2], dtype="datetime64[s]"), "datetime64"),
        (np.array([(1.0,)], dtype=[("a", "f8")]), "a"),
        ("words", "<U5"),
        ({"a": 1}, "object"),
    ],
)
def test_what_is_not_numbers(x, kind):
    with says(TypeError, "x is of dtype", kind, "real numbers"):
        hfy.sparsemax(x)
    with says(TypeError, "weights"):
        _hfy.pullback("sparsemax", x, ROW)
    with says(TypeError, "alpha|x"):
        hfy.entmax(ROW, x)


def test_masked_arrays():
    with says(TypeError, "x is a masked array", "mask=~x.mask"):
        hfy.sparsemax(np.ma.array(ROW, mask=[0, 1, 0]))


def test_scores():
    with says(ValueError, r"scores\[1\] = NaN in row 1", "finite"):
        hfy.sparsemax([[0.0, 1.0], [0.0, np.nan]])
    with says(ValueError, r"scores\[0\] = inf", "finite"):
        hfy.softmax([np.inf, 0.0])
    with says(ValueError, "single number"):
        hfy.sparsemax(3.0)
    assert hfy.sparsemax(np.zeros((3, 0))).shape == (3, 0)
    assert hfy.sparsemax(np.zeros((0, 3))).shape == (0, 3)
    with says(ValueError, "at most 32 axes"):
        hfy.sparsemax(np.zeros((1,) * 40))


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_axes(axis):
    with says(ValueError, f"axis = {axis}", "2 axes", "-2 to 1"):
        hfy.sparsemax(np.zeros((2, 3)), axis)
    with pytest.raises(TypeError):
        hfy.sparsemax(np.zeros((2, 3)), "last")


def test_masks():
    with says(TypeError, "mask is of dtype int64", "True for what takes part"):
        hfy.sparsemax(ROW, mask=[1, 0, 1])
    with says(ValueError, r"mask has shape \[2\], expected \[3\]"):
        hfy.sparsemax(ROW, mask=[True, False])
    with says(ValueError, "mask has shape"):
        hfy.loss("sparsemax", [ROW], [0], mask=[True, False])


def test_out():
    with says(TypeError, "out is of dtype float32", "float64"):
        hfy.sparsemax(ROW, out=np.zeros(3, np.float32))
    with says(ValueError, r"out has shape \[4\], expected \[3\]"):
        hfy.sparsemax(ROW, out=np.zeros(4))
    with says(TypeError, "out is a list"):
        hfy.sparsemax(ROW, out=[0, 0, 0])
    closed = np.zeros(3)
    closed.flags.writeable = False
    with says(ValueError, "out", "writeable"):
        hfy.sparsemax(ROW, out=closed)
    with says(ValueError, "out"):
        hfy.sparsemax(np.zeros((2, 3)), out=np.lib.stride_tricks.as_strided(np.zeros(3), (2, 3), (0, 8)))


def test_parameters():
    with says(ValueError, "alpha = -0.5", r"\(0, inf\]"):
        hfy.entmax(ROW, -0.5)
    with says(ValueError, "alpha = NaN"):
        hfy.entmax(ROW, np.nan)
    with says(ValueError, "gamma = 1"):
        hfy.normmax(ROW, 1)
    with says(ValueError, "k = 4", "exceed"):
        hfy.subsets(ROW, 4)
    with says(ValueError, "k = -1"):
        hfy.subsets(ROW, -1)
    with says(ValueError, "upper sums to 0.6", "mass 1"):
        hfy.bounded(ROW, 0.2)
    with says(ValueError, r"upper\[1\] = -1"):
        hfy.bounded(ROW, [1, -1, 1])
    with says(ValueError, r"upper has shape \[2\], expected \[3\]"):
        hfy.bounded(ROW, [1, 1])
    with says(ValueError, r"alpha has shape \[2\], expected \[2, 1\]"):
        hfy.entmax(np.zeros((2, 3)), [1.5, 2.0])
    with says(ValueError, "beta = -1", "positive"):
        hfy.sparsemax(ROW, beta=-1)
    with says(ValueError, "beta = NaN"):
        hfy.sparsemax(ROW, beta=float("nan"))
    with pytest.raises(TypeError):
        hfy.subsets(ROW)
    with pytest.raises(TypeError):
        hfy.sparsemax(ROW, maks=None)


def test_names():
    with says(ValueError, "cannot read", "sparsmax", "known are softmax"):
        _hfy.forward("sparsmax", ROW)
    with says(ValueError, "map", "softmax", "parameter goes with"):
        _hfy.forward("softmax", ROW, 1.5)
    with says(ValueError, "trees takes the number"):
        hfy.sparsemap(ROW, "trees")
    with says(TypeError, "structure is a int"):
        hfy.sparsemap(ROW, 3)
    with says(ValueError, "regulariser", "both"):
        hfy.sequence(ROW, 2, regulariser="none")


def test_gradients():
    y = hfy.sparsemax(ROW)
    with says(ValueError, r"gradient has shape \[2\], expected \[3\]"):
        _hfy.pullback("sparsemax", y, [1.0, 0.0])
    with says(ValueError, r"gradient\[0\] = NaN", "finite"):
        _hfy.pullback("softmax", y, [np.nan, 0.0, 0.0])
    with says(TypeError, "gradient is of dtype float64", "bfloat16"):
        _hfy.pullback("softmax", np.zeros(3, np.uint16), np.zeros(3), bfloat16=True)
    with says(ValueError, "map"):
        _hfy.parameter_vjp("softmax", y, y, 1.0)
    with says(ValueError, "u has shape"):
        _hfy.second_vjp("softmax", ROW, y, [1.0], y)


def test_losses():
    x = np.zeros((2, 3))
    with says(ValueError, r"targets\[0\] = 3 in row 1", "index into the row"):
        hfy.sparsemax_loss(x, [0, 3])
    with says(ValueError, r"target has shape \[3\], expected \[2\]"):
        hfy.sparsemax_loss(x, [0, 1, 2])
    with says(ValueError, r"target has shape \[3\], expected \[2, 3\]"):
        hfy.sparsemax_loss(x, [0.5, 0.5, 0.0])
    with says(ValueError, "targets = row 0", "domain"):
        hfy.sparsemax_loss(x, np.ones((2, 3)))
    with says(ValueError, "reduction", "median"):
        hfy.sparsemax_loss(x, [0, 1], reduction="median")
    with says(TypeError, "target is of dtype"):
        hfy.sparsemax_loss(x, ["a", "b"])


def test_structures():
    with says(ValueError, "k = 5"):
        hfy.sequence(ROW, 5)
    with says(ValueError, "transition"):
        hfy.sequence(ROW, 2, np.zeros((2, 3)))
    with says(ValueError, "transitions has shape"):
        hfy.sequence(ROW, 2, [0.0])
    with says(ValueError, r"higher has shape \[3\], expected \[2\]"):
        hfy.sparsemap_solve(ROW, "sequence:2", [0.0, 0.0, 0.0])
    for wrong in [np.nan, np.inf]:
        with says(ValueError, rf"higher\[1\] = {wrong}".replace("nan", "NaN"), "finite"):
            hfy.sparsemap_solve(ROW, "sequence:2", [0.0, wrong])
    with says(ValueError, "masked"):
        hfy.sparsemap_solve(ROW, "sequence:2", mask=[True, False, False])
    with says(IndexError, "row = 3", "1 rows"):
        hfy.sparsemap_solve(ROW, "spans").structures(3)
    with says(ValueError, "vertices"):
        hfy.Structure.listed([1.0, 2.0])
    with says(ValueError, "variable = 7"):
        hfy.FactorGraph(3, [hfy.Factor.exactly_one([0, 7])])
    graph = hfy.FactorGraph(3, [hfy.Factor.exactly_one([0, 1])])
    with says(ValueError, "scores has shape|x"):
        graph.solve([0.0, 1.0])
    with says(ValueError, "higher", "a list of 0", "1 factors"):
        graph.solve(ROW, [])
    with says(ValueError, "tolerance = 0"):
        graph.solve(ROW, tolerance=0)
