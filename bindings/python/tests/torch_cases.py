"""What the tests of hfy.torch share: the maps, each with a parameter, and tensors to try them on."""

import pytest

torch = pytest.importorskip("torch", reason="hfy.torch needs torch")

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402, F401

MAPS = [
    ("softmax", None),
    ("sparsemax", None),
    ("entmax", 0.4),
    ("entmax", 1.0),
    ("entmax", 1.2),
    ("entmax", 1.5),
    ("entmax", 2.7),
    ("normmax", 1.4),
    ("normmax", 2.0),
    ("normmax", 4.0),
    ("subsets", 2.5),
    ("bounded", 0.4),
    ("power", 3.0),
    ("exponential", None),
    ("quadratic", None),
    ("sequence:2:t=0.5", None),
]
WITH_PARAMETER = [(name, value) for name, value in MAPS if value not in (None, 1.0)]
every = pytest.mark.parametrize("name, value", MAPS)
every_parameter = pytest.mark.parametrize("name, value", WITH_PARAMETER)
# With torch 2.11 the compiler refuses these; with 2.15 it does not.
needs_new_compiler = pytest.mark.skipif(
    tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 15), reason="the compiler of torch is too old"
)
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def says(kind, *words):
    return pytest.raises(kind, match="(?s)" + "".join(f"(?=.*{word})" for word in words))
