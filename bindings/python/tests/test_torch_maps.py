"""Maps on tensors: values, dtypes, axes, strides, masks, parameters, and bad input."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from torch_cases import DTYPES, MAPS, draw, every, says, torch

import hfy.torch
from hfy import _hfy
from hfy.torch import _kernels, separation


@every
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_values_along_any_axis(name, value, dim):
    x = draw(4, 6, 5)
    assert np.array_equal(separation(x, name, value, dim).numpy(), _hfy.forward(name, x.numpy(), value, axis=dim))


@every
@pytest.mark.parametrize("dtype", DTYPES)
def test_types(name, value, dtype):
    x = draw(7, 9).to(dtype)
    y = separation(x, name, value)
    assert y.dtype == dtype and y.shape == x.shape
    # Half types are storage: computed in float32 and rounded once.
    want = separation(x.double(), name, value)
    unit = max(torch.finfo(dtype).eps, 1e-6)
    assert torch.allclose(y.double(), want, atol=unit, rtol=unit)


@every
def test_strides(name, value):
    x = draw(6, 5, 4)
    want = separation(x, name, value, 1)
    turned = x.permute(2, 0, 1).contiguous().permute(1, 2, 0)
    wide = torch.full((12, 5, 8), torch.nan, dtype=torch.float64)
    wide[::2, :, 1::2] = x
    for same in [turned, wide[::2, :, 1::2], x.flip(0).flip(0)]:
        assert torch.equal(separation(same, name, value, 1), want)
    assert separation(turned, name, value, 1).stride() == turned.stride()
    row = draw(5)
    repeated = separation(row.expand(3, 5), name, value)
    assert torch.equal(repeated, separation(row, name, value).expand(3, 5))
    negative = torch.complex(draw(3, 5), draw(3, 5, seed=1)).conj().imag
    assert negative.is_neg() and torch.equal(separation(negative, name, value), separation(negative + 0, name, value))


@pytest.mark.parametrize("dtype", DTYPES)
def test_memory_is_shared(dtype):
    for x in [draw(4, 5, dtype=dtype), draw(4, 5, dtype=dtype).T, draw(4, 5, dtype=dtype).requires_grad_()]:
        assert _kernels.array(x).ctypes.data == x.data_ptr()


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_of_the_size_of_a_tensor_is_made_beside_what_torch_makes(dtype):
    def work(leaf):
        y = hfy.torch.entmax15(leaf)
        torch.autograd.grad(y, leaf, y.detach())

    x = draw(500, 400, dtype=dtype)
    for leaf in [x, x.T]:
        leaf = leaf.detach().requires_grad_()
        work(leaf)  # what is imported at first is not meant
        tracemalloc.start()  # which sees what numpy allocates
        work(leaf)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < x.nbytes / 8


@every
def test_masks(name, value):
    x = draw(5, 6)
    keep = torch.ones(5, 6, dtype=torch.bool)
    keep[:, 2] = False
    loud = x.where(keep, torch.tensor(torch.nan))  # what is masked is never looked at
    y = separation(loud, name, value, mask=keep)
    assert (y[:, 2] == 0).all()
    if not name.startswith("sequence"):
        left = [0, 1, 3, 4, 5]
        assert torch.allclose(y[:, left], separation(x[:, left], name, value), atol=1e-15)
    # A mask broadcasts.
    assert torch.equal(separation(x, name, value, mask=keep[0]), separation(x, name, value, mask=keep))


@pytest.mark.parametrize("name, value", [case for case in MAPS if not case[0].startswith("sequence")])
def test_rows_that_are_entirely_masked(name, value):
    x = draw(3, 6).requires_grad_()
    keep = torch.tensor([True, False, True])[:, None]
    y = separation(x, name, value, mask=keep)
    assert (y[1] == 0).all()
    (gradient,) = torch.autograd.grad(y.square().sum(), x)
    assert (gradient[1] == 0).all() and gradient.isfinite().all()
    assert gradient[0].any() or name == "bounded"  # where two bounds are met and one weight is left, nothing moves
    if name not in ("quadratic", "power", "exponential"):
        hidden = torch.full((1, 6), -torch.inf, dtype=torch.float64, requires_grad=True)
        y = separation(hidden, name, value)
        assert (y == 0).all() and (torch.autograd.grad(y.sum(), hidden)[0] == 0).all()


def test_empty_tensors():
    for shape in [(0, 4), (4, 0), (0, 0), (0,)]:
        x = torch.zeros(shape, requires_grad=True)
        y = hfy.torch.sparsemax(x)
        assert y.shape == shape
        assert torch.autograd.grad(y.sum(), x)[0].shape == shape


@pytest.mark.parametrize("name, value", [("entmax", 1.3), ("normmax", 3.0), ("subsets", 2.0), ("power", 2.5)])
def test_parameters_of_any_shape(name, value):
    x = draw(3, 4, 5)
    want = separation(x, name, value)
    text = f"{name}:{value}"
    assert torch.equal(separation(x, text), want)
    for shape in [(), (1,), (4, 1), (3, 1, 1), (3, 4, 1)]:
        for dtype in DTYPES:
            parameter = torch.full(shape, value).to(dtype)
            assert torch.allclose(separation(x, name, parameter), separation(x, name, parameter.double()))
    each = torch.tensor([value, value + 0.25, value + 0.5], dtype=torch.float64)[:, None, None]
    for row, parameter in enumerate(each.flatten()):
        assert torch.equal(separation(x, name, each)[row], separation(x[row], name, parameter.item()))


def test_alpha_at_both_ends():
    x = draw(20, 7)
    assert torch.allclose(hfy.torch.entmax(x, 1.0), torch.softmax(x, -1), atol=1e-14)
    assert torch.allclose(hfy.torch.entmax(x, torch.tensor(1.0)), torch.softmax(x, -1), atol=1e-14)
    assert torch.equal(hfy.torch.entmax(x, torch.inf), torch.nn.functional.one_hot(x.argmax(-1), 7).double())
    ties = torch.tensor([1.0, 1.0, 0.0])
    assert hfy.torch.entmax(ties, torch.tensor(torch.inf)).tolist() == [0.5, 0.5, 0.0]


def test_the_names_are_thin():
    x = draw(3, 6)
    t = hfy.torch
    assert torch.equal(t.softmax(x), separation(x, "softmax"))
    assert torch.equal(t.sparsemax(x, 0, 4), separation(x, "sparsemax", dim=0))
    assert torch.equal(t.sparsemax_bisect(x, 0, 10, False), separation(x, "sparsemax", dim=0))
    assert torch.equal(t.entmax15(x, dim=0, k=2), separation(x, "entmax", 1.5, 0))
    assert torch.equal(t.entmax_bisect(x, 1.7, 0, 5, False), t.entmax(x, 1.7, 0))
    assert torch.equal(t.normmax_bisect(x, 3, 0, 5), t.normmax(x, 3, 0))
    assert torch.equal(t.budget_bisect(x, 3, -1, 5), t.subsets(x, 3))
    assert torch.equal(t.bounded_sparsemax(x, torch.full((6,), 0.25)), separation(x, "bounded", 0.25))


@pytest.mark.parametrize("function", [hfy.torch.sparsemax, hfy.torch.entmax15])
def test_sizes_of_supports(function):
    x = draw(4, 6, 5)
    y, sizes = function(x, 1, return_support_size=True)
    assert sizes.shape == (4, 1, 5) and torch.equal(sizes, (y > 0).sum(1, keepdim=True))
    y, sizes = function(x, mask=torch.zeros(5, dtype=torch.bool), return_support_size=True)
    assert not sizes.any()


def test_what_is_returned_is_as_torch_has_it():
    x = draw(3, 5, dtype=torch.float32)
    leaf = x.clone().requires_grad_()
    assert not separation(x, "sparsemax").requires_grad and separation(leaf, "sparsemax").requires_grad
    with torch.no_grad():
        assert not separation(leaf, "sparsemax").requires_grad
    with torch.inference_mode():
        assert separation(leaf, "sparsemax").is_inference()
        assert torch.equal(separation(x + 0, "sparsemax"), separation(x, "sparsemax"))
    assert separation(torch.nn.Parameter(x), "sparsemax").requires_grad
    kept = x.clone()
    separation(x, "sparsemax").add_(1)
    assert torch.equal(kept, x)


def test_what_is_not_numbers():
    for x, kind in [(torch.zeros(3, dtype=torch.complex64), "complex64"), (torch.zeros(3, dtype=torch.int64), "int64")]:
        with says(TypeError, "x is of dtype", kind, "float32"):
            hfy.torch.sparsemax(x)
    with says(TypeError, "x is a list", "tensor"):
        hfy.torch.sparsemax([1.0, 2.0])
    with says(TypeError, "x is a ndarray"):
        hfy.torch.entmax15(np.zeros(3))


def test_bad_input():
    x = draw(2, 3)
    with says(ValueError, r"scores\[1\] = NaN in row 1", "finite"):
        hfy.torch.sparsemax(torch.tensor([[0.0, 1.0], [0.0, torch.nan]]))
    with says(ValueError, "inf", "finite"):
        hfy.torch.softmax(torch.tensor([torch.inf, 0.0]))
    with says(ValueError, "dim = 2", "2 axes", "-2 to 1"):
        hfy.torch.sparsemax(x, 2)
    with says(ValueError, "single number"):
        hfy.torch.sparsemax(torch.tensor(1.0))
    with says(TypeError, "mask is of dtype torch.int64", "True for what takes part"):
        hfy.torch.sparsemax(x, mask=torch.ones(3, dtype=torch.int64))
    with says(TypeError, "mask is a list"):
        hfy.torch.sparsemax(x, mask=[True, True, True])
    with says(ValueError, r"mask has shape \[2\]"):
        hfy.torch.sparsemax(x, mask=torch.ones(2, dtype=torch.bool))
    with says(ValueError, "alpha = -0.5", r"\(0, inf\]"):
        hfy.torch.entmax(x, -0.5)
    with says(ValueError, "alpha = -0.5"):
        hfy.torch.entmax(x, torch.tensor([[1.5], [-0.5]]))
    with says(ValueError, "alpha = NaN"):
        hfy.torch.entmax(x, torch.tensor(torch.nan))
    with says(ValueError, r"alpha has shape \[2\], expected \[2, 1\]"):
        hfy.torch.entmax(x, torch.tensor([1.5, 1.5]))
    with says(TypeError, "parameter is a str"):
        hfy.torch.entmax(x, "1.5")
    with says(TypeError, "parameter is of dtype complex64"):
        hfy.torch.entmax(x, torch.tensor(1.5 + 0j))
    with says(ValueError, "k = 4"):
        hfy.torch.subsets(x, 4)
    with says(ValueError, "upper sums to"):
        hfy.torch.bounded_sparsemax(x, 0.2)
    with says(ValueError, "sparsmax", "known are"):
        separation(x, "sparsmax")
    with says(ValueError, "softmax"):
        separation(x, "softmax", 1.5)
    with says(ValueError, "entmax"):
        separation(x, "entmax")
    with says(ValueError, "entmax:1.5"):
        separation(x, "entmax:1.5", torch.tensor(1.5))


def test_torch_is_asked_for_by_name():
    """numpy alone is enough for the package; what needs torch says so."""
    code = """
        import sys
        sys.modules["torch"] = None
        import hfy
        try:
            import hfy.torch
        except ImportError as error:
            print(error)
    """
    code = "\n".join(line[8:] for line in code.splitlines())
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "hfy.torch needs torch" in found.stdout and "hfy[torch]" in found.stdout
